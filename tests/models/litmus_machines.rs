//! Both engines against the recorded answers to tests for ARMv8 and RISC-V.
//!
//! Where herd7 was run on a test, the table has in how many executions the condition holds and in how
//! many it does not: enumeration must find the same numbers, and the solver the same final states as
//! enumeration. Where only Dartagnan's answer is there, both must give that one. The table is not part
//! of the repository; the test is skipped where it is absent.
//!
//! A sample is taken; `WMBMC_LITMUS=all` takes all of them, and `WMBMC_LITMUS=<text>` those whose name
//! contains a text. Of the tests that are generated for both machines, in C11 and for the kernel there are
//! 1000 each, and both engines must find the same final states; the sample has 60 of each.

use rayon::prelude::*;
use std::path::PathBuf;
use support::Missing;
use support::litmus::{Counts, enumerated, has_loop, read, solved};
use wmbmc::base::source::SourceMap;
use wmbmc::cat;
use wmbmc::cat::model::Model;
use wmbmc::front::litmus;
use wmbmc::generate::arch::{Arch, aarch64::Aarch64, c11::C11, lkmm::Lkmm, riscv::Riscv};
use wmbmc::generate::search::Search;
use wmbmc::generate::suite::systematic;
use wmbmc::generate::{of_cycles, ordered};
use wmbmc::ir::litmus::{LitmusTest, Quantifier};
use wmbmc::lower;

/// One in so many tests is looked at.
const SAMPLE: usize = 10;

/// What may be skipped, of a hundred.
const MOST_SKIPPED: usize = 3;

struct Recorded {
    file: String,
    model: &'static str,
    counts: Option<Counts>,
    /// By Dartagnan: the condition can hold, or for `~exists` and `forall` it always does.
    expected: Option<bool>,
}

fn folder() -> PathBuf {
    support::data().join("litmus-more")
}

fn recorded() -> Option<Vec<Recorded>> {
    let text = std::fs::read_to_string(folder().join("verdicts.csv")).ok()?;
    let mut rows = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let model = match cells[1] {
            "AArch64" => "aarch64",
            "RISCV" => "riscv",
            _ => continue,
        };
        let number = |at: usize| cells[at].parse::<u64>().ok();
        rows.push(Recorded {
            file: cells[0].to_string(),
            model,
            counts: number(6).zip(number(7)),
            expected: number(9).map(|n| n == 1),
        });
    }
    Some(rows)
}

/// What is wrong with the answers to a test; an error: it was not answered, and why.
fn judged(row: &Recorded) -> Result<Vec<String>, String> {
    let (sources, test) = read(&folder().join(&row.file))?;
    let model: Model = cat::builtin(row.model).ok_or("no such model")?;
    let models = [model];
    let one = enumerated(&test, &models)?;
    let two = solved(&sources, &test.program, &test.final_condition, &models)?;
    let (found, states) = &one[0];
    let mut wrong = Vec::new();
    if states != &two[0] {
        wrong.push(format!(
            "{}: enumerated {states:?}, solved {:?}",
            row.file, two[0]
        ));
    }
    if let Some(expected) = row.counts {
        let same = match has_loop(&test.program) {
            false => *found == expected,
            true => (found.0 > 0, found.1 > 0) == (expected.0 > 0, expected.1 > 0),
        };
        if !same {
            wrong.push(format!("{}: {found:?}, recorded is {expected:?}", row.file));
        }
    }
    let holds = match test.final_condition.quantifier {
        Quantifier::Exists => found.0 > 0,
        Quantifier::NotExists => found.0 == 0,
        Quantifier::Forall => found.1 == 0,
    };
    if row.expected.is_some_and(|expected| expected != holds) {
        wrong.push(format!("{}: {holds}, Dartagnan says otherwise", row.file));
    }
    Ok(wrong)
}

#[test]
fn both_engines_answer_as_recorded_for_arm_and_riscv() {
    let Some(mut rows) = recorded() else {
        support::skipped(Missing::Data("litmus-more"));
        return;
    };
    let wanted = std::env::var("WMBMC_LITMUS").unwrap_or_default();
    if wanted.is_empty() {
        rows = rows.into_iter().step_by(SAMPLE).collect();
    } else if wanted != "all" {
        rows.retain(|row| row.file.contains(&wanted));
    }
    let answers: Vec<_> = rows.par_iter().map(|row| (row, judged(row))).collect();
    let (mut wrong, mut skipped) = (Vec::new(), Vec::new());
    for (row, answer) in answers {
        match answer {
            Ok(some) => wrong.extend(some),
            Err(reason) => skipped.push(format!("{}: {reason}", row.file)),
        }
    }
    println!("skipped {}:\n{}", skipped.len(), skipped.join("\n"));
    assert!(
        wrong.is_empty(),
        "{} answers to {} tests differ:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
    assert!(
        skipped.len() * 100 <= rows.len() * MOST_SKIPPED,
        "{} of {} tests are not answered",
        skipped.len(),
        rows.len()
    );
}

/// A test as text, or all that is wrong with it.
fn lowered(text: &str) -> Result<(SourceMap, LitmusTest), String> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.litmus", text);
    let test =
        litmus::parse_file(&sources, file).and_then(|test| lower::litmus::lower(&sources, &test));
    match test {
        Ok(test) => Ok((sources, test)),
        Err(errors) => {
            let all = errors.iter().map(|e| e.render(&sources, false));
            Err(all.collect())
        }
    }
}

/// A test with one thread.
fn of_one_thread(machine: &str, instruction: &str) -> String {
    let init = match machine {
        "AArch64" => "0:X1=x;",
        _ => "0:x6=x;",
    };
    format!("{machine} one\n{{ {init} }}\n P0 ;\n {instruction} ;\nexists (x=1)\n")
}

#[test]
fn what_is_not_supported_is_named_with_its_place() {
    let refused = [
        ("AArch64", "STG X0,[X1]", "memory tagging"),
        ("AArch64", "LDP X0,X2,[X1]", "pairs of registers"),
        ("AArch64", "IC IVAU,X1", "maintenance of caches"),
        ("AArch64", "TLBI VAAE1IS,X1", "page tables"),
        ("AArch64", "LD1 {V0.4S},[X1]", "vectors"),
        ("AArch64", "CSEL X0,X2,X3,XX", "no condition"),
        ("AArch64", "DMB NSH", "one processor"),
        ("AArch64", "DMB FOO", "no option of a barrier"),
        ("AArch64", "LDR W0,[W1]", "an `X` register"),
        ("AArch64", "LDAR W0,[X1,#8]", "no offset"),
        ("AArch64", "LDRB X0,[X1]", "an access of 8 bits"),
        ("AArch64", "LDR W31,[X1]", "no register of AArch64"),
        ("AArch64", "CMP W0,X1", "size of the target"),
        ("AArch64", "TBZ W0,#32,L", "not between 0 and 31"),
        ("RISCV", "lw x5,4096(x6)", "between -2048 and 2047"),
        ("RISCV", "fence q,w", "which accesses"),
        ("RISCV", "amomax.w x5,x7,(x6)", "not supported"),
        ("RISCV", "lbu.aq x5", "expected `,`"),
        ("RISCV", "vle8.v v0,(x6)", "not supported"),
        ("RISCV", "lw x5,4(x6)", "leads to no location"),
        ("RISCV", "slli x5,x5,64", "between 0 and 63"),
    ];
    for (machine, instruction, expected) in refused {
        let error = lowered(&of_one_thread(machine, instruction));
        let error = error
            .err()
            .unwrap_or_else(|| panic!("`{instruction}` is read"));
        assert!(error.contains(expected), "{instruction}: {error}");
        assert!(error.contains("test.litmus:4:"), "{instruction}: {error}");
    }
}

#[test]
fn nothing_that_is_cut_off_or_changed_panics() {
    let tests = [
        of_one_thread(
            "AArch64",
            "CASAL W2,W3,[X1] ; LDR W0,[X1,W2,SXTW #2] ; B.NE L ; L: ISB",
        ),
        of_one_thread(
            "RISCV",
            "amoadd.w.aq.rl x5,x7,0(x6) ; bne x5,x0,L ; L: fence rw,rw",
        ),
    ];
    for test in tests {
        assert!(lowered(&test).is_ok(), "{test}");
        for at in 0..test.len() {
            let _ = lowered(&test[..at]);
            for other in ["[", ",", "#", "-1", ";", "|", "9999999999999999999999", "é"] {
                let _ = lowered(&format!("{}{other}{}", &test[..at], &test[at + 1..]));
            }
        }
    }
}

/// So many tests, evenly taken from those of up to five candidates.
fn generated(arch: &dyn Arch, count: usize) -> Vec<String> {
    let search = Search {
        size: 5,
        threads: 2..=3,
        ..systematic(arch)
    };
    let tests = wmbmc::generate::of_search(arch, &search).tests;
    let every = tests.len().max(1);
    let taken = (0..count.min(every)).map(|i| tests[i * every / count.min(every)].text());
    taken.collect()
}

/// What a selection took is stored, read again, and then a write waits for that read: the register that the
/// condition was on is before that write (`pick-lob` of the published text).
const PICK: &str = "\
AArch64 pick-lob
{ 0:X1=x; 0:X5=y; 0:X8=z; 1:X1=x; 1:X8=z; }
 P0               | P1          ;
 LDR W0,[X1]      | LDR W0,[X8] ;
 CMP W0,#5        | DMB SY      ;
 MOV W3,#1        | MOV W2,#1   ;
 MOV W4,#1        | STR W2,[X1] ;
 CSEL W2,W3,W4,EQ |             ;
 STR W2,[X5]      |             ;
 LDAR W6,[X5]     |             ;
 MOV W7,#1        |             ;
 STR W7,[X8]      |             ;
exists (0:X0=1 /\\ 1:X0=1)
";

#[test]
fn what_was_picked_is_before_what_waits_for_it() {
    for (text, expected) in [
        (PICK.to_string(), false),
        (PICK.replace("LDAR", "LDR"), true),
    ] {
        let (sources, test) = lowered(&text).unwrap_or_else(|e| panic!("{text}{e}"));
        let models = [cat::builtin("aarch64").expect("built in")];
        let one = enumerated(&test, &models).expect("a small test");
        let two = solved(&sources, &test.program, &test.final_condition, &models);
        assert_eq!(one[0].1, two.expect("a small test")[0], "{text}");
        assert_eq!(one[0].0.0 > 0, expected, "{text}");
    }
}

/// So many tests in a language, evenly taken from all shapes with all memory orders.
fn generated_in(language: &dyn Arch, count: usize) -> Vec<String> {
    let cycles = ordered::systematic(language);
    let taken = (0..count).map(|i| cycles[i * cycles.len() / count].clone());
    let tests = of_cycles(language, &taken.collect::<Vec<_>>()).tests;
    tests.iter().map(|test| test.text()).collect()
}

/// A test, the model, and whether its condition can hold.
const INSTRUCTIONS: [(&str, &str, bool); 15] = [
    (
        "aarch64",
        "MOV W2,#4 ; CMP W2,#4 ; CSET W3,EQ ; STR W3,[X1]",
        true,
    ),
    (
        "aarch64",
        "MOV W2,#4 ; MOV W3,#1 ; CMP W2,#5 ; CSEL W4,W2,W3,HS ; STR W4,[X1]",
        true,
    ),
    (
        "aarch64",
        "CMP W2,#0 ; CSINV W3,W2,WZR,NE ; CSNEG W3,W2,W3,NE ; STR W3,[X1]",
        true,
    ),
    (
        "aarch64",
        "MOV W2,#1 ; LDADD W2,W3,[X1] ; CMP W3,#0 ; B.NE L ; L:",
        true,
    ),
    (
        "aarch64",
        "MOV W2,#3 ; STR W2,[X1] ; MOV W2,#2 ; STCLR W2,[X1]",
        true,
    ),
    (
        "aarch64",
        "MOV W2,#0 ; MOV W3,#1 ; CAS W2,W3,[X1] ; CBZ W2,L ; STR WZR,[X1] ; L:",
        true,
    ),
    ("aarch64", "MOV W2,#7 ; MOV W3,#1 ; CASAL W2,W3,[X1]", false),
    ("aarch64", "MOV W2,#-1 ; LSR W2,W2,#31 ; STR W2,[X1]", true),
    (
        "aarch64",
        "MOV W2,#5 ; SUBS W2,W2,#6 ; B.GE L ; MOV W2,#1 ; L: STR W2,[X1]",
        true,
    ),
    (
        "aarch64",
        "MOV W2,#1 ; STR W2,[X1],#8 ; LDR W3,[X1,#-8]!",
        false,
    ),
    (
        "riscv",
        "ori x5,x0,1 ; lr.w x7,0(x6) ; sc.w x8,x5,0(x6)",
        true,
    ),
    ("riscv", "ori x5,x0,1 ; sc.w x8,x5,0(x6)", false),
    ("riscv", "li x5,-1 ; srliw x5,x5,31 ; sw x5,(x6)", true),
    (
        "riscv",
        "li x5,1 ; slli x5,x5,31 ; addiw x5,x5,0 ; slt x5,x5,x0 ; sd x5,(x6)",
        true,
    ),
    (
        "riscv",
        "li x5,3 ; amoswap.w x0,x5,(x6) ; li x5,1 ; amoand.w x7,x5,(x6)",
        true,
    ),
];

#[test]
fn instructions_do_what_they_say() {
    for (model, code, expected) in INSTRUCTIONS {
        let machine = if model == "riscv" { "RISCV" } else { "AArch64" };
        let read = lowered(&of_one_thread(machine, code));
        let (sources, test) = match read {
            Ok(read) => read,
            // Offsets are for arrays.
            Err(error) => {
                assert!(!expected && error.contains("offset"), "{code}: {error}");
                continue;
            }
        };
        let models = [cat::builtin(model).expect("built in")];
        let one = enumerated(&test, &models).expect("a small test");
        let two = solved(&sources, &test.program, &test.final_condition, &models);
        assert_eq!(one[0].1, two.expect("a small test")[0], "{code}");
        assert_eq!(one[0].0.0 > 0, expected, "{code}");
    }
}

#[test]
fn both_engines_agree_on_generated_tests() {
    let wanted = std::env::var("WMBMC_LITMUS").unwrap_or_default();
    let few = if wanted == "all" { 1000 } else { 60 };
    let suites = [
        (generated(&Aarch64, 1000), "aarch64"),
        (generated(&Riscv, 1000), "riscv"),
        (generated_in(&C11, 1000), "rc11"),
        (generated_in(&Lkmm, 1000), "lkmm"),
    ];
    for (texts, model) in suites {
        assert_eq!(texts.len(), 1000, "{model}");
        let step = texts.len() / few;
        let texts: Vec<&String> = texts.iter().step_by(step).collect();
        let models = [cat::builtin(model).expect("built in")];
        let wrong: Vec<String> = texts
            .par_iter()
            .filter_map(|text| {
                let (sources, test) = lowered(text).unwrap_or_else(|e| panic!("{text}{e}"));
                let one = enumerated(&test, &models).unwrap_or_else(|e| panic!("{text}{e}"));
                let two = solved(&sources, &test.program, &test.final_condition, &models);
                let two = two.unwrap_or_else(|e| panic!("{text}{e}"));
                (one[0].1 != two[0]).then(|| (*text).clone())
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Message passing in C, with what the macros put before and behind the accesses to the flag.
const MESSAGE: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
int data;
atomic_int flag;
void *writer(void *unused) {
  data = 1;
  BEFORE;
  STORE;
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  int ready = LOAD;
  BEHIND;
  if (ready) assert(data == 1);
  pthread_join(thread, 0);
  return 0;
}
";

/// The models, what stands in the places of the macros, and the verdict.
const COMPILED: [(&[&str], [&str; 4], &str); 12] = [
    (&["aarch64", "riscv"], ["", "flag = 1", "flag", ""], "SAFE"),
    (
        &["aarch64", "riscv"],
        [
            "",
            "atomic_store_explicit(&flag, 1, memory_order_release)",
            "atomic_load_explicit(&flag, memory_order_acquire)",
            "",
        ],
        "SAFE",
    ),
    (
        &["aarch64", "riscv"],
        [
            "",
            "atomic_store_explicit(&flag, 1, memory_order_relaxed)",
            "atomic_load_explicit(&flag, memory_order_acquire)",
            "",
        ],
        "UNSAFE",
    ),
    (
        &["aarch64", "riscv"],
        [
            "",
            "atomic_fetch_add_explicit(&flag, 1, memory_order_release)",
            "atomic_fetch_add_explicit(&flag, 0, memory_order_acquire)",
            "",
        ],
        "SAFE",
    ),
    (
        &["aarch64", "riscv"],
        [
            "",
            "atomic_fetch_add_explicit(&flag, 1, memory_order_acquire)",
            "atomic_fetch_add_explicit(&flag, 0, memory_order_acquire)",
            "",
        ],
        "UNSAFE",
    ),
    (
        &["aarch64", "riscv"],
        [
            "atomic_thread_fence(memory_order_release)",
            "atomic_store_explicit(&flag, 1, memory_order_relaxed)",
            "atomic_load_explicit(&flag, memory_order_relaxed)",
            "atomic_thread_fence(memory_order_acquire)",
        ],
        "SAFE",
    ),
    (
        &["aarch64"],
        [
            "__asm__ volatile(\"dmb ishst\" : : : \"memory\")",
            "atomic_store_explicit(&flag, 1, memory_order_relaxed)",
            "atomic_load_explicit(&flag, memory_order_relaxed)",
            "__asm__ volatile(\"dmb ishld\" : : : \"memory\")",
        ],
        "SAFE",
    ),
    (
        &["aarch64"],
        [
            "__asm__ volatile(\"dmb ishld\" : : : \"memory\")",
            "atomic_store_explicit(&flag, 1, memory_order_relaxed)",
            "atomic_load_explicit(&flag, memory_order_relaxed)",
            "__asm__ volatile(\"dmb ishst\" : : : \"memory\")",
        ],
        "UNSAFE",
    ),
    (
        &["aarch64"],
        [
            "",
            "__asm__ volatile(\"stlr %w0, [%1]\" : : \"r\"(1), \"r\"(&flag) : \"memory\")",
            "({ int r; __asm__ volatile(\"ldar %w0, [%1]\" : \"=r\"(r) : \"r\"(&flag) : \"memory\"); r; })",
            "",
        ],
        "SAFE",
    ),
    (
        &["aarch64"],
        [
            "",
            "int old; __asm__ volatile(\"ldaddl %w1, %w0, [%2]\" : \"=r\"(old) : \"r\"(1), \"r\"(&flag) : \"memory\")",
            "({ int r, s; __asm__ volatile(\"1: ldaxr %w0, [%2]; stxr %w1, %w0, [%2]; cbnz %w1, 1b\" : \"=&r\"(r), \"=&r\"(s) : \"r\"(&flag) : \"memory\"); r; })",
            "",
        ],
        "SAFE",
    ),
    (
        &["riscv"],
        [
            "__asm__ volatile(\"fence w,w\" : : : \"memory\")",
            "atomic_store_explicit(&flag, 1, memory_order_relaxed)",
            "atomic_load_explicit(&flag, memory_order_relaxed)",
            "__asm__ volatile(\"fence r,r\" : : : \"memory\")",
        ],
        "SAFE",
    ),
    (
        &["riscv"],
        [
            "__asm__ volatile(\"fence r,rw\" : : : \"memory\")",
            "atomic_store_explicit(&flag, 1, memory_order_relaxed)",
            "atomic_load_explicit(&flag, memory_order_relaxed)",
            "__asm__ volatile(\"fence r,r\" : : : \"memory\")",
        ],
        "UNSAFE",
    ),
];

#[test]
fn c_is_compiled_to_the_machines() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut wrong = Vec::new();
    for (i, (models, [before, store, load, behind], verdict)) in COMPILED.iter().enumerate() {
        let macros = format!(
            "#define BEFORE {before}\n#define STORE {store}\n#define LOAD {load}\n#define BEHIND {behind}\n"
        );
        let file = folder.path().join(format!("{i}.c"));
        let text = format!("{macros}{MESSAGE}");
        std::fs::write(&file, text).expect("the folder is writable");
        for model in *models {
            for engine in ["sat", "enumerate"] {
                let file = file.to_str().expect("UTF-8");
                let output = support::wmbmc([
                    file, "--mm", model, "--engine", engine, "--check", "assert", "--format",
                    "json",
                ]);
                let text = String::from_utf8_lossy(&output.stdout);
                let found = serde_json::from_str::<serde_json::Value>(&text);
                let found = found.map_or(text.to_string(), |v| v["verdict"].to_string());
                if found != format!("\"{verdict}\"") {
                    let errors = String::from_utf8_lossy(&output.stderr);
                    wrong.push(format!("{i} {model} {engine}: {found} {errors}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a selection by a condition orders: a read of what is passed on decides which register is stored,
/// or where is read from next.
#[test]
fn a_selection_orders_later_writes_and_no_reads() {
    let text = |last: &str, asked: &str| {
        format!(
            "AArch64 pick\n{{ 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; 1:X9=x; }}\n P0 | P1 ;\n \
             MOV W0,#1 | LDR W0,[X3] ;\n STR W0,[X1] | CMP W0,#1 ;\n DMB SY | {last} ;\n \
             STR W0,[X3] | ;\nexists ({asked})\n"
        )
    };
    let cases = [
        (
            "CSEL X4,X1,X9,EQ ; | LDR W2,[X4]",
            "1:X0=1 /\\ 1:X2=0",
            true,
        ),
        (
            "MOV W5,#1 ; | CSEL W4,W5,W0,EQ ; | DMB LD ; | LDR W2,[X1]",
            "1:X0=1 /\\ 1:X2=0",
            false,
        ),
        (
            "CSEL X4,X1,X9,EQ ; | LDR W5,[X4] ; | EOR W5,W5,W5 ; | LDR W2,[X9,W5,SXTW]",
            "1:X0=1 /\\ 1:X2=0",
            true,
        ),
        (
            "B.EQ L ; | L: ISB ; | LDR W2,[X1]",
            "1:X0=1 /\\ 1:X2=0",
            false,
        ),
        (
            "MOV W5,#2 ; | CSEL W4,W5,W5,EQ ; | STR W4,[X1]",
            "1:X0=1 /\\ x=1",
            false,
        ),
        (
            "CSEL X4,X1,X9,EQ ; | MOV W5,#2 ; | STR W5,[X4]",
            "1:X0=1 /\\ x=1",
            false,
        ),
    ];
    for (last, asked, expected) in cases {
        let (sources, test) = lowered(&text(last, asked)).unwrap_or_else(|e| panic!("{e}"));
        let models = [cat::builtin("aarch64").expect("built in")];
        let one = enumerated(&test, &models).unwrap_or_else(|e| panic!("{last}: {e}"));
        let two = solved(&sources, &test.program, &test.final_condition, &models);
        assert_eq!(one[0].1, two.expect("a small test")[0], "{last}");
        assert_eq!(one[0].0.0 > 0, expected, "{last}");
    }
}
