//! The question: places become observables, and the condition is written out as herd7 prints it.

use super::memory::{Locations, constant};
use super::refusal::{Lowered, wrong};
use crate::front::litmus::ast::{self, LitmusValue, Machine, Number, Place, Prop, Symbol};
use crate::front::litmus::{register_rank, shown_register};
use base::diag::Diag;
use ir::litmus::{Condition, FinalCondition, Operand, Quantifier};
use ir::program::*;
use std::collections::BTreeMap;

/// What is observed, ordered as herd7 prints a state: registers by thread and number, then memory
/// by name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Register(u32, usize, String),
    Memory(String, u64),
}

struct Resolver<'a> {
    test: &'a ast::Test,
    memory: &'a Locations,
    ids: BTreeMap<Key, ObservableId>,
}

/// Resolves the question and declares the observables of the program; errors are added.
pub(super) fn resolve(
    test: &ast::Test,
    memory: &Locations,
    program: &mut Program,
    errors: &mut Vec<Diag>,
) -> Option<FinalCondition> {
    let mut resolver = Resolver {
        test,
        memory,
        ids: BTreeMap::new(),
    };
    let before = errors.len();
    let mut shown: BTreeMap<Key, Observable> = BTreeMap::new();
    let mut hidden = BTreeMap::new();
    let mut visit = |place: &Place, all: &mut BTreeMap<Key, Observable>| match resolver.key(place) {
        Ok((key, observable)) => {
            all.insert(key, observable);
        }
        Err(e) => errors.push(*e),
    };
    test.locations.iter().for_each(|p| visit(p, &mut shown));
    places(&test.condition.prop, &mut |p| visit(p, &mut shown));
    if let Some(filter) = &test.filter {
        places(filter, &mut |p| visit(p, &mut hidden));
    }
    if errors.len() > before {
        return None;
    }
    let mut ids = Vec::new();
    for (key, observable) in shown {
        let id = program.observables.push(observable);
        resolver.ids.insert(key, id);
        ids.push(id);
    }
    for (key, observable) in hidden {
        let known = resolver.ids.entry(key);
        known.or_insert_with(|| program.observables.push(observable));
    }
    let mut lower = |p: &Prop| resolver.condition(p).map_err(|e| errors.push(*e)).ok();
    let condition = lower(&test.condition.prop);
    let filter = test.filter.as_ref().map(&mut lower);
    let filter = match filter {
        None => None,
        Some(filter) => Some(filter?),
    };
    Some(FinalCondition {
        quantifier: match test.condition.quantifier {
            ast::Quantifier::Exists => Quantifier::Exists,
            ast::Quantifier::NotExists => Quantifier::NotExists,
            ast::Quantifier::Forall => Quantifier::Forall,
        },
        condition: condition?,
        filter,
        shown: ids,
        text: format!(
            "({})",
            text(&test.condition.prop, Around::Nothing, test.machine)
        ),
        span: test.condition.span,
    })
}

/// Visits all places of a proposition.
fn places(prop: &Prop, visit: &mut dyn FnMut(&Place)) {
    match prop {
        Prop::Constant(_) => {}
        Prop::Equal(place, value) => {
            visit(place);
            if let LitmusValue::Place(other) = value {
                visit(other);
            }
        }
        Prop::Not(p) => places(p, visit),
        Prop::And(all) | Prop::Or(all) => all.iter().for_each(|p| places(p, visit)),
        Prop::Implies(a, b) => {
            places(a, visit);
            places(b, visit);
        }
    }
}

impl Resolver<'_> {
    fn key(&self, place: &Place) -> Lowered<(Key, Observable)> {
        match place {
            Place::Register {
                thread: Some(thread),
                name,
            } => {
                let number = self.thread(thread)?;
                let rank = register_rank(self.test.machine, &name.text);
                let observable = Observable::Register {
                    thread: number,
                    name: name.text.clone(),
                    width: self.memory.sizes.word,
                };
                Ok((Key::Register(number, rank, name.text.clone()), observable))
            }
            Place::Register { thread: None, name } => wrong(
                name.span,
                format!("`{}` is of no thread, write `0:{}`", name.text, name.text),
            ),
            Place::Memory(symbol) => {
                let (global, offset) = self.memory.cell(symbol)?;
                let observable = Observable::Memory {
                    global,
                    offset,
                    width: self.memory.sizes.cell,
                };
                Ok((Key::Memory(symbol.name.text.clone(), offset), observable))
            }
        }
    }

    fn thread(&self, number: &Number) -> Lowered<u32> {
        let mut numbers = self.test.threads.iter().map(|t| t.number);
        match numbers.find(|t| u64::from(*t) == number.bits) {
            Some(thread) => Ok(thread),
            None => wrong(number.span, format!("there is no thread P{number}")),
        }
    }

    fn id(&self, place: &Place) -> Lowered<(ObservableId, Width)> {
        let (key, observable) = self.key(place)?;
        Ok((self.ids[&key], observable.width()))
    }

    fn condition(&self, prop: &Prop) -> Lowered<Condition> {
        let all = |all: &[Prop]| -> Lowered<Vec<Condition>> {
            all.iter().map(|p| self.condition(p)).collect()
        };
        Ok(match prop {
            Prop::Constant(truth) => Condition::Constant(*truth),
            Prop::Equal(place, value) => {
                let (id, width) = self.id(place)?;
                Condition::Equal(id, self.operand(value, width)?)
            }
            Prop::Not(p) => Condition::Not(Box::new(self.condition(p)?)),
            Prop::And(parts) => Condition::And(all(parts)?),
            Prop::Or(parts) => Condition::Or(all(parts)?),
            Prop::Implies(a, b) => {
                Condition::Implies(Box::new(self.condition(a)?), Box::new(self.condition(b)?))
            }
        })
    }

    fn operand(&self, value: &LitmusValue, width: Width) -> Lowered<Operand> {
        Ok(match value {
            LitmusValue::Number(number) => {
                constant(number, width)?;
                Operand::Number(number.bits & mask(width))
            }
            LitmusValue::Address(symbol) => {
                let (global, offset) = self.memory.cell(symbol)?;
                Operand::Address(global, offset)
            }
            LitmusValue::Place(place) => {
                let (id, other) = self.id(place)?;
                if other != width {
                    let message = format!("{other} bits are compared with {width}");
                    return wrong(place.span(), message);
                }
                Operand::Observable(id)
            }
        })
    }
}

/// What is around a proposition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    Or,
    And,
    Implies,
}

/// A proposition on one line, with the parentheses that herd7 writes.
fn text(prop: &Prop, around: Around, machine: Machine) -> String {
    let join = |all: &[Prop], sign: &str, here| {
        let parts: Vec<String> = all.iter().map(|p| text(p, here, machine)).collect();
        parts.join(sign)
    };
    let (inner, bare) = match prop {
        Prop::Constant(truth) => return truth.to_string(),
        Prop::Equal(place, value) => {
            return format!(
                "{}={}",
                place_text(place, machine),
                value_text(value, machine)
            );
        }
        Prop::Not(p) => return format!("not ({})", text(p, Around::Nothing, machine)),
        Prop::And(all) => (join(all, " /\\ ", Around::And), around != Around::Implies),
        Prop::Or(all) => (
            join(all, " \\/ ", Around::Or),
            matches!(around, Around::Nothing | Around::Or),
        ),
        Prop::Implies(a, b) => (
            format!(
                "{} => {}",
                text(a, Around::Implies, machine),
                text(b, Around::Implies, machine)
            ),
            matches!(around, Around::Nothing | Around::Implies),
        ),
    };
    if bare { inner } else { format!("({inner})") }
}

fn place_text(place: &Place, machine: Machine) -> String {
    match place {
        Place::Register { thread, name } => match thread {
            Some(thread) => format!("{thread}:{}", shown_register(machine, &name.text)),
            None => name.text.clone(),
        },
        Place::Memory(Symbol { name, index: None }) => format!("[{}]", name.text),
        Place::Memory(symbol) => symbol_text(symbol),
    }
}

fn symbol_text(symbol: &Symbol) -> String {
    match symbol.index {
        Some(index) => format!("{}[{index}]", symbol.name.text),
        None => symbol.name.text.clone(),
    }
}

fn value_text(value: &LitmusValue, machine: Machine) -> String {
    match value {
        LitmusValue::Number(number) => number.to_string(),
        LitmusValue::Address(symbol) => symbol_text(symbol),
        LitmusValue::Place(place) => place_text(place, machine),
    }
}
