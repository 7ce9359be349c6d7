//! Formulas and terms in a state.

use super::machine::{Machine, MachineState, OPEN};
use crate::cub::ast::SymbolKind;
use crate::system::{Acc, Form, Lin, Pr, Rel, StoreOrder, SystemLiteral, Val};

/// Why evaluation does not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stuck {
    /// It needs this cell, which nothing has determined yet.
    Open(u32),
    /// A number does not fit in 64 bits.
    Overflow,
}

/// The processes that variables stand for.
#[derive(Clone, Debug)]
pub(super) struct Env(Vec<u8>);

impl Env {
    pub fn new(vars: &[u8]) -> Env {
        Env(vars.to_vec())
    }

    pub fn get(&self, p: Pr) -> u8 {
        p.of(&self.0)
    }

    pub fn vars(&self) -> &[u8] {
        &self.0
    }

    pub fn with(&self, more: &[u8]) -> Env {
        let mut vars = self.0.clone();
        vars.extend_from_slice(more);
        Env(vars)
    }
}

impl Machine<'_> {
    /// What a process sees in a cell.
    pub(super) fn read(&self, state: &MachineState, acc: &Acc, env: &Env) -> Result<i64, Stuck> {
        let mut index = [0; 2];
        for (slot, p) in index.iter_mut().zip(acc.indices()) {
            *slot = env.get(*p);
        }
        let cell = self.cell(acc.sym, &index[..usize::from(acc.arity)]);
        if self.order != StoreOrder::Sc
            && self.system.symbols[acc.sym].kind == SymbolKind::Weak
            && let Some(by) = acc.by
        {
            let queue = &state.queues[usize::from(env.get(by))];
            let newest = queue.iter().rev().flatten().find(|(c, _)| *c == cell);
            if let Some((_, v)) = newest {
                return Ok(*v);
            }
        }
        match state.cells[cell as usize] {
            OPEN => Err(Stuck::Open(cell)),
            v => Ok(v),
        }
    }

    pub(super) fn value_of(&self, state: &MachineState, v: Val, env: &Env) -> Result<i64, Stuck> {
        match v {
            Val::Ctor(k) => Ok(i64::from(k)),
            Val::Proc(p) => Ok(i64::from(env.get(p))),
            Val::Acc(a) => self.read(state, &a, env),
        }
    }

    pub(super) fn number(&self, state: &MachineState, lin: &Lin, env: &Env) -> Result<i64, Stuck> {
        let mut sum = lin.constant;
        for (f, a) in &lin.terms {
            let v = self.read(state, a, env)?;
            let next = f.checked_mul(v).and_then(|part| sum.checked_add(part));
            sum = next.filter(|n| *n != OPEN).ok_or(Stuck::Overflow)?;
        }
        Ok(sum)
    }

    fn literal(&self, state: &MachineState, lit: &SystemLiteral, env: &Env) -> Result<bool, Stuck> {
        Ok(match lit {
            SystemLiteral::Same { equal, a, b, .. } => {
                let same = self.value_of(state, *a, env)? == self.value_of(state, *b, env)?;
                same == *equal
            }
            SystemLiteral::Before { strict, a, b } => {
                let (a, b) = (
                    self.value_of(state, *a, env)?,
                    self.value_of(state, *b, env)?,
                );
                if *strict { a < b } else { a <= b }
            }
            SystemLiteral::Num { rel, lin, .. } => {
                let v = self.number(state, lin, env)?;
                match rel {
                    Rel::Eq => v == 0,
                    Rel::Ne => v != 0,
                    Rel::Lt => v < 0,
                    Rel::Le => v <= 0,
                }
            }
        })
    }

    /// A formula without fences and quantifiers.
    pub(super) fn holds(&self, state: &MachineState, f: &Form, env: &Env) -> Result<bool, Stuck> {
        self.judge(state, f, env, 0, None)
    }

    pub(super) fn holds_by(
        &self,
        state: &MachineState,
        f: &Form,
        env: &Env,
        thread: Option<u8>,
    ) -> Result<bool, Stuck> {
        self.judge(state, f, env, 0, thread)
    }

    pub(super) fn guard_holds(
        &self,
        state: &MachineState,
        f: &Form,
        env: &Env,
        params: usize,
        thread: Option<u8>,
    ) -> Result<bool, Stuck> {
        self.judge(state, f, env, params, thread)
    }

    fn judge(
        &self,
        state: &MachineState,
        f: &Form,
        env: &Env,
        params: usize,
        thread: Option<u8>,
    ) -> Result<bool, Stuck> {
        match f {
            Form::Bool(b) => Ok(*b),
            Form::Literal(lit) => self.literal(state, lit, env),
            Form::Fence => Ok(thread.is_none_or(|p| state.queues[usize::from(p)].is_empty())),
            Form::And(fs) => {
                for f in fs {
                    if !self.judge(state, f, env, params, thread)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Form::Or(fs) => {
                for f in fs {
                    if self.judge(state, f, env, params, thread)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Form::Others(var, f) => {
                for p in 0..self.procs {
                    if env.vars()[..params].contains(&p) {
                        continue;
                    }
                    let mut inner = env.vars()[..usize::from(*var).min(env.vars().len())].to_vec();
                    inner.push(p);
                    if !self.judge(state, f, &Env(inner), params, thread)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }
}
