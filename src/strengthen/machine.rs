//! The places of a test in columns, and the text of its rows with other instructions.

use super::place::{Change, Ordered, OrderingPlace, PlaceKind, TextEdit, Way};
use crate::front::litmus::ast::{LineKind, Machine, Place, Test, Thread};
use crate::front::litmus::instruction::fill;
use base::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// An instruction set.
pub(super) trait OrderingInstructions {
    /// How the syntax calls it.
    fn machine(&self) -> Machine;

    /// What an instruction accesses; `None` if it accesses no memory.
    fn access(&self, line: &LineKind) -> Option<MachineAccess>;

    /// What an instruction orders that is a fence; [`Ordered::OTHER`] where it is known by no pairs.
    fn fence(&self, line: &LineKind) -> Option<Ordered>;

    /// The fences that may be put between two accesses, weaker ones first.
    fn fences(&self) -> &'static [FenceRow];

    /// An access whose address depends on a register besides: what computes it into a free one, and the access.
    fn dependent(&self, line: &LineKind, on: &str, free: &str) -> Option<(Vec<String>, LineKind)>;

    /// Registers that tests may use.
    fn registers(&self) -> Vec<String>;
}

/// A fence.
pub(super) struct FenceRow {
    pub(super) text: &'static str,
    pub(super) ordered: Ordered,
    pub(super) cost: u32,
}

/// What an instruction accesses.
pub(super) struct MachineAccess {
    pub(super) kind: PlaceKind,
    /// The register that receives what is read.
    pub(super) target: Option<String>,
    /// It makes a reservation, so that nothing is put behind it.
    pub(super) reserves: bool,
    /// The instruction and its other forms, weaker ones first.
    pub(super) forms: Vec<(LineKind, Ordered, u32)>,
}

/// What a dependency costs: as much as an instruction that acquires, which comes before it.
const DEPENDENCY: u32 = 1003;

/// The places of a test.
pub(super) fn places(test: &Test, set: &dyn OrderingInstructions) -> Vec<OrderingPlace> {
    let each = test.threads.iter();
    each.flat_map(|thread| of_thread(test, thread, set))
        .collect()
}

fn of_thread(test: &Test, thread: &Thread, set: &dyn OrderingInstructions) -> Vec<OrderingPlace> {
    let free = free_register(test, thread, set);
    let mut places = Vec::new();
    for (at, line) in thread.lines.iter().enumerate() {
        let place = |kind, ways: Vec<Way>, now| OrderingPlace {
            span: line.span,
            thread: thread.number,
            kind,
            ways,
            now,
        };
        if let Some(ordered) = set.fence(&line.kind) {
            let (ways, now) = fence_ways(&line.kind, ordered, set);
            places.push(place(PlaceKind::Fence, ways, now));
        }
        let Some(access) = set.access(&line.kind) else {
            continue;
        };
        let forms = access.forms.iter();
        let ways: Vec<Way> = forms
            .map(|(form, ordered, cost)| Way {
                text: form.to_string(),
                ordered: *ordered,
                cost: *cost,
                change: Change::Instruction(Box::new(form.clone())),
            })
            .collect();
        let mut forms = access.forms.iter();
        if let Some(now) = forms.position(|(form, ..)| *form == line.kind)
            && ways.len() > 1
        {
            places.push(place(access.kind, ways, now));
        }
        if !access.reserves {
            let ways = new_ways(thread, at, &access, free.as_deref(), set);
            if ways.len() > 1 {
                places.push(place(PlaceKind::New, ways, 0));
            }
        }
    }
    places
}

fn parsed(set: &dyn OrderingInstructions, text: &str, span: Span) -> Option<LineKind> {
    let lines = fill(set.machine(), text, &[], span).ok()?;
    lines.into_iter().next()
}

fn nothing() -> Way {
    Way {
        text: String::new(),
        ordered: Ordered::NOTHING,
        cost: 0,
        change: Change::Keep,
    }
}

/// A fence that is there: itself, the others, and none.
fn fence_ways(
    line: &LineKind,
    ordered: Ordered,
    set: &dyn OrderingInstructions,
) -> (Vec<Way>, usize) {
    let span = Span {
        file: base::source::FileId(0),
        start: 0,
        end: 0,
    };
    let rows = set.fences().iter();
    let known: Vec<LineKind> = rows.filter_map(|r| parsed(set, r.text, span)).collect();
    let removed = Way {
        change: Change::Text(Vec::new()),
        ..nothing()
    };
    let mut ways = vec![removed];
    let now = known.iter().position(|fence| fence == line);
    if now.is_none() {
        let is_full = Ordered::FULL.is_at_most(ordered);
        ways.push(Way {
            text: line.to_string(),
            ordered,
            cost: if is_full { 10_005 } else { 4000 },
            change: Change::Keep,
        });
    }
    let loads = Ordered::LOAD_LOAD.and(Ordered::LOAD_STORE);
    for (row, fence) in set.fences().iter().zip(known) {
        let other = match loads.is_at_most(row.ordered) {
            true => Ordered::OTHER,
            false => Ordered::NOTHING,
        };
        ways.push(Way {
            text: row.text.to_string(),
            ordered: row.ordered.and(other),
            cost: row.cost,
            change: Change::Instruction(Box::new(fence)),
        });
    }
    (ways, now.unwrap_or(0) + 1)
}

/// What may stand between an access and the next one of its thread.
fn new_ways(
    thread: &Thread,
    at: usize,
    access: &MachineAccess,
    free: Option<&str>,
    set: &dyn OrderingInstructions,
) -> Vec<Way> {
    let behind = thread.lines.iter().enumerate().skip(at + 1);
    let mut next = None;
    let mut is_straight = true;
    for (line, kind) in behind.map(|(at, line)| (at, &line.kind)) {
        if set.fence(kind).is_some() && next.is_none() {
            return vec![nothing()];
        }
        is_straight &= !matches!(kind, LineKind::Label(_));
        if let Some(to) = set.access(kind) {
            next = Some((line, to));
            break;
        }
    }
    let Some((line, to)) = next else {
        return vec![nothing()];
    };
    let from_load = match to.kind {
        PlaceKind::Load => Ordered::LOAD_LOAD,
        PlaceKind::Store => Ordered::LOAD_STORE,
        _ => Ordered::LOAD_LOAD.and(Ordered::LOAD_STORE),
    };
    let mut ways = vec![nothing()];
    let target = access.target.as_ref().zip(free);
    let depends = target.filter(|(on, free)| {
        let dependent = set.dependent(&thread.lines[line].kind, on, free);
        is_straight && dependent.is_some()
    });
    if let Some((on, free)) = depends {
        ways.push(Way {
            text: format!("dependency on {on}"),
            ordered: Ordered::DEPENDENCY,
            cost: DEPENDENCY,
            change: Change::Dependency {
                line,
                on: on.clone(),
                free: free.to_string(),
            },
        });
    }
    for row in set.fences() {
        let depends = from_load.is_at_most(row.ordered);
        let more = if depends {
            Ordered::DEPENDENCY
        } else {
            Ordered::NOTHING
        };
        ways.push(Way {
            text: row.text.to_string(),
            ordered: row.ordered.and(more),
            cost: row.cost,
            change: Change::Row(row.text.to_string()),
        });
    }
    ways
}

/// A register that a thread does not use.
fn free_register(test: &Test, thread: &Thread, set: &dyn OrderingInstructions) -> Option<String> {
    let mut used: BTreeSet<String> = BTreeSet::new();
    for line in &thread.lines {
        let text = line.kind.to_string();
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        used.extend(words.map(number_of));
    }
    for init in &test.init {
        if let Place::Register { name, .. } = &init.place {
            used.insert(number_of(&name.text));
        }
    }
    let mut all = set.registers().into_iter();
    all.find(|register| !used.contains(&number_of(register)))
}

/// A register without the letter that says which part of it is meant.
fn number_of(register: &str) -> String {
    register.trim_start_matches(char::is_alphabetic).to_string()
}

/// The edits of a text for the changes of some places.
pub(super) fn edits(
    test: &Test,
    text: &str,
    chosen: &[(&OrderingPlace, &Change)],
    set: &dyn OrderingInstructions,
) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    for (column, thread) in test.threads.iter().enumerate() {
        let mut lines: BTreeMap<usize, LineKind> = BTreeMap::new();
        let own = || chosen.iter().filter(|(p, _)| p.thread == thread.number);
        let mut rows = Vec::new();
        for (place, change) in own() {
            let spans = thread.lines.iter().map(|line| line.span);
            let at = spans.into_iter().position(|span| span == place.span);
            let at = at.unwrap_or(0);
            match change {
                Change::Instruction(line) => {
                    lines.insert(at, (**line).clone());
                }
                Change::Row(fence) => rows.push((place.span.end, vec![fence.clone()])),
                Change::Text(_) => edits.push(blank(place.span)),
                Change::Keep | Change::Dependency { .. } => {}
            }
        }
        for (_, change) in own() {
            let Change::Dependency { line, on, free } = change else {
                continue;
            };
            let access = lines.get(line).unwrap_or(&thread.lines[*line].kind);
            if let Some((before, access)) = set.dependent(access, on, free) {
                let span = thread.lines[*line].span;
                rows.push((row_before(text, span.start), before));
                lines.insert(*line, access);
            }
        }
        let instructions = lines.iter();
        edits
            .extend(instructions.map(|(at, line)| instruction(text, thread.lines[*at].span, line)));
        let columns = test.threads.len();
        let rows = rows.into_iter().map(|(behind, cells)| {
            let end = row_end(text, behind as usize);
            let cells = cells.iter();
            let rows = cells.map(|cell| row(text, end, (column, columns), cell));
            TextEdit::new(end, end, &rows.collect::<String>())
        });
        edits.extend(rows);
    }
    edits
}

/// Another instruction in the place of one, in as many columns where there is room.
fn instruction(text: &str, span: Span, line: &LineKind) -> TextEdit {
    let (from, to) = (span.start as usize, span.end as usize);
    let mut new = line.to_string();
    let room = text[to..].len() - text[to..].trim_start_matches(' ').len();
    let longer = new.len().saturating_sub(to - from);
    let shorter = (to - from).saturating_sub(new.len());
    new += &" ".repeat(shorter);
    TextEdit::new(from, to + longer.min(room.saturating_sub(1)), &new)
}

fn blank(span: Span) -> TextEdit {
    let (from, to) = (span.start as usize, span.end as usize);
    TextEdit::new(from, to, &" ".repeat(to - from))
}

/// Behind the semicolon that ends the row of a place.
fn row_end(text: &str, at: usize) -> usize {
    text[at..].find(';').map_or(text.len(), |n| at + n + 1)
}

/// A place in the row before that of a place.
fn row_before(text: &str, at: u32) -> u32 {
    let before = text[..at as usize].rfind(';').unwrap_or(0);
    base::idx::position(before)
}

/// A row with one cell, in the columns of the row that ends at a place.
fn row(text: &str, end: usize, (column, columns): (usize, usize), cell: &str) -> String {
    let begin = text[..end].rfind('\n').map_or(0, |n| n + 1);
    let like = text[begin..end].trim_end_matches(';');
    let mut widths: Vec<usize> = like.split('|').map(str::len).collect();
    widths.resize(columns, 2);
    let cells = widths.iter().enumerate().map(|(at, width)| match at {
        at if at == column => format!("{:width$}", format!(" {cell} ")),
        _ => " ".repeat(*width),
    });
    format!("\n{};", cells.collect::<Vec<_>>().join("|"))
}
