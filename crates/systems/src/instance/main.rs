//! The main thread of a program with a thread for each process: it makes the initial state, waits for
//! all threads, and asserts that what they hand back is not unsafe.

use super::code::Code;
use super::formula::InstanceContext;
use super::globals::Wanted;
use super::roles::{Cell, Role, Roles};
use super::state::{State, assert_safe, spoken_of, start};
use super::thread::Threads;
use crate::system::access::each_in_form;
use crate::system::tuples::distinct_tuples;
use ir::program::{Callee, Expr, MemoryOrder, Op, Proc, ProcId};
use std::collections::{BTreeMap, BTreeSet};

/// What the unsafe formulas ask of the end.
pub fn wanted(context: &InstanceContext, roles: &Roles) -> Wanted {
    let mut wanted = Wanted::default();
    for p in &context.system.unsafes {
        for vars in distinct_tuples(p.params.len(), context.procs) {
            each_in_form(&p.body, &mut |a| {
                let cell = Cell::of(a, &vars);
                match roles.of[a.sym] {
                    Role::Constant => {}
                    Role::Register => {
                        wanted.registers.insert(cell);
                    }
                    Role::Memory => {
                        let by = a.by.map_or(0, |p| p.of(&vars));
                        wanted.memory.insert((by, cell));
                    }
                }
            });
        }
    }
    wanted
}

/// The main thread.
pub fn main(of: &Threads, threads: &[ProcId]) -> Proc {
    let context = &of.context;
    let system = context.system;
    let mut code = Code::new(system.init.span);
    let cells = spoken_of(system, context.procs);
    let values = start(context, of.initial, &cells, &mut code);
    let open = |cell: &Cell| of.initial.value(*cell).is_none();
    let given = of.globals.all_memory().filter(|(cell, _)| open(cell));
    let given: Vec<_> = given.collect();
    let handed = cells
        .iter()
        .filter_map(|c| Some((*c, of.globals.initial(*c)?)));
    for (cell, global) in given.into_iter().chain(handed) {
        code.push(Op::Store {
            addr: Expr::Global(global),
            value: values[&cell].clone(),
            order: MemoryOrder::Plain,
        });
    }
    let mut handles = Vec::new();
    for proc in threads {
        let dst = code.local("", 64);
        code.push(Op::Spawn {
            dst,
            callee: Callee::Proc(*proc),
            arg: Expr::constant(0, 64),
        });
        handles.push(dst);
    }
    for handle in handles {
        code.push(Op::Join {
            handle: Expr::Local(handle),
            dst: None,
        });
    }
    safe(of, &mut code, &values);
    code.proc("main".into(), Vec::new(), system.init.span)
}

/// Asserts the opposite of the unsafe formulas, of what the threads hand over.
fn safe(of: &Threads, code: &mut Code, initial: &State) {
    let context = &of.context;
    let system = context.system;
    let load = |code: &mut Code, cell: Cell, global| {
        let dst = code.local(&cell.name(system), context.width(cell.sym));
        code.push(Op::Load {
            dst,
            addr: Expr::Global(global),
            order: MemoryOrder::Plain,
        });
        Expr::Local(dst)
    };
    let mut registers: BTreeMap<Cell, Expr> = BTreeMap::new();
    for (cell, global) in of.globals.finals() {
        registers.insert(cell, load(code, cell, global));
    }
    let mut seen: BTreeMap<(u8, Cell), Expr> = BTreeMap::new();
    for (key, global) in of.globals.all_seen() {
        seen.insert(key, load(code, key.1, global));
    }
    let mut memory: BTreeMap<Cell, Expr> = BTreeMap::new();
    if !of.globals.has_snapshot() {
        let wanted: BTreeSet<Cell> = wanted(context, of.roles)
            .memory
            .into_iter()
            .map(|k| k.1)
            .collect();
        for (cell, global) in of.globals.all_memory().filter(|(c, _)| wanted.contains(c)) {
            memory.insert(cell, load(code, cell, global));
        }
    }
    assert_safe(context, code, &mut |cell, by| {
        let by = by.unwrap_or(0);
        let found = registers.get(&cell).or_else(|| seen.get(&(by, cell)));
        let found = found.or_else(|| memory.get(&cell));
        found.unwrap_or(&initial[&cell]).clone()
    });
}
