//! The three conditions of a certificate, decided again.
//!
//! A pre-image is a formula, the weakest precondition of the cube's literals, and a graph, of which
//! the kind of cube says what it is: [`tso`](super::tso), [`events`](super::events).
//!
//! The head of [`super`] lists what this trusts. Whether a pre-image is empty or covered is for
//! [`cover`](super::cover) to say.

use super::certified::{Cases, Certified, Choice, Flaw, Setting};
use super::cover::{Cover, Either};
use crate::cub::ast::SymbolKind;
use crate::cube::formula::{
    Disjunct, GroundFormula, GroundTerm, Overflow, conj, disj, disjuncts, negate, substitute,
    substitute_lin,
};
use crate::cube::instantiate::Binding;
use crate::cube::literals::{Base, BaseKind, bases_of_lit};
use crate::cube::timestamp::{MAX_NUMBERED, PendingRead, Timestamps};
use crate::cube::tso::Cube;
use crate::init::{is_init_unsatisfiable, meets_exactly};
use crate::system::tuples::{assignments, tuples};
use crate::system::{Pr, Property, Target, Transition, Update, UpdateValue};
use crate::theory::context::SystemContext;

/// Makes an instance of some formula.
type Bind<'a> = dyn FnMut(
        &dyn Fn(&mut Binding) -> Result<GroundFormula, Overflow>,
    ) -> Result<GroundFormula, Overflow>
    + 'a;

/// What is required, and the values of cells under it.
type Combo = (Vec<GroundFormula>, Vec<(Base, GroundTerm)>);

/// Checks a certificate; the system's invariants are taken for granted.
///
/// # Errors
/// The first flaw.
pub fn check<C: Certified>(
    context: &SystemContext,
    model: C::Model,
    cubes: &[C],
) -> Result<(), Flaw> {
    if cubes.is_empty() && is_init_unsatisfiable(context)? {
        return Ok(());
    }
    let cover = Cover::new(model, covering_cubes(context, cubes)?);
    for p in &context.system.unsafes {
        for cube in formula(context, p)? {
            if !cover.covers(context, &C::at_end(cube)) {
                return Err(Flaw::Unsafe(p.name.clone()));
            }
        }
    }
    for (i, cube) in cubes.iter().enumerate() {
        if cube.may_be_initial() && meets_exactly(context, cube)? {
            return Err(Flaw::Initial(i));
        }
        for t in &context.system.transitions {
            for (args, procs) in choices(context, t.params.len(), cube.procs()) {
                for before in before(context, model, cube, (t, &args), procs)? {
                    if !cover.covers(context, &before) {
                        return Err(Flaw::Open(i, t.name.clone()));
                    }
                }
            }
        }
    }
    Ok(())
}

/// What may cover: the cubes of the certificate and those of the file's invariants.
///
/// # Errors
/// Numbers that are too large.
pub(super) fn covering_cubes<C: Certified>(
    context: &SystemContext,
    cubes: &[C],
) -> Result<Vec<C>, Flaw> {
    let mut all: Vec<C> = cubes.to_vec();
    for p in &context.system.invariants {
        for mut cube in formula(context, p)? {
            // What processes see and constants: it holds whenever they look.
            let constant = |b: Base| match b.kind() {
                BaseKind::Cell(s, ..) => context.system.symbols[s].kind == SymbolKind::Const,
                _ => true,
            };
            if cube.snapshot && cube.conj.distinct_bases().into_iter().all(constant) {
                cube.snapshot = false;
                cube.po_successors.iter_mut().for_each(|s| *s = 0);
            }
            all.push(C::at_end(cube));
        }
    }
    Ok(all)
}

/// All choices of distinct processes, known and new, and how many processes there then are.
pub(super) fn choices(context: &SystemContext, len: usize, known: u8) -> Vec<(Vec<u8>, u8)> {
    let mut all = assignments(len, known, context.system.fixed);
    if let Some(limit) = context.limit {
        all.retain(|(_, n)| *n <= limit);
        // With a fixed number, all processes are there for universal guards.
        all.iter_mut().for_each(|(_, n)| *n = limit);
    }
    all
}

/// The cubes of a formula, nothing simplified.
pub(super) fn formula(context: &SystemContext, p: &Property) -> Result<Vec<Cube>, Flaw> {
    let mut out = Vec::new();
    for (env, procs) in choices(context, p.params.len(), 0) {
        let mut reads = Vec::new();
        let body = Binding {
            system: &context.system,
            env,
            reads: &mut reads,
            first_read: 0,
            memory: false,
            fixed: context.system.fixed,
        }
        .form(&p.body, &[])?;
        for cond in disjuncts(&body, vec![Disjunct::default()], &|_| true)? {
            let snapshot = !reads.is_empty();
            let cube = Cube {
                procs,
                conj: cond.conj,
                reads: reads
                    .iter()
                    .map(|(by, cell)| PendingRead {
                        timestamp: 0,
                        by: *by,
                        cell: *cell,
                    })
                    .collect(),
                snapshot,
                after: vec![0; usize::from(snapshot)],
                po_successors: vec![Timestamps::from(snapshot); usize::from(procs)],
                writes: vec![0; usize::from(procs)],
                ..Cube::default()
            };
            out.push(cube);
        }
    }
    Ok(out)
}

/// The cases of an update for one cell: condition, and value if it is changed.
fn cases(
    bind: &mut Bind,
    values: &[Result<GroundTerm, Overflow>],
    u: &Update,
) -> Result<Cases, Flaw> {
    let mut out = Vec::new();
    let mut earlier: Vec<GroundFormula> = Vec::new();
    for ((condition, _), value) in u.cases.iter().zip(values) {
        let here = bind(&|b| b.form(condition, &[]))?;
        let mut all = earlier.clone();
        all.push(here.clone());
        out.push((conj(all), Some(value.clone()?)));
        earlier.push(negate(&here));
    }
    out.push((conj(earlier), None));
    Ok(out)
}

/// All pre-images of a cube, nothing simplified.
pub(super) fn before<C: Certified>(
    context: &SystemContext,
    model: C::Model,
    cube: &C,
    (t, args): (&Transition, &[u8]),
    procs: u8,
) -> Result<Vec<C>, Flaw> {
    let system = &*context.system;
    let mut reads: Vec<(u8, Base)> = Vec::new();
    let mut somes = 0;
    let others: Vec<u8> = (0..procs).filter(|p| !args.contains(p)).collect();
    let mut bind = |env: Vec<u8>, f: &dyn Fn(&mut Binding) -> Result<GroundFormula, Overflow>| {
        f(&mut Binding {
            system,
            env,
            reads: &mut reads,
            first_read: cube.reads().len(),
            memory: false,
            fixed: system.fixed,
        })
    };
    let guard = bind(args.to_vec(), &|b| b.form(&t.guard, &others))?;
    // Every cell that some update is about, with its cases.
    let mut plain: Vec<(Base, Cases)> = Vec::new();
    let mut weak: Vec<(Base, Cases)> = Vec::new();
    for u in &t.updates {
        let arity = system.symbols[u.sym].arity;
        for index in tuples(arity, procs) {
            let cell = Base::cell(u.sym, &index);
            let mut env = args.to_vec();
            match u.target {
                Target::Cell(at) => {
                    let same = at[..arity].iter().zip(&index).all(|(p, i)| match p {
                        Pr::Var(v) => args.get(usize::from(*v)) == Some(i),
                        Pr::Fixed(k) => k == i,
                    });
                    if !same {
                        continue;
                    }
                }
                Target::Every(_) => env.extend(&index),
            }
            let mut values = Vec::new();
            for (_, value) in &u.cases {
                values.push(match value {
                    UpdateValue::Any if somes == MAX_NUMBERED => return Err(Flaw::TooLarge),
                    UpdateValue::Any => {
                        somes += 1;
                        Ok(GroundTerm::Base(Base::some(somes - 1)))
                    }
                    value => {
                        let slot = std::cell::RefCell::new(Err(Overflow));
                        bind(env.clone(), &|b| {
                            *slot.borrow_mut() = b.term(value);
                            Ok(GroundFormula::Bool(true))
                        })?;
                        slot.into_inner()
                    }
                });
            }
            let mut binding =
                |f: &dyn Fn(&mut Binding) -> Result<GroundFormula, Overflow>| bind(env.clone(), f);
            let cases = cases(&mut binding, &values, u)?;
            if system.symbols[u.sym].kind == SymbolKind::Weak {
                weak.push((cell, cases));
            } else {
                plain.push((cell, cases));
            }
        }
    }
    let mut out = Vec::new();
    let setting = Setting {
        context,
        model,
        cube,
        t,
        thread: t.thread.map(|p| args[usize::from(p)]),
        procs,
        guard,
        plain,
        new_reads: reads,
    };
    let mut choice = Vec::new();
    setting.writes(&weak, &mut choice, &mut out)?;
    Ok(out)
}

impl<C: Certified> Setting<'_, C> {
    /// All choices of a case for each weak cell.
    fn writes(
        &self,
        rest: &[(Base, Cases)],
        chosen: &mut Vec<Choice>,
        out: &mut Vec<C>,
    ) -> Result<(), Flaw> {
        let Some(((cell, cases), rest)) = rest.split_first() else {
            for readings in C::readings(self, chosen)? {
                self.formula(chosen, &readings, out)?;
            }
            return Ok(());
        };
        for (condition, term) in cases {
            if *condition == GroundFormula::Bool(false) || is_false(condition) {
                continue;
            }
            chosen.push((*cell, condition.clone(), term.clone()));
            self.writes(rest, chosen, out)?;
            chosen.pop();
        }
        Ok(())
    }

    fn formula(
        &self,
        chosen: &[Choice],
        reading: &C::Reading,
        out: &mut Vec<C>,
    ) -> Result<(), Flaw> {
        let cube = self.cube;
        let mut parts = vec![self.guard.clone()];
        parts.extend(chosen.iter().map(|(_, c, _)| c.clone()));
        let fixed = self.context.system.fixed;
        let lits = cube.conj().lits.iter().map(|l| {
            let of: Vec<Base> = bases_of_lit(l).collect();
            (of, Either::Literal(*l))
        });
        let lins = cube.conj().lins.iter().map(|l| {
            let of: Vec<Base> = l.lin.terms.iter().map(|(_, b)| *b).collect();
            (of, Either::Lin(l.clone()))
        });
        for (of, lit) in lits.chain(lins) {
            // Every combination of cases of the plain cells that the literal is about.
            let mut combos: Vec<Combo> = vec![(Vec::new(), Vec::new())];
            for b in of {
                let Some((_, cases)) = self.plain.iter().find(|(c, _)| *c == b) else {
                    continue;
                };
                let mut next = Vec::new();
                for (conds, map) in combos {
                    for (condition, term) in cases {
                        let (mut conds, mut map) = (conds.clone(), map.clone());
                        conds.push(condition.clone());
                        map.extend(term.iter().map(|t| (b, t.clone())));
                        next.push((conds, map));
                    }
                }
                combos = next;
            }
            let mut any = Vec::new();
            for (mut conds, map) in combos {
                let mut get = |b: Base| match b.kind() {
                    BaseKind::Read(k) => cube.reads().get(usize::from(k)).and_then(|r| {
                        let reads_it = C::takes(self, reading, usize::from(k));
                        let write = chosen.iter().find(|(c, ..)| *c == r.cell);
                        write.filter(|_| reads_it).and_then(|(_, _, t)| t.clone())
                    }),
                    _ => map.iter().find(|(c, _)| *c == b).map(|(_, t)| t.clone()),
                };
                conds.push(match &lit {
                    Either::Literal(l) => substitute(l, &mut get, fixed)?,
                    Either::Lin(l) => substitute_lin(l, &mut get)?,
                });
                any.push(conj(conds));
            }
            parts.push(disj(any));
        }
        for cond in disjuncts(&conj(parts), vec![Disjunct::default()], &|_| true)? {
            out.extend(C::before(self, &cond, chosen, reading));
        }
        Ok(())
    }
}

fn is_false(i: &GroundFormula) -> bool {
    matches!(i, GroundFormula::And(all) if all.contains(&GroundFormula::Bool(false)))
}

#[cfg(test)]
mod tests;
