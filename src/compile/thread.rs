//! The code of a thread: every statement is compiled by itself, every operation by its row of the mapping.
//!
//! A name of the source has a register of its own, every intermediate result a new one. Nothing is
//! optimized: dependencies that compute nothing stay, as `r0 ^ r0` does.

use super::machine::Machine;
use super::mapping::{Mapping, Operation};
use crate::front::litmus::ast::c::{Binary, Expr, ExprKind, Function, Statement, StatementKind};
use crate::front::litmus::ast::{LineKind, Name};
use crate::front::litmus::instruction;
use base::diag::Diag;
use base::source::Span;
use ir::program::MemoryOrder;
use std::collections::BTreeMap;

/// A result, or the one message that says why there is none.
pub(super) type Compiled<T> = Result<T, Box<Diag>>;

pub(super) fn unsupported<T>(span: Span, message: impl Into<String>) -> Compiled<T> {
    Err(Box::new(Diag::unsupported(span, message)))
}

/// A thread that grows.
pub(super) struct Thread<'a> {
    mapping: &'a Mapping,
    machine: &'a Machine,
    params: Vec<&'a str>,
    free: std::ops::Range<u8>,
    /// Registers of the source's names.
    pub names: BTreeMap<String, u8>,
    /// Registers that hold addresses from the start.
    pub addresses: BTreeMap<String, u8>,
    /// Instructions and labels.
    pub lines: Vec<LineKind>,
    /// The statement that is compiled.
    span: Span,
    labels: &'a mut u32,
}

/// Where an access goes.
enum Place {
    /// A location that operands name.
    Named(String),
    /// The address in a register.
    Register(u8),
}

impl<'a> Thread<'a> {
    pub(super) fn new(
        mapping: &'a Mapping,
        machine: &'a Machine,
        function: &'a Function,
        span: Span,
        labels: &'a mut u32,
    ) -> Thread<'a> {
        Thread {
            mapping,
            machine,
            params: function
                .params
                .iter()
                .map(|p| p.name.text.as_str())
                .collect(),
            free: machine.registers.clone(),
            names: BTreeMap::new(),
            addresses: BTreeMap::new(),
            lines: Vec::new(),
            span,
            labels,
        }
    }

    fn fresh(&mut self, span: Span) -> Compiled<u8> {
        let name = self.machine.name;
        let message = || format!("the thread needs more registers than {name} has: not supported");
        self.free
            .next()
            .map_or_else(|| unsupported(span, message()), Ok)
    }

    /// The register of a name; a parameter is none.
    fn named(&mut self, name: &str, span: Span) -> Compiled<u8> {
        if let Some(register) = self.names.get(name) {
            return Ok(*register);
        }
        let register = self.fresh(span)?;
        self.names.insert(name.to_string(), register);
        Ok(register)
    }

    fn label(&mut self) -> String {
        *self.labels += 1;
        format!("L{:02}", *self.labels - 1)
    }

    /// Writes lines with these texts in the place of the placeholders.
    fn write(&mut self, template: &str, texts: &[(&str, String)]) -> Compiled<()> {
        let texts: Vec<(&str, &str)> = texts.iter().map(|(p, text)| (*p, text.as_str())).collect();
        let lines = instruction::fill(self.machine.set, template, &texts, self.span)?;
        self.lines.extend(lines);
        Ok(())
    }

    fn value_name(&self, register: u8) -> String {
        (self.machine.value)(register)
    }

    pub(super) fn block(&mut self, statements: &[Statement]) -> Compiled<()> {
        statements.iter().try_for_each(|s| self.statement(s))
    }

    fn statement(&mut self, statement: &Statement) -> Compiled<()> {
        self.span = statement.span;
        match &statement.kind {
            StatementKind::Declare(name, None) => self.named(&name.text, name.span).map(|_| ()),
            StatementKind::Declare(name, Some(value)) => self.set(&name.text, name.span, value),
            StatementKind::Assign(target, value) => match &target.kind {
                ExprKind::Name(name) if !self.params.contains(&name.as_str()) => {
                    self.set(name, target.span, value)
                }
                ExprKind::Deref(place) => {
                    let place = self.place(place)?;
                    let value = self.value(value, None)?;
                    self.operation(
                        Operation::Store,
                        (MemoryOrder::Plain, statement.span),
                        Some(place),
                        (None, Some(value)),
                    )
                }
                _ => unsupported(target.span, "assignments to this are not supported"),
            },
            StatementKind::Evaluate(call) => match &call.kind {
                ExprKind::Call(name, args) => self.call(name, args, None).map(|_| ()),
                _ => Ok(()),
            },
            StatementKind::Block(inner) => self.block(inner),
            StatementKind::If(cond, then, otherwise) => {
                let (other, end) = (self.label(), self.label());
                self.jump_unless(cond, &other)?;
                self.block(then)?;
                if otherwise.is_empty() {
                    self.lines.push(LineKind::Label(other));
                    return Ok(());
                }
                self.write(self.machine.jumps[2], &[("{l}", end.clone())])?;
                self.lines.push(LineKind::Label(other));
                self.block(otherwise)?;
                self.lines.push(LineKind::Label(end));
                Ok(())
            }
            StatementKind::While(..) | StatementKind::DoWhile(..) => {
                unsupported(statement.span, "loops are not supported by the compiler")
            }
        }
    }

    fn set(&mut self, name: &str, span: Span, value: &Expr) -> Compiled<()> {
        let target = self.named(name, span)?;
        let register = self.value(value, Some(target))?;
        if register != target {
            let texts = [
                ("{r}", self.value_name(target)),
                ("{x}", self.value_name(register)),
            ];
            self.write(self.machine.copy, &texts)?;
        }
        Ok(())
    }

    /// Jumps to a label unless a condition holds.
    fn jump_unless(&mut self, cond: &Expr, label: &str) -> Compiled<()> {
        let (a, b, jump) = match &cond.kind {
            ExprKind::Binary(op @ (Binary::Eq | Binary::Ne), a, b) => {
                let (a, b) = (self.value(a, None)?, self.value(b, None)?);
                (a, b, usize::from(*op == Binary::Eq))
            }
            _ => {
                let value = self.value(cond, None)?;
                let zero = self.fresh(cond.span)?;
                let texts = [("{r}", self.value_name(zero)), ("{x}", "0".to_string())];
                self.write(self.machine.number, &texts)?;
                (value, zero, 0)
            }
        };
        let texts = [
            ("{x}", self.value_name(a)),
            ("{y}", self.value_name(b)),
            ("{l}", label.to_string()),
        ];
        self.write(self.machine.jumps[jump], &texts)?;
        Ok(())
    }

    /// The register that has the value of an expression; the one that is wanted, where that is easy.
    fn value(&mut self, e: &Expr, wanted: Option<u8>) -> Compiled<u8> {
        match &e.kind {
            ExprKind::Number(number) if number.fits(32) => {
                let register = wanted.map_or_else(|| self.fresh(e.span), Ok)?;
                let texts = [
                    ("{r}", self.value_name(register)),
                    ("{x}", number.to_string()),
                ];
                self.write(self.machine.number, &texts)?;
                Ok(register)
            }
            ExprKind::Number(number) => {
                unsupported(e.span, format!("`{number}` is no int: not supported"))
            }
            ExprKind::Name(name) if self.params.contains(&name.as_str()) => unsupported(
                e.span,
                "addresses as values are not supported by the compiler",
            ),
            ExprKind::Name(name) => self.named(name, e.span),
            ExprKind::Deref(place) => {
                let place = self.place(place)?;
                let result = wanted.map_or_else(|| self.fresh(e.span), Ok)?;
                let order = (MemoryOrder::Plain, e.span);
                self.operation(Operation::Load, order, Some(place), (Some(result), None))?;
                Ok(result)
            }
            ExprKind::Binary(op, a, b) => {
                let at = match op {
                    Binary::Add => 0,
                    Binary::Sub => 1,
                    Binary::And => 2,
                    Binary::Or => 3,
                    Binary::Xor => 4,
                    _ => {
                        let message = "this operator is not supported by the compiler here";
                        return unsupported(e.span, message);
                    }
                };
                let (a, b) = (self.value(a, None)?, self.value(b, None)?);
                let register = self.fresh(e.span)?;
                let texts = [
                    ("{r}", self.value_name(register)),
                    ("{x}", self.value_name(a)),
                    ("{y}", self.value_name(b)),
                ];
                self.write(self.machine.arithmetic[at], &texts)?;
                Ok(register)
            }
            ExprKind::Call(name, args) => match self.call(name, args, wanted)? {
                Some(register) => Ok(register),
                None => unsupported(
                    e.span,
                    format!("`{}` has no value: not supported", name.text),
                ),
            },
            ExprKind::Address(_) | ExprKind::Unary(..) | ExprKind::Conditional(..) => {
                unsupported(e.span, "this expression is not supported by the compiler")
            }
        }
    }

    /// `x`, or `x + e`
    fn place(&mut self, e: &Expr) -> Compiled<Place> {
        match &e.kind {
            ExprKind::Name(name) if self.params.contains(&name.as_str()) => {
                if self.machine.has_names {
                    return Ok(Place::Named(name.clone()));
                }
                Ok(Place::Register(self.base(name, e.span)?))
            }
            ExprKind::Binary(Binary::Add, base, index) => {
                let ExprKind::Name(name) = &base.kind else {
                    return unsupported(base.span, "this address is not supported by the compiler");
                };
                if !self.params.contains(&name.as_str()) {
                    return unsupported(
                        base.span,
                        "pointers in registers are not supported by the compiler",
                    );
                }
                let index = self.value(index, None)?;
                let base = self.base(name, e.span)?;
                let register = self.fresh(e.span)?;
                let texts = [
                    ("{r}", self.value_name(register)),
                    ("{a}", (self.machine.address)(register)),
                    ("{x}", self.value_name(base)),
                    ("{b}", (self.machine.address)(base)),
                    ("{y}", self.value_name(index)),
                ];
                self.write(self.machine.index, &texts)?;
                Ok(Place::Register(register))
            }
            _ => unsupported(e.span, "this address is not supported by the compiler"),
        }
    }

    /// The register with the address of a location.
    fn base(&mut self, name: &str, span: Span) -> Compiled<u8> {
        if let Some(register) = self.addresses.get(name) {
            return Ok(*register);
        }
        let register = self.fresh(span)?;
        self.addresses.insert(name.to_string(), register);
        Ok(register)
    }

    /// A function of C11.
    fn call(&mut self, name: &Name, args: &[Expr], wanted: Option<u8>) -> Compiled<Option<u8>> {
        let Some(rest) = name.text.strip_prefix("atomic_") else {
            let message = format!(
                "the function `{}` is not supported by the compiler",
                name.text
            );
            return unsupported(name.span, message);
        };
        let (what, explicit) = match rest.strip_suffix("_explicit") {
            Some(what) => (what, true),
            None => (rest, rest == "thread_fence"),
        };
        let operation = match what {
            "thread_fence" => Operation::Fence,
            "load" => Operation::Load,
            "store" => Operation::Store,
            "exchange" => Operation::Exchange,
            "fetch_add" => Operation::Add,
            _ => {
                let message = format!("`{}` is not supported by the compiler", name.text);
                return unsupported(name.span, message);
            }
        };
        let (operands, order) = match (explicit, args.split_last()) {
            (true, Some((last, operands))) => (operands, order(last)?),
            _ => (args, MemoryOrder::SeqCst),
        };
        let at = (order, name.span);
        match (operation, operands) {
            (Operation::Fence, []) => {
                self.operation(operation, at, None, (None, None))?;
                Ok(None)
            }
            (Operation::Load, [place]) => {
                let place = self.place(place)?;
                let result = wanted.map_or_else(|| self.fresh(name.span), Ok)?;
                self.operation(operation, at, Some(place), (Some(result), None))?;
                Ok(Some(result))
            }
            (Operation::Store, [place, value]) => {
                let place = self.place(place)?;
                let value = self.value(value, None)?;
                self.operation(operation, at, Some(place), (None, Some(value)))?;
                Ok(None)
            }
            (Operation::Exchange | Operation::Add, [place, value]) => {
                let place = self.place(place)?;
                let value = self.value(value, None)?;
                // The result must not take the place of an operand that a retry needs.
                let result = match wanted {
                    Some(wanted) if wanted != value => wanted,
                    _ => self.fresh(name.span)?,
                };
                self.operation(operation, at, Some(place), (Some(result), Some(value)))?;
                Ok(Some(result))
            }
            _ => {
                let message = format!("`{}` does not have so many arguments", name.text);
                Err(Box::new(Diag::error(name.span, message)))
            }
        }
    }

    /// Writes an operation as the mapping has it.
    fn operation(
        &mut self,
        operation: Operation,
        (order, span): (MemoryOrder, Span),
        place: Option<Place>,
        (result, value): (Option<u8>, Option<u8>),
    ) -> Compiled<()> {
        let Some(steps) = self.mapping.steps(operation, order) else {
            let message =
                format!("C11 has no {operation:?} with the order {order:?}: not supported");
            return unsupported(span, message);
        };
        let mut texts = Vec::new();
        texts.extend(result.map(|r| ("{r}", self.value_name(r))));
        texts.extend(value.map(|v| ("{v}", self.value_name(v))));
        texts.extend(place.map(|place| match place {
            Place::Named(name) => ("{a}", name),
            Place::Register(register) => ("{a}", (self.machine.address)(register)),
        }));
        for step in steps {
            let mut texts = texts.clone();
            if step.contains("{t}") {
                texts.push(("{t}", (self.machine.value)(self.fresh(span)?)));
            }
            if step.contains("{l}") {
                texts.push(("{l}", self.label()));
            }
            self.write(step, &texts)?;
        }
        Ok(())
    }
}

/// A memory order of C11.
fn order(e: &Expr) -> Compiled<MemoryOrder> {
    let order = match &e.kind {
        ExprKind::Name(name) => MemoryOrder::of_c11(name),
        _ => None,
    };
    let message = "this memory order is not supported by the compiler";
    order.map_or_else(|| unsupported(e.span, message), Ok)
}
