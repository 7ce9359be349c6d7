//! Variables that count the processes at some places.
//!
//! A *place* is a value of an array of constructors over processes. A count is an integer variable; each transition
//! that moves a process into the places counted increases it, one that moves it out decreases it. As long as no process
//! is there initially, it is the number of processes there in every reachable state. Two things are taken for granted of it,
//! as what no cube can say: it is never less than the number of processes that a cube has there ([`MOST_KNOWN`]); and if it
//! is more, another process is there
//! ([`another_is_counted`](crate::theory::context::another_is_counted)). Variables that are only written to restrict
//! nothing.

use super::history::cell;
use super::types::{
    Count, Form, Lin, MAX_SYMBOLS, Pr, Property, Rel, SymId, Symbol, System, SystemLiteral, Target,
    Transition, Type, TypeId, Update, UpdateValue, Val, sum,
};
use crate::cub::ast::SymbolKind;
use base::idx::Id;

/// How many processes at the places of a count are compared with it.
pub const MOST_KNOWN: u8 = 4;

/// How a transition changes the place of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// Which process, of the transition's parameters.
    pub who: Pr,
    /// Where it is before.
    pub from: u16,
    /// Where it is then.
    pub to: u16,
}

impl Transition {
    /// How it changes the place of one process, if of any.
    ///
    /// # Errors
    /// It does not say from where to where, or changes the places of several processes.
    pub fn moves(&self, place: SymId) -> Result<Option<Move>, String> {
        let unclear = || format!("`{}` does not say from where to where", self.name);
        let Some(update) = self.updates.iter().find(|u| u.sym == place) else {
            return Ok(None);
        };
        let (Target::Cell([who, _]), [(Form::Bool(true), UpdateValue::Val(Val::Ctor(to)))]) =
            (update.target, &update.cases[..])
        else {
            return Err(unclear());
        };
        let from = place_in(&self.guard, place, who).ok_or_else(unclear)?;
        Ok(Some(Move { who, from, to: *to }))
    }
}

fn name(k: usize) -> String {
    format!("Count.{}", k + 1)
}

/// Where a formula says that a process is.
fn place_in(form: &Form, place: SymId, who: Pr) -> Option<u16> {
    match form {
        Form::And(all) => all.iter().find_map(|f| place_in(f, place, who)),
        Form::Literal(SystemLiteral::Same {
            equal: true, a, b, ..
        }) => match (a, b) {
            (Val::Acc(acc), Val::Ctor(c)) | (Val::Ctor(c), Val::Acc(acc))
                if acc.sym == place && acc.indices() == [who] =>
            {
                Some(*c)
            }
            _ => None,
        },
        _ => None,
    }
}

/// A process, by its position in the environment, is at a place.
pub(super) fn at(place: SymId, ty: TypeId, p: u8, c: u16) -> Form {
    Form::Literal(SystemLiteral::Same {
        equal: true,
        ty,
        a: Val::Acc(cell(place, Some(p))),
        b: Val::Ctor(c),
    })
}

impl System {
    /// The variable of a count, by its position.
    pub fn symbol_of_count(&self, k: usize) -> Option<SymId> {
        let name = name(k);
        let mut symbols = self.symbols.iter_enumerated();
        symbols.find_map(|(sym, s)| (s.name == name).then_some(sym))
    }

    /// The array that says where a process is: the one with the most constructors.
    pub fn place(&self) -> Option<SymId> {
        let arrays = self.symbols.iter_enumerated();
        let arrays = arrays.filter(|(_, s)| s.arity == 1 && s.kind == SymbolKind::Plain);
        let sizes = arrays.filter_map(|(sym, s)| match &self.types[s.ty] {
            Type::Enum(_, names) if names.len() > 2 => Some((names.len(), sym)),
            _ => None,
        });
        let (_, sym) = sizes.max_by_key(|(size, sym)| (*size, std::cmp::Reverse(*sym)))?;
        Some(sym)
    }

    /// Where every process is initially, if `init` says so.
    pub fn first_place(&self, place: SymId) -> Option<u16> {
        let mut params = (0u8..).take(self.init.params.len());
        params.find_map(|p| place_in(&self.init.body, place, Pr::Var(p)))
    }

    /// The system with variables that count.
    ///
    /// # Errors
    /// A sentence: what is counted is no place, a process may be there initially, or a transition does not say how it
    /// moves processes.
    pub fn with_counts(&self, counts: &[Count]) -> Result<System, String> {
        if self.symbols.len() + counts.len() > MAX_SYMBOLS {
            return Err("there are too many variables".into());
        }
        let mut counted = self.clone();
        for (k, count) in counts.iter().enumerate() {
            counted.count(k, count)?;
        }
        counted.counts = counts.to_vec();
        Ok(counted)
    }

    fn count(&mut self, k: usize, count: &Count) -> Result<(), String> {
        let symbol = self.symbols.get(count.place);
        let symbol = symbol.ok_or("there is no such array")?;
        let constructors = match &self.types[symbol.ty] {
            Type::Enum(_, names) if symbol.arity == 1 && symbol.kind == SymbolKind::Plain => {
                names.len()
            }
            _ => return Err(format!("`{}` is no place of processes", symbol.name)),
        };
        if count.at.iter().any(|c| usize::from(*c) >= constructors) {
            return Err("there is no such place".into());
        }
        let place_type = symbol.ty;
        let first = self.first_place(count.place);
        if first.is_none_or(|first| count.at.contains(&first)) {
            return Err("a process may be at a place initially that is counted".into());
        }
        let found = self.types.iter().position(|t| *t == Type::Int);
        let ty = match found {
            Some(at) => Id::from_index(at),
            None => self.types.push(Type::Int),
        };
        let sym = self.symbols.push(Symbol {
            name: name(k),
            kind: SymbolKind::Plain,
            arity: 0,
            ty,
        });
        let cell = cell(sym, None);
        let compare = |rel: Rel, lin: Lin| {
            Form::Literal(SystemLiteral::Num {
                rel,
                int: true,
                lin,
            })
        };
        let starts = compare(Rel::Eq, sum([(1, cell)], 0));
        self.init.body = Form::And(vec![self.init.body.clone(), starts]);
        for t in &mut self.transitions {
            let Some(Move { from, to, .. }) = t.moves(count.place)? else {
                continue;
            };
            let change = i64::from(count.at.contains(&to)) - i64::from(count.at.contains(&from));
            if change != 0 {
                t.updates.push(Update {
                    sym,
                    target: Target::Cell(cell.index),
                    cases: vec![(Form::Bool(true), UpdateValue::Num(sum([(1, cell)], change)))],
                    span: t.span,
                });
            }
        }
        for known in 0..=MOST_KNOWN {
            let there = |p: u8| {
                let one = |c: &u16| at(count.place, place_type, p, *c);
                Form::Or(count.at.iter().map(one).collect())
            };
            let mut body: Vec<Form> = (0..known).map(there).collect();
            body.push(compare(Rel::Le, sum([(1, cell)], 1 - i64::from(known))));
            self.invariants.push(Property {
                name: format!("fewer than {known} are counted by {}", name(k)),
                params: (0..known).map(|p| format!("p{p}")).collect(),
                body: Form::And(body),
                span: self.init.span,
            });
        }
        Ok(())
    }
}
