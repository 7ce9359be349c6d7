//! No threads wait for each other: locks are taken in an order.
//!
//! Where nothing goes on any more, each thread has ended or waits: for a lock, or for a thread to end. Let locks be
//! ordered such that who waits for one has only smaller ones; let nobody end with a lock; let main alone wait for
//! threads, and have no lock then. If some threads wait for locks, look at one that waits for the largest: whoever has
//! that lock has not ended, and so waits for a larger one, or is main, which has none. So no thread waits for a lock, and
//! each but main has ended, and main goes on. (Havender, Avoiding deadlock in multitasking systems, IBM Systems Journal
//! 1968.) Threads that spin for others to do something wait, too: there are none ([`ir::awaits`]).
//!
//! Who waits for a lock stays where memory ends with a lock that is taken. The last write to it is that of who took it and
//! has not set it back since, as writes of one thread to one location are in its order.

use crate::analysis::Analysis;
use crate::answer::Unproved;
use crate::graph::{FrameId, Graph, NodeId, Place};
use crate::points_to::{Class, Offsets};
use crate::threads::{Access, Change};
use crate::value::{At, KindId, Operator, Sym, ValId};
use base::idx::Id;
use base::source::Span;
use ir::awaits::waiting_loop;
use ir::program::{BinOp, Expr, Instr, MemoryOrder, Op, Program, Role};
use std::collections::{BTreeMap, BTreeSet};

/// One lock, or all that are in objects of one class, where it is not known which of them.
type LockPlace = (Class, Option<u64>);

/// A lock that a thread may have: where it was taken, and its address where that is still the lock's.
type Taken = (NodeId, Option<ValId>);

/// Shows that a program has no deadlock, however many threads it starts.
///
/// # Errors
/// Why that is not shown; there may be none nevertheless.
pub fn deadlock_freedom(program: &Program, analysis: &Analysis) -> Result<(), Unproved> {
    if let Some(span) = waiting_loop(program) {
        let text = "a loop that may wait for other threads".to_string();
        return Err(Unproved::Unsupported(span, text));
    }
    let mut check = Check {
        program,
        analysis,
        takes: BTreeMap::new(),
        collapsed: BTreeSet::new(),
        order: BTreeMap::new(),
    };
    check.find_takes()?;
    check.are_locks()?;
    for kind in analysis.conducts.ids() {
        check.follow(kind)?;
    }
    match check.has_cycle() {
        true => {
            let span = program.main_span();
            Err(Unproved::Unsupported(
                span,
                "locks that are not taken in an order".to_string(),
            ))
        }
        false => Ok(()),
    }
}

/// A place where a lock is taken.
struct Take<'a> {
    access: &'a Access,
    places: BTreeSet<LockPlace>,
    /// The instruction at which the thread waits until it has it, if it does.
    wait: Option<(FrameId, usize)>,
}

struct Check<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    takes: BTreeMap<At, Take<'a>>,
    /// Classes of objects of whose locks it is not always known which is meant.
    collapsed: BTreeSet<Class>,
    /// By lock: those that are waited for by who has it.
    order: BTreeMap<LockPlace, BTreeSet<LockPlace>>,
}

impl<'a> Check<'a> {
    fn place(&self, (kind, node): At) -> Option<(FrameId, usize, &'a [Instr])> {
        let graph = &self.analysis.threads.graphs[kind];
        let Place::Before(frame, pc) = graph.places[node] else {
            return None;
        };
        let body = &self.program.procs[graph.frames[frame].proc].body;
        (pc < body.len()).then_some((frame, pc, body))
    }

    fn instr(&self, at: At) -> Option<&'a Instr> {
        self.place(at).map(|(_, pc, body)| &body[pc])
    }

    /// The places where locks are taken that somebody waits for, or the same ones are taken without waiting.
    fn find_takes(&mut self) -> Result<(), Unproved> {
        let analysis = self.analysis;
        for access in analysis.conducts.iter().flat_map(|c| &c.accesses) {
            if !matches!(access.write, Some((Change::Take(_), _))) {
                continue;
            }
            let of = analysis.points_to.of(&analysis.threads.values, access.addr);
            if of.number || of.objects.is_empty() {
                return Err(Unproved::Address(access.span));
            }
            let mut places = BTreeSet::new();
            for (class, offsets) in &of.objects {
                for offset in offsets {
                    if offset.modulus != 0 {
                        self.collapsed.insert(*class);
                    }
                    places.insert((*class, Some(offset.rest)));
                }
            }
            let place = self.place(access.at);
            let wait = place.and_then(|(frame, pc, body)| Some((frame, wait_for_lock(body, pc)?)));
            let take = Take {
                access,
                places,
                wait,
            };
            if self.takes.insert(access.at, take).is_some() {
                return Err(unsupported(access.span, "several ways to take a lock"));
            }
        }
        let collapsed = &self.collapsed;
        for take in self.takes.values_mut() {
            let places = take.places.iter();
            let known = places.map(|(class, offset)| {
                let offset = offset.filter(|_| !collapsed.contains(class));
                (*class, offset)
            });
            take.places = known.collect();
        }
        let waiting = self.takes.values().filter(|take| take.wait.is_some());
        let waited: BTreeSet<LockPlace> = waiting.flat_map(|t| t.places.iter().copied()).collect();
        self.takes
            .retain(|_, take| !take.places.is_disjoint(&waited));
        Ok(())
    }

    /// Nobody locks a lock that is waited for but who takes it, and none is locked at first.
    fn are_locks(&self) -> Result<(), Unproved> {
        let analysis = self.analysis;
        let values = &analysis.threads.values;
        let mut waited: BTreeMap<Class, BTreeSet<Offsets>> = BTreeMap::new();
        for take in self.takes.values().filter(|take| take.wait.is_some()) {
            for (class, offsets) in analysis.points_to.of(values, take.access.addr).objects {
                waited.entry(class).or_default().extend(offsets);
            }
        }
        let is_waited = |class: &Class, offset: Offsets, size: u64| {
            let locks = waited.get(class).into_iter().flatten();
            let mut locks = locks.copied();
            locks.any(|lock| lock.overlap(Some(LOCK), offset, Some(size)))
        };
        for access in analysis.conducts.iter().flat_map(|c| &c.accesses) {
            let (Some((change, _)), Some(size)) = (access.write, access.size) else {
                continue;
            };
            let takes = matches!(change, Change::Take(_)) && self.takes.contains_key(&access.at);
            if takes || matches!(change, Change::Number(0)) {
                continue;
            }
            let of = analysis.points_to.of(values, access.addr);
            let mut objects = of.objects.iter();
            let may_lock = objects.any(|(class, offsets)| {
                let mut offsets = offsets.iter();
                offsets.any(|offset| is_waited(class, *offset, size))
            });
            if of.number || may_lock {
                return Err(unsupported(access.span, "a write that may lock"));
            }
        }
        for (id, global) in self.program.globals.iter_enumerated() {
            let is_of = |class: &&Class| match class {
                Class::Global(g) | Class::ThreadLocal(_, g) => *g == id,
                Class::Object(_) => false,
            };
            let is_zero = |value: &Expr| matches!(value, Expr::Const { value: 0, .. });
            let locked = waited.keys().filter(is_of).any(|class| {
                let mut init = global.init.iter();
                init.any(|(at, width, value)| {
                    let there = Offsets {
                        rest: *at,
                        modulus: 0,
                    };
                    !is_zero(value) && is_waited(class, there, u64::from(*width) / 8)
                })
            });
            let is_open = self.program.undefined.contains_key(&id);
            if locked || is_open && waited.keys().any(|class| is_of(&class)) {
                let span = self.program.main_span();
                return Err(unsupported(span, "a lock that may be taken at first"));
            }
        }
        Ok(())
    }

    /// Which locks a kind of thread may have at each of its points, and what it waits for then.
    fn follow(&mut self, kind: KindId) -> Result<(), Unproved> {
        let graph = &self.analysis.threads.graphs[kind];
        let mut has: BTreeMap<NodeId, BTreeSet<Taken>> =
            BTreeMap::from([(graph.entry(), BTreeSet::new())]);
        let mut changed = true;
        while changed {
            changed = false;
            for node in &graph.order {
                // What no execution reaches has no accesses.
                let is_reached = self.analysis.conducts[kind].points.contains_key(node);
                let Some(before) = has.get(node).filter(|_| is_reached).cloned() else {
                    continue;
                };
                let after = self.after((kind, *node), before);
                for (_, to) in &graph.next[*node] {
                    let mut after = after.clone();
                    if graph.is_back(*node, *to) {
                        after = after.into_iter().map(|taken| self.aged(taken)).collect();
                    }
                    let is_new = !has.contains_key(to);
                    let known = has.entry(*to).or_default();
                    let size = known.len();
                    known.extend(after);
                    changed |= is_new || known.len() > size;
                }
            }
        }
        has.retain(|node, _| self.analysis.conducts[kind].points.contains_key(node));
        for (node, before) in &has {
            self.look(kind, graph, *node, before)?;
        }
        Ok(())
    }

    /// What a thread may have behind an instruction.
    fn after(&self, at: At, mut has: BTreeSet<Taken>) -> BTreeSet<Taken> {
        if let Some(take) = self.takes.get(&at) {
            has.insert((at.1, Some(take.access.addr)));
        }
        let gives = self
            .instr(at)
            .is_some_and(|instr| matches!(instr.op, Op::Store { .. }));
        if gives {
            let accesses = self.analysis.conducts[at.0].accesses.iter();
            let given =
                accesses.filter(|a| a.at == at && matches!(a.write, Some((Change::Number(0), _))));
            for access in given {
                has.retain(|(_, lock)| *lock != Some(access.addr));
            }
        }
        has
    }

    /// A lock from an iteration before: what its address is computed from may be something else in the next one.
    fn aged(&self, (node, lock): Taken) -> Taken {
        (node, lock.filter(|lock| self.is_lasting(*lock)))
    }

    /// Whether a value is the same in all iterations.
    fn is_lasting(&self, value: ValId) -> bool {
        let values = &self.analysis.threads.values;
        values
            .of(value)
            .terms
            .iter()
            .all(|(sym, _)| match values.of_sym(*sym) {
                Sym::Global(_) | Sym::ThreadLocal(..) | Sym::Argument(_) | Sym::Itself(_) => true,
                Sym::Term(Operator::Cast(_), operands) => {
                    operands.iter().all(|o| self.is_lasting(*o))
                }
                _ => false,
            })
    }

    /// What a thread waits for at a point, with what it may have; and whether it may end there.
    fn look(
        &mut self,
        kind: KindId,
        graph: &Graph,
        node: NodeId,
        has: &BTreeSet<Taken>,
    ) -> Result<(), Unproved> {
        let at = (kind, node);
        let Some(instr) = self.instr(at) else {
            let ends = graph.next[node].is_empty();
            return match ends && !has.is_empty() {
                true => Err(unsupported(
                    self.program.main_span(),
                    "a thread that ends with a lock",
                )),
                false => Ok(()),
            };
        };
        match &instr.op {
            Op::Join { .. } if kind.index() > 0 => {
                return Err(unsupported(instr.span, "a join outside of main"));
            }
            Op::Join { .. } if !has.is_empty() => {
                return Err(unsupported(instr.span, "a join with a lock"));
            }
            Op::ThreadExit(_) if !has.is_empty() => {
                return Err(unsupported(instr.span, "a thread that ends with a lock"));
            }
            Op::GracePeriod { .. } => {
                return Err(unsupported(instr.span, "a grace period"));
            }
            // The one behind the instruction that takes the lock.
            Op::Wait { .. } if !self.is_for_lock(at) => {
                return Err(unsupported(
                    instr.span,
                    "a wait for something that is no lock",
                ));
            }
            _ => {}
        }
        let Some(take) = self.takes.get(&at).filter(|take| take.wait.is_some()) else {
            return Ok(());
        };
        if take.access.section {
            return Err(unsupported(
                instr.span,
                "a lock that is waited for in an atomic section",
            ));
        }
        for (taken, _) in has {
            for held in &self.takes[&(kind, *taken)].places {
                let larger = self.order.entry(*held).or_default();
                larger.extend(take.places.iter().copied());
            }
        }
        Ok(())
    }

    /// Whether a wait is that for a lock.
    fn is_for_lock(&self, at: At) -> bool {
        let place = self.place(at).map(|(frame, pc, _)| (frame, pc));
        let mut takes = self.takes.iter();
        takes.any(|((kind, _), take)| *kind == at.0 && take.wait.is_some() && take.wait == place)
    }

    fn has_cycle(&self) -> bool {
        // Locks from which no way leads round.
        let mut smooth: BTreeSet<LockPlace> = BTreeSet::new();
        loop {
            let ends = |place: &LockPlace| {
                let next = self.order.get(place).into_iter().flatten();
                next.into_iter()
                    .all(|to| smooth.contains(to) || !self.order.contains_key(to))
            };
            let more: Vec<LockPlace> = self
                .order
                .keys()
                .filter(|place| !smooth.contains(*place) && ends(place))
                .copied()
                .collect();
            if more.is_empty() {
                return smooth.len() < self.order.len();
            }
            smooth.extend(more);
        }
    }
}

/// Bytes of the word that a lock is.
const LOCK: u64 = 4;

/// Where a thread waits until it has the lock of the library that an instruction takes, if it is one: behind it, where
/// nothing else leads to.
fn wait_for_lock(body: &[Instr], take: usize) -> Option<usize> {
    let Op::Cas {
        dst,
        success: MemoryOrder::Library(Role::Lock),
        expected: Expr::Const { value: 0, .. },
        ..
    } = &body[take].op
    else {
        return None;
    };
    let mut behind =
        (take + 1..body.len()).skip_while(|at| matches!(body[*at].op, Op::Assert { .. }));
    let wait = behind.next()?;
    let Op::Wait { cond, .. } = &body[wait].op else {
        return None;
    };
    let Expr::Binary(BinOp::Eq, read, zero) = cond else {
        return None;
    };
    let is_free = **read == Expr::Local(*dst) && matches!(**zero, Expr::Const { value: 0, .. });
    let leads_there = |instr: &Instr| matches!(instr.op, Op::Goto { target, .. } if (take + 1..=wait).contains(&target));
    (is_free && !body.iter().any(leads_there)).then_some(wait)
}

fn unsupported(span: Span, what: &str) -> Unproved {
    Unproved::Unsupported(span, what.to_string())
}
