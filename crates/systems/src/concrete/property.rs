//! Does an unsafe formula, or what an invariant excludes, hold for some distinct processes?
//!
//! They are chosen one after the other. A conjunct that is false of those chosen so far ends the
//! choice, and parameters that the formula does not tell apart are chosen in ascending order, so
//! that a formula about ten processes that are all inside does not cost ten factorial.

use super::eval::{Env, Stuck};
use super::machine::{Machine, MachineState};
use crate::system::{Form, Pr, Property, System, each_process, map_form};

/// The formulas of a system that are looked for in every state.
pub(super) struct Properties<'s> {
    unsafes: Vec<Finder<'s>>,
    invariants: Vec<Finder<'s>>,
}

impl<'s> Properties<'s> {
    pub fn new(system: &'s System) -> Properties<'s> {
        Properties {
            unsafes: system.unsafes.iter().map(Finder::new).collect(),
            invariants: system.invariants.iter().map(Finder::new).collect(),
        }
    }

    /// The unsafe formula that holds in a state, by its position.
    pub fn violated(
        &self,
        machine: &Machine,
        state: &MachineState,
    ) -> Result<Option<usize>, Stuck> {
        for (i, formula) in self.unsafes.iter().enumerate() {
            if formula.holds(machine, state)? {
                return Ok(Some(i));
            }
        }
        Ok(None)
    }

    /// The state is one that an `invariant` excludes.
    pub fn excluded(&self, machine: &Machine, state: &MachineState) -> Result<bool, Stuck> {
        for formula in &self.invariants {
            if formula.holds(machine, state)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A formula, prepared.
struct Finder<'s> {
    body: &'s Form,
    /// For each number of processes chosen the conjuncts that speak of no others, but of the last.
    conjuncts: Vec<Vec<&'s Form>>,
    /// The parameter and the one before it can be exchanged.
    alike: Vec<bool>,
}

impl<'s> Finder<'s> {
    fn new(property: &'s Property) -> Finder<'s> {
        let params = property.params.len();
        let parts = match &property.body {
            Form::And(parts) => parts.as_slice(),
            body => std::slice::from_ref(body),
        };
        let mut conjuncts = vec![Vec::new(); params + 1];
        for part in parts {
            let mut last = 0;
            each_process(part, &mut |p| {
                if let Pr::Var(v) = p {
                    last = last.max(usize::from(v) + 1);
                }
            });
            conjuncts[last.min(params)].push(part);
        }
        let can_be_exchanged = |i: usize| {
            let exchange = |p: Pr| match p {
                Pr::Var(v) if usize::from(v) == i => Pr::Var(v - 1),
                Pr::Var(v) if usize::from(v) + 1 == i => Pr::Var(v + 1),
                p => p,
            };
            let mut exchanged = parts.iter().map(|f| map_form(f, &exchange));
            i > 0 && exchanged.all(|f| parts.contains(&f))
        };
        Finder {
            body: &property.body,
            conjuncts,
            alike: (0..params).map(can_be_exchanged).collect(),
        }
    }

    /// It holds for some processes.
    fn holds(&self, machine: &Machine, state: &MachineState) -> Result<bool, Stuck> {
        self.choose(machine, state, &mut Vec::new())
    }

    fn choose(
        &self,
        machine: &Machine,
        state: &MachineState,
        env: &mut Vec<u8>,
    ) -> Result<bool, Stuck> {
        // What cannot be evaluated yet is when all are chosen, unless something else is false.
        let here = Env::new(env);
        let mut conjuncts = self.conjuncts[env.len()].iter();
        if conjuncts.any(|f| machine.holds(state, f, &here) == Ok(false)) {
            return Ok(false);
        }
        if env.len() == self.alike.len() {
            return machine.holds(state, self.body, &here);
        }
        let first = match env.last() {
            Some(p) if self.alike[env.len()] => p + 1,
            _ => 0,
        };
        for p in first..machine.procs() {
            if !env.contains(&p) {
                env.push(p);
                let found = self.choose(machine, state, env)?;
                env.pop();
                if found {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
