//! A system with a fixed number of processes as a program, for bounded model checking.
//!
//! The program has a thread for each process, which fires up to so many transitions and then stops
//! wherever it likes ([`thread`]). So every state that can be reached with so many transitions of
//! each process is one in which all threads have stopped, and it is in such a state that the unsafe
//! formulas are evaluated: main hands out initial values ([`initial`]), waits for all threads, and
//! asserts the opposite of what they hand back.
//!
//! Memory is that of the program, so the models' axioms say what a process reads; transitions are
//! points of the global order ([`Atomicity`](ir::program::Atomicity)). What no other process
//! touches is a register of the thread ([`roles`]). This is written against the meaning of the
//! language alone: it shares with the machine of [`super::concrete`] and with the search nothing but
//! [`super::system`], so that each may find the others' mistakes.
//!
//! On flat memory there is nothing to share and no need for threads ([`flat`]).
//!
//! What is not looked at: more transitions of a process than the bound; open numbers beyond
//! [`Instance::open_numbers`]; and with buffers the `invariant`s of the file, which exclude states on
//! the way, are assumed of the initial state only ([`Instance::invariants_left`]).

mod code;
mod column;
mod expr;
mod flat;
mod formula;
mod globals;
mod initial;
mod main;
mod numbers;
mod reach;
mod roles;
mod state;
mod thread;

use crate::system::access::each_in_form;
use crate::system::tuples::count;
use crate::system::{Form, MemorySemantics, StoreOrder, System, Target, Type, Update, UpdateValue};
pub use column::{Column, TransitionInstance};
use formula::{InstanceContext, SMALL_VALUES};
use globals::Globals;
use initial::Initial;
use ir::program::{Program, Width};
use numbers::numbers;
use reach::Reach;
use roles::{Cell, Role, Roles};
use state::{has_open_number, spoken_of};
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
    /// Its threads that fire transitions.
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
    let cells = spoken_of(system, procs);
    let abstract_values = abstract_values(system, procs, &cells, fired);
    if abstract_values > SMALL_VALUES {
        return Err(format!(
            "more than {SMALL_VALUES} values of an abstract type may occur within the bound"
        ));
    }
    let context = InstanceContext {
        system,
        procs,
        numbers,
        abstract_values,
    };
    let reach = Reach {
        system,
        procs,
        roles: &roles,
        initial: &initial,
    };
    let mut program = Program::default();
    let mut columns = Vec::new();
    let flat = system.memory == MemorySemantics::Flat;
    let main = if flat {
        let calls = threads.iter().flat_map(|p| roles.calls(system, procs, *p));
        let steps = reach.steps(&calls.collect::<Vec<_>>(), |_| true, fired);
        let (proc, column) = flat::flat(&context, &initial, &steps);
        columns.push(column);
        proc
    } else {
        let wanted = main::wanted(&context, &roles);
        let parts = (&roles, &initial);
        let globals = Globals::new(
            &mut program,
            &context,
            options.order,
            parts,
            (&cells, &wanted),
        );
        let make = Threads {
            context,
            order: options.order,
            roles: &roles,
            initial: &initial,
            globals: &globals,
        };
        let mut starts = Vec::new();
        for process in &threads {
            let calls = roles.calls(system, procs, *process);
            let is_own = |index: &[u8]| process.is_some_and(|p| index.first() == Some(&p));
            let steps = reach.steps(&calls, is_own, steps);
            let (proc, column) = make.thread(*process, columns.len() + 1, &steps);
            starts.push(program.procs.push(proc));
            columns.push(column);
        }
        main::main(&make, &starts)
    };
    program.main = Some(program.procs.push(main));
    let only_initial = |f: &Form| {
        let mut constant = true;
        each_in_form(f, &mut |a| constant &= roles.of[a.sym] == Role::Constant);
        constant
    };
    let left = system.invariants.iter();
    let left = left.filter(|i| !flat && !only_initial(&i.body));
    Ok(Instance {
        program,
        columns,
        open_numbers: has_open_number(&context, &initial, &cells).then_some(numbers.open),
        number_width: numbers.width,
        invariants_left: left.count(),
    })
}

/// How many values tell apart all that is of abstract types: what each cell has at first, and what so
/// many transitions take.
fn abstract_values(system: &System, procs: u8, cells: &BTreeSet<Cell>, fired: u32) -> usize {
    let is_abstract = |sym| matches!(system.types[system.symbols[sym].ty], Type::Abstract(_));
    let in_update = |u: &Update| {
        let mut values = u.cases.iter().map(|(_, value)| value);
        match u.target {
            _ if !is_abstract(u.sym) || !values.any(|v| matches!(v, UpdateValue::Any)) => 0,
            Target::Cell(_) => 1,
            Target::Every(_) => count(system.symbols[u.sym].arity, procs),
        }
    };
    let taken = system.transitions.iter();
    let taken = taken.map(|t| {
        t.updates
            .iter()
            .map(in_update)
            .fold(0, usize::saturating_add)
    });
    let fired = usize::try_from(fired).unwrap_or(usize::MAX);
    let taken = taken.max().unwrap_or(0).saturating_mul(fired);
    let at_first = cells.iter().filter(|c| is_abstract(c.sym)).count();
    at_first.saturating_add(taken).max(1)
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
