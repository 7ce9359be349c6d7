//! Predicates for the buffers from predicates for SC: Sec. 5 (PSO) and App. B (TSO) of the paper.
//!
//! Rules 1 and 8 say how full the buffers are, which variables they hold on TSO, and that nothing has
//! overflowed; 2 and 9 keep the given predicates; 3 and 10 lift each of them, with buffered values in the
//! place of shared variables; 4 and 11, which relate buffered values to each other and to memory, are
//! an option, as the paper's own example does without. Of what lifting makes, 5 and 12 leave
//! out buffers of variables that the thread never stores, 6 and 13 put the same cell for every
//! occurrence of a variable and never cells of two threads into one predicate; and where a thread
//! always fences between two stores, 7 and 14 put one cell only into a predicate.
//!
//! Apart from the paper, a temporary that holds a loaded value between two accesses of one
//! statement (`X = Y + 1`) gets the predicates of the variable, too, and truth values in
//! registers a predicate each.

use super::cube::Cube;
use super::predicates::Predicate;
use crate::commands::arith::{Cond, Linear, VarId};
use crate::commands::program::{Program, Update, VariableKind};
use crate::commands::strength::BufferModel;
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
        self.found.push(Predicate::new(cond, self.program));
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

/// A predicate with buffered values in the place of shared variables.
pub fn lift(program: &Program, cond: &Cond) -> Vec<Cond> {
    let choices = buffered(program, &cond.vars());
    choices.iter().map(|c| replaced(cond, c)).collect()
}

/// Cubes over the given predicates, which are the first of all, and what they are with buffered values
/// in the place of shared variables (cube extrapolation, Sec. 4.3). All literals of a cube
/// are lifted in the same way, so each is one of the predicates already.
pub fn lift_cubes(program: &Program, predicates: &[Predicate], cubes: &[Cube]) -> Vec<Cube> {
    let mut found = BTreeSet::new();
    for cube in cubes {
        let literals: Vec<(usize, bool)> = cube.literals().collect();
        let vars: BTreeSet<VarId> = literals
            .iter()
            .flat_map(|(i, _)| predicates[*i].cond.vars())
            .collect();
        let lifted = buffered(program, &vars).into_iter().filter_map(|choice| {
            literals
                .iter()
                .try_fold(Cube::default(), |all, (i, holds)| {
                    match replaced(&predicates[*i].cond, &choice) {
                        Cond::Const(value) => (value == *holds).then_some(all),
                        cond => all.and(literal(predicates, &cond, *holds)?),
                    }
                })
        });
        found.insert(*cube);
        found.extend(lifted);
    }
    found.into_iter().collect()
}

/// A condition, or its negation, as one of the predicates.
fn literal(predicates: &[Predicate], cond: &Cond, holds: bool) -> Option<Cube> {
    let at = |cond: &Cond| predicates.iter().position(|p| p.cond == *cond);
    match at(cond) {
        Some(i) => Some(Cube::literal(i, holds)),
        None => Some(Cube::literal(at(&cond.negate())?, !holds)),
    }
}

/// The cells that stand for shared variables.
type Choice = Vec<(VarId, VarId)>;

fn replaced(cond: &Cond, choice: &Choice) -> Cond {
    cond.replace(&|x| {
        let chosen = choice.iter().find(|(y, _)| *y == x);
        chosen.map(|(_, cell)| Linear::var(*cell))
    })
}

/// For each thread every choice of a cell, or of memory, for each of the variables that it stores; not
/// memory for all.
fn buffered(program: &Program, vars: &BTreeSet<VarId>) -> Vec<Choice> {
    let mut all = Vec::new();
    for t in program.threads.ids() {
        let mut choices: Vec<Choice> = vec![Vec::new()];
        for x in vars.iter().filter(|x| program.is_shared(**x)) {
            let own = program.buffers.iter().filter(|b| b.thread == t);
            let own = own.filter(|b| b.stores.contains(x));
            let cells: Vec<(VarId, bool)> = own
                .flat_map(|b| b.cells.iter().map(|c| (c.value, b.fenced)))
                .collect();
            let mut more = choices.clone();
            for (cell, fenced) in cells {
                // An entry of a buffer for several variables is of one of them; and between fences a
                // thread has one entry in all its buffers.
                let free = choices.iter().filter(|c| match fenced {
                    true => c.is_empty(),
                    false => c.iter().all(|(_, used)| *used != cell),
                });
                more.extend(free.map(|c| {
                    let mut c = c.clone();
                    c.push((*x, cell));
                    c
                }));
            }
            choices = more;
        }
        all.extend(choices.into_iter().filter(|c| !c.is_empty()));
    }
    all
}
