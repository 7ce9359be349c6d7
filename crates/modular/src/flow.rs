//! What the instructions of a kind of thread do, followed through its graph until nothing changes.
//!
//! Each round goes through all points once, in an order in which only the ends of loops come too late. What a
//! loop's header knows of them is taken from the round before, in the first round nothing: the loop is assumed to change
//! nothing, then that it adds the same each time, then anything.

mod creation;
mod instructions;

use crate::answer::Unproved;
use crate::graph::{FrameId, Graph, NodeId, Targets};
use crate::points_to::PointsTo;
use crate::state::{Flag, Register, Seen, State, Tests, Via};
use crate::threads::{Conduct, Mode, Point, Source, Threads};
use crate::value::{KindId, Operator, StaticBytes, Sym, SymId, ValId, Values};
use base::idx::{Id, IdVec};
use ir::program::{BinOp, Cast, Expr, LocalId, Program, UnOp, Width};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What the ends of loops know, by the loops' headers.
type Ends = BTreeMap<NodeId, Vec<Rc<State>>>;

/// Rounds at most.
const MOST_ROUNDS: usize = 60;

/// Follows one kind of thread.
pub struct Flow<'a> {
    program: &'a Program,
    kind: KindId,
    graph: Rc<Graph>,
    threads: &'a mut Threads,
    points_to: &'a PointsTo,
    targets: &'a Targets,
    interrupt: &'a dyn Fn() -> bool,
    conduct: Conduct,
    modes: FxHashMap<(NodeId, Register), Mode>,
    /// By the condition that it has succeeded: the lock that an attempt was made to get.
    attempts: FxHashMap<ValId, ValId>,
    /// By what was read of an object with static storage: where, and how.
    reads: FxHashMap<SymId, (StaticBytes, Vec<Via>)>,
    /// Where a call ends, with all its objects on the stack, or the thread.
    ends: Vec<(NodeId, FrameId, State)>,
}

/// What a procedure returns is kept here.
pub fn returned(frame: FrameId) -> Register {
    (frame, LocalId(u32::MAX))
}

/// What a kind of thread does.
///
/// # Errors
/// What is not supported, where it can be reached; an interruption.
pub fn follow(
    program: &Program,
    kind: KindId,
    threads: &mut Threads,
    points_to: &PointsTo,
    (targets, interrupt): (&Targets, &dyn Fn() -> bool),
) -> Result<Conduct, Unproved> {
    let mut flow = Flow {
        program,
        kind,
        graph: threads.graphs[kind].clone(),
        threads,
        points_to,
        targets,
        interrupt,
        conduct: Conduct::default(),
        modes: FxHashMap::default(),
        attempts: FxHashMap::default(),
        reads: FxHashMap::default(),
        ends: Vec::new(),
    };
    flow.run()?;
    flow.conduct.modes = flow.modes;
    Ok(flow.conduct)
}

impl Flow<'_> {
    fn run(&mut self) -> Result<(), Unproved> {
        let mut ends = Ends::new();
        for _ in 0..MOST_ROUNDS {
            self.conduct = Conduct::default();
            self.attempts.clear();
            self.reads.clear();
            let (next, changed) = self.round(&ends)?;
            if !changed && next == ends {
                return Ok(());
            }
            // What was seen while a register was taken for another value is of no use.
            ends = match changed {
                true => Ends::new(),
                false => next,
            };
        }
        Err(Unproved::TooLarge)
    }

    /// Goes through all points once, with what the ends of loops have known in the round before; returns what
    /// they know now, and whether a register was found to change in another way.
    fn round(&mut self, ends: &Ends) -> Result<(Ends, bool), Unproved> {
        let graph = self.graph.clone();
        let mut into: IdVec<NodeId, Vec<Rc<State>>> =
            graph.places.iter().map(|_| Vec::new()).collect();
        let mut next = Ends::new();
        let mut headers: Vec<(NodeId, Rc<State>, Rc<State>)> = Vec::new();
        into[graph.entry()].push(Rc::new(self.initial()));
        for node in &graph.order {
            let states = std::mem::take(&mut into[*node]);
            if states.is_empty() {
                continue;
            }
            if (self.interrupt)() {
                return Err(Unproved::Interrupted);
            }
            let mut state = self.join(*node, states);
            if graph.headers.contains(node) {
                let none = Vec::new();
                let ends = ends.get(node).unwrap_or(&none);
                for register in ends.iter().flat_map(|end| end.locals.keys()) {
                    let value = self.register(&state, *register);
                    state.locals.insert(*register, value);
                }
                let before = Rc::new(state);
                state = self.header(*node, &before, ends);
                headers.push((*node, before, Rc::new(state.clone())));
                let locals = state.locals.clone();
                self.conduct.headers.insert(*node, locals);
            }
            let point = Point {
                held: state.held.clone(),
                started: Rc::new(state.started.clone()),
                section: state.section,
                seen: state.seen.clone(),
            };
            self.conduct.points.insert(*node, point);
            for (step, state) in self.execute(*node, state)? {
                let to = graph.next[*node][step].1;
                let mut state = state;
                match graph.is_back(*node, to) {
                    true => {
                        self.come_back(to, &mut state);
                        next.entry(to).or_default().push(Rc::new(state));
                    }
                    false => {
                        self.leave_loops(*node, to, &mut state);
                        into[to].push(Rc::new(state));
                    }
                }
            }
        }
        for (node, frame, state) in std::mem::take(&mut self.ends) {
            self.end_of_frame(node, frame, &state);
        }
        let mut changed = false;
        for (header, before, during) in headers {
            for end in next.get(&header).into_iter().flatten() {
                changed |= self.compare(header, &before, &during, end);
            }
        }
        Ok((next, changed))
    }

    fn initial(&mut self) -> State {
        let mut state = State::default();
        let proc = &self.program.procs[self.threads.kinds[self.kind].start];
        // What main is given is arbitrary.
        if self.kind.index() > 0 {
            for param in &proc.params {
                let width = proc.locals[*param].width;
                let argument = self.threads.values.symbol(Sym::Argument(self.kind), width);
                state.locals.insert((FrameId(0), *param), argument);
            }
        }
        state
    }

    fn width(&self, register: Register) -> Width {
        let proc = &self.program.procs[self.graph.frames[register.0].proc];
        match proc.locals.get(register.1) {
            Some(local) => local.width,
            None => proc.returns.unwrap_or(64),
        }
    }

    /// Whether a register has no name in the source: it is set before it is read, whatever way leads there.
    fn is_temporary(&self, register: Register) -> bool {
        let proc = &self.program.procs[self.graph.frames[register.0].proc];
        let local = proc.locals.get(register.1);
        local.is_some_and(|local| local.name.is_empty())
    }

    /// What a register has.
    fn register(&mut self, state: &State, register: Register) -> ValId {
        if let Some(value) = state.locals.get(&register) {
            return *value;
        }
        let width = self.width(register);
        let sym = Sym::Initial(self.kind, register.0, register.1);
        self.threads.values.symbol(sym, width)
    }

    /// The register as a symbol of a point, which is one of these values.
    fn phi(
        &mut self,
        node: NodeId,
        register: Register,
        is_loop: bool,
        values: impl IntoIterator<Item = ValId>,
    ) -> ValId {
        let sym = Sym::Phi((self.kind, node), register.0, register.1, is_loop);
        let id = self.threads.values.sym(sym.clone());
        let source = self.conduct.sources.entry(id);
        match source.or_insert_with(|| Source::OneOf(BTreeSet::new())) {
            Source::OneOf(all) => all.extend(values),
            _ => unreachable!("a φ is one of several values"),
        }
        let width = self.width(register);
        self.threads.values.symbol(sym, width)
    }

    /// What is known where ways come together.
    fn join(&mut self, node: NodeId, mut states: Vec<Rc<State>>) -> State {
        if states.len() == 1 {
            let only = states.pop().expect("one");
            return Rc::try_unwrap(only).unwrap_or_else(|shared| (*shared).clone());
        }
        let mut state = (*states[0]).clone();
        let registers: BTreeSet<Register> = states
            .iter()
            .flat_map(|s| s.locals.keys().copied())
            .collect();
        for register in registers {
            // A temporary is read where it has been set alone.
            let is_temporary = self.is_temporary(register);
            let set = states
                .iter()
                .filter(|s| !is_temporary || s.locals.contains_key(&register));
            let values: Vec<ValId> = set.map(|s| self.register(s, register)).collect();
            let value = match values.iter().all(|v| *v == values[0]) {
                true => values[0],
                false => self.phi(node, register, false, values),
            };
            state.locals.insert(register, value);
        }
        for other in &states[1..] {
            state.meet(other);
        }
        state
    }

    /// What is known at the header of a loop.
    fn header(&mut self, node: NodeId, before: &State, ends: &[Rc<State>]) -> State {
        let mut state = before.clone();
        for kind in before.started.keys() {
            state.joining.insert((*kind, node), false);
        }
        state.passed.insert(node, None);
        for end in ends {
            state.meet(end);
        }
        for (register, value) in &before.locals {
            let value = match self.modes.get(&(node, *register)) {
                None => continue,
                Some(Mode::Adds(by)) => {
                    let width = self.width(*register);
                    let count = self
                        .threads
                        .values
                        .symbol(Sym::Count((self.kind, node)), width);
                    self.threads.values.add(*value, count, *by)
                }
                Some(Mode::Any) => {
                    let ends = ends.iter().filter_map(|e| e.locals.get(register).copied());
                    let all: Vec<ValId> = std::iter::once(*value).chain(ends).collect();
                    self.phi(node, *register, true, all)
                }
            };
            state.locals.insert(*register, value);
        }
        state
    }

    /// Whether a register changes with a loop in another way than was assumed.
    fn compare(&mut self, header: NodeId, before: &State, during: &State, end: &State) -> bool {
        let mut changed = false;
        for (register, first) in &before.locals {
            let mode = self.modes.get(&(header, *register)).copied();
            let last = end.locals.get(register).copied();
            let now = during.locals[register];
            let next = match (mode, last) {
                (Some(Mode::Any), _) => continue,
                (None, Some(last)) if last == *first => continue,
                (None, Some(last)) => {
                    let difference = self.threads.values.add(last, now, u64::MAX);
                    let by = self.threads.values.constant(difference);
                    by.map_or(Mode::Any, Mode::Adds)
                }
                (Some(Mode::Adds(by)), Some(last)) => {
                    let difference = self.threads.values.add(last, now, u64::MAX);
                    match self.threads.values.constant(difference) {
                        Some(d) if d == by => continue,
                        _ => Mode::Any,
                    }
                }
                (_, None) => Mode::Any,
            };
            self.modes.insert((header, *register), next);
            changed = true;
        }
        changed
    }

    /// Conditions that are known now and mention the count of a loop and nothing else that changes in it.
    fn tests(&mut self, header: NodeId, state: &State) -> Tests {
        let count = self.threads.values.sym(Sym::Count((self.kind, header)));
        let mut tests = Tests::new();
        for (condition, value) in &state.known {
            let any = self.threads.values.of_any_count(*condition, count);
            if any != *condition && self.threads.is_invariant(any, self.kind, header) {
                tests.insert((any, *value));
            }
        }
        tests
    }

    fn come_back(&mut self, header: NodeId, state: &mut State) {
        let tests = self.tests(header, state);
        let (threads, graph) = (&*self.threads, &self.graph);
        let inside = |kind: KindId| {
            let creation = threads.kinds[kind].creation;
            creation.is_some_and(|(_, node)| graph.loops[node].contains(&header))
        };
        state.come_back(header, &tests, &inside);
        for place in self.creations_in(header) {
            let created = state.creates_at(place);
            created.each &= created.now;
            created.now = false;
        }
    }

    /// Where a loop, which is in no other one, creates threads.
    fn creations_in(&self, header: NodeId) -> BTreeSet<NodeId> {
        let kinds = self.threads.kinds.iter();
        let places = kinds.filter_map(|kind| kind.creation.filter(|(by, _)| *by == self.kind));
        places
            .map(|(_, node)| node)
            .filter(|node| self.graph.loops[*node] == [header])
            .collect()
    }

    /// Behind a loop that has joined a thread in each iteration, whose last test is the one that the loop
    /// which has started them has: all are joined.
    fn leave_loops(&mut self, from: NodeId, to: NodeId, state: &mut State) {
        let left: Vec<NodeId> = self.graph.loops[from]
            .iter()
            .filter(|h| !self.graph.loops[to].contains(h))
            .copied()
            .collect();
        for header in left {
            for place in self.creations_in(header) {
                let started = |kind: &KindId| state.started.get(kind).is_some_and(|s| s.current);
                let kinds = self.threads.started_at((self.kind, place));
                let tests = match kinds.iter().any(started) {
                    true => Tests::new(),
                    false => self.tests(header, state),
                };
                state.creates_at(place).left = Some(tests);
            }
            let joining: Vec<KindId> = state
                .joining
                .keys()
                .filter(|(_, by)| *by == header)
                .map(|(kind, _)| *kind)
                .collect();
            state.joining.retain(|(_, by), _| *by != header);
            if joining.is_empty() {
                continue;
            }
            let tests = self.tests(header, state);
            for kind in joining {
                let started = state.started.get_mut(&kind).expect("it was started");
                let Some(handles) = started.handles.clone().filter(|_| started.complete) else {
                    continue;
                };
                let is_end = |(c, v): &(ValId, bool)| handles.tests.contains(&(*c, !*v));
                if tests.iter().any(is_end) {
                    started.earlier = false;
                    started.current = false;
                }
            }
        }
    }

    /// Takes a condition for granted; whether it can be.
    fn assume(&mut self, state: &mut State, condition: ValId, value: bool) -> bool {
        let values = &mut self.threads.values;
        if let Some(number) = values.constant(condition) {
            return (number != 0) == value;
        }
        if let Some(known) = state.known.get(&condition) {
            return *known == value;
        }
        state.known.insert(condition, value);
        self.sees(state, condition, value);
        let values = &mut self.threads.values;
        if value
            && state.pending.contains(&condition)
            && let Some(lock) = self.attempts.get(&condition)
        {
            state.held.insert(*lock);
        }
        let Some(Sym::Term(op, operands)) = values.single(condition).cloned() else {
            return true;
        };
        let known = |values: &Values, v: ValId| {
            let constant = values.constant(v).map(|n| n != 0);
            constant.or_else(|| state.known.get(&v).copied())
        };
        match (op, value) {
            (Operator::Unary(UnOp::Not), _) => self.assume(state, operands[0], !value),
            (Operator::Binary(BinOp::And), true) | (Operator::Binary(BinOp::Or), false) => {
                self.assume(state, operands[0], value) && self.assume(state, operands[1], value)
            }
            (Operator::Binary(BinOp::And | BinOp::Or), _) => {
                let (a, b) = (operands[0], operands[1]);
                if known(values, a) == Some(!value) {
                    self.assume(state, b, value)
                } else if known(values, b) == Some(!value) {
                    self.assume(state, a, value)
                } else {
                    true
                }
            }
            (Operator::IsZero, _) => match self.decided(operands[0], value) {
                Some((condition, value)) => self.assume(state, condition, value),
                None => true,
            },
            _ => true,
        }
    }

    /// What was read is none of the numbers with which a condition has another value.
    fn sees(&self, state: &mut State, condition: ValId, value: bool) {
        let values = &self.threads.values;
        let mut mentioned = BTreeSet::new();
        values.mentioned(condition, &mut mentioned);
        for sym in mentioned {
            let Some((bytes, ways)) = self.reads.get(&sym) else {
                continue;
            };
            let is_another = |number: &u64| {
                let then = values.value_where(condition, (sym, *number));
                then.is_some_and(|then| (then != 0) != value)
            };
            let not = (0..8).filter(is_another).fold(0, |not, n| not | 1 << n);
            self.has_seen(state, *bytes, not, ways);
        }
    }

    fn has_seen(&self, state: &mut State, bytes: StaticBytes, not: u8, ways: &[Via]) {
        let flags = ways.iter().map(|via| Flag {
            bytes,
            not,
            via: *via,
        });
        let flags: Seen = flags.collect();
        if not != 0 && !flags.is_subset(&state.seen) {
            Rc::make_mut(&mut state.seen).extend(flags);
        }
    }

    /// What it says that a value is 0, or is not, where that is another condition.
    fn decided(&mut self, value: ValId, is_zero: bool) -> Option<(ValId, bool)> {
        let values = &mut self.threads.values;
        let sum = values.of(value).clone();
        let [(sym, factor)] = sum.terms[..] else {
            return None;
        };
        let Sym::Term(op, operands) = values.of_sym(sym).clone() else {
            return None;
        };
        match op {
            Operator::Ite => {
                let (then, otherwise) =
                    (values.constant(operands[1])?, values.constant(operands[2])?);
                let mut fits = |number: u64| {
                    let number = values.number(
                        number.wrapping_mul(factor).wrapping_add(sum.constant),
                        sum.width,
                    );
                    (values.constant(number) == Some(0)) == is_zero
                };
                match (fits(then), fits(otherwise)) {
                    (true, false) => Some((operands[0], true)),
                    (false, true) => Some((operands[0], false)),
                    _ => None,
                }
            }
            Operator::Cast(Cast::Zero | Cast::Sign) if factor == 1 && sum.constant == 0 => {
                let inner = values.is_zero(operands[0]);
                Some((inner, is_zero))
            }
            _ => None,
        }
    }

    fn eval(&mut self, state: &State, frame: FrameId, expr: &Expr) -> ValId {
        let program = self.program;
        let pointer = program.data_model.pointer_width();
        match expr {
            Expr::Const { value, width } => self.threads.values.number(*value, *width),
            Expr::Local(l) => self.register(state, (frame, *l)),
            Expr::Global(g) if program.globals[*g].thread_local => {
                let sym = Sym::ThreadLocal(self.kind, *g);
                self.threads.values.symbol(sym, pointer)
            }
            Expr::Global(g) => self.threads.values.symbol(Sym::Global(*g), pointer),
            Expr::Proc(p) => self.threads.values.symbol(Sym::Proc(*p), pointer),
            Expr::Unary(op, a) => {
                let a = self.eval(state, frame, a);
                self.threads.values.unary(*op, a)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(state, frame, a), self.eval(state, frame, b));
                let itself = Sym::Itself(self.kind);
                let values = &mut self.threads.values;
                // The library's objects have a bit for each of so many threads; nothing else depends on it.
                if *op == BinOp::Ult
                    && values.single(a) == Some(&itself)
                    && values.constant(b).is_some()
                {
                    return values.number(1, 1);
                }
                values.binary(*op, a, b)
            }
            Expr::Ite(condition, then, otherwise) => {
                let condition = self.eval(state, frame, condition);
                match state.known.get(&condition) {
                    Some(true) => self.eval(state, frame, then),
                    Some(false) => self.eval(state, frame, otherwise),
                    None => {
                        let then = self.eval(state, frame, then);
                        let otherwise = self.eval(state, frame, otherwise);
                        self.threads.values.ite(condition, then, otherwise)
                    }
                }
            }
            Expr::Cast(cast, width, a) => {
                let a = self.eval(state, frame, a);
                self.threads.values.cast(*cast, *width, a)
            }
        }
    }
}
