//! Places for new fences, where no order of the program's own sites is strong enough: behind each statement with
//! one access or more that other threads may see. Statements with jumps, and those that the text cannot have a
//! fence behind, have none.

use crate::driver::statements::Statements;
use base::source::{SourceMap, Span};
use ir::program::{MemoryOrder, Op, ProcId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// The last instruction of each statement that a fence may stand behind, with the end of the statement.
pub(super) fn places(
    program: &Program,
    sources: &SourceMap,
    shared: &BTreeSet<Span>,
) -> BTreeMap<(ProcId, usize), Span> {
    let statements = Statements::new(sources);
    let mut found = BTreeMap::new();
    for id in program.procs.ids() {
        let body = &program.procs[id].body;
        let mut all: BTreeSet<Span> = BTreeSet::new();
        for instr in body.iter().filter(|i| shared.contains(&i.span)) {
            let has_form = || statements.fence_after(instr.span, MemoryOrder::SeqCst);
            if let Some(statement) = statements
                .around(instr.span)
                .filter(|_| has_form().is_some())
            {
                all.insert(statement);
            }
        }
        for statement in all {
            let is_in = |span: Span| {
                span.file == statement.file
                    && statement.start <= span.start
                    && span.end <= statement.end
            };
            let mut own = (0..body.len()).filter(|i| is_in(body[*i].span));
            let Some(first) = own.next() else {
                continue;
            };
            let last = own.next_back().unwrap_or(first);
            let jumps = |op: &Op| matches!(op, Op::Goto { .. } | Op::Return(_));
            let is_one = body[first..=last]
                .iter()
                .all(|i| is_in(i.span) && !jumps(&i.op));
            let enters = body.iter().any(|i| match i.op {
                Op::Goto { target, .. } => first < target && target <= last,
                _ => false,
            });
            if is_one && !enters {
                let end = Span {
                    start: statement.end - 1,
                    ..statement
                };
                found.insert((id, last), end);
            }
        }
    }
    found
}
