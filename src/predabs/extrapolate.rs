//! Predicates for the buffers from predicates for SC: Sec. 5 (PSO) and App. B (TSO) of the paper.
//!
//! Rules 1 and 8 say how full the buffers are, which variables they hold on TSO, and that nothing has
//! overflowed; 2 and 9 keep the given predicates; 3 and 10 lift each of them, with buffered values in the
//! place of shared variables; 4 and 11, which relate buffered values to each other and to memory, are
//! an option, as the paper's own example does without. Of what lifting makes, 5 and 12 leave
//! out buffers of variables that the thread never stores, 6 and 13 put the same cell for every
//! occurrence of a variable and never cells of two threads into one predicate.
//!
//! Apart from the paper, a temporary that holds a loaded value between two accesses of one
//! statement (`X = Y + 1`) gets the predicates of the variable, too, and truth values in
//! registers a predicate each.

use super::arith::{Cond, Linear, VarId};
use super::predicates::Predicate;
use super::program::{Program, Update, VariableKind};
use super::reduce::BufferModel;
use std::collections::BTreeSet;

/// How much is extrapolated.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rules {
    /// Rules 4 and 11.
    pub equalities: bool,
}

/// The predicates for a reduced program.
pub fn extrapolate(
    program: &Program,
    model: BufferModel,
    given: &[Predicate],
    rules: Rules,
) -> Vec<Predicate> {
    let mut all = Collected {
        program,
        found: given.to_vec(),
    };
    if model != BufferModel::Sc {
        generic(&mut all);
        for p in given {
            for cond in lift(program, &p.cond) {
                all.add(cond);
            }
        }
        if rules.equalities {
            equalities(&mut all);
        }
        if let Some(overflow) = overflow(program) {
            all.add(Cond::is(overflow, 0));
        }
    }
    all.found
}

/// Predicates for the temporaries of statements with several accesses, and for truth values.
pub fn with_temporaries(program: &Program, given: &[Predicate]) -> Vec<Predicate> {
    let mut all = Collected {
        program,
        found: given.to_vec(),
    };
    let steps = program.threads.iter().flat_map(|t| &t.steps);
    let updates = steps.flat_map(|s| &s.updates);
    let mut copies: BTreeSet<(VarId, VarId)> = BTreeSet::new();
    for (x, u) in updates {
        let (VariableKind::Temporary(_), Update::Set(value)) = (program.vars[*x].kind, u) else {
            continue;
        };
        match (value.as_var(), value.as_constant()) {
            (Some(y), _) => {
                copies.insert((*x, y));
            }
            (_, Some(n)) => all.add(Cond::is(*x, n)),
            _ => {}
        }
    }
    for (x, y) in copies {
        for p in given {
            let by = |z: VarId| (z == y).then(|| Linear::var(x));
            if p.cond.vars().contains(&y) {
                all.add(p.cond.replace(&by));
            }
        }
    }
    all.found
}

struct Collected<'a> {
    program: &'a Program,
    found: Vec<Predicate>,
}

impl Collected<'_> {
    fn add(&mut self, cond: Cond) {
        let known = |p: &Predicate| p.cond == cond || p.cond == cond.negate();
        if matches!(cond, Cond::Const(_)) || self.found.iter().any(known) {
            return;
        }
        let text = cond.show(&|x| self.program.name(x));
        self.found.push(Predicate { cond, text });
    }
}

/// Rules 1 and 8, without the overflow.
fn generic(all: &mut Collected) {
    for buffer in &all.program.buffers {
        for n in 0..=buffer.cells.len() {
            all.add(Cond::is(
                buffer.count,
                i128::try_from(n).unwrap_or_default(),
            ));
        }
        for cell in &buffer.cells {
            let Some(target) = cell.target else {
                continue;
            };
            for n in 0..buffer.stores.len() {
                all.add(Cond::is(target, i128::try_from(n).unwrap_or_default()));
            }
        }
    }
}

/// Rules 4 and 11.
fn equalities(all: &mut Collected) {
    for buffer in &all.program.buffers {
        for pair in buffer.cells.windows(2) {
            let (a, b) = (Linear::var(pair[0].value), Linear::var(pair[1].value));
            all.add(Cond::equal(&a, &b));
        }
        for cell in &buffer.cells {
            for x in &buffer.stores {
                all.add(Cond::equal(&Linear::var(cell.value), &Linear::var(*x)));
            }
        }
    }
}

fn overflow(program: &Program) -> Option<VarId> {
    let mut ids = program.vars.ids();
    ids.find(|x| {
        matches!(program.vars[*x].kind, VariableKind::Buffer(_))
            && program.vars[*x].name == "overflow"
    })
}

/// A predicate with buffered values in the place of shared variables: for each thread every choice of
/// a cell, or of memory, for each variable that it stores; not memory for all.
pub fn lift(program: &Program, cond: &Cond) -> Vec<Cond> {
    let shared: Vec<VarId> = cond
        .vars()
        .into_iter()
        .filter(|x| program.is_shared(*x))
        .collect();
    let mut lifted = Vec::new();
    for t in program.threads.ids() {
        let mut choices: Vec<Vec<(VarId, VarId)>> = vec![Vec::new()];
        for x in &shared {
            let own = program.buffers.iter().filter(|b| b.thread == t);
            let cells = own.filter(|b| b.stores.contains(x)).flat_map(|b| &b.cells);
            let cells: Vec<VarId> = cells.map(|c| c.value).collect();
            let mut more = choices.clone();
            for cell in cells {
                // An entry of a buffer for several variables is of one of them.
                let free = choices
                    .iter()
                    .filter(|c| c.iter().all(|(_, used)| *used != cell));
                more.extend(free.map(|c| {
                    let mut c = c.clone();
                    c.push((*x, cell));
                    c
                }));
            }
            choices = more;
        }
        for choice in choices.into_iter().filter(|c| !c.is_empty()) {
            let by = |x: VarId| {
                let chosen = choice.iter().find(|(y, _)| *y == x);
                chosen.map(|(_, cell)| Linear::var(*cell))
            };
            lifted.push(cond.replace(&by));
        }
    }
    lifted
}
