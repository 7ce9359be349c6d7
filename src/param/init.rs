//! Does a cube meet the initial states?
//!
//! Initially all queues are empty and everyone sees memory: a read that is still pending reads
//! the initial value of its cell. `init` holds for every tuple of processes, with repetition; the
//! cube's processes are all that is looked at, others can only make it harder.

use super::cube::{Base, Conj, Kind};
use super::expand::can_choose;
use super::instance::{
    Binding, Cond, Inst, Overflow, Term, add, disjuncts, negate, substitute, substitute_lin,
};
use super::pre::Model;
use super::question::{Question, all_of};
use super::strategy::AnyCube;
use super::theory::{Facts, close};

/// How many tuples of processes `init` is written out for at most.
const MAX_TUPLES: usize = 1_000_000;

/// What holds of the cube's processes initially.
fn formula(model: &Model, procs: u8) -> Result<Inst, Overflow> {
    let init = &model.system.init;
    let count = procs.max(1);
    let sizes = std::iter::repeat_n(usize::from(count), init.params.len());
    let size = sizes.fold(1usize, usize::saturating_mul);
    if size > MAX_TUPLES {
        return Err(Overflow);
    }
    let mut tuples: Vec<Vec<u8>> = vec![Vec::new()];
    for _ in 0..init.params.len() {
        tuples = tuples
            .into_iter()
            .flat_map(|t| {
                (0..count).map(move |p| {
                    let mut t = t.clone();
                    t.push(p);
                    t
                })
            })
            .collect();
    }
    let mut all = Vec::new();
    for env in tuples {
        let mut reads = Vec::new();
        let mut binding = Binding {
            system: &model.system,
            env,
            reads: &mut reads,
            first_read: 0,
            memory: true,
            fixed: model.system.fixed,
        };
        match binding.form(&init.body, &[])? {
            Inst::Bool(true) => {}
            Inst::And(parts) => all.extend(parts),
            i => all.push(i),
        }
    }
    Ok(Inst::And(all))
}

/// The conjunctions of literals, one of which holds of the cube's processes initially.
pub fn instances(model: &Model, procs: u8) -> Result<Vec<Cond>, Overflow> {
    let all = formula(model, procs)?;
    let flow = |c: &Cond| {
        let domain = |b: Base| model.domain(&[], b);
        close(&c.conj, &model.facts(&domain, procs)).is_some()
    };
    let splits = matches!(&all, Inst::And(parts) if parts.iter().any(|i| matches!(i, Inst::Or(_))));
    let keep: &dyn Fn(&Cond) -> bool = if splits { &flow } else { &|_| true };
    disjuncts(&all, vec![Cond::default()], keep)
}

/// The cube's literals at the start: pending reads are the cells themselves.
pub fn at_start(model: &Model, cube: &impl AnyCube) -> Result<Option<Conj>, Overflow> {
    let mut conj = Conj::default();
    let mut get = |b: Base| match b.kind() {
        Kind::Read(k) => cube.reads().get(usize::from(k)).map(|r| Term::Base(r.cell)),
        _ => None,
    };
    let fixed = model.system.fixed;
    let lits = cube
        .conj()
        .lits
        .iter()
        .map(|l| substitute(l, &mut get, fixed));
    let mut all: Vec<Inst> = lits.collect::<Result<_, _>>()?;
    for l in &cube.conj().lins {
        all.push(substitute_lin(l, &mut get)?);
    }
    for i in all {
        let ok = match i {
            Inst::Bool(b) => b,
            Inst::Lit(l) => add(&mut conj, l),
            Inst::Lin(l) => {
                conj.lins.push(l);
                true
            }
            _ => false,
        };
        if !ok {
            return Ok(None);
        }
    }
    Ok(Some(conj))
}

/// Branches that are tried to keep clear of the invariants; beyond, the cube is taken to meet.
const MAX_BRANCHES: usize = 10_000;

/// True when some initial state that respects the file's invariants is a situation of the cube. A
/// look at literals says no quickly; that there is one is confirmed by the SMT solver.
pub fn meets(model: &Model, cube: &impl AnyCube, instances: &[Cond]) -> Result<bool, Overflow> {
    Ok(perhaps_meets(model, cube, instances)? && meets_exactly(model, cube)?)
}

/// The same, decided by the SMT solver alone; true when that is beyond its limits.
pub fn meets_exactly(model: &Model, cube: &impl AnyCube) -> Result<bool, Overflow> {
    let Some(start) = at_start(model, cube)? else {
        return Ok(false);
    };
    let mut all = vec![all_of(&start), formula(model, cube.procs())?];
    for i in excluded(model, cube.procs())? {
        all.push(negate(&i));
    }
    let mut question = Question::new(model, Vec::new(), cube.procs(), Inst::And(all));
    Ok(question.is_possible() != Some(false))
}

fn perhaps_meets(model: &Model, cube: &impl AnyCube, instances: &[Cond]) -> Result<bool, Overflow> {
    let Some(start) = at_start(model, cube)? else {
        return Ok(false);
    };
    let domain = |b: Base| model.domain(&[], b);
    let facts = model.facts(&domain, cube.procs());
    let mut excluded: Option<Vec<Conj>> = None;
    for init in instances {
        let mut conj = start.clone();
        if !init.conj.lits.iter().all(|l| add(&mut conj, *l)) {
            continue;
        }
        conj.lins.extend(init.conj.lins.iter().cloned());
        if close(&conj, &facts).is_none() {
            continue;
        }
        if excluded.is_none() {
            excluded = Some(invariants(model, cube.procs())?);
        }
        let excluded = excluded.as_deref().unwrap_or_default();
        let mut left = MAX_BRANCHES;
        if avoids(&conj, excluded, &facts, &mut left) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What the invariants exclude, of the cube's processes and seen in memory.
fn excluded(model: &Model, procs: u8) -> Result<Vec<Inst>, Overflow> {
    let mut all = Vec::new();
    for p in &model.system.invariants {
        if p.params.len() > usize::from(procs) {
            continue;
        }
        if !can_choose(p.params.len(), procs.max(model.system.fixed)) {
            return Err(Overflow);
        }
        for (env, needed) in super::engine::assignments(p.params.len(), procs, model.system.fixed) {
            if needed > procs {
                continue;
            }
            let mut reads = Vec::new();
            let mut binding = Binding {
                system: &model.system,
                env,
                reads: &mut reads,
                first_read: 0,
                memory: true,
                fixed: model.system.fixed,
            };
            all.push(binding.form(&p.body, &[])?);
        }
    }
    Ok(all)
}

/// The same as conjunctions.
fn invariants(model: &Model, procs: u8) -> Result<Vec<Conj>, Overflow> {
    let mut all = Vec::new();
    for body in excluded(model, procs)? {
        let cubes = disjuncts(&body, vec![Cond::default()], &|_| true)?;
        all.extend(cubes.into_iter().map(|c| c.conj));
    }
    Ok(all)
}

/// The conjunction has a solution outside of all of these.
fn avoids(conj: &Conj, excluded: &[Conj], facts: &Facts, left: &mut usize) -> bool {
    let Some(closed) = close(conj, facts) else {
        return false;
    };
    if *left == 0 {
        return true;
    }
    *left -= 1;
    // One that is not excluded by what is there already needs a literal to fail.
    let Some((first, rest)) = excluded.split_first() else {
        return true;
    };
    if !first.lins.is_empty() {
        return avoids(conj, rest, facts, left);
    }
    first.lits.iter().any(|l| {
        if closed.implies(l, facts.domain) {
            return false;
        }
        let Inst::Lit(not) = negate(&Inst::Lit(*l)) else {
            return true;
        };
        let mut next = conj.clone();
        add(&mut next, not) && avoids(&next, rest, facts, left)
    })
}
