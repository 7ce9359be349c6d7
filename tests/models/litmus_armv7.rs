//! Tests for 32-bit ARM on `armv7`: both engines, and the answers of Alglave, Maranget and Tautschnig (Herding Cats,
//! TOPLAS 2014).

use support::builtin;
use support::litmus::{enumerated, solved};
use wmbmc::base::source::SourceMap;
use wmbmc::cat;
use wmbmc::front::litmus;
use wmbmc::lower;

/// The code of a writer of two locations and of a reader, and whether the reader can see the second write without the
/// first one.
const MESSAGE_PASSING: [(&str, &str, bool); 12] = [
    ("NOP", "NOP", true),
    ("DMB", "NOP", true),
    ("NOP", "DMB", true),
    ("DMB", "DMB", false),
    ("DMB ST", "DMB", false),
    ("DSB ST", "DSB", false),
    ("DMB SY", "DMB ST", true),
    ("DMB", "ADDRESS", false),
    ("DSB", "ADDRESS", false),
    ("DMB", "CONTROL", true),
    ("DMB", "CONTROL ISB", false),
    ("NOP", "ADDRESS", true),
];

fn message_passing(between: &str, then: &str) -> String {
    let (compute, load) = match then {
        "ADDRESS" => (vec!["EOR R1,R0,R0"], "LDR R2,[R1,%x1]"),
        "CONTROL" => (vec!["CMP R0,R0", "BNE L0", "L0:"], "LDR R2,[%x1]"),
        "CONTROL ISB" => (vec!["CMP R0,R0", "BNE L0", "L0:", "ISB"], "LDR R2,[%x1]"),
        fence => (vec![fence], "LDR R2,[%x1]"),
    };
    let writer = ["MOV R0,#1", "STR R0,[%x0]", between, "STR R0,[%y0]"];
    let mut reader = vec!["LDR R0,[%y1]"];
    reader.extend(compute);
    reader.push(load);
    let rows = writer.len().max(reader.len());
    let cell = |code: &[&str], row: usize| code.get(row).copied().unwrap_or("").to_string();
    let mut text = "ARM test\n{ %x0=x; %y0=y; %x1=x; %y1=y; }\n P0 | P1 ;\n".to_string();
    for row in 0..rows {
        text += &format!(" {} | {} ;\n", cell(&writer, row), cell(&reader, row));
    }
    text + "exists (1:R0=1 /\\ 1:R2=0)\n"
}

fn can_hold(text: &str) -> bool {
    let mut sources = SourceMap::default();
    let file = sources.add("test.litmus", text);
    let shown = |errors: Vec<wmbmc::base::diag::Diag>| {
        let all = errors.iter().map(|e| e.render(&sources, false));
        all.collect::<String>()
    };
    let test = litmus::parse_file(&sources, file).unwrap_or_else(|e| panic!("{}", shown(e)));
    let test = lower::litmus::lower(&sources, &test).unwrap_or_else(|e| panic!("{}", shown(e)));
    let models = [builtin("armv7"), own_text()];
    let one = enumerated(&test, &models).expect("it is enumerated");
    let two =
        solved(&sources, &test.program, &test.final_condition, &models).expect("it is solved");
    for ((_, states), solved) in one.iter().zip(&two) {
        assert_eq!(states, solved, "{text}");
    }
    assert_eq!(one[0], one[1], "{text}");
    one[0].0.0 > 0
}

/// A text in the names of the published ones.
fn own_text() -> cat::model::Model {
    let text = "ARM \"own\"\n\
        acyclic po-loc | rf | co | fr\n\
        empty rmw & (fre; coe)\n\
        let rdw = po-loc & (fre; rfe)\n\
        let detour = po-loc & (coe; rfe)\n\
        let ci0 = (try ctrlcfence(ctrl, ISB) with 0) | detour\n\
        let ii0 = addr | data | rfi | rdw\n\
        let cc0 = addr | data | ctrl | (addr; po)\n\
        let ic0 = 0\n\
        include \"ppo.cat\"\n\
        let full = (try fencerel(DMB) with 0) | (try fencerel(DSB) with 0)\n\
        let stores = (try fencerel(DMB.ST) with 0) | (try fencerel(DSB.ST) with 0)\n\
        let strong = full | (stores & (W * W))\n\
        let light = 0\n\
        include \"ppc-checks.cat\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("own.cat", text);
    let model = cat::compile(&mut sources, file, "own.cat");
    model.unwrap_or_else(|e| panic!("{}", e[0].render(&sources, false)))
}

#[test]
fn message_passing_needs_what_the_paper_says() {
    for (between, then, expected) in MESSAGE_PASSING {
        let text = message_passing(between, then);
        assert_eq!(can_hold(&text), expected, "{text}");
    }
}

/// Accesses of one location are not in preserved program order where no dependency orders them.
#[test]
fn commits_may_be_early() {
    let text = "ARM early\n{ %x0=x; %y0=y; %x1=x; %y1=y; %z1=z; }\n P0 | P1 ;\n \
        MOV R0,#1 | LDR R0,[%y1] ;\n \
        STR R0,[%x0] | CMP R0,R0 ;\n \
        DMB | BNE L0 ;\n \
        STR R0,[%y0] | L0: ;\n \
        | MOV R1,#1 ;\n \
        | STR R1,[%z1] ;\n \
        | LDR R2,[%z1] ;\n \
        | EOR R3,R2,R2 ;\n \
        | LDR R4,[R3,%x1] ;\n\
        exists (1:R0=1 /\\ 1:R2=1 /\\ 1:R4=0)\n";
    // PPOCA: the read may take the value of the write that is not committed yet.
    assert!(can_hold(text));
}

#[test]
fn registers_are_shown_as_they_are_written() {
    let mut sources = SourceMap::default();
    let file = sources.add("test.litmus", message_passing("DMB", "DMB"));
    let test = litmus::parse_file(&sources, file).expect("it is read");
    let test = lower::litmus::lower(&sources, &test).expect("it is lowered");
    assert_eq!(test.final_condition.text, "(1:R0=1 /\\ 1:R2=0)");
    assert_eq!(test.machine, "ARM");
}
