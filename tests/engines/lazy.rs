//! Axioms that are judged lazily decide as their clauses do.

use std::fs;
use std::process::Output;
use support::{root, wmbmc};

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// All states of every litmus test of the project, model by model.
fn litmus(order: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("log");
    // C11 does not know their fences.
    let mut models = support::models();
    models.retain(|name| *name != "rc11");
    let list = models.join(",");
    let log_name = log.to_str().expect("the folder's name is text");
    let args = [
        "suite", "litmus", "-q", "--states", "--order", order, "--mm", &list, "--log", log_name,
    ];
    let output = wmbmc(args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let mut files: Vec<_> = fs::read_dir(folder.path())
        .expect("the folder is readable")
        .map(|entry| entry.expect("the folder is readable").path())
        .collect();
    files.sort();
    assert_eq!(files.len(), models.len());
    let without_times = |text: String| -> String {
        let lines = text.lines().filter(|l| !l.starts_with("Time "));
        lines.collect::<Vec<_>>().join("\n")
    };
    let texts = files.into_iter().map(fs::read_to_string);
    texts
        .map(|t| without_times(t.expect("the log is readable")))
        .collect()
}

#[test]
fn litmus_tests_have_the_same_states_however_orders_are_encoded() {
    let matrix = litmus("matrix");
    assert!(matrix.iter().all(|log| log.contains("States ")));
    for order in ["lazy", "clocks", "auto"] {
        assert!(litmus(order) == matrix, "{order}");
    }
}

#[test]
fn benchmarks_have_their_verdicts_when_axioms_are_judged_lazily() {
    // Where reads are tied to orders they are slow: Fibonacci and the locks of many rounds.
    let quick = [
        "dekker",
        "double_checked",
        "message_passing",
        "peterson",
        "pgsql_wakeup",
        "rcu_publish",
        "seqlock",
        "store_buffer",
        "ticket_lock",
    ];
    for folder in ["benchmarks", "benchmarks/systems", "benchmarks/deadlocks"] {
        let mut cases = support::cases(folder);
        let is_quick = |file: &str| quick.iter().any(|name| file.contains(name));
        cases
            .retain(|case| folder.ends_with("deadlocks") || is_quick(&case.file.to_string_lossy()));
        assert!(!cases.is_empty());
        support::check(&cases, &["--timeout", "600", "--order", "lazy"]);
    }
}

#[test]
fn fibonacci_needs_what_is_learnt() {
    // Without the order of SC the bound is exceeded: the proof is by clauses learnt.
    let args = [
        "benchmarks/fibonacci.c",
        "-DN=3",
        "-DBOUND=21",
        "--unwind",
        "4",
    ];
    let rest = ["--mm", "sc", "--order", "lazy", "--format", "json"];
    let output = wmbmc([&args[..], &rest[..]].concat());
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(json["verdict"], "SAFE");
    assert!(json["stats"]["judged"].as_u64() > Some(0), "{json}");
    assert!(json["stats"]["learnt"].as_u64() > Some(0), "{json}");
}

#[test]
fn communication_of_lazily_judged_axioms_is_ordered_where_reads_are_tied() {
    // Power derives program order from what is read: judged lazily, and few candidates are refuted.
    for (bound, verdict) in [("144", "SAFE"), ("143", "UNSAFE")] {
        let args = ["benchmarks/fibonacci.c", "-DN=5", "--unwind", "6"];
        let bound = format!("-DBOUND={bound}");
        let rest = [
            &bound, "--mm", "power", "--order", "lazy", "--format", "json",
        ];
        let output = wmbmc([&args[..], &rest[..]].concat());
        let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(json["verdict"], verdict);
        assert!(json["stats"]["judged"].as_u64() < Some(20), "{json}");
    }
}

#[test]
fn from_read_that_is_subtracted_is_what_its_definition_says() {
    // A write that a thread reads neither from nor before must not happen: with r = 1 and
    // x = 1 in the end, 2 came first. A literal of from-read that is true without need allows it.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the folder is writable");
        path.to_str()
            .expect("the folder's name is text")
            .to_string()
    };
    let model = write(
        "subtracted.cat",
        "\"subtracted\"\nacyclic po-loc | rf | co as uniproc\n\
         let seen = rf^-1 | fr\nempty (([R]; loc; [W \\ IW]) & ext) \\ seen as seen\n",
    );
    for (last, verdict) in [(1, "Never"), (2, "Sometimes")] {
        let test = write(
            "W+W+R.litmus",
            &format!(
                "X86 W+W+R\n{{ x=0; }}\n P0 | P1 | P2 ;\n MOV [x],$1 | MOV [x],$2 | MOV EAX,[x] ;\n\
                 exists (2:EAX=1 /\\ [x]={last})\n"
            ),
        );
        for order in ["matrix", "lazy"] {
            let output = wmbmc([&test, "--mm", &model, "--order", order, "--engine", "both"]);
            let text = stdout(&output);
            assert!(text.contains(verdict), "{order}: {text}{}", stderr(&output));
        }
    }
}

#[test]
fn recursion_and_closures_of_a_model_of_the_user_are_judged() {
    // The closures of SC, by recursion and by `+`, and through the ends of a relation.
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [
        (
            "rec",
            "let rec hb = po | rf | co | fr | (hb; hb)\nirreflexive hb as sc\n",
        ),
        ("plus", "irreflexive (po | rf | co | fr)+ as sc\n"),
        (
            "ends",
            "let r = [domain(rf) | range(rf) | W]; (rf | fr | co)\nacyclic po | r as sc\n",
        ),
        (
            "step",
            "let c = rf | co | fr | (co; rf) | (fr; rf)\nlet rec far = (po; c) | ((po; c); far)\nirreflexive far as sc\nacyclic po-loc | rf | co | fr as uniproc\n",
        ),
    ] {
        let model = folder.path().join(format!("{name}.cat"));
        let text =
            format!("\"{name}\"\nlet fences = MFENCE\n{text}empty rmw & (fre; coe) as atomic\n");
        fs::write(&model, text).expect("the folder is writable");
        let model = model.to_str().expect("the folder's name is text");
        let table = |model: &str, order: &str| {
            let output = wmbmc(["suite", "litmus/x86", "-q", "--order", order, "--mm", model]);
            let text = stdout(&output);
            let row = text.lines().nth(1).expect("a row per model").to_string();
            row.split_whitespace()
                .skip(1)
                .take(6)
                .map(String::from)
                .collect::<Vec<_>>()
        };
        assert_eq!(table(model, "lazy"), table(model, "matrix"), "{name}");
        assert_eq!(table(model, "lazy"), table("sc", "matrix"), "{name}");
    }
}

#[test]
fn what_is_subtracted_must_be_known_before_solving() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = folder.path().join("not.cat");
    let text = "\"not\"\nlet rec far = rf | (rf; far)\nacyclic (po | co | fr) \\ far as acyc\n";
    fs::write(&model, text).expect("the folder is writable");
    let model = model.to_str().expect("the folder's name is text");
    let file = root().join("litmus/x86/SB.litmus");
    let file = file.to_str().expect("the file's name is text");
    for order in ["matrix", "lazy"] {
        let output = wmbmc([file, "--order", order, "--mm", model]);
        assert_ne!(code(&output), 0);
        assert!(
            stderr(&output).contains("subtracts"),
            "{order}: {}",
            stderr(&output)
        );
    }
}
