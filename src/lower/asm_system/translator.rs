//! The system while it grows: its transitions, and what they need declared; then its variables, its
//! initial states and its unsafe states.

use super::flags;
use super::intervals::{live_at_start, signed};
use super::names::{Names, SELF};
use crate::front::asm::ast::{Comparison, Initial, Program, Relation, Term as Value};
use base::source::{SourceMap, Span};
use std::collections::BTreeMap;
use systems::cub::ast::{
    Expr, File, Formula, ProcRef, Rel, Symbol, SymbolKind, Transition, TypeDecl, Update,
};
use systems::cub::build::{Sum, access, assign, compare, conjunction, has_value, ident, name_term};

/// The system while it grows.
pub(super) struct Translator<'a> {
    pub program: &'a Program,
    pub names: Names,
    transitions: Vec<Transition>,
    /// Program points within instructions.
    points: Vec<String>,
    /// `ROW` is used.
    pub uses_snapshot: bool,
    /// `TMP` is used.
    pub uses_temporary: bool,
    /// Where the first counter may leave its range.
    pub overflow: Option<Span>,
}

/// A transition of one instruction: its guard beside the program point, its updates, and where it
/// leads.
pub(super) struct Rule<'n> {
    /// Follows the name of the instruction.
    pub part: &'n str,
    /// Processes beside the executing one.
    pub others: &'n [&'n str],
    pub from: String,
    pub guard: Vec<Expr>,
    pub updates: Vec<Update>,
    pub to: String,
}

impl<'a> Translator<'a> {
    pub fn new(sources: &SourceMap, program: &'a Program) -> Translator<'a> {
        Translator {
            program,
            names: Names::new(sources, program),
            transitions: Vec::new(),
            points: Vec::new(),
            uses_snapshot: false,
            uses_temporary: false,
            overflow: None,
        }
    }

    /// The place of an instruction.
    pub fn span(&self, index: usize) -> Span {
        self.program.code[index].span
    }

    /// A program point within an instruction.
    pub fn point_within(&mut self, index: usize, part: &str) -> String {
        let name = format!("{}_{part}", self.names.points[index]);
        if !self.points.contains(&name) {
            self.points.push(name.clone());
        }
        name
    }

    /// `RES := result`, if any jump looks at it.
    pub fn result(&self, index: usize, result: &Sum) -> Vec<Update> {
        if !flags::are_used(self.program) {
            return Vec::new();
        }
        let span = self.span(index);
        let cell = access(&self.names.result, &[SELF], span);
        vec![assign(cell, result.term(span))]
    }

    /// A transition from an instruction to the next one, of the executing thread alone.
    pub fn step<'n>(
        &self,
        index: usize,
        part: &'n str,
        guard: Vec<Expr>,
        updates: Vec<Update>,
    ) -> Rule<'n> {
        Rule {
            part,
            others: &[],
            from: self.names.points[index].clone(),
            guard,
            updates,
            to: self.names.points[index + 1].clone(),
        }
    }

    /// Adds a transition.
    pub fn add(&mut self, index: usize, rule: Rule) {
        let span = self.span(index);
        let Rule {
            part,
            others,
            from,
            guard,
            mut updates,
            to,
        } = rule;
        let mut name = self.names.instructions[index].clone();
        if !part.is_empty() {
            name = format!("{name}_{part}");
        }
        let pc = access(&self.names.pc, &[SELF], span);
        let here = has_value(pc.clone(), true, &from, span);
        updates.push(assign(pc, name_term(&to, span)));
        let params = std::iter::once(&SELF).chain(others);
        self.transitions.push(Transition {
            name: ident(&name, span),
            params: params.map(|p| ident(p, span)).collect(),
            thread: Some(0),
            guard: Some(conjunction(
                std::iter::once(here).chain(guard).collect(),
                span,
            )),
            lets: Vec::new(),
            updates,
        });
    }

    /// The constants that integers hold initially, nothing for those that may hold anything, unless
    /// that is never read.
    pub fn initial_constants(&self) -> BTreeMap<String, Option<i64>> {
        let registers = live_at_start(self.program).into_iter();
        let property = self.program.property.iter().flat_map(Comparison::terms);
        let looked_at = property.filter_map(|term| match term {
            Value::Register { name, .. } => Some(name.text.clone()),
            _ => None,
        });
        let arbitrary = registers.chain(looked_at).map(|register| (register, None));
        let data = self.program.shared.iter().chain(&self.program.private);
        let data = data.map(|d| {
            let initial = match d.initial {
                Initial::Number(number) => Some(signed(number)),
                Initial::ThreadCount(_) => None,
            };
            (self.names.variables[&d.name.text].clone(), initial)
        });
        arbitrary.chain(data).collect()
    }

    /// The system, and what its variables are called in the program.
    pub fn finish(self) -> (File, Vec<String>) {
        let span = self.program.property_span;
        let Translator { names, program, .. } = &self;
        let mut symbols = Vec::new();
        let mut variables = Vec::new();
        let mut declare = |kind, name: &str, arity, ty: &str, source: &str, at: Span| {
            symbols.push(Symbol {
                kind,
                name: ident(name, at),
                arity,
                ty: ident(ty, at),
            });
            variables.push(source.to_string());
        };
        declare(SymbolKind::Plain, &names.pc, 1, "loc", "eip", span);
        if flags::are_used(program) {
            declare(SymbolKind::Plain, &names.result, 1, "int", "result", span);
        }
        if self.uses_temporary {
            declare(
                SymbolKind::Plain,
                &names.temporary,
                1,
                "int",
                "temporary",
                span,
            );
        }
        if self.uses_snapshot {
            declare(SymbolKind::Plain, &names.row, 2, "bool", "row", span);
        }
        for register in &names.registers {
            let source = register.to_lowercase();
            declare(SymbolKind::Plain, register, 1, "int", &source, span);
        }
        for data in &program.private {
            let name = &names.variables[&data.name.text];
            declare(
                SymbolKind::Plain,
                name,
                1,
                "int",
                &data.name.text,
                data.name.span,
            );
        }
        for data in &program.shared {
            let name = &names.variables[&data.name.text];
            let (arity, ty) = if data.counter {
                (1, "bool")
            } else {
                (0, "int")
            };
            declare(
                SymbolKind::Weak,
                name,
                arity,
                ty,
                &data.name.text,
                data.name.span,
            );
        }
        let points = names.points.iter().chain(&self.points);
        let overflow = self.overflow.map(|_| &names.overflow);
        let constructors = points.chain(overflow).map(|p| ident(p, span)).collect();
        let system = File {
            types: vec![TypeDecl {
                name: ident("loc", span),
                constructors,
            }],
            symbols,
            inits: vec![self.init()],
            unsafes: self.unsafes(),
            transitions: self.transitions,
            ..File::default()
        };
        (system, variables)
    }

    /// Threads are at the first instruction, data as declared, registers arbitrary.
    fn init(&self) -> Formula {
        let Translator { names, program, .. } = self;
        let span = program.property_span;
        let pc = access(&names.pc, &[SELF], span);
        let mut all = vec![has_value(pc, true, &names.points[0], span)];
        for data in program.private.iter().chain(&program.shared) {
            let span = data.name.span;
            let name = &names.variables[&data.name.text];
            let shared = program.shared(&data.name.text).is_some();
            all.push(match data.initial {
                _ if data.counter => {
                    let full = matches!(data.initial, Initial::ThreadCount(_));
                    let value = if full { "True" } else { "False" };
                    has_value(access(name, &[SELF], span), true, value, span)
                }
                Initial::ThreadCount(_) => {
                    unreachable!("names are resolved: `N` is a value of counters alone")
                }
                Initial::Number(number) => {
                    let index: &[&str] = if shared { &[] } else { &[SELF] };
                    let cell = Sum::cell(access(name, index, span));
                    compare(&cell, Rel::Eq, &Sum::constant(signed(number)), span)
                }
            });
        }
        Formula {
            name: None,
            params: vec![ident(SELF, span)],
            body: conjunction(all, span),
            span,
        }
    }

    /// The property, and that no counter leaves its range.
    fn unsafes(&self) -> Vec<Formula> {
        let Translator { names, program, .. } = self;
        let span = program.property_span;
        let mut all = vec![Formula {
            name: Some(ident("unsafe_prop", span)),
            params: names.threads.iter().map(|(_, p)| ident(p, span)).collect(),
            body: conjunction(
                program
                    .property
                    .iter()
                    .flat_map(|c| self.conjunct(c))
                    .collect(),
                span,
            ),
            span,
        }];
        if let Some(span) = self.overflow {
            let pc = access(&names.pc, &[SELF], span);
            all.push(Formula {
                name: Some(ident("counter_out_of_range", span)),
                params: vec![ident(SELF, span)],
                body: has_value(pc, true, &names.overflow, span),
                span,
            });
        }
        all
    }

    fn conjunct(&self, comparison: &Comparison) -> Vec<Expr> {
        let names = &self.names;
        match comparison {
            Comparison::Location {
                thread,
                equal,
                label,
                span,
            } => {
                let point = &names.points[self.program.target_of(label)];
                let process = names.thread(&thread.text);
                // Within an instruction the thread is still at it: it has changed nothing but `TMP`.
                // Where a thread is asked to be there, that it may also wait before it is enough.
                let within = |p: &&String| p.starts_with(&format!("{point}_"));
                let others = self.points.iter().filter(within);
                let points = std::iter::once(point).chain(others.filter(|_| !equal));
                let at =
                    |p: &String| has_value(access(&names.pc, &[process], *span), *equal, p, *span);
                points.map(at).collect()
            }
            Comparison::Values {
                left,
                relation,
                right,
                span,
            } => {
                let rel = match relation {
                    Relation::Eq => Rel::Eq,
                    Relation::Ne => Rel::Ne,
                    Relation::Lt => Rel::Lt,
                    Relation::Le => Rel::Le,
                    Relation::Gt => Rel::Gt,
                    Relation::Ge => Rel::Ge,
                };
                vec![compare(
                    &self.value(left, *span),
                    rel,
                    &self.value(right, *span),
                    *span,
                )]
            }
        }
    }

    /// A value of the property.
    fn value(&self, value: &Value, span: Span) -> Sum {
        let names = &self.names;
        match value {
            Value::Register { name, thread } => {
                Sum::cell(access(&name.text, &[names.thread(&thread.text)], span))
            }
            Value::Private { name, thread } => {
                let variable = &names.variables[&name.text];
                Sum::cell(access(variable, &[names.thread(&thread.text)], span))
            }
            Value::Shared { thread, name } => {
                let mut cell = access(&names.variables[&name.text], &[], span);
                let process = ident(names.thread(&thread.text), span);
                cell.thread = Some(ProcRef::Name(process));
                Sum::cell(cell)
            }
            Value::Number(number) => Sum::constant(signed(*number)),
        }
    }
}
