//! History variables: which processes did what, kept where a universal guard has to see them.
//!
//! A cube forgets the processes that it needs no more, and a universal guard is then asked of those
//! that are left only: as if the others could vanish (the monotonic abstraction of Abdulla, Delzanno,
//! Ben Henda and Rezine). A trace may so let a transition pass that a process which took part in it
//! would block. Then a variable is added that says who that was, and the transition looks at it.
//!
//! - `Last.t.x` is the process that was parameter `x` of `t` when `t` last fired, and `Last.t.x[p]`
//!   the same for the last time that `p` was a certain parameter of `t`. Initially it is any process.
//! - A transition that *recalls* such a variable is split: it holds one of the transition's own
//!   parameters, or some other process, which then becomes a parameter that nothing is done with,
//!   and of which the universal guards are required as of all others.
//!
//! Nothing is restricted: variables that are only written to follow every run (Abadi and Lamport,
//! "The existence of refinement mappings"), and of the parts of a split transition exactly one can
//! fire where the transition can, as the variable holds exactly one process. So the system with
//! history variables is as safe as the one without. But its cubes name the process before the
//! guard, back to the moment at which it was parameter `x`.

use super::rename::{map_form, map_value};
use super::{
    Acc, Form, Lit, Pr, SymId, Symbol, SymbolKind, System, Target, Transition, Type, TypeId,
    Update, Val, Value,
};
use crate::idx::Id;

/// A history variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The transition that writes it.
    pub transition: usize,
    /// The parameter whose process it holds.
    pub param: u8,
    /// The parameter that is its index; without one it is a single variable.
    pub key: Option<u8>,
}

/// A transition that looks at a history variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recall {
    /// The transition.
    pub transition: usize,
    /// The variable, by its position.
    pub variable: usize,
    /// The parameter that stands in its index.
    pub key: Option<u8>,
}

/// What is added to a system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct History {
    /// The variables.
    pub variables: Vec<Variable>,
    /// Who looks at them.
    pub recalls: Vec<Recall>,
}

impl History {
    /// Nothing is added.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// The system with history variables.
    ///
    /// # Errors
    /// A sentence when a variable or transition speaks of what the system does not have.
    pub fn extend(&self, system: &System) -> Result<System, String> {
        let mut extended = system.clone();
        let ty = proc_type(&mut extended);
        let mut symbols = Vec::new();
        for v in &self.variables {
            symbols.push(add_variable(&mut extended, v, ty)?);
        }
        for r in &self.recalls {
            let variable = self.variables.get(r.variable);
            let keyed = variable.ok_or("there is no such history variable")?.key;
            let t = system.transitions.get(r.transition);
            let params = t.ok_or("there is no such transition")?.params.len();
            if keyed.is_some() != r.key.is_some() || r.key.is_some_and(|k| usize::from(k) >= params)
            {
                return Err("a history variable is recalled with a wrong index".into());
            }
            let acc = cell(symbols[r.variable], r.key);
            let parts = extended.transitions.into_iter().flat_map(|t| {
                if t.origin == r.transition {
                    split(&t, ty, acc)
                } else {
                    vec![t]
                }
            });
            extended.transitions = parts.collect();
        }
        extended.history = self.clone();
        Ok(extended)
    }

    /// A transition recalls a variable; false when it does so already.
    pub fn add(&mut self, v: Variable, transition: usize, key: Option<u8>) -> bool {
        let variable = match self.variables.iter().position(|w| *w == v) {
            Some(i) => i,
            None => {
                self.variables.push(v);
                self.variables.len() - 1
            }
        };
        let recall = Recall {
            transition,
            variable,
            key,
        };
        let new = !self.recalls.contains(&recall);
        if new {
            self.recalls.push(recall);
        }
        new
    }
}

/// A call of a system with history variables as one of the file's.
pub fn original(extended: &System, system: &System, t: usize, args: &[u8]) -> (usize, Vec<u8>) {
    let t = extended.transitions[t].origin;
    let params = system.transitions[t].params.len();
    (t, args[..params].to_vec())
}

fn proc_type(system: &mut System) -> TypeId {
    match system.types.iter().position(|t| *t == Type::Proc) {
        Some(i) => TypeId::from_index(i),
        None => system.types.push(Type::Proc),
    }
}

fn add_variable(system: &mut System, v: &Variable, ty: TypeId) -> Result<SymId, String> {
    let t = system.transitions.get(v.transition);
    let t = t.ok_or("there is no such transition")?;
    let param = |p: u8| {
        let name = t.params.get(usize::from(p));
        name.ok_or("there is no such parameter")
    };
    let mut name = format!("Last.{}.{}", t.name, param(v.param)?);
    if let Some(k) = v.key {
        name += &format!(".{}", param(k)?);
    }
    while system.symbols.iter().any(|s| s.name == name) {
        name.push('\'');
    }
    let sym = system.symbols.push(Symbol {
        name,
        kind: SymbolKind::Plain,
        arity: usize::from(v.key.is_some()),
        ty,
    });
    let t = &mut system.transitions[v.transition];
    t.updates.push(Update {
        sym,
        target: Target::Cell(cell(sym, v.key).index),
        cases: vec![(Form::Bool(true), Value::Val(Val::Proc(Pr::Var(v.param))))],
        span: t.span,
    });
    Ok(sym)
}

fn cell(sym: SymId, key: Option<u8>) -> Acc {
    let at = Pr::Var(key.unwrap_or_default());
    Acc {
        sym,
        index: [at, at],
        arity: u8::from(key.is_some()),
        by: None,
    }
}

/// The transition for each process that a cell may hold.
fn split(t: &Transition, ty: TypeId, acc: Acc) -> Vec<Transition> {
    let params = t.params.len() as u8;
    let holds = |p: u8| {
        Form::Lit(Lit::Same {
            equal: true,
            ty,
            a: Val::Acc(acc),
            b: Val::Proc(Pr::Var(p)),
        })
    };
    let mut parts = Vec::new();
    for p in 0..params {
        let mut part = t.clone();
        part.guard = Form::And(vec![holds(p), t.guard.clone()]);
        parts.push(part);
    }
    // A new parameter comes before the variables of updates and quantifiers.
    let later = |v: u8| if v >= params { v + 1 } else { v };
    let shift = |p: Pr| match p {
        Pr::Var(v) => Pr::Var(later(v)),
        Pr::Fixed(_) => p,
    };
    let moved = |f: &Form| with_instance(&map_form(f, &shift), params);
    let mut other = t.clone();
    other.params.push(format!("last{}", params + 1));
    other.guard = Form::And(vec![holds(params), moved(&t.guard)]);
    for u in &mut other.updates {
        if let Target::Every(v) = &mut u.target {
            *v = later(*v);
        }
        let cases = std::mem::take(&mut u.cases);
        u.cases = cases
            .into_iter()
            .map(|(f, v)| (moved(&f), map_value(&v, &shift)))
            .collect();
    }
    parts.push(other);
    parts
}

/// What is said of all other processes is said of a new parameter, too.
fn with_instance(form: &Form, new: u8) -> Form {
    let all = |fs: &[Form]| fs.iter().map(|f| with_instance(f, new)).collect();
    match form {
        Form::And(fs) => Form::And(all(fs)),
        Form::Or(fs) => Form::Or(all(fs)),
        Form::Others(v, f) => {
            let f = with_instance(f, new);
            let put = |p: Pr| {
                if p == Pr::Var(*v) { Pr::Var(new) } else { p }
            };
            let instance = map_form(&f, &put);
            Form::And(vec![instance, Form::Others(*v, Box::new(f))])
        }
        Form::Bool(_) | Form::Lit(_) | Form::Fence => form.clone(),
    }
}
