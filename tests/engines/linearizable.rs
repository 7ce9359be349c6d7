//! Whether calls are linearizable: the answers of the engines are those of a checker of histories that the test has
//! itself, over all executions of random small structures.
//!
//! The test runs the operations one after the other with an interpreter of its own, and says by definition which orders
//! explain a history. `WMBMC_RANDOM_CASES=300` looks at more structures, `WMBMC_RANDOM_SEED` at others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use support::pipeline::{Subject, looking_for, states};
use support::random::seeds;
use support::sessions::in_parallel;
use support::{Random, builtin};
use wmbmc::check::outcome::PropertyStatus;
use wmbmc::driver::options::Engine;
use wmbmc::driver::{Input, Limits, Outcome, Session, SessionOptions};
use wmbmc::enumerate::explore::{self, ExploreError, ExploreOptions, explore};
use wmbmc::enumerate::{EnumerateError, EnumerateOptions, enumerate_all};
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;
use wmbmc::lower::c::{Client, ClientArgument, ClientCall, Entry, Harness};

/// What an operation does, on two variables `x`, `y`, a parameter `n` and a register `r`.
#[derive(Clone, Copy, Debug)]
enum Step {
    Load(usize, &'static str),
    /// What is stored: the parameter, or the register and one more.
    Store(usize, bool, &'static str),
    Add(usize, &'static str),
    Exchange(usize, &'static str),
    /// From the register to the parameter; the register is then whether it was so.
    CompareAndSwap(usize),
    /// Ends the operation where the register is 0.
    ReturnUnless,
}

const VARIABLES: [&str; 2] = ["x", "y"];

impl Step {
    fn random(random: &mut Random) -> Step {
        let variable = random.below(2_u64) as usize;
        let load = random.pick(&["relaxed", "acquire", "seq_cst"]);
        let store = random.pick(&["relaxed", "release", "seq_cst"]);
        let update = random.pick(&["relaxed", "acq_rel", "seq_cst"]);
        match random.below(7_u64) {
            0 | 1 => Step::Load(variable, load),
            2 => Step::Store(variable, random.below(2_u64) == 0, store),
            3 => Step::Add(variable, update),
            4 => Step::Exchange(variable, update),
            5 => Step::CompareAndSwap(variable),
            _ => Step::ReturnUnless,
        }
    }

    fn text(self) -> String {
        let name = |v: usize| VARIABLES[v];
        let order = |order: &str| format!("memory_order_{order}");
        match self {
            Step::Load(v, o) => format!("r = atomic_load_explicit(&{}, {});", name(v), order(o)),
            Step::Store(v, own, o) => {
                let value = if own { "n" } else { "r + 1" };
                format!(
                    "atomic_store_explicit(&{}, {value}, {});",
                    name(v),
                    order(o)
                )
            }
            Step::Add(v, o) => {
                format!(
                    "r = atomic_fetch_add_explicit(&{}, 1, {});",
                    name(v),
                    order(o)
                )
            }
            Step::Exchange(v, o) => {
                format!(
                    "r = atomic_exchange_explicit(&{}, n, {});",
                    name(v),
                    order(o)
                )
            }
            Step::CompareAndSwap(v) => {
                format!("r = atomic_compare_exchange_strong(&{}, &r, n);", name(v))
            }
            Step::ReturnUnless => "if (!r) return 7;".to_string(),
        }
    }
}

/// A structure of two operations, and threads that call them, each by its number and with an argument.
#[derive(Debug)]
struct Structure {
    operations: [Vec<Step>; 2],
    threads: Vec<Vec<(usize, i64)>>,
}

impl Structure {
    fn random(seed: u64, large: bool) -> Structure {
        let mut random = Random::new(seed);
        let operations = [(); 2].map(|()| {
            let steps = 1 + random.below(3_u64);
            (0..steps).map(|_| Step::random(&mut random)).collect()
        });
        let mut call = || (random.below(2_u64) as usize, 1 + random.below(2_u64) as i64);
        let threads = match (large, seed % 3) {
            (true, 0) => vec![vec![call(), call()], vec![call(), call()]],
            (true, 1) => vec![vec![call()], vec![call()], vec![call()]],
            _ => vec![vec![call(), call()], vec![call()]],
        };
        Structure {
            operations,
            threads,
        }
    }

    fn operations_text(&self) -> String {
        let mut out = "#include <stdatomic.h>\natomic_int x, y;\n".to_string();
        for (i, steps) in self.operations.iter().enumerate() {
            write!(out, "int op{i}(int n) {{\n  int r = 0;\n").expect("a string");
            for step in steps {
                writeln!(out, "  {}", step.text()).expect("a string");
            }
            out += "  return r;\n}\n";
        }
        out
    }

    /// Between two calls of a thread it counts or not, and looks or not: so many bits say what is done.
    fn choices(&self) -> u32 {
        let between = self.threads.iter().map(|calls| calls.len() as u32 - 1);
        2 * between.sum::<u32>()
    }

    /// The threads as a whole program, which notes what the calls return and which calls of others it sees return.
    fn program_text(&self, mut chosen: u32) -> String {
        let mut choice = || {
            let bit = chosen & 1 == 0;
            chosen >>= 1;
            bit
        };
        let threads = self.threads.len();
        let mut out = self.operations_text();
        writeln!(out, "#include <pthread.h>\natomic_int returned[{threads}];").expect("a string");
        let observed = self.observed();
        for name in &observed {
            writeln!(out, "int {name};").expect("a string");
        }
        let mut number = 0;
        for (t, calls) in self.threads.iter().enumerate() {
            writeln!(out, "void *t{t}(void *arg) {{").expect("a string");
            for (i, (operation, argument)) in calls.iter().enumerate() {
                let looks = i == 0 || choice();
                for u in (0..threads).filter(|u| *u != t && looks) {
                    writeln!(
                        out,
                        "  seen{number}_{u} = atomic_load_explicit(&returned[{u}], memory_order_acquire);"
                    )
                    .expect("a string");
                }
                writeln!(out, "  result{number} = op{operation}({argument});").expect("a string");
                if i + 1 == calls.len() || choice() {
                    writeln!(
                        out,
                        "  atomic_store_explicit(&returned[{t}], {}, memory_order_release);",
                        i + 1
                    )
                    .expect("a string");
                }
                number += 1;
            }
            out += "  return 0;\n}\n";
        }
        // What main reads is not its alone, and is observed.
        writeln!(out, "int main(void) {{\n  pthread_t t[{threads}];").expect("a string");
        for t in 0..threads {
            writeln!(out, "  pthread_create(&t[{t}], 0, t{t}, 0);").expect("a string");
        }
        for t in 0..threads {
            writeln!(out, "  pthread_join(t[{t}], 0);").expect("a string");
        }
        writeln!(out, "  return {};\n}}", observed.join(" + ")).expect("a string");
        out
    }

    /// The variables of the whole program that say what happened: results, and what each call has seen of each thread.
    fn observed(&self) -> Vec<String> {
        let calls = self.calls().len();
        let results = (0..calls).map(|c| format!("result{c}"));
        let seen =
            (0..calls).flat_map(|c| (0..self.threads.len()).map(move |t| format!("seen{c}_{t}")));
        results.chain(seen).collect()
    }

    /// All calls: their thread, their position there, operation and argument.
    fn calls(&self) -> Vec<(usize, usize, usize, i64)> {
        let threads = self.threads.iter().enumerate();
        let calls = threads.flat_map(|(t, calls)| {
            let calls = calls.iter().enumerate();
            calls.map(move |(i, (operation, argument))| (t, i, *operation, *argument))
        });
        calls.collect()
    }

    /// What the calls return when they are made in this order.
    fn one_after_the_other(&self, order: &[usize]) -> Vec<i64> {
        let calls = self.calls();
        let (mut memory, mut results) = ([0_i64; 2], vec![0; calls.len()]);
        for call in order {
            let (_, _, operation, n) = calls[*call];
            let (mut r, mut result) = (0, None);
            for step in &self.operations[operation] {
                match *step {
                    Step::Load(v, _) => r = memory[v],
                    Step::Store(v, own, _) => memory[v] = if own { n } else { r + 1 },
                    Step::Add(v, _) => {
                        r = memory[v];
                        memory[v] += 1;
                    }
                    Step::Exchange(v, _) => {
                        r = memory[v];
                        memory[v] = n;
                    }
                    Step::CompareAndSwap(v) => {
                        let is = memory[v] == r;
                        if is {
                            memory[v] = n;
                        }
                        r = i64::from(is);
                    }
                    Step::ReturnUnless if r == 0 => {
                        result = Some(7);
                        break;
                    }
                    Step::ReturnUnless => {}
                }
            }
            results[*call] = result.unwrap_or(r);
        }
        results
    }
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = all.iter().flat_map(|order: &Vec<usize>| {
            let left = (0..count).filter(|c| !order.contains(c));
            left.map(|c| [order.as_slice(), &[c]].concat())
        });
        all = longer.collect();
    }
    all
}

/// What an execution has returned, and by call how many calls of each thread it has seen return.
struct History {
    results: Vec<i64>,
    seen: Vec<Vec<u64>>,
}

/// Whether some order of the calls explains a history.
fn is_explained(structure: &Structure, history: &History, kind: PropertyKind) -> bool {
    let calls = structure.calls();
    let before = |a: usize, b: usize| {
        let ((t, i, ..), (u, j, ..)) = (calls[a], calls[b]);
        if t == u {
            i < j
        } else {
            history.seen[b][t] > i as u64
        }
    };
    let all: BTreeSet<usize> = (0..calls.len()).collect();
    permutations(calls.len()).into_iter().any(|order| {
        let position = |c: usize| order.iter().position(|o| *o == c);
        let pairs = || all.iter().flat_map(|a| all.iter().map(move |b| (*a, *b)));
        let respects = match kind {
            PropertyKind::Linearizable => {
                pairs().all(|(a, b)| !before(a, b) || position(a) < position(b))
            }
            PropertyKind::Sequential => pairs().all(|(a, b)| {
                calls[a].0 != calls[b].0 || calls[a].1 >= calls[b].1 || position(a) < position(b)
            }),
            // Where no call runs, all that have returned come first.
            PropertyKind::Quiescent => (0..1_u32 << calls.len()).all(|set| {
                let is_early = |c: usize| set >> c & 1 == 1;
                let is_quiet = pairs().all(|(a, b)| !is_early(a) || is_early(b) || before(a, b));
                let first = |(a, b): (usize, usize)| {
                    !is_early(a) || is_early(b) || position(a) < position(b)
                };
                !is_quiet || pairs().all(first)
            }),
            _ => unreachable!("these are the kinds of clients"),
        };
        respects && structure.one_after_the_other(&order) == history.results
    })
}

/// How long the executions of a program are looked for: those of a machine may be too many.
const SOME_TIME: Duration = Duration::from_secs(20);

/// The histories of all executions on a model, whatever the threads choose; `None` where they are too many.
fn histories(structure: &Structure, model: &str) -> Option<Vec<History>> {
    let mut all = Vec::new();
    for chosen in 0..1 << structure.choices() {
        all.extend(histories_of(
            structure,
            &structure.program_text(chosen),
            model,
        )?);
    }
    Some(all)
}

fn histories_of(structure: &Structure, text: &str, model: &str) -> Option<Vec<History>> {
    let mut subject = Subject::c(text, &looking_for(&[]));
    let (count, threads) = (structure.calls().len(), structure.threads.len());
    let model = builtin(model);
    let known = subject.observe(&structure.observed(), 32);
    assert!(known.iter().all(|known| *known));
    let options = EnumerateOptions {
        checks: Vec::new(),
        bounds: Bounds::all(1),
        max_executions: 200_000,
    };
    let started = Instant::now();
    let is_late = || started.elapsed() > SOME_TIME;
    let found = match explore::check(&model) {
        Ok(()) => {
            let all = ExploreOptions::default();
            explore(&subject.program, &model, &options, all, &is_late).map(|all| all.found)
        }
        Err(_) => enumerate_all(&subject.program, &[model], &options, &is_late)
            .map(|mut all| all.remove(0))
            .map_err(ExploreError::Enumerate),
    };
    let found = match found {
        Err(ExploreError::Enumerate(EnumerateError::Interrupted)) => return None,
        found => found.expect("its executions can be listed"),
    };
    if !found.is_complete() {
        return None;
    }
    let number = |bits: u64| i64::from(bits as u32 as i32);
    let histories = states(&found).into_iter().map(|state| History {
        results: state[..count].iter().map(|bits| number(*bits)).collect(),
        seen: state[count..]
            .chunks(threads)
            .map(<[u64]>::to_vec)
            .collect(),
    });
    Some(histories.collect())
}

/// For each kind, all checked together, whether some execution is not explained; `None` where that is not decided.
fn refuted(
    structure: &Structure,
    model: &str,
    engine: Engine,
    kinds: &[PropertyKind],
) -> Vec<Option<bool>> {
    let call = |(operation, argument): &(usize, i64)| ClientCall {
        function: format!("op{operation}"),
        arguments: vec![ClientArgument::Number(*argument)],
    };
    let threads = structure.threads.iter();
    let client = Client {
        setup: Vec::new(),
        threads: threads
            .map(|calls| calls.iter().map(call).collect())
            .collect(),
        finally: Vec::new(),
    };
    let mut options = SessionOptions::default();
    options.program.checks = Some(kinds.to_vec());
    options.program.bounded.engine = engine;
    options.program.harness = Some(Harness {
        setup: Vec::new(),
        entry: Entry::Client(client),
        finally: Vec::new(),
    });
    let input = Input::text("structure.c", structure.operations_text());
    let mut session = Session::read(&input, &options).expect("a program");
    let outcome = session.check(&builtin(model), Limits::seconds(60.0));
    let Ok(Outcome::Program(outcome)) = outcome else {
        panic!("no bug");
    };
    let properties = outcome.result.properties.iter();
    let decided = properties.map(|(_, status)| match status {
        PropertyStatus::Violated => Some(true),
        PropertyStatus::Holds => Some(false),
        _ => None,
    });
    decided.collect()
}

const KINDS: [PropertyKind; 3] = PropertyKind::OF_CLIENTS;

#[test]
fn answers_are_those_of_a_checker_of_histories() {
    let work: Vec<u64> = seeds(40).collect();
    let rows = in_parallel(&work, |seed| {
        let explored = ["sc", "tso", "rc11"][*seed as usize % 3];
        let mut answers = Vec::new();
        let mut compare = |structure: &Structure, model: &str, engine: Engine| {
            let Some(histories) = histories(structure, model) else {
                return;
            };
            let alone = KINDS.map(|kind| refuted(structure, model, engine, &[kind])[0]);
            let together = refuted(structure, model, engine, &KINDS);
            for (i, kind) in KINDS.into_iter().enumerate() {
                let mut all = histories.iter();
                let expected = all.any(|h| !is_explained(structure, h, kind));
                for found in [alone[i], together[i]].into_iter().flatten() {
                    let text = structure.program_text(0);
                    assert_eq!(
                        found, expected,
                        "seed {seed}, {kind:?} on {model} by {engine:?}: {structure:?}\n{text}"
                    );
                }
                if let Some(found) = alone[i] {
                    answers.push((kind, model.to_string(), found));
                }
            }
        };
        let engine = [Engine::Sat, Engine::Explore, Engine::Auto][*seed as usize / 3 % 3];
        compare(&Structure::random(*seed, true), explored, engine);
        let machine = ["power", "aarch64", "riscv", "pso"][*seed as usize % 4];
        compare(&Structure::random(*seed, false), machine, Engine::Sat);
        answers
    });
    let mut counts: BTreeMap<(PropertyKind, String, bool), usize> = BTreeMap::new();
    for answer in rows.concat() {
        *counts.entry(answer).or_default() += 1;
    }
    println!("{counts:?}");
    let decided: usize = counts.values().sum();
    assert!(
        decided >= work.len() * 4,
        "{decided} answers of {}",
        work.len() * 6
    );
    for kind in KINDS {
        for refuted in [false, true] {
            let some = counts.keys().any(|(k, _, r)| (*k, *r) == (kind, refuted));
            assert!(
                some,
                "{kind:?}: no structure of {} answers {refuted}",
                work.len()
            );
        }
    }
}
