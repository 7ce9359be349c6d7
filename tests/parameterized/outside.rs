//! Systems in which `init` says of a variable that it is none of the processes, and those in which
//! it contradicts itself.

use std::path::PathBuf;
use std::process::Output;
use support::wmbmc;

fn file(name: &str, text: &str) -> String {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("outside_{name}.cub"));
    std::fs::write(&file, text).expect("the folder is writable");
    file.display().to_string()
}

fn output(run: &Output) -> String {
    let all = [run.stdout.as_slice(), run.stderr.as_slice()].concat();
    String::from_utf8_lossy(&all).into_owned()
}

/// A token that the home node hands out.
const TOKEN: &str = "var Home : proc var Owner : proc array Has[proc] : bool
    init (p) { Home <> p && Owner = Home && Has[p] = False }
    transition take (p) requires { Owner = Home } { Owner := p; Has[p] := True }
    transition give (p) requires { Owner = p } { Owner := Home; Has[p] := False }";

const CASES: [(&str, &str, &str); 9] = [
    (
        "token",
        "unsafe (p q) { Has[p] = True && Has[q] = True }",
        "SAFE for any",
    ),
    (
        "kept",
        "unsafe (p) { Owner = p && Has[p] = False }",
        "SAFE for any",
    ),
    (
        "taken",
        "unsafe (p) { Owner = p }",
        "UNSAFE: `unsafe 1` holds after 1 transition of 1",
    ),
    (
        "given",
        "unsafe () { Owner = Home }",
        "UNSAFE: `unsafe 1` holds after 0 transitions of 1",
    ),
    ("never", "unsafe (p) { Home = p }", "SAFE for any"),
    (
        "argument",
        "var Seen : bool transition see (p) requires { Home = p } { Seen := True }
         unsafe (p) { Seen = True && Has[p] = True && Owner = Home }",
        "SAFE for any",
    ),
    (
        "quantifier",
        "var All : bool
         transition all () requires { All = False && forall_other p. p <> Home } { All := True }
         unsafe (p) { Has[p] = True && Owner = Home }",
        "SAFE for any",
    ),
    (
        // What `init` leaves open may be outside as well.
        "open",
        "number_procs 1 var Free : proc unsafe () { Free = Home }",
        "UNSAFE: `unsafe 1` holds after 0 transitions of 1",
    ),
    (
        "fixed",
        "number_procs 2 unsafe (p q) { Has[p] = True && Has[q] = True }",
        "SAFE for 2",
    ),
];

#[test]
fn the_home_node_is_no_process() {
    for (name, more, verdict) in CASES {
        // A number of processes and symbols come first.
        let (first, rest) = match more.find("transition").or_else(|| more.find("unsafe")) {
            Some(at) => more.split_at(at),
            None => ("", more),
        };
        let text = format!("{first} {TOKEN} {rest}");
        let text = match name {
            "argument" => text.replace("Owner = Home &&", "Owner = Home && Seen = False &&"),
            "quantifier" => text.replace("Owner = Home &&", "Owner = Home && All = False &&"),
            _ => text,
        };
        let file = file(name, &text);
        for strategy in ["tso", "generic"] {
            let run = wmbmc([
                &file,
                "--mm",
                "sc",
                "--strategy",
                strategy,
                "--timeout",
                "60",
            ]);
            let said = output(&run);
            assert!(said.starts_with(verdict), "{name}, {strategy}: {said}");
        }
        if verdict.starts_with("SAFE") {
            let proof = format!("{file}.proof");
            let run = wmbmc([&file, "--mm", "sc", "--certificate", &proof]);
            assert_eq!(run.status.code(), Some(0), "{}", output(&run));
            let run = wmbmc(["check-certificate", &file, &proof, "--mm", "sc"]);
            assert!(
                output(&run).starts_with("VALID"),
                "{name}: {}",
                output(&run)
            );
        }
    }
}

#[test]
fn what_is_no_process_at_first_may_become_one() {
    let text = "var Last : proc init (p) { Last <> p }
        transition note (p) { Last := p } unsafe (p) { Last = p }";
    let said = output(&wmbmc([&file("last", text), "--mm", "sc"]));
    assert!(said.contains("after 1 transition of 1 process"), "{said}");
    assert!(said.contains("then  Last = #1"), "{said}");
}

#[test]
fn the_value_is_shown() {
    let text = format!("{TOKEN} unsafe () {{ Owner = Home }}");
    let said = output(&wmbmc([&file("shown", &text), "--mm", "sc"]));
    assert!(said.contains("Home = outside, Owner = outside"), "{said}");
}

#[test]
fn its_place_in_the_order_is_open() {
    let text = format!("{TOKEN} unsafe (p) {{ Owner < p }}");
    let run = wmbmc([&file("order", &text), "--mm", "sc"]);
    let said = output(&run);
    let words = "the order of what variables hold is not supported when `Home`";
    assert_eq!(
        (run.status.code(), said.contains(words)),
        (Some(2), true),
        "{said}"
    );
    let text = format!("{TOKEN} unsafe (p q) {{ p < q && Has[p] = True && Has[q] = True }}");
    let run = wmbmc([&file("parameters", &text), "--mm", "sc"]);
    assert_eq!(run.status.code(), Some(0), "{}", output(&run));
}

#[test]
fn a_contradiction_in_init_is_said() {
    for (name, text) in [
        (
            "two_values",
            "array A[proc] : int init (p) { A[p] = 0 && A[p] = 1 }",
        ),
        (
            "both",
            "var Home : proc array A[proc] : int init (p) { Home <> p && Home = p && A[p] = 0 }",
        ),
    ] {
        let file = file(name, &format!("{text}\nunsafe (p) {{ A[p] = 5 }}"));
        for strategy in ["tso", "generic"] {
            let run = wmbmc([&file, "--mm", "sc", "--strategy", strategy]);
            let warning = String::from_utf8_lossy(&run.stderr).into_owned();
            assert!(
                warning.starts_with("warning[W0001]: no state is initial"),
                "{warning}"
            );
            assert!(warning.contains(":1:"), "it has a place: {warning}");
            let said = String::from_utf8_lossy(&run.stdout).into_owned();
            assert_eq!(said, "SAFE (vacuous: no initial state)\n");
            assert_eq!(run.status.code(), Some(0));
            let run = wmbmc([
                &file,
                "--mm",
                "sc",
                "--strategy",
                strategy,
                "--format",
                "json",
            ]);
            let object: serde_json::Value =
                serde_json::from_slice(&run.stdout).expect("the output is an object");
            assert_eq!(object["vacuous"], true, "{object}");
            assert_eq!(object["verdict"], "SAFE", "{object}");
        }
    }
    let run = wmbmc([
        "benchmarks/parameterized/mutex_safe.cub",
        "--mm",
        "tso",
        "--format",
        "json",
    ]);
    let object: serde_json::Value =
        serde_json::from_slice(&run.stdout).expect("the output is an object");
    assert_eq!(object["vacuous"], false, "{object}");
}
