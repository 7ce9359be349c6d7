//! The steps of the machine: initial states, transitions that fire, updates that reach memory.

use super::eval::{Env, Stuck};
use super::machine::{Group, Machine, MachineState, OPEN, Step, TooLarge};
use crate::cub::ast::SymbolKind;
use crate::system::tuples::tuples;
use crate::system::{Form, Rel, StoreOrder, SystemLiteral, Target, UpdateValue};

/// How many initial states are listed at most.
const MAX_INITIAL: usize = 200_000;

impl Machine<'_> {
    /// All initial states.
    ///
    /// # Errors
    /// There are too many.
    pub fn initial(&self) -> Result<Vec<MachineState>, TooLarge> {
        let init = &self.system.init;
        if !self.can_list(init.params.len()) {
            return Err(TooLarge::Initial);
        }
        let envs = tuples(init.params.len(), self.procs);
        let mut start = MachineState {
            cells: vec![OPEN; self.cells as usize],
            queues: vec![Vec::new(); usize::from(self.procs)],
        };
        for env in &envs {
            self.determine(&init.body, env, &mut start);
        }
        let (mut done, mut todo) = (Vec::new(), vec![start]);
        'states: while let Some(state) = todo.pop() {
            for env in &envs {
                match self.holds(&state, &init.body, &Env::new(env)) {
                    Ok(true) => {}
                    Ok(false) => continue 'states,
                    Err(Stuck::Overflow) => return Err(TooLarge::Initial),
                    Err(Stuck::Open(cell)) => {
                        for v in self.domain(cell) {
                            let mut next = state.clone();
                            next.cells[cell as usize] = v;
                            todo.push(next);
                        }
                        if todo.len() + done.len() > MAX_INITIAL {
                            return Err(TooLarge::Initial);
                        }
                        continue 'states;
                    }
                }
            }
            done.push(state);
        }
        Ok(done)
    }

    /// Writes down what the conjuncts of `init` say of single cells.
    fn determine(&self, form: &Form, env: &[u8], state: &mut MachineState) {
        let env = Env::new(env);
        match form {
            Form::And(fs) => fs.iter().for_each(|f| self.determine(f, env.vars(), state)),
            Form::Literal(SystemLiteral::Same {
                equal: true, a, b, ..
            }) => {
                let values = [
                    self.value_of(state, *a, &env),
                    self.value_of(state, *b, &env),
                ];
                if let [Err(Stuck::Open(cell)), Ok(v)] | [Ok(v), Err(Stuck::Open(cell))] = values {
                    state.cells[cell as usize] = v;
                }
            }
            Form::Literal(SystemLiteral::Num {
                rel: Rel::Eq, lin, ..
            }) => {
                if let [(f @ (1 | -1), acc)] = lin.terms.as_slice()
                    && let Err(Stuck::Open(cell)) = self.read(state, acc, &env)
                {
                    state.cells[cell as usize] = -f * lin.constant;
                }
            }
            _ => {}
        }
    }

    /// Fires a transition; nothing when its guard does not hold.
    pub(super) fn fire(
        &self,
        state: &MachineState,
        t: usize,
        args: &[u8],
    ) -> Result<Vec<MachineState>, Stuck> {
        let t = &self.system.transitions[t];
        let env = Env::new(args);
        let thread = t.thread.map(|p| args[usize::from(p)]);
        let mut ready = true;
        if self.order != StoreOrder::Sc && t.locked() {
            ready = thread.is_none_or(|p| state.queues[usize::from(p)].is_empty());
        }
        if !ready || !self.guard_holds(state, &t.guard, &env, t.params.len(), thread)? {
            return Ok(Vec::new());
        }
        // Writes, plain and weak apart; `None` stands for any value.
        let (mut now, mut queued) = (Vec::new(), Vec::new());
        for u in &t.updates {
            let symbol = &self.system.symbols[u.sym];
            let cells = match u.target {
                Target::Cell(index) => {
                    let index: Vec<u8> =
                        index[..symbol.arity].iter().map(|p| env.get(*p)).collect();
                    vec![(index, env.clone())]
                }
                Target::Every(_) => tuples(symbol.arity, self.procs)
                    .into_iter()
                    .map(|index| {
                        let env = env.with(&index);
                        (index, env)
                    })
                    .collect(),
            };
            for (index, env) in cells {
                for (condition, value) in &u.cases {
                    if self.holds_by(state, condition, &env, thread)? {
                        let cell = self.cell(u.sym, &index);
                        let value = match value {
                            UpdateValue::Val(v) => Some(self.value_of(state, *v, &env)?),
                            UpdateValue::Num(l) => Some(self.number(state, l, &env)?),
                            UpdateValue::Any => None,
                        };
                        let weak = symbol.kind == SymbolKind::Weak;
                        let list = if weak { &mut queued } else { &mut now };
                        list.push((cell, value));
                        break;
                    }
                }
            }
        }
        let mut next = vec![(state.clone(), Group::new())];
        for (weak, list) in [(false, now), (true, queued)] {
            for (cell, value) in list {
                let values = value.map_or_else(|| self.domain(cell), |v| vec![v]);
                let mut split = Vec::new();
                for (s, g) in next {
                    for v in &values {
                        let (mut s, mut g) = (s.clone(), g.clone());
                        if weak {
                            g.push((cell, *v));
                        } else {
                            s.cells[cell as usize] = *v;
                        }
                        split.push((s, g));
                    }
                }
                next = split;
            }
        }
        let at_once = self.order == StoreOrder::Sc || t.locked();
        let done = next.into_iter().map(|(mut s, g)| {
            match thread {
                Some(p) if !at_once && !g.is_empty() => {
                    let queue = &mut s.queues[usize::from(p)];
                    if self.order == StoreOrder::Pso {
                        queue.extend(g.into_iter().map(|w| vec![w]));
                    } else {
                        queue.push(g);
                    }
                }
                _ => {
                    for (cell, v) in g {
                        s.cells[cell as usize] = v;
                    }
                }
            }
            s
        });
        Ok(done.collect())
    }

    /// The updates of a process's queue that may reach memory next.
    pub(super) fn flushable(&self, state: &MachineState, p: u8) -> Vec<usize> {
        let queue = &state.queues[usize::from(p)];
        match self.order {
            StoreOrder::Pso => (0..queue.len())
                .filter(|i| queue[..*i].iter().all(|g| g[0].0 != queue[*i][0].0))
                .collect(),
            _ if queue.is_empty() => Vec::new(),
            _ => vec![0],
        }
    }

    pub(super) fn flush(&self, state: &MachineState, p: u8, at: usize) -> (Step, MachineState) {
        let mut next = state.clone();
        let group = next.queues[usize::from(p)].remove(at);
        for (cell, v) in &group {
            next.cells[*cell as usize] = *v;
        }
        (Step::Flush(p, group), next)
    }
}
