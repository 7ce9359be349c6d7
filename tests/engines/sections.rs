//! Atomic sections that may not end, against an interpreter of interleavings.
//!
//! Random programs with two or three threads on a few variables and a mutex. Within sections threads abort,
//! exit, assume, lock and fail; outside of them, too. The interpreter here knows nothing of events: it takes
//! one step after the other in every order, and a section is one step, which exists only if it comes to its
//! end. What fails within a section fails all the same, when the thread comes there. Both engines have to
//! find exactly the programs in which something fails.
//!
//! `WMBMC_RANDOM_CASES` asks for more programs.

use rayon::prelude::*;
use std::collections::HashSet;
use std::fmt::Write;
use support::pipeline::{Subject, looking_for};
use support::random::seeds;
use support::{Random, builtin};
use wmbmc::check::bmc::CheckOptions;
use wmbmc::check::enumerated;
use wmbmc::check::outcome::Verdict;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;

const CASES: u64 = 400;
const VARIABLES: usize = 2;

/// One indivisible statement.
#[derive(Clone, Debug)]
enum Statement {
    Set(usize, u8),
    Load(usize),
    /// The register plus a number.
    Store(usize, u8),
    AbortIf(usize, u8),
    ExitIf(usize, u8),
    Assume(usize, u8),
    FailIf(usize, u8),
    Lock,
    Unlock,
}

#[derive(Clone, Debug)]
enum Item {
    One(Statement),
    Section(Vec<Statement>, bool),
}

#[derive(Clone, Debug)]
struct Program {
    threads: Vec<Vec<Item>>,
    /// What main looks for in one section.
    wanted: Vec<(usize, u8)>,
}

fn statement(random: &mut Random, inside: bool) -> Statement {
    let (x, n) = (random.below(VARIABLES), random.below(3) as u8);
    match random.below(if inside { 12 } else { 7 }) {
        0 | 1 => Statement::Set(x, n),
        2 => Statement::Load(x),
        3 | 4 => Statement::Store(x, n),
        5 => Statement::FailIf(x, 2),
        6 => Statement::AbortIf(x, n),
        7 => Statement::AbortIf(x, n),
        8 => Statement::ExitIf(x, n),
        9 | 10 => Statement::Assume(x, n),
        _ => Statement::Set(x, 1),
    }
}

fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let threads = (0..2 + random.below(2)).map(|_| {
        let mut items = Vec::new();
        for _ in 0..1 + random.below(2) {
            if random.below(4) == 0 {
                items.push(Item::One(statement(&mut random, false)));
                continue;
            }
            let mut body = Vec::new();
            for _ in 0..1 + random.below(3) {
                body.push(statement(&mut random, true));
            }
            // Locks in a section, or around one.
            match random.below(5) {
                0 => {
                    let at = random.below(body.len() + 1);
                    body.insert(at, Statement::Lock);
                    body.push(Statement::Unlock);
                    items.push(Item::Section(body, random.below(2) == 0));
                }
                1 => {
                    items.push(Item::One(Statement::Lock));
                    items.push(Item::Section(body, false));
                    items.push(Item::One(Statement::Unlock));
                }
                _ => items.push(Item::Section(body, random.below(2) == 0)),
            }
        }
        items
    });
    let threads = threads.collect();
    let wanted = (0..VARIABLES).filter(|_| random.below(2) == 0);
    let wanted: Vec<usize> = wanted.collect();
    let wanted = wanted.into_iter().map(|x| (x, 1 + random.below(2) as u8));
    let mut wanted: Vec<(usize, u8)> = wanted.collect();
    if wanted.is_empty() {
        wanted.push((0, 3));
    }
    Program { threads, wanted }
}

// --- the interpreter

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    memory: [u8; VARIABLES],
    /// 0: nobody has the mutex; otherwise a thread, from 1.
    owner: usize,
    next: Vec<usize>,
    registers: Vec<u8>,
    stuck: Vec<bool>,
}

enum Step {
    Done,
    /// It cannot be taken now, or never.
    No,
    /// The thread goes no further.
    Stuck,
    /// The process ends.
    Over,
    Fails,
}

fn one(state: &mut State, thread: usize, statement: &Statement) -> Step {
    match statement {
        Statement::Set(x, n) => state.memory[*x] = *n,
        Statement::Load(x) => state.registers[thread] = state.memory[*x],
        Statement::Store(x, n) => state.memory[*x] = state.registers[thread].wrapping_add(*n) & 3,
        Statement::AbortIf(x, n) | Statement::ExitIf(x, n) => {
            if state.memory[*x] == *n {
                return Step::Over;
            }
        }
        Statement::Assume(x, n) => {
            if state.memory[*x] != *n {
                return Step::Stuck;
            }
        }
        Statement::FailIf(x, n) => {
            if state.memory[*x] == *n {
                return Step::Fails;
            }
        }
        Statement::Lock => {
            if state.owner != 0 {
                return Step::No;
            }
            state.owner = thread + 1;
        }
        Statement::Unlock => state.owner = 0,
    }
    Step::Done
}

/// Whether some interleaving fails.
fn fails(program: &Program) -> bool {
    // Main is the last thread: it looks once.
    let count = program.threads.len() + 1;
    let first = State {
        memory: [0; VARIABLES],
        owner: 0,
        next: vec![0; count],
        registers: vec![0; count],
        stuck: vec![false; count],
    };
    let (mut seen, mut work) = (HashSet::new(), vec![first]);
    while let Some(state) = work.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        for thread in 0..count {
            if state.stuck[thread] {
                continue;
            }
            let at = state.next[thread];
            let Some(items) = program.threads.get(thread) else {
                if program.wanted.iter().all(|(x, n)| state.memory[*x] == *n) {
                    return true;
                }
                continue;
            };
            let (statements, is_section) = match items.get(at) {
                None => continue,
                Some(Item::One(statement)) => (std::slice::from_ref(statement), false),
                Some(Item::Section(body, _)) => (&body[..], true),
            };
            let mut after = state.clone();
            let mut result = Step::Done;
            for statement in statements {
                result = one(&mut after, thread, statement);
                if !matches!(result, Step::Done) {
                    break;
                }
            }
            match result {
                Step::Fails => return true,
                Step::Done => {
                    after.next[thread] += 1;
                    work.push(after);
                }
                Step::Stuck if !is_section => {
                    let mut after = state.clone();
                    after.stuck[thread] = true;
                    work.push(after);
                }
                Step::Stuck | Step::No | Step::Over => {}
            }
        }
    }
    false
}

// --- as C

fn text(program: &Program) -> String {
    let mut out = String::from(
        "#include <pthread.h>\n#include <stdlib.h>\nextern void __VERIFIER_atomic_begin(void), \
         __VERIFIER_atomic_end(void), __VERIFIER_assume(int);\nvoid reach_error(void) {}\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nunsigned char x0, x1;\n",
    );
    let one = |s: &Statement| match s {
        Statement::Set(x, n) => format!("x{x} = {n};"),
        Statement::Load(x) => format!("r = x{x};"),
        Statement::Store(x, n) => format!("x{x} = (r + {n}) & 3;"),
        Statement::AbortIf(x, n) => format!("if (x{x} == {n}) abort();"),
        Statement::ExitIf(x, n) => format!("if (x{x} == {n}) exit(0);"),
        Statement::Assume(x, n) => format!("__VERIFIER_assume(x{x} == {n});"),
        Statement::FailIf(x, n) => format!("if (x{x} == {n}) reach_error();"),
        Statement::Lock => "pthread_mutex_lock(&m);".to_string(),
        Statement::Unlock => "pthread_mutex_unlock(&m);".to_string(),
    };
    for (t, items) in program.threads.iter().enumerate() {
        let (mut functions, mut body) = (String::new(), String::new());
        for (i, item) in items.iter().enumerate() {
            match item {
                Item::One(s) => _ = writeln!(body, "  {}", one(s)),
                Item::Section(all, false) => {
                    let all: Vec<String> = all.iter().map(one).collect();
                    let all = all.join(" ");
                    _ = writeln!(
                        body,
                        "  __VERIFIER_atomic_begin(); {all} __VERIFIER_atomic_end();"
                    );
                }
                Item::Section(all, true) => {
                    let all: Vec<String> = all.iter().map(one).collect();
                    let (name, all) = (format!("__VERIFIER_atomic_{t}_{i}"), all.join(" "));
                    let function = format!("unsigned {name}(unsigned r) {{ {all} return r; }}\n");
                    functions += &function;
                    _ = writeln!(body, "  r = {name}(r);");
                }
            }
        }
        _ = write!(
            out,
            "{functions}void *t{t}(void *a) {{\n  unsigned r = 0;\n{body}  return 0;\n}}\n"
        );
    }
    out += "int main(void) {\n  pthread_t t;\n";
    for t in 0..program.threads.len() {
        _ = writeln!(out, "  pthread_create(&t, 0, t{t}, 0);");
    }
    let wanted = program.wanted.iter().map(|(x, n)| format!("x{x} == {n}"));
    let wanted = wanted.collect::<Vec<_>>().join(" && ");
    out + &format!(
        "  __VERIFIER_atomic_begin();\n  if ({wanted}) reach_error();\n  __VERIFIER_atomic_end();\n}}\n"
    )
}

fn violated(verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Unsafe(_) => Some(true),
        Verdict::Safe => Some(false),
        _ => None,
    }
}

/// What both engines say; enumeration may not come to its end.
fn answers(text: &str) -> (Option<bool>, Option<bool>) {
    let checks = [PropertyKind::Assertion];
    let subject = Subject::c(text, &looking_for(&checks));
    let model = builtin("sc");
    let graph = subject.unroll_for(&model, Bounds::all(1), &checks);
    let options = CheckOptions {
        checks: checks.to_vec(),
        ..CheckOptions::default()
    };
    let solved = subject.check(&graph, &model, &options);
    let models = std::slice::from_ref(&model);
    let found = subject.enumerate(models, Bounds::all(1), &checks, 20_000);
    let found = enumerated::outcome(&model, &checks, &found[0]);
    let ends = |v: Verdict| violated(&v.of_non_terminating());
    (ends(solved.verdict), ends(found.verdict))
}

#[test]
fn both_engines_say_what_interleavings_do() {
    let results: Vec<(bool, bool, String)> = seeds(CASES)
        .into_par_iter()
        .map(|seed| {
            let program = program(seed);
            let (text, expected) = (text(&program), fails(&program));
            let (solved, found) = answers(&text);
            let mut wrong = String::new();
            if solved != Some(expected) {
                wrong += &format!("seed {seed}: the solver says {solved:?}, not {expected}\n");
            }
            if found.is_some_and(|found| found != expected) {
                wrong += &format!("seed {seed}: enumeration says {found:?}, not {expected}\n");
            }
            if !wrong.is_empty() {
                wrong += &text;
            }
            (expected, found.is_some(), wrong)
        })
        .collect();
    let failing = results.iter().filter(|(fails, ..)| *fails).count();
    let enumerated = results.iter().filter(|(_, all, _)| *all).count();
    println!(
        "{} programs: {failing} fail, {} do not; {enumerated} enumerated",
        results.len(),
        results.len() - failing
    );
    let wrong: Vec<&str> = results.iter().map(|(.., w)| w.as_str()).collect();
    let wrong: Vec<&str> = wrong.into_iter().filter(|w| !w.is_empty()).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(failing > results.len() / 10 && enumerated > results.len() / 2);
}
