//! `docs/diagnostics.md` and `wmbmc explain`: each example reports the code of its section.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use support::{root, wmbmc};

/// Codes without an example: an interrupt, a bug, and what only recorded answers show.
const WITHOUT: [&str; 3] = ["E0012", "U0004", "V0011"];

struct Section {
    code: String,
    /// Language and text of each block.
    blocks: Vec<(String, String)>,
}

fn sections() -> Vec<Section> {
    let page = std::fs::read_to_string(root().join("docs/diagnostics.md")).expect("readable");
    let sections = page.split("\n## ").skip(1).map(|section| {
        let (code, rest) = section.split_once(": ").expect("a code before the title");
        let blocks = rest.split("\n```").skip(1).step_by(2).map(|block| {
            let (language, text) = block.split_once('\n').expect("a block has lines");
            (language.to_string(), format!("{text}\n"))
        });
        Section {
            code: code.to_string(),
            blocks: blocks.collect(),
        }
    });
    sections.collect()
}

/// The answers of a run.
fn answers(folder: &Path, arguments: &str) -> Vec<Value> {
    let mut run = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    run.current_dir(folder).args(arguments.split_whitespace());
    let output = run
        .args(["--format", "json"])
        .output()
        .expect("it was built");
    let text = String::from_utf8_lossy(&output.stdout);
    let answers = text.lines().map(serde_json::from_str);
    answers
        .collect::<Result<_, _>>()
        .expect("an object per line")
}

/// The objects in some lists of an answer.
fn listed<'a>(answer: &'a Value, lists: &[&str]) -> impl Iterator<Item = &'a Value> {
    let lists = lists.iter().filter_map(|list| answer[*list].as_array());
    lists.flatten().collect::<Vec<_>>().into_iter()
}

/// The codes in the answers of a run.
fn reported(folder: &Path, arguments: &str) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for answer in answers(folder, arguments) {
        let all = listed(&answer, &["errors", "warnings"]).chain([&answer]);
        codes.extend(all.filter_map(|d| d["code"].as_str().map(str::to_string)));
    }
    codes
}

/// Codes and messages of the errors of a run.
fn errors(folder: &Path, arguments: &str) -> Vec<(String, String)> {
    let text = |of: &Value| of.as_str().unwrap_or_default().to_string();
    let answers = answers(folder, arguments);
    let errors = answers.iter().flat_map(|a| listed(a, &["errors"]));
    errors
        .map(|e| (text(&e["code"]), text(&e["message"])))
        .collect()
}

#[test]
fn every_example_reports_its_code() {
    let mut wrong = Vec::new();
    for Section { code, blocks } in sections() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut commands = Vec::new();
        for (language, text) in &blocks {
            if language == "sh" {
                commands.extend(text.lines());
            } else {
                let file = folder.path().join(format!("example.{language}"));
                std::fs::write(file, text).expect("writable");
            }
        }
        if commands.is_empty() {
            assert!(WITHOUT.contains(&code.as_str()), "{code} has no example");
        }
        for command in commands {
            let arguments = command.strip_prefix("wmbmc ").expect("a run of wmbmc");
            let codes = reported(folder.path(), arguments);
            if !codes.contains(&code) {
                wrong.push(format!("{code}: `{command}` reports {codes:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn explain_prints_a_section_or_the_list() {
    let print = |args: &[&str]| {
        let output = wmbmc([&["explain"], args].concat());
        (
            output.status.code(),
            String::from_utf8(output.stdout).expect("UTF-8"),
            String::from_utf8(output.stderr).expect("UTF-8"),
        )
    };
    let (code, listed, _) = print(&[]);
    assert_eq!(code, Some(0));
    let sections = sections();
    assert_eq!(listed.lines().count(), sections.len());
    for (line, section) in listed.lines().zip(&sections) {
        assert!(line.starts_with(&section.code), "{line}");
        let (code, printed, _) = print(&[&section.code.to_lowercase()]);
        assert_eq!(code, Some(0));
        assert!(
            printed.starts_with(&format!("{}: ", section.code)),
            "{printed}"
        );
    }
    let (code, _, said) = print(&["V0044"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("no code is called `V0044`"), "{said}");
}

#[test]
fn an_error_shows_its_code() {
    let output = wmbmc(["missing.c"]);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.starts_with("error[E0002]: "), "{said}");
}

/// A litmus test of a machine with one instruction.
fn litmus(machine: &str, init: &str, instruction: &str) -> String {
    format!("{machine} test\n{{ int x[2]; {init} }}\n P0 ;\n {instruction} ;\nexists (true)\n")
}

/// A litmus test in C with one statement.
fn litmus_c(statement: &str) -> String {
    format!("C test\n{{ x=0; }}\nP0 (atomic_int* x) {{ {statement} }}\nexists (x=1)\n")
}

/// An x86 program whose threads execute some lines.
fn assembly(code: &str) -> String {
    format!(
        "begin shared_data\nx dd 0\nend shared_data\nbegin thread_data\nd dd 0\nend thread_data\n\
         begin thread_code\n{code}\nend thread_code\nbegin unsafe_prop\n$t:x = 1\nend unsafe_prop\n"
    )
}

/// A parameterized system with one more declaration.
fn system(declaration: &str) -> String {
    format!(
        "weak var X : int\ninit () {{ X = 0 }}\nunsafe (p) {{ p@X = 1 }}\n\
         transition t ([p]) requires {{ p@X = 0 }} {{ p@X := 1 }}\n{declaration}\n"
    )
}

/// What each front end, and each lowering, does not support: the file's kind, its text, and what of
/// the message names it.
fn unsupported_inputs() -> Vec<(&'static str, String, &'static str)> {
    let main = "int main(void) { return 0; }";
    let c = |text: &str| format!("{text}\n{main}\n");
    vec![
        ("c", c("asm(\"nop\");"), "assembly at file scope"),
        ("c", c("#pragma pack(3)"), "`#pragma pack`"),
        ("c", c("#pragma ms_struct on"), "`#pragma ms_struct`"),
        (
            "c",
            c("__attribute__((constructor)) void f(int x) {}"),
            "parameters with the attribute `constructor`",
        ),
        ("c", c("__auto_type x = 1;"), "`__auto_type` at file scope"),
        (
            "c",
            "int main(void) { int a[100000000] = { [0 ... 99999999] = 1 }; return a[0]; }".into(),
            "an initial value for more than",
        ),
        (
            "c",
            c(&format!("int x = {}1{};", "(".repeat(300), ")".repeat(300))),
            "nest more than",
        ),
        (
            "prp",
            "CHECK( init(main()), LTL(G ! race) )".into(),
            "this formula",
        ),
        (
            "prp",
            "CHECK( init(main()), LTL(F end) )".into(),
            "termination",
        ),
        (
            "litmus",
            litmus("VAX", "", "NOP"),
            "the instruction set `VAX`",
        ),
        ("litmus", litmus("X86", "", "VADDPS"), "of X86"),
        ("litmus", litmus("PPC", "", "dcbz r0,r1"), "of PPC"),
        ("litmus", litmus("RISCV", "", "vle8.v v0,(x6)"), "of RISC-V"),
        ("litmus", litmus("AArch64", "", "STG X0,[X1]"), "of AArch64"),
        ("litmus", litmus("AArch64", "", "DMB NSH"), "`NSH`"),
        (
            "litmus",
            litmus("AArch64", "0:X1=x;", "STR SP,[X1]"),
            "the stack pointer",
        ),
        (
            "litmus",
            litmus("X86", "", "MOV [x],$1").replace("true", "fault(P0,x)"),
            "conditions about faults",
        ),
        (
            "litmus",
            litmus("AArch64", "0:X1=x;", "STR X0,[X1]"),
            "accesses of mixed size",
        ),
        (
            "litmus",
            litmus("PPC", "0:r1=x;", "std r0,0(r1)"),
            "accesses of mixed size",
        ),
        (
            "litmus",
            litmus("PPC", "0:r1=x;", "stw r0,2(r1)"),
            "accesses to parts",
        ),
        ("litmus", litmus("X86", "", "LOCK NEG [x]"), "`lock neg`"),
        ("litmus", litmus_c("goto end;"), "`goto`"),
        (
            "litmus",
            litmus_c("surprise(x);"),
            "the function `surprise`",
        ),
        (
            "litmus",
            litmus_c("int r = atomic_load_explicit(x, memory_order_consume);"),
            "`memory_order_consume`",
        ),
        ("litmus", litmus_c("int r = &x;"), "`&`"),
        (
            "litmus",
            litmus_c("int r = 1 && *x;"),
            "an access behind `&&`",
        ),
        (
            "litmus",
            litmus_c("int r = 1 ? *x : 0;"),
            "an access in one case",
        ),
        ("asm", assembly("push eax"), "the instruction `push`"),
        ("asm", assembly("mov ax, 1"), "the register `ax`"),
        ("asm", assembly("mov byte [x], 1"), "accesses of size"),
        ("asm", assembly("mov [eax], 1"), "addresses in registers"),
        (
            "asm",
            assembly("mov [d + $o], 1\nmov [d + $p], 1"),
            "the cell of another thread",
        ),
        (
            "asm",
            assembly("dec eax\ncmp eax, 1\njb a\na: nop"),
            "an unsigned comparison",
        ),
        (
            "cub",
            system("transition u ([p]) requires { not fence() } { }"),
            "`not fence()`",
        ),
        (
            "cub",
            system("transition u ([p]) requires { exists_other q. q = p } { }"),
            "a quantifier of this kind",
        ),
        (
            "cub",
            system("array A[proc, proc, proc] : int"),
            "arrays of more than two",
        ),
        (
            "cub",
            system("unsafe (p) { p@X > 1152921504606846977 }"),
            "numbers beyond",
        ),
        (
            "cub",
            format!("number_procs 99\n{}", system("")),
            "processes",
        ),
        ("cat", "match x with".into(), "`match` statements"),
        (
            "cat",
            "procedure rec f() = end".into(),
            "recursive procedures",
        ),
        ("cat", "let rec r = po when r".into(), "`when` conditions"),
        ("cat", "~acyclic po".into(), "a negated test"),
        ("cat", "flag acyclic po as f".into(), "a `flag` on"),
        ("cat", "with s from {po, rf}".into(), "`with s from"),
        (
            "cat",
            "let r = if po = rf then po else rf".into(),
            "a condition on relations",
        ),
    ]
}

#[test]
fn every_front_end_gives_unsupported_constructs_their_code() {
    let mut wrong = Vec::new();
    for (kind, text, named) in unsupported_inputs() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = format!("input.{kind}");
        std::fs::write(folder.path().join(&file), &text).expect("writable");
        let program = "int main(void) { return 0; }\n";
        std::fs::write(folder.path().join("main.c"), program).expect("writable");
        let arguments = match kind {
            "cat" => format!("main.c --mm {file}"),
            "prp" => format!("main.c --property {file}"),
            _ => file,
        };
        let errors = errors(folder.path(), &arguments);
        let found = |(code, message): &(String, String)| code == "E0006" && message.contains(named);
        if !errors.iter().any(found) {
            wrong.push(format!("{text}\n`{named}` is not in {errors:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
