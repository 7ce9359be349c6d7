//! `wmbmc suite` and single litmus tests, as scripts use them.

use serde_json::Value;
use std::path::Path;
use std::process::Output;
use support::wmbmc;

const SB: &str = "X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

const MP: &str = "PPC MP+lwsync+addr
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r5=x; }
 P0           | P1            ;
 li r1,1      | lwz r1,0(r2)  ;
 stw r1,0(r2) | xor r3,r1,r1  ;
 lwsync       | lwzx r4,r3,r5 ;
 li r3,1      |               ;
 stw r3,0(r4) |               ;
~exists (1:r1=1 /\\ 1:r4=0)
";

/// Wrong in one place each: the text, and the line of the place.
const BROKEN: [(&str, u32); 20] = [
    ("", 1),
    ("X86\n{}\n P0 ;\n nop ;\nexists (true)\n", 1),
    ("Z80 t\n{}\n P0 ;\n nop ;\nexists (x=0)\n", 1),
    ("X86 t\n{ x=; }\n P0 ;\n MFENCE ;\nexists (x=0)\n", 2),
    ("X86 t\n{ 0:EAX=; }\n P0 ;\n MFENCE ;\nexists (x=0)\n", 2),
    ("X86 t\n{}\n P0 ;\n FROB [x],$1 ;\nexists (x=0)\n", 4),
    ("X86 t\n{}\n P0 ;\n MOV [x],[y] ;\nexists (x=0)\n", 4),
    ("X86 t\n{}\n P0 ;\n MOV [x] ;\nexists (x=0)\n", 4),
    (
        "X86 t\n{}\n P0 ;\n MOV [x],$1 | MFENCE ;\nexists (x=0)\n",
        4,
    ),
    ("X86 t\n{}\n P0 ;\n JMP nowhere ;\nexists (x=0)\n", 4),
    ("X86 t\n{}\n P0 ;\n MOV [x],$1 ;\nexists (x=0\n", 5),
    ("X86 t\n{}\n P0 ;\n MOV [x],$1 ;\nexists x=0)\n", 5),
    ("X86 t\n{}\n P0 ;\n MOV [x],$1 ;\nexist (x=0)\n", 5),
    ("X86 t\n{}\n P0 ;\n MOV [x],$1 ;\nexists (x=0 /\\ )\n", 5),
    ("X86 t\n{}\n P0 ;\n MOV [x],$1 ;\nexists (7:EAX=0)\n", 5),
    ("X86 t\n{}\n P0 ;\n MOV [x],$1 ;\nlocations [x\n", 5),
    (
        "PPC t\n{ 0:r2=x; }\n P0 ;\n lwz r1,r2 ;\nexists (0:r1=0)\n",
        4,
    ),
    (
        "PPC t\n{ 0:r2=x; }\n P0 ;\n lwz r99,0(r2) ;\nexists (0:r1=0)\n",
        4,
    ),
    ("PPC t\n{ 0:r2=x; }\n P0 ;\n li r1 ;\nexists (0:r1=0)\n", 4),
    (
        "PPC t\n(* no end\n{ 0:r2=x; }\n P0 ;\n li r1,1 ;\nexists (0:r1=0)\n",
        2,
    ),
];

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is UTF-8")
}

fn objects(output: &Output) -> Vec<Value> {
    let lines = text(&output.stdout).lines();
    lines
        .map(|l| serde_json::from_str(l).expect("one object per line"))
        .collect()
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).expect("a file can be written");
    }
    folder
}

fn suite(path: &Path, options: &[&str]) -> Output {
    let path = path.to_str().expect("the path is UTF-8");
    wmbmc(["suite", path].iter().chain(options))
}

#[test]
fn broken_files_are_named_and_the_rest_is_answered() {
    let names: Vec<String> = (0..BROKEN.len())
        .map(|i| format!("b{i:02}.litmus"))
        .collect();
    let broken = names.iter().zip(&BROKEN);
    let mut files: Vec<(&str, &str)> = broken.map(|(n, (t, _))| (n.as_str(), *t)).collect();
    files.extend([("sb.litmus", SB), ("mp.litmus", MP)]);
    let folder = folder(&files);
    let output = suite(folder.path(), &["--mm", "sc,tso,power"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = text(&output.stderr);
    for (name, (content, line)) in names.iter().zip(&BROKEN) {
        let place = format!("{name}:{line}:");
        let column = errors.split_once(&place).map(|(_, rest)| rest);
        assert!(
            column.is_some_and(|c| c.starts_with(|c: char| c.is_ascii_digit())),
            "{place} and a column, of\n{content}\nin\n{errors}"
        );
    }
    let table = text(&output.stdout);
    assert!(table.contains("2 tests answered, 20 refused"), "{table}");
}

#[test]
fn a_suite_is_answered_as_the_models_say() {
    let folder = folder(&[("sb.litmus", SB), ("mp.litmus", MP)]);
    let options = [
        "--mm",
        "sc,tso,power",
        "--format",
        "json",
        "--engine",
        "both",
    ];
    let output = suite(folder.path(), &options);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut answers = Vec::new();
    for object in objects(&output) {
        let field = |name: &str| object[name].as_str().expect("a string").to_string();
        answers.push((field("test"), field("model"), field("observation")));
        assert!(["sat", "enumerate"].contains(&field("engine").as_str()));
    }
    answers.dedup();
    let expected = [
        ("MP+lwsync+addr", "sc", "Never"),
        ("MP+lwsync+addr", "tso", "Never"),
        ("MP+lwsync+addr", "power", "Never"),
        ("SB", "sc", "Never"),
        ("SB", "tso", "Sometimes"),
        ("SB", "power", "Sometimes"),
    ];
    let expected = expected.map(|(t, m, o)| (t.to_string(), m.to_string(), o.to_string()));
    assert_eq!(answers, expected);
}

#[test]
fn an_answer_that_was_not_expected_is_a_disagreement() {
    let right = "name,SC,TSO\nSB,Never,Sometimes\n";
    let wrong = "name,SC,TSO\nSB,Never,Forbidden\n";
    let folder = folder(&[
        ("sb.litmus", SB),
        ("right.csv", right),
        ("wrong.csv", wrong),
    ]);
    let run = |csv: &str| {
        let csv = folder.path().join(csv);
        let csv = csv.to_str().expect("the path is UTF-8").to_string();
        suite(folder.path(), &["--mm", "sc,tso", "--expect", &csv])
    };
    assert_eq!(run("right.csv").status.code(), Some(0));
    let output = run("wrong.csv");
    assert_eq!(output.status.code(), Some(10));
    let message = "sat says Sometimes, expected was Forbidden";
    assert!(
        text(&output.stderr).contains(message),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn comparing_with_nothing_is_no_comparison() {
    let folder = folder(&[("sb.litmus", SB), ("other.csv", "name,SC\nMP,Never\n")]);
    let csv = folder.path().join("other.csv");
    let csv = csv.to_str().expect("the path is UTF-8");
    let output = suite(folder.path(), &["--mm", "sc", "--expect", csv]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn shards_cover_a_suite_once() {
    let folder = folder(&[("sb.litmus", SB), ("mp.litmus", MP), ("tb.litmus", SB)]);
    let mut seen = Vec::new();
    for part in ["1/2", "2/2"] {
        let output = suite(folder.path(), &["--shard", part, "--format", "json"]);
        assert_eq!(output.status.code(), Some(0));
        let inputs = objects(&output);
        seen.extend(inputs.iter().map(|o| o["input"].to_string()));
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 3);
}

#[test]
fn the_log_of_a_model_has_a_block_a_test() {
    let folder = folder(&[("sb.litmus", SB), ("mp.litmus", MP)]);
    let log = folder.path().join("out.log");
    let log = log.to_str().expect("the path is UTF-8");
    let output = suite(folder.path(), &["--mm", "tso", "--states", "--log", log]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(log).expect("the log exists");
    let expected = "\
Test MP+lwsync+addr Forbidden
States 3
1:r1=0; 1:r4=0;
1:r1=0; 1:r4=1;
1:r1=1; 1:r4=1;
Ok
Witnesses
Positive: 0 Negative: 3
Condition ~exists (1:r1=1 /\\ 1:r4=0)
Observation MP+lwsync+addr Never 0 3

Test SB Allowed
States 4
0:EAX=0; 1:EAX=0;
0:EAX=0; 1:EAX=1;
0:EAX=1; 1:EAX=0;
0:EAX=1; 1:EAX=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:EAX=0 /\\ 1:EAX=0)
Observation SB Sometimes 1 3

";
    assert_eq!(written, expected);
}

#[test]
fn a_single_test_answers_with_herds_block() {
    let folder = folder(&[("sb.litmus", SB)]);
    let path = folder.path().join("sb.litmus");
    let path = path.to_str().expect("the path is UTF-8");
    let output = wmbmc([path, "--mm", "tso"]);
    assert_eq!(output.status.code(), Some(0));
    let expected = "\
Test SB Allowed
Ok
Condition exists (0:EAX=0 /\\ 1:EAX=0)
Observation SB Sometimes

";
    assert_eq!(text(&output.stdout), expected);
    let output = wmbmc([path, "--mm", "tso", "-v"]);
    assert!(text(&output.stdout).contains("No interleaving does this"));
}

#[test]
fn an_option_without_a_meaning_for_litmus_tests_is_refused() {
    let folder = folder(&[("sb.litmus", SB)]);
    let path = folder.path().join("sb.litmus");
    let path = path.to_str().expect("the path is UTF-8");
    for stage in ["after:ast", "after:encode"] {
        let output = wmbmc([path, "--dump", stage]);
        assert_eq!(output.status.code(), Some(2), "{stage}");
        assert!(text(&output.stderr).contains("--dump"), "{stage}");
    }
}

#[test]
fn a_pass_that_a_limit_ends_early_prints_nothing_and_is_inconclusive() {
    let folder = folder(&[("sb.litmus", SB)]);
    let path = folder.path().join("sb.litmus");
    let path = path.to_str().expect("the path is UTF-8");
    let dump = [path, "--mm", "tso", "--dump", "after:analyse"];
    let output = wmbmc(dump);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("must"));
    let output = wmbmc(dump.into_iter().chain(["--timeout", "1e-9"]));
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(text(&output.stdout), "");
    assert!(text(&output.stderr).contains("on tso: a limit has passed"));
}

#[test]
fn a_refuted_claim_is_a_violation() {
    let claimed = SB.replace("exists", "~exists");
    let folder = folder(&[("sb.litmus", &claimed)]);
    let path = folder.path().join("sb.litmus");
    let path = path.to_str().expect("the path is UTF-8");
    assert_eq!(wmbmc([path, "--mm", "sc"]).status.code(), Some(0));
    assert_eq!(wmbmc([path, "--mm", "tso"]).status.code(), Some(10));
}

#[test]
fn the_classic_tests_have_their_verdicts_from_both_engines() {
    let models = "sc,tso,pso,rmo,alpha,power,power2010";
    let expected = ["--expect", "litmus/verdicts.csv", "--engine", "both"];
    let output = suite(
        Path::new("litmus"),
        &[&["--mm", models], &expected[..]].concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let tests = std::fs::read_to_string(support::root().join("litmus/verdicts.csv"));
    let tests = tests.expect("the table exists").lines().count() - 1;
    let table = text(&output.stdout);
    assert!(
        table.contains(&format!(
            "{tests} tests answered, 0 refused, {} answers compared",
            tests * 7 * 2
        )),
        "{table}"
    );
}

#[test]
fn both_engines_answer_programs_too() {
    for (model, code) in [("sc", 0), ("tso", 10)] {
        let program = "benchmarks/store_buffer.c";
        let output = wmbmc([program, "--mm", model, "--engine", "both"]);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        let output = wmbmc([program, "--mm", model, "--engine", "enumerate"]);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    }
}
