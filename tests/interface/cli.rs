//! The command line as scripts and the documents use it.

use serde_json::Value;
use snapbox::IntoData;
use support::wmbmc;

fn code(output: &std::process::Output) -> i32 {
    output.status.code().expect("no signal")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is UTF-8")
}

fn objects(output: &std::process::Output) -> Vec<Value> {
    text(&output.stdout)
        .lines()
        .map(|l| serde_json::from_str(l).expect("one object per line"))
        .collect()
}

/// The console blocks of a document: commands after `$ `, each with what it prints. A line `…` stands
/// for any number of lines, and so does the end.
fn console_blocks(page: &str) -> impl Iterator<Item = (&str, String)> {
    let blocks = page.split("```console\n$ ").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split("```").next());
    let commands = blocks.flat_map(|block| block.split("\n$ "));
    commands.map(|text| {
        let (command, printed) = text.split_once('\n').unwrap_or((text, ""));
        let shown = printed.trim_end().trim_end_matches("\n…");
        (
            command,
            format!("{shown}\n...\n").replace("\n…\n", "\n...\n"),
        )
    })
}

/// The words of a command; what is between single quotes is one.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (i, part) in command.split('\'').enumerate() {
        let spaces = |c: char| i % 2 == 0 && c.is_whitespace();
        let mut pieces = part.split(spaces);
        let first = pieces.next().unwrap_or_default();
        words.last_mut().expect("a word").push_str(first);
        words.extend(pieces.map(str::to_string));
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The README and the pages in `docs/`.
fn pages() -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(support::root().join("docs")).expect("docs is readable");
    let mut pages: Vec<_> = entries.map(|e| e.expect("readable").path()).collect();
    pages.retain(|path| path.is_file());
    pages.push(support::root().join("README.md"));
    pages.sort();
    pages
}

#[test]
fn the_commands_of_the_documents_print_what_they_say() {
    let read = |p: &std::path::PathBuf| std::fs::read_to_string(p).expect("documents are UTF-8");
    let texts: Vec<String> = pages().iter().map(read).collect();
    let commands = texts.iter().flat_map(|t| console_blocks(t));
    let ours = commands.filter_map(|(c, printed)| Some((c.strip_prefix("wmbmc ")?, printed)));
    let ours: Vec<(&str, String)> = ours.collect();
    assert!(ours.len() >= 8, "{ours:?}");
    for (arguments, expected) in ours {
        let output = wmbmc(words(arguments));
        // A backslash is no path of Windows.
        let compare = snapbox::Assert::new().normalize_paths(false);
        compare
            .try_eq(
                Some(&arguments),
                output.stdout.into_data(),
                expected.into_data(),
            )
            .unwrap_or_else(|difference| panic!("{difference}"));
    }
}

#[test]
fn verdicts_have_exit_codes() {
    let program = "benchmarks/store_buffer.c";
    assert_eq!(code(&wmbmc([program])), 0);
    assert_eq!(code(&wmbmc([program, "--mm", "tso"])), 10);
    assert_eq!(code(&wmbmc([program, "--mm", "sc,tso"])), 10);
    assert_eq!(code(&wmbmc([program, "--mm", "tso", "-DFENCED"])), 0);
    assert_eq!(code(&wmbmc([program, "missing.c", "--mm", "tso"])), 2);
    assert_eq!(code(&wmbmc([program, "--mm", "nosuch"])), 1);
    assert_eq!(code(&wmbmc(["--version"])), 0);
    assert_eq!(code(&wmbmc(["--help"])), 0);
}

#[test]
fn a_bound_is_inconclusive_unless_it_is_accepted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("count.c");
    let program = "extern int __VERIFIER_nondet_int(void);\n\
                   #include <assert.h>\n\
                   int main(void) { int n = 0; while (__VERIFIER_nondet_int()) n++; assert(n < 100); }\n";
    std::fs::write(&path, program).expect("writable");
    let path = path.to_str().expect("a UTF-8 path");
    let output = wmbmc([path, "--unwind", "3"]);
    let printed = text(&output.stdout);
    assert_eq!(code(&output), 5, "{printed}{}", text(&output.stderr));
    assert!(printed.starts_with("SAFE up to bound 3\n"), "{printed}");
    assert!(printed.contains("--unwindset main.0:6"), "{printed}");
    assert_eq!(code(&wmbmc([path, "--unwind", "3", "--accept-bound"])), 0);
    let object = &objects(&wmbmc([path, "--unwind", "3", "--format", "json"]))[0];
    assert_eq!(object["verdict"], "SAFE_UP_TO_BOUND");
    assert_eq!(object["complete"], false);
    assert_eq!(object["cuts"][0]["loop"], "main.0");
}

#[test]
fn json_is_one_object_a_file_and_model() {
    let output = wmbmc([
        "benchmarks/store_buffer.c",
        "--mm",
        "sc,tso,power",
        "--format",
        "json",
    ]);
    let objects = objects(&output);
    let verdicts: Vec<&str> = objects
        .iter()
        .filter_map(|o| o["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["SAFE", "UNSAFE", "UNSAFE"]);
    assert_eq!(objects[1]["model"], "tso");
    assert_eq!(
        objects[1]["property"]["span"]["file"],
        "benchmarks/store_buffer.c"
    );
    assert!(
        objects[1]["execution"]["events"]
            .as_array()
            .is_some_and(|e| e.len() >= 6)
    );
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn what_values_decide_is_not_encoded() {
    let run = |without: &[&str]| {
        let mut args = vec!["benchmarks/counter_mutex.c", "--unwind", "4"];
        args.extend(["--mm", "sc,power", "--format", "json"]);
        args.extend(without);
        objects(&wmbmc(args))
    };
    for (decided, open) in run(&[]).iter().zip(&run(&["--without", "sums"])) {
        for object in [decided, open] {
            assert_eq!(object["verdict"], "SAFE", "{object}");
        }
        let clauses = |object: &serde_json::Value| object["stats"]["clauses"].as_u64();
        assert!(clauses(decided) < Some(100), "{decided}");
        assert!(clauses(open) > Some(1000), "{open}");
    }
}

#[test]
fn each_clause_is_for_something() {
    let args = [
        "benchmarks/fibonacci.c",
        "--mm",
        "sc,power,rc11",
        "--format",
        "json",
    ];
    for object in objects(&wmbmc(
        [&args[..], &["--unwind", "4", "--order", "matrix"]].concat(),
    )) {
        let parts = object["stats"]["parts"].as_object().expect("an object");
        let sum: u64 = parts.values().filter_map(|n| n.as_u64()).sum();
        assert_eq!(Some(sum), object["stats"]["clauses"].as_u64(), "{object}");
        for name in ["values", "rf", "axiom "] {
            assert!(
                parts.keys().any(|part| part.starts_with(name)),
                "{name}: {object}"
            );
        }
    }
}

#[test]
fn each_reduction_does_something_and_can_be_left_out() {
    let run = |without: &[&str]| {
        let mut args = vec!["benchmarks/counter_mutex.c", "-DSUM=8", "--unwind", "4"];
        args.extend([
            "--mm",
            "sc,tso,power",
            "--format",
            "json",
            "--engine",
            "sat",
        ]);
        args.extend(without);
        objects(&wmbmc(args))
    };
    let fields = ["sections", "orders", "reads", "edges", "sums", "symmetric"];
    // Without sections there are no sums in them.
    let cases: [(&[&str], &[&str]); 4] = [
        (&[], &[]),
        (&["--without", "sections"], &fields[..5]),
        (&["--without", "sums"], &["sums"]),
        (&["--without", "symmetry"], &["symmetric"]),
    ];
    for (without, none) in cases {
        for object in run(without) {
            assert_eq!(object["verdict"], "UNSAFE", "{without:?}");
            for field in fields {
                let count = object["stats"]["reduced"][field].as_u64();
                let expected = !none.contains(&field);
                let message = format!("{without:?} {} {field}", object["model"]);
                assert_eq!(count.map(|n| n > 0), Some(expected), "{message}");
            }
        }
    }
}

#[test]
fn strategies_at_once_answer_as_one_does() {
    for (file, rest) in [
        (
            "benchmarks/fibonacci.c",
            &["-DN=4", "-DBOUND=55", "--unwind", "5"][..],
        ),
        (
            "benchmarks/fibonacci.c",
            &["-DN=4", "-DBOUND=54", "--unwind", "5"],
        ),
        ("benchmarks/store_buffer.c", &[]),
        ("benchmarks/ticket_lock.c", &["--unwind", "1"]),
    ] {
        let run = |jobs: &str| {
            let args = [
                file,
                "--mm",
                "sc,tso,power",
                "--format",
                "json",
                "--jobs",
                jobs,
            ];
            objects(&wmbmc([&args[..], rest].concat()))
        };
        for (alone, several) in run("1").iter().zip(&run("6")) {
            for field in ["verdict", "properties"] {
                assert_eq!(alone[field], several[field], "{several}");
            }
            assert!(several["stats"]["strategy"].is_string(), "{several}");
        }
    }
}

#[test]
fn json_is_well_formed_on_errors_too() {
    for (args, exit) in [
        (&["missing.c"][..], 2),
        (&["a.litmus"], 2),
        (&["a.c", "--mm", "nosuch"], 1),
        (&["--no-such-option"], 1),
        (&[], 1),
    ] {
        let output = wmbmc(args.iter().copied().chain(["--format", "json"]));
        let objects = objects(&output);
        assert_eq!(objects.len(), 1, "{args:?}");
        assert_eq!(objects[0]["verdict"], "ERROR");
        assert_eq!(objects[0]["exit_code"], exit);
        assert_eq!(code(&output), exit, "{args:?}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let args = ["benchmarks/peterson.c", "--mm", "tso,power", "-v"];
    assert_eq!(text(&wmbmc(args).stdout), text(&wmbmc(args).stdout));
}

#[test]
fn models_are_listed_and_printed() {
    let output = wmbmc(["models"]);
    let listed = text(&output.stdout);
    for model in support::models() {
        assert!(
            listed.lines().any(|l| l.starts_with(&format!("{model} "))),
            "{model} in\n{listed}"
        );
    }
    let output = wmbmc(["models", "tso"]);
    let printed = text(&output.stdout).to_string();
    assert!(printed.contains("acyclic"), "{printed}");
    let included = wmbmc(["models", "race.cat"]);
    assert_eq!(
        text(&included.stdout),
        include_str!("../../crates/cat/src/models/lib/race.cat")
    );
    assert_eq!(code(&wmbmc(["models", "nosuch"])), 1);

    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("own.cat");
    std::fs::write(&path, printed).expect("writable");
    let path = path.to_str().expect("a UTF-8 path");
    assert_eq!(
        code(&wmbmc(["benchmarks/store_buffer.c", "--mm", path])),
        10
    );
}

#[test]
fn a_violation_can_be_drawn() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("g.dot");
    let name = path.to_str().expect("a UTF-8 path");
    assert_eq!(
        code(&wmbmc([
            "benchmarks/store_buffer.c",
            "--mm",
            "tso",
            "--dot",
            name
        ])),
        10
    );
    let graph = std::fs::read_to_string(&path).expect("the graph was written");
    assert!(
        graph.starts_with("digraph") && graph.contains("cluster_1"),
        "{graph}"
    );
    std::fs::remove_file(&path).expect("it exists");
    assert_eq!(
        code(&wmbmc([
            "benchmarks/store_buffer.c",
            "--mm",
            "sc",
            "--dot",
            name
        ])),
        0
    );
    assert!(!path.exists(), "nothing to draw");
}

#[test]
fn limits_give_unknown() {
    let args = [
        "benchmarks/lamport_fast.c",
        "-DFENCE_ALL",
        "--unwind",
        "12",
        "--mm",
        "power",
    ];
    let output = wmbmc(args.into_iter().chain(["--timeout", "0.001"]));
    let printed = text(&output.stdout);
    assert_eq!(code(&output), 5, "{printed}");
    assert!(
        printed.starts_with("UNKNOWN: no answer within 0.001 s\n"),
        "{printed}"
    );
}

/// The same sentence from every command that has the limit.
#[test]
fn limits_are_positive() {
    let program = "benchmarks/store_buffer.c";
    let system = "benchmarks/parameterized/owner.cub";
    let (time, memory) = (["--timeout", "0"], ["--memory", "0"]);
    for (command, limit) in [
        (&[program][..], time),
        (&[program], memory),
        (&["abstract", program], time),
        (&["abstract", program], memory),
        (&["cross", system], time),
        (&["suite", "."], time),
    ] {
        let output = wmbmc(command.iter().chain(&limit));
        assert_eq!(code(&output), 1, "{command:?} {limit:?}");
        let errors = text(&output.stderr);
        let message = format!("{} takes a positive number of", limit[0]);
        assert!(errors.contains(&message), "{errors}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    let mut child = command
        .arg("--help")
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

/// Where a program is too large, the answer says what makes it so.
#[test]
fn the_largest_loop_and_object_are_named() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("large.c");
    let program = "#include <pthread.h>\nint table[100];\nstatic void *work(void *a) {\n\
        for (int i = 0; i < 100; i++) {\n\
        for (int j = 0; j < 100; j++)\n__atomic_fetch_add(&table[j], 1, __ATOMIC_SEQ_CST);\n\
        }\nreturn a;\n}\n\
        int main(void) {\npthread_t t[12];\n\
        for (int i = 0; i < 12; i++) pthread_create(&t[i], 0, work, 0);\nreturn 0;\n}\n";
    std::fs::write(&file, program).expect("it can be written");
    let file = file.to_str().expect("the path is UTF-8");
    let output = wmbmc([
        file,
        "--limit-loops",
        "200",
        "--timeout",
        "100",
        "--engine",
        "sat",
    ]);
    let said = text(&output.stdout);
    assert!(
        said.starts_with("UNKNOWN: the program has more than 200000 events"),
        "{said}"
    );
    assert!(
        said.contains("large.c:5:") && said.contains("`work.0`"),
        "{said}"
    );
    assert!(said.contains("in up to 100 iterations"), "{said}");
    assert!(
        said.contains("large.c:2:5: the most accessed object is `table` of 100 elements"),
        "{said}"
    );
}

/// What a function of the library does that is given in C is one row of a trace, unless all is shown.
#[test]
fn steps_of_the_library_are_one_row() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("copies.c");
    let program = "#include <assert.h>\n#include <pthread.h>\n#include <string.h>\nchar shared[9];\n\
                   void *writer(void *p) { strcpy(shared, \"written\"); return p; }\n\
                   int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, writer, 0);\n  \
                   pthread_join(t, 0);\n  assert(strlen(shared) == 3);\n}\n";
    std::fs::write(&file, program).expect("it can be written");
    let path = file.to_str().expect("UTF-8");
    let run = wmbmc([path]);
    let said = text(&run.stdout);
    assert_eq!(code(&run), 10, "{said}");
    let rows = said.lines().filter(|line| line.contains("<library>:"));
    let rows: Vec<&str> = rows.collect();
    assert_eq!(rows.len(), 2, "{said}");
    assert!(rows[0].contains("strcpy: reads "), "{said}");
    assert!(rows[0].contains("writes shared[0] .. shared[7]"), "{said}");
    let read = "strlen: reads shared[0] .. shared[7]  from thread 1";
    assert!(rows[1].contains(read), "{said}");
}
