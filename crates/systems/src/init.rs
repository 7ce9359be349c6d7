//! Initial states: does a cube meet them, and is there one at all?
//!
//! Initially all queues are empty and everyone sees memory: a read that is still pending reads
//! the initial value of its cell. `init` holds for every tuple of processes, with repetition; the
//! cube's processes are all that is looked at, others can only make it harder.
//!
//! That there is no initial state is seen so. The value of a variable of type `proc` is one of the
//! processes, unless `init` says that some variable is not (`Home <> p`:
//! [`System::outside`](super::system::System::outside)). Take the processes that are the values of
//! such variables, at least one and at most as many as there are variables: `init` holds of these
//! few among themselves, so if it cannot for any such number, it cannot at all. A system without
//! initial states is safe, and says nothing.

use crate::cube::any::AnyCube;
use crate::cube::formula::{
    Disjunct, GroundFormula, GroundTerm, Overflow, add, disjuncts, negate, substitute,
    substitute_lin,
};
use crate::cube::instantiate::in_memory;
use crate::cube::literals::{Base, BaseKind, Conj, bases_of_lit};
use crate::system::Type;
use crate::system::tuples::{assignments, can_choose, count, tuples};
use crate::theory::closure::{Facts, close};
use crate::theory::context::SystemContext;
use crate::theory::query::{EntailmentQuery, all_of};

/// How many tuples of processes `init` is written out for at most.
const MAX_TUPLES: usize = 1_000_000;

/// What holds of the cube's processes initially.
fn formula(context: &SystemContext, procs: u8) -> Result<GroundFormula, Overflow> {
    let init = &context.system.init;
    let procs = procs.max(1);
    if count(init.params.len(), procs) > MAX_TUPLES {
        return Err(Overflow);
    }
    let mut all = Vec::new();
    for env in tuples(init.params.len(), procs) {
        match in_memory(&context.system, &init.body, env)? {
            GroundFormula::Bool(true) => {}
            GroundFormula::And(parts) => all.extend(parts),
            i => all.push(i),
        }
    }
    Ok(GroundFormula::And(all))
}

/// The conjunctions of literals, one of which holds of the cube's processes initially.
pub fn initial_disjuncts(context: &SystemContext, procs: u8) -> Result<Vec<Disjunct>, Overflow> {
    let all = formula(context, procs)?;
    let flow = |c: &Disjunct| {
        let domain = |b: Base| context.domain(&[], b);
        close(&c.conj, &context.facts(&domain, procs)).is_some()
    };
    let splits = matches!(&all, GroundFormula::And(parts) if parts.iter().any(|i| matches!(i, GroundFormula::Or(_))));
    let keep: &dyn Fn(&Disjunct) -> bool = if splits { &flow } else { &|_| true };
    disjuncts(&all, vec![Disjunct::default()], keep)
}

/// The cube's literals at the start: pending reads are the cells themselves.
pub fn at_start(context: &SystemContext, cube: &impl AnyCube) -> Result<Option<Conj>, Overflow> {
    let mut conj = Conj::default();
    let mut get = |b: Base| match b.kind() {
        BaseKind::Read(k) => cube
            .reads()
            .get(usize::from(k))
            .map(|r| GroundTerm::Base(r.cell)),
        _ => None,
    };
    let fixed = context.system.fixed;
    let lits = cube
        .conj()
        .lits
        .iter()
        .map(|l| substitute(l, &mut get, fixed));
    let mut all: Vec<GroundFormula> = lits.collect::<Result<_, _>>()?;
    for l in &cube.conj().lins {
        all.push(substitute_lin(l, &mut get)?);
    }
    for i in all {
        let ok = match i {
            GroundFormula::Bool(b) => b,
            GroundFormula::Literal(l) => add(&mut conj, l),
            GroundFormula::Lin(l) => {
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

/// True when some initial state that respects the file's invariants is in the cube. A
/// look at literals says no quickly; that there is one is confirmed by the SMT solver.
pub fn meets(
    context: &SystemContext,
    cube: &impl AnyCube,
    instances: &[Disjunct],
) -> Result<bool, Overflow> {
    Ok(perhaps_meets(context, cube, instances)? && meets_exactly(context, cube)?)
}

/// The same, decided by the SMT solver alone; true when that is beyond its limits.
pub fn meets_exactly(context: &SystemContext, cube: &impl AnyCube) -> Result<bool, Overflow> {
    let Some(start) = start_formula(context, cube)? else {
        return Ok(false);
    };
    let mut query = EntailmentQuery::new(context, Vec::new(), cube.procs(), start);
    Ok(query.is_possible() != Some(false))
}

/// What holds of an initial state in the cube that respects the file's invariants; nothing when
/// its literals contradict each other at the start.
///
/// # Errors
/// Numbers or tuples beyond what is represented.
pub fn start_formula(
    context: &SystemContext,
    cube: &impl AnyCube,
) -> Result<Option<GroundFormula>, Overflow> {
    let Some(start) = at_start(context, cube)? else {
        return Ok(None);
    };
    let mut all = vec![all_of(&start), formula(context, cube.procs())?];
    for i in excluded(context, cube.procs())? {
        all.push(negate(&i));
    }
    Ok(Some(GroundFormula::And(all)))
}

fn perhaps_meets(
    context: &SystemContext,
    cube: &impl AnyCube,
    instances: &[Disjunct],
) -> Result<bool, Overflow> {
    let Some(start) = at_start(context, cube)? else {
        return Ok(false);
    };
    let domain = |b: Base| context.domain(&[], b);
    let facts = context.facts(&domain, cube.procs());
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
            excluded = Some(invariants(context, cube.procs())?);
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
fn excluded(context: &SystemContext, procs: u8) -> Result<Vec<GroundFormula>, Overflow> {
    let mut all = Vec::new();
    for p in &context.system.invariants {
        if p.params.len() > usize::from(procs) {
            continue;
        }
        if !can_choose(p.params.len(), procs.max(context.system.fixed)) {
            return Err(Overflow);
        }
        for (env, needed) in assignments(p.params.len(), procs, context.system.fixed) {
            if needed > procs {
                continue;
            }
            all.push(in_memory(&context.system, &p.body, env)?);
        }
    }
    Ok(all)
}

/// The same as conjunctions.
fn invariants(context: &SystemContext, procs: u8) -> Result<Vec<Conj>, Overflow> {
    let mut all = Vec::new();
    for body in excluded(context, procs)? {
        let cubes = disjuncts(&body, vec![Disjunct::default()], &|_| true)?;
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
        let GroundFormula::Literal(not) = negate(&GroundFormula::Literal(*l)) else {
            return true;
        };
        let mut next = conj.clone();
        add(&mut next, not) && avoids(&next, rest, facts, left)
    })
}

/// For more processes than these it is not looked at.
const MOST: u8 = 6;

/// No state is initial, whatever the number of processes.
///
/// # Errors
/// Numbers beyond what is represented.
pub fn is_init_unsatisfiable(context: &SystemContext) -> Result<bool, Overflow> {
    let system = &*context.system;
    let named = system
        .symbols
        .iter()
        .filter(|s| s.arity == 0 && matches!(system.types[s.ty], Type::Proc))
        .count();
    let fewest = system.fixed.max(1);
    let most = usize::from(system.fixed) + named;
    let Some(most) = u8::try_from(most).ok().filter(|n| *n <= MOST) else {
        return Ok(false);
    };
    let most = most.max(fewest);
    for procs in fewest..=most {
        for cond in initial_disjuncts(context, procs)? {
            let domain = |b: Base| context.domain(&[], b);
            let all_there = system.outside.is_empty() && !has_cells_of_processes(context, &cond);
            let facts = Facts {
                domain: &domain,
                fixed: system.fixed,
                all_procs: all_there.then_some(procs),
            };
            if close(&cond.conj, &facts).is_some() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// A literal speaks of an array's cell that holds a process, perhaps one of those left out.
fn has_cells_of_processes(context: &SystemContext, cond: &Disjunct) -> bool {
    let system = &*context.system;
    let bases = cond.conj.lits.iter().flat_map(bases_of_lit);
    bases.into_iter().any(|b| match b.kind() {
        BaseKind::Cell(sym, ..) => {
            let symbol = &system.symbols[sym];
            symbol.arity > 0 && matches!(system.types[symbol.ty], Type::Proc)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::is_init_unsatisfiable;
    use crate::cub;
    use crate::system::{MemorySemantics, resolve};
    use crate::theory::SystemContext;
    use base::source::SourceMap;

    fn is_empty(symbols: &str, init: &str) -> bool {
        let mut sources = SourceMap::default();
        let text = format!(
            "{symbols} array A[proc] : int init (p) {{ {init} }} unsafe (p) {{ A[p] = 1 }}"
        );
        let file = sources.add("t.cub", &text);
        let parsed = cub::parse(&sources, file).expect("the text reads");
        let system = resolve(&parsed, MemorySemantics::Flat).expect("the text is typed");
        is_init_unsatisfiable(&SystemContext::new(&system, None)) == Ok(true)
    }

    #[test]
    fn a_variable_is_one_of_the_processes() {
        assert!(is_empty("var H : proc", "(H <> p || A[p] = 2) && A[p] = 0"));
        assert!(is_empty("", "A[p] = 0 && A[p] = 2"));
    }

    #[test]
    fn these_have_initial_states() {
        assert!(!is_empty("var H : proc", "A[p] = 0"));
        assert!(!is_empty(
            "var H : proc var G : proc",
            "(H <> p || G <> p) && A[p] = 0"
        ));
        assert!(!is_empty("array H[proc] : proc", "H[p] <> p"));
    }

    #[test]
    fn a_process_outside_of_the_others_is_none_of_them() {
        assert!(!is_empty("var Home : proc", "Home <> p && A[p] = 0"));
        assert!(!is_empty(
            "var H : proc var G : proc",
            "(H <> p || G <> H) && G <> p"
        ));
        assert!(is_empty("var Home : proc", "Home <> p && Home = p"));
    }
}
