//! Which transitions a thread may fire as its first, second, … step: forwards over sets of values
//! that its registers may have, each register for itself. A program counter is a register, so that
//! of a long program only what stands at its k-th place is in the k-th step.

use super::initial::Initial;
use super::roles::{Cell, Role, Roles};
use crate::system::tuples::tuples;
use crate::system::{Acc, Form, Symbol, System, SystemLiteral, Target, Type, UpdateValue, Val};
use std::collections::BTreeMap;

/// A transition and its processes.
pub type Fired = (usize, Vec<u8>);

/// Values as bits; those beyond are in all sets.
type Values = u128;

/// What is known of a thread's registers; nothing of one that is not listed.
type Registers = BTreeMap<Cell, Values>;

/// The analysis of one thread.
pub struct Reach<'s> {
    pub system: &'s System,
    pub procs: u8,
    pub roles: &'s Roles,
    pub initial: &'s Initial,
}

impl Reach<'_> {
    /// By step those of the calls that may fire in it, as far as there are any, where the registers
    /// with these indices are the thread's own.
    pub fn steps(
        &self,
        calls: &[Fired],
        is_own: impl Fn(&[u8]) -> bool,
        bound: u32,
    ) -> Vec<Vec<Fired>> {
        let mut now = Registers::new();
        for (sym, symbol) in self.system.symbols.iter_enumerated() {
            if self.roles.of[sym] == Role::Register {
                for index in tuples(symbol.arity, self.procs) {
                    let cell = Cell::at(sym, &index);
                    if is_own(&index) {
                        now.insert(cell, self.at_first(cell));
                    }
                }
            }
        }
        let mut steps = Vec::new();
        for _ in 0..bound {
            let mut next: Option<Registers> = None;
            let mut fired = Vec::new();
            for (t, args) in calls {
                let transition = &self.system.transitions[*t];
                if !self.may_hold(&transition.guard, args, args.len(), &now) {
                    continue;
                }
                let after = self.after(*t, args, &now);
                next = Some(match next {
                    None => after,
                    Some(mut all) => {
                        all.iter_mut().for_each(|(cell, v)| *v |= after[cell]);
                        all
                    }
                });
                fired.push((*t, args.clone()));
            }
            let Some(next) = next else { break };
            steps.push(fired);
            now = next;
        }
        steps
    }

    fn at_first(&self, cell: Cell) -> Values {
        let value = self.initial.value(cell).and_then(bit);
        value.unwrap_or_else(|| self.any(&self.system.symbols[cell.sym]))
    }

    /// All values of a symbol's type.
    fn any(&self, symbol: &Symbol) -> Values {
        let count = match &self.system.types[symbol.ty] {
            Type::Enum(_, ctors) => ctors.len(),
            Type::Proc => usize::from(self.procs) + self.system.outside.len(),
            Type::Int | Type::Real | Type::Abstract(_) => 128,
        };
        match count {
            128.. => Values::MAX,
            n => (1 << n) - 1,
        }
    }

    fn cell(&self, acc: &Acc, env: &[u8], now: &Registers) -> Values {
        let cell = Cell::of(acc, env);
        match (self.roles.of[acc.sym], now.get(&cell)) {
            (_, Some(values)) => *values,
            (Role::Constant, None) => self.at_first(cell),
            _ => self.any(&self.system.symbols[acc.sym]),
        }
    }

    fn val(&self, v: &Val, env: &[u8], now: &Registers) -> Values {
        match v {
            Val::Ctor(k) => bit(i64::from(*k)).unwrap_or(Values::MAX),
            Val::Proc(p) => bit(i64::from(p.of(env))).unwrap_or(Values::MAX),
            Val::Acc(a) => self.cell(a, env, now),
        }
    }

    fn may_hold(&self, f: &Form, env: &[u8], params: usize, now: &Registers) -> bool {
        match f {
            Form::Bool(b) => *b,
            Form::Fence => true,
            Form::And(fs) => fs.iter().all(|f| self.may_hold(f, env, params, now)),
            Form::Or(fs) => fs.iter().any(|f| self.may_hold(f, env, params, now)),
            Form::Others(var, f) => {
                let outer = &env[..usize::from(*var).min(env.len())];
                let mut others = (0..self.procs).filter(|p| !env[..params].contains(p));
                others.all(|p| self.may_hold(f, &[outer, &[p]].concat(), params, now))
            }
            Form::Literal(SystemLiteral::Same { equal, a, b, .. }) => {
                let (x, y) = (self.val(a, env, now), self.val(b, env, now));
                match equal {
                    true => x & y != 0,
                    false => x != y || x.count_ones() != 1,
                }
            }
            Form::Literal(_) => true,
        }
    }

    /// What is known of the registers after a transition.
    fn after(&self, t: usize, args: &[u8], now: &Registers) -> Registers {
        let mut next = now.clone();
        for u in &self.system.transitions[t].updates {
            let symbol = &self.system.symbols[u.sym];
            let targets = match u.target {
                Target::Cell(index) => {
                    let index = index[..symbol.arity].iter().map(|p| p.of(args));
                    vec![(index.collect(), args.to_vec())]
                }
                Target::Every(_) => {
                    let all = tuples(symbol.arity, self.procs).into_iter();
                    all.map(|index: Vec<u8>| {
                        let env = [args, &index].concat();
                        (index, env)
                    })
                    .collect()
                }
            };
            for (index, env) in targets {
                let cell = Cell::at(u.sym, &index);
                let Some(old) = now.get(&cell) else { continue };
                let (mut new, mut open) = (0, true);
                for (condition, value) in &u.cases {
                    if self.may_hold(condition, &env, args.len(), now) {
                        new |= match value {
                            UpdateValue::Val(v) => self.val(v, &env, now),
                            UpdateValue::Num(_) => Values::MAX,
                            UpdateValue::Any => self.any(symbol),
                        };
                    }
                    if *condition == Form::Bool(true) {
                        open = false;
                        break;
                    }
                }
                next.insert(cell, if open { new | old } else { new });
            }
        }
        next
    }
}

fn bit(value: i64) -> Option<Values> {
    u32::try_from(value)
        .ok()
        .and_then(|v| Values::from(1u8).checked_shl(v))
}
