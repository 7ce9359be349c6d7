//! A system with a fixed number of processes as a program, for bounded model checking.
//!
//! The program has a thread for each process, which fires up to so many transitions and then stops
//! wherever it likes ([`thread`]). So every state that can be reached with so many transitions of
//! each process is one in which all threads have stopped, and it is in such a state that the unsafe
//! formulas are wanted: main hands out initial values ([`initial`]), waits for all threads, and
//! asserts the opposite of what they hand back.
//!
//! Memory is that of the program, so the models' axioms say what a process reads; transitions are
//! points of the global order ([`Atomicity`](crate::ir::program::Atomicity)). What no other process
//! touches is a register of the thread ([`roles`]). This is written against the meaning of the
//! language alone: it shares with the machine of [`super::concrete`] and with the search nothing but
//! [`super::system`], so that each may find the others' mistakes.
//!
//! What is not looked at: more transitions of a process than the bound; open numbers beyond
//! [`Instance::open_numbers`]; and `invariant`s of the file, which exclude states on the way, are
//! assumed of the initial state only ([`Instance::invariants_left`]).

mod code;
mod column;
mod expr;
mod formula;
mod globals;
mod initial;
mod numbers;
mod reach;
mod roles;
mod thread;

use crate::ir::program::{
    Callee, Expr, MemoryOrder, Op, Proc, ProcId, Program, Property as Assertion, Rule, Width,
};
use crate::param::system::tuples::{count, distinct_tuples, tuples};
use crate::param::system::{Form, MemorySemantics, StoreOrder, System, UpdateValue};
use code::Code;
pub use column::{Column, TransitionInstance};
use expr::{and, not, number, truth};
use formula::{Env, InstanceContext};
use globals::{Globals, Wanted};
use initial::Initial;
use numbers::numbers;
use reach::Reach;
use roles::{Cell, Role, Roles, each_access, each_in_form};
use std::collections::{BTreeMap, BTreeSet};
use thread::Threads;

/// What instance to make.
#[derive(Clone, Copy, Debug)]
pub struct InstanceOptions {
    /// How many processes.
    pub procs: u8,
    /// How many transitions each of them fires at most.
    pub steps: u32,
    /// How writes reach memory.
    pub order: StoreOrder,
}

/// A system with so many processes as a program.
pub struct Instance {
    /// The program; main is its first thread.
    pub program: Program,
    /// Its other threads.
    pub columns: Vec<Column>,
    /// Numbers that the file leaves open are looked at between this and its negation.
    pub open_numbers: Option<i64>,
    /// Bits of numbers.
    pub number_width: Width,
    /// Invariants of the file that exclude more than initial states: they are not used.
    pub invariants_left: usize,
}

/// More tuples of processes, for a formula, are not written out.
const MOST_TUPLES: usize = 20_000;

/// Makes the instance of a system.
///
/// # Errors
/// Why there is none, a sentence.
pub fn instance(system: &System, options: &InstanceOptions) -> Result<Instance, String> {
    let InstanceOptions { procs, steps, .. } = *options;
    let order = match system.memory {
        MemorySemantics::Flat => StoreOrder::Sc,
        MemorySemantics::Buffered => options.order,
    };
    if procs < system.fixed {
        return Err(format!("the file names process #{}", system.fixed));
    }
    let properties = system.unsafes.iter().chain(&system.invariants);
    let lengths = properties.map(|p| &p.params).chain([&system.init.params]);
    if lengths
        .map(|p| count(p.len().min(usize::from(procs)), procs))
        .any(|n| n > MOST_TUPLES)
    {
        return Err("a formula about so many processes is not written out".into());
    }
    let roles = Roles::new(system);
    let initial = Initial::new(system, procs);
    let threads: Vec<Option<u8>> = {
        let without = roles.performer.iter().any(Option::is_none);
        let processes = (0..procs).map(Some);
        processes.chain(without.then_some(None)).collect()
    };
    let fired = steps.saturating_mul(u32::try_from(threads.len()).unwrap_or(u32::MAX));
    let Some(numbers) = numbers(system, &initial, fired) else {
        return Err("numbers may outgrow 64 bits within the bound".into());
    };
    let context = InstanceContext {
        system,
        procs,
        numbers,
    };
    let reach = Reach {
        system,
        procs,
        roles: &roles,
        initial: &initial,
    };
    let reached: Vec<_> = threads.iter().map(|p| reach.steps(*p, steps)).collect();
    let cells = spoken_of(system, procs);
    let wanted = wanted(&context, &roles);
    let mut program = Program::default();
    let parts = (&roles, &initial);
    let globals = Globals::new(&mut program, &context, order, parts, (&cells, &wanted));
    // Every cell, and every value that some transition takes, may be another one.
    let values = cells.len() + usize::try_from(fired).unwrap_or(usize::MAX);
    let make = Threads {
        context,
        order,
        roles: &roles,
        initial: &initial,
        globals: &globals,
        cells: values,
    };
    let mut columns = Vec::new();
    let mut procs_of = Vec::new();
    for (process, steps) in threads.iter().zip(&reached) {
        let (proc, column) = make.thread(*process, steps);
        procs_of.push(program.procs.push(proc));
        columns.push(column);
    }
    let (main, open) = main(&make, &procs_of);
    program.main = Some(program.procs.push(main));
    let only_initial = |f: &Form| {
        let mut constant = true;
        each_in_form(f, &mut |a| constant &= roles.of[a.sym] == Role::Constant);
        constant
    };
    let left = system.invariants.iter().filter(|i| !only_initial(&i.body));
    Ok(Instance {
        program,
        columns,
        open_numbers: open.then_some(numbers.open),
        number_width: numbers.width,
        invariants_left: left.count(),
    })
}

/// Of some transitions, how many the process has that has most of them.
pub fn longest(system: &System, calls: &[(usize, Vec<u8>)]) -> u32 {
    let roles = Roles::new(system);
    let mut count: BTreeMap<Option<u8>, u32> = BTreeMap::new();
    for (t, args) in calls {
        let process = roles.performer[*t].map(|p| args[usize::from(p)]);
        *count.entry(process).or_default() += 1;
    }
    count.into_values().max().unwrap_or(0)
}

/// The cells of all symbols that the file speaks of.
fn spoken_of(system: &System, procs: u8) -> BTreeSet<Cell> {
    let mut symbols = BTreeSet::new();
    let properties = system.unsafes.iter().chain(&system.invariants);
    for p in properties.chain([&system.init]) {
        each_in_form(&p.body, &mut |a| {
            symbols.insert(a.sym);
        });
    }
    for t in &system.transitions {
        each_access(t, &mut |a| {
            symbols.insert(a.sym);
        });
        symbols.extend(t.updates.iter().map(|u| u.sym));
    }
    let cells = symbols.into_iter().flat_map(|sym| {
        let all = tuples(system.symbols[sym].arity, procs).into_iter();
        all.map(move |index| Cell::at(sym, &index))
    });
    cells.collect()
}

/// What the unsafe formulas ask of the end.
fn wanted(context: &InstanceContext, roles: &Roles) -> Wanted {
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

/// The main thread, and whether some number is open.
fn main(of: &Threads, threads: &[ProcId]) -> (Proc, bool) {
    let context = &of.context;
    let system = context.system;
    let mut code = Code::new(system.init.span);
    let mut values: BTreeMap<Cell, Expr> = BTreeMap::new();
    let mut has_open_number = false;
    let cells = spoken_of(system, context.procs);
    for cell in &cells {
        let value = match of.initial.value(*cell) {
            Some(value) => number(value, context.width(cell.sym)),
            None => {
                has_open_number |= context.values(cell.sym, of.cells).is_none();
                code.any_value(context, cell.sym, of.cells)
            }
        };
        values.insert(*cell, value);
    }
    let updates = system.transitions.iter().flat_map(|t| &t.updates);
    has_open_number |= updates
        .filter(|u| context.values(u.sym, 1).is_none())
        .any(|u| {
            let mut cases = u.cases.iter();
            cases.any(|(_, v)| matches!(v, UpdateValue::Any))
        });
    let fence = truth(true);
    for vars in tuples(system.init.params.len(), context.procs) {
        let env = Env {
            vars: &vars,
            params: vars.len(),
        };
        let look = &mut |cell: Cell, _: Option<u8>| values[&cell].clone();
        let holds = context.form(&system.init.body, env, &fence, look);
        code.assume(holds);
    }
    for p in &system.invariants {
        for vars in distinct_tuples(p.params.len(), context.procs) {
            let env = Env {
                vars: &vars,
                params: vars.len(),
            };
            let look = &mut |cell: Cell, _: Option<u8>| values[&cell].clone();
            let excluded = context.form(&p.body, env, &fence, look);
            code.assume(not(excluded));
        }
    }
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
    assert_safe(of, &mut code, &values);
    (
        code.proc("main".into(), Vec::new(), system.init.span),
        has_open_number,
    )
}

/// Asserts the opposite of the unsafe formulas, of what the threads hand over.
fn assert_safe(of: &Threads, code: &mut Code, initial: &BTreeMap<Cell, Expr>) {
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
    for p in &system.unsafes {
        let mut safe = truth(true);
        for vars in distinct_tuples(p.params.len(), context.procs) {
            let env = Env {
                vars: &vars,
                params: vars.len(),
            };
            let look = &mut |cell: Cell, by: Option<u8>| {
                let by = by.unwrap_or(0);
                let found = registers.get(&cell).or_else(|| seen.get(&(by, cell)));
                let found = found.or_else(|| memory.get(&cell));
                found.unwrap_or(&initial[&cell]).clone()
            };
            let violated = context.form(&p.body, env, &truth(true), look);
            safe = and(safe, not(violated));
        }
        code.span = p.span;
        code.push(Op::Assert {
            cond: safe,
            property: Assertion::new(Rule::Assertion, p.name.clone()),
        });
    }
}
