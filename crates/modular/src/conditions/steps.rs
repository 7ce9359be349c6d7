//! The code of a kind of thread, point by point.

use super::build::Build;
use crate::analysis::Analysis;
use crate::answer::Unproved;
use crate::candidates::Scope;
use crate::cells::Guard;
use crate::flow::returned;
use crate::graph::{FrameId, Graph, NodeId, Place, Step};
use crate::liveness::result_of;
use crate::points_to::Class;
use crate::threads::{Conduct, Mode, Point};
use crate::value::{KindId, Sym, ValId};
use base::idx::Id;
use base::source::Span;
use ir::program::{
    BinOp, Callee, Cast, Claimed, Expr, LocalId, NOTE_WIDTH, Op, Property, PropertyKind, Rule,
    UnOp, sign_extend,
};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A loop whose header has been passed: registers with what they had in front of it.
struct Cut {
    header: NodeId,
    /// How often the loop came back.
    count: LocalId,
    /// By how much a register changes each time; 0: not at all.
    entered: Vec<(LocalId, LocalId, u64)>,
}

impl Build<'_> {
    /// The code of a kind of thread.
    pub(super) fn thread(&mut self, kind: KindId) -> Result<(), Unproved> {
        let graph = self.of.analysis.threads.graphs[kind].clone();
        let conduct = &self.of.analysis.conducts[kind];
        let mut passed: Vec<Cut> = Vec::new();
        for node in &graph.order {
            let Some(point) = conduct.points.get(node) else {
                continue;
            };
            self.begin(kind, *node);
            if let Place::Before(frame, pc) = graph.places[*node] {
                self.span = self.of.program.procs[graph.frames[frame].proc].body[pc].span;
            }
            if kind.index() > 0 && *node == graph.entry() {
                self.enter(kind)?;
            }
            if graph.headers.contains(node) {
                let cut = self.cut(kind, &graph, *node, point)?;
                passed.push(cut);
            }
            self.point(kind, &graph, (*node, point), &passed)?;
        }
        Ok(())
    }

    /// A thread begins. What its creators have noted, they have noted for themselves.
    fn enter(&mut self, kind: KindId) -> Result<(), Unproved> {
        let handle = self.any(self.of.program.data_model.pointer_width());
        self.handles.insert(kind, handle);
        let Analysis {
            threads, conducts, ..
        } = self.of.analysis;
        let mut creator = threads.kinds[kind].creation;
        while let Some((of, _)) = creator {
            let nodes = conducts[of].notes.keys().copied().collect();
            for key in self.notes(of, &nodes)? {
                self.note(key, Expr::constant(0, NOTE_WIDTH));
            }
            creator = threads.kinds[of].creation;
        }
        Ok(())
    }

    fn note(&mut self, key: Expr, value: Expr) {
        let when = Expr::constant(1, 1);
        self.push(Op::SetNote { key, value, when });
    }

    /// A loop is entered, or has come back any number of times.
    fn cut(
        &mut self,
        kind: KindId,
        graph: &Graph,
        header: NodeId,
        point: &Point,
    ) -> Result<Cut, Unproved> {
        let scope = Scope::Loop(kind, header);
        let of = self.of;
        let conduct = &of.analysis.conducts[kind];
        let inside = graph.inside(header);
        for register in &of.live[kind][header] {
            let local = self.register(kind, *register);
            let before = self.copy(local);
            self.entered.insert((kind, header, *register), before);
        }
        self.assert(scope, None);
        let count = self.any(64);
        let mut entered = Vec::new();
        for register in &of.live[kind][header] {
            let local = self.register(kind, *register);
            let before = self.entered[&(kind, header, *register)];
            match conduct.modes.get(&(header, *register)) {
                Some(Mode::Any) => self.push(Op::Havoc { dst: local }),
                Some(Mode::Adds(by)) => {
                    let value = added(before, count, *by, self.width(local));
                    self.push(Op::Assign { dst: local, value });
                    entered.push((local, before, *by));
                }
                None => entered.push((local, before, 0)),
            }
        }
        if kind.index() == 0 && of.cells.company_changes(kind, &inside) {
            let company = match of.cells.is_alone((kind, &point.started)) {
                true => Expr::constant(0, 1),
                false => Expr::Local(self.any(1)),
            };
            self.set_company(company);
        }
        for cell in of.cells.changing(kind, header, &inside) {
            self.forget(cell);
            self.assume_written(cell, kind);
        }
        for key in self.notes(kind, &inside)? {
            let value = self.any(NOTE_WIDTH);
            self.note(key, Expr::Local(value));
        }
        self.assume(scope, None);
        Ok(Cut {
            header,
            count,
            entered,
        })
    }

    /// An iteration ends.
    fn come_back(&mut self, kind: KindId, cut: &Cut) {
        self.assert(Scope::Loop(kind, cut.header), None);
        for (local, before, by) in &cut.entered {
            let width = self.width(*local);
            let next = self.fresh(64);
            let one = Expr::constant(1, 64);
            self.push(Op::Assign {
                dst: next,
                value: Expr::binary(BinOp::Add, Expr::Local(cut.count), one),
            });
            let value = added(*before, next, *by, width);
            let cond = Expr::binary(BinOp::Eq, Expr::Local(*local), value);
            let property = Property::new(Rule::Assertion, "a loop changes a register as was found");
            self.push(Op::Assert { cond, property });
        }
        self.push(Op::Return(None));
    }

    fn copy(&mut self, local: LocalId) -> LocalId {
        let dst = self.fresh(self.width(local));
        self.push(Op::Assign {
            dst,
            value: Expr::Local(local),
        });
        dst
    }

    /// One point leads to another.
    fn go(
        &mut self,
        kind: KindId,
        graph: &Graph,
        (from, p): (NodeId, &Point),
        to: NodeId,
        passed: &[Cut],
    ) {
        let of = self.of;
        let Some(q) = of.analysis.conducts[kind].points.get(&to) else {
            // No execution comes there.
            self.push(Op::Return(None));
            return;
        };
        self.between(kind, p, q);
        if graph.is_back(from, to) {
            let cut = passed.iter().find(|cut| cut.header == to);
            self.come_back(kind, cut.expect("a loop begins before it ends"));
        } else {
            self.jump((kind, to));
        }
    }

    /// An expression of a thread.
    fn expr(&mut self, kind: KindId, frame: FrameId, expr: &Expr) -> Expr {
        expr.with_locals(&mut |l| Expr::Local(self.register(kind, (frame, l))))
    }

    /// An instruction of a thread.
    fn renamed(&mut self, kind: KindId, frame: FrameId, op: &Op) -> Op {
        op.renamed(&mut |l| self.register(kind, (frame, l)))
    }

    /// The code of a point, and how it goes on.
    fn point(
        &mut self,
        kind: KindId,
        graph: &Rc<Graph>,
        (node, point): (NodeId, &Point),
        passed: &[Cut],
    ) -> Result<(), Unproved> {
        let next = &graph.next[node];
        let (frame, pc) = match graph.places[node] {
            Place::Before(frame, pc) => (frame, pc),
            Place::Exit(frame) => {
                // With main the process ends.
                let is_main = kind.index() == 0 && next.is_empty();
                if !is_main {
                    self.leave_frame(kind, graph, frame, (node, point))?;
                }
                match next[..] {
                    [] => {
                        if !is_main {
                            self.end_of_thread(point);
                        }
                        self.push(Op::Return(None));
                    }
                    _ => {
                        if let Some(result) = result_of(self.of.program, graph, node) {
                            let dst = self.register(kind, result);
                            let value = self.register(kind, returned(frame));
                            self.push(Op::Assign {
                                dst,
                                value: Expr::Local(value),
                            });
                        }
                        self.go(kind, graph, (node, point), next[0].1, passed);
                    }
                }
                return Ok(());
            }
        };
        let program = self.of.program;
        let proc = graph.frames[frame].proc;
        let instr = &program.procs[proc].body[pc];
        match &instr.op {
            Op::Goto {
                cond: Some(cond), ..
            } => {
                let cond = self.expr(kind, frame, cond);
                let skip = self.skip_if(cond);
                let way = |value: bool| {
                    let is_way = |(step, _): &&(Step, NodeId)| *step == Step::Branch(value);
                    next.iter().find(is_way).expect("a branch has two ways").1
                };
                self.go(kind, graph, (node, point), way(false), passed);
                self.land(skip);
                self.go(kind, graph, (node, point), way(true), passed);
                return Ok(());
            }
            Op::Call { callee, args, .. } => {
                self.call(kind, graph, (node, point), (frame, callee, args), passed);
                return Ok(());
            }
            Op::Return(value) => {
                if let Some(value) = value {
                    let value = self.expr(kind, frame, value);
                    let dst = self.register(kind, returned(frame));
                    self.push(Op::Assign { dst, value });
                }
            }
            Op::ThreadExit(_) => {
                self.leave_frame(kind, graph, FrameId(0), (node, point))?;
                self.end_of_thread(point);
                self.push(Op::Return(None));
                return Ok(());
            }
            Op::Halt => {
                self.push(Op::Return(None));
                return Ok(());
            }
            Op::Unknown(_) => {
                self.push(instr.op.clone());
                self.push(Op::Return(None));
                return Ok(());
            }
            op => self.operate(kind, frame, (node, point), (instr.span, op))?,
        }
        self.go(kind, graph, (node, point), next[0].1, passed);
        Ok(())
    }

    /// Objects on the stack of a call end with it, or of all calls with the thread.
    fn leave_frame(
        &mut self,
        kind: KindId,
        graph: &Graph,
        frame: FrameId,
        (node, point): (NodeId, &Point),
    ) -> Result<(), Unproved> {
        self.end(kind, (node, point), self.span)?;
        let is_last = frame.index() == 0;
        for (at, allocation) in &self.of.analysis.conducts[kind].allocations {
            let Place::Before(owner, _) = graph.places[*at] else {
                unreachable!("an allocation is an instruction");
            };
            if allocation.stack && (owner == frame || is_last) {
                let object = self.object((kind, *at));
                self.push(Op::LeaveScope {
                    addr: Expr::Local(object.address),
                });
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        kind: KindId,
        graph: &Graph,
        (node, point): (NodeId, &Point),
        (frame, callee, args): (FrameId, &Callee, &[Expr]),
        passed: &[Cut],
    ) {
        let program = self.of.program;
        let args: Vec<Expr> = args.iter().map(|a| self.expr(kind, frame, a)).collect();
        let pointer = match callee {
            Callee::Proc(_) => None,
            Callee::Pointer(pointer) => Some(self.expr(kind, frame, pointer)),
        };
        for (step, to) in &graph.next[node] {
            let Step::Enter(inner) = step else {
                unreachable!("a call enters what it calls");
            };
            let callee = graph.frames[*inner].proc;
            let skip = pointer.as_ref().map(|pointer| {
                let other = Expr::binary(BinOp::Ne, pointer.clone(), Expr::Proc(callee));
                self.skip_if(other)
            });
            // All registers of a procedure begin with its call.
            let proc = &program.procs[callee];
            let of_params = proc.params.iter().zip(&args);
            for (param, value) in of_params {
                let dst = self.register(kind, (*inner, *param));
                let value = value.clone();
                self.push(Op::Assign { dst, value });
            }
            for local in proc.locals.ids().filter(|l| !proc.params.contains(l)) {
                if self.of.live[kind][*to].contains(&(*inner, local)) {
                    let dst = self.register(kind, (*inner, local));
                    let value = Expr::constant(0, self.width(dst));
                    self.push(Op::Assign { dst, value });
                }
            }
            self.go(kind, graph, (node, point), *to, passed);
            if let Some(skip) = skip {
                self.land(skip);
            }
        }
        if pointer.is_some() {
            self.is_no_other_function();
            self.push(Op::Return(None));
        }
    }

    /// Behind all the functions that a pointer may be one of.
    fn is_no_other_function(&mut self) {
        let text = "a function is one of those that were found";
        self.push(Op::Assert {
            cond: Expr::constant(0, 1),
            property: Property::new(Rule::Assertion, text),
        });
    }

    /// Whether a kind of property is shown. Memory and misuse always are: what comes behind a violation means nothing.
    fn shows(&self, kind: PropertyKind) -> bool {
        matches!(kind, PropertyKind::Memory | PropertyKind::Misuse)
            || self.of.question.kinds.contains(&kind)
    }

    /// Every other instruction.
    fn operate(
        &mut self,
        kind: KindId,
        frame: FrameId,
        (node, point): (NodeId, &Point),
        (span, op): (Span, &Op),
    ) -> Result<(), Unproved> {
        match op {
            Op::Goto { cond: None, .. } => {}
            Op::Assume(cond) | Op::Wait { cond, .. } => {
                let cond = self.expr(kind, frame, cond);
                self.push(Op::Assume(cond));
            }
            Op::Assert { cond, property } => {
                let cond = self.expr(kind, frame, cond);
                if self.shows(property.kind) {
                    let property = property.clone();
                    self.push(Op::Assert { cond, property });
                } else if property.kind == PropertyKind::Assertion {
                    self.push(Op::Assume(cond));
                }
            }
            Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::Cas { .. } => {
                self.access(kind, frame, (node, point), op);
            }
            Op::OneOf(ways) => {
                // They differ in nothing but their memory orders.
                let accesses: Vec<&Op> = ways.iter().map(|(_, op)| op).collect();
                let same = |op: &&Op| {
                    let first = accesses[0];
                    op.address() == first.address()
                        && op.results() == first.results()
                        && std::mem::discriminant(*op) == std::mem::discriminant(first)
                };
                if !accesses.iter().all(same) {
                    let text = "accesses of several kinds".to_string();
                    return Err(Unproved::Unsupported(span, text));
                }
                if accesses[0].address().is_some() {
                    self.access(kind, frame, (node, point), accesses[0]);
                }
            }
            Op::Alloc {
                dst,
                size,
                replaces,
                ..
            } => {
                if replaces.is_some() {
                    self.end(kind, (node, point), span)?;
                }
                let size = self.expr(kind, frame, size);
                let op = self.renamed(kind, frame, op);
                self.push(op);
                let object = self.object((kind, node));
                let dst = self.register(kind, (frame, *dst));
                let set = [
                    (object.address, Expr::Local(dst)),
                    (object.size, size),
                    (object.exists, Expr::constant(1, 1)),
                ];
                for (dst, value) in set {
                    self.push(Op::Assign { dst, value });
                }
            }
            Op::Free { .. } | Op::LeaveScope { .. } | Op::Constant { .. } => {
                self.end(kind, (node, point), span)?;
                let op = self.renamed(kind, frame, op);
                self.push(op);
            }
            Op::ThreadSelf { dst } => {
                let dst = self.register(kind, (frame, *dst));
                match self.handles.get(&kind) {
                    Some(handle) => {
                        let value = Expr::Local(*handle);
                        self.push(Op::Assign { dst, value });
                    }
                    None => self.push(Op::ThreadSelf { dst }),
                }
            }
            Op::SameThread { dst, .. } => {
                let dst = self.register(kind, (frame, *dst));
                self.push(Op::Havoc { dst });
            }
            Op::Spawn { dst, callee, arg } => {
                self.spawn(kind, frame, (node, point), (*dst, callee, arg));
            }
            Op::Join { dst, .. } => {
                if let Some(dst) = dst {
                    let dst = self.register(kind, (frame, *dst));
                    self.push(Op::Havoc { dst });
                }
            }
            Op::Claim {
                what: Claimed::Thread | Claimed::Awaited,
                ..
            } => self.claims_once(kind, node, span)?,
            Op::Claim {
                what: Claimed::Object,
                ..
            }
            | Op::Release(_) => {
                let graph = &self.of.analysis.threads.graphs[kind];
                let once = graph.loops[node].is_empty();
                if !once || !self.of.cells.is_alone((kind, &point.started)) {
                    let text = "an object of the library that is made while threads run";
                    return Err(Unproved::Unsupported(span, text.to_string()));
                }
                let op = self.renamed(kind, frame, op);
                self.push(op);
            }
            Op::Assign { .. }
            | Op::Havoc { .. }
            | Op::Indeterminate { .. }
            | Op::SetNote { .. }
            | Op::GetNote { .. } => {
                let op = self.renamed(kind, frame, op);
                self.push(op);
            }
            Op::Use(_)
            | Op::Fence(_)
            | Op::Observe { .. }
            | Op::ControlBegin(_)
            | Op::ControlEnd(_)
            | Op::AtomicBegin(_)
            | Op::AtomicEnd => {}
            Op::Pair(_) => {
                let text = "an access of 16 bytes".to_string();
                return Err(Unproved::Unsupported(span, text));
            }
            Op::LoadLinked { .. } | Op::StoreConditional { .. } | Op::GracePeriod { .. } => {
                let text = "a linked load, a conditional store or a grace period".to_string();
                return Err(Unproved::Unsupported(span, text));
            }
            Op::Goto { .. }
            | Op::Call { .. }
            | Op::Return(_)
            | Op::ThreadExit(_)
            | Op::Halt
            | Op::Unknown(_) => unreachable!("these are looked at apart"),
        }
        Ok(())
    }

    /// An access to memory.
    fn access(&mut self, kind: KindId, frame: FrameId, (node, point): (NodeId, &Point), op: &Op) {
        let of = self.of;
        let renamed = self.renamed(kind, frame, op);
        for flag in of.cells.raised(kind, node) {
            self.assert(Scope::Guard(flag), None);
        }
        let Some(cell) = of.cells.accessed(kind, node) else {
            let addr = renamed.address().cloned();
            if let Some(addr) = &addr
                && !matches!(op, Op::Load { .. })
            {
                self.is_beside(kind, node, addr);
            }
            match addr.and_then(|addr| self.is_within(kind, node, addr)) {
                Some(cond) => {
                    let text = "the address is that of an object";
                    let property = Property::new(Rule::Access, text);
                    self.push(Op::Assert { cond, property });
                }
                None => self.push(renamed),
            }
            for result in op.results() {
                let dst = self.register(kind, (frame, result));
                self.push(Op::Havoc { dst });
            }
            return;
        };
        let reads = !matches!(op, Op::Store { .. });
        if reads && !of.cells.is_stable(cell, kind, point) {
            match of.cells.cells[cell].guard {
                Some(Guard::Section) => self.see_outside_of_sections(kind, point),
                _ => self.refresh(cell, kind),
            }
        }
        self.push(renamed);
        if !matches!(op, Op::Load { .. }) {
            self.written(cell, kind);
        }
    }

    /// Objects may end at a point. No other thread may access them any more.
    fn end(
        &mut self,
        kind: KindId,
        (node, point): (NodeId, &Point),
        span: Span,
    ) -> Result<(), Unproved> {
        let Analysis {
            threads,
            points_to,
            conducts,
        } = self.of.analysis;
        let is_alone = self.of.cells.is_alone((kind, &point.started));
        let ending = conducts[kind].accesses.iter();
        for access in ending.filter(|a| a.at == (kind, node) && a.size.is_none()) {
            let of = points_to.of(&threads.values, access.addr);
            let is_private = of.objects.keys().all(|class| points_to.is_private(*class));
            if !is_alone && (of.number || !is_private) {
                let text = "an object that ends while other threads may access it".to_string();
                return Err(Unproved::Unsupported(span, text));
            }
            for class in of.objects.keys() {
                if let Class::Object(at) = class {
                    let dst = self.object(*at).exists;
                    let value = Expr::constant(0, 1);
                    self.push(Op::Assign { dst, value });
                }
            }
        }
        Ok(())
    }

    /// That an access is one to an object that exists, where that follows from the address: all objects that it may
    /// be one of are there once, and end in no loop.
    fn is_within(&mut self, kind: KindId, node: NodeId, addr: Expr) -> Option<Expr> {
        let of = self.of;
        let Analysis {
            threads,
            points_to,
            conducts,
        } = of.analysis;
        let mut accesses = conducts[kind].accesses.iter();
        let access = accesses.find(|a| a.at == (kind, node))?;
        let size = access.size?;
        if access.write.is_some() && of.has_constants {
            return None;
        }
        let classes = points_to.of(&threads.values, access.addr);
        let pointer = of.program.data_model.pointer_width();
        let mut all: Option<Expr> = None;
        for class in classes.objects.keys() {
            let (bytes, exists) = match class {
                Class::Global(g) if of.is_plain(*g) => {
                    let size = of.program.size_of(of.program.globals[*g].layout);
                    (Expr::constant(size, pointer), None)
                }
                Class::Object(at) if of.ends_at_most_once(*at) => {
                    let object = self.object(*at);
                    (Expr::Local(object.size), Some(Expr::Local(object.exists)))
                }
                _ => return None,
            };
            let offset = Expr::binary(BinOp::Sub, addr.clone(), self.place(*class, 0));
            let size = Expr::constant(size, pointer);
            let room = Expr::binary(BinOp::Ule, size.clone(), bytes.clone());
            let last = Expr::binary(BinOp::Sub, bytes, size);
            let fits = Expr::binary(BinOp::Ule, offset, last);
            let conditions = exists.into_iter().chain([room, fits]);
            let within = conditions.reduce(|a, b| Expr::binary(BinOp::And, a, b));
            let within = within.expect("there are two");
            all = Some(match all {
                None => within,
                Some(before) => Expr::binary(BinOp::Or, before, within),
            });
        }
        all
    }

    /// Asserts that a write to memory that is in no cell leaves all cells as they are.
    fn is_beside(&mut self, kind: KindId, node: NodeId, addr: &Expr) {
        let of = self.of;
        let mut accesses = of.analysis.conducts[kind].accesses.iter();
        let Some(size) = accesses.find(|a| a.at == (kind, node)).and_then(|a| a.size) else {
            return;
        };
        let pointer = of.program.data_model.pointer_width();
        for cell in of.cells.beside(kind, node) {
            let bytes = u64::from(of.cells.cells[cell].width) / 8;
            let place = self.address(cell);
            let behind = Expr::binary(BinOp::Sub, addr.clone(), place.clone());
            let before = Expr::binary(BinOp::Sub, place, addr.clone());
            let no_less =
                |bytes: u64, by: Expr| Expr::binary(BinOp::Ule, Expr::constant(bytes, pointer), by);
            let cond = Expr::binary(BinOp::And, no_less(bytes, behind), no_less(size, before));
            let text = "a write leaves other scalars as they are";
            let property = Property::new(Rule::Assertion, text);
            self.push(Op::Assert { cond, property });
        }
    }

    /// A thread is joined or detached once: the handle is that of one that this thread has created, and no other
    /// place claims it.
    fn claims_once(&self, kind: KindId, node: NodeId, span: Span) -> Result<(), Unproved> {
        let Analysis {
            threads, conducts, ..
        } = self.of.analysis;
        let Conduct {
            claims, covered, ..
        } = &conducts[kind];
        let loops = &threads.graphs[kind].loops;
        let creation = |handle: &ValId| match threads.values.single(*handle) {
            Some(Sym::Thread(at) | Sym::ThreadOfCount(at, _)) => Some(*at),
            _ => None,
        };
        let of = claims[&node];
        let is_own = match threads.values.single(of) {
            Some(Sym::Thread(at)) => at.0 == kind && loops[at.1] == loops[node],
            Some(Sym::ThreadOfCount(_, by)) => covered.contains(&node) && loops[node] == [*by],
            _ => false,
        };
        let same = claims.values().filter(|h| creation(h) == creation(&of));
        match is_own && same.count() == 1 {
            true => Ok(()),
            false => {
                let text = "a join of a thread that may be joined elsewhere, too".to_string();
                Err(Unproved::Unsupported(span, text))
            }
        }
    }

    /// The keys of what is noted at some points.
    fn notes(&mut self, kind: KindId, nodes: &BTreeSet<NodeId>) -> Result<Vec<Expr>, Unproved> {
        let conduct = &self.of.analysis.conducts[kind];
        let mut keys: Vec<Expr> = Vec::new();
        for node in nodes {
            let Some(key) = conduct.notes.get(node) else {
                continue;
            };
            let Some((class, offset)) = self.of.cells.place(kind, *key) else {
                let text = "a lock at an address that is not one alone".to_string();
                return Err(Unproved::Unsupported(self.span, text));
            };
            let key = self.place(class, offset);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        Ok(keys)
    }

    /// A thread is created: either it, or its creator, goes on.
    fn spawn(
        &mut self,
        kind: KindId,
        frame: FrameId,
        (node, point): (NodeId, &Point),
        (dst, callee, arg): (LocalId, &Callee, &Expr),
    ) {
        let of = self.of;
        let threads = &of.analysis.threads;
        self.start(kind, point);
        let pointer = match callee {
            Callee::Proc(_) | Callee::Pointer(Expr::Proc(_)) => None,
            Callee::Pointer(pointer) => Some(self.expr(kind, frame, pointer)),
        };
        let mut is_other = Expr::constant(1, 1);
        for child in threads.started_at((kind, node)) {
            let graph = threads.graphs[child].clone();
            let Some(entry) = of.analysis.conducts[child].points.get(&graph.entry()) else {
                continue;
            };
            let start = threads.kinds[child].start;
            let choice = self.any(1);
            let mut goes_on = Expr::Local(choice);
            if let Some(pointer) = &pointer {
                let other = Expr::binary(BinOp::Ne, pointer.clone(), Expr::Proc(start));
                goes_on = Expr::binary(BinOp::Or, goes_on, other.clone());
                is_other = Expr::binary(BinOp::And, is_other, other);
            }
            let skip = self.skip_if(goes_on);
            self.see((kind, point), (child, entry));
            let proc = &of.program.procs[start];
            if let Some(param) = proc.params.first() {
                let value = self.expr(kind, frame, arg);
                let dst = self.register(child, (FrameId(0), *param));
                self.push(Op::Assign { dst, value });
            }
            self.jump((child, graph.entry()));
            self.land(skip);
        }
        if pointer.is_some() {
            let skip = self.skip_if(Expr::Unary(UnOp::Not, Box::new(is_other)));
            self.is_no_other_function();
            self.land(skip);
        }
        let dst = self.register(kind, (frame, dst));
        self.push(Op::Havoc { dst });
        let zero = Expr::constant(0, self.width(dst));
        let is_zero = Expr::binary(BinOp::Eq, Expr::Local(dst), zero);
        self.push(Op::Assume(Expr::Unary(UnOp::Not, Box::new(is_zero))));
    }
}

/// `before + by * count`, in the width of the register.
fn added(before: LocalId, count: LocalId, by: u64, width: u8) -> Expr {
    if by == 0 {
        return Expr::Local(before);
    }
    let count = match width {
        64 => Expr::Local(count),
        _ => Expr::Cast(Cast::Truncate, width, Box::new(Expr::Local(count))),
    };
    // Solvers find small factors easier than large ones.
    let signed = sign_extend(by, width);
    let op = if signed < 0 { BinOp::Sub } else { BinOp::Add };
    let product = match signed.unsigned_abs() {
        1 => count,
        by => Expr::binary(BinOp::Mul, count, Expr::constant(by, width)),
    };
    Expr::binary(op, Expr::Local(before), product)
}
