//! Where an access may go: the scalars an address may be that of, by the points-to set of the
//! pointer.

use super::deps::DepSets;
use super::event::*;
use super::executor::Executor;
use super::memory::*;
use super::points_to::Offsets;
use super::state::*;
use super::term::{TermId, Terms};
use super::unresolved::UnresolvedAccess;
use base::source::Span;
use ir::program::*;

/// The scalars an access may touch.
pub(super) struct Targets {
    /// From the lowest bytes to the highest; mostly one.
    pub(super) pieces: Vec<Piece>,
    /// Bits of a piece.
    pub(super) width: Width,
    /// The machine makes all pieces at one point.
    pub(super) is_atomic: bool,
    /// The address is one of them.
    pub(super) covered: TermId,
}

/// A piece of an access: the scalars it may touch, each with the condition that it is the one.
pub(super) struct Piece {
    pub(super) addr: SymbolicValue,
    pub(super) private: Vec<(SlotId, TermId)>,
    pub(super) shared: Vec<(SlotId, TermId)>,
}

impl Targets {
    /// The part of a word that a piece of it has.
    pub(super) fn piece_of(&self, terms: &mut Terms, value: TermId, piece: usize) -> TermId {
        terms.extract(value, piece as Width * self.width, self.width)
    }

    /// The same of the words of a value, with what is known of it.
    pub(super) fn part_of(
        &self,
        terms: &mut Terms,
        words: &[SymbolicValue],
        piece: usize,
    ) -> SymbolicValue {
        let in_word = self.pieces.len() / words.len();
        let (value, piece) = (words[piece / in_word], piece % in_word);
        SymbolicValue {
            term: self.piece_of(terms, value.term, piece),
            shadow: value.shadow.map(|s| self.piece_of(terms, s, piece)),
            ..value
        }
    }
}

impl Executor<'_> {
    /// Where a plain load goes: where nothing is said of the address, it may be that of no object.
    pub(super) fn load_targets(
        &mut self,
        state: &State,
        addr: SymbolicValue,
        width: Width,
        span: Span,
    ) -> Targets {
        let order = MemoryOrder::Plain;
        match self.options.loads_outside {
            true => self.targets_inside(state, addr, width, order, span).0,
            false => self.targets(state, addr, width, order, span),
        }
    }

    /// Where an access goes; it is checked that its address is that of an object.
    pub(super) fn targets(
        &mut self,
        state: &State,
        addr: SymbolicValue,
        width: Width,
        order: MemoryOrder,
        span: Span,
    ) -> Targets {
        let (targets, mixed) = self.targets_inside(state, addr, width, order, span);
        let bad = self.graph.terms.not(targets.covered);
        let bad = self.graph.terms.and(state.guard, bad);
        if !self.graph.terms.is_false(bad) {
            let access = UnresolvedAccess {
                addr: addr.term,
                bytes: u64::from(width) / 8,
                pointers: &self.points_to(addr.term),
                mixed: &mixed,
            };
            self.unresolved_access(bad, &access, span);
            self.graph.checks.push(Check {
                property: Property::new(Rule::Access, "the address is that of an object"),
                span,
                thread: self.threads.current(),
                position: self.position(),
                choices: self.graph.choices.len(),
                guard: state.guard,
                cond: targets.covered,
            });
        }
        targets
    }

    /// Where an access goes that is one to an object, and the objects that may have no scalar of its size there.
    fn targets_inside(
        &mut self,
        state: &State,
        addr: SymbolicValue,
        width: Width,
        order: MemoryOrder,
        span: Span,
    ) -> (Targets, Vec<ObjId>) {
        let pointers = self.points_to(addr.term);
        let bytes = u64::from(width) / 8;
        let pointer = self.program.data_model.pointer_width();
        let mut covered = Vec::new();
        let mut mixed = Vec::new();
        let mut found: Vec<(ObjId, u64)> = Vec::new();
        let mut conds = Vec::new();
        for (object, offsets) in &pointers.objects {
            let o = &self.facts.objects[*object];
            if matches!(o.kind, ObjKind::Proc(_) | ObjKind::Null) {
                continue;
            }
            let size = o.size;
            let hidden = match o.kind {
                ObjKind::Global(global, _) => self.program.undefined.get(&global),
                _ => None,
            };
            if hidden == Some(&Hidden::All) {
                let inside = self.is_inside(addr, *object);
                covered.push(inside);
                let guard = self.graph.terms.and(state.guard, inside);
                let reason = hidden_text(&self.facts.objects[*object].name);
                self.unsupported(guard, span, reason);
                continue;
            }
            let places = self.facts.places(self.program, *object, offsets, width);
            let Some(mut places) = places else {
                let inside = self.is_inside(addr, *object);
                let guard = self.graph.terms.and(state.guard, inside);
                let name = &self.facts.objects[*object].name;
                let reason = format!(
                    "access of {bytes} bytes to `{name}` of {size} bytes, at a place that is not \
                     known"
                );
                self.unsupported(guard, span, reason);
                covered.push(inside);
                continue;
            };
            if let Offsets::Stride { .. } = offsets
                && offsets.below((size + 1).saturating_sub(bytes)) > places.len() as u64
            {
                mixed.push(*object);
            }
            self.select(addr.term, state.guard, *object, &mut places);
            let length = self.allocations.size_of(*object);
            if let Some(length) = length
                && let Some(beyond) = self.is_beyond_room(addr, *object, (bytes, length), offsets)
            {
                covered.push(beyond);
                let guard = self.graph.terms.and(state.guard, beyond);
                let name = &self.facts.objects[*object].name;
                let reason = format!(
                    "access to `{name}`, whose size is not a constant, behind its first {size} bytes"
                );
                self.unsupported(guard, span, reason);
            }
            for (i, place) in places.into_iter().enumerate() {
                if i % 256 == 255 && self.progress.ask() {
                    break;
                }
                let number = self.facts.address(*object, place);
                let number = self.graph.terms.constant(number, pointer);
                let mut here = self.graph.terms.eq(addr.term, number);
                if let Some(length) = length {
                    let ends_before = self.has_size_below(length, place + bytes);
                    let fits = self.graph.terms.not(ends_before);
                    here = self.graph.terms.and(here, fits);
                }
                if !self.graph.terms.is_false(here) {
                    covered.push(here);
                    if hidden.is_some_and(|hidden| hidden.is_at(place, bytes)) {
                        let guard = self.graph.terms.and(state.guard, here);
                        let reason = hidden_text(&self.facts.objects[*object].name);
                        self.unsupported(guard, span, reason);
                        continue;
                    }
                    found.push((*object, place));
                    conds.push(here);
                }
            }
        }
        let mut targets = Targets {
            pieces: Vec::new(),
            width,
            is_atomic: true,
            covered: self.graph.terms.any(&covered),
        };
        let size = self.facts.piece(self.program, &found, bytes);
        if size < bytes {
            targets.width = 8 * size as Width;
            targets.is_atomic = self.is_atomic_at(&found, bytes, order);
        }
        for start in (0..bytes).step_by(size as usize) {
            let by = self.graph.terms.constant(start, pointer);
            let term = self.graph.terms.binary(BinOp::Add, addr.term, by);
            let mut piece = Piece {
                addr: SymbolicValue {
                    term,
                    shadow: None,
                    ..addr
                },
                private: Vec::new(),
                shared: Vec::new(),
            };
            for ((object, place), here) in found.iter().zip(&conds) {
                let slot = self.facts.slot(*object, place + start, targets.width);
                match self.is_event(slot, addr, order) {
                    true => piece.shared.push((slot, *here)),
                    false => piece.private.push((slot, *here)),
                }
            }
            targets.pieces.push(piece);
        }
        self.check_alive(state, &pointers, addr, span);
        (targets, mixed)
    }

    /// Whether an access of a scalar is an event: others look, or the machine must see it.
    fn is_event(&mut self, slot: SlotId, addr: SymbolicValue, order: MemoryOrder) -> bool {
        let object = self.facts.slots[slot].object;
        let performed = order != MemoryOrder::Plain
            || self.options.address_dependencies
                && (addr.deps != DepSets::EMPTY || self.is_static(object));
        if self.threads.is_concurrent() && performed {
            // The machine performs it, whoever else looks.
            self.facts.share(slot);
        }
        self.threads.is_concurrent() && self.facts.is_shared(slot)
    }
}
