//! The event graph of a program is compared with the program on random executions, and the formulas of
//! proofs with the executions that they must admit.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use support::sessions::{FOLDERS, in_parallel, programs_on, unwound};
use support::{builtin, some_models};
use wmbmc::cat::eval::Evaluator;
use wmbmc::check::bundle;
use wmbmc::check::decode::{Mismatch, Run};
use wmbmc::check::walk::{Walks, compare, walk};
use wmbmc::driver::program::ProgramSession;
use wmbmc::ir::program::{BinOp, MemoryOrder, PropertyKind};
use wmbmc::proof::formula::formula;
use wmbmc::proof::graph::{Condition, Final, Graph, Query};
use wmbmc::proof::learnt::Learnt;
use wmbmc::smt::sat::{Cadical, SatResult, Solver};
use wmbmc::unroll::event::{EventGraph, EventId, EventKind, ThreadId};

/// Executions of a program on a model.
const NUMBER: usize = 50;
const SEED: u64 = 1;
/// Seconds for the executions of one.
const MAX_SECONDS: u64 = 5;

/// Compares a program with an event graph of it.
fn compared(
    session: &ProgramSession,
    graph: &EventGraph,
    name: &str,
    kinds: &[PropertyKind],
) -> Result<Walks, Mismatch> {
    let model = builtin(name);
    let program = &session.lowered().program;
    let start = Instant::now();
    let stop = || start.elapsed().as_secs() > MAX_SECONDS;
    compare(program, graph, &model, kinds, (NUMBER, SEED), &stop)
}

#[test]
fn programs_do_what_their_event_graphs_do() {
    let rows = programs_on(&FOLDERS, |number| {
        // C11 says nothing of a program with a race.
        let others = some_models(number, 1).filter(|name| !["tso", "power", "rc11"].contains(name));
        ["tso", "power"].into_iter().chain(others)
    });
    let answers = in_parallel(&rows, |(file, name)| {
        let session = unwound(file, name)?;
        let graph = session.graph()?;
        let walks = compared(
            &session,
            graph,
            name,
            &session.lowered().checks.on(&builtin(name)),
        );
        match walks {
            Ok(walks) => Some(walks),
            Err(mismatch) => panic!("{} on {name}: {}", file.display(), mismatch.0),
        }
    });
    let compared: Vec<&Walks> = answers.iter().flatten().collect();
    let sum = |of: fn(&Walks) -> usize| compared.iter().map(|w| of(w)).sum::<usize>();
    println!(
        "{} of {} event graphs, {} executions, {} whole, {} with a violation, {} that a model forbids",
        compared.len(),
        rows.len(),
        sum(|w| w.followed),
        sum(|w| w.whole),
        sum(|w| w.violating),
        sum(|w| w.forbidden),
    );
    assert!(compared.len() * 10 > rows.len() * 9);
    assert!(sum(|w| w.whole) * 2 > sum(Walks::all));
    assert!(sum(|w| w.violating) > 100);
}

/// What the first executions have: events, threads, violated checks, waits, reached bounds.
#[derive(Default)]
struct Seen {
    /// Each with the number of these executions that have it.
    events: BTreeMap<EventId, usize>,
    threads: BTreeSet<ThreadId>,
    checks: BTreeSet<usize>,
    waits: BTreeSet<usize>,
    bounds: BTreeSet<usize>,
}

fn seen(graph: &EventGraph, name: &str) -> Seen {
    let model = builtin(name);
    let evaluator = Evaluator::new(&model);
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut seen = Seen::default();
    for _ in 0..NUMBER / 5 {
        let Some(run) = walk(graph, &mut random).expect("the graph fits itself") else {
            continue;
        };
        let astray = graph.unresolved.iter().any(|u| run.holds(u.guard));
        if astray || run.validate(&evaluator).is_err() {
            continue;
        }
        // For which scalars of an object its lifetime has events only the graph knows.
        let has_event = |e: &&EventId| {
            let kind = graph.events[**e].kind;
            !matches!(kind, EventKind::Init | EventKind::Lifetime(_))
        };
        for event in run.events.iter().filter(has_event) {
            *seen.events.entry(*event).or_default() += 1;
        }
        let threads = graph.threads.iter_enumerated();
        let begun = threads.filter(|(id, t)| id.0 > 0 && run.holds(t.guard));
        seen.threads.extend(begun.map(|(id, _)| id));
        // What has been freed at the end depends on the order of threads, which is not followed.
        let violated = |i: &usize| {
            let check = &graph.checks[*i];
            let followed = check.property.kind != PropertyKind::Leak;
            followed && run.holds(check.guard) && !run.holds(check.cond)
        };
        seen.checks.extend((0..graph.checks.len()).filter(violated));
        let waits = |i: &usize| run.holds(graph.waits[*i].guard);
        seen.waits.extend((0..graph.waits.len()).filter(waits));
        // With a critical section what is left out has changed nothing, so that nothing is lost.
        let reached = |i: &usize| {
            let bound = &graph.bounds_reached[*i];
            bound.section.is_none() && run.holds(bound.guard)
        };
        seen.bounds
            .extend((0..graph.bounds_reached.len()).filter(reached));
    }
    seen
}

/// Whether a thread reads here what no other thread writes, and without an order: that may be missing.
fn is_own(graph: &EventGraph, e: EventId) -> bool {
    let read = &graph.events[e];
    let mut others = graph.events.iter().filter(|o| o.thread != read.thread);
    let other_writes = others.any(|o| {
        let same = o.cells.iter().any(|c| read.cells.contains(c));
        same && o.kind == EventKind::Write
    });
    read.kind == EventKind::Read && read.order == MemoryOrder::Plain && !other_writes
}

/// Whether the event before or behind is the same read, in a program with an await: one iteration of an
/// await does what two of them do.
fn is_repeated(graph: &EventGraph, e: EventId) -> bool {
    let events = &graph.threads[graph.events[e].thread.expect("it is an access")].events;
    let what = |e: EventId| (graph.events[e].kind, graph.events[e].span);
    let mut pairs = events.windows(2).filter(|pair| pair.contains(&e));
    graph.loops.values().any(|l| l.awaits) && pairs.any(|pair| what(pair[0]) == what(pair[1]))
}

#[test]
fn what_an_event_graph_has_lost_shows() {
    let rows = programs_on(&["benchmarks", "benchmarks/races"], |_| ["tso", "power"]);
    let answers = in_parallel(&rows, |(file, name)| {
        let session = unwound(file, name)?;
        let graph = session.graph()?;
        let kinds = session.lowered().checks.on(&builtin(name));
        let whole = compared(&session, graph, name, &kinds).ok()?;
        let mut changes = BTreeMap::new();
        let mut change = |kind: &'static str, what: &str, edit: &dyn Fn(&mut EventGraph)| {
            let mut changed = graph.clone();
            edit(&mut changed);
            let walks = compared(
                &session,
                &changed,
                name,
                &session.lowered().checks.on(&builtin(name)),
            );
            let (all, found) = changes.entry(kind).or_insert((0, 0));
            *all += 1;
            // No verdict rests on executions whose pointers go astray.
            let shows = walks.as_ref().map_or(true, |w| w.astray > whole.astray);
            *found += usize::from(shows);
            if !shows {
                println!("{} on {name}: {kind}, {what}", file.display());
            }
        };
        let seen = seen(graph, name);
        // What one execution alone has may be lost with it: one that reads an old write and does not fit
        // the changed graph is taken for one that no model allows.
        let often = seen.events.into_iter().filter(|(_, count)| *count > 1);
        for e in often
            .map(|(e, _)| e)
            .filter(|e| !is_own(graph, *e) && !is_repeated(graph, *e))
            .step_by(3)
        {
            change("an event does not happen", &e.to_string(), &|g| {
                g.events[e].guard = g.terms.bool(false);
            });
            if graph.events[e].kind.writes() {
                change("a write has another value", &e.to_string(), &|g| {
                    let value = g.events[e].value;
                    let one = g.terms.constant(1, g.terms.width(value));
                    g.events[e].value = g.terms.binary(BinOp::Add, value, one);
                });
            }
        }
        for t in seen.threads {
            change("a thread is not created", &t.to_string(), &|g| {
                g.threads[t].guard = g.terms.bool(false);
            });
            change("a thread does not end", &t.to_string(), &|g| {
                g.threads[t].ended = g.terms.bool(false);
            });
        }
        for i in seen.checks {
            let text = &graph.checks[i].property.text;
            change("a check is missing", text, &|g| drop(g.checks.remove(i)));
        }
        for i in seen.waits {
            change("a wait is missing", &i.to_string(), &|g| {
                drop(g.waits.remove(i))
            });
        }
        for i in seen.bounds {
            change("a bound is missing", &i.to_string(), &|g| {
                drop(g.bounds_reached.remove(i))
            });
        }
        Some(changes)
    });
    let mut sums: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (kind, (all, found)) in answers.iter().flatten().flatten() {
        let sum = sums.entry(kind).or_default();
        *sum = (sum.0 + all, sum.1 + found);
    }
    for (kind, (all, found)) in &sums {
        println!("{kind}: {found} of {all} found");
        assert!(*all > 0);
    }
    assert!(sums.values().all(|(all, found)| all == found));
}

/// Executions of a program on a model whose formula is solved.
const SOLVED: usize = 3;
/// Clauses of a formula that is solved.
const MAX_CLAUSES: usize = 2_000_000;

/// Whether an execution ends, and nothing happens in it that a query for final states tells apart.
fn is_plain(graph: &EventGraph, run: &Run) -> bool {
    let ended = |t: &wmbmc::unroll::event::Thread| !run.holds(t.guard) || run.holds(t.ended);
    let bounds = graph.bounds_reached.iter().map(|b| b.guard);
    let unknown = graph.unsupported.iter().map(|u| u.guard);
    let unresolved = graph.unresolved.iter().map(|u| u.guard);
    let violated = |c: &wmbmc::unroll::event::Check| run.holds(c.guard) && !run.holds(c.cond);
    graph.threads.iter().all(ended)
        && !bounds
            .chain(unknown)
            .chain(unresolved)
            .any(|g| run.holds(g))
        && !graph.checks.iter().any(violated)
}

/// Asks for an execution with the events, addresses and values of this one, and its last writes; `but` for
/// an event that shall have another value.
fn wants(graph: &mut Graph, run: &Run, but: Option<(EventId, u64)>) {
    let mut finals = Vec::new();
    for e in run.graph.events.ids() {
        let event = &graph.events[e.0 as usize];
        let happens = run.events.contains(&e);
        finals.push((Final::Value(event.guard), u64::from(happens)));
        if let (true, Some(value)) = (happens, run.value.get(&e)) {
            let other = but.filter(|(other, _)| *other == e);
            let value = other.map_or(*value, |(_, value)| value);
            finals.push((Final::Value(event.value), value));
            finals.push((Final::Value(event.addr), run.addr[&e]));
        }
    }
    for (number, cell) in run.graph.cells.iter().enumerate() {
        let writes = run.coherence.get(&run.addr[&cell.init]);
        let last = writes.and_then(|writes| writes.last());
        if let Some(value) = last.and_then(|w| run.value.get(w)) {
            let number = u32::try_from(number).expect("few cells");
            finals.push((Final::Cell(number), *value));
        }
    }
    let all = finals
        .iter()
        .zip(0..)
        .map(|((_, value), i)| Condition::Is(i, *value));
    graph.query = Query::FinalState(Condition::All(all.collect()));
    graph.finals = finals.into_iter().map(|(what, _)| what).collect();
    // None of these is reached: an execution that does so is not an answer here.
    graph.bounds.clear();
    graph.unknown.clear();
    // The execution may have an iteration that changed nothing.
    graph.followed.clear();
}

#[test]
fn formulas_admit_the_executions_that_the_model_allows() {
    let rows = programs_on(&FOLDERS, |number| some_models(number, 4));
    let answers = in_parallel(&rows, |(file, name)| {
        let session = unwound(file, name)?;
        let graph = session.graph()?;
        let model = builtin(name);
        let evaluator = Evaluator::new(&model);
        let mut random = fastrand::Rng::with_seed(SEED);
        let mut solved = 0;
        for _ in 0..NUMBER {
            let Some(run) = walk(graph, &mut random).expect("the graph fits itself") else {
                continue;
            };
            let spurious = !model.linked && graph.spurious.iter().any(|t| run.holds(*t));
            if spurious || !is_plain(graph, &run) || run.validate(&evaluator).is_err() {
                continue;
            }
            let answer = |but| {
                let query = Query::FinalState(Condition::All(Vec::new()));
                let mut wanted = bundle::graph(graph, &model, query).ok()?;
                wants(&mut wanted, &run, but);
                let made = formula(&wanted, &model, &Learnt::default(), &|clauses| {
                    clauses > MAX_CLAUSES
                })
                .ok()?;
                let mut solver = Cadical::new(std::rc::Rc::new(|| false));
                solver.add(&made.flat);
                Some(solver.solve(&[]))
            };
            assert_eq!(
                answer(None)?,
                SatResult::Sat,
                "{} on {name}",
                file.display()
            );
            // A value that nobody writes is not read.
            let mut reads = run.source.keys();
            let value = (1..128).find(|v| !run.value.values().any(|w| w == v));
            if let (Some(read), Some(value)) = (reads.next(), value) {
                let answer = answer(Some((*read, value)))?;
                assert_eq!(answer, SatResult::Unsat, "{} on {name}", file.display());
            }
            solved += 1;
            if solved == SOLVED {
                break;
            }
        }
        Some(solved)
    });
    let graphs = answers.iter().flatten().filter(|n| **n > 0).count();
    let solved: usize = answers.iter().flatten().sum();
    println!(
        "{graphs} of {} event graphs, {solved} executions",
        rows.len()
    );
    assert!(graphs * 2 > rows.len());
}
