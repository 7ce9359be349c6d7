//! One column: registers, labels and jumps, and the values that are observed at the end.

use super::memory::Memory;
use super::{Lowered, ppc, x86};
use crate::base::diag::Diag;
use crate::base::idx::IdVec;
use crate::base::source::Span;
use crate::front::litmus::ast::{LineKind, Name, Thread};
use crate::ir::program::*;
use std::collections::{BTreeMap, BTreeSet};

/// What a thread's lowering needs to know.
pub(super) struct Context<'a> {
    /// The locations.
    pub memory: &'a Memory,
    /// Initial values of registers.
    pub init: &'a BTreeMap<String, (Span, Expr)>,
    /// What is observed.
    pub observables: &'a IdVec<ObservableId, Observable>,
}

/// A procedure that grows.
pub(super) struct Body<'a> {
    pub memory: &'a Memory,
    /// Bits of flags and condition fields that some jump reads; others are not computed.
    pub tested: BTreeSet<String>,
    locals: IdVec<LocalId, Local>,
    named: BTreeMap<String, LocalId>,
    instrs: Vec<Instr>,
    labels: BTreeMap<String, (usize, Span)>,
    jumps: Vec<(usize, Option<Name>)>,
    span: Span,
}

impl Body<'_> {
    /// Bits of a register.
    pub(super) fn word(&self) -> Width {
        self.memory.sizes.word
    }

    /// Bits of a cell.
    pub(super) fn cell(&self) -> Width {
        self.memory.sizes.cell
    }

    /// The register with this name.
    pub(super) fn register(&mut self, name: &str) -> LocalId {
        let width = self.word();
        self.named_local(name, width)
    }

    /// The value of a register.
    pub(super) fn read(&mut self, name: &Name) -> Expr {
        Expr::Local(self.register(&name.text))
    }

    /// The register of one bit with this name.
    pub(super) fn bit(&mut self, name: &str) -> LocalId {
        self.named_local(name, 1)
    }

    fn named_local(&mut self, name: &str, width: Width) -> LocalId {
        if let Some(id) = self.named.get(name) {
            return *id;
        }
        let id = self.locals.push(Local {
            name: name.to_string(),
            width,
        });
        self.named.insert(name.to_string(), id);
        id
    }

    /// A new register without a name.
    pub(super) fn temporary(&mut self, width: Width) -> LocalId {
        self.locals.push(Local {
            name: String::new(),
            width,
        })
    }

    /// The span of the instruction that is being lowered.
    pub(super) fn emit(&mut self, op: Op) {
        let span = self.span;
        self.instrs.push(Instr { span, op });
    }

    /// `dst := value`
    pub(super) fn assign(&mut self, dst: LocalId, value: Expr) {
        self.emit(Op::Assign { dst, value });
    }

    /// `bit := value`, if some jump reads the bit.
    pub(super) fn set_bit(&mut self, name: &str, value: impl FnOnce() -> Expr) {
        if self.tested.contains(name) {
            let dst = self.bit(name);
            self.assign(dst, value());
        }
    }

    /// Loads a cell into a new register.
    pub(super) fn load_cell(&mut self, addr: Expr) -> Expr {
        let dst = self.temporary(self.cell());
        self.emit(Op::Load {
            dst,
            addr,
            order: Order::Plain,
        });
        Expr::Local(dst)
    }

    /// A jump to a label; `None` is the end of the thread.
    pub(super) fn jump(&mut self, cond: Option<Expr>, label: Option<Name>) {
        self.jumps.push((self.instrs.len(), label));
        self.emit(Op::Goto { cond, target: 0 });
    }
}

/// Lowers a thread.
pub(super) fn lower(thread: &Thread, context: &Context, errors: &mut Vec<Diag>) -> Proc {
    let mut body = Body {
        memory: context.memory,
        tested: tested(thread),
        locals: IdVec::new(),
        named: BTreeMap::new(),
        instrs: Vec::new(),
        labels: BTreeMap::new(),
        jumps: Vec::new(),
        span: thread.span,
    };
    for line in &thread.lines {
        body.span = line.span;
        let lowered: Lowered<()> = match &line.kind {
            LineKind::Label(name) => {
                let here = (body.instrs.len(), line.span);
                if let Some((_, first)) = body.labels.insert(name.clone(), here) {
                    errors.push(
                        Diag::error(line.span, format!("the label `{name}` is there twice"))
                            .also(first, "the first is here"),
                    );
                }
                Ok(())
            }
            LineKind::X86(instr) => x86::lower(&mut body, instr),
            LineKind::Ppc(instr) => ppc::lower(&mut body, instr),
        };
        errors.extend(lowered.err().map(|e| *e));
    }
    let end = body.instrs.len();
    observe(&mut body, thread, context);
    let start = initial_values(&body, thread, context);
    for (at, label) in std::mem::take(&mut body.jumps) {
        let to = match &label {
            None => end,
            Some(label) => match body.labels.get(&label.text) {
                Some((to, _)) => *to,
                None => {
                    let message = format!("P{} has no label `{}`", thread.number, label.text);
                    errors.push(Diag::error(label.span, message));
                    continue;
                }
            },
        };
        if let Op::Goto { target, .. } = &mut body.instrs[at].op {
            *target = start.len() + to;
        }
    }
    let mut instrs = start;
    instrs.append(&mut body.instrs);
    Proc {
        name: format!("P{}", thread.number),
        span: thread.span,
        params: Vec::new(),
        locals: body.locals,
        body: instrs,
        returns: None,
    }
}

fn tested(thread: &Thread) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in &thread.lines {
        match &line.kind {
            LineKind::Label(_) => {}
            LineKind::X86(instr) => names.extend(x86::tested(instr).map(str::to_string)),
            LineKind::Ppc(instr) => names.extend(ppc::tested(instr)),
        }
    }
    names
}

fn observe(body: &mut Body, thread: &Thread, context: &Context) {
    body.span = thread.span;
    for (what, observable) in context.observables.iter_enumerated() {
        if let Observable::Register {
            thread: number,
            name,
            ..
        } = observable
            && *number == thread.number
        {
            let value = Expr::Local(body.register(name));
            body.emit(Op::Observe { what, value });
        }
    }
}

/// Assignments to all registers that the thread uses.
fn initial_values(body: &Body, thread: &Thread, context: &Context) -> Vec<Instr> {
    let mut all = Vec::new();
    for (id, local) in body.locals.iter_enumerated() {
        if local.name.is_empty() {
            continue;
        }
        let zero = || (thread.span, Expr::constant(0, local.width));
        let (span, value) = context.init.get(&local.name).cloned().unwrap_or_else(zero);
        all.push(Instr {
            span,
            op: Op::Assign { dst: id, value },
        });
    }
    all
}
