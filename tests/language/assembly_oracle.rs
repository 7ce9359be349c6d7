//! Operands of assembly statements against the machine: random statements of x86 with random constraints are
//! compiled and run for what they leave in their variables, which is then asserted.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use support::random::seeds;
use support::{Random, expect_assertions};

/// Statements of a program.
const STATEMENTS: usize = 4;
/// Variables of each statement.
const VARIABLES: usize = 4;

/// Where an operand may be.
const FIXED: [&str; 5] = ["a", "c", "d", "S", "D"];

/// An instruction over the operands of a statement, by their numbers.
struct Form {
    /// The template, in which `{0}` is the first operand, and so on.
    template: &'static str,
    /// What is done with each operand.
    operands: &'static [Use],
}

/// What an instruction does with an operand.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    /// It writes it after it has read all others.
    Writes,
    /// It writes it before it has read all others.
    WritesEarly,
    Changes,
    Reads,
    /// Both in a register, `rax`, for a compare-exchange: it reads and writes it.
    Accumulator,
    /// It changes memory.
    ChangesMemory,
    /// A flag that it sets, in a variable.
    Flag,
}

use Use::*;

const FORMS: [Form; 12] = [
    Form {
        template: "mov {1}, {0}",
        operands: &[Writes, Reads],
    },
    Form {
        template: "mov {1}, {0}\n\tadd {2}, {0}",
        operands: &[WritesEarly, Reads, Reads],
    },
    Form {
        template: "add {1}, {0}",
        operands: &[Changes, Reads],
    },
    Form {
        template: "sub {1}, {0}\n\txor {2}, {0}",
        operands: &[Changes, Reads, Reads],
    },
    Form {
        template: "xchg {1}, {0}",
        operands: &[ChangesMemory, Changes],
    },
    Form {
        template: "lock; cmpxchg {2}, {1}",
        operands: &[Accumulator, ChangesMemory, Reads],
    },
    Form {
        template: "lock; xadd {1}, {0}",
        operands: &[ChangesMemory, Changes],
    },
    Form {
        template: "cmp {2}, {1}\n\tmov {3}, {0}",
        operands: &[WritesEarly, Reads, Reads, Reads],
    },
    Form {
        template: "lock; cmpxchg {3}, {2}",
        operands: &[Flag, Accumulator, ChangesMemory, Reads],
    },
    Form {
        template: "neg {0}\n\tnot {1}",
        operands: &[Changes, Changes],
    },
    Form {
        template: "lock; add {1}, {0}",
        operands: &[ChangesMemory, Reads],
    },
    Form {
        template: "or {1}, {0}",
        operands: &[Changes, Reads],
    },
];

/// A statement over the variables `v0` to `v3` of one type.
struct Statement {
    ty: &'static str,
    values: [u64; VARIABLES],
    text: String,
}

impl Statement {
    fn random(random: &mut Random) -> Statement {
        let is_wide = random.one_in(2);
        let form = &FORMS[random.below(FORMS.len())];
        let mut free: BTreeSet<&str> = FIXED.into_iter().collect();
        // What is changed before all inputs are read must not be in the register of one.
        let early = if form.template.contains('\n') {
            "&"
        } else {
            ""
        };
        let uses_accumulator = form.operands.contains(&Accumulator);
        if uses_accumulator {
            free.remove("a");
        }
        let register = |random: &mut Random, free: &mut BTreeSet<&'static str>| {
            let fixed = FIXED[random.below(FIXED.len())];
            match random.one_in(2) && free.remove(fixed) {
                true => fixed,
                false => "r",
            }
        };
        let (mut outputs, mut inputs) = (Vec::new(), Vec::new());
        // Which operand of the statement each one of the form is.
        let mut numbers = vec![String::new(); form.operands.len()];
        let count = |kinds: &[Use]| form.operands.iter().filter(|u| kinds.contains(u)).count();
        let written = form.operands.len() - count(&[Reads]);
        // Inputs that an output has to begin with stand behind the others.
        let (mut first_values, mut next_output, mut memory_used) = (Vec::new(), 0, false);
        for (i, (what, number)) in form.operands.iter().zip(&mut numbers).enumerate() {
            let variable = format!("v{i}");
            if *what == Reads {
                continue;
            }
            let k = next_output;
            next_output += 1;
            *number = format!("%{k}");
            let constraint = match what {
                Writes => {
                    let constraint = register(random, &mut free);
                    // The register may be that of an input as well.
                    if constraint != "r" {
                        free.insert(constraint);
                    }
                    format!("={constraint}")
                }
                WritesEarly => format!("=&{}", register(random, &mut free)),
                ChangesMemory => "+m".to_string(),
                Flag => "=@ccz".to_string(),
                Accumulator | Changes => {
                    let is_accumulator = *what == Accumulator;
                    let constraint = match is_accumulator {
                        true => "a",
                        false => register(random, &mut free),
                    };
                    match random.below(3u64) {
                        0 => format!("+{early}{constraint}"),
                        1 => {
                            first_values.push(format!("\"{k}\"({variable})"));
                            format!("={early}{constraint}")
                        }
                        _ if constraint != "r" && early.is_empty() => {
                            first_values.push(format!("\"{constraint}\"({variable})"));
                            format!("={constraint}")
                        }
                        _ => format!("+{early}{constraint}"),
                    }
                }
                Reads => unreachable!("inputs are left out above"),
            };
            memory_used |= *what == ChangesMemory;
            let place = if *what == Flag { "flag" } else { &variable };
            outputs.push(format!("\"{constraint}\"({place})"));
        }
        for (i, (what, number)) in form.operands.iter().zip(&mut numbers).enumerate() {
            if *what != Reads {
                continue;
            }
            *number = format!("%{}", written + inputs.len());
            let constraint = match random.below(4u64) {
                0 if !memory_used && !form.template.contains("lock") => "m",
                1 if !form.template.contains("cmpxchg") => "ri",
                _ => register(random, &mut free),
            };
            let value = match constraint {
                "ri" => format!("{}", random.below(100u64)),
                _ => format!("v{i}"),
            };
            memory_used |= constraint == "m";
            inputs.push(format!("\"{constraint}\"({value})"));
        }
        inputs.append(&mut first_values);
        let mut template = form.template.to_string();
        for (i, number) in numbers.iter().enumerate() {
            template = template.replace(&format!("{{{i}}}"), number);
        }
        // An instruction with a number and memory needs its size.
        let suffix = if is_wide { "q " } else { "l " };
        for name in [
            "mov ", "add ", "sub ", "xor ", "cmp ", "neg ", "not ", "or ",
        ] {
            template = template.replace(name, &format!("{}{suffix}", name.trim_end()));
        }
        let text = format!(
            "__asm__ __volatile__(\"{}\" : {} : {} : \"memory\", \"cc\");",
            template.replace('\n', "\\n").replace('\t', "\\t"),
            outputs.join(", "),
            inputs.join(", ")
        );
        let ty = if is_wide { "unsigned long" } else { "unsigned" };
        let equal = random.one_in(3);
        let mut values = [(); VARIABLES].map(|()| {
            let bits = random.bits();
            if is_wide { bits } else { bits & 0xffff_ffff }
        });
        if equal {
            values[1] = values[0];
            values[2] = values[1];
        }
        Statement { ty, values, text }
    }

    /// The statement in a block of its own, with what is done behind it.
    fn block(&self, behind: &str) -> String {
        let mut text = format!("  {{ int flag = 0; {} ", self.ty);
        let values = self.values.iter().enumerate();
        let values: Vec<String> = values.map(|(i, v)| format!("v{i} = {v}u")).collect();
        write!(
            text,
            "{};\n    {}\n    {behind} }}",
            values.join(", "),
            self.text
        )
        .expect("text");
        text.push('\n');
        text
    }
}

fn program(statements: &[Statement], behind: &dyn Fn(usize) -> String) -> String {
    let mut text = "#include <assert.h>\n#include <stdio.h>\nint main(void) {\n".to_string();
    for (k, statement) in statements.iter().enumerate() {
        text.push_str(&statement.block(&behind(k)));
    }
    text + "  return 0;\n}\n"
}

/// What a statement leaves in its variables on this machine; `None` where the compiler refuses it, as two
/// operands ask for one register.
fn machine(statement: &Statement, folder: &Path) -> Option<[u64; VARIABLES + 1]> {
    let print = "printf(\"%lu %lu %lu %lu %d\\n\", (unsigned long)v0, (unsigned long)v1, \
                 (unsigned long)v2, (unsigned long)v3, flag);";
    let text = program(std::slice::from_ref(statement), &|_| print.to_string());
    let (source, binary) = (folder.join("machine.c"), folder.join("machine"));
    std::fs::write(&source, text).expect("the folder is writable");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-w", "-O1", "-o"])
        .args([&binary, &source])
        .output()
        .ok()?;
    if !compiled.status.success() {
        return None;
    }
    let output = Command::new(binary).output().expect("it was compiled");
    let output = String::from_utf8(output.stdout).expect("numbers");
    let numbers = output
        .split_whitespace()
        .map(|n| n.parse().expect("a number"));
    numbers.collect::<Vec<u64>>().try_into().ok()
}

#[test]
fn the_machine_agrees_on_operands() {
    if !cfg!(target_arch = "x86_64") || Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: this is no x86-64 with a C compiler");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut tried, mut compiled) = (0, 0);
    for seed in seeds(16) {
        let random = &mut Random::new(seed);
        let (mut statements, mut results) = (Vec::new(), Vec::new());
        while statements.len() < STATEMENTS {
            let statement = Statement::random(random);
            tried += 1;
            if let Some(result) = machine(&statement, folder.path()) {
                compiled += 1;
                statements.push(statement);
                results.push(result);
            }
            assert!(
                tried < 100 || compiled > tried / 3,
                "most statements are refused"
            );
        }
        let wrong = random.below(STATEMENTS);
        let (variable, bit) = (random.below(VARIABLES), 1u64 << random.below(32u64));
        for is_right in [true, false] {
            let asserted = |k: usize| {
                let mut values = results[k];
                if !is_right && k == wrong {
                    values[variable] ^= bit;
                }
                let [a, b, c, d, flag] = values;
                format!(
                    "assert(v0 == {a}u && v1 == {b}u && v2 == {c}u && v3 == {d}u && flag == {flag});"
                )
            };
            let text = program(&statements, &asserted);
            expect_assertions(&text, is_right, seed);
        }
    }
}
