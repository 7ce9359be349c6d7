//! Every option on every kind of input: it is obeyed, or it is refused by name, and files that are
//! written for several inputs and models do not overwrite one another.

use crate::common::wmbmc;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

const PROGRAM: &str = "benchmarks/store_buffer.c";
const LITMUS: &str = "litmus/x86/SB.litmus";
const SYSTEM: &str = "benchmarks/parameterized/mutex_safe.cub";

const ASSEMBLY: &str = "benchmarks/x86/barrier.asm";

/// What is typed for an option, and whether it has a meaning for C programs, litmus tests, systems,
/// x86 programs, and x86 programs with `--threads`. `FILE` stands for a file that may be written.
const TABLE: [(&[&str], [bool; 5]); 62] = [
    (&["--color", "never"], [true, true, true, true, true]),
    (&["--dot", "FILE"], [true, true, true, true, true]),
    (&["--format", "json"], [true, true, true, true, true]),
    (&["--html", "FILE"], [true, true, true, true, true]),
    (&["--memory", "4000"], [true, true, true, true, true]),
    (&["--mm", "sc"], [true, true, true, true, true]),
    (&["--quiet"], [true, true, true, true, true]),
    (&["-q"], [true, true, true, true, true]),
    (&["--stats"], [true, true, true, true, true]),
    (&["--timeout", "100"], [true, true, true, true, true]),
    (&["--accept-bound"], [true, true, false, false, true]),
    (&["--certify"], [true, true, false, false, true]),
    (&["--proof", "DIR"], [true, true, false, false, true]),
    (&["--dump", "after:ir"], [true, true, false, false, true]),
    (&["--engine", "both"], [true, true, false, false, true]),
    (&["--incremental"], [true, true, false, false, true]),
    (&["--order", "clocks"], [true, true, false, false, true]),
    (
        &["--without", "sections,sums"],
        [true, true, false, false, true],
    ),
    (&["--unwind", "2"], [true, true, false, false, true]),
    (
        &["--unwindset", "main.0:2"],
        [false, false, false, false, false],
    ),
    (&["--limit-loops", "3"], [true, true, false, false, true]),
    (&["--verbose"], [true, true, false, false, true]),
    (&["-v"], [true, true, false, false, true]),
    (&["--check", "assert"], [true, false, false, false, false]),
    (
        &["--data-model", "ilp32"],
        [true, false, false, false, false],
    ),
    (&["-D", "FENCED"], [true, false, false, false, false]),
    (&["--dimacs", "FILE"], [true, false, false, false, true]),
    (&["-I", "benchmarks"], [true, false, false, false, false]),
    (
        &["--property", "PROPERTY"],
        [true, false, false, false, false],
    ),
    (&["--show-loops"], [true, false, false, false, true]),
    (
        &["--svcomp", "--property", "PROPERTY"],
        [true, false, false, false, false],
    ),
    (
        &["--witness", "FILE", "--property", "PROPERTY"],
        [true, false, false, false, false],
    ),
    (
        &["--weak-cas", "machine"],
        [true, false, false, false, false],
    ),
    (
        &["--reuse-addresses", "false"],
        [true, false, false, false, false],
    ),
    (&["-U", "X"], [true, false, false, false, false]),
    (
        &["--include", "stddef.h"],
        [true, false, false, false, false],
    ),
    (&["--iquote", "tests"], [true, false, false, false, false]),
    (&["--isystem", "tests"], [true, false, false, false, false]),
    (&["--std", "gnu99"], [true, false, false, false, false]),
    (&["--link"], [true, false, false, false, false]),
    (&["--args", "1"], [true, false, false, false, false]),
    (&["--function", "first"], [true, false, false, false, false]),
    (&["--parallel", "first"], [true, false, false, false, false]),
    (
        &["--setup", "first", "--parallel", "second"],
        [true, false, false, false, false],
    ),
    (
        &["--finally", "second", "--parallel", "first"],
        [true, false, false, false, false],
    ),
    (
        &["--havoc", "pthread_self"],
        [true, false, false, false, false],
    ),
    (&["--stub", "STUB"], [true, false, false, false, false]),
    (
        &["--target", "x86_64", "-DFENCED"],
        [true, false, false, false, false],
    ),
    // The entry is the input.
    (
        &["--compile-commands", "FILE", "--entry", "a.c"],
        [false, false, false, false, false],
    ),
    (&["--entry", "a.c"], [false, false, false, false, false]),
    (&["--emit", "c"], [false, true, false, false, false]),
    (&["--states"], [false, true, false, false, false]),
    (&["--brab", "2"], [false, false, true, true, false]),
    (
        &["--certificate", "FILE"],
        [false, false, true, true, false],
    ),
    (&["--jobs", "1"], [true, false, true, true, true]),
    (&["-j", "1"], [true, false, true, true, true]),
    (
        &["--max-nodes", "100000"],
        [false, false, true, true, false],
    ),
    (&["--max-procs", "8"], [false, false, true, true, false]),
    (&["--search", "bfsh"], [false, false, true, true, false]),
    (&["--strategy", "tso"], [false, false, true, true, false]),
    (&["--help"], [true, true, true, true, true]),
    (&["--threads", "2"], [false, false, false, true, true]),
];

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
    for (typed, meanings) in TABLE {
        let inputs: [&[&str]; 5] = [
            &[PROGRAM],
            &[LITMUS],
            &[SYSTEM],
            &[ASSEMBLY],
            &[ASSEMBLY, "--threads", "2"],
        ];
        for (input, meaning) in inputs.into_iter().zip(meanings) {
            if input.contains(&"--threads") && typed.contains(&"--threads") {
                continue;
            }
            let mut args = input.to_vec();
            args.extend(typed.iter().map(|arg| match *arg {
                "FILE" => file.as_str(),
                "DIR" => directory.as_str(),
                "STUB" => stub.as_str(),
                "PROPERTY" => "benchmarks/properties/unreach-call.prp",
                other => other,
            }));
            let output = wmbmc(&args);
            let said = stderr(&output);
            match meaning {
                true => assert_eq!((code(&output), said.as_str()), (0, ""), "{args:?}"),
                false => {
                    assert!([1, 2].contains(&code(&output)), "{args:?}: {said}");
                    let named = typed.iter().any(|t| t.starts_with('-') && said.contains(t));
                    assert!(named, "{args:?}: {said}");
                    assert_eq!(output.stdout, b"", "{args:?}");
                }
            }
        }
    }
}

#[test]
fn the_table_above_has_every_option() {
    let help = String::from_utf8(wmbmc(["--help"]).stdout).expect("UTF-8");
    let lines = help.lines().map(str::trim_start);
    let options = lines.filter(|l| l.starts_with('-'));
    let first = |l: &str| -> String {
        let end = l.find([',', ' ', '=', '[']).unwrap_or(l.len());
        l[..end].to_string()
    };
    let listed: BTreeSet<String> = options.map(first).collect();
    assert!(listed.len() > 30, "{listed:?}");
    let known: BTreeSet<String> = TABLE
        .iter()
        .map(|(typed, _)| typed[0].to_string())
        .collect();
    let lacks: Vec<&String> = listed.difference(&known).collect();
    // What is listed with a lone `-` is a value of an option.
    assert_eq!(lacks, ["-", "-V", "-h"]);
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
