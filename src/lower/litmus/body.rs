//! The procedure of one column while it grows.

use super::memory::Locations;
use crate::base::idx::IdVec;
use crate::base::source::Span;
use crate::front::litmus::ast::Name;
use crate::ir::program::*;
use std::collections::{BTreeMap, BTreeSet};

/// A procedure that grows.
pub(super) struct Body<'a> {
    pub memory: &'a Locations,
    /// Bits of flags and condition fields that some jump reads; others are not computed.
    pub tested: BTreeSet<String>,
    pub(super) locals: IdVec<LocalId, Local>,
    pub(super) named: BTreeMap<String, LocalId>,
    pub(super) instrs: Vec<Instr>,
    pub(super) labels: BTreeMap<String, (usize, Span)>,
    pub(super) jumps: Vec<(usize, Option<Name>)>,
    pub(super) span: Span,
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
            order: MemoryOrder::Plain,
        });
        Expr::Local(dst)
    }

    /// A jump to a label; `None` is the end of the thread.
    pub(super) fn jump(&mut self, cond: Option<Expr>, label: Option<Name>) {
        self.jumps.push((self.instrs.len(), label));
        self.emit(Op::Goto { cond, target: 0 });
    }
}
