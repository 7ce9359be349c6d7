//! No two accesses race: for each two that may concern one object, of which one writes and one is not atomic.

use crate::analysis::Analysis;
use crate::answer::Unproved;
use crate::graph::NodeId;
use crate::joined;
use crate::locks::{Lock, Locks};
use crate::messages;
use crate::points_to::{Class, Offsets, gcd};
use crate::threads::{Access, Source};
use crate::tickets::Tickets;
use crate::value::{KindId, Operator, StaticBytes, Sym, SymId, ValId};
use ir::program::{Cast, Program, mask, sign_extend};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Offsets are compared modulo this power of two: no object is larger.
const BITS: u8 = 32;
/// The largest factor of a number of 32 bits in a wider address, so that it does not wrap around for the numbers of
/// threads.
const LARGEST_FACTOR: u64 = 1 << 12;

/// Shows that no two accesses of a program race, however many threads it starts and however often its loops
/// run. `interrupt` is asked often whether to give up.
///
/// # Errors
/// Why that is not shown; the program may be free of races nevertheless.
pub fn race_freedom(
    program: &Program,
    analysis: &Analysis,
    interrupt: &dyn Fn() -> bool,
) -> Result<(), Unproved> {
    let check = Check {
        program,
        analysis,
        settled: RefCell::default(),
        locks: RefCell::default(),
        tickets: RefCell::default(),
    };
    check.all(interrupt)
}

/// Whose a symbol of an address is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Owner {
    /// One of the two accesses.
    First,
    Second,
    /// It has one value for both.
    Both,
    /// It is what some bytes of the object with static storage have as long as there are threads.
    Settled {
        offset: u64,
        size: u64,
        is_pointer: bool,
    },
}

/// A symbol of an address.
type Tag = (Owner, SymId);

/// An address as a sum of symbols modulo 2^32.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Place {
    constant: u64,
    terms: BTreeMap<Tag, u64>,
}

impl Place {
    fn add(&mut self, tag: Tag, factor: u64) {
        let sum = self.terms.entry(tag).or_default();
        *sum = sum.wrapping_add(factor) & mask(BITS);
        if *sum == 0 {
            self.terms.remove(&tag);
        }
    }

    fn minus(&self, other: &Place) -> Place {
        let mut out = self.clone();
        out.constant = self.constant.wrapping_sub(other.constant) & mask(BITS);
        for (tag, factor) in &other.terms {
            out.add(*tag, factor.wrapping_neg());
        }
        out
    }
}

/// The loop whose iterations two accesses belong to different ones of, by its kind of thread and header.
type Apart = Option<(KindId, NodeId)>;

struct Check<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    /// Whether nobody writes what some bytes of an object with static storage have while there are threads.
    settled: RefCell<FxHashMap<StaticBytes, bool>>,
    locks: RefCell<Locks>,
    tickets: RefCell<Tickets>,
}

impl Check<'_> {
    fn all(&self, interrupt: &dyn Fn() -> bool) -> Result<(), Unproved> {
        let mut by_class: BTreeMap<Class, Vec<&Access>> = BTreeMap::new();
        for access in self.analysis.conducts.iter().flat_map(|c| &c.accesses) {
            let of = self
                .analysis
                .points_to
                .of(&self.analysis.threads.values, access.addr);
            let is_null = self.analysis.threads.values.constant(access.addr) == Some(0);
            let is_known = !of.number && !of.objects.is_empty();
            if !is_known && !access.scope && !is_null {
                return Err(Unproved::Address(access.span));
            }
            for (class, offsets) in of.objects {
                self.is_known(class, &offsets, access)?;
                by_class.entry(class).or_default().push(access);
            }
        }
        for (lock, span, text) in self.analysis.conducts.iter().flat_map(|c| &c.permits) {
            if self.lock(*lock) != Lock::Semaphore {
                return Err(Unproved::Unsupported(*span, text.clone()));
            }
        }
        for (class, accesses) in &by_class {
            for (i, a) in accesses.iter().enumerate() {
                if interrupt() {
                    return Err(Unproved::Interrupted);
                }
                for b in &accesses[i..] {
                    // An atomic section is one of a lock that all sections share.
                    let harmless = a.write.is_none() && b.write.is_none()
                        || a.atomic && b.atomic
                        || a.section && b.section;
                    if harmless || !self.analysis.are_concurrent(a.by(), b.by()) {
                        continue;
                    }
                    if self.are_apart(a, b, *class) || self.share_lock(a, b, *class) {
                        continue;
                    }
                    if self.is_passed_on(a, b) || self.is_passed_on(b, a) {
                        continue;
                    }
                    let has_joined = |a, b| joined::has_joined_thread(self.analysis, a, b, *class);
                    if has_joined(a, b) || has_joined(b, a) {
                        continue;
                    }
                    return Err(Unproved::Pair(a.span, b.span));
                }
            }
        }
        Ok(())
    }

    /// Whether what a thread has done is passed on to another one before an access of that.
    fn is_passed_on(&self, a: &Access, b: &Access) -> bool {
        let lock = |lock: ValId| self.lock(lock);
        let mut seen = b.seen.iter();
        seen.any(|flag| messages::is_passed_on(self.program, self.analysis, a, flag, &lock))
    }

    fn lock(&self, at: ValId) -> Lock {
        self.locks.borrow_mut().of(self.analysis, at)
    }

    /// What is not known of an object that no file defines is not looked at.
    fn is_known(
        &self,
        class: Class,
        offsets: &BTreeSet<Offsets>,
        access: &Access,
    ) -> Result<(), Unproved> {
        let Class::Global(g) = class else {
            return Ok(());
        };
        let Some(hidden) = self.program.undefined.get(&g) else {
            return Ok(());
        };
        let is_hidden = offsets.iter().any(|o| match o.modulus {
            0 => hidden.is_at(o.rest, access.size.unwrap_or(1)),
            _ => hidden.is_at(0, u64::MAX),
        });
        match is_hidden {
            true => {
                let name = &self.program.globals[g].name;
                Err(Unproved::Unsupported(
                    access.span,
                    ir::program::hidden_text(name),
                ))
            }
            false => Ok(()),
        }
    }

    /// The loop whose iterations two accesses of different threads belong to different ones of: each
    /// iteration starts one thread, and the accesses are of two of them, or one is of the thread that starts
    /// them, which has not yet started one in this iteration.
    fn different_iterations(&self, a: &Access, b: &Access) -> Apart {
        let of = |kind: KindId| {
            let (parent, node) = self.analysis.threads.kinds[kind].creation?;
            let [header] = self.analysis.threads.graphs[parent].loops[node][..] else {
                return None;
            };
            (!self.analysis.points_to.many[parent]).then_some((parent, header))
        };
        let (x, y) = (a.at.0, b.at.0);
        if x == y {
            return of(x);
        }
        let waits = |creator: &Access, kind: KindId| {
            let (parent, header) = of(kind)?;
            let started = creator.started.get(&kind);
            let is_before = started.is_none_or(|s| !s.current);
            (parent == creator.at.0 && is_before).then_some((parent, header))
        };
        waits(a, y).or_else(|| waits(b, x))
    }

    /// An address, where what a thread was given is what its creator had.
    fn place(&self, value: ValId, owner: Owner) -> Place {
        let mut place = Place::default();
        self.add(&mut place, value, 1, owner);
        place
    }

    fn add(&self, place: &mut Place, value: ValId, factor: u64, owner: Owner) {
        let values = &self.analysis.threads.values;
        let sum = values.of(value);
        place.constant = place
            .constant
            .wrapping_add(sum.constant.wrapping_mul(factor))
            & mask(BITS);
        for (sym, f) in &sum.terms {
            let factor = factor.wrapping_mul(*f) & mask(BITS);
            match values.of_sym(*sym) {
                Sym::Argument(kind) => {
                    let argument = self.analysis.points_to.argument(*kind);
                    let argument = argument.expect("a thread is created");
                    self.add(place, argument, factor, owner);
                }
                Sym::Term(Operator::Cast(Cast::Zero | Cast::Sign), inner)
                    if self.is_small(inner[0]) =>
                {
                    self.add(place, inner[0], factor, owner);
                }
                _ if self.analysis.is_common(*sym) => place.add((Owner::Both, *sym), factor),
                _ => {
                    let tag = self.settled(*sym).unwrap_or((owner, *sym));
                    place.add(tag, factor);
                }
            }
        }
    }

    /// What a thread has loaded from where nobody writes while there are threads.
    fn settled(&self, sym: SymId) -> Option<Tag> {
        let Analysis {
            threads, conducts, ..
        } = self.analysis;
        let Sym::Result(at) = threads.values.of_sym(sym) else {
            return None;
        };
        let Source::Memory(addr, size) = conducts[at.0].sources.get(&sym)? else {
            return None;
        };
        let bytes = self.analysis.threads.values.static_bytes(*addr, *size)?;
        let known = self.settled.borrow().get(&bytes).copied();
        let is_settled = known.unwrap_or_else(|| !self.is_written_in_company(bytes));
        self.settled.borrow_mut().insert(bytes, is_settled);
        if !is_settled || !self.analysis.has_company(*at) {
            return None;
        }
        let of = self.analysis.points_to.of_sym(&threads.values, sym);
        let owner = Owner::Settled {
            offset: bytes.1,
            size: bytes.2,
            is_pointer: !of.objects.is_empty(),
        };
        let object = threads.values.of(*addr).terms[0].0;
        Some((owner, object))
    }

    /// Whether some thread may write some of these bytes when main has started another one.
    fn is_written_in_company(&self, bytes: StaticBytes) -> bool {
        let (program, g) = (self.program, bytes.0);
        program.undefined.contains_key(&g)
            || program.globals[g].thread_local
            || self.analysis.writes_beside_threads(bytes).next().is_some()
    }

    /// A number of 32 bits that is widened without having wrapped around.
    fn is_small(&self, value: ValId) -> bool {
        let sum = self.analysis.threads.values.of(value);
        let small = |f: u64| sign_extend(f, sum.width).unsigned_abs() <= LARGEST_FACTOR;
        sum.width == BITS && sum.terms.iter().all(|(_, f)| small(*f))
    }

    /// The object of an address, where the address says so.
    fn base(&self, place: &Place) -> Option<Tag> {
        let mut base = None;
        for (tag, factor) in &place.terms {
            let sym = self.analysis.threads.values.of_sym(tag.1);
            match (sym, tag.0) {
                (
                    _,
                    Owner::Settled {
                        is_pointer: true, ..
                    },
                ) => return None,
                (_, Owner::Settled { .. }) => {}
                (Sym::Global(_) | Sym::ThreadLocal(..) | Sym::Object(_), _) => {
                    if *factor != 1 || base.is_some() {
                        return None;
                    }
                    base = Some(*tag);
                }
                _ if self.is_pointer(*tag) => return None,
                _ => {}
            }
        }
        base
    }

    /// Whether a symbol may be an address.
    fn is_pointer(&self, tag: Tag) -> bool {
        match tag.0 {
            Owner::Settled { is_pointer, .. } => is_pointer,
            _ => !self.pointees_of(tag).is_empty(),
        }
    }

    /// The objects that a symbol is the address of, with offsets, where that is known.
    fn pointees_of(&self, tag: Tag) -> BTreeMap<Class, BTreeSet<Offsets>> {
        let Analysis {
            threads, points_to, ..
        } = self.analysis;
        match tag.0 {
            Owner::Settled { .. } => BTreeMap::new(),
            _ => points_to.of_sym(&threads.values, tag.1).objects,
        }
    }

    /// Whether two accesses of different threads concern different bytes of a class of objects.
    fn are_apart(&self, a: &Access, b: &Access, class: Class) -> bool {
        let apart = self.different_iterations(a, b);
        let (x, y) = (
            self.place(a.addr, Owner::First),
            self.place(b.addr, Owner::Second),
        );
        let mut difference = x.minus(&y);
        if let (Some(p), Some(q)) = (self.base(&x), self.base(&y)) {
            if p.1 != q.1 || self.are_different_objects(a, b, p, apart) {
                return true;
            }
            if p != q {
                // They may be the same.
                difference.terms.remove(&p);
                difference.terms.remove(&q);
            }
            if self.are_different_offsets(a, b, &difference, apart) {
                return true;
            }
        } else {
            // The same pointer, at least, or none.
            let mut tags = difference.terms.keys();
            if !tags.any(|tag| self.is_pointer(*tag))
                && self.are_different_offsets(a, b, &difference, apart)
            {
                return true;
            }
        }
        let values = &self.analysis.threads.values;
        let (p, q) = (
            self.analysis.points_to.of(values, a.addr),
            self.analysis.points_to.of(values, b.addr),
        );
        let (Some(p), Some(q)) = (p.objects.get(&class), q.objects.get(&class)) else {
            return true;
        };
        let mut pairs = p.iter().flat_map(|o| q.iter().map(move |other| (o, other)));
        pairs.all(|(o, other)| !o.overlap(a.size, *other, b.size))
    }

    /// Whether what has the same name in two threads are two objects.
    fn are_different_objects(&self, a: &Access, b: &Access, tag: Tag, apart: Apart) -> bool {
        let (owner, node) = match self.analysis.threads.values.of_sym(tag.1) {
            _ if tag.0 == Owner::Both => return false,
            Sym::Object(at) => (at.0, Some(at.1)),
            Sym::ThreadLocal(kind, _) => (*kind, None),
            _ => return false,
        };
        if a.at.0 == owner && b.at.0 == owner {
            return true;
        }
        match (apart, node) {
            (Some((kind, header)), Some(node)) => {
                kind == owner && self.analysis.threads.graphs[kind].loops[node].contains(&header)
            }
            _ => false,
        }
    }

    /// Whether two accesses to one object, whose addresses differ by so much, concern different bytes of it.
    fn are_different_offsets(&self, a: &Access, b: &Access, by: &Place, apart: Apart) -> bool {
        let (Some(x), Some(y)) = (a.size, b.size) else {
            return false;
        };
        let (x, y) = (x as i64, y as i64);
        let constant = sign_extend(by.constant, BITS);
        let terms: Vec<(&Tag, &u64)> = by.terms.iter().collect();
        match terms[..] {
            [] => constant >= y || constant <= -x,
            [((p, s), f), ((q, t), g)] if self.are_different_tickets(a, b, (*p, *s), (*q, *t)) => {
                let stride = sign_extend(*f, BITS).abs();
                let opposite = f.wrapping_add(*g) & mask(BITS) == 0;
                opposite && stride >= constant.abs() + x.max(y)
            }
            [((_, s), f), ((_, t), g)] if s == t => {
                let Sym::Count((kind, header)) = self.analysis.threads.values.of_sym(*s) else {
                    return false;
                };
                let stride = sign_extend(*f, BITS).abs();
                let opposite = f.wrapping_add(*g) & mask(BITS) == 0;
                opposite && apart == Some((*kind, *header)) && stride >= constant.abs() + x.max(y)
            }
            _ => false,
        }
    }

    /// Whether the threads of two accesses have each taken a ticket of one counter.
    fn are_different_tickets(&self, a: &Access, b: &Access, (p, s): Tag, (q, t): Tag) -> bool {
        let kinds = match (p, q) {
            (Owner::First, Owner::Second) => [a.at.0, b.at.0],
            (Owner::Second, Owner::First) => [b.at.0, a.at.0],
            _ => return false,
        };
        // What a thread was given, another one may have been given, too.
        let ticket = |sym: SymId, by: KindId| {
            let locks = &mut self.locks.borrow_mut();
            let ticket = self.tickets.borrow_mut().counter(self.analysis, locks, sym);
            ticket
                .filter(|(of, _)| *of == by)
                .map(|(_, counter)| counter)
        };
        ticket(s, kinds[0]).is_some_and(|of| ticket(t, kinds[1]) == Some(of))
    }

    /// Whether both have one lock whenever they concern the same bytes.
    fn share_lock(&self, a: &Access, b: &Access, class: Class) -> bool {
        for lock in &a.held {
            for other in &b.held {
                let apart = self
                    .place(*lock, Owner::First)
                    .minus(&self.place(*other, Owner::Second));
                if apart.constant != 0 {
                    continue;
                }
                if !apart.terms.is_empty() && !self.implies_equal(a, b, class, &apart) {
                    continue;
                }
                let is_lock = |l: ValId| self.lock(l) != Lock::None;
                if is_lock(*lock) && is_lock(*other) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a difference is 0 wherever two accesses concern the same bytes.
    fn implies_equal(&self, a: &Access, b: &Access, class: Class, apart: &Place) -> bool {
        let (x, y) = (
            self.place(a.addr, Owner::First),
            self.place(b.addr, Owner::Second),
        );
        let difference = x.minus(&y);
        let (Some(size), Some(bytes)) = (a.size, b.size) else {
            return false;
        };
        let keys = |p: &Place| p.terms.keys().copied().collect::<Vec<Tag>>();
        if keys(&difference) != keys(apart) {
            return false;
        }
        let signed = |p: &Place| {
            let factors = p.terms.values();
            factors
                .map(|f| i128::from(sign_extend(*f, BITS)))
                .collect::<Vec<_>>()
        };
        let (d, u) = (signed(&difference), signed(apart));
        let proportional = d.iter().zip(&u).all(|(p, q)| p * u[0] == q * d[0]);
        if !proportional {
            return false;
        }
        let factors = difference.terms.values();
        let stride = factors.fold(0, |g, f| gcd(g, sign_extend(*f, BITS).unsigned_abs()));
        let constant = sign_extend(difference.constant, BITS).unsigned_abs();
        if stride >= constant + size.max(bytes) {
            return true;
        }
        // Two pointers to the beginnings of objects, or to the same place in each.
        let tags: Vec<(&Tag, &u64)> = difference.terms.iter().collect();
        let [(p, f), (q, g)] = tags[..] else {
            return false;
        };
        let (p, q) = match (sign_extend(*f, BITS), sign_extend(*g, BITS)) {
            (1, -1) => (p, q),
            (-1, 1) => (q, p),
            _ => return false,
        };
        let offsets = |tag: Tag| {
            let mut of = self.pointees_of(tag);
            of.remove(&class)
        };
        let (Some(p), Some(q)) = (offsets(*p), offsets(*q)) else {
            return false;
        };
        let by = sign_extend(difference.constant, BITS);
        p.iter().all(|o| {
            q.iter().all(|other| {
                let exact = o.modulus == 0 && other.modulus == 0;
                let distance = o.rest as i64 - other.rest as i64 + by;
                let overlap = distance < bytes as i64 && -distance < size as i64;
                exact && (!overlap || o.rest == other.rest)
            })
        })
    }
}
