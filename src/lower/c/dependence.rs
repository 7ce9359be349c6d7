//! What evaluations access, and whether two of them depend on their order.

use super::names::UnitId;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is accessed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Access {
    /// A local that is a register: only its own function has it.
    Register(String),
    /// A variable in memory.
    Variable(String),
    /// A part of one.
    Part(String),
    /// Any memory.
    Memory,
}

impl Access {
    pub(super) fn overlaps(&self, other: &Access) -> bool {
        use Access::{Memory, Part, Register, Variable};
        match (self, other) {
            (Register(a), Register(b)) => a == b,
            (Register(_), _) | (_, Register(_)) => false,
            (Memory, _) | (_, Memory) => true,
            (Variable(a) | Part(a), Variable(b) | Part(b)) => a == b,
        }
    }
}

/// Reads and writes.
#[derive(Clone, Default, Debug)]
pub(super) struct Touched {
    pub(super) reads: BTreeSet<Access>,
    pub(super) writes: BTreeSet<Access>,
}

impl Touched {
    pub(super) fn add(&mut self, access: Access, how: How) {
        if how.reads {
            self.reads.insert(access.clone());
        }
        if how.writes {
            self.writes.insert(access);
        }
    }

    pub(super) fn extend(&mut self, other: &Touched) {
        self.reads.extend(other.reads.iter().cloned());
        self.writes.extend(other.writes.iter().cloned());
    }

    pub(super) fn overlaps(ours: &BTreeSet<Access>, theirs: &BTreeSet<Access>) -> bool {
        ours.iter().any(|a| theirs.iter().any(|b| a.overlaps(b)))
    }

    pub(super) fn writes_memory(&self) -> bool {
        let register = |a: &Access| matches!(a, Access::Register(_));
        !self.writes.iter().all(register)
    }
}

/// What an expression does: itself, and in the functions that it calls.
#[derive(Clone, Default, Debug)]
pub(super) struct Effects {
    pub(super) own: Touched,
    pub(super) called: Touched,
}

/// How much two operands depend on which is evaluated first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Dependence {
    /// Not at all.
    None,
    /// One may read what the other writes, through pointers perhaps.
    Possible,
    /// Both write memory, or one reads a variable that the other writes.
    Certain,
    /// One changes a variable that the other uses, with nothing between them: C11 6.5p2 gives that no
    /// meaning.
    Undefined(String),
}

impl Effects {
    /// The same with what else is read.
    pub(super) fn all(&self) -> Touched {
        let mut all = self.own.clone();
        all.extend(&self.called);
        all
    }

    /// How much two operands depend on their order.
    pub fn dependence(&self, other: &Effects) -> Dependence {
        let unsequenced = |a: &Touched, b: &Touched| {
            let named = a.writes.iter().find(|w| match w {
                Access::Register(_) | Access::Variable(_) => {
                    b.reads.contains(w) || b.writes.contains(w)
                }
                Access::Part(_) | Access::Memory => false,
            });
            named.cloned()
        };
        let found = unsequenced(&self.own, &other.own);
        let found = found.or_else(|| unsequenced(&other.own, &self.own));
        if let Some(Access::Register(name) | Access::Variable(name)) = found {
            return Dependence::Undefined(name);
        }
        let (a, b) = (self.all(), other.all());
        let named = |set: &BTreeSet<Access>| -> BTreeSet<Access> {
            set.iter()
                .filter(|a| **a != Access::Memory)
                .cloned()
                .collect()
        };
        let certain =
            |a: &Touched, b: &Touched| Touched::overlaps(&named(&a.writes), &named(&b.reads));
        if a.writes_memory() && b.writes_memory() || certain(&a, &b) || certain(&b, &a) {
            return Dependence::Certain;
        }
        match Touched::overlaps(&a.writes, &b.reads) || Touched::overlaps(&b.writes, &a.reads) {
            true => Dependence::Possible,
            false => Dependence::None,
        }
    }
}

/// How something is accessed.
#[derive(Clone, Copy)]
pub(super) struct How {
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// Its value is needed.
pub(super) const READ: How = How {
    reads: true,
    writes: false,
};
/// It is where something goes.
pub(super) const WRITE: How = How {
    reads: false,
    writes: true,
};
/// It is changed.
pub(super) const UPDATE: How = How {
    reads: true,
    writes: true,
};
/// Its address is needed.
pub(super) const ADDRESS: How = How {
    reads: false,
    writes: false,
};

/// Effects of the functions that have been looked at.
pub(super) type Summaries = BTreeMap<(UnitId, String), Rc<FunctionEffects>>;

/// What a function's body does itself, and which functions it calls.
#[derive(Default, Debug)]
pub(super) struct FunctionEffects {
    pub(super) touched: Touched,
    pub(super) calls: Vec<(UnitId, String)>,
}
