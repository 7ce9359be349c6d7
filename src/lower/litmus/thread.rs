//! One column: registers, labels and jumps, and the values that are observed at the end.

use super::body::Body;
use super::memory::Locations;
use super::refusal::Lowered;
use super::{c, machine};
use crate::front::litmus::ast::{LineKind, Thread};
use base::diag::Diag;
use base::idx::IdVec;
use base::source::Span;
use ir::program::*;
use std::collections::BTreeMap;

/// What a thread's lowering needs to know.
pub(super) struct Context<'a> {
    /// The locations.
    pub memory: &'a Locations,
    /// Initial values of registers.
    pub init: &'a BTreeMap<String, (Span, Expr)>,
    /// What is observed.
    pub observables: &'a IdVec<ObservableId, Observable>,
}

/// Lowers a thread.
pub(super) fn lower(thread: &Thread, context: &Context, errors: &mut Vec<Diag>) -> Proc {
    let lines = thread.lines.iter();
    let tested = lines.flat_map(|line| machine::tested(&line.kind));
    let mut body = Body::new(context.memory, tested.collect(), thread.span);
    for line in &thread.lines {
        body.span = line.span;
        let lowered: Lowered<()> = match &line.kind {
            LineKind::Label(name) => {
                let here = (body.instrs.len(), line.span);
                if let Some((_, first)) = body.labels.insert(name.clone(), here) {
                    errors.push(
                        Diag::error(line.span, format!("the label `{name}` is there twice"))
                            .also(first, "the first is here"),
                    );
                }
                Ok(())
            }
            instr => machine::lower(&mut body, instr),
        };
        errors.extend(lowered.err().map(|e| *e));
    }
    let mut broken = false;
    if let Some(function) = &thread.function {
        let lowered = c::lower(&mut body, function, context.init.keys());
        broken = lowered.is_err();
        errors.extend(lowered.err().map(|e| *e));
    }
    let end = body.instrs.len();
    observe(&mut body, thread, context);
    let start = initial_values(&body, thread, context);
    let missing = body.resolve_jumps(start.len(), end);
    for label in missing.into_iter().filter(|_| !broken) {
        let message = format!("P{} has no label `{}`", thread.number, label.text);
        errors.push(Diag::error(label.span, message));
    }
    let mut instrs = start;
    instrs.append(&mut body.instrs);
    Proc {
        name: format!("P{}", thread.number),
        span: thread.span,
        params: Vec::new(),
        locals: body.locals,
        body: instrs,
        returns: None,
    }
}

fn observe(body: &mut Body, thread: &Thread, context: &Context) {
    body.span = thread.span;
    for (what, observable) in context.observables.iter_enumerated() {
        if let Observable::Register {
            thread: number,
            name,
            ..
        } = observable
            && *number == thread.number
        {
            let value = Expr::Local(body.register(name));
            body.emit(Op::Observe { what, value });
        }
    }
}

/// Assignments to all registers that the thread uses.
fn initial_values(body: &Body, thread: &Thread, context: &Context) -> Vec<Instr> {
    let mut all = Vec::new();
    for (id, local) in body.locals.iter_enumerated() {
        if local.name.is_empty() {
            continue;
        }
        let zero = || (thread.span, Expr::constant(0, local.width));
        let (span, value) = context.init.get(&local.name).cloned().unwrap_or_else(zero);
        all.push(Instr {
            span,
            op: Op::Assign { dst: id, value },
        });
    }
    all
}
