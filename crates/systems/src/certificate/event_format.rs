//! The text of a certificate over events: the lines of [`super::format`], and those about events.
//!
//! ```text
//! wmbmc event certificate 1
//! model pso
//! cube 2 snapshot
//! read 0 #1 X after 1 not after #2
//! in r0 True
//! after 0 : 1
//! overwritten 1 X : #2
//! fires #1 : 0
//! commits #1 : 0
//! cell X : 0
//! end
//! ```

use super::format::{begin, entry, history_text, process, read_base, read_blocks, read_history};
use crate::cube::any::AnyCube;
use crate::cube::event::{EventCube, PendingOverwrite};
use crate::cube::literals::BaseKind;
use crate::cube::timestamp::{MAX_TIMESTAMPS, Timestamps};
use crate::cube::tso::Cube;
use crate::system::System;
use std::borrow::Cow;

const HEADER: &str = "wmbmc event certificate 1";

/// The text is a certificate over events, as its first line says.
pub fn is_of_events(text: &str) -> bool {
    text.lines().next() == Some(HEADER)
}

/// A certificate on a model; the cubes are of the system with its history variables.
pub fn write_events<'c>(
    system: &System,
    model: &str,
    cubes: impl IntoIterator<Item = &'c EventCube>,
) -> String {
    let mut out = format!("{HEADER}\nmodel {model}\n{}", history_text(system));
    for c in cubes {
        out += &c.text(system);
        out += "end\n";
    }
    out
}

/// Reads a certificate of a system on a model; returns with its cubes the system with its history
/// variables.
///
/// # Errors
/// A sentence with the line or cube that cannot be read, or the model that it is for.
pub fn read_events<'s>(
    system: &'s System,
    model: &str,
    text: &str,
) -> Result<(Cow<'s, System>, Vec<EventCube>), String> {
    let mut lines = text.lines().enumerate().peekable();
    if lines.next().map(|(_, l)| l) != Some(HEADER) {
        return Err(format!("line 1: the first line is `{HEADER}`"));
    }
    match lines.next().and_then(|(_, l)| l.strip_prefix("model ")) {
        Some(of) if of == model => {}
        Some(of) => return Err(format!("it is for `{of}`, not `{model}`")),
        None => return Err("line 2: the second line is `model` and its name".into()),
    }
    let extended = read_history(system, &mut lines)?;
    let drafts = read_blocks(
        lines,
        |rest| begin(rest).map(Draft::new),
        |draft, word, rest| draft.entry(&extended, word, rest),
    )?;
    let mut cubes = Vec::new();
    for (i, draft) in drafts.into_iter().enumerate() {
        let cube = draft.cube();
        cubes.push(cube.ok_or_else(|| format!("cube {}: it is not well formed", i + 1))?);
    }
    Ok((extended, cubes))
}

/// A cube being read. What steps and writes of processes are before is kept where the other kind of
/// cube has what comes after their events.
struct Draft {
    common: Cube,
    last: Vec<Option<u8>>,
    blocked_writers: Vec<u32>,
    overwrites: Vec<PendingOverwrite>,
}

impl Draft {
    fn new(common: Cube) -> Draft {
        Draft {
            common,
            last: Vec::new(),
            blocked_writers: Vec::new(),
            overwrites: Vec::new(),
        }
    }

    fn entry(&mut self, system: &System, word: &str, rest: &[&str]) -> Option<()> {
        match word {
            "read" => {
                let (read, mut rest) = rest.split_at_checked(3)?;
                entry(system, &mut self.common, word, read)?;
                let mut last = None;
                if let ["after", o, more @ ..] = rest {
                    let o: u8 = o.parse().ok().filter(|o| *o < MAX_TIMESTAMPS)?;
                    let count = self.common.after.len().max(usize::from(o) + 1);
                    self.common.after.resize(count, 0);
                    (last, rest) = (Some(o), more);
                }
                let by = match rest {
                    [] => 0,
                    ["not", "after", by @ ..] => self.processes(by)?,
                    _ => return None,
                };
                self.last.push(last);
                self.blocked_writers.push(by);
                Some(())
            }
            "overwritten" => {
                let [timestamp, cell, ":", by @ ..] = rest else {
                    return None;
                };
                self.overwrites.push(PendingOverwrite {
                    timestamp: timestamp.parse().ok()?,
                    cell: read_base(system, &self.common, cell)?,
                    by: self.processes(by)?,
                });
                Some(())
            }
            "fires" => entry(system, &mut self.common, "any", rest),
            "commits" => entry(system, &mut self.common, "writes", rest),
            "any" | "writes" | "fresh" => None,
            _ => entry(system, &mut self.common, word, rest),
        }
    }

    fn processes(&self, words: &[&str]) -> Option<u32> {
        let mut all = words.iter();
        all.try_fold(0, |set, w| Some(set | 1 << process(&self.common, w)?))
    }

    /// The cube, if its sets are of timestamps that it has, and each that a read comes after is one
    /// at which its cell is overwritten.
    fn cube(self) -> Option<EventCube> {
        let Draft {
            common,
            last,
            blocked_writers,
            mut overwrites,
        } = self;
        overwrites.sort_unstable();
        let all: Timestamps = (1 << common.after.len()) - 1;
        let sets = common.after.iter().chain(&common.po_successors);
        let sets = sets
            .chain(&common.writes)
            .chain(common.cells.iter().map(|(_, s)| s));
        let known = sets.into_iter().all(|set| set & !all == 0)
            && overwrites
                .iter()
                .all(|o| usize::from(o.timestamp) < common.after.len())
            && common
                .cells
                .iter()
                .all(|(b, _)| matches!(b.kind(), BaseKind::Cell(..)));
        let waits = common.reads.iter().zip(&last).all(|(r, o)| {
            o.is_none_or(|o| {
                let mut all = overwrites.iter();
                all.any(|w| w.timestamp == o && w.cell == r.cell)
            })
        });
        (known && waits).then_some(EventCube {
            procs: common.procs,
            conj: common.conj,
            reads: common.reads,
            last,
            blocked_writers,
            snapshot: common.snapshot,
            after: common.after,
            overwrites,
            step_successors: common.po_successors,
            write_successors: common.writes,
            cells: common.cells,
        })
    }
}
