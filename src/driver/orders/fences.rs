//! Places for new fences, where no order of the program's own sites is strong enough: behind each statement with
//! one access or more that other threads may see, and behind the innermost loop around it. Statements with other
//! jumps, and those that the text cannot have a fence behind, have none.

use crate::driver::statements::Statements;
use base::source::{SourceMap, Span};
use ir::program::{Instr, MemoryOrder, Op, ProcId, Program};
use ir::sites::Fenced;
use std::collections::{BTreeMap, BTreeSet};

/// A statement or a loop of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    span: Span,
    /// The head of a loop: of its jumps those in the head and `break` go behind it.
    head: Option<Span>,
}

fn is_in(span: Span, whole: Span) -> bool {
    span.file == whole.file && whole.start <= span.start && span.end <= whole.end
}

/// By function and last instruction: the statements that a fence may stand behind, with the place of the fence.
pub(super) fn places(
    program: &Program,
    sources: &SourceMap,
    shared: &BTreeSet<Span>,
) -> BTreeMap<(ProcId, usize), Fenced> {
    let statements = Statements::new(sources);
    let mut found = BTreeMap::new();
    for id in program.procs.ids() {
        let body = &program.procs[id].body;
        let mut all: BTreeSet<Place> = BTreeSet::new();
        for instr in body.iter().filter(|i| shared.contains(&i.span)) {
            let span = statements.around(instr.span);
            all.extend(span.map(|span| Place { span, head: None }));
            let around = statements.loop_around(instr.span);
            all.extend(around.map(|(span, head)| Place {
                span,
                head: Some(head),
            }));
        }
        for place in all {
            let end = Span {
                start: place.span.end - 1,
                ..place.span
            };
            if statements.fence_after(end, MemoryOrder::SeqCst).is_none() {
                continue;
            }
            if let Some((first, last)) = instructions(body, &place, &statements) {
                found.insert((id, last), Fenced { first, span: end });
            }
        }
    }
    found
}

/// The first and the last instruction of a statement that is entered at the first one and left behind the last one,
/// where the text has its end. Functions may be left within a loop.
fn instructions(body: &[Instr], place: &Place, statements: &Statements) -> Option<(usize, usize)> {
    let mut own = (0..body.len()).filter(|i| is_in(body[*i].span, place.span));
    let first = own.next()?;
    let last = own.next_back().unwrap_or(first);
    let within = &body[first..=last];
    let is_plain = |instr: &Instr| match (&instr.op, place.head) {
        (Op::Goto { .. } | Op::Return(_), None) => false,
        (Op::Goto { target, .. }, Some(head)) if *target == last + 1 => {
            is_in(instr.span, head) || statements.is_break(instr.span)
        }
        _ => true,
    };
    let is_one = within
        .iter()
        .all(|i| is_in(i.span, place.span) && is_plain(i));
    let is_entered = (0..body.len()).any(|i| match body[i].op {
        Op::Goto { target, .. } => {
            let lands_within = first < target && target <= last;
            lands_within && !(first..=last).contains(&i)
        }
        _ => false,
    });
    (is_one && !is_entered).then_some((first, last))
}
