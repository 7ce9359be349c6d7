//! History variables: which processes did what, kept where a universal guard has to see them.
//!
//! A cube forgets the processes that it needs no more, and a universal guard is then asked of those
//! that are left only: as if the others could vanish (the monotonic abstraction of Abdulla,
//! Delzanno, Ben Henda and Rezine). A trace may so let a transition pass that a process which took
//! part in it would block. Then a variable is added that says who that was, and the transition
//! looks at it.
//!
//! - `Last.t.x` is the process that was parameter `x` of `t` when `t` last fired, and `Last.t.x[p]`
//!   the same for the last time that `p` was a certain parameter of `t`. Initially it is any
//!   process.
//! - A transition that *reads* such a variable is split: it holds one of the transition's own
//!   parameters, or some other process, which then becomes a parameter that nothing is done with,
//!   and of which the universal guards are required as of all others. A variable without an index
//!   is read by the unsafe formulas, in the same way, so that every cube speaks of its process.
//!
//! Nothing is restricted: variables that are only written to follow every run (Abadi and Lamport,
//! "The existence of refinement mappings"), and of the parts of a split transition exactly one can
//! fire where the transition can, as the variable holds exactly one process. So the system with
//! history variables is as safe as the one without. But its cubes name the process before the
//! guard, back to the moment at which it was parameter `x`.

use super::rename::{map_form, map_value};
use super::types::{
    Acc, Form, History, HistoryRead, MAX_SYMBOLS, Pr, Property, SymId, Symbol, System,
    SystemLiteral, Target, Transition, Type, TypeId, Update, UpdateValue, Val, Variable,
};
use crate::cub::ast::SymbolKind;
use base::idx::{Id, position};

/// More transitions and unsafe formulas are not made by splitting them; each split multiplies.
const MOST_PARTS: usize = 10_000;

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
        if system.symbols.len() + self.variables.len() > MAX_SYMBOLS {
            return Err("there are too many variables".into());
        }
        let mut extended = system.clone();
        let ty = proc_type(&mut extended);
        let mut symbols = Vec::new();
        for v in &self.variables {
            symbols.push(add_variable(&mut extended, v, ty)?);
        }
        for r in &self.reads {
            let variable = self.variables.get(r.variable);
            let keyed = variable.ok_or("there is no such history variable")?.key;
            let params = match r.transition.map(|t| system.transitions.get(t)) {
                None => 0,
                Some(t) => t.ok_or("there is no such transition")?.params.len(),
            };
            if keyed.is_some() != r.key.is_some() || r.key.is_some_and(|k| usize::from(k) >= params)
            {
                return Err("a history variable is read with a wrong index".into());
            }
            let acc = cell(symbols[r.variable], r.key);
            if r.transition.is_none() {
                let parts = extended
                    .unsafes
                    .iter()
                    .flat_map(|p| split_property(p, ty, acc));
                extended.unsafes = parts.collect();
            }
            let parts = extended.transitions.into_iter().flat_map(|t| {
                if Some(t.origin) == r.transition {
                    split(&t, ty, acc)
                } else {
                    vec![t]
                }
            });
            extended.transitions = parts.collect();
            if extended.transitions.len() + extended.unsafes.len() > MOST_PARTS {
                return Err("transitions are split too often".into());
            }
        }
        extended.history = self.clone();
        Ok(extended)
    }

    /// A transition (or the unsafe formulas) reads a variable; false when it does so already.
    pub fn add(&mut self, v: Variable, transition: Option<usize>, key: Option<u8>) -> bool {
        let variable = match self.variables.iter().position(|w| *w == v) {
            Some(i) => i,
            None => {
                self.variables.push(v);
                self.variables.len() - 1
            }
        };
        let read = HistoryRead {
            transition,
            variable,
            key,
        };
        let new = !self.reads.contains(&read);
        if new {
            self.reads.push(read);
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
        cases: vec![(
            Form::Bool(true),
            UpdateValue::Val(Val::Proc(Pr::Var(v.param))),
        )],
        span: t.span,
    });
    Ok(sym)
}

pub(super) fn cell(sym: SymId, key: Option<u8>) -> Acc {
    let at = Pr::Var(key.unwrap_or_default());
    Acc {
        sym,
        index: [at, at],
        arity: u8::from(key.is_some()),
        by: None,
    }
}

/// A formula with another parameter: how the processes in it are called then, and what it says of
/// the new one.
struct Wider {
    params: u8,
}

impl Wider {
    /// A new parameter comes before the variables of updates and quantifiers.
    fn later(&self, v: u8) -> u8 {
        if v >= self.params { v + 1 } else { v }
    }

    fn shift(&self, p: Pr) -> Pr {
        match p {
            Pr::Var(v) => Pr::Var(self.later(v)),
            Pr::Fixed(_) => p,
        }
    }

    fn form(&self, f: &Form) -> Form {
        with_instance(&map_form(f, &|p| self.shift(p)), self.params)
    }
}

/// The cell holds a parameter.
fn holds(ty: TypeId, acc: Acc, p: u8) -> Form {
    Form::Literal(SystemLiteral::Same {
        equal: true,
        ty,
        a: Val::Acc(acc),
        b: Val::Proc(Pr::Var(p)),
    })
}

/// The transition for each process that a cell may hold.
fn split(t: &Transition, ty: TypeId, acc: Acc) -> Vec<Transition> {
    let params = position(t.params.len());
    let own = |p: u8| Transition {
        guard: Form::And(vec![holds(ty, acc, p), t.guard.clone()]),
        ..t.clone()
    };
    let mut parts: Vec<Transition> = (0..params).map(own).collect();
    let wider = Wider { params };
    let mut other = t.clone();
    other.params.push(format!("last{}", params + 1));
    other.guard = Form::And(vec![holds(ty, acc, params), wider.form(&t.guard)]);
    for u in &mut other.updates {
        if let Target::Every(v) = &mut u.target {
            *v = wider.later(*v);
        }
        for (condition, value) in &mut u.cases {
            *condition = wider.form(condition);
            *value = map_value(value, &|p| wider.shift(p));
        }
    }
    parts.push(other);
    parts
}

/// The formula for each process that a cell may hold.
fn split_property(p: &Property, ty: TypeId, acc: Acc) -> Vec<Property> {
    let params = position(p.params.len());
    let own = |k: u8| Property {
        body: Form::And(vec![holds(ty, acc, k), p.body.clone()]),
        ..p.clone()
    };
    let mut parts: Vec<Property> = (0..params).map(own).collect();
    let mut other = p.clone();
    other.params.push(format!("last{}", params + 1));
    let body = Wider { params }.form(&p.body);
    other.body = Form::And(vec![holds(ty, acc, params), body]);
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
        Form::Bool(_) | Form::Literal(_) | Form::Fence => form.clone(),
    }
}
