//! `--format sarif` and `--format junit`: what they say of each kind of input and of each exit, that the
//! log is what the specification wants, and the script of the GitHub Action.
//!
//! OASIS's schema is not part of the project. What it requires of the objects that are written is checked
//! here by hand; `scripts/sarif-check` validates every log against it where there is a copy.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::{Missing, root, wmbmc};

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// Validates logs against the schema, where this machine has it and what reads it.
fn validate(logs: &[PathBuf]) {
    let script = root().join("scripts/sarif-check");
    let output = Command::new(script).args(logs).output();
    match output.ok().filter(|o| o.status.code() != Some(3)) {
        Some(output) => assert!(output.status.success(), "{}", text(&output.stdout)),
        None => support::skipped(Missing::Tool("sarif-schema")),
    }
}

/// The log that a process has printed.
fn log(output: &Output) -> Value {
    let log: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    let code = output.status.code().expect("no signal");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["exitCode"], code);
    assert_eq!(
        invocation["executionSuccessful"],
        ![1, 2, 6].contains(&code)
    );
    log
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn has_text(message: &Value) -> bool {
    message["text"].as_str().is_some_and(|t| !t.is_empty())
}

/// What the specification requires of the properties that are written, and code scanning besides.
fn check_by_hand(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    assert!(
        log["$schema"]
            .as_str()
            .is_some_and(|s| s.ends_with("sarif-schema-2.1.0.json"))
    );
    let [run] = list(&log["runs"]) else {
        panic!("one run: {log:#}");
    };
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "wmbmc");
    assert_eq!(driver["semanticVersion"], env!("CARGO_PKG_VERSION"));
    for rule in list(&driver["rules"])
        .iter()
        .chain(list(&driver["notifications"]))
    {
        assert!(
            rule["id"].as_str().is_some_and(|id| id.len() == 5),
            "{rule}"
        );
        for described in ["shortDescription", "fullDescription", "help"] {
            assert!(has_text(&rule[described]), "{rule}");
        }
        check_level(&rule["defaultConfiguration"]["level"]);
    }
    for result in list(&run["results"]) {
        let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(driver["rules"][rule]["id"], result["ruleId"]);
        check_level(&result["level"]);
        assert!(has_text(&result["message"]), "{result}");
        let fingerprints = result["partialFingerprints"]
            .as_object()
            .expect("an object");
        assert!(
            fingerprints
                .values()
                .all(|f| f.as_str().is_some_and(|f| f.len() == 32))
        );
        let [location] = list(&result["locations"]) else {
            panic!("one location: {result:#}");
        };
        check_location(location);
        for flow in list(&result["codeFlows"]) {
            for thread in list(&flow["threadFlows"]) {
                let steps = list(&thread["locations"]);
                assert!(!steps.is_empty());
                for (step, number) in steps.iter().zip(1..) {
                    assert_eq!(step["executionOrder"], number);
                    check_location(&step["location"]);
                    assert!(has_text(&step["location"]["message"]), "{step}");
                }
            }
        }
    }
    let invocation = &run["invocations"][0];
    for kind in [
        "toolExecutionNotifications",
        "toolConfigurationNotifications",
    ] {
        for notification in list(&invocation[kind]) {
            assert!(has_text(&notification["message"]), "{notification}");
            check_level(&notification["level"]);
            let index = notification["descriptor"]["index"]
                .as_u64()
                .expect("an index");
            let descriptor = &driver["notifications"][index as usize];
            assert_eq!(descriptor["id"], notification["descriptor"]["id"]);
            list(&notification["locations"])
                .iter()
                .for_each(check_location);
        }
    }
}

fn check_level(level: &Value) {
    assert!(
        ["none", "note", "warning", "error"]
            .iter()
            .any(|l| level == l),
        "{level}"
    );
}

fn check_location(location: &Value) {
    let place = &location["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
    assert!(
        !uri.contains([' ', '\\']) && !uri.starts_with("./"),
        "{uri}"
    );
    assert!(place["region"]["startLine"].as_u64() >= Some(1), "{place}");
}

#[test]
fn every_kind_of_answer_is_valid() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let spaced = folder.path().join("a b%.c");
    std::fs::write(&spaced, "int main(void) { return x; }\n").expect("writable");
    let spaced = spaced.to_str().expect("UTF-8");
    let runs: &[(&[&str], i32, &[&str])] = &[
        (
            &["benchmarks/store_buffer.c", "--mm", "sc,tso"],
            10,
            &["V0001"],
        ),
        (&["benchmarks/store_buffer.c"], 0, &[]),
        (
            &["tests/c/no_assertion_race.c", "--check", "race"],
            10,
            &["V0004"],
        ),
        (&["litmus/x86/SB.litmus", "--mm", "tso"], 0, &[]),
        (
            &["benchmarks/parameterized/mutex_unsafe.cub", "--mm", "tso"],
            10,
            &["V0009"],
        ),
        (
            &["benchmarks/x86/dekker_unsafe.asm", "--mm", "tso"],
            10,
            &["V0009"],
        ),
        (
            &[
                "benchmarks/x86/dekker_unsafe.asm",
                "--threads",
                "2",
                "--mm",
                "tso",
            ],
            10,
            &["V0001"],
        ),
        (
            &[
                "abstract",
                "benchmarks/abstraction/peterson.c",
                "--mm=tso",
                "-DFENCE_LOOK=0",
            ],
            10,
            &["V0001"],
        ),
        (&["suite", "litmus/x86", "--mm", "tso"], 0, &[]),
        (
            &["missing.c", "benchmarks/store_buffer.c", "--mm", "tso"],
            2,
            &["V0001"],
        ),
        (&[spaced], 2, &[]),
        (&["--no-such-option"], 1, &[]),
    ];
    let mut logs = Vec::new();
    for (args, code, rules) in runs {
        let output = wmbmc([args, &["--format", "sarif"][..]].concat());
        assert_eq!(output.status.code(), Some(*code), "{args:?}");
        let log = log(&output);
        check_by_hand(&log);
        let file = folder.path().join(format!("{}.sarif", logs.len()));
        std::fs::write(&file, &output.stdout).expect("writable");
        logs.push(file);
        let results = list(&log["runs"][0]["results"]).iter();
        let found: Vec<&str> = results.filter_map(|r| r["ruleId"].as_str()).collect();
        assert_eq!(&found, rules, "{args:?}");
    }
    validate(&logs);
}

#[test]
fn a_violation_has_its_execution_and_keeps_its_fingerprint() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("moved.c");
    let of = |program: &str| {
        std::fs::write(&path, program).expect("writable");
        let output = wmbmc([
            path.to_str().expect("UTF-8"),
            "--mm",
            "tso",
            "--format=sarif",
        ]);
        log(&output)["runs"][0]["results"][0].clone()
    };
    let file = root().join("benchmarks/store_buffer.c");
    let program = std::fs::read_to_string(file).expect("readable");
    let (here, moved) = (of(&program), of(&format!("\n\n{program}")));
    assert_eq!(here["partialFingerprints"], moved["partialFingerprints"]);
    let line = |r: &Value| r["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64();
    assert_eq!(line(&here), Some(43));
    assert_eq!(line(&moved), Some(45));
    let message = here["message"]["text"].as_str().expect("a sentence");
    assert!(
        message.starts_with("assertion `seen_by_first == 1"),
        "{message}"
    );
    assert!(
        message.contains("is still buffered when load y"),
        "{message}"
    );
    let steps = list(&here["codeFlows"][0]["threadFlows"][0]["locations"]);
    let texts = steps
        .iter()
        .map(|s| s["location"]["message"]["text"].as_str().unwrap_or(""));
    let texts: Vec<&str> = texts.collect();
    assert!(texts.contains(&"thread 1: x := 1"), "{texts:?}");
    assert_eq!(
        texts.last(),
        Some(&message),
        "the last step is the violation"
    );
}

#[test]
fn steps_are_said_in_the_words_of_the_input() {
    let steps = |args: &[&str]| -> Vec<String> {
        let log = log(&wmbmc([args, &["--mm=tso", "--format=sarif"]].concat()));
        let flow = &log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0];
        let texts = list(&flow["locations"]).iter();
        let texts = texts.filter_map(|s| s["location"]["message"]["text"].as_str());
        texts.map(str::to_string).collect()
    };
    let has = |steps: &[String], step: &str| {
        assert!(steps.iter().any(|s| s == step), "no `{step}` in {steps:?}");
    };
    let file = tempfile::Builder::new().suffix(".litmus").tempfile();
    let file = file.expect("a temporary file");
    let test = std::fs::read_to_string(root().join("litmus/x86/SB.litmus")).expect("readable");
    std::fs::write(file.path(), test.replace("exists", "~exists")).expect("writable");
    let refuted = steps(&[file.path().to_str().expect("UTF-8")]);
    has(&refuted, "P0: x := 1");
    has(&refuted, "P1: y := 1");
    let peterson = "benchmarks/abstraction/peterson.c";
    let abstracted = steps(&["abstract", peterson, "-DFENCE_LOOK=0"]);
    has(&abstracted, "one: turn = 0");
    let flushed = "one: the oldest store in its buffer reaches memory: flag1 = 1";
    has(&abstracted, flushed);
    let system = steps(&["benchmarks/parameterized/mutex_unsafe.cub"]);
    has(&system, "enter(2): At[#2] := Inside");
}

#[test]
fn what_is_not_decided_is_a_notification_or_a_note() {
    let of = |args: &[&str]| {
        let log = log(&wmbmc([args, &["--format", "sarif"]].concat()));
        check_by_hand(&log);
        log["runs"][0].clone()
    };
    let run = of(&[
        "benchmarks/store_buffer.c",
        "benchmarks/peterson.c",
        "--timeout",
        "0.000001",
    ]);
    let notes = list(&run["invocations"][0]["toolExecutionNotifications"]);
    assert!(!notes.is_empty());
    assert!(
        notes.iter().all(|n| n["descriptor"]["id"] == "U0002"),
        "{notes:?}"
    );
    assert_eq!(list(&run["results"]).len(), 0);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("count.c");
    let program = "extern int __VERIFIER_nondet_int(void);\n\
                   #include <assert.h>\n\
                   int main(void) { int n = 0; while (__VERIFIER_nondet_int()) n++; assert(n < 100); }\n";
    std::fs::write(&path, program).expect("writable");
    let path = path.to_str().expect("UTF-8");
    let run = of(&[path, "--unwind", "3"]);
    let [result] = list(&run["results"]) else {
        panic!("one result: {run:#}");
    };
    assert_eq!(result["ruleId"], "U0005");
    assert_eq!(result["level"], "note");
    let accepted = of(&[path, "--unwind", "3", "--accept-bound"]);
    assert_eq!(list(&accepted["results"]).len(), 0);
    let run = of(&["missing.c"]);
    let note = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(note["descriptor"]["id"], "E0002");
    let run = of(&["--no-such-option"]);
    let note = &run["invocations"][0]["toolConfigurationNotifications"][0];
    assert_eq!(note["descriptor"]["id"], "E0001");
}

#[test]
fn junit_has_a_case_a_file_and_model() {
    let args = [
        "benchmarks/store_buffer.c",
        "missing.c",
        "--mm",
        "sc,tso",
        "--format",
        "junit",
    ];
    let output = wmbmc(args);
    assert_eq!(output.status.code(), Some(2));
    let report = text(&output.stdout);
    assert!(
        report.contains(r#"tests="3" skipped="0" failures="1" errors="1""#),
        "{report}"
    );
    assert!(
        report.contains(r#"name="benchmarks/store_buffer.c on tso""#),
        "{report}"
    );
    assert!(
        report.contains(r#"type="V0001""#) && report.contains(r#"type="E0002""#),
        "{report}"
    );
    let suite = wmbmc(["suite", "litmus/x86", "--mm", "sc,tso", "--format", "junit"]);
    let json = wmbmc(["suite", "litmus/x86", "--mm", "sc,tso", "--format", "json"]);
    let cases = text(&suite.stdout).matches("<testcase ").count();
    assert_eq!(cases, text(&json.stdout).lines().count());
}

#[test]
fn what_gives_no_answer_takes_no_report() {
    let program = "benchmarks/store_buffer.c";
    for option in [&["--show-loops"][..], &["--dump", "after:parse"]] {
        let output = wmbmc([&[program, "--format", "junit"], option].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("--format junit"));
    }
    let help = wmbmc(["--format", "sarif", "--help"]);
    assert!(
        text(&help.stdout).ends_with("6, 1, 2, 10, 5, 0.\n"),
        "no log after the help"
    );
}

#[test]
fn the_script_of_the_action_runs_on_the_benchmarks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (sarif, outputs) = (folder.path().join("x.sarif"), folder.path().join("outputs"));
    let run = |files: &str, outputs: Option<&Path>| {
        let mut script = Command::new(root().join("scripts/action"));
        script
            .current_dir(root())
            .env("WMBMC", env!("CARGO_BIN_EXE_wmbmc"))
            .env("WMBMC_FILES", files)
            .env("WMBMC_OPTIONS", "--mm tso --timeout 60")
            .env("WMBMC_SARIF", &sarif)
            .env_remove("GITHUB_OUTPUT");
        if let Some(file) = outputs {
            script.env("GITHUB_OUTPUT", file);
        }
        script.output().expect("bash runs it")
    };
    let files =
        "benchmarks/pet*.c\nbenchmarks/store_buffer.c benchmarks/parameterized/mutex_safe.cub";
    let output = run(files, None);
    assert_eq!(output.status.code(), Some(10), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("results for") && said.contains("exit code 10"),
        "{said}"
    );
    let log = std::fs::read(&sarif).expect("it is written");
    check_by_hand(&serde_json::from_slice(&log).expect("JSON"));
    let output = run(files, Some(&outputs));
    assert_eq!(output.status.code(), Some(0), "the log is uploaded first");
    let written = std::fs::read_to_string(&outputs).expect("it is written");
    assert!(
        written.starts_with("exit-code=10\nsarif-file="),
        "{written}"
    );
    assert_eq!(run("no/such/*.c", None).status.code(), Some(1));
}
