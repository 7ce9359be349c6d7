//! A system together with what is known of it before any literal.

use super::closure::{Facts, close};
use crate::cube::formula::GroundFormula;
use crate::cube::literals::{Base, BaseKind, Conj, Literal};
use crate::cube::timestamp::PendingRead;
use crate::cube::tso::Cube;
use crate::system::values::flow;
use crate::system::{Rel, System};
use std::borrow::Cow;

/// The system and what is known of it.
pub struct SystemContext<'s> {
    /// The system.
    pub system: Cow<'s, System>,
    /// The constructors each symbol's cells can hold.
    pub flow: Vec<u128>,
    /// No more processes than these exist.
    pub limit: Option<u8>,
}

impl<'s> SystemContext<'s> {
    /// The system with what a look at its assignments shows.
    pub fn new(system: impl Into<Cow<'s, System>>, limit: Option<u8>) -> SystemContext<'s> {
        let system = system.into();
        SystemContext {
            flow: flow(&system),
            system,
            limit,
        }
    }

    /// The constructors a base can have at all.
    pub fn domain(&self, reads: &[PendingRead], b: Base) -> u128 {
        match b.kind() {
            BaseKind::Cell(sym, ..) => self.flow[sym.0 as usize],
            BaseKind::Read(k) => reads
                .get(usize::from(k))
                .map_or(u128::MAX, |r| self.domain(&[], r.cell)),
            _ => u128::MAX,
        }
    }

    /// All processes there are, when so many are all that variables can hold.
    pub fn all_procs(&self, procs: u8) -> Option<u8> {
        let all = self.limit.filter(|n| *n == procs);
        all.filter(|_| self.system.outside.is_empty())
    }

    /// What is known before any literal, of a cube with so many processes.
    pub fn facts<'a>(&self, domain: &'a dyn Fn(Base) -> u128, procs: u8) -> Facts<'a> {
        Facts {
            domain,
            fixed: self.system.fixed,
            all_procs: self.all_procs(procs),
        }
    }
}

/// What holds of the states of a cube with so many processes, and of one process more: a count is no more than those of the
/// cube that may be at the places counted, or the further process is at one. Nothing where the number of processes is
/// fixed.
pub fn another_is_counted(
    context: &SystemContext,
    conj: &Conj,
    procs: u8,
    count: usize,
) -> Option<GroundFormula> {
    let system = &context.system;
    let sym = system.symbol_of_count(count)?;
    let count = &system.counts[count];
    let at = count.at.iter().fold(0u128, |set, c| set | 1 << c);
    let may_be_there = |p: &u8| {
        let place = Base::cell(count.place, &[*p]);
        let mut lits = conj.lits.iter();
        !lits.any(|l| matches!(l, Literal::In(b, set) if *b == place && set & at == 0))
    };
    let most = i64::try_from((0..procs).filter(may_be_there).count()).ok()?;
    let no_more = Literal::Diff {
        a: Base::cell(sym, &[]),
        b: Base::ZERO,
        rel: Rel::Le,
        bound: most,
        int: true,
    };
    let another = Literal::In(Base::cell(count.place, &[procs]), at);
    context.limit.is_none().then(|| {
        let either = [no_more, another].map(GroundFormula::Literal);
        GroundFormula::Or(either.to_vec())
    })
}

/// The cube with its literals in normal form; nothing when it is empty.
pub fn normal(context: &SystemContext, cube: &Cube) -> Option<Cube> {
    let domain = |b: Base| context.domain(&cube.reads, b);
    let closed = close(&cube.conj, &context.facts(&domain, cube.procs))?;
    let conj: Conj = closed.normal(&domain);
    Some(Cube {
        conj,
        ..cube.clone()
    })
}

/// Renaming may have changed which of several equal bases comes first.
pub fn renormalize(context: &SystemContext, cube: &mut Cube) {
    let simple =
        |l: &Literal| matches!(l, Literal::In(..) | Literal::Less(..) | Literal::LessEq(..));
    if cube.conj.lins.is_empty() && cube.conj.lits.iter().all(simple) {
        return;
    }
    let domain = |b: Base| context.domain(&cube.reads, b);
    if let Some(closed) = close(&cube.conj, &context.facts(&domain, cube.procs)) {
        cube.conj = closed.normal(&domain);
    }
}
