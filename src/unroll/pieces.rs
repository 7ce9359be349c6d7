//! Accesses in pieces: where accesses of different sizes go to the same bytes, wide ones are split
//! into pieces of the size of the finest.
//!
//! The memory of the event graph is scalars, each of one width. Which sizes a program uses is found
//! out on the way: a pass that comes to an access which does not fit the scalars it touches splits
//! these, and is repeated (`Facts::split`). From then on such an access is one of each piece,
//! at consecutive addresses, and its value is their values one after the other, the lowest bytes
//! first (all machines here are little-endian).
//!
//! Where a machine makes the access at one point ([`Program::is_one_access`]), its pieces are a group
//! ([`Atomicity::Access`]). Others tear, in an unknown order: they are unsupported where other threads
//! access the pieces. The pieces of a read-modify-write are two groups, that of the read and that of
//! the write, and each piece is a read-modify-write of its own, so that no other thread writes any of
//! them in between.

use super::event::*;
use super::executor::Executor;
use super::memory::{Facts, ObjId, SlotId};
use super::state::{State, SymbolicValue};
use super::targets::{Piece, Targets};
use super::term::{Term, TermId, Terms};
use base::source::Span;
use ir::pair::WORD;
use ir::program::*;

impl Facts {
    /// How many bytes the pieces of an access have that goes to some of these places: as many as it
    /// has itself, but no more than a word, unless other accesses of the same bytes are smaller. Scalars
    /// that are larger than that are split, which contradicts the pass.
    pub fn piece(&mut self, program: &Program, places: &[(ObjId, u64)], bytes: u64) -> u64 {
        let mut piece = bytes.min(u64::from(WORD) / 8);
        loop {
            let finest = places.iter().fold(piece, |finest, (object, offset)| {
                self.fits(*object, *offset, bytes, finest)
            });
            if finest == piece {
                break;
            }
            piece = finest;
        }
        for (object, offset) in places {
            let whole = self.scalars_in(*object, *offset, bytes);
            let whole: Vec<(u64, u64)> = whole.filter(|(_, size)| *size != piece).collect();
            for (start, size) in whole {
                self.split(program, *object, (start, size), piece);
                self.contradict();
            }
            if piece < bytes {
                self.split(program, *object, (*offset, bytes), piece);
            }
        }
        piece
    }

    /// The largest pieces, of at most `piece` bytes, into which an access and what it touches at one
    /// place can both be divided.
    fn fits(&self, object: ObjId, offset: u64, bytes: u64, piece: u64) -> u64 {
        let mut finest = piece;
        for byte in offset..offset + bytes {
            finest = finest.min(self.finest(object, byte).unwrap_or(finest));
        }
        for (start, size) in self.scalars_in(object, offset, bytes) {
            if size != finest || !start.abs_diff(offset).is_multiple_of(finest) {
                finest = finest.min(lowest_bit(start | size | offset | bytes));
            }
        }
        match finest < bytes {
            true => finest.min(lowest_bit(offset | bytes)),
            false => finest,
        }
    }

    /// Divides some bytes of an object into pieces, and the same ones of all elements of an array.
    fn split(&mut self, program: &Program, object: ObjId, (start, size): (u64, u64), piece: u64) {
        let whole = &self.objects[object];
        let element = whole.layout.map(|layout| match &program.layouts[layout] {
            Layout::Array { elem, .. } => program.size_of(*elem),
            _ => program.size_of(layout),
        });
        let period = element.filter(|e| *e >= size && start % e + size <= *e);
        let places: Vec<u64> = match period {
            Some(period) if whole.size / period <= MAX_ELEMENTS => (start % period..whole.size)
                .step_by(period as usize)
                .collect(),
            _ => vec![start],
        };
        for place in places {
            let scalars: Vec<(u64, u64)> = self.scalars_in(object, place, size).collect();
            for (start, _) in scalars.into_iter().filter(|(_, size)| *size > piece) {
                self.forget(object, start);
            }
            for byte in place..place + size {
                self.note_finest(object, byte, piece as u8);
            }
        }
    }

    /// The scalars that an access of some bytes consists of, lowest first; `None` when not all of
    /// them are known.
    pub fn known_pieces(&self, object: ObjId, offset: u64, bytes: u64) -> Option<Vec<SlotId>> {
        let mut at = offset;
        let mut out = Vec::new();
        while at < offset + bytes {
            let (slot, size) = self.scalar_at(object, at)?;
            out.push(slot);
            at += size;
        }
        (at == offset + bytes).then_some(out)
    }
}

/// Elements of an array that are divided at once; of larger ones each is when it is met.
const MAX_ELEMENTS: u64 = 1 << 12;

/// How deep choices between words are looked into: they share parts, and are looked at one by one.
const MAX_DEPTH: u32 = 10;

/// The largest power of two that divides a number.
fn lowest_bit(number: u64) -> u64 {
    1 << number.trailing_zeros().min(63)
}

impl Executor<'_> {
    /// Whether a machine makes an access of some bytes at one point, wherever of these places it
    /// goes.
    pub(super) fn is_atomic_at(
        &self,
        places: &[(ObjId, u64)],
        bytes: u64,
        order: MemoryOrder,
    ) -> bool {
        places.iter().all(|(object, offset)| {
            let align = self.facts.objects[*object].align;
            self.program.is_one_access(bytes, *offset, align, order)
        })
    }

    /// The group of the pieces of an access, if there are several and they are one. Those of an
    /// access that tears come in an order that nobody knows, so that others may not look.
    pub(super) fn group_of_pieces(
        &mut self,
        state: &State,
        targets: &Targets,
        span: Span,
    ) -> Option<GroupId> {
        if let Some((group, _)) = state.group {
            return Some(group);
        }
        let shared = targets.pieces.iter().filter(|p| !p.shared.is_empty());
        if shared.count() < 2 {
            return None;
        }
        if targets.is_atomic {
            return Some(self.graph.groups.push(AtomicGroup {
                kind: Atomicity::Access,
                events: Vec::new(),
                site: None,
                ends: Vec::new(),
            }));
        }
        let is_contended = |p: &&Piece| p.shared.iter().any(|(s, _)| self.facts.is_contended(*s));
        if targets.pieces.iter().filter(is_contended).count() > 1 {
            let bytes = targets.pieces.len() * usize::from(targets.width) / 8;
            let reason = format!(
                "access of {bytes} bytes, not known to be aligned, to memory that other threads \
                 access in smaller pieces"
            );
            let guard = self.graph.terms.and(state.guard, targets.covered);
            self.unsupported(guard, span, reason);
        }
        None
    }

    /// The value of an access from those of its pieces.
    pub(super) fn joined(&mut self, pieces: &[SymbolicValue]) -> SymbolicValue {
        let words: Vec<TermId> = pieces.iter().map(|p| p.term).collect();
        let term = self.graph.terms.concat(&words);
        let deps = pieces.iter().map(|p| p.deps);
        let deps = deps.reduce(|a, b| self.deps.union(a, b, &mut self.graph.terms));
        SymbolicValue {
            term,
            deps: deps.expect("an access has a piece"),
            shadow: self.joined_shadow(pieces),
        }
    }
}

impl Terms {
    /// `width` bits of a term from bit `low` on.
    pub fn extract(&mut self, a: TermId, low: Width, width: Width) -> TermId {
        let all = self.width(a);
        if low == 0 && width == all {
            return a;
        }
        let is_within = |x: TermId, t: &Terms| low + width <= t.width(x);
        match self.get(a) {
            Term::ZeroExtend(x) if low >= self.width(x) => return self.constant(0, width),
            Term::ZeroExtend(x) | Term::SignExtend(x) if is_within(x, self) => {
                return self.extract(x, low, width);
            }
            Term::Truncate(x) => return self.extract(x, low, width),
            Term::Binary(BinOp::Lshr, x, by) => {
                if let Some(by) = self.as_const(by)
                    && by + u64::from(low + width) <= u64::from(all)
                {
                    return self.extract(x, low + by as Width, width);
                }
            }
            Term::Binary(BinOp::Shl, x, by) => {
                if let Some(by) = self.as_const(by) {
                    if by >= u64::from(low + width) {
                        return self.constant(0, width);
                    }
                    if by <= u64::from(low) {
                        return self.extract(x, low - by as Width, width);
                    }
                }
            }
            Term::Binary(BinOp::Or, x, y) => {
                let is_apart = |(from, to): (Width, Width)| to <= low || low + width <= from;
                if is_apart(self.span(y)) {
                    return self.extract(x, low, width);
                }
                if is_apart(self.span(x)) {
                    return self.extract(y, low, width);
                }
            }
            _ => {}
        }
        let by = self.constant(u64::from(low), all);
        let moved = self.binary(BinOp::Lshr, a, by);
        self.truncate(moved, width)
    }

    /// Bits of a term that may not be zero: from and to.
    fn span(&self, a: TermId) -> (Width, Width) {
        let all = (0, self.width(a));
        match self.get(a) {
            Term::ZeroExtend(x) => self.span(x),
            Term::Binary(BinOp::Shl, x, by) => match self.as_const(by) {
                Some(by) if by < u64::from(all.1) => {
                    let (from, to) = self.span(x);
                    let by = by as Width;
                    (all.1.min(from + by), all.1.min(to + by))
                }
                _ => all,
            },
            Term::Binary(BinOp::Or, x, y) => {
                let ((a, b), (c, d)) = (self.span(x), self.span(y));
                (a.min(c), b.max(d))
            }
            _ => all,
        }
    }

    /// The words that a term was made of by [`Terms::concat`], in any order; `None` if it was not.
    pub fn words(&self, a: TermId) -> Option<Vec<TermId>> {
        let Term::Binary(BinOp::Or, ..) = self.get(a) else {
            return None;
        };
        let mut out = Vec::new();
        let mut left = vec![a];
        while let Some(next) = left.pop() {
            match self.get(next) {
                Term::Binary(BinOp::Or, x, y) => left.extend([x, y]),
                Term::Binary(BinOp::Shl, x, by) if self.as_const(by).is_some() => left.push(x),
                Term::ZeroExtend(x) if x != a => out.push(x),
                Term::Const(_) => {}
                _ => return None,
            }
        }
        Some(out)
    }

    /// Words one after the other, the lowest first.
    pub fn concat(&mut self, words: &[TermId]) -> TermId {
        self.concat_choices(words, MAX_DEPTH)
    }

    /// The same; choices are pushed to the outside so many levels deep.
    fn concat_choices(&mut self, words: &[TermId], depth: u32) -> TermId {
        let width = words.iter().map(|w| self.width(*w)).sum();
        if let Some((whole, low)) = self.parts_of_one(words) {
            return self.extract(whole, low, width);
        }
        if let Some(cond) = self.one_choice(words).filter(|_| depth > 0) {
            let side = |t: &Terms, w: &TermId, first: bool| match t.get(*w) {
                Term::Ite(_, a, b) => {
                    if first {
                        a
                    } else {
                        b
                    }
                }
                _ => *w,
            };
            let [yes, no] = [true, false].map(|first| {
                let words: Vec<TermId> = words.iter().map(|w| side(self, w, first)).collect();
                self.concat_choices(&words, depth - 1)
            });
            return self.ite(cond, yes, no);
        }
        let mut all = self.constant(0, width);
        let mut low = 0;
        for word in words {
            let by = self.constant(u64::from(low), width);
            let wide = self.extend(*word, width, false);
            let moved = self.binary(BinOp::Shl, wide, by);
            all = self.binary(BinOp::Or, all, moved);
            low += self.width(*word);
        }
        all
    }

    /// The term that words are consecutive bits of, and the lowest of these.
    fn parts_of_one(&self, words: &[TermId]) -> Option<(TermId, Width)> {
        let part = |word: TermId| match self.get(word) {
            Term::Truncate(x) => match self.get(x) {
                Term::Binary(BinOp::Lshr, whole, by) => match self.as_const(by) {
                    Some(by) => Some((whole, by as Width)),
                    None => Some((x, 0)),
                },
                _ => Some((x, 0)),
            },
            _ => None,
        };
        let (whole, lowest) = part(*words.first()?)?;
        let mut next = lowest;
        for word in words {
            if part(*word)? != (whole, next) {
                return None;
            }
            next += self.width(*word);
        }
        (next <= self.width(whole)).then_some((whole, lowest))
    }

    /// The condition that words are chosen by, where it is the same for all but constants.
    fn one_choice(&self, words: &[TermId]) -> Option<TermId> {
        let mut found = None;
        for word in words {
            match self.get(*word) {
                Term::Const(_) => {}
                Term::Ite(cond, ..) if found.is_none_or(|c| c == cond) => found = Some(cond),
                _ => return None,
            }
        }
        found
    }
}
