//! The procedure under construction: instructions, registers and jump targets.
//!
//! A jump names a [`Label`] while the body grows and an instruction index once it is finished.

use crate::front::c::types::TypeId;
use base::idx::IdVec;
use base::source::Span;
use ir::program::{Callee, Expr, Instr, Local, LocalId, Op, Proc, ProcId, Width};
use std::collections::{BTreeMap, BTreeSet};

/// A jump target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(usize);

/// Where `break` and `continue` lead.
#[derive(Clone, Copy, Debug)]
pub struct Exits {
    /// Behind the loop or switch.
    pub leave: Label,
    /// To the next iteration; `None` in a switch.
    pub again: Option<Label>,
    /// How many blocks are around it.
    pub depth: usize,
}

/// A block that is being lowered.
#[derive(Clone, Debug)]
pub struct Block {
    /// Tells it from the others of the body.
    id: usize,
    /// Registers with the addresses of its objects so far.
    objects: Vec<LocalId>,
    /// What is called at its end, the last first, before its objects end.
    cleanups: Vec<Cleanup>,
}

/// A call at the end of a variable's scope (`__attribute__((cleanup(f)))`).
#[derive(Clone, Copy, Debug)]
pub struct Cleanup {
    /// Whom.
    pub callee: ProcId,
    /// Bits of what it returns.
    pub returns: Option<Width>,
    /// The register with the variable's address.
    pub addr: LocalId,
    /// The declaration.
    pub span: Span,
}

/// What happens where a scope is left.
#[derive(Clone, Copy, Debug)]
enum Leaving {
    Ends(LocalId),
    Calls(Cleanup),
}

/// How far a block around a label was when the label was placed.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    block: usize,
    objects: usize,
    cleanups: usize,
}

/// A jump to a label that is not placed yet, out of scopes with cleanups: where the code begins that
/// calls those that the jump leaves, and all that there are at the jump, each with its block.
#[derive(Clone, Debug)]
pub struct Detour {
    begin: Label,
    cleanups: Vec<(usize, Cleanup)>,
}

/// A label of the source.
#[derive(Clone, Debug)]
pub struct Named {
    /// The target.
    pub label: Label,
    /// The first mention.
    pub span: Span,
    /// The blocks around it, once it is placed.
    pub around: Option<Vec<Extent>>,
    /// Objects that exist at jumps to it, with their blocks, as long as it is not placed.
    pub left: Vec<(usize, LocalId)>,
    /// Jumps to it out of scopes with cleanups, as long as it is not placed.
    pub detours: Vec<Detour>,
}

/// The labels of a switch, in the order in which its cases stand.
#[derive(Clone, Debug)]
pub struct Switch {
    /// A label a case.
    pub cases: Vec<Label>,
    /// The case that comes next.
    pub next: usize,
    /// `default:`
    pub default: Label,
    /// How many blocks are around it.
    pub depth: usize,
}

/// How far a body is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    code: usize,
    labels: usize,
    objects: usize,
    cleanups: usize,
}

/// A procedure under construction.
#[derive(Debug)]
pub struct Body {
    /// Name, registers and code; jump targets are still label numbers.
    pub proc: Proc,
    /// Tells the registers of different bodies apart.
    pub id: ProcId,
    /// The place of the instructions emitted next.
    pub span: Span,
    /// What it returns.
    pub ret: TypeId,
    /// The register with the address for a returned structure.
    pub result: Option<LocalId>,
    /// The parameter with the address of the arguments behind those that have a name.
    pub variadic: Option<LocalId>,
    /// Loops and switches around the current statement.
    pub exits: Vec<Exits>,
    /// Switches around the current statement.
    pub switches: Vec<Switch>,
    /// Labels of the source.
    pub named: BTreeMap<String, Named>,
    /// Blocks around the current statement.
    blocks: Vec<Block>,
    /// How many blocks there were.
    entered: usize,
    /// Parameters of `main` whose values are not known.
    pub arguments: Vec<LocalId>,
    /// Names of locals whose address is taken.
    pub addressed: BTreeSet<String>,
    /// What was converted from pointers to integers.
    pub addresses: Vec<Expr>,
    /// Bytes of each array of variable size, by the register with its address.
    pub sizes: BTreeMap<LocalId, Expr>,
    /// The words of the `__int128` that an object has whose address is in a register.
    pub words: BTreeMap<LocalId, [Expr; 2]>,
    /// The registers of the machine that locals are declared to be in, by their registers here.
    pub machine_registers: BTreeMap<LocalId, String>,
    /// Alignments that declarations of locals ask for, in bytes, by their registers.
    pub alignments: BTreeMap<LocalId, u64>,
    /// Registers of the enclosing body that this one uses, with their copies here.
    pub captured: Vec<(LocalId, LocalId)>,
    /// The body in which the asynchronous statement stands that this one is made of.
    pub enclosing: Option<Box<Body>>,
    labels: Vec<Option<usize>>,
}

impl Body {
    /// An empty procedure.
    pub fn new(name: &str, id: ProcId, span: Span, ret: TypeId) -> Body {
        let proc = Proc {
            name: name.to_string(),
            span,
            params: Vec::new(),
            locals: IdVec::new(),
            body: Vec::new(),
            returns: None,
        };
        Body {
            proc,
            id,
            span,
            ret,
            result: None,
            variadic: None,
            exits: Vec::new(),
            switches: Vec::new(),
            named: BTreeMap::new(),
            blocks: Vec::new(),
            entered: 0,
            arguments: Vec::new(),
            addressed: BTreeSet::new(),
            addresses: Vec::new(),
            sizes: BTreeMap::new(),
            words: BTreeMap::new(),
            machine_registers: BTreeMap::new(),
            alignments: BTreeMap::new(),
            captured: Vec::new(),
            enclosing: None,
            labels: Vec::new(),
        }
    }

    /// A new register; temporaries have no name.
    pub fn local(&mut self, name: &str, width: Width) -> LocalId {
        self.proc.locals.push(Local {
            name: name.to_string(),
            width,
        })
    }

    /// A new parameter.
    pub fn param(&mut self, name: &str, width: Width) -> LocalId {
        let local = self.local(name, width);
        self.proc.params.push(local);
        local
    }

    /// Adds an instruction at the current place.
    pub fn emit(&mut self, op: Op) {
        self.proc.body.push(Instr {
            span: self.span,
            op,
        });
    }

    /// Adds instructions whose jumps lead to places among them, by their numbers, or behind them.
    pub fn append(&mut self, instrs: Vec<Instr>) {
        let target = |i: &Instr| match i.op {
            Op::Goto { target, .. } => Some(target),
            _ => None,
        };
        let targets: BTreeSet<usize> = instrs.iter().filter_map(target).collect();
        let labels: BTreeMap<usize, Label> =
            targets.into_iter().map(|at| (at, self.label())).collect();
        let end = instrs.len();
        for (at, mut instr) in instrs.into_iter().enumerate() {
            if let Some(label) = labels.get(&at) {
                self.place(*label);
            }
            if let Op::Goto { target, .. } = &mut instr.op {
                *target = labels[&*target].0;
            }
            self.proc.body.push(instr);
        }
        if let Some(label) = labels.get(&end) {
            self.place(*label);
        }
    }

    /// A new register with this value.
    pub fn assign(&mut self, width: Width, value: Expr) -> Expr {
        let dst = self.local("", width);
        self.emit(Op::Assign { dst, value });
        Expr::Local(dst)
    }

    /// A jump target that is not yet placed.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Places a label before the next instruction.
    pub fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.proc.body.len());
    }

    /// Places the label of a case. What blocks inside the switch have declared in front of it exists
    /// from the jump on, which went past the declarations.
    pub fn place_case(&mut self, label: Label) {
        let depth = self.switches.last().map_or(0, |s| s.depth);
        let passed = self.blocks.iter().skip(depth).flat_map(|b| &b.objects);
        let declares = |i: &&Instr, addr| matches!(&i.op, Op::Alloc { dst, .. } if *dst == addr);
        let code = &self.proc.body;
        let made: Vec<Instr> = passed
            .filter_map(|addr| code.iter().find(|i| declares(i, *addr)).cloned())
            .collect();
        if made.is_empty() {
            return self.place(label);
        }
        let behind = self.label();
        self.jump(None, behind);
        self.place(label);
        self.proc.body.extend(made);
        self.place(behind);
    }

    /// Jumps, when the condition holds.
    pub fn jump(&mut self, cond: Option<Expr>, to: Label) {
        self.emit(Op::Goto { cond, target: to.0 });
    }

    /// Enters a block. The outermost one is the function's: its objects end with the activation.
    pub fn enter_block(&mut self) {
        let block = Block {
            id: self.entered,
            objects: Vec::new(),
            cleanups: Vec::new(),
        };
        self.entered += 1;
        self.blocks.push(block);
    }

    /// Leaves a block where it ends, and its objects with it.
    pub fn leave_block(&mut self) {
        self.leave_down_to(self.blocks.len().saturating_sub(1));
        self.blocks.pop();
    }

    /// Leaves a block whose objects are still needed: they become those of the block around it.
    pub fn dissolve_block(&mut self) {
        let calls = self
            .blocks
            .last()
            .map_or(Vec::new(), |b| b.cleanups.clone());
        self.leave(calls.into_iter().map(Leaving::Calls).collect());
        let objects = self.blocks.pop().map_or(Vec::new(), |b| b.objects);
        if let Some(outer) = self.blocks.last_mut() {
            outer.objects.extend(objects);
        }
    }

    /// Notes an object of the current block by the register with its address.
    pub fn keep(&mut self, addr: LocalId) {
        if let Some(block) = self.blocks.last_mut() {
            block.objects.push(addr);
        }
    }

    /// Notes a call at the end of the current block.
    pub fn call_at_end(&mut self, cleanup: Cleanup) {
        if let Some(block) = self.blocks.last_mut() {
            block.cleanups.push(cleanup);
        }
    }

    /// Calls what is to be called at the ends of all blocks, on the way out of the procedure.
    pub fn call_cleanups(&mut self) {
        let calls = self.blocks.iter().flat_map(|b| &b.cleanups);
        self.leave(calls.copied().map(Leaving::Calls).collect());
    }

    /// How many blocks there are around the current statement.
    pub fn depth(&self) -> usize {
        self.blocks.len()
    }

    /// The scopes of all blocks but so many end here, on the way out of them. The objects of the
    /// outermost block end with the activation.
    pub fn leave_down_to(&mut self, depth: usize) {
        let mut leaving = Vec::new();
        for (i, block) in self.blocks.iter().enumerate().skip(depth) {
            let objects = block.objects.iter().filter(|_| i > 0);
            leaving.extend(objects.copied().map(Leaving::Ends));
            leaving.extend(block.cleanups.iter().copied().map(Leaving::Calls));
        }
        self.leave(leaving);
    }

    /// What happens where scopes are left, the last first.
    fn leave(&mut self, leaving: Vec<Leaving>) {
        for what in leaving.into_iter().rev() {
            match what {
                Leaving::Ends(addr) => self.end(addr),
                Leaving::Calls(cleanup) => {
                    let Cleanup { callee, addr, .. } = cleanup;
                    let dst = cleanup.returns.map(|width| self.local("", width));
                    let before = std::mem::replace(&mut self.span, cleanup.span);
                    self.emit(Op::Call {
                        dst,
                        callee: Callee::Proc(callee),
                        args: vec![Expr::Local(addr)],
                    });
                    self.span = before;
                }
            }
        }
    }

    fn end(&mut self, addr: LocalId) {
        let addr = Expr::Local(addr);
        self.emit(Op::LeaveScope { addr });
    }

    /// A label of the source, new or known.
    pub fn named(&mut self, name: &str, span: Span) -> Label {
        if let Some(known) = self.named.get(name) {
            return known.label;
        }
        let named = Named {
            label: self.label(),
            span,
            around: None,
            left: Vec::new(),
            detours: Vec::new(),
        };
        let label = named.label;
        self.named.insert(name.to_string(), named);
        label
    }

    /// Jumps to a label of the source. What the jump leaves ends here, or where the label is placed.
    ///
    /// A back edge leaves the scope of what is declared behind the label, too: a declaration that is
    /// reached again makes a new object. For arrays of variable size C says the same. Others it
    /// keeps, without their value; who still has a pointer to one is told that the object has ended.
    pub fn jump_to(&mut self, name: &str, span: Span) {
        let label = self.named(name, span);
        let calls = self.blocks.iter().any(|b| !b.cleanups.is_empty());
        let detour = calls.then(|| self.label());
        let mut leaving = Vec::new();
        let mut target = label;
        if let Some(named) = self.named.get_mut(name) {
            let mut later = Vec::new();
            for (depth, block) in self.blocks.iter().enumerate() {
                let Some(around) = &named.around else {
                    // The function's own end with the activation.
                    let objects = block.objects.iter().filter(|_| depth > 0);
                    named.left.extend(objects.map(|o| (block.id, *o)));
                    later.extend(block.cleanups.iter().map(|c| (block.id, *c)));
                    continue;
                };
                let known = around.iter().find(|extent| extent.block == block.id);
                let (objects, cleanups) = known.map_or((0, 0), |e| (e.objects, e.cleanups));
                let objects = block.objects.iter().skip(objects).copied();
                leaving.extend(objects.map(Leaving::Ends));
                let calls = block.cleanups.iter().skip(cleanups).copied();
                leaving.extend(calls.map(Leaving::Calls));
            }
            if let (Some(begin), false) = (detour, later.is_empty()) {
                let cleanups = later;
                named.detours.push(Detour { begin, cleanups });
                target = begin;
            }
        }
        self.leave(leaving);
        self.jump(None, target);
    }

    /// Places a label of the source; false when it has been placed before.
    pub fn place_named(&mut self, name: &str, span: Span) -> bool {
        let label = self.named(name, span);
        let blocks = self.blocks.iter();
        let extent = |b: &Block| Extent {
            block: b.id,
            objects: b.objects.len(),
            cleanups: b.cleanups.len(),
        };
        let around: Vec<Extent> = blocks.map(extent).collect();
        let Some(named) = self.named.get_mut(name).filter(|n| n.around.is_none()) else {
            return false;
        };
        let mut left = std::mem::take(&mut named.left);
        let outside = |block: usize| around.iter().all(|e| e.block != block);
        left.retain(|(block, _)| outside(*block));
        left.sort_unstable();
        left.dedup();
        let mut detours = std::mem::take(&mut named.detours);
        for detour in &mut detours {
            detour.cleanups.retain(|(block, _)| outside(*block));
        }
        named.around = Some(around);
        if !detours.is_empty() {
            self.jump(None, label);
        }
        for detour in detours {
            self.place(detour.begin);
            self.leave(
                detour
                    .cleanups
                    .into_iter()
                    .map(|(_, c)| Leaving::Calls(c))
                    .collect(),
            );
            self.jump(None, label);
        }
        self.place(label);
        left.into_iter().rev().for_each(|(_, addr)| self.end(addr));
        true
    }

    /// How far the body is, for [`rewind`](Self::rewind).
    pub fn mark(&self) -> Mark {
        let block = self.blocks.last();
        Mark {
            code: self.proc.body.len(),
            labels: self.labels.len(),
            objects: block.map_or(0, |b| b.objects.len()),
            cleanups: block.map_or(0, |b| b.cleanups.len()),
        }
    }

    /// Forgets what was emitted since the mark. Registers stay, they cost nothing.
    pub fn rewind(&mut self, mark: Mark) {
        self.proc.body.truncate(mark.code);
        self.labels.truncate(mark.labels);
        self.named.retain(|_, named| named.label.0 < mark.labels);
        for named in self.named.values_mut() {
            named.detours.retain(|d| d.begin.0 < mark.labels);
        }
        if let Some(block) = self.blocks.last_mut() {
            block.objects.truncate(mark.objects);
            block.cleanups.truncate(mark.cleanups);
        }
    }

    /// Puts instructions in front of all others.
    pub fn prepend(&mut self, ops: Vec<Op>) {
        let count = ops.len();
        self.labels.iter_mut().flatten().for_each(|at| *at += count);
        let span = self.proc.span;
        self.proc
            .body
            .splice(0..0, ops.into_iter().map(|op| Instr { span, op }));
    }

    /// Turns label numbers into instruction indices, and gives every loop one back edge.
    pub fn finish(mut self) -> Proc {
        let end = self.proc.body.len();
        for instr in &mut self.proc.body {
            if let Op::Goto { target, .. } = &mut instr.op {
                *target = self.labels.get(*target).copied().flatten().unwrap_or(end);
            }
        }
        super::loops::join(&mut self.proc);
        self.proc
    }
}
