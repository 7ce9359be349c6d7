//! The procedure of one column, of the text that all threads of an `.asm` program execute, or of an
//! assembly statement in C, while it grows.

use super::memory::Locations;
use super::refusal::{Lowered, unsupported};
use super::sizes::{extended, low};
use crate::front::litmus::ast::Name;
use base::idx::IdVec;
use base::source::Span;
use ir::program::*;
use std::collections::{BTreeMap, BTreeSet};

/// A procedure that grows.
pub(in crate::lower) struct Body<'a> {
    pub memory: &'a Locations,
    /// It is an assembly statement: its accesses are those of C11, as wide as they say, and its registers
    /// may be variables.
    pub in_c: bool,
    /// Bits of the operands of the instruction that is being lowered.
    pub size: Width,
    /// Bits of flags and condition fields that some jump reads; others are not computed.
    pub tested: BTreeSet<String>,
    /// The number of threads, where operands can name it.
    pub threads: Option<u32>,
    pub locals: IdVec<LocalId, Local>,
    pub named: BTreeMap<String, LocalId>,
    pub instrs: Vec<Instr>,
    pub labels: BTreeMap<String, (usize, Span)>,
    /// Jumps whose targets are still to be set.
    jumps: Vec<(usize, Option<Name>)>,
    /// The instruction that is being lowered.
    pub span: Span,
}

impl<'a> Body<'a> {
    /// A procedure without instructions.
    pub fn new(memory: &'a Locations, tested: BTreeSet<String>, span: Span) -> Body<'a> {
        Body {
            memory,
            in_c: false,
            size: memory.sizes.word,
            tested,
            threads: None,
            locals: IdVec::new(),
            named: BTreeMap::new(),
            instrs: Vec::new(),
            labels: BTreeMap::new(),
            jumps: Vec::new(),
            span,
        }
    }

    /// Bits of a register.
    pub fn word(&self) -> Width {
        self.memory.sizes.word
    }

    /// Bits of a cell.
    pub fn cell(&self) -> Width {
        self.memory.sizes.cell
    }

    /// Bits of the cell that an access is to, which it must not be wider than. In a statement of C they
    /// are those of the access.
    pub fn accessed(&self, at: Span, size: Width) -> Lowered<Width> {
        let cell = self.cell();
        if self.in_c || size <= cell {
            return Ok(if self.in_c { size } else { cell });
        }
        let message = format!(
            "an access of {size} bits to cells of {cell}: accesses of mixed size are not supported"
        );
        unsupported(at, message)
    }

    /// The register with this name.
    pub fn register(&mut self, name: &str) -> LocalId {
        let width = self.word();
        self.named_local(name, width)
    }

    /// What an access is for which the instruction says nothing.
    pub fn order(&self) -> MemoryOrder {
        match self.in_c {
            true => MemoryOrder::Relaxed,
            false => MemoryOrder::Plain,
        }
    }

    /// The value of a register, or the address of an operand in memory.
    pub fn read(&mut self, name: &Name) -> Expr {
        let (value, width) = match self.memory.operand(&name.text) {
            Some(address) => (address.clone(), self.memory.sizes.pointer),
            None => {
                let local = self.register(&name.text);
                (Expr::Local(local), self.locals[local].width)
            }
        };
        extended(value, (width, self.word()), Cast::Zero)
    }

    /// Sets a register to a value of its size, or of that of a variable which it is.
    pub fn write(&mut self, name: &Name, value: Expr) -> LocalId {
        let dst = self.register(&name.text);
        let value = low(value, (self.word(), self.locals[dst].width));
        self.assign(dst, value);
        dst
    }

    /// The address that a register's value is.
    pub fn pointer(&self, value: Expr) -> Expr {
        low(value, (self.word(), self.memory.sizes.pointer))
    }

    /// The register of one bit with this name.
    pub fn bit(&mut self, name: &str) -> LocalId {
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
    pub fn temporary(&mut self, width: Width) -> LocalId {
        self.locals.push(Local {
            name: String::new(),
            width,
        })
    }

    /// Adds an instruction, with the span of the one that is being lowered.
    pub fn emit(&mut self, op: Op) {
        let span = self.span;
        self.instrs.push(Instr { span, op });
    }

    /// `dst := value`
    pub fn assign(&mut self, dst: LocalId, value: Expr) {
        self.emit(Op::Assign { dst, value });
    }

    /// A new register with this value.
    pub fn copy(&mut self, value: Expr, width: Width) -> LocalId {
        let dst = self.temporary(width);
        self.assign(dst, value);
        dst
    }

    /// `bit := value`, if some jump reads the bit.
    pub fn set_bit(&mut self, name: &str, value: impl FnOnce() -> Expr) {
        if self.tested.contains(name) {
            let dst = self.bit(name);
            self.assign(dst, value());
        }
    }

    /// Loads a cell into a new register.
    pub fn load_cell(&mut self, addr: Expr) -> Expr {
        let dst = self.temporary(self.cell());
        self.emit(Op::Load {
            dst,
            addr,
            order: self.order(),
        });
        Expr::Local(dst)
    }

    /// A jump to a label; `None` is the end of the thread.
    pub fn jump(&mut self, cond: Option<Expr>, label: Option<Name>) {
        self.jumps.push((self.instrs.len(), label));
        self.emit(Op::Goto { cond, target: 0 });
    }

    /// Sets the targets of all jumps, of which `start` instructions will stand before the first one
    /// here; the labels that do not exist.
    pub fn resolve_jumps(&mut self, start: usize, end: usize) -> Vec<Name> {
        let mut missing = Vec::new();
        for (at, label) in std::mem::take(&mut self.jumps) {
            let to = match label {
                None => end,
                Some(label) => match self.labels.get(&label.text) {
                    Some((to, _)) => *to,
                    None => {
                        missing.push(label);
                        continue;
                    }
                },
            };
            if let Op::Goto { target, .. } = &mut self.instrs[at].op {
                *target = start + to;
            }
        }
        missing
    }
}
