//! Whether programs terminate: the solver, the enumeration, machines with and without store buffers that the test has
//! itself, and programs that run agree on random ones.
//!
//! `WMBMC_RANDOM_CASES=2000` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};
use support::random::seeds;
use support::sessions::in_parallel;
use support::{Random, builtin, some_models};
use wmbmc::check::outcome::Verdict;
use wmbmc::driver::options::Engine;
use wmbmc::driver::{Input, Limits, Outcome, Session, SessionOptions};
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;

/// `x`, `y`, and a lock.
const VARIABLES: [&str; 3] = ["x", "y", "l"];

/// What a thread does. Numbers are variables and values.
#[derive(Clone, Copy)]
enum Action {
    /// With an order: a full fence follows one that is sequentially consistent.
    Store(usize, u8, &'static str),
    StoreRead(usize),
    Load(usize, &'static str),
    /// Where what was read last is not 0.
    StoreIf(usize, u8),
    Exchange(usize, u8),
    Fence,
    /// Until the variable has this value, or another one.
    Await(usize, u8, bool, &'static str),
    /// Until the lock is 0, which is then 1.
    Lock,
    Unlock,
    /// Until what it compares with is there.
    CompareAndSwap(usize, u8, u8),
    MutexLock,
    MutexUnlock,
    /// For ever, where what was read last is 0.
    SpinUnless,
}

impl Action {
    fn random(random: &mut Random) -> Action {
        let loads = ["relaxed", "acquire", "seq_cst"];
        let stores = ["relaxed", "release", "seq_cst"];
        let variable = random.below(2_u64) as usize;
        let value = 1 + random.below(2_u64) as u8;
        let (load, store) = (random.pick(&loads), random.pick(&stores));
        match random.below(13_u64) {
            0 | 1 => Action::Store(variable, value, store),
            2 => Action::Load(variable, load),
            3 => Action::StoreIf(variable, value),
            4 => Action::Exchange(variable, value),
            5 => Action::Fence,
            6 | 7 => Action::Await(variable, 0, false, load),
            8 => Action::Await(variable, value, true, load),
            9 => Action::CompareAndSwap(variable, random.below(2_u64) as u8, value),
            10 => Action::StoreRead(variable),
            11 => Action::SpinUnless,
            _ => Action::Await(variable, value, false, load),
        }
    }

    fn text(self) -> String {
        let name = |v: usize| VARIABLES[v];
        let order = |order: &str| format!("memory_order_{order}");
        match self {
            Action::Store(v, n, o) => {
                format!("atomic_store_explicit(&{}, {n}, {});", name(v), order(o))
            }
            Action::StoreRead(v) => {
                format!(
                    "atomic_store_explicit(&{}, r, memory_order_relaxed);",
                    name(v)
                )
            }
            Action::Load(v, o) => format!("r = atomic_load_explicit(&{}, {});", name(v), order(o)),
            Action::StoreIf(v, n) => format!(
                "if (r) atomic_store_explicit(&{}, {n}, memory_order_relaxed);",
                name(v)
            ),
            Action::Exchange(v, n) => format!("r = atomic_exchange(&{}, {n});", name(v)),
            Action::Fence => "atomic_thread_fence(memory_order_seq_cst);".to_string(),
            Action::Await(v, n, is, o) => {
                let differs = if is { "!=" } else { "==" };
                format!(
                    "while (atomic_load_explicit(&{}, {}) {differs} {n}) ;",
                    name(v),
                    order(o)
                )
            }
            Action::Lock => {
                "while (atomic_exchange_explicit(&l, 1, memory_order_acquire)) ;".into()
            }
            Action::Unlock => "atomic_store_explicit(&l, 0, memory_order_release);".to_string(),
            Action::CompareAndSwap(v, old, new) => format!(
                "{{ int e; do e = {old}; while (!atomic_compare_exchange_strong(&{}, &e, {new})); }}",
                name(v)
            ),
            Action::SpinUnless => "while (!r) ;".to_string(),
            Action::MutexLock => "pthread_mutex_lock(&m);".to_string(),
            Action::MutexUnlock => "pthread_mutex_unlock(&m);".to_string(),
        }
    }
}

/// What two or three threads do.
fn program(seed: u64) -> Vec<Vec<Action>> {
    let mut random = Random::new(seed);
    let threads = 2 + usize::from(random.below(4_u64) == 0);
    let mut all = Vec::new();
    for _ in 0..threads {
        let mut actions: Vec<Action> = (0..1 + random.below(3_u64))
            .map(|_| Action::random(&mut random))
            .collect();
        let at = random.below(actions.len() as u64 + 1) as usize;
        let section = match random.below(4_u64) {
            0 => Some((Action::Lock, Action::Unlock)),
            1 => Some((Action::MutexLock, Action::MutexUnlock)),
            _ => None,
        };
        if let Some((lock, unlock)) = section {
            actions.insert(at, lock);
            // Now and then it is forgotten.
            if random.below(5_u64) > 0 {
                let end = at + 1 + random.below((actions.len() - at) as u64) as usize;
                actions.insert(end, unlock);
            }
        }
        all.push(actions);
    }
    all
}

fn text(threads: &[Vec<Action>]) -> String {
    let mut out = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y, l;\n\
                   pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
        .to_string();
    for (number, actions) in threads.iter().enumerate() {
        write!(out, "void *t{number}(void *arg) {{\n  int r = 0;\n").expect("a string");
        for action in actions {
            writeln!(out, "  {}", action.text()).expect("a string");
        }
        out += "  return 0;\n}\n";
    }
    let count = threads.len();
    writeln!(out, "int main(void) {{\n  pthread_t t[{count}];").expect("a string");
    for number in 0..count {
        writeln!(out, "  pthread_create(&t[{number}], 0, t{number}, 0);").expect("a string");
    }
    for number in 0..count {
        writeln!(out, "  pthread_join(t[{number}], 0);").expect("a string");
    }
    out + "  return 0;\n}\n"
}

/// How far a thread is, what it has read last, and what its buffer has, the oldest first.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct MachineThread {
    at: usize,
    read: u8,
    buffer: Vec<(usize, u8)>,
}

/// A state of a machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Machine {
    memory: [u8; 3],
    mutex: bool,
    threads: Vec<MachineThread>,
}

impl Machine {
    /// What a thread may do next: nothing where it waits or has ended.
    fn steps(&self, programs: &[Vec<Action>], thread: usize, buffers: bool) -> Vec<Machine> {
        let mut all = Vec::new();
        let MachineThread { at, read, buffer } = &self.threads[thread];
        if let [(variable, value), ..] = buffer[..] {
            let mut next = self.clone();
            next.memory[variable] = value;
            next.threads[thread].buffer.remove(0);
            all.push(next);
        }
        let Some(action) = programs[thread].get(*at) else {
            return all;
        };
        let value = |variable: usize| {
            let own = buffer.iter().rev().find(|(v, _)| *v == variable);
            own.map_or(self.memory[variable], |(_, value)| *value)
        };
        let mut next = self.clone();
        next.threads[thread].at += 1;
        let mut store = |variable: usize, value: u8| {
            if buffers {
                next.threads[thread].buffer.push((variable, value));
            } else {
                next.memory[variable] = value;
            }
        };
        let is_empty = buffer.is_empty();
        let goes_on = match *action {
            Action::Store(variable, value, order) => {
                // The fence is part of it: it becomes visible at once, behind all that is in the buffer.
                let is_full = order == "seq_cst";
                if is_full && is_empty {
                    next.memory[variable] = value;
                } else if !is_full {
                    store(variable, value);
                }
                !is_full || is_empty
            }
            Action::StoreRead(variable) => {
                store(variable, *read);
                true
            }
            Action::StoreIf(variable, value) => {
                if *read != 0 {
                    store(variable, value);
                }
                true
            }
            Action::Load(variable, _) => {
                next.threads[thread].read = value(variable);
                true
            }
            Action::Exchange(variable, new) => {
                next.threads[thread].read = self.memory[variable];
                next.memory[variable] = new;
                is_empty
            }
            Action::Fence => is_empty,
            Action::SpinUnless => *read != 0,
            Action::Await(variable, wanted, is, _) => (value(variable) == wanted) == is,
            Action::Lock => {
                next.memory[2] = 1;
                is_empty && self.memory[2] == 0
            }
            Action::Unlock => {
                store(2, 0);
                true
            }
            Action::CompareAndSwap(variable, old, new) => {
                next.memory[variable] = new;
                is_empty && self.memory[variable] == old
            }
            Action::MutexLock => {
                next.mutex = true;
                is_empty && !self.mutex
            }
            Action::MutexUnlock => {
                next.mutex = false;
                is_empty
            }
        };
        if goes_on {
            all.push(next);
        }
        all
    }

    /// Whether some thread spins forever at last; and whether some thread waits, if only for others to end, with none in a
    /// loop that no thread could end.
    fn stands(programs: &[Vec<Action>], buffers: bool) -> (bool, bool) {
        let first = Machine {
            memory: [0; 3],
            mutex: false,
            threads: vec![MachineThread::default(); programs.len()],
        };
        let (mut seen, mut open) = (BTreeSet::from([first.clone()]), vec![first]);
        let (mut spins, mut waits) = (false, false);
        while let Some(state) = open.pop() {
            let threads = 0..programs.len();
            let next: Vec<Machine> = threads
                .flat_map(|thread| state.steps(programs, thread, buffers))
                .collect();
            if next.is_empty() {
                let stopped = state.threads.iter().zip(programs);
                let stopped = stopped.filter_map(|(t, actions)| actions.get(t.at));
                let stopped: Vec<&Action> = stopped.collect();
                let mut all = stopped.iter();
                spins |= all.any(|action| !matches!(action, Action::MutexLock));
                let mut all = stopped.iter();
                // Main waits for all threads.
                waits |=
                    !stopped.is_empty() && !all.any(|action| matches!(action, Action::SpinUnless));
            }
            for state in next {
                if seen.insert(state.clone()) {
                    open.push(state);
                }
            }
        }
        (spins, waits)
    }
}

/// Whether the mutex is misused: then nothing is said.
fn misuses(programs: &[Vec<Action>]) -> bool {
    let is_given = |actions: &Vec<Action>| {
        let mut held = 0;
        actions.iter().any(|action| {
            match action {
                Action::MutexLock => held += 1,
                Action::MutexUnlock => held -= 1,
                _ => {}
            }
            held < 0
        })
    };
    programs.iter().any(is_given)
}

/// Whether some execution does not terminate; `None` where that is not decided.
fn is_refuted(input: &Input, model: &str, engine: Engine, kind: PropertyKind) -> Option<bool> {
    let mut options = SessionOptions::default();
    options.program.checks = Some(vec![kind]);
    options.program.bounded.engine = engine;
    options.program.bounded.bounds = Bounds::all(2);
    let mut session = Session::read(input, &options).expect("a program");
    // Not all models are explored.
    let outcome = session.check(&builtin(model), Limits::seconds(10.0));
    match outcome.ok()?.verdict() {
        Some(Verdict::Unsafe(_)) => Some(true),
        Some(Verdict::Safe) => Some(false),
        _ => None,
    }
}

#[test]
fn engines_and_machines_agree_on_random_programs() {
    let seeds: Vec<u64> = seeds(100).collect();
    let results = in_parallel(&seeds, |seed| {
        let programs = program(*seed);
        let text = text(&programs);
        let input = Input::text(format!("random{seed}.c"), &*text);
        let mut counts = [0; 4];
        if misuses(&programs) {
            return counts;
        }
        for model in some_models(*seed as usize, 3).chain(["sc", "tso", "rc11"]) {
            for kind in [PropertyKind::Termination, PropertyKind::Deadlock] {
                let answer = |engine| is_refuted(&input, model, engine, kind);
                let Some(solved) = answer(Engine::Sat) else {
                    continue;
                };
                for (i, engine) in [Engine::Enumerate, Engine::Explore].into_iter().enumerate() {
                    if let Some(other) = answer(engine) {
                        assert_eq!(solved, other, "{kind:?} on {model}, {engine:?}\n{text}");
                        counts[i] += 1;
                    }
                }
                if let "sc" | "tso" = model {
                    let (spins, waits) = Machine::stands(&programs, model == "tso");
                    let is_wrong = match kind {
                        PropertyKind::Deadlock => waits,
                        _ => spins,
                    };
                    assert_eq!(solved, is_wrong, "{kind:?} on {model}\n{text}");
                    counts[2] += 1;
                }
                counts[3] += usize::from(solved);
            }
        }
        counts
    });
    let sum = |i: usize| results.iter().map(|row| row[i]).sum::<usize>();
    println!(
        "{} answers by enumeration, {} by exploration, {} by machines; {} violations",
        sum(0),
        sum(1),
        sum(2),
        sum(3)
    );
    assert!((0..4).all(|i| sum(i) > seeds.len()));
}

/// What is said to terminate on this machine ends when it runs.
#[test]
fn programs_that_terminate_end() {
    if Command::new("cc").arg("--version").output().is_err() {
        support::skipped(support::Missing::Tool("cc"));
        return;
    }
    let seeds: Vec<u64> = seeds(20).collect();
    let ended = in_parallel(&seeds, |seed| {
        let programs = program(*seed);
        let text = text(&programs);
        let input = Input::text(format!("random{seed}.c"), &*text);
        let kind = PropertyKind::Termination;
        if misuses(&programs) || is_refuted(&input, "tso", Engine::Sat, kind) != Some(false) {
            return 0;
        }
        let is_deadlocked = is_refuted(&input, "tso", Engine::Sat, PropertyKind::Deadlock);
        if is_deadlocked != Some(false) {
            return 0;
        }
        ends(&[], &text);
        1
    });
    let ended: usize = ended.iter().sum();
    println!("{ended} programs have run 50 times");
    assert!(ended > 0);
}

/// The same of the benchmarks.
#[test]
fn benchmarks_that_terminate_end() {
    if Command::new("cc").arg("--version").output().is_err() {
        support::skipped(support::Missing::Tool("cc"));
        return;
    }
    let mut cases = support::cases("benchmarks/termination");
    cases.retain(|case| {
        case.expect
            .get("tso")
            .is_some_and(|verdict| verdict == "SAFE")
    });
    assert!(cases.len() > 20);
    in_parallel(&cases, |case| {
        let text = std::fs::read_to_string(support::root().join(&case.file)).expect("UTF-8");
        let defines = case.options.iter().filter(|o| o.starts_with("-D"));
        ends(&defines.cloned().collect::<Vec<_>>(), &text);
    });
}

/// Compiles a program and runs it fifty times.
fn ends(defines: &[String], text: &str) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (source, file) = (folder.path().join("a.c"), folder.path().join("a"));
    // An input is 0.
    let input = "int __VERIFIER_nondet_int(void) { return 0; }\n";
    std::fs::write(&source, format!("{text}{input}")).expect("it can be written");
    let mut command = Command::new("cc");
    let command = command.args(["-O2", "-pthread", "-o"]).arg(&file);
    let made = command.args(defines).arg(&source).status();
    assert!(made.is_ok_and(|status| status.success()), "{text}");
    for _ in 0..50 {
        let mut child = Command::new(&file).spawn().expect("it runs");
        let start = Instant::now();
        while child.try_wait().expect("a child").is_none() {
            if start.elapsed() > Duration::from_secs(20) {
                child.kill().expect("it can be killed");
                panic!("it does not end:\n{text}");
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

#[test]
fn that_inputs_end_loops_is_assumed() {
    let assumed = |text: &str, engine: Engine| {
        let mut options = SessionOptions::default();
        options.program.checks = Some(vec![PropertyKind::Termination]);
        options.program.bounded.engine = engine;
        let mut session =
            Session::read(&Input::text("input.c", text), &options).expect("a program");
        let outcome = session.check(&builtin("sc"), Limits::seconds(60.0));
        let Ok(Outcome::Program(outcome)) = outcome else {
            panic!("no answer: {text}");
        };
        let is_safe = matches!(outcome.result.verdict, Verdict::Safe);
        assert!(is_safe, "{text}");
        let said = outcome.assumptions.iter();
        said.filter(|a| a.contains("ends the loop at input.c:4"))
            .count()
    };
    let program = |body: &str| {
        format!(
            "_Bool __VERIFIER_nondet_bool(void);\nint flag;\n\
             _Bool some(void) {{ return __VERIFIER_nondet_bool(); }}\nint main(void) {{ {body} }}\n"
        )
    };
    for engine in [Engine::Sat, Engine::Auto] {
        for (body, expected) in [
            ("while (!__VERIFIER_nondet_bool()) ;", 1),
            ("while (!flag && !some()) ;", 1),
            ("for (int i = 0; i < 2; i++) flag = some();", 0),
            ("if (some()) flag = 1;", 0),
        ] {
            assert_eq!(
                assumed(&program(body), engine),
                expected,
                "{body} by {engine:?}"
            );
        }
    }
}
