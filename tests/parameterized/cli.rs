//! Systems from the command line: verdicts, exit codes, certificates, and what is said of input
//! that is wrong.

use support::{root, wmbmc};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn verdicts_and_exit_codes() {
    let cases = [
        ("mutex_safe", "tso", 0, "SAFE for any number of processes"),
        (
            "mutex_unsafe",
            "tso",
            10,
            "`both_inside` holds after 4 transitions of 2 processes",
        ),
        ("ticket", "tso", 5, "UNKNOWN: more than 300 nodes"),
    ];
    for (name, model, code, sentence) in cases {
        let file = format!("benchmarks/parameterized/{name}.cub");
        let limits = ["--max-nodes", "300", "--brab", "off"];
        let run = wmbmc([&[file.as_str(), "--mm", model][..], &limits].concat());
        let out = text(&run.stdout);
        assert_eq!(
            (run.status.code(), out.contains(sentence)),
            (Some(code), true),
            "{out}"
        );
    }
    let run = wmbmc(["benchmarks/parameterized/mutex_safe.cub", "--mm", "power"]);
    assert_eq!(run.status.code(), Some(2));
}

#[test]
fn orders_and_guesses() {
    let ticket = "benchmarks/parameterized/ticket.cub";
    let mutex = "benchmarks/parameterized/mutex_safe.cub";
    for order in ["bfs", "dfs", "bfsh", "dfsh", "bfsa", "dfsa"] {
        let run = wmbmc([mutex, "--mm", "tso", "--search", order]);
        assert_eq!(run.status.code(), Some(0), "{order}");
        let options = ["--search", order, "-j", "2", "--timeout", "60"];
        let run = wmbmc([mutex, "--mm", "pso"].into_iter().chain(options));
        assert_eq!(run.status.code(), Some(0), "{order} on pso");
    }
    let run = wmbmc([ticket, "--mm", "tso", "--brab", "2"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stdout));
    let c = "benchmarks/sb.c";
    for (file, option, value, names) in [
        (c, "--search", "dfs", "--search"),
        (c, "--brab", "2", "--brab"),
        (mutex, "--brab", "0", "--brab"),
        (mutex, "--search", "best", "--search"),
    ] {
        let run = wmbmc([file, "--mm", "tso", option, value]);
        let said = text(&run.stderr);
        assert_eq!(
            (run.status.code(), said.contains(names)),
            (Some(1), true),
            "{said}"
        );
    }
}

#[test]
fn options_without_a_meaning_are_refused() {
    let (system, c) = (
        "benchmarks/parameterized/mutex_safe.cub",
        "benchmarks/store_buffer.c",
    );
    let wrong: [(&str, &[&str]); 8] = [
        (system, &["--unwind", "3"]),
        (system, &["--check", "race"]),
        (system, &["-DX"]),
        (system, &["--engine", "enumerate"]),
        (system, &["--states"]),
        (system, &["--dump", "after:ir"]),
        (c, &["--max-procs", "3"]),
        (c, &["--certificate", "proof"]),
    ];
    for (file, options) in wrong {
        let run = wmbmc(std::iter::once(file).chain(options.iter().copied()));
        let errors = text(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{options:?}: {errors}");
        assert!(errors.contains(file), "{options:?}: {errors}");
    }
}

#[test]
fn a_run_is_structured_as_json() {
    let file = "benchmarks/parameterized/store_buffering.cub";
    let run = wmbmc([file, "--mm", "tso", "--format", "json"]);
    let object: serde_json::Value =
        serde_json::from_slice(&run.stdout).expect("the output is an object");
    assert_eq!(object["property"], "both_old");
    assert_eq!(object["processes"], 2);
    let steps = object["run"].as_array().expect("there is a run");
    let fired = steps.iter().filter(|s| s["step"] == "transition");
    assert_eq!(object["transitions"], fired.count());
    // Both processes read while their own writes are buffered.
    let last = steps.last().expect("it has steps");
    for process in 0..2 {
        let cell = format!("X[#{}]", process + 1);
        assert_eq!(last["buffers"][process][0][0]["cell"], cell, "{object}");
    }
}

#[test]
fn more_reads_than_are_represented_are_no_verdict() {
    // Eleven transitions of eleven other processes each, three cells of each of them.
    let mut system = "number_procs 12 type l = L0".to_string();
    (1..12).for_each(|i| system += &format!(" | L{i}"));
    system += " array PC[proc] : l weak array A[proc] : int weak array B[proc] : int \
        weak array C[proc] : int \
        init (p) { PC[p] = L0 && A[p] = 0 && B[p] = 0 && C[p] = 0 } \
        unsafe (p) { PC[p] = L11 } ";
    for i in 0..11 {
        system += &format!(
            "transition t{i} ([p]) requires {{ PC[p] = L{i} && \
            forall_other q. A[q] <> 5 && B[q] <> 6 && C[q] <> 7 }} {{ PC[p] := L{} }} ",
            i + 1
        );
    }
    system += "transition w ([p]) requires { A[p] = 5 } { A[p] := 8 }";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("many.cub");
    std::fs::write(&path, system).expect("it can be written");
    let path = path.display().to_string();
    for strategy in ["tso", "generic"] {
        let options = ["--mm", "tso", "--brab", "off", "--strategy", strategy];
        let run = wmbmc(std::iter::once(path.as_str()).chain(options));
        let out = text(&run.stdout);
        assert_eq!(run.status.code(), Some(5), "{out}");
        assert!(out.contains("pending reads"), "{out}");
    }
}

#[test]
fn memory_is_limited() {
    let ticket = "benchmarks/parameterized/ticket.cub";
    let run = wmbmc([ticket, "--brab", "off", "--memory", "10", "--timeout", "60"]);
    let out = text(&run.stdout);
    assert_eq!(run.status.code(), Some(5), "{out}");
    assert!(out.contains("UNKNOWN: the memory is used up"), "{out}");
}

#[test]
fn a_certificate_checks_and_a_shorter_one_does_not() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("proof");
    let proof = path.display().to_string();
    let file = "benchmarks/parameterized/sense_barrier.cub";
    let run = wmbmc([file, "--mm", "tso", "--certificate", &proof]);
    assert_eq!(run.status.code(), Some(0));
    let check = || wmbmc(["check-certificate", file, &proof, "--mm", "tso"]);
    assert_eq!(check().status.code(), Some(0));
    let whole = std::fs::read_to_string(&path).expect("it was written");
    let at = whole.rfind("\ncube").expect("it has several cubes");
    std::fs::write(&path, &whole[..=at]).expect("it can be written");
    let run = check();
    assert_eq!(run.status.code(), Some(10), "{}", text(&run.stdout));
    std::fs::write(&path, "nonsense").expect("it can be written");
    assert_eq!(check().status.code(), Some(2));
}

#[test]
fn wrong_input_is_refused_with_a_place() {
    let head = "type t = A | B array R[proc] : t array N[proc] : int weak var X : int \
        weak array F[proc] : bool const K : int init (p) { R[p] = A && X = 0 } ";
    let wrong = [
        "transition t ([p]) { X = 1 }",
        "transition t ([p]) { X := }",
        "transition t ([p) { }",
        "transition t ([p] [q]) { }",
        "transition t ([p]) { Y := 1 }",
        "transition t ([p]) { X := A }",
        "transition t ([p]) { X := 99999999999999999999 }",
        "transition t ([p]) { X := X + 1152921504606846977 }",
        "transition t ([p]) requires { N[p] < 1152921504606846976 + 1 } { }",
        "transition t ([p]) requires { 1152921504606846976 * X < N[p] + 576460752303423489 * X + 576460752303423488 * X } { }",
        "transition t ([p] q) { R[q] := A }",
        "transition t ([p]) { K := 1 }",
        "transition t ([p]) { X := 1; X := 2 }",
        "transition t (p) { X := 1 }",
        "transition t ([p]) requires { not fence() } { }",
        "transition t ([p]) requires { R[p] < B } { }",
        "transition t ([p]) requires { F[R[p]] = True } { }",
        "transition t ([p]) requires { p = #1 } { }",
        "unsafe (p) { X = 1 }",
        "unsafe (p) { fence() }",
        "unsafe (p p) { R[p] = A }",
        "unsafe (p) { foo(p) }",
        "unsafe (p) { (R[p] = A }",
        "unsafe { }",
        "number_procs 0",
        "type t = C",
        "array Z[proc,proc,proc] : int",
        "array Z[int] : int",
        "(* open",
        "$",
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (i, body) in wrong.iter().enumerate() {
        let path = folder.path().join(format!("bad{i}.cub"));
        std::fs::write(&path, format!("{head}\n{body}\n")).expect("it can be written");
        let run = wmbmc([path.display().to_string().as_str(), "--mm", "tso"]);
        let errors = text(&run.stderr);
        let place = format!("bad{i}.cub:2:");
        assert_eq!(
            (run.status.code(), errors.contains(&place)),
            (Some(2), true),
            "{body}\n{errors}"
        );
    }
    assert!(root().join("benchmarks/parameterized").is_dir());
}

#[test]
fn the_exploration_is_drawn_whatever_the_strategy() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("graph.dot");
    let graph = path.display().to_string();
    let mutex = "benchmarks/parameterized/mutex_unsafe.cub";
    for strategy in ["tso", "generic"] {
        let options = ["--mm", "tso", "--strategy", strategy, "--dot", &graph];
        let run = wmbmc(std::iter::once(mutex).chain(options));
        assert_eq!(run.status.code(), Some(10), "{}", text(&run.stdout));
        let drawn = std::fs::read_to_string(&path).expect("it was written");
        for part in [
            "digraph",
            "2 processes",
            "#1 will read",
            "color=red",
            " -> ",
        ] {
            assert!(drawn.contains(part), "{strategy}: no `{part}` in {drawn}");
        }
    }
}

#[test]
fn strategies_and_what_they_do_not_know() {
    let mutex = "benchmarks/parameterized/mutex_safe.cub";
    let run = wmbmc([mutex, "--mm", "sc,tso,pso", "--strategy", "generic"]);
    let out = text(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{out}");
    let buffers = "benchmarks/parameterized/store_buffering.cub";
    assert_eq!(wmbmc([buffers, "--mm", "pso"]).status.code(), Some(10));
    let refused = [
        (vec![mutex, "--mm", "pso", "--strategy", "tso"], "pso"),
        (vec![mutex, "--mm", "pso", "--brab", "2"], "--brab"),
        (
            vec!["tests/c/await.c", "--strategy", "generic"],
            "--strategy",
        ),
        (
            vec!["check-certificate", mutex, mutex, "--mm", "pso"],
            "pso",
        ),
    ];
    for (args, named) in refused {
        let run = wmbmc(args.clone());
        let errors = text(&run.stderr);
        assert!(
            matches!(run.status.code(), Some(1 | 2)) && errors.contains(named),
            "{args:?}: {errors}"
        );
    }
}

#[test]
fn a_blocked_trace_is_shown_and_nothing_claimed() {
    let owner = "benchmarks/parameterized/owner.cub";
    let run = wmbmc([owner, "--mm", "sc", "--max-nodes", "4"]);
    let out = text(&run.stdout);
    assert_eq!(run.status.code(), Some(5), "{out}");
    assert!(
        out.contains("1. take(#2)") && out.contains("3. take(#1)"),
        "{out}"
    );
    // The searches with the number of processes fixed did not end either.
    assert!(!out.contains("safe with exactly"), "{out}");
    let run = wmbmc([owner, "--mm", "sc", "--max-nodes", "4", "--format", "json"]);
    let object: serde_json::Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
    let trace = object["blocked_trace"].as_array().expect("it has a trace");
    assert_eq!(trace.len(), 3, "{object}");
}

#[test]
fn one_is_not_told_as_many() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let system = "var X : bool init () { X = False } unsafe bad () { X = True } \
        transition t (p) requires { X = GUARD } { X := True }";
    let cases = [
        ("False", "", "`bad` holds after 1 transition of 1 process\n"),
        ("True", "number_procs 1 ", "SAFE for 1 process\n"),
        ("True", "", "1 node visited, 1 of them remains, 1 made"),
    ];
    for (guard, head, said) in cases {
        let path = folder.path().join("t.cub");
        let system = format!("{head}{}", system.replace("GUARD", guard));
        std::fs::write(&path, system).expect("it can be written");
        let run = wmbmc([path.as_os_str(), "--mm=sc".as_ref(), "--stats".as_ref()]);
        let out = text(&run.stdout);
        assert!(out.contains(said), "{out}{}", text(&run.stderr));
    }
}
