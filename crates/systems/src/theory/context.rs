//! A system together with what is known of it before any literal.

use super::closure::{Facts, close};
use crate::cube::literals::{Base, BaseKind, Conj, Literal};
use crate::cube::timestamp::PendingRead;
use crate::cube::tso::Cube;
use crate::system::System;
use crate::system::values::flow;
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
