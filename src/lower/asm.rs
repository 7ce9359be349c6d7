//! From an x86 program for any number of threads to the intermediate language, for a fixed number of
//! them: for bounded model checking, beside the translation to a system of any number of processes.
//!
//! `main` creates the threads, all with the same procedure, whose parameter is the thread's number.
//! Instructions are lowered as those of litmus tests ([`super::litmus::x86`]). Shared data are
//! objects with static storage, data of threads are thread-local ones; both have 32 bits, counters
//! too. Nothing is assigned to registers and flags at first, so those that are read before they are
//! written are arbitrary.
//!
//! **The property** may hold in any state that is reached. All threads execute the same text, so the
//! threads that it names are the first ones without loss of generality: thread 1 is the first that it
//! names. Such a thread may stop at the places where the property wants it ([`stop`]) and hands over
//! the values that are compared with those of other threads; `main` joins these threads, and asserts
//! that the comparisons do not hold. All others go on as far as they go, which takes nothing away:
//! whatever thread moves on after a state, the registers of the threads that have stopped stay what
//! they are. Neither a bound that is reached nor an endless loop keeps an execution from counting.
//! Stopping is no event, and values are handed over by return, so no order is added to what the
//! program does.
//!
//! **Counters** are numbers here. The translation to a system reports a counter that leaves its range
//! as a violation, and so does an assertion behind each `inc` and `dec` here.

mod data;
mod stop;

use super::litmus::body::Body;
use super::litmus::memory::Locations;
use super::litmus::x86;
use crate::front::asm::ast::{self, Name};
use crate::front::litmus::ast::x86::{Instr as X86, Op as X, Unary};
use base::diag::Diag;
use base::idx::IdVec;
use base::source::{FileId, SourceMap, Span};
use data::{WORD, declare};
use ir::program::*;
use std::collections::BTreeSet;
use stop::Stops;

/// The only procedure that threads run, and that has all loops.
const THREAD: &str = "thread";

/// Lowers a program for so many threads.
///
/// # Errors
/// What is not supported, each with its place.
pub fn lower(
    sources: &SourceMap,
    source: &ast::Program,
    threads: u32,
) -> Result<Program, Vec<Diag>> {
    let mut program = Program {
        language: Language::X86,
        machine_code: source.code.iter().map(|l| l.span).collect(),
        ..Program::default()
    };
    let memory = declare(source, threads, &mut program);
    let stops = stop::stops(source)?;
    // Where too few threads run, the property holds in no state.
    let stops = Some(stops).filter(|s| s.threads() <= threads as usize);
    let thread = thread(source, &memory, threads, stops.as_ref())?;
    let thread = program.procs.push(thread);
    let main = main(sources, source, thread, threads, stops.as_ref());
    program.main = Some(program.procs.push(main));
    Ok(program)
}

/// The procedure of all threads.
fn thread(
    source: &ast::Program,
    memory: &Locations,
    threads: u32,
    stops: Option<&Stops>,
) -> Result<Proc, Vec<Diag>> {
    let tested = source.code.iter().flat_map(|l| x86::tested(&l.instr));
    let tested: BTreeSet<String> = tested.map(|f| (*f).to_string()).collect();
    let end = source.code.last().map_or(source.property_span, |l| l.span);
    let mut body = Body::new(memory, tested, end);
    body.threads = Some(threads);
    let handle = DataModel::default().pointer_width();
    let number = body.temporary(handle);
    let mut errors = Vec::new();
    for (at, line) in source.code.iter().enumerate() {
        body.span = line.span;
        let here = body.instrs.len();
        for label in &line.labels {
            body.labels.insert(label.text.clone(), (here, label.span));
        }
        if let Some(stops) = stops {
            body.span = place(&line.labels, line.span.file, line.span.start);
            stops.before(at, number, &mut body, &mut errors);
            body.span = line.span;
        }
        let from = body.instrs.len();
        if let Err(error) = x86::lower(&mut body, &line.instr) {
            errors.push(*error);
        }
        keep_in_range(source, &line.instr, threads, from, &mut body);
    }
    body.span = end;
    let here = body.instrs.len();
    for label in &source.end_labels {
        body.labels.insert(label.text.clone(), (here, label.span));
    }
    if let Some(stops) = stops {
        body.span = place(&source.end_labels, end.file, end.end);
        stops.before(source.code.len(), number, &mut body, &mut errors);
        body.span = end;
        // A thread that the property names, and that has not stopped, does not count as one.
        let named = Expr::constant(stops.threads() as u64, handle);
        let other = Expr::binary(BinOp::Ule, named, Expr::Local(number));
        body.emit(Op::Assume(other));
    }
    body.emit(Op::Return(Some(Expr::constant(0, handle))));
    let missing = body.resolve_jumps(0, body.instrs.len());
    errors.extend(missing.into_iter().map(|label| {
        let message = format!("there is no label `{}`", label.text);
        Diag::error(label.span, message)
    }));
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Proc {
        name: THREAD.to_string(),
        span: source.code.first().map_or(end, |l| l.span),
        params: vec![number],
        locals: body.locals,
        body: body.instrs,
        returns: Some(handle),
    })
}

/// Asserts that an `inc` or `dec` of a counter, which begins at this instruction, finds a value from
/// which it can step.
fn keep_in_range(source: &ast::Program, instr: &X86, threads: u32, from: usize, body: &mut Body) {
    let X::Unary(step @ (Unary::Inc | Unary::Dec), operand) = &instr.op else {
        return;
    };
    let name = operand.symbol().map(|s| &s.name.text);
    let Some(name) = name.filter(|n| source.shared(n).is_some_and(|d| d.counter)) else {
        return;
    };
    let found = body.instrs[from..].iter().find_map(|i| match i.op {
        Op::Load { dst, .. } | Op::Rmw { dst, .. } => Some(dst),
        _ => None,
    });
    let (last, verb) = match step {
        Unary::Inc => (threads, "overflows"),
        _ => (0, "underflows"),
    };
    if let Some(found) = found {
        let last = Expr::constant(last.into(), WORD);
        body.emit(Op::Assert {
            cond: Expr::binary(BinOp::Ne, Expr::Local(found), last),
            property: Property::new(Rule::Assertion, format!("the counter `{name}` {verb}")),
        });
    }
}

/// An empty place: where the first label stands, if there is one.
fn place(labels: &[Name], file: FileId, offset: u32) -> Span {
    let start = labels.first().map_or(offset, |l| l.span.start);
    Span {
        file,
        start,
        end: start,
    }
}

/// The procedure that creates the threads and asserts that the property does not hold.
fn main(
    sources: &SourceMap,
    source: &ast::Program,
    thread: ProcId,
    threads: u32,
    stops: Option<&Stops>,
) -> Proc {
    let span = source.property_span;
    let width = DataModel::default().pointer_width();
    let mut locals = IdVec::new();
    let mut body = Vec::new();
    let mut local = || {
        locals.push(Local {
            name: String::new(),
            width,
        })
    };
    let mut handles = Vec::new();
    for number in 0..threads {
        let dst = local();
        handles.push(dst);
        let op = Op::Spawn {
            dst,
            callee: Callee::Proc(thread),
            arg: Expr::constant(number.into(), width),
        };
        body.push(Instr { span, op });
    }
    if let Some(stops) = stops {
        let mut values = Vec::new();
        for handle in handles.iter().take(stops.threads()) {
            let dst = local();
            values.push(dst);
            let op = Op::Join {
                handle: Expr::Local(*handle),
                dst: Some(dst),
            };
            body.push(Instr { span, op });
        }
        let holds = stops.comparisons_of_several(&values);
        let names = source.property_threads();
        let threads = names.iter().enumerate();
        let threads: Vec<String> = threads
            .map(|(i, t)| format!("thread {} as ${t}", i + 1))
            .collect();
        let mut text = format!("`{}` holds", property_text(sources, source));
        if !threads.is_empty() {
            text += &format!(" with {}", threads.join(", "));
        }
        let op = Op::Assert {
            cond: Expr::Unary(UnOp::Not, Box::new(holds)),
            property: Property::new(Rule::Assertion, text),
        };
        body.push(Instr { span, op });
    }
    Proc {
        name: "main".to_string(),
        span,
        params: Vec::new(),
        locals,
        body,
        returns: None,
    }
}

/// The property as it is written, in one line.
fn property_text(sources: &SourceMap, source: &ast::Program) -> String {
    let all = source.property.iter().map(|c| text(sources, c.span()));
    all.collect::<Vec<_>>().join(" && ")
}

fn text(sources: &SourceMap, span: Span) -> &str {
    let text = &sources.file(span.file).text;
    text.get(span.start as usize..span.end as usize)
        .unwrap_or("")
}
