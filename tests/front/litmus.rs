//! The litmus front end against tests that others wrote.

mod sc;

use proptest::prelude::*;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use support::Missing;
use support::random::properties;
use wmbmc::base::diag::Diag;
use wmbmc::base::source::SourceMap;
use wmbmc::front::litmus;
use wmbmc::ir::litmus::{Condition, LitmusTest, Operand};
use wmbmc::ir::program::ObservableId;
use wmbmc::ir::{display, validate};
use wmbmc::lower;
use wmbmc::report;

fn data() -> PathBuf {
    support::data().join("litmus")
}

/// All litmus tests below a folder next to the repository.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["x86", "ppc", "ppc-campaign"] {
        let Ok(entries) = std::fs::read_dir(data().join(folder)) else {
            continue;
        };
        files.extend(entries.filter_map(|e| Some(e.ok()?.path())));
    }
    files.retain(|f| f.extension().is_some_and(|e| e == "litmus"));
    files.sort();
    files
}

/// Reads and lowers a file; messages as the user would see them.
fn lowered(path: &Path) -> Result<LitmusTest, String> {
    let mut sources = SourceMap::default();
    let render = |sources: &SourceMap, errors: Vec<Diag>| {
        let all = errors.iter().map(|e| e.render(sources, false));
        all.collect::<String>()
    };
    let test = litmus::parse(&mut sources, path).map_err(|e| render(&sources, e))?;
    let test = lower::litmus::lower(&sources, &test).map_err(|e| render(&sources, e))?;
    validate::check(&test.program).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(test)
}

#[test]
fn every_recorded_test_is_accepted() {
    let files = files();
    if files.is_empty() {
        support::skipped(Missing::Data("litmus"));
        return;
    }
    let refused: Vec<String> = files.par_iter().filter_map(|f| lowered(f).err()).collect();
    assert!(
        refused.is_empty(),
        "{} refused:\n{}",
        refused.len(),
        refused.join("\n")
    );
}

/// The recorded answers: for each file its columns by name.
fn verdicts() -> BTreeMap<String, BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    let text = std::fs::read_to_string(data().join("verdicts.csv")).unwrap_or_default();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    for line in lines {
        let fields = head.iter().zip(line.split(','));
        let row: BTreeMap<String, String> = fields
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect();
        all.insert(row["file"].clone(), row);
    }
    all
}

/// How many final states there are in which the condition holds, and in which not.
fn count(test: &LitmusTest) -> Result<Option<(usize, usize)>, String> {
    let program = &test.program;
    let address = sc::address_of(program);
    let Some(finals) = sc::final_states(test)? else {
        return Ok(None);
    };
    let shown: BTreeMap<Vec<u64>, bool> = finals
        .iter()
        .map(|state| {
            let value = |id| state[&id];
            let seen = test
                .final_condition
                .shown
                .iter()
                .map(|id| state[id])
                .collect();
            let holds = test
                .final_condition
                .condition
                .holds(&value, &address, program);
            (seen, holds)
        })
        .collect();
    let holding = shown.values().filter(|h| **h).count();
    Ok(Some((holding, shown.len() - holding)))
}

#[test]
fn answers_under_sequential_consistency_are_herds() {
    let verdicts = verdicts();
    if verdicts.is_empty() {
        support::skipped(Missing::Data("litmus"));
        return;
    }
    let wrong: Vec<String> = files()
        .par_iter()
        .filter_map(|path| {
            let name = path.strip_prefix(data()).ok()?;
            let row = verdicts.get(&format!("litmus/{}", name.display()))?;
            if !matches!(row["threads"].as_str(), "1" | "2") {
                // Left to the tests of the whole pipeline.
                return None;
            }
            let counted = lowered(path).and_then(|t| count(&t));
            differs(row, &counted).then(|| format!("{}: {counted:?} {row:?}", name.display()))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// True unless herd saw the same; what was too much to count is left out.
fn differs(
    row: &BTreeMap<String, String>,
    counted: &Result<Option<(usize, usize)>, String>,
) -> bool {
    match counted {
        Ok(Some((_, 0))) => row["SC"] != "Always",
        Ok(Some((0, _))) => row["SC"] != "Never",
        Ok(Some(_)) => row["SC"] != "Sometimes",
        Ok(None) => false,
        Err(_) => true,
    }
}

/// Every message about a text as `line:column: sentence`.
fn messages(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("t.litmus", text);
    let errors = match litmus::parse_file(&sources, file) {
        Ok(test) => lower::litmus::lower(&sources, &test)
            .err()
            .unwrap_or_default(),
        Err(errors) => errors,
    };
    let place = |e: &Diag| {
        let span = e.labels[0].0;
        assert_eq!(span.file, file);
        let at = sources.line_col(file, span.start);
        format!("{}:{}: {}", at.line, at.col, e.message)
    };
    errors.iter().map(place).collect()
}

/// What is said about a cell of Power, which stands alone in line 4 from column 2 on.
fn about_ppc(cell: &str) -> Vec<String> {
    messages(&format!(
        "PPC t\n{{ 0:r2=x; }}\n P0 ;\n {cell} ;\nexists (x=1)\n"
    ))
}

/// The same of x86.
fn about_x86(cell: &str) -> Vec<String> {
    messages(&format!(
        "X86 t\n{{ x=0; }}\n P0 ;\n {cell} ;\nexists (x=1)\n"
    ))
}

/// What is said about a condition, which begins in line 4 at column 9.
fn about_condition(condition: &str) -> Vec<String> {
    let init = "0:r2=x; z[2]={1,2};";
    messages(&format!(
        "PPC t\n{{ {init} }}\n P0 | P3 ; nop | nop ;\nexists ({condition}\n"
    ))
}

/// What is said about an initial state, which begins in line 2 at column 3.
fn about_init(init: &str) -> Vec<String> {
    messages(&format!(
        "PPC t\n{{ {init} }}\n P0 ;\n nop ;\nexists (x=1)\n"
    ))
}

#[test]
fn the_header_is_checked() {
    assert_eq!(
        messages(""),
        ["1:1: expected a litmus test, found the end of the file"]
    );
    assert_eq!(
        messages("VAX t\n{}\n"),
        ["1:1: tests of the instruction set `VAX` are not supported"]
    );
    assert_eq!(
        messages("PPC\n{}\n"),
        ["1:4: expected the name of the test"]
    );
    assert_eq!(
        messages("PPC t (* {}"),
        ["1:7: this comment is never closed"]
    );
    assert_eq!(
        messages("PPC t\nA=b\n"),
        ["3:1: expected the initial state in `{ }`, found the end of the file"]
    );
}

#[test]
fn the_initial_state_is_checked() {
    assert_eq!(
        about_init("0:r99=1; x=q[; 0:r3=+;"),
        [
            "2:5: `r99` is no register of PPC",
            "2:15: expected `;` or `}`, found `[`",
            "2:23: expected a number or a location, found `+`",
        ]
    );
    assert_eq!(
        about_init("float x=1;"),
        ["2:3: `float` is no type that is known"]
    );
    assert_eq!(about_init("x=1; x=2;"), ["2:8: `x` has two initial values"]);
    assert_eq!(about_init("1:r1=x;"), ["2:3: there is no thread P1"]);
    assert_eq!(
        about_init("x[2]={1,2,3};"),
        ["2:3: `x` has 2 elements, and 3 values are given"]
    );
    assert_eq!(
        about_init("x[2]=3;"),
        ["2:5: the values of an array are written in braces"]
    );
    assert_eq!(
        about_init("x=99999999999999999999;"),
        ["2:5: `99999999999999999999` does not fit 64 bits"]
    );
    assert_eq!(about_init("x=12ab;"), ["2:5: `12ab` is no number"]);
    assert_eq!(
        about_init("char c[1]; int x[2];"),
        ["2:14: an array of 32-bit elements in a test whose cells have 8 bits"]
    );
}

#[test]
fn cells_are_checked() {
    assert_eq!(
        about_ppc("dcbz r1,r2"),
        ["4:2: the instruction `dcbz` of PPC is not supported"]
    );
    assert_eq!(
        about_ppc("lwz r1,x"),
        ["4:9: expected an offset, found `x`"]
    );
    assert_eq!(
        about_ppc("li r1,70000"),
        ["4:8: `70000` does not fit 16 bits"]
    );
    assert_eq!(
        about_ppc("slwi r1,r2,32"),
        ["4:13: `32` is not between 0 and 31"]
    );
    assert_eq!(about_ppc("beq Out"), ["4:6: P0 has no label `Out`"]);
    assert_eq!(
        about_ppc("L: L: nop"),
        ["4:5: the label `L` is there twice"]
    );
    assert_eq!(
        about_ppc("cmpw cr8,r1,r2"),
        ["4:7: `cr8` is no field of the condition register"]
    );
    assert_eq!(
        about_ppc("lwz r1,4(r2)"),
        ["4:9: the offset 4 leads to no location: accesses to parts are not supported"]
    );
    assert_eq!(
        about_ppc("nop | nop"),
        ["4:8: column 2 has no thread above it"]
    );
    assert_eq!(
        about_ppc("li r1,1 li"),
        ["4:10: expected `|` or `;`, found `li`"]
    );
    assert_eq!(about_ppc("é"), ["4:2: expected an instruction, found `é`"]);
    assert_eq!(
        about_x86("mov [x],[x]"),
        ["4:10: only one operand can be in memory"]
    );
    assert_eq!(about_x86("mov x,$1"), ["4:6: `x` is no register of X86"]);
    assert_eq!(
        about_x86("lock mov [x],$1"),
        ["4:2: `lock` cannot stand before `mov` here"]
    );
    assert_eq!(
        about_x86("vaddps EAX,EBX"),
        ["4:2: the instruction `vaddps` of X86 is not supported"]
    );
    assert_eq!(
        about_x86("mov [x],$0x100000000"),
        ["4:11: `4294967296` does not fit 32 bits"]
    );
}

#[test]
fn one_wrong_cell_does_not_hide_the_next() {
    let text = "PPC t\n{}\n P0 | P1 ;\n foo | bar ;\n li r1,1 | lwz r1 ;\nexists (x=\n";
    assert_eq!(
        messages(text),
        [
            "4:2: the instruction `foo` of PPC is not supported",
            "4:8: the instruction `bar` of PPC is not supported",
            "5:19: expected `,`, found `;`",
            "7:1: expected a number, a location or a register, found the end of the file",
        ]
    );
}

#[test]
fn the_condition_is_checked() {
    assert_eq!(
        about_condition("x=1"),
        ["5:1: expected `)`, `/\\`, `\\/` or `=>`, found the end of the file"]
    );
    assert_eq!(about_condition("7:r1=1)"), ["4:9: there is no thread P7"]);
    assert_eq!(about_condition("r1)"), ["4:11: expected `=`, found `)`"]);
    assert_eq!(about_condition("x[0]=1)"), ["4:9: `x` is no array"]);
    assert_eq!(
        about_condition("z[2]=1)"),
        ["4:11: `z` has 2 elements, there is no `z[2]`"]
    );
    assert_eq!(
        about_condition("x=1) nonsense"),
        ["4:14: expected the end of the condition, found `nonsense`"]
    );
    assert_eq!(
        about_condition("fault(P0,x))"),
        ["4:9: conditions about faults are not supported"]
    );
    let deep = "(".repeat(1000);
    assert_eq!(
        about_condition(&deep),
        ["4:208: nested more than 200 levels deep"]
    );
}

#[test]
fn words_of_64_bits_are_used_where_the_test_does() {
    assert!(about_ppc("ld r1,0(r2)").is_empty());
    assert_eq!(
        messages("PPC t\n{ int x[2]; 0:r2=x; }\n P0 ;\n ld r1,0(r2) ;\nexists (0:r1=1)\n"),
        ["4:5: an access of 64 bits to cells of 32: accesses of mixed size are not supported"]
    );
}

/// `r1#4:i32` as `r1:i32`.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split('#');
    let first = parts.next().unwrap_or_default().to_string();
    let rest = parts.map(|p| p.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.fold(first, |all, part| all + part)
}

/// The instructions of the first thread behind the initial values of its registers.
fn code(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("t.litmus", text);
    let test = litmus::parse_file(&sources, file)
        .and_then(|t| lower::litmus::lower(&sources, &t))
        .unwrap_or_else(|e| panic!("{}", e[0].render(&sources, false)));
    assert_eq!(validate::check(&test.program), Ok(()));
    let proc = test.program.procs.iter().next().expect("there is a thread");
    let named = proc.locals.iter().filter(|l| !l.name.is_empty()).count();
    proc.body[named..]
        .iter()
        .map(|i| {
            let op = display::op(&test.program, proc, &i.op);
            format!("{}: {}", sources.snippet(i.span), without_numbers(&op))
        })
        .collect()
}

#[test]
fn instructions_of_power_mean_what_the_architecture_says() {
    let ppc = |cells: &str, final_condition: &str| {
        code(&format!(
            "PPC t\n{{ 0:r2=x; }}\n P0 ;\n {cells} ;\n{final_condition}\n"
        ))
    };
    assert_eq!(
        ppc(
            "xor r3,r1,r1 ; lwzx r4,r3,r2 ; cmpwi cr1,r4,-1 ; bne- cr1,L ; L: lwsync",
            ""
        ),
        [
            "xor r3,r1,r1: r3:i32 := (r1 ^ r1)",
            "lwzx r4,r3,r2: r4:i32 := load [(r3 + r2)]",
            "cmpwi cr1,r4,-1: cr1.eq:i1 := (r4 == -1)",
            "bne- cr1,L: if ~cr1.eq goto L9",
            "lwsync: fence lwsync",
        ]
    );
    assert_eq!(
        ppc("lbz r1,0(r2) ; stb r1,0(r2) ; lis r3,1", "exists (0:r1=0)"),
        [
            "lbz r1,0(r2): %2:i32 := load [r2]",
            "lbz r1,0(r2): r1:i32 := zext32(trunc8(%2))",
            "stb r1,0(r2): store [r2] := zext32(trunc8(r1))",
            "lis r3,1: r3:i32 := 65536",
            "P0: observe o0 := r1",
        ]
    );
    assert_eq!(
        ppc(
            "L: lwarx r1,r0,r2 ; stwcx. r3,r0,r2 ; bne L ; slwi r3,r3,4",
            ""
        ),
        [
            "lwarx r1,r0,r2: r1:i32 := load.linked [(r0 + r2)]",
            "stwcx. r3,r0,r2: cr0.eq:i1 := store.conditional [(r0 + r2)] := r3",
            "bne L: if ~cr0.eq goto L5",
            "slwi r3,r3,4: r3:i32 := (((r3 << 4) | (r3 >>u 28)) & -16)",
        ]
    );
    assert_eq!(
        ppc("lwa r1,0(r2) ; stw r1,0(r2) ; b L ; L:", ""),
        [
            "lwa r1,0(r2): %2:i64 := load [r2]",
            "lwa r1,0(r2): r1:i64 := sext64(trunc32(%2))",
            "stw r1,0(r2): store [r2] := zext64(trunc32(r1))",
            "b L: goto L6",
        ]
    );
}

#[test]
fn instructions_of_x86_mean_what_the_architecture_says() {
    let x86 = |cells: &str| code(&format!("X86 t\n{{}}\n P0 ;\n {cells} ;\n"));
    assert_eq!(
        x86("XCHG EAX,[x] ; lock incl DWORD PTR [x] ; dec [x] ; mov [EAX],$-1"),
        [
            "XCHG EAX,[x]: %1:i32 := rmw.exchange.locked [&x], EAX",
            "XCHG EAX,[x]: EAX:i32 := %1",
            "lock incl DWORD PTR [x]: %2:i32 := rmw.add.locked [&x], 1",
            "dec [x]: %3:i32 := load [&x]",
            "dec [x]: store [&x] := (%3 - 1)",
            "mov [EAX],$-1: store [EAX] := -1",
        ]
    );
    assert_eq!(
        x86("L: cmp EAX,EBX ; jb L ; test EAX,EAX ; jne L"),
        [
            "cmp EAX,EBX: CF:i1 := (EAX <u EBX)",
            "cmp EAX,EBX: ZF:i1 := ((EAX - EBX) == 0)",
            "jb L: if CF goto L4",
            "test EAX,EAX: CF:i1 := 0",
            "test EAX,EAX: ZF:i1 := ((EAX & EAX) == 0)",
            "jne L: if ~ZF goto L4",
        ]
    );
    assert_eq!(
        x86("lock cmpxchg [x],EBX"),
        [
            "lock cmpxchg [x],EBX: %2:i32 := cas.locked.locked [&x], EAX, EBX",
            "lock cmpxchg [x],EBX: EAX:i32 := %2",
        ]
    );
}

#[test]
fn the_question_is_printed_as_herd_does() {
    let final_condition = |text: &str| {
        let mut sources = SourceMap::default();
        let text = format!("X86 t\n{{ z[2]; }}\n P0 | P1 ; nop | nop ;\n{text}\n");
        let file = sources.add("t.litmus", text);
        let test = litmus::parse_file(&sources, file)
            .and_then(|t| lower::litmus::lower(&sources, &t))
            .unwrap_or_else(|e| panic!("{}", e[0].render(&sources, false)));
        test.final_condition
    };
    let printed = |text: &str| final_condition(text).text;
    assert_eq!(
        printed("exists ((0:EAX=0x10) /\\\n [x]=2 /\\ (x=1 \\/ z[1]=-3))"),
        "(0:EAX=16 /\\ [x]=2 /\\ ([x]=1 \\/ z[1]=-3))"
    );
    assert_eq!(
        printed("forall (x=1 /\\ y=1 \\/ ~x=2)"),
        "([x]=1 /\\ [y]=1 \\/ not ([x]=2))"
    );
    assert_eq!(
        printed("final (x=1 => (y=1 /\\ x<>0) => true); with tso: ~exists;"),
        "([x]=1 => ([y]=1 /\\ not ([x]=0)) => true)"
    );
    assert_eq!(
        printed("observed P0:EAX=1; x=2; and x=y;"),
        "(0:EAX=1 /\\ [x]=2 \\/ [x]=y)"
    );
    let shown =
        final_condition("locations [y; 1:EAX; x;] exists (1:ECX=0 /\\ 0:EBX=0 /\\ 1:EAX=0)");
    assert_eq!(shown.shown.len(), 5);
    assert_eq!(shown.condition, question_of(&[(2, 0), (0, 0), (1, 0)]));
}

/// The conjunction of observables that have a value.
fn question_of(all: &[(u32, u64)]) -> Condition {
    let atom = |(id, n): &(u32, u64)| Condition::Equal(ObservableId(*id), Operand::Number(*n));
    Condition::And(all.iter().map(atom).collect())
}

/// Pieces of tests, in any order.
const SOUP: &[&str] = &[
    "PPC",
    "X86",
    " t",
    "\n",
    "{",
    "}",
    ";",
    "|",
    " P0",
    " P1",
    "exists",
    "~",
    "forall",
    "locations",
    "filter",
    "final",
    "observed",
    "(",
    ")",
    "[",
    "]",
    "x",
    "y",
    "=",
    "0:",
    "1:",
    "r1",
    "r2",
    "EAX",
    "EBX",
    ",",
    "$",
    "%",
    "1",
    "-",
    "0x10",
    "99999999999999999999",
    "li ",
    "lwz ",
    "stw ",
    "xor ",
    "mov ",
    "xchg ",
    "lock ",
    "add ",
    "beq ",
    "jne ",
    "L",
    ":",
    "cmpw ",
    "/\\",
    "\\/",
    "=>",
    "<>",
    "not ",
    "true",
    "int ",
    "(*",
    "*)",
    "\"",
    "<<",
    "with",
    "é",
    "*",
    "&",
    "stwcx. ",
    "rlwinm ",
    "slwi ",
];

fn soup(length: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(SOUP), 0..length).prop_map(|v| v.concat())
}

proptest! {
    #![proptest_config(properties(256))]

    #[test]
    fn no_text_makes_it_panic(text in soup(60)) {
        messages_of_anything(&text);
    }

    #[test]
    fn no_program_makes_it_panic(body in soup(40), final_condition in soup(20)) {
        for set in ["PPC", "X86"] {
            let head = format!("{set} t\n{{ x=1; 0:{}=x; }}\n P0 | P1 ;\n", if set == "PPC" { "r2" } else { "EBX" });
            messages_of_anything(&format!("{head}{body};\nexists ({final_condition})\n"));
        }
    }

    #[test]
    fn no_bytes_make_it_panic(text in ".{0,80}") {
        messages_of_anything(&format!("PPC t\n{{{text}"));
        messages_of_anything(&text);
    }
}

/// Reads and lowers, and holds what is accepted to the rules of the intermediate language.
fn messages_of_anything(text: &str) {
    let mut sources = SourceMap::default();
    let file = sources.add("t.litmus", text);
    if let Ok(test) = litmus::parse_file(&sources, file)
        && let Ok(test) = lower::litmus::lower(&sources, &test)
    {
        assert_eq!(validate::check(&test.program), Ok(()));
        // An error is an answer too.
        let _ = report::c::program(&test);
    }
}
