//! An oracle for `--check uninitialised`: random programs whose locals, arrays, structures, bit-fields and
//! blocks of the heap are written in part.
//!
//! 1. Programs of one thread have one execution as long as nothing indeterminate decides anything. A plain
//!    interpreter here keeps each bit as 0, 1 or unknown and says whether such a use comes; both engines
//!    have to say the same.
//! 2. Programs of two threads hand over a node of the heap of which some members may be unwritten, or
//!    written too late on some model: the engines have to agree on every model.
//!
//! `WMBMC_RANDOM_CASES=5000` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use std::fmt::Write;
use support::pipeline::{Subject, checking, looking_for};
use support::random::seeds;
use support::{Random, builtin, some_models};
use wmbmc::cat::model::Model;
use wmbmc::check::bmc::CheckOptions;
use wmbmc::check::outcome::Verdict;
use wmbmc::encode::order::Backend;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;

const CHECKS: [PropertyKind; 1] = [PropertyKind::Uninitialised];

// ---- programs of one thread -------------------------------------------------------------------

/// A bit, if it is known.
type Bits = [Option<bool>; 32];

const UNKNOWN: Bits = [None; 32];

fn known(number: u32) -> Bits {
    std::array::from_fn(|i| Some(number >> i & 1 == 1))
}

fn value(bits: &Bits) -> Option<u32> {
    let each = bits.iter().enumerate();
    each.map(|(i, b)| b.map(|b| u32::from(b) << i)).sum()
}

/// Words of memory: four locals, an array on the stack, a block of the heap, and the members of two
/// structures. Members 0 and 1 of a structure are a bit-field of 4 bits and its neighbour of 12.
const LOCALS: usize = 4;
const ARRAY: usize = 4;
const HEAP: usize = 7;
const FIRST: usize = 10;
const SECOND: usize = 13;
const WORDS: usize = 16;

fn name(word: usize) -> String {
    let member = |w: usize| ["lo", "hi", "all"][w];
    match word {
        0..ARRAY => format!("v{word}"),
        ARRAY..HEAP => format!("s[{}]", word - ARRAY),
        HEAP..FIRST => format!("h[{}]", word - HEAP),
        FIRST..SECOND => format!("f.{}", member(word - FIRST)),
        _ => format!("g.{}", member(word - SECOND)),
    }
}

/// What of a word is kept.
fn width(word: usize) -> usize {
    match word {
        FIRST | SECOND => 4,
        w if w == FIRST + 1 || w == SECOND + 1 => 12,
        _ => 32,
    }
}

enum Value {
    Number(u32),
    Word(usize),
    /// What the pointer leads to.
    Pointed,
    Not(Box<Value>),
    Binary(&'static str, Box<Value>, Box<Value>),
    Choice(Box<Value>, Box<Value>, Box<Value>),
    /// A function that returns nothing for 0.
    Maybe(Box<Value>),
}

enum Step {
    Assign(usize, Value),
    Through(Value),
    Point(usize),
    CopyArray(bool),
    CopyStructure(bool),
    If(Value, Vec<Step>, Vec<Step>),
    Twice(Vec<Step>),
}

fn random_value(random: &mut Random, depth: u32) -> Value {
    let sub = |random: &mut Random| Box::new(random_value(random, depth - 1));
    match if depth == 0 {
        random.below(4)
    } else {
        random.below(13)
    } {
        0 => Value::Number(random.pick(&[0, 1, 2, 3, 15, 0xff00])),
        1 | 2 => Value::Word(random.below(WORDS)),
        3 => Value::Pointed,
        4 => Value::Not(sub(random)),
        5..=10 => {
            let op = random.pick(&[
                "&", "|", "^", "+", "-", "*", "==", "<", "<<", ">>", "&", "|",
            ]);
            let (a, b) = (sub(random), sub(random));
            match op {
                "<<" | ">>" => {
                    Value::Binary(op, a, Box::new(Value::Number(random.pick(&[0, 1, 4, 8]))))
                }
                _ => Value::Binary(op, a, b),
            }
        }
        11 => Value::Choice(sub(random), sub(random), sub(random)),
        _ => Value::Maybe(Box::new(Value::Number(random.pick(&[0, 1, 1, 2])))),
    }
}

fn random_steps(random: &mut Random, depth: u32) -> Vec<Step> {
    let many = 1 + random.below(if depth == 2 { 8 } else { 3 });
    let step = |_| match if depth == 0 {
        random.below(7)
    } else {
        random.below(10)
    } {
        0..=3 => Step::Assign(random.below(WORDS), random_value(random, 2)),
        4 => Step::Through(random_value(random, 1)),
        5 => Step::Point(ARRAY + random.below(6)),
        6 => match random.below(2) {
            0 => Step::CopyArray(random.below(2) == 0),
            _ => Step::CopyStructure(random.below(2) == 0),
        },
        7 | 8 => {
            let cond = random_value(random, 2);
            Step::If(
                cond,
                random_steps(random, depth - 1),
                random_steps(random, depth - 1),
            )
        }
        _ => Step::Twice(random_steps(random, depth - 1)),
    };
    (0..many).map(step).collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::Number(n) => format!("{n}u"),
        Value::Word(w) => name(*w),
        Value::Pointed => "*p".to_string(),
        Value::Not(a) => format!("~{}", text(a)),
        Value::Binary(op, a, b) => format!("((unsigned){} {op} {})", text(a), text(b)),
        Value::Choice(c, a, b) => format!("({} ? {} : {})", text(c), text(a), text(b)),
        Value::Maybe(a) => format!("maybe({})", text(a)),
    }
}

fn write_steps(steps: &[Step], out: &mut String) {
    for step in steps {
        let _ = match step {
            Step::Assign(w, v) => writeln!(out, "{} = {};", name(*w), text(v)),
            Step::Through(v) => writeln!(out, "*p = {};", text(v)),
            Step::Point(w) => writeln!(out, "p = &{};", name(*w)),
            Step::CopyArray(true) => writeln!(out, "memcpy(s, h, sizeof s);"),
            Step::CopyArray(false) => writeln!(out, "memcpy(h, s, sizeof s);"),
            Step::CopyStructure(true) => writeln!(out, "f = g;"),
            Step::CopyStructure(false) => writeln!(out, "g = f;"),
            Step::If(c, a, b) => {
                let _ = writeln!(out, "if ({}) {{", text(c));
                write_steps(a, out);
                let _ = writeln!(out, "}} else {{");
                write_steps(b, out);
                writeln!(out, "}}")
            }
            Step::Twice(body) => {
                let _ = writeln!(out, "for (int i = 0; i < 2; i++) {{");
                write_steps(body, out);
                writeln!(out, "}}")
            }
        };
    }
}

/// The C program, and whether something unknown decides in it, if that is clear.
fn one_thread(seed: u64) -> (String, Option<bool>) {
    let random = &mut Random::new(seed);
    let mut words = [UNKNOWN; WORDS];
    let mut out = String::from(
        "#include <stdlib.h>\n#include <string.h>\nstruct part { unsigned lo : 4, hi : 12; unsigned all; };\n\
         static unsigned maybe(unsigned x) { if (x) return x; }\nint main(void) {\n",
    );
    for (local, word) in words.iter_mut().take(LOCALS).enumerate() {
        let set = random.below(3) > 0;
        if set {
            *word = known(local as u32);
        }
        let init = if set {
            format!(" = {local}")
        } else {
            String::new()
        };
        let _ = writeln!(out, "unsigned v{local}{init};");
    }
    let zeroed = random.below(3) == 0;
    if zeroed {
        words[HEAP..FIRST].fill(known(0));
    }
    let filled = random.below(3) == 0;
    if filled {
        words[ARRAY..HEAP].fill(known(0));
        words[ARRAY] = known(7);
    }
    let made = if zeroed { "calloc(3, 4)" } else { "malloc(12)" };
    let array = if filled { "s[3] = {7}" } else { "s[3]" };
    let _ = writeln!(
        out,
        "unsigned {array}, *h = {made}, *p = s;\nstruct part f, g;"
    );
    let steps = random_steps(random, 2);
    let status = random_value(random, 1);
    write_steps(&steps, &mut out);
    let _ = writeln!(out, "return {};\n}}", text(&status));
    let mut machine = Machine {
        words,
        pointer: ARRAY,
    };
    let run = machine.run(&steps).and_then(|()| machine.used(&status));
    let used = match run {
        Ok(_) => Some(false),
        Err(Stop::Used) => Some(true),
        Err(Stop::Unclear) => None,
    };
    (out, used)
}

/// Why a run ends early.
enum Stop {
    /// Something unknown is used.
    Used,
    /// Something unknown chooses between two values: with a jump that is a use, without it is none.
    Unclear,
}

struct Machine {
    words: [Bits; WORDS],
    pointer: usize,
}

impl Machine {
    fn run(&mut self, steps: &[Step]) -> Result<(), Stop> {
        for step in steps {
            match step {
                Step::Assign(w, v) => {
                    let mut bits = self.eval(v)?;
                    bits[width(*w)..].fill(Some(false));
                    self.words[*w] = bits;
                }
                Step::Through(v) => self.words[self.pointer] = self.eval(v)?,
                Step::Point(w) => self.pointer = *w,
                Step::CopyArray(from_heap) => {
                    let (to, from) = if *from_heap {
                        (ARRAY, HEAP)
                    } else {
                        (HEAP, ARRAY)
                    };
                    self.words.copy_within(from..from + 3, to);
                }
                Step::CopyStructure(to_first) => {
                    let (to, from) = if *to_first {
                        (FIRST, SECOND)
                    } else {
                        (SECOND, FIRST)
                    };
                    self.words.copy_within(from..from + 3, to);
                }
                Step::If(c, a, b) => {
                    let taken = self.decides(c)?;
                    self.run(if taken { a } else { b })?;
                }
                Step::Twice(body) => {
                    self.run(body)?;
                    self.run(body)?;
                }
            }
        }
        Ok(())
    }

    /// A value that is used as a whole.
    fn used(&self, v: &Value) -> Result<u32, Stop> {
        let bits = self.eval(v)?;
        value(&bits).ok_or(Stop::Used)
    }

    /// Whether a value differs from 0, which is known when one bit is known to be set.
    fn decides(&self, v: &Value) -> Result<bool, Stop> {
        let bits = self.eval(v)?;
        match bits.contains(&Some(true)) {
            true => Ok(true),
            false => value(&bits).map(|_| false).ok_or(Stop::Used),
        }
    }

    fn eval(&self, v: &Value) -> Result<Bits, Stop> {
        Ok(match v {
            Value::Number(n) => known(*n),
            Value::Word(w) => self.read(*w),
            Value::Pointed => self.read(self.pointer),
            Value::Not(a) => self.eval(a)?.map(|b| b.map(|b| !b)),
            Value::Binary(op, a, b) => binary(op, &self.eval(a)?, &self.eval(b)?),
            Value::Choice(c, a, b) => match self.decides(c) {
                Ok(true) => self.eval(a)?,
                Ok(false) => self.eval(b)?,
                Err(_) => return Err(Stop::Unclear),
            },
            Value::Maybe(a) => match self.used(a)? {
                0 => UNKNOWN,
                n => known(n),
            },
        })
    }

    fn read(&self, word: usize) -> Bits {
        let mut bits = self.words[word];
        bits[width(word)..].fill(Some(false));
        bits
    }
}

fn binary(op: &str, a: &Bits, b: &Bits) -> Bits {
    let each = |f: &dyn Fn(Option<bool>, Option<bool>) -> Option<bool>| -> Bits {
        std::array::from_fn(|i| f(a[i], b[i]))
    };
    let truth = |t: Option<bool>| {
        let mut bits = known(0);
        bits[0] = t;
        bits
    };
    match op {
        "&" => each(&|a, b| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), b) => b,
            (a, _) => a.and(b),
        }),
        "|" => each(&|a, b| match (a, b) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), b) => b,
            (a, _) => a.and(b),
        }),
        "^" => each(&|a, b| Some(a? ^ b?)),
        "==" => {
            let mut pairs = a.iter().zip(b);
            let differ = pairs.any(|(a, b)| matches!((a, b), (Some(a), Some(b)) if a != b));
            let both = value(a).zip(value(b));
            truth(if differ {
                Some(false)
            } else {
                both.map(|(a, b)| a == b)
            })
        }
        "<" => truth(value(a).zip(value(b)).map(|(a, b)| a < b)),
        "<<" | ">>" => {
            let by = value(b).expect("shifts are by numbers") as usize;
            std::array::from_fn(|i| match op {
                "<<" if i < by => Some(false),
                "<<" => a[i - by],
                _ => a.get(i + by).copied().unwrap_or(Some(false)),
            })
        }
        _ => {
            // Carries reach upwards from the lowest unknown bit.
            let zeroed = |bits: &Bits| value(&bits.map(|b| b.or(Some(false)))).expect("all known");
            let (x, y) = (zeroed(a), zeroed(b));
            let sum = match op {
                "+" => x.wrapping_add(y),
                "-" => x.wrapping_sub(y),
                _ => x.wrapping_mul(y),
            };
            let lowest = (0..32)
                .find(|i| a[*i].is_none() || b[*i].is_none())
                .unwrap_or(32);
            let mut bits = known(sum);
            bits[lowest..].fill(None);
            bits
        }
    }
}

// ---- programs of two threads ------------------------------------------------------------------

fn two_threads(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let mut out = String::from(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         struct node { int a, b; };\nstatic _Atomic(struct node *) head;\nstatic int g;\n\
         static void *w(void *x) {\n",
    );
    let made = random.pick(&[
        "malloc(sizeof *n)",
        "malloc(sizeof *n)",
        "calloc(1, sizeof *n)",
    ]);
    let _ = writeln!(out, "int u; struct node *n = {made};");
    let order = random.pick(&["relaxed", "release", "seq_cst"]);
    let publish = format!("atomic_store_explicit(&head, n, memory_order_{order});");
    let mut writes = vec![publish];
    for member in ["a", "b"] {
        match random.below(6) {
            0 => {}
            1 => writes.push(format!("n->{member} = u;")),
            2 => writes.push(format!("n->{member} = g;")),
            _ => writes.push(format!("n->{member} = 1;")),
        }
    }
    for i in (1..writes.len()).rev() {
        // Mostly the last.
        if random.below(3) > 0 || i > 1 {
            writes.swap(i - 1, i);
        }
    }
    writes.iter().for_each(|w| _ = writeln!(out, "{w}"));
    out += "return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, w, 0);\n";
    let order = random.pick(&["relaxed", "acquire"]);
    let _ = writeln!(
        out,
        "struct node *n = atomic_load_explicit(&head, memory_order_{order});\nif (n) {{"
    );
    for _ in 0..1 + random.below(2) {
        out += random.pick(&[
            "if (n->a) g = 1;\n",
            "if (n->b) g = 1;\n",
            "struct node c = *n; if (c.b) g = 1;\n",
            "{ int v = n->a; n->b = v; }\n",
            "g = n->a; if (g) g = 0;\n",
            "if (n->a & 0) g = 1;\n",
        ]);
    }
    out += "}\npthread_join(t, 0);\n";
    out += random.pick(&["return 0;\n}\n", "return g;\n}\n"]);
    // A declaration twice in a block is none.
    out.replace(
        "struct node c = *n; if (c.b) g = 1;",
        "{ struct node c = *n; if (c.b) g = 1; }",
    )
}

// ---- both engines -----------------------------------------------------------------------------

/// Whether the solver and the enumeration find a violation; `None`: undecided.
fn answers(text: &str, seed: u64, names: &[&str]) -> Vec<[Option<bool>; 2]> {
    let subject = Subject::c(text, &looking_for(&CHECKS));
    let models: Vec<Model> = names.iter().map(|name| builtin(name)).collect();
    let found = subject.enumerate(&models, Bounds::all(3), &CHECKS, 3_000);
    let both = models.iter().zip(found).map(|(model, found)| {
        let graph = subject.unroll_for(model, Bounds::all(3), &CHECKS);
        let options = CheckOptions {
            order: [Backend::Matrix, Backend::Lazy][usize::from(seed % 2 == 1)],
            ..checking(&CHECKS)
        };
        let solved = match subject.check(&graph, model, &options).verdict {
            Verdict::Safe => Some(false),
            Verdict::Unsafe(_) => Some(true),
            _ => None,
        };
        let mut kinds = found.violations.keys().map(|(kind, ..)| *kind);
        let violated = kinds.any(|kind| kind == PropertyKind::Uninitialised);
        let enumerated = (violated || found.is_complete()).then_some(violated);
        [solved, enumerated]
    });
    both.collect()
}

#[test]
fn one_thread_uses_what_the_interpreter_says() {
    let seeds = seeds(400);
    let cases = seeds.end - seeds.start;
    let of = |seed: u64| {
        let (text, used) = one_thread(seed);
        let answers = answers(&text, seed, &["sc"])[0];
        let wrong = match used {
            Some(_) => answers != [used; 2],
            None => answers[0] != answers[1],
        };
        let says = || format!("seed {seed}: interpreter {used:?}, engines {answers:?}:\n{text}");
        (used, wrong.then(says))
    };
    let all: Vec<_> = seeds.into_par_iter().map(of).collect();
    let count = |wanted| all.iter().filter(|(used, _)| *used == wanted).count();
    let (used, clean) = (count(Some(true)), count(Some(false)));
    let wrong: Vec<&String> = all.iter().filter_map(|(_, wrong)| wrong.as_ref()).collect();
    println!(
        "{cases} programs of one thread: {used} use what was not written, {clean} do not, {} are not clear",
        count(None)
    );
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[0]);
    assert!(cases < 100 || used > 20 && clean > 20);
}

#[test]
fn the_engines_agree_on_two_threads() {
    // What is wrong on aarch64 alone is counted; the other models take turns.
    let names = |seed: u64| {
        let others = some_models(seed as usize, 6);
        let others = others
            .filter(|name| !["sc", "aarch64"].contains(name))
            .take(5);
        ["sc", "aarch64"]
            .into_iter()
            .chain(others)
            .collect::<Vec<_>>()
    };
    let seeds = seeds(100);
    let cases = seeds.end - seeds.start;
    let of = |seed: u64| {
        let text = two_threads(seed);
        let names = names(seed);
        let answers = answers(&text, seed, &names);
        let wrong = names
            .iter()
            .zip(&answers)
            .find_map(|(name, [solved, enumerated])| {
                let differ = solved.zip(*enumerated).is_some_and(|(a, b)| a != b);
                differ.then(|| format!("seed {seed} on {name}: {solved:?} {enumerated:?}:\n{text}"))
            });
        (answers, wrong)
    };
    let all: Vec<_> = seeds.into_par_iter().map(of).collect();
    let count = |wanted: [Option<bool>; 2]| {
        let answers = all.iter().flat_map(|(answers, _)| answers);
        answers.filter(|a| **a == wanted).count()
    };
    let weak = all
        .iter()
        .filter(|(a, _)| a[0][0] == Some(false) && a[1][0] == Some(true));
    println!(
        "{cases} programs of two threads: {} answers UNSAFE and {} SAFE by both engines of {}; {} programs are wrong on aarch64 alone",
        count([Some(true); 2]),
        count([Some(false); 2]),
        all.iter().map(|(answers, _)| answers.len()).sum::<usize>(),
        weak.count(),
    );
    let wrong: Vec<&String> = all.iter().filter_map(|(_, wrong)| wrong.as_ref()).collect();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[0]);
}
