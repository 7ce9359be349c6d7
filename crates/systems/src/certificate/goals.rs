//! The conditions of a certificate as goals in SMT-LIB 2, for any other solver.
//!
//! One goal for each condition: that a cube has no initial state, that an unsafe formula is
//! covered, that the pre-images of a cube by a transition are. A goal is the negation of the
//! condition, so it is unsatisfiable where the condition holds.
//!
//! A cube is a formula with its processes quantified existentially, and so is a pre-image, whose
//! processes are those of the cube and the parameters of the transition. In the negation both are
//! witnesses: each has a constant, and all differ. Universal quantifiers, of `init`, of guards, and
//! of the cubes that do not cover, are put in terms of these constants. Fewer instances of them
//! only mean more models, so a goal that is unsatisfiable with the instances is so without.
//!
//! A goal says which cube covers a pre-image, and where its processes and reads are; the solver
//! confirms the literals. When none covers it, the goal lists all whose processes, reads and order
//! fit, and the solver finds a model. The order of events, which on flat memory there is none of,
//! is what the checker says it is.

use super::certified::{Certified, Flaw};
use super::checker::{before, choices, covering_cubes, formula};
use super::cover::{Cover, Covering};
use crate::cube::formula::GroundFormula;
use crate::cube::literals::{Base, BaseKind, Conj, LinSum, Literal};
use crate::cube::text::{base_text, constructors};
use crate::cube::timestamp::PendingRead;
use crate::init::{is_init_unsatisfiable, start_formula};
use crate::system::{Rel, System, Type};
use crate::theory::context::SystemContext;
use crate::theory::query::all_of;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The goals, each between `push` and `pop`; the certificate need not be valid.
///
/// # Errors
/// Something is too large, or there are no cubes because no state is initial.
pub fn goals<C: Certified>(
    context: &SystemContext,
    model: C::Model,
    cubes: &[C],
) -> Result<String, Flaw> {
    if cubes.is_empty() && is_init_unsatisfiable(context)? {
        return Err(Flaw::Vacuous);
    }
    let system = &*context.system;
    let cover = Cover::new(model, covering_cubes(context, cubes)?);
    let mut script = Script::new(context);
    for (i, cube) in cubes.iter().enumerate() {
        script.goal(&format!(
            "initiation: no initial state is in cube {}",
            i + 1
        ));
        if cube.may_be_initial()
            && let Some(start) = start_formula(context, cube)?
        {
            script.case("", cube.procs(), &[], &start, &[]);
        }
        script.end();
    }
    for p in &system.unsafes {
        script.goal(&format!("property: the cubes cover `{}`", p.name));
        for cube in formula(context, p)? {
            script.cube("a disjunct of it", &C::at_end(cube), &cover);
        }
        script.end();
    }
    for (i, cube) in cubes.iter().enumerate() {
        for t in &system.transitions {
            let (name, at) = (&t.name, i + 1);
            script.goal(&format!(
                "consecution: the cubes cover what is before cube {at} by `{name}`"
            ));
            for (args, procs) in choices(context, t.params.len(), cube.procs()) {
                let names: Vec<String> = args.iter().map(|a| format!("#{}", a + 1)).collect();
                let call = format!("{name}({})", names.join(", "));
                for pre in before(context, model, cube, (t, &args), procs)? {
                    script.cube(&call, &pre, &cover);
                }
            }
            script.end();
        }
    }
    Ok(script.text)
}

/// The sorts of SMT-LIB that are needed: constructors and values of abstract types are integers;
/// processes are real numbers, of which any total order is one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Int,
    Real,
}

/// A script in the making.
struct Script<'a> {
    context: &'a SystemContext<'a>,
    text: String,
    /// The declarations, facts and cases of the goal that has begun.
    declarations: String,
    cases: Vec<String>,
}

impl<'a> Script<'a> {
    fn new(context: &'a SystemContext<'a>) -> Script<'a> {
        let mut text = String::from(
            "; The conditions of a certificate; each answer should be `unsat`.\n\
             ; Processes are different numbers; NAME!K is NAME in case K of a goal.\n",
        );
        for ty in context.system.types.iter() {
            if let Type::Enum(name, constructors) = ty {
                let all = constructors.iter().enumerate();
                let all: Vec<String> = all.map(|(i, c)| format!("{i} {c}")).collect();
                let _ = writeln!(text, "; type {name}: {}", all.join(", "));
            }
        }
        text += "(set-logic QF_LIRA)\n";
        Script {
            context,
            text,
            declarations: String::new(),
            cases: Vec::new(),
        }
    }

    fn goal(&mut self, what: &str) {
        let _ = writeln!(self.text, "\n; {what}\n(push 1)");
    }

    fn end(&mut self) {
        self.text += &std::mem::take(&mut self.declarations);
        let cases = std::mem::take(&mut self.cases);
        let _ = match cases.as_slice() {
            [] => writeln!(self.text, "(assert false) ; there is nothing to cover"),
            [one] => writeln!(self.text, "(assert {one})"),
            all => writeln!(self.text, "(assert (or\n{}))", all.join("\n")),
        };
        self.text += "(check-sat)\n(pop 1)\n";
    }

    /// A cube that has to be covered.
    fn cube<C: Certified>(&mut self, what: &str, cube: &C, cover: &Cover<C>) {
        let Covering { procs, known, by } = cover.covering(self.context, cube);
        self.case(what, procs, cube.reads(), &known, &by);
    }

    /// A way in which the condition may fail: `known` holds and none of the coverings.
    fn case(
        &mut self,
        what: &str,
        procs: u8,
        reads: &[PendingRead],
        known: &GroundFormula,
        coverings: &[Conj],
    ) {
        let number = self.cases.len() + 1;
        let covering: Vec<GroundFormula> = coverings.iter().map(all_of).collect();
        let mut case = Case {
            context: self.context,
            number,
            reads,
            procs,
            ordered: false,
            reals: BTreeSet::new(),
            bases: BTreeMap::new(),
        };
        for p in 0..procs {
            case.bases.insert(Base::process(p), Sort::Real);
        }
        // The sort of an unknown value is learnt from what it is compared with.
        loop {
            let before = case.reals.len();
            case.learn(known);
            covering.iter().for_each(|c| case.learn(c));
            if case.reals.len() == before {
                break;
            }
        }
        let mut all = vec![case.formula(known)];
        for c in &covering {
            all.push(format!("(not {})", case.formula(c)));
        }
        all.extend(case.facts());
        for (b, sort) in &case.bases {
            let sort = match sort {
                Sort::Int => "Int",
                Sort::Real => "Real",
            };
            let _ = writeln!(
                self.declarations,
                "(declare-const {} {sort})",
                case.name(*b)
            );
        }
        if !what.is_empty() {
            let _ = writeln!(self.declarations, "; case {number}: {what}");
        }
        self.cases.push(and(all));
    }
}

/// All of them.
fn and(all: Vec<String>) -> String {
    joined("and", "true", all)
}

/// One of them.
fn or(all: Vec<String>) -> String {
    joined("or", "false", all)
}

fn joined(word: &str, none: &str, mut all: Vec<String>) -> String {
    match all.len() {
        0 => none.into(),
        1 => all.remove(0),
        _ => format!("({word} {})", all.join(" ")),
    }
}

/// One case: a conjunction over constants of its own.
struct Case<'a> {
    context: &'a SystemContext<'a>,
    number: usize,
    reads: &'a [PendingRead],
    procs: u8,
    /// The order of processes matters.
    ordered: bool,
    /// Unknown values that are real numbers or processes.
    reals: BTreeSet<Base>,
    /// What is spoken of.
    bases: BTreeMap<Base, Sort>,
}

impl Case<'_> {
    fn system(&self) -> &System {
        &self.context.system
    }

    /// The type of what a base is about; nothing of processes and unknown values.
    fn ty(&self, b: Base) -> Option<&Type> {
        match b.kind() {
            BaseKind::Cell(sym, ..) => {
                let system = self.system();
                Some(&system.types[system.symbols[sym].ty])
            }
            BaseKind::Read(k) => self.ty(self.reads.get(usize::from(k))?.cell),
            _ => None,
        }
    }

    fn sort(&self, b: Base) -> Sort {
        let real = match b.kind() {
            BaseKind::Proc(_) => true,
            BaseKind::Some(_) => self.reals.contains(&b),
            _ => matches!(self.ty(b), Some(Type::Real | Type::Proc)),
        };
        if real { Sort::Real } else { Sort::Int }
    }

    /// Learns of unknown values that they are real.
    fn learn(&mut self, f: &GroundFormula) {
        match f {
            GroundFormula::And(all) | GroundFormula::Or(all) => {
                all.iter().for_each(|f| self.learn(f));
            }
            GroundFormula::Literal(Literal::Eq(a, b) | Literal::Ne(a, b))
                if self.sort(*a) == Sort::Real || self.sort(*b) == Sort::Real =>
            {
                self.reals.extend([*a, *b]);
            }
            GroundFormula::Literal(Literal::Less(a, b) | Literal::LessEq(a, b)) => {
                self.ordered = true;
                self.reals.extend([*a, *b]);
            }
            GroundFormula::Literal(Literal::Diff {
                a, b, int: false, ..
            }) => self.reals.extend([*a, *b]),
            GroundFormula::Lin(l) if !l.int => {
                self.reals.extend(l.lin.terms.iter().map(|(_, b)| *b));
            }
            _ => {}
        }
    }

    fn name(&self, b: Base) -> String {
        format!("|{}!{}|", base_text(self.system(), b), self.number)
    }

    /// The constant of a base.
    fn base(&mut self, b: Base) -> String {
        let sort = self.sort(b);
        self.bases.insert(b, sort);
        self.name(b)
    }

    /// A formula. That a buffer is empty says nothing of values.
    fn formula(&mut self, f: &GroundFormula) -> String {
        match f {
            GroundFormula::And(all) => and(all.iter().map(|f| self.formula(f)).collect()),
            GroundFormula::Or(all) => or(all.iter().map(|f| self.formula(f)).collect()),
            GroundFormula::Bool(b) => b.to_string(),
            GroundFormula::Fence => "true".into(),
            GroundFormula::Literal(l) => self.literal(l),
            GroundFormula::Lin(l) => self.linear(l.rel, l.int, &l.lin),
        }
    }

    fn literal(&mut self, l: &Literal) -> String {
        match *l {
            Literal::In(b, mask) => self.one_of(b, mask),
            Literal::Eq(a, b) => format!("(= {} {})", self.base(a), self.base(b)),
            Literal::Ne(a, b) => format!("(distinct {} {})", self.base(a), self.base(b)),
            Literal::Less(a, b) => format!("(< {} {})", self.base(a), self.base(b)),
            Literal::LessEq(a, b) => format!("(<= {} {})", self.base(a), self.base(b)),
            Literal::Diff {
                a,
                b,
                rel,
                bound,
                int,
            } => {
                let terms = [(1, a), (-1, b)].into_iter();
                let lin = LinSum {
                    terms: terms.filter(|(_, b)| *b != Base::ZERO).collect(),
                    constant: -bound,
                };
                self.linear(rel, int, &lin)
            }
        }
    }

    /// The constructors of the set.
    fn one_of(&mut self, b: Base, mask: u128) -> String {
        let all = constructors(self.system(), self.reads, b)
            .map_or(u128::BITS, |c| u32::try_from(c.len()).unwrap_or(u128::BITS));
        let x = self.base(b);
        let is = |k: u32| format!("(= {x} {k})");
        let (set, unset): (Vec<u32>, Vec<u32>) = (0..all).partition(|k| mask >> k & 1 == 1);
        let (some, negated) = if set.len() <= unset.len() || all < u128::BITS {
            (set, false)
        } else {
            (unset, true)
        };
        let one = or(some.into_iter().map(is).collect());
        if negated { format!("(not {one})") } else { one }
    }

    fn linear(&mut self, rel: Rel, int: bool, lin: &LinSum) -> String {
        let number = |n: i64| {
            let point = if int { "" } else { ".0" };
            match n {
                0.. => format!("{n}{point}"),
                _ => format!("(- {}{point})", n.unsigned_abs()),
            }
        };
        let mut sum = vec![number(lin.constant)];
        for (factor, b) in &lin.terms {
            let x = self.base(*b);
            sum.push(match factor {
                1 => x,
                factor => format!("(* {} {x})", number(*factor)),
            });
        }
        let sum = match sum.as_slice() {
            [one] => one.clone(),
            sum => format!("(+ {})", sum.join(" ")),
        };
        let word = match rel {
            Rel::Eq => "=",
            Rel::Ne => "distinct",
            Rel::Lt => "<",
            Rel::Le => "<=",
        };
        format!("({word} {sum} {})", number(0))
    }

    /// What is known before any literal: processes differ, and the constants of the file are the
    /// first in their order; when all are there, variables hold one of them; a cell holds what is
    /// ever stored in it.
    fn facts(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        let procs: Vec<String> = (0..self.procs)
            .map(|p| self.base(Base::process(p)))
            .collect();
        if procs.len() > 1 {
            out.push(format!("(distinct {})", procs.join(" ")));
        }
        let fixed = self.system().fixed;
        let everyone = self.context.all_procs(self.procs);
        for b in self.bases.keys().copied().collect::<Vec<_>>() {
            let x = self.name(b);
            let known = if let BaseKind::Proc(p) = b.kind() {
                if self.ordered && p < fixed {
                    out.push(format!("(= {x} {}.0)", p + 1));
                } else if self.ordered {
                    out.push(format!("(> {x} {fixed}.0)"));
                }
                continue;
            } else {
                self.ty(b)
            };
            match known {
                Some(Type::Proc) => {
                    if everyone.is_some() {
                        out.push(or(procs.iter().map(|p| format!("(= {x} {p})")).collect()));
                    }
                    if self.ordered {
                        let constant = (1..=fixed).map(|p| format!("(= {x} {p}.0)"));
                        let later = std::iter::once(format!("(> {x} {fixed}.0)"));
                        out.push(or(constant.chain(later).collect()));
                    }
                }
                Some(Type::Enum(..)) => {
                    let domain = self.context.domain(self.reads, b);
                    let stored = self.one_of(b, domain);
                    out.push(stored);
                }
                _ => {}
            }
        }
        out
    }
}
