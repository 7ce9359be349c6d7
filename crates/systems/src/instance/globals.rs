//! The objects of the program: cells of memory, what main hands to the threads, and what they hand
//! back for the unsafe formulas.

use super::formula::InstanceContext;
use super::initial::Initial;
use super::roles::{Cell, Role, Roles};
use crate::system::StoreOrder;
use base::source::Span;
use ir::program::{Expr, Global, GlobalId, Layout, LayoutId, Program, Width};
use std::collections::{BTreeMap, BTreeSet};

/// The objects, by what they are for.
#[derive(Default)]
pub struct Globals {
    memory: BTreeMap<Cell, GlobalId>,
    /// Values of open registers and constants.
    initial: BTreeMap<Cell, GlobalId>,
    /// Registers at the end.
    finals: BTreeMap<Cell, GlobalId>,
    /// What a process sees at the end.
    seen: BTreeMap<(u8, Cell), GlobalId>,
    unwritten: Option<GlobalId>,
}

/// What unsafe formulas ask of the end.
#[derive(Default)]
pub struct Wanted {
    /// Registers.
    pub registers: BTreeSet<Cell>,
    /// Cells of memory, each as a process sees it.
    pub memory: BTreeSet<(u8, Cell)>,
}

impl Globals {
    /// Those of an instance; they become objects of the program.
    pub fn new(
        program: &mut Program,
        context: &InstanceContext,
        order: StoreOrder,
        (roles, initial): (&Roles, &Initial),
        (cells, wanted): (&BTreeSet<Cell>, &Wanted),
    ) -> Globals {
        let mut made = Objects {
            program,
            span: context.system.init.span,
            layouts: BTreeMap::new(),
        };
        let system = context.system;
        let mut globals = Globals::default();
        for cell in cells {
            let width = context.width(cell.sym);
            let name = cell.name(system);
            match (roles.of[cell.sym], initial.value(*cell)) {
                (Role::Memory, value) => {
                    let id = made.object(name, width, value);
                    globals.memory.insert(*cell, id);
                }
                (Role::Register | Role::Constant, None) => {
                    let id = made.object(name, width, None);
                    globals.initial.insert(*cell, id);
                }
                (Role::Register | Role::Constant, Some(_)) => {}
            }
        }
        for cell in &wanted.registers {
            let id = made.object(cell.name(system), context.width(cell.sym), None);
            globals.finals.insert(*cell, id);
        }
        // Where nothing is buffered main itself looks when all threads have stopped.
        if order != StoreOrder::Sc && !wanted.memory.is_empty() {
            for (by, cell) in &wanted.memory {
                let name = format!("#{} @ {}", by + 1, cell.name(system));
                let id = made.object(name, context.width(cell.sym), None);
                globals.seen.insert((*by, *cell), id);
            }
            globals.unwritten = Some(made.object("snapshot".to_string(), 8, None));
        }
        globals
    }

    /// The address of a cell of memory.
    pub fn memory(&self, cell: Cell) -> Expr {
        Expr::Global(self.memory[&cell])
    }

    /// All cells of memory.
    pub fn all_memory(&self) -> impl Iterator<Item = (Cell, GlobalId)> {
        self.memory.iter().map(|(c, g)| (*c, *g))
    }

    /// Where main leaves the initial value of an open register or constant.
    pub fn initial(&self, cell: Cell) -> Option<GlobalId> {
        self.initial.get(&cell).copied()
    }

    /// Registers that threads hand over, and where.
    pub fn finals(&self) -> impl Iterator<Item = (Cell, GlobalId)> {
        self.finals.iter().map(|(c, g)| (*c, *g))
    }

    /// The threads look at memory at one moment.
    pub fn has_snapshot(&self) -> bool {
        self.unwritten.is_some()
    }

    /// What a process looks at then, and where it hands it over.
    pub fn looks(&self, process: Option<u8>) -> Vec<(Cell, GlobalId)> {
        let of = self.seen.iter().filter(|((by, _), _)| Some(*by) == process);
        of.map(|((_, cell), g)| (*cell, *g)).collect()
    }

    /// All that processes have seen.
    pub fn all_seen(&self) -> impl Iterator<Item = ((u8, Cell), GlobalId)> {
        self.seen.iter().map(|(k, g)| (*k, *g))
    }

    /// A cell that nobody writes.
    pub fn unwritten(&self) -> Expr {
        let id = self.unwritten.expect("it is there where a snapshot is");
        Expr::Global(id)
    }
}

struct Objects<'p> {
    span: Span,
    program: &'p mut Program,
    layouts: BTreeMap<Width, LayoutId>,
}

impl Objects<'_> {
    fn object(&mut self, name: String, width: Width, value: Option<i64>) -> GlobalId {
        let layouts = &mut self.program.layouts;
        let layout = *self
            .layouts
            .entry(width)
            .or_insert_with(|| layouts.push(Layout::Scalar { width }));
        let init = value.map(|v| (0, width, super::expr::number(v, width)));
        self.program.globals.push(Global {
            name,
            span: self.span,
            layout,
            init: init.into_iter().collect(),
            thread_local: false,
        })
    }
}
