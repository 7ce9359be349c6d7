//! What the calls of a client return when they are made one after the other, in each order of them.
//!
//! Each order is a program, whose executions are explored on sequential consistency: one, unless the code takes
//! arbitrary values. Where nothing in the program depends on the thread that executes it, main makes all calls;
//! otherwise each thread makes its own, when it is its turn. A call that does not return in an order, as one that waits
//! for what comes later, makes it no order of the calls.

use crate::history::{Consistency, Numbering, Outcomes};
use base::idx::IdVec;
use base::source::Span;
use enumerate::explore::{ExploreError, ExploreOptions, Watch, explore};
use enumerate::{EnumerateError, EnumerateOptions};
use ir::bounds::Bounds;
use ir::client::{Call, Client};
use ir::program::{
    BinOp, Callee, Expr, Global, GlobalId, Instr, Layout, Local, MemoryOrder, Observable, Op, Proc,
    Program, ScalarKind,
};

/// Executions of one order that are looked at, at most.
const MAX_EXECUTIONS: u64 = 100_000;

/// Why it is not known what the calls return.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SequentialError {
    /// A limit has passed.
    #[error("interrupted")]
    Interrupted,
    /// Something in the program is not known to the exploration, or is beyond a bound: sentences with their places.
    #[error("what the calls return one after the other is not known")]
    Unknown(Vec<(String, Span)>),
    /// The program has a fence that sequential consistency does not know.
    #[error(transparent)]
    Enumerate(EnumerateError),
}

/// What the calls of a client return in each order that may matter.
///
/// # Errors
/// See [`SequentialError`].
pub fn outcomes(
    program: &Program,
    client: &Client,
    consistencies: &[Consistency],
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Outcomes, SequentialError> {
    let numbering = Numbering::new(client);
    let model = cat::builtin("sc").expect("sequential consistency is built in");
    let options = EnumerateOptions {
        checks: Vec::new(),
        bounds: bounds.clone(),
        max_executions: MAX_EXECUTIONS,
    };
    let any_order = consistencies.contains(&Consistency::Quiescence);
    let mut found = Outcomes::default();
    for order in orders(&numbering, any_order) {
        let sequential = one_after_the_other(program, client, &numbering, &order);
        let explored = explore(
            &sequential,
            &model,
            &options,
            ExploreOptions::default(),
            watch,
        );
        let explored = explored.map_err(|error| match error {
            ExploreError::Enumerate(EnumerateError::Interrupted) => SequentialError::Interrupted,
            ExploreError::Enumerate(error) => SequentialError::Enumerate(error),
            ExploreError::Refused { ref span, .. } => {
                let at = span.unwrap_or(program.main_span());
                SequentialError::Unknown(vec![(error.to_string(), at)])
            }
        })?;
        let unknown = explored.found.unsupported.iter();
        let unknown = unknown.chain(&explored.found.limits_reached).cloned();
        let unknown: Vec<(String, Span)> = unknown.collect();
        if !unknown.is_empty() {
            return Err(SequentialError::Unknown(unknown));
        }
        for results in explored.found.states.into_keys() {
            if let Some(call) = allocated(&sequential, client, &results) {
                let text = format!(
                    "`{}` returns the address of what it has allocated, which is another one in each order",
                    call.text
                );
                return Err(SequentialError::Unknown(vec![(text, call.span)]));
            }
            found.orders.entry(results).or_default().push(order.clone());
        }
    }
    Ok(found)
}

/// A call that returns the address of an object without static storage.
fn allocated<'c>(program: &Program, client: &'c Client, results: &[u64]) -> Option<&'c Call> {
    let statics = 1 + program.procs.len() as u64 + program.globals.len() as u64;
    let parts = client
        .calls()
        .flat_map(|call| call.results.iter().map(move |r| (call, r)));
    let mut parts = parts.zip(results);
    let found = parts.find(|((_, result), value)| {
        result.kind == ScalarKind::Pointer && **value >> program.data_model.offset_bits() >= statics
    });
    found.map(|((call, _), _)| call)
}

/// The orders of the calls of the threads: all, or those in which the calls of each thread are in their order.
pub fn orders(numbering: &Numbering, any: bool) -> Vec<Vec<usize>> {
    let threads: Vec<Vec<usize>> = match any {
        true => numbering
            .threads()
            .concat()
            .into_iter()
            .map(|c| vec![c])
            .collect(),
        false => numbering.threads().to_vec(),
    };
    let mut found = Vec::new();
    merges(
        &threads,
        &mut vec![0; threads.len()],
        &mut Vec::new(),
        &mut found,
    );
    found
}

fn merges(
    threads: &[Vec<usize>],
    next: &mut Vec<usize>,
    order: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    let mut is_whole = true;
    for t in 0..threads.len() {
        let Some(call) = threads[t].get(next[t]) else {
            continue;
        };
        is_whole = false;
        next[t] += 1;
        order.push(*call);
        merges(threads, next, order, found);
        order.pop();
        next[t] -= 1;
    }
    if is_whole {
        found.push(order.clone());
    }
}

/// The program that makes the calls in an order.
fn one_after_the_other(
    program: &Program,
    client: &Client,
    numbering: &Numbering,
    order: &[usize],
) -> Program {
    let mut program = program.clone();
    if depends_on_threads(&program) {
        in_turns(&mut program, client, numbering, order);
    } else {
        let calls: Vec<&Call> = client.calls().collect();
        let (of_threads, finally) = calls.split_at(numbering.count());
        let ordered = order.iter().map(|c| of_threads[*c]);
        let made = client
            .setup
            .iter()
            .chain(ordered)
            .chain(finally.iter().copied());
        let body = made.map(|call| instr(call.span, called(call)));
        program.procs[client.main].body = body.collect();
    }
    observe(&mut program, client);
    program
}

/// Lets main say at its end what the calls have returned.
fn observe(program: &mut Program, client: &Client) {
    program.observables = IdVec::new();
    let main = &mut program.procs[client.main];
    for call in client.calls() {
        for result in &call.results {
            let what = program.observables.push(Observable::Register {
                thread: 0,
                name: program.globals[result.global].name.clone(),
                width: result.width,
            });
            let value = loaded(main, result.global, result.width, call.span);
            main.body
                .push(instr(call.span, Op::Observe { what, value }));
        }
    }
}

/// Whether what the program does may depend on the thread that does it.
fn depends_on_threads(program: &Program) -> bool {
    let ops = program.procs.iter().flat_map(|p| &p.body).map(|i| &i.op);
    let mut ops = ops.filter(|op| {
        matches!(
            op,
            Op::ThreadSelf { .. } | Op::SetNote { .. } | Op::GetNote { .. } | Op::ThreadExit(_)
        )
    });
    ops.next().is_some() || program.globals.iter().any(|g| g.thread_local)
}

/// Lets each thread wait for its turn before each call.
fn in_turns(program: &mut Program, client: &Client, numbering: &Numbering, order: &[usize]) {
    let turn = scalar(program, "turn", program.main_span(), 32);
    for (thread, numbers) in client.threads.iter().zip(numbering.threads()) {
        let routine = &mut program.procs[thread.routine];
        routine.body.clear();
        for (call, number) in thread.calls.iter().zip(numbers) {
            let position = order.iter().position(|c| c == number);
            let position = position.expect("each call is in the order") as u64;
            let dst = routine.locals.push(Local {
                name: String::new(),
                width: 32,
            });
            let now = Expr::constant(position, 32);
            let is_due = Expr::binary(BinOp::Eq, Expr::Local(dst), now);
            let (addr, order) = (Expr::Global(turn), MemoryOrder::SeqCst);
            let waits = [
                Op::Load {
                    dst,
                    addr: addr.clone(),
                    order,
                },
                Op::Assume(is_due),
                called(call),
                Op::Store {
                    addr,
                    value: Expr::constant(position + 1, 32),
                    order,
                },
            ];
            routine.body.extend(waits.map(|op| instr(call.span, op)));
        }
    }
}

/// A new object for a number.
pub(crate) fn scalar(program: &mut Program, name: &str, span: Span, width: u8) -> GlobalId {
    let layout = program.layouts.push(Layout::Scalar { width });
    program.globals.push(Global {
        name: name.to_string(),
        span,
        layout,
        init: Vec::new(),
        thread_local: false,
    })
}

/// A new register with what is in an object for a number.
pub(crate) fn loaded(proc: &mut Proc, global: GlobalId, width: u8, span: Span) -> Expr {
    let name = String::new();
    let dst = proc.locals.push(Local { name, width });
    let (addr, order) = (Expr::Global(global), MemoryOrder::Plain);
    proc.body.push(instr(span, Op::Load { dst, addr, order }));
    Expr::Local(dst)
}

pub(crate) fn instr(span: Span, op: Op) -> Instr {
    Instr { span, op }
}

pub(crate) fn called(call: &Call) -> Op {
    Op::Call {
        dst: None,
        callee: Callee::Proc(call.proc),
        args: Vec::new(),
    }
}
