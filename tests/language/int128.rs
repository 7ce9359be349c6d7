//! `__int128` against the compiler: random expressions over numbers of several types are compiled and run for
//! the words of their values, which are then asserted.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use support::random::seeds;
use support::{Random, expect_assertions};

/// Expressions of a program.
const EXPRESSIONS: usize = 4;

const PRELUDE: &str = "\
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
typedef unsigned __int128 wide;
typedef __int128 swide;
union parts { struct { uint64_t low, high; }; wide whole; };
static wide joined(uint64_t high, uint64_t low) { union parts p = {{low, high}}; return p.whole; }
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int);
";

/// The types of operands and of casts.
const TYPES: [&str; 8] = [
    "wide",
    "swide",
    "uint64_t",
    "int64_t",
    "unsigned",
    "int",
    "unsigned char",
    "_Bool",
];

/// A word that is close to a border as often as not.
fn word(random: &mut Random) -> u64 {
    match random.below(4u64) {
        0 => random.bits(),
        1 => random.below(3u64),
        2 => u64::MAX - random.below(3u64),
        _ => 1 << random.below(64u64),
    }
}

/// An expression that is defined, but for signed overflow, which wraps around here and for the compiler.
fn expression(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.one_in(8) {
        return match random.below(5u64) {
            0 => format!("{}", random.below(200u64)),
            _ => format!("v{}", random.below(TYPES.len())),
        };
    }
    let inner = |random: &mut Random| expression(random, depth - 1);
    match random.below(10u64) {
        0 => {
            let ty = random.pick(&TYPES);
            format!("(({ty}){})", inner(random))
        }
        1 => {
            let op = random.pick(&["-", "~", "!", "+"]);
            format!("({op}{})", inner(random))
        }
        2 => {
            let (op, ty) = (random.pick(&["<<", ">>"]), random.pick(&["wide", "swide"]));
            format!("((({ty}){}) {op} ({} & 127))", inner(random), inner(random))
        }
        3 => format!(
            "({} ? {} : {})",
            inner(random),
            inner(random),
            inner(random)
        ),
        4 => {
            let op = random.pick(&["<", "<=", ">", ">=", "==", "!=", "&&", "||"]);
            format!("({} {op} {})", inner(random), inner(random))
        }
        _ => {
            let op = random.pick(&["+", "-", "*", "&", "|", "^"]);
            format!("({} {op} {})", inner(random), inner(random))
        }
    }
}

/// A program's operands, and its expressions.
struct Case {
    operands: Vec<[u64; 2]>,
    expressions: Vec<String>,
}

impl Case {
    fn random(random: &mut Random) -> Case {
        let operands = TYPES.iter().map(|_| [word(random), word(random)]);
        let operands = operands.collect();
        let expressions = (0..EXPRESSIONS).map(|_| expression(random, 4));
        Case {
            operands,
            expressions: expressions.collect(),
        }
    }

    /// The program, with what is done with each expression's words.
    fn text(&self, is_known: bool, use_words: &dyn Fn(usize) -> String) -> String {
        let mut text = format!("{PRELUDE}int main(void) {{\n");
        for (i, (ty, [high, low])) in TYPES.iter().zip(&self.operands).enumerate() {
            let line = match is_known {
                true => format!("{ty} v{i} = ({ty})joined({high}u, {low}u);"),
                false => format!(
                    "uint64_t h{i} = __VERIFIER_nondet_ulong(), l{i} = __VERIFIER_nondet_ulong();
                     __VERIFIER_assume(h{i} == {high}u && l{i} == {low}u); {ty} v{i} = ({ty})joined(h{i}, l{i});"
                ),
            };
            writeln!(text, "{line}").expect("text");
        }
        for (k, expression) in self.expressions.iter().enumerate() {
            let words = use_words(k);
            writeln!(
                text,
                "{{ union parts p = {{.whole = (wide)({expression})}}; {words} }}"
            )
            .expect("text");
        }
        text.push_str("return 0; }\n");
        text
    }

    /// The words of the expressions on this machine.
    fn machine(&self, folder: &Path) -> Option<Vec<[u64; 2]>> {
        let text = self.text(true, &|_| {
            r#"printf("%lu %lu\n", p.high, p.low);"#.to_string()
        });
        let (source, program) = (folder.join("machine.c"), folder.join("machine"));
        std::fs::write(&source, text).expect("the folder is writable");
        let compiled = Command::new("cc")
            .args(["-std=gnu11", "-w", "-O0", "-fwrapv", "-o"])
            .args([&program, &source])
            .output();
        let Ok(compiled) = compiled else {
            eprintln!("skipped: there is no C compiler");
            return None;
        };
        let errors = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{errors}");
        let output = Command::new(program).output().expect("it was compiled");
        let output = String::from_utf8(output.stdout).expect("numbers");
        let number = |text: &str| text.parse().expect("a number");
        let lines = output.lines().map(|line| {
            let (high, low) = line.split_once(' ').expect("two numbers");
            [number(high), number(low)]
        });
        Some(lines.collect())
    }
}

#[test]
fn the_machine_agrees() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for seed in seeds(12) {
        let random = &mut Random::new(seed);
        let case = Case::random(random);
        let Some(words) = case.machine(folder.path()) else {
            return;
        };
        assert_eq!(words.len(), EXPRESSIONS);
        let (wrong, bit) = (random.below(EXPRESSIONS), 1 << random.below(64u64));
        for (is_known, is_right) in [(true, true), (true, false), (false, true), (false, false)] {
            let asserted = |k: usize| {
                let [high, mut low] = words[k];
                if !is_right && k == wrong {
                    low ^= bit;
                }
                format!("assert(p.high == {high}u && p.low == {low}u);")
            };
            let text = case.text(is_known, &asserted);
            expect_assertions(&text, is_right, seed);
        }
    }
}
