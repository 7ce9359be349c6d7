//! Formulas of the system with processes of a cube put for their variables.
//!
//! Reads of weak cells become pending reads of a given list; a literal about two processes of the
//! cube is decided at once, because they are distinct.

use super::formula::{GroundFormula, GroundTerm, Overflow, before, conj, disj, number, same};
use super::literals::{Base, LinSum};
use super::timestamp::MAX_NUMBERED;
use crate::cub::ast::SymbolKind;
use crate::system::{Acc, Form, Lin, Pr, System, SystemLiteral, UpdateValue, Val};

/// How accesses become bases.
pub struct Binding<'a> {
    /// The system.
    pub system: &'a System,
    /// The processes that variables stand for.
    pub env: Vec<u8>,
    /// Weak reads so far: who reads which cell; positions count from `first_read`.
    pub reads: &'a mut Vec<(u8, Base)>,
    /// The position of the first new read.
    pub first_read: usize,
    /// Weak cells are memory itself (in initial states).
    pub memory: bool,
    /// Processes below this are constants, in order, before all others.
    pub fixed: u8,
}

/// A formula that reads memory itself, as of an initial state, about these processes.
///
/// # Errors
/// Numbers are too large.
pub fn in_memory(system: &System, formula: &Form, env: Vec<u8>) -> Result<GroundFormula, Overflow> {
    let mut reads = Vec::new();
    let mut binding = Binding {
        system,
        env,
        reads: &mut reads,
        first_read: 0,
        memory: true,
        fixed: system.fixed,
    };
    binding.form(formula, &[])
}

impl Binding<'_> {
    fn process(&self, p: Pr) -> u8 {
        match p {
            Pr::Var(v) => self.env[usize::from(v)],
            Pr::Fixed(k) => k,
        }
    }

    /// The cell an access is about.
    pub fn cell(&self, acc: &Acc) -> Base {
        let mut index = [0; 2];
        for (slot, p) in index.iter_mut().zip(acc.indices()) {
            *slot = self.process(*p);
        }
        Base::cell(acc.sym, &index[..usize::from(acc.arity)])
    }

    /// What an access means: a new read for a weak cell, unless there is one.
    fn base(&mut self, acc: &Acc) -> Result<Base, Overflow> {
        let cell = self.cell(acc);
        let weak = self.system.symbols[acc.sym].kind == SymbolKind::Weak;
        Ok(match acc.by {
            Some(by) if weak && !self.memory => {
                let read = (self.process(by), cell);
                let at = self.reads.iter().position(|r| *r == read);
                let at = at.unwrap_or_else(|| {
                    self.reads.push(read);
                    self.reads.len() - 1
                });
                let at = self.first_read + at;
                if at >= MAX_NUMBERED {
                    return Err(Overflow);
                }
                Base::read(at)
            }
            _ => cell,
        })
    }

    fn value(&mut self, v: Val) -> Result<GroundTerm, Overflow> {
        Ok(match v {
            Val::Ctor(k) => GroundTerm::Ctor(k),
            Val::Proc(p) => GroundTerm::Base(Base::process(self.process(p))),
            Val::Acc(a) => GroundTerm::Base(self.base(&a)?),
        })
    }

    fn sum(&mut self, lin: &Lin) -> Result<LinSum, Overflow> {
        let mut sum = LinSum {
            terms: Vec::new(),
            constant: lin.constant,
        };
        for (f, a) in &lin.terms {
            let base = self.base(a)?;
            sum.add(*f, &LinSum::of(base)).ok_or(Overflow)?;
        }
        Ok(sum)
    }

    /// A term of the system.
    pub fn term(&mut self, v: &UpdateValue) -> Result<GroundTerm, Overflow> {
        Ok(match v {
            UpdateValue::Val(v) => self.value(*v)?,
            UpdateValue::Num(lin) => GroundTerm::Num(self.sum(lin)?),
            UpdateValue::Any => GroundTerm::Any,
        })
    }

    /// A formula of the system; `others` are the processes that `forall_other` ranges over.
    pub fn form(&mut self, f: &Form, others: &[u8]) -> Result<GroundFormula, Overflow> {
        Ok(match f {
            Form::Bool(b) => GroundFormula::Bool(*b),
            Form::Fence => GroundFormula::Fence,
            Form::Literal(lit) => self.lit(lit)?,
            Form::And(fs) => {
                let mut all = Vec::new();
                for f in fs {
                    match self.form(f, others)? {
                        GroundFormula::Bool(true) => {}
                        GroundFormula::Bool(false) => return Ok(GroundFormula::Bool(false)),
                        i => all.push(i),
                    }
                }
                conj(all)
            }
            Form::Or(fs) => {
                let mut all = Vec::new();
                for f in fs {
                    match self.form(f, others)? {
                        GroundFormula::Bool(false) => {}
                        GroundFormula::Bool(true) => return Ok(GroundFormula::Bool(true)),
                        i => all.push(i),
                    }
                }
                disj(all)
            }
            Form::Others(var, f) => {
                let mut all = Vec::new();
                for p in others {
                    let outer = self.env.clone();
                    self.env.truncate(usize::from(*var));
                    self.env.push(*p);
                    let inner = self.form(f, others);
                    self.env = outer;
                    match inner? {
                        GroundFormula::Bool(true) => {}
                        GroundFormula::Bool(false) => return Ok(GroundFormula::Bool(false)),
                        i => all.push(i),
                    }
                }
                conj(all)
            }
        })
    }

    fn lit(&mut self, lit: &SystemLiteral) -> Result<GroundFormula, Overflow> {
        Ok(match lit {
            SystemLiteral::Same { equal, a, b, .. } => {
                let (a, b) = (self.value(*a)?, self.value(*b)?);
                same(*equal, &a, &b)
            }
            SystemLiteral::Before { strict, a, b } => {
                let (a, b) = (self.value(*a)?, self.value(*b)?);
                match (a, b) {
                    (GroundTerm::Base(a), GroundTerm::Base(b)) => before(*strict, a, b, self.fixed),
                    _ => GroundFormula::Bool(false),
                }
            }
            SystemLiteral::Num { rel, int, lin } => {
                let sum = self.sum(lin)?;
                number(*rel, *int, sum)
            }
        })
    }
}
