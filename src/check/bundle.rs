//! From an event graph and a query to the graph of a bundle: the same, as plain data.
//!
//! What is added is what the model's machine makes of the program: the sets that each event is in, and
//! which instruction a read-modify-write is. Terms that nothing refers to are left out.

use crate::relations::bounds::{UnknownFence, event_tags, language_tags, read_order, read_tags};
use crate::unroll::event::{Deps, EventGraph, EventId, EventKind, Final};
use crate::unroll::term::{Term, TermId, operands};
use base::idx::Id;
use cat::arch;
use cat::model::{BaseRel, Model};
use ir::litmus::{Condition, Operand};
use ir::program::{Atomicity, BinOp, Lifetime, Program, PropertyKind, mask};
use proof::graph as plain;

/// The graph of a bundle.
///
/// # Errors
/// The model does not know a fence of the program.
pub fn graph(
    graph: &EventGraph,
    model: &Model,
    query: plain::Query,
) -> Result<plain::Graph, UnknownFence> {
    let mut numbers = Numbers::new(graph);
    let mut events = Vec::new();
    for (id, event) in graph.events.iter_enumerated() {
        let tags = event_tags(model, event)?.iter();
        let tags = tags.chain(language_tags(event)).map(|t| (*t).to_string());
        events.push(plain::Event {
            kind: match event.kind {
                EventKind::Init => plain::EventKind::Init,
                EventKind::Read => plain::EventKind::Read,
                EventKind::Write => plain::EventKind::Write,
                EventKind::Lifetime(Lifetime::Begin) => plain::EventKind::Begin,
                EventKind::Lifetime(Lifetime::End | Lifetime::Free) => plain::EventKind::End,
                EventKind::Fence(_) => plain::EventKind::Fence,
            },
            thread: event.thread.map(|t| t.0),
            guard: numbers.of(event.guard),
            addr: numbers.of(event.addr),
            cells: event.cells.iter().map(|c| c.0).collect(),
            value: numbers.of(event.value),
            shadow: graph.shadows.get(&id).map(|shadow| numbers.of(*shadow)),
            addr_deps: numbers.deps(model, &event.addr_deps),
            data_deps: numbers.deps(model, &event.data_deps),
            ctrl_deps: numbers.deps(model, &event.ctrl_deps),
            rmw: event.rmw_read.map(|read| {
                let kind = match arch::rmw_of(model.arch, event.order) {
                    BaseRel::Amo => plain::Rmw::Amo,
                    _ => plain::Rmw::Lxsx,
                };
                (read.0, kind)
            }),
            group: event.group.map(|g| g.0),
            tags: tags.collect(),
            read_tags: match event.rmw_read {
                None => Vec::new(),
                Some(_) => {
                    let said = read_order(graph, event);
                    let tags = read_tags(model, said).iter().chain(language_tags(said));
                    tags.map(|t| (*t).to_string()).collect()
                }
            },
        });
    }
    let threads = graph.threads.iter().map(|t| plain::Thread {
        parent: t.parent.map(|p| p.0),
        created_after: t.created_after,
        guard: numbers.of(t.guard),
        ended: numbers.of(t.ended),
        events: t.events.iter().map(|e| e.0).collect(),
    });
    let threads = threads.collect();
    let unseen = graph.unseen.iter().map(|u| plain::Unseen {
        write: u.write.0,
        when: numbers.of(u.when),
    });
    let unseen = unseen.collect();
    let joins = graph.joins.iter().map(|j| plain::Join {
        joined: j.joined.0,
        thread: j.thread.0,
        position: j.position,
        cond: numbers.of(j.cond),
    });
    let joins = joins.collect();
    let checks = graph.checks.iter().map(|c| plain::Check {
        kind: c.property.kind.name().to_string(),
        thread: c.thread.0,
        position: c.position,
        guard: numbers.of(c.guard),
        cond: numbers.of(c.cond),
    });
    let checks = checks.collect();
    let waits = graph.waits.iter().map(|w| plain::Wait {
        thread: w.thread.0,
        guard: numbers.of(w.guard),
        reads: w.reads.iter().map(|r| r.0).collect(),
    });
    let waits = waits.collect();
    let bounds = graph.bounds_reached.iter().map(|b| plain::Bound {
        name: b.name.clone(),
        guard: numbers.of(b.guard),
        section: b.section.map(|s| (s.taken.0, s.given.0)),
    });
    let bounds = bounds.collect();
    let followed = graph.followed.iter().map(|f| plain::Followed {
        when: numbers.of(f.when),
        accesses: f.accesses.iter().map(|e| e.0).collect(),
    });
    let followed = followed.collect();
    let unknown = graph.unsupported.iter().chain(&graph.unresolved);
    let unknown = unknown.map(|u| numbers.of(u.guard)).collect();
    let finals = graph.finals.iter().map(|f| match f {
        Final::Value(term) => plain::Final::Value(numbers.of(*term)),
        Final::Cell(cell) => plain::Final::Cell(cell.0),
    });
    let finals = finals.collect();
    let kind = |kind: Atomicity| match kind {
        Atomicity::Section => plain::Group::Section,
        Atomicity::Node => plain::Group::Node,
        Atomicity::Snapshot => plain::Group::Snapshot,
        Atomicity::Access => plain::Group::Access,
    };
    Ok(plain::Graph {
        query,
        events,
        threads,
        cells: graph.cells.iter().map(|c| c.init.0).collect(),
        groups: graph.groups.iter().map(|g| kind(g.kind)).collect(),
        unseen,
        joins,
        checks,
        waits,
        halts: graph.halts.iter().map(|t| numbers.of(*t)).collect(),
        bounds,
        followed,
        unknown,
        spurious: graph.spurious.iter().map(|t| numbers.of(*t)).collect(),
        finals,
        terms: numbers.terms,
    })
}

/// That no property of some kinds is violated; `complete`: whatever the bounds.
pub fn violation(kinds: &[PropertyKind], complete: bool) -> plain::Query {
    plain::Query::Violation {
        kinds: kinds.iter().map(|k| k.name().to_string()).collect(),
        complete,
    }
}

/// That a condition holds in no final state, or fails in none (`fails`), among those that a filter lets
/// through.
pub fn final_state(
    program: &Program,
    graph: &EventGraph,
    condition: &Condition,
    filter: Option<&Condition>,
    fails: bool,
) -> plain::Query {
    let plain = |c| plain_condition(program, graph, c);
    let condition = match fails {
        true => plain::Condition::Not(Box::new(plain(condition))),
        false => plain(condition),
    };
    let all = [condition].into_iter().chain(filter.map(plain));
    plain::Query::FinalState(plain::Condition::All(all.collect()))
}

fn plain_condition(
    program: &Program,
    graph: &EventGraph,
    condition: &Condition,
) -> plain::Condition {
    let plain = |c: &Condition| plain_condition(program, graph, c);
    match condition {
        Condition::Constant(true) => plain::Condition::All(Vec::new()),
        Condition::Constant(false) => plain::Condition::Any(Vec::new()),
        Condition::Equal(what, operand) => {
            let width = program.observables[*what].width();
            let is = |value: u64| plain::Condition::Is(what.0, value & mask(width));
            match operand {
                Operand::Number(n) => is(*n),
                Operand::Address(global, offset) => {
                    is(graph.statics[*global].wrapping_add(*offset))
                }
                Operand::Observable(other) => plain::Condition::Same(what.0, other.0),
            }
        }
        Condition::Not(c) => plain::Condition::Not(Box::new(plain(c))),
        Condition::And(all) => plain::Condition::All(all.iter().map(plain).collect()),
        Condition::Or(any) => plain::Condition::Any(any.iter().map(plain).collect()),
        Condition::Implies(a, b) => {
            let fails = plain::Condition::Not(Box::new(plain(a)));
            plain::Condition::Any(vec![fails, plain(b)])
        }
    }
}

/// Terms that are referred to, numbered as they are met.
struct Numbers<'a> {
    graph: &'a EventGraph,
    number: Vec<Option<u32>>,
    terms: Vec<(u8, plain::Term)>,
}

impl<'a> Numbers<'a> {
    fn new(graph: &'a EventGraph) -> Numbers<'a> {
        Numbers {
            graph,
            number: vec![None; graph.terms.len()],
            terms: Vec::new(),
        }
    }

    /// The dependencies that count on the model's machine.
    fn deps(&mut self, model: &Model, deps: &Deps) -> Vec<(u32, u32)> {
        let events = &self.graph.events;
        let counts =
            |e: EventId| arch::store_reports(model.arch) || events[e].kind != EventKind::Write;
        let deps: Vec<_> = deps.iter().filter(|(e, _)| counts(*e)).collect();
        deps.into_iter().map(|(e, c)| (e.0, self.of(*c))).collect()
    }

    fn of(&mut self, root: TermId) -> u32 {
        let terms = &self.graph.terms;
        let mut work = vec![root];
        while let Some(&next) = work.last() {
            if self.number[next.index()].is_some() {
                work.pop();
                continue;
            }
            let missing = operands(terms.get(next)).into_iter().flatten();
            let missing: Vec<TermId> = missing
                .filter(|o| self.number[o.index()].is_none())
                .collect();
            if missing.is_empty() {
                let term = self.term(terms.get(next));
                self.number[next.index()] = Some(self.terms.len() as u32);
                self.terms.push((terms.width(next), term));
                work.pop();
            }
            work.extend(missing);
        }
        self.known(root)
    }

    fn known(&self, term: TermId) -> u32 {
        self.number[term.index()].expect("operands are numbered before the terms that use them")
    }

    fn term(&self, term: Term) -> plain::Term {
        let of = |t: TermId| self.known(t);
        match term {
            Term::Const(v) => plain::Term::Const(v),
            Term::Read(e) => plain::Term::Read(e.0),
            Term::Nondet(n) => plain::Term::Any(n),
            Term::Not(a) => plain::Term::Not(of(a)),
            Term::Binary(op, a, b) => match operator(op) {
                Ok(op) => plain::Term::Op(op, of(a), of(b)),
                Err(name) => plain::Term::Uninterpreted(name.to_string(), vec![of(a), of(b)]),
            },
            Term::Ite(c, a, b) => plain::Term::Ite(of(c), of(a), of(b)),
            Term::ZeroExtend(a) => plain::Term::ZeroExtend(of(a)),
            Term::SignExtend(a) => plain::Term::SignExtend(of(a)),
            Term::Truncate(a) => plain::Term::Truncate(of(a)),
            Term::Float(function, a) => {
                plain::Term::Uninterpreted(format!("{function:?}").to_lowercase(), vec![of(a)])
            }
            Term::Convert(cast, a) => {
                plain::Term::Uninterpreted(format!("{cast:?}").to_lowercase(), vec![of(a)])
            }
        }
    }
}

/// The operator, or the name of one of floating-point numbers.
fn operator(op: BinOp) -> Result<plain::Op, &'static str> {
    Ok(match op {
        BinOp::Add => plain::Op::Add,
        BinOp::Sub => plain::Op::Sub,
        BinOp::Mul => plain::Op::Mul,
        BinOp::Udiv => plain::Op::Udiv,
        BinOp::Sdiv => plain::Op::Sdiv,
        BinOp::Urem => plain::Op::Urem,
        BinOp::Srem => plain::Op::Srem,
        BinOp::And => plain::Op::And,
        BinOp::Or => plain::Op::Or,
        BinOp::Xor => plain::Op::Xor,
        BinOp::Shl => plain::Op::Shl,
        BinOp::Lshr => plain::Op::Lshr,
        BinOp::Ashr => plain::Op::Ashr,
        BinOp::Eq => plain::Op::Eq,
        BinOp::Ne => plain::Op::Ne,
        BinOp::Ult | BinOp::PtrLt => plain::Op::Ult,
        BinOp::Ule | BinOp::PtrLe => plain::Op::Ule,
        BinOp::Slt => plain::Op::Slt,
        BinOp::Sle => plain::Op::Sle,
        BinOp::Fadd => return Err("fadd"),
        BinOp::Fsub => return Err("fsub"),
        BinOp::Fmul => return Err("fmul"),
        BinOp::Fdiv => return Err("fdiv"),
        BinOp::Feq => return Err("feq"),
        BinOp::Flt => return Err("flt"),
        BinOp::Fle => return Err("fle"),
    })
}
