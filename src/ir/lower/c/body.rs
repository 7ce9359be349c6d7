//! The procedure under construction: instructions, registers and jump targets.
//!
//! A jump names a [`Label`] while the body grows and an instruction index once it is finished.

use crate::front::c::types::TypeId;
use crate::front::source::Span;
use crate::idx::IdVec;
use crate::ir::program::{Expr, Instr, Local, LocalId, Op, Proc, ProcId, Width};
use std::collections::{BTreeMap, BTreeSet};

/// A jump target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(usize);

/// Where `break` and `continue` lead.
#[derive(Clone, Copy, Debug)]
pub struct Exits {
    /// Behind the loop or switch.
    pub leave: Label,
    /// To the next round; `None` in a switch.
    pub again: Option<Label>,
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
    /// Loops and switches around the current statement.
    pub exits: Vec<Exits>,
    /// Switches around the current statement.
    pub switches: Vec<Switch>,
    /// Labels of the source: the target, where it is defined, and where it is used.
    pub named: BTreeMap<String, (Label, bool, Span)>,
    /// What `main` is called with, but for the number of arguments.
    pub arguments: Vec<LocalId>,
    /// Names of locals whose address is taken.
    pub addressed: BTreeSet<String>,
    /// Registers of the enclosing body that this one uses, with their copies here.
    pub captured: Vec<(LocalId, LocalId)>,
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
            exits: Vec::new(),
            switches: Vec::new(),
            named: BTreeMap::new(),
            arguments: Vec::new(),
            addressed: BTreeSet::new(),
            captured: Vec::new(),
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

    /// Jumps, when the condition holds.
    pub fn jump(&mut self, cond: Option<Expr>, to: Label) {
        self.emit(Op::Goto { cond, target: to.0 });
    }

    /// How far the body is, for [`rewind`](Self::rewind).
    pub fn mark(&self) -> (usize, usize) {
        (self.proc.body.len(), self.labels.len())
    }

    /// Forgets what was emitted since the mark. Registers stay, they cost nothing.
    pub fn rewind(&mut self, (code, labels): (usize, usize)) {
        self.proc.body.truncate(code);
        self.labels.truncate(labels);
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

    /// Turns label numbers into instruction indices, and gives every loop one jump back.
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
