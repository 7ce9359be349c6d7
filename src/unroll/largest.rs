//! What makes a program too large: the loop and the object with the most events.

use super::executor::Executor;
use super::memory::ObjId;
use super::options::{Largest, LargestLoop, LargestObject};
use base::source::Span;
use ir::program::*;
use std::collections::{BTreeMap, BTreeSet};

impl Executor<'_> {
    /// The loop and the object with the most events so far.
    pub(super) fn largest(&self) -> Largest {
        Largest {
            in_loop: self.largest_loop(),
            object: self.largest_object(),
        }
    }

    fn largest_loop(&self) -> Option<LargestLoop> {
        let (at, events) = self.loops.largest()?;
        let (procedure, back) = at;
        let seen = self.graph.loops.get(&at);
        Some(LargestLoop {
            name: self.analysis.flow(procedure).names[back].clone()?,
            span: self.program.procs[procedure].body[back].span,
            iterations: seen.map_or(0, |seen| seen.most),
            events,
        })
    }

    fn largest_object(&self) -> Option<LargestObject> {
        let mut counts: BTreeMap<ObjId, (usize, Span)> = BTreeMap::new();
        for event in self.graph.events.iter() {
            let slots = event.cells.iter().map(|cell| self.cells.slot(*cell));
            let objects = slots.map(|slot| self.facts.slots[slot].object);
            for object in objects.collect::<BTreeSet<ObjId>>() {
                let entry = counts.entry(object).or_insert((0, event.span));
                entry.0 += 1;
            }
        }
        let (object, (events, span)) = counts.into_iter().max_by_key(|(_, (n, _))| *n)?;
        let object = &self.facts.objects[object];
        let element = object.layout.and_then(|layout| self.element_size(layout));
        Some(LargestObject {
            name: object.name.clone(),
            elements: element.map_or(1, |bytes| object.size / bytes),
            events,
            span,
        })
    }

    /// Bytes of an element of an array; of anything else all of its bytes, so that an object on the
    /// heap has several.
    fn element_size(&self, layout: LayoutId) -> Option<u64> {
        let size = match &self.program.layouts[layout] {
            Layout::Array { elem, .. } => self.program.size_of(*elem),
            _ => self.program.size_of(layout),
        };
        (size > 0).then_some(size)
    }
}
