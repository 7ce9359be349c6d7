//! Threads that are created and joined, and where their handles are kept.

use super::Flow;
use crate::answer::Unproved;
use crate::graph::{FrameId, NodeId, Place};
use crate::state::{Handles, State};
use crate::threads::{Creation, Source};
use crate::value::{KindId, Operator, Sym, SymId, ValId};
use base::source::Span;
use ir::program::{Callee, Cast, Expr, LocalId, ProcId, Width, sign_extend};
use std::rc::Rc;

impl Flow<'_> {
    pub(super) fn spawn(
        &mut self,
        node: NodeId,
        frame: FrameId,
        span: Span,
        (dst, callee, arg): (LocalId, &Callee, &Expr),
        state: &mut State,
    ) -> Result<(), Unproved> {
        let at = (self.kind, node);
        let argument = self.eval(state, frame, arg);
        let procs: Vec<ProcId> = match callee {
            Callee::Proc(p) | Callee::Pointer(Expr::Proc(p)) => vec![*p],
            Callee::Pointer(pointer) => {
                let pointer = self.eval(state, frame, pointer);
                let Place::Before(_, pc) = self.graph.places[node] else {
                    unreachable!("a creation is an instruction");
                };
                let call = (self.graph.frames[frame].proc, pc);
                self.conduct.calls.push((call, pointer, span));
                self.points_to.procedures(&self.threads.values, pointer)
            }
        };
        for proc in procs {
            let kind = self
                .threads
                .kind(self.program, proc, Some(at), self.targets)?;
            let started = state.started.clone();
            self.conduct
                .creations
                .insert(kind, Creation { argument, started });
            let started = state.started.entry(kind).or_default();
            if !started.runs() {
                started.handles = None;
            }
            started.ever = true;
            started.current = true;
            started.complete = false;
            state.joining.retain(|(of, _), _| *of != kind);
        }
        if self.graph.loops[node].len() == 1 {
            state.creates_at(node).now = true;
        }
        let width = self.width((frame, dst));
        let handle = self.threads.values.symbol(Sym::Thread(at), width);
        state.locals.insert((frame, dst), handle);
        Ok(())
    }

    /// Whether a store keeps the handle of a thread that a loop starts, of which kinds, and where those of all are.
    pub(super) fn keeps_handle(
        &mut self,
        addr: ValId,
        value: ValId,
        state: &State,
    ) -> Option<(Vec<KindId>, Handles)> {
        let Some(Sym::Thread(at)) = self.threads.values.single(value).cloned() else {
            return None;
        };
        let [header] = self.graph.loops[at.1][..] else {
            return None;
        };
        let count = self.threads.values.sym(Sym::Count((self.kind, header)));
        let any = self.threads.values.of_any_count(addr, count);
        let size = u64::from(self.threads.values.of(value).width) / 8;
        if !self.threads.is_invariant(any, self.kind, header) || !self.tells_apart(any, size) {
            return None;
        }
        let mut tests = self.tests(header, state);
        if let Some(Some(passed)) = state.passed.get(&header) {
            tests.retain(|test| passed.contains(test));
        }
        let kinds = self.threads.started_at(at);
        Some((
            kinds,
            Handles {
                addr: any,
                header,
                tests,
            },
        ))
    }

    /// Whether so many bytes at an address are others for each count, as those of an element of an array are.
    pub(super) fn tells_apart(&self, any: ValId, size: u64) -> bool {
        let values = &self.threads.values;
        let counts = |sym: SymId| match values.of_sym(sym) {
            Sym::AnyCount => true,
            Sym::Term(Operator::Cast(Cast::Zero | Cast::Sign), inner) => {
                let sum = values.of(inner[0]);
                let of = |(sym, factor): &(SymId, u64)| {
                    *values.of_sym(*sym) == Sym::AnyCount
                        && sign_extend(*factor, sum.width).abs() == 1
                };
                sum.width >= 32 && sum.terms.iter().filter(|t| of(t)).count() == 1
            }
            _ => false,
        };
        let sum = values.of(any);
        let mut terms = sum.terms.iter().filter(|(sym, _)| counts(*sym));
        match (terms.next(), terms.next()) {
            (Some((_, stride)), None) => sign_extend(*stride, sum.width).unsigned_abs() >= size,
            _ => false,
        }
    }

    /// The handle of a thread that a loop has started, where another loop looks at them one after another.
    pub(super) fn handle_at(
        &mut self,
        node: NodeId,
        addr: ValId,
        width: Width,
        state: &State,
    ) -> Option<ValId> {
        if self.is_shared(addr, u64::from(width) / 8) {
            return None;
        }
        for by in self.graph.clone().loops[node].iter().rev() {
            let count = self.threads.values.sym(Sym::Count((self.kind, *by)));
            let any = self.threads.values.of_any_count(addr, count);
            for (kind, started) in &state.started {
                let handles = started.handles.as_ref();
                if handles.is_some_and(|h| started.complete && h.addr == any) {
                    let creation = self.threads.kinds[*kind].creation;
                    let sym = Sym::ThreadOfCount(creation.expect("it was created"), *by);
                    return Some(self.threads.values.symbol(sym, width));
                }
            }
        }
        None
    }

    /// Whether a handle is that of a thread that a loop has created, where another loop looks at them one after another:
    /// the number of its iteration is below that at which the first loop was left, as another outcome of a test of both
    /// says.
    pub(super) fn is_of_created(&mut self, handle: ValId, state: &State) -> bool {
        let Some(Sym::ThreadOfCount(at, by)) = self.threads.values.single(handle).cloned() else {
            return false;
        };
        let Some(created) = state
            .created
            .get(&at.1)
            .filter(|c| at.0 == self.kind && c.each)
        else {
            return false;
        };
        let Some((left, passed)) = created.left.as_ref().zip(state.passed.get(&by)) else {
            return false;
        };
        let is_shared = |(test, value): &(ValId, bool)| {
            let all = passed.as_ref();
            left.contains(&(*test, !value)) && all.is_none_or(|p| p.contains(&(*test, *value)))
        };
        self.tests(by, state).iter().any(is_shared)
    }

    pub(super) fn join_thread(&mut self, handle: ValId, state: &mut State) {
        match self.threads.values.single(handle).cloned() {
            Some(Sym::Thread(at)) if at.0 == self.kind => {
                for kind in self.threads.started_at(at) {
                    if let Some(started) = state.started.get_mut(&kind) {
                        started.current = false;
                    }
                }
            }
            Some(Sym::ThreadOfCount(at, by)) if at.0 == self.kind => {
                for kind in self.threads.started_at(at) {
                    if let Some(joined) = state.joining.get_mut(&(kind, by)) {
                        *joined = true;
                    }
                }
            }
            Some(Sym::Result(_)) => {
                let sym = self.threads.values.of(handle).terms[0].0;
                if let Some(Source::Memory(addr, _)) = self.conduct.sources.get(&sym) {
                    Rc::make_mut(&mut state.joined).insert(*addr);
                }
            }
            _ => {}
        }
    }
}
