//! Atomic sections that a thread may not come to the end of: the process ends within, an assumption fails,
//! or a wait does not end.
//!
//! Nobody sees what such a section has written, as if it were the last thing that happens; and as only one
//! can be that, a thread may also stop before a section. Traces that stop there are of use only where the
//! thread has other ones with a section that writes and does not end.

use super::interpreter::Flow;
use super::objects::MAIN;
use super::thread_state::{OpenGroup, ThreadState};
use super::trace::End;
use base::source::Span;
use ir::program::{Atomicity, FenceTag};

/// Begins an atomic group, or goes deeper into the open one; the thread also stops before a section.
pub(super) fn begin_group(state: &mut ThreadState, kind: Atomicity, span: Span) -> Flow {
    if let Some(open) = &mut state.group {
        open.depth += 1;
        return Flow::On;
    }
    let is_section = kind == Atomicity::Section;
    let stops = (is_section && state.concurrent).then(|| {
        let mut stops = state.clone();
        stops.unbegun = true;
        stops.end = Some(End::Blocked("a thread stops before this section", span));
        stops
    });
    if is_section {
        state.fence(FenceTag::Group, span, &[]);
    }
    state.group = Some(OpenGroup {
        number: state.groups,
        kind,
        depth: 1,
        spawned: state.spawned.len(),
    });
    state.groups += 1;
    Flow::Also(stops.into_iter().collect())
}

impl ThreadState {
    /// The section that the thread has begun and does not end: it ends with the thread, but not with the
    /// process, as when main returns.
    pub(super) fn unfinished(&self, end: &End) -> Option<OpenGroup> {
        let ends = matches!(end, End::Ended(_)) && !(self.returned && self.key == MAIN);
        self.group
            .filter(|open| open.kind == Atomicity::Section && !ends)
    }
}
