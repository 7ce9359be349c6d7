//! Every option on every kind of input: it is obeyed, or it is refused by name, as `docs/options.md` says; and
//! files that are written for several inputs and models do not overwrite one another.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Output;
use support::{root, wmbmc};

const PROGRAM: &str = "benchmarks/store_buffer.c";
const LITMUS: &str = "litmus/x86/SB.litmus";
const SYSTEM: &str = "benchmarks/parameterized/mutex_safe.cub";

const ASSEMBLY: &str = "benchmarks/x86/barrier.asm";

/// What is typed for the placeholders of `docs/options.md`, and for options that need other values or other
/// options beside them. `OUT` and `NEW` are a file and a directory that may be written, `STUB` is a program.
const TYPED: [(&str, &str); 40] = [
    ("--mm", "sc"),
    ("--compile-commands", "OUT --entry a.c"),
    ("--compiler-flags", "x"),
    ("--entry", "a.c"),
    ("--finally", "second --parallel first"),
    ("--linearizable", "--parallel first(0);second(0)"),
    ("--ops", "first(0),second(0) --check assert"),
    ("--calls", "1 --ops first(0),second(0) --check assert"),
    (
        "--spec",
        "benchmarks/store_buffer.c --linearizable --parallel first(0);second(0)",
    ),
    ("-I", "benchmarks"),
    ("--iquote", "tests"),
    ("--isystem", "tests"),
    ("--idirafter", "tests"),
    ("--include", "stddef.h"),
    ("-j", "1"),
    ("--jobs", "1"),
    ("--havoc", "pthread_self"),
    ("--max-nodes", "100000"),
    ("--max-procs", "8"),
    ("--setup", "first --parallel second"),
    ("--std", "gnu99"),
    ("--threads", "2"),
    (
        "--svcomp",
        "--property benchmarks/properties/unreach-call.prp",
    ),
    ("--target", "x86_64 -DFENCED"),
    (
        "--witness",
        "OUT --property benchmarks/properties/unreach-call.prp",
    ),
    ("\"WORDS\"", "1"),
    ("BOOL", "false"),
    ("DIR", "NEW"),
    ("F", "first"),
    ("F,..", "first"),
    ("FILE", "OUT"),
    ("FILE.c", "STUB"),
    ("FILE.prp", "benchmarks/properties/unreach-call.prp"),
    ("KIND,..", "assert"),
    ("LOOP:N,..", "main.0:2"),
    ("MB", "4000"),
    ("N", "2"),
    ("NAME", "X"),
    ("ORDER", "bfsh"),
    ("S", "100"),
];

/// Options that no input here obeys: it has no such loop, the entry is the input, and no compiler reads it.
const REFUSED: [&str; 4] = [
    "--unwindset",
    "--compile-commands",
    "--entry",
    "--compiler-flags",
];

/// A kind of input in the table below, and how the page names it.
const INPUTS: [(&str, &[&str]); 6] = [
    ("C programs", &[PROGRAM]),
    ("litmus tests", &[LITMUS]),
    ("parameterized systems", &[SYSTEM]),
    ("x86 programs", &[ASSEMBLY]),
    (
        "x86 programs with `--threads`",
        &[ASSEMBLY, "--threads", "2"],
    ),
    (
        "C programs with `--threads any`",
        &["STARTS", "--threads", "any"],
    ),
];

/// A program with any number of threads.
const STARTS: &str = "#include <pthread.h>
#include <assert.h>
int flag;
void *second(void *unused) { flag = 1; assert(flag == 1); return unused; }
void *first(void *unused)
{
    pthread_t thread;
    for (int i = 0; i < 8; i++)
        pthread_create(&thread, 0, second, 0);
    return unused;
}
int main(void) { first(0); return 0; }
";

/// Every option of checking files as `docs/options.md` writes it, with the inputs that it is about: those of
/// the section's title, but for what the row says it is not for.
fn options_of_the_page() -> BTreeMap<String, BTreeSet<&'static str>> {
    let page = std::fs::read_to_string(root().join("docs/options.md")).expect("readable");
    let mut options: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for section in page
        .split("\n## ")
        .skip(1)
        .take_while(|s| !s.starts_with('`'))
    {
        let (title, rows) = section.split_once('\n').expect("a title has a line");
        // A program is either checked for any number of threads or for some.
        let title = title.replace("x86 programs with `--threads`", "fixed");
        let title = title.replace("C programs with `--threads any`", "repeated");
        let named = |(name, _): &(&'static str, &[&str])| {
            let name = match *name {
                "x86 programs with `--threads`" => "fixed",
                "C programs with `--threads any`" if title == "C programs" => "C programs",
                "C programs with `--threads any`" => "repeated",
                name => name,
            };
            let first = name[..1].to_uppercase() + &name[1..];
            title == "All inputs" || title.contains(name) || title.contains(&first)
        };
        for row in rows.lines().filter(|l| l.starts_with("| `-")) {
            let row = row.replace("\\|", "|");
            let (typed, said) = row.split_once("` |").expect("an option, then what it does");
            for option in typed[2..].split("`, `") {
                let option = option.trim_start_matches('`').to_string();
                let inputs = INPUTS.iter().filter(|input| named(input)).map(|i| i.0);
                let inputs = inputs.filter(|name| match name.strip_prefix("C programs with ") {
                    Some(with) => !said.contains(&format!("ot with {with}")),
                    None => !said.contains(&format!("ot for {name}")),
                });
                options.entry(option).or_default().extend(inputs);
            }
        }
    }
    options
}

/// What is typed for an option as the page writes it.
fn typed(option: &str) -> Vec<String> {
    let (name, value) = option.split_once(' ').unwrap_or((option, ""));
    let known = |key: &str| {
        TYPED
            .iter()
            .find(|(k, _)| *k == key)
            .map(|(_, typed)| *typed)
    };
    let last = value.rsplit('|').next().unwrap_or_default();
    let typed = known(name).or_else(|| known(value)).unwrap_or(match value {
        "NAME[=VALUE]" => "FENCED",
        "after:PASS" => "after:lower",
        _ => last,
    });
    let words = std::iter::once(name).chain(typed.split_whitespace());
    words.map(str::to_string).collect()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

#[test]
fn an_option_is_obeyed_or_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("out.txt").display().to_string();
    let directory = folder.path().join("proof").display().to_string();
    let stub = folder.path().join("stub.c").display().to_string();
    std::fs::write(&stub, "int stub(void) { return 0; }\n").expect("it can be written");
    let starts = folder.path().join("starts.c").display().to_string();
    std::fs::write(&starts, STARTS).expect("it can be written");
    let options = options_of_the_page();
    assert!(options.len() > 60, "{options:?}");
    for (option, inputs) in options {
        let words = typed(&option);
        for (name, input) in INPUTS {
            if input.contains(&"--threads") && words[0] == "--threads" || words[0] == "--version" {
                continue;
            }
            let own = words.iter().map(|word| match &word[..] {
                "OUT" => &file,
                "NEW" => &directory,
                "STUB" => &stub,
                other => other,
            });
            let input = input.iter().map(|word| match *word {
                "STARTS" => starts.as_str(),
                other => other,
            });
            let args: Vec<&str> = input.chain(own).collect();
            let output = wmbmc(&args);
            let said = stderr(&output);
            if inputs.contains(name) && !REFUSED.contains(&&words[0][..]) {
                assert_eq!((code(&output), said.as_str()), (0, ""), "{args:?}");
            } else {
                assert!([1, 2].contains(&code(&output)), "{args:?}: {said}");
                let named = words.iter().any(|w| w.starts_with('-') && said.contains(w));
                assert!(named, "{args:?}: {said}");
                assert_eq!(output.stdout, b"", "{args:?}");
            }
        }
    }
}

#[test]
fn what_enumeration_has_no_use_for_is_refused() {
    for option in [
        &["--dot", "g"][..],
        &["--dimacs", "f"],
        &["--order", "clocks"],
    ] {
        let output = wmbmc([&[PROGRAM, "--engine", "enumerate"], option].concat());
        let said = stderr(&output);
        assert_eq!(code(&output), 1, "{said}");
        assert!(said.contains(option[0]), "{said}");
        assert!(!Path::new(option[1]).exists());
    }
    let loops = ["tests/c/loops_two.c", "--show-loops"];
    let listed = wmbmc(loops).stdout;
    let args = [&loops[..], &["--engine", "enumerate"]].concat();
    assert_eq!(wmbmc(args).stdout, listed);
}

#[test]
fn unknown_loops_are_refused_with_the_names_there_are() {
    let file = "tests/c/loops_two.c";
    let output = wmbmc([file, "--unwindset", "mian.1:3"]);
    let said = stderr(&output);
    assert_eq!(code(&output), 1, "{said}");
    assert!(said.contains("did you mean `main.1`?"), "{said}");
    assert!(said.contains("main.0, main.1, main.2, main.3"), "{said}");
    for known in ["main.1:3", "main.0:1,main.2:2"] {
        let output = wmbmc([file, "--unwindset", known, "--check", "memory"]);
        assert_eq!(stderr(&output), "", "{known}");
    }
    let recursive = ["tests/c/loops_known.c", "-DRECURSION", "--unwindset"];
    assert_eq!(
        stderr(&wmbmc([&recursive[..], &["down_to:9"]].concat())),
        ""
    );
    assert_eq!(code(&wmbmc([&recursive[..], &["main:9"]].concat())), 1);
    let output = wmbmc([LITMUS, "--unwindset", "P0.0:3", "--format", "json"]);
    assert_eq!(code(&output), 1);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(object["exit_code"], 1);
}

#[test]
fn quiet_litmus_tests_have_a_line_each() {
    let output = wmbmc([LITMUS, "-q", "--mm", "sc,tso"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(
        text,
        "Model sc\nObservation SB Never\nModel tso\nObservation SB Sometimes\n"
    );
}

/// The names of the files that a run has written, and nothing else.
fn written(args: &[&str], option: &str, name: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name).display().to_string();
    let output = wmbmc([args, &[option, &path]].concat());
    assert_eq!(stderr(&output), "", "{args:?}");
    let entries = std::fs::read_dir(folder.path()).expect("the folder is there");
    let names = entries.map(|e| e.expect("readable").file_name().display().to_string());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn several_inputs_and_models_write_files_of_their_own() {
    let two = [PROGRAM, "benchmarks/peterson.c", "--mm", "tso,pso"];
    assert_eq!(
        written(&two, "--dot", "g.dot"),
        [
            "g.peterson.pso.dot",
            "g.peterson.tso.dot",
            "g.store_buffer.pso.dot",
            "g.store_buffer.tso.dot"
        ]
    );
    assert_eq!(
        written(&two[..2], "--dimacs", "f.cnf"),
        ["f.peterson.cnf", "f.store_buffer.cnf"]
    );
    assert_eq!(written(&[PROGRAM, "--mm", "tso"], "--dot", "g"), ["g"]);
    let litmus = [LITMUS, "--mm", "tso,pso"];
    assert_eq!(
        written(&litmus, "--dot", "g.dot"),
        ["g.pso.dot", "g.tso.dot"]
    );
    let other = "benchmarks/parameterized/lamport_safe.cub";
    let systems = [SYSTEM, other, "--mm", "sc,tso"];
    assert_eq!(
        written(&systems, "--certificate", "c.proof"),
        [
            "c.lamport_safe.sc.proof",
            "c.lamport_safe.tso.proof",
            "c.mutex_safe.sc.proof",
            "c.mutex_safe.tso.proof"
        ]
    );
    let property = ["--property", "benchmarks/properties/unreach-call.prp"];
    let output = wmbmc([&two[..2], &property, &["--witness", "w"]].concat());
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("--witness"));
}
