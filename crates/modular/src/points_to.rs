//! Which objects a value may be the address of: Andersen's analysis (1994), over all kinds of threads, without
//! regard to when something is stored.
//!
//! What is computed from an address is one of the same object, wherever it leads: an access stays within the object
//! that its address was made from. Offsets are kept apart where they differ modulo a stride.

use crate::graph::NodeId;
use crate::threads::{Conduct, Source, Threads};
use crate::value::{At, KindId, Operator, Sym, SymId, ValId, Values};
use base::idx::{Id, IdVec};
use ir::program::{Cast, Expr, GlobalId, ProcId, Program, Width, mask, sign_extend};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Offsets that are kept apart in an object at most.
const MOST_OFFSETS: usize = 16;

/// An object, or all that one allocation makes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// With static storage.
    Global(GlobalId),
    /// One a thread.
    ThreadLocal(KindId, GlobalId),
    /// Allocated there.
    Object(At),
}

/// Offsets: those that are `rest` modulo `modulus`; `rest` alone if that is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Offsets {
    /// Modulo `modulus`.
    pub rest: u64,
    /// Bytes from one to the next.
    pub modulus: u64,
}

const ANY: Offsets = Offsets {
    rest: 0,
    modulus: 1,
};

/// The greatest common divisor; that of 0 and a number is the number.
pub fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

impl Offsets {
    /// Whether bytes at these and at those may be the same; no size: all of the object.
    pub fn overlap(self, size: Option<u64>, other: Offsets, bytes: Option<u64>) -> bool {
        let (Some(size), Some(bytes)) = (size, bytes) else {
            return true;
        };
        let modulus = gcd(self.modulus, other.modulus);
        if modulus == 0 {
            return self.rest < other.rest + bytes && other.rest < self.rest + size;
        }
        let difference = (self.rest % modulus + modulus - other.rest % modulus) % modulus;
        difference < bytes || modulus - difference < size
    }

    fn shifted(self, by: i64, stride: u64) -> Offsets {
        let modulus = gcd(self.modulus, stride);
        let rest = i128::from(self.rest) + i128::from(by);
        let rest = match modulus {
            0 => rest as u64,
            _ => rest.rem_euclid(i128::from(modulus)) as u64,
        };
        Offsets { rest, modulus }
    }
}

/// What a value may be.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Pointees {
    /// An address in one of these objects.
    pub objects: BTreeMap<Class, BTreeSet<Offsets>>,
    /// The address of a procedure.
    pub procs: BTreeSet<ProcId>,
    /// A number that was made of no address, and no constant.
    pub number: bool,
}

impl Pointees {
    fn number() -> Pointees {
        Pointees {
            number: true,
            ..Pointees::default()
        }
    }

    /// The one address that it may be, but for null and other constants.
    pub fn place(&self) -> Option<(Class, u64)> {
        let mut objects = self.objects.iter();
        let (Some((class, offsets)), None) = (objects.next(), objects.next()) else {
            return None;
        };
        let mut offsets = offsets.iter();
        match (offsets.next(), offsets.next()) {
            (Some(at), None) if at.modulus == 0 && !self.number && self.procs.is_empty() => {
                Some((*class, at.rest))
            }
            _ => None,
        }
    }

    fn object(class: Class) -> Pointees {
        let start = Offsets {
            rest: 0,
            modulus: 0,
        };
        Pointees {
            objects: BTreeMap::from([(class, BTreeSet::from([start]))]),
            ..Pointees::default()
        }
    }

    fn is_address(&self) -> bool {
        !self.objects.is_empty() || !self.procs.is_empty()
    }

    /// Adds the others; whether that is more.
    fn add(&mut self, other: &Pointees) -> bool {
        let mut changed = false;
        for (class, offsets) in &other.objects {
            let mine = self.objects.entry(*class).or_default();
            if mine.contains(&ANY) {
                continue;
            }
            let before = mine.len();
            mine.extend(offsets);
            changed |= mine.len() > before;
            if mine.contains(&ANY) || mine.len() > MOST_OFFSETS {
                *mine = BTreeSet::from([ANY]);
                changed = true;
            }
        }
        let before = self.procs.len();
        self.procs.extend(&other.procs);
        changed |= self.procs.len() > before || other.number && !self.number;
        self.number |= other.number;
        changed
    }

    fn anywhere(mut self) -> Pointees {
        for offsets in self.objects.values_mut() {
            *offsets = BTreeSet::from([ANY]);
        }
        self
    }
}

/// A part of an object, by offsets and bytes.
type Part = (Offsets, u64);

/// See the file's head.
#[derive(Default)]
pub struct PointsTo {
    symbols: FxHashMap<SymId, Pointees>,
    /// What is stored where.
    contents: BTreeMap<Class, Vec<(Part, Pointees)>>,
    /// Which kinds of threads write where.
    written: BTreeMap<Class, BTreeSet<(KindId, Part)>>,
    /// Objects whose address is in memory, or is handed over.
    escaped: BTreeSet<Class>,
    /// What threads are given.
    arguments: BTreeMap<KindId, ValId>,
    /// Kinds of which there may be several threads.
    pub many: IdVec<KindId, bool>,
    /// What objects with static storage have at first.
    initial: BTreeMap<GlobalId, BTreeMap<(u64, Width), u64>>,
}

impl PointsTo {
    /// What is known before any thread was looked at.
    pub fn new(program: &Program) -> PointsTo {
        let mut points_to = PointsTo::default();
        for (g, global) in program.globals.iter_enumerated() {
            if program.undefined.contains_key(&g) {
                continue;
            }
            let numbers = global.init.iter().map(|(offset, width, value)| {
                let number = match value {
                    Expr::Const { value, .. } => *value,
                    _ => u64::MAX,
                };
                ((*offset, *width), number)
            });
            points_to.initial.insert(g, numbers.collect());
        }
        points_to
    }

    /// Takes in what all kinds of threads do; whether anything is known now that was not.
    pub fn update(
        &mut self,
        program: &Program,
        threads: &Threads,
        conducts: &IdVec<KindId, Conduct>,
    ) -> bool {
        let values = &threads.values;
        let mut changed = false;
        self.many = IdVec::default();
        for kind in threads.kinds.iter() {
            let many = kind.creation.is_some_and(|(of, node)| {
                self.many[of] || !threads.graphs[of].loops[node].is_empty()
            });
            self.many.push(many);
        }
        for (_, conduct) in conducts.iter_enumerated() {
            for (kind, creation) in &conduct.creations {
                let before = self.arguments.insert(*kind, creation.argument);
                changed |= before != Some(creation.argument);
            }
        }
        for sym in conducts.iter().flat_map(|c| c.sources.keys()) {
            self.symbols.entry(*sym).or_default();
        }
        loop {
            let mut more = self.store_all(program, values, conducts);
            for conduct in conducts.iter() {
                for (sym, source) in &conduct.sources {
                    let new = self.of_source(values, source, conducts);
                    more |= self.symbols.entry(*sym).or_default().add(&new);
                }
            }
            if !more {
                break;
            }
            changed = true;
        }
        let mut written: BTreeMap<Class, BTreeSet<(KindId, Part)>> = BTreeMap::new();
        let mut escaped = BTreeSet::new();
        for (kind, conduct) in conducts.iter_enumerated() {
            let writes = conduct.accesses.iter().filter(|a| a.write.is_some());
            for access in writes {
                let size = access.size.unwrap_or(1 << 40);
                for (class, offsets) in self.of(values, access.addr).objects {
                    let parts = offsets.into_iter().map(|o| match access.size {
                        Some(_) => (kind, (o, size)),
                        None => (kind, (ANY, size)),
                    });
                    written.entry(class).or_default().extend(parts);
                }
            }
            let stored = conduct.stores.iter().map(|(_, _, value)| *value);
            let given = conduct.creations.values().map(|c| c.argument);
            for value in stored.chain(given).chain(conduct.returns.iter().copied()) {
                escaped.extend(self.of(values, value).objects.keys().copied());
            }
        }
        changed |= written != self.written || escaped != self.escaped;
        self.written = written;
        self.escaped = escaped;
        changed
    }

    fn store_all(
        &mut self,
        program: &Program,
        values: &Values,
        conducts: &IdVec<KindId, Conduct>,
    ) -> bool {
        let mut contents: BTreeMap<Class, Vec<(Part, Pointees)>> = BTreeMap::new();
        let mut put = |class: Class, part: Part, what: Pointees| {
            let parts: &mut Vec<(Part, Pointees)> = contents.entry(class).or_default();
            match parts.iter_mut().find(|(p, _)| *p == part) {
                Some((_, all)) => {
                    all.add(&what);
                }
                None => parts.push((part, what)),
            }
        };
        for (g, global) in program.globals.iter_enumerated() {
            for (offset, width, value) in &global.init {
                let what = initial(value);
                let part = (
                    Offsets {
                        rest: *offset,
                        modulus: 0,
                    },
                    u64::from(*width) / 8,
                );
                match global.thread_local {
                    false => put(Class::Global(g), part, what),
                    true => (0..conducts.len()).for_each(|kind| {
                        let class = Class::ThreadLocal(KindId::from_index(kind), g);
                        put(class, part, what.clone());
                    }),
                }
            }
        }
        for conduct in conducts.iter() {
            for (addr, size, value) in &conduct.stores {
                let what = self.of(values, *value);
                for (class, offsets) in self.of(values, *addr).objects {
                    for o in offsets {
                        put(class, (o, *size), what.clone());
                    }
                }
            }
        }
        for (kind, conduct) in conducts.iter_enumerated() {
            for (node, allocation) in &conduct.allocations {
                let Some(old) = allocation.replaces else {
                    continue;
                };
                let class = Class::Object((kind, *node));
                for (from, _) in self.of(values, old).objects {
                    for (part, what) in self.contents.get(&from).cloned().unwrap_or_default() {
                        put(class, part, what);
                    }
                }
            }
        }
        let changed = contents != self.contents;
        self.contents = contents;
        changed
    }

    fn of_source(
        &self,
        values: &Values,
        source: &Source,
        conducts: &IdVec<KindId, Conduct>,
    ) -> Pointees {
        let mut all = Pointees::default();
        match source {
            Source::OneOf(some) => some.iter().for_each(|v| {
                all.add(&self.of(values, *v));
            }),
            Source::Memory(addr, size) => {
                for (class, offsets) in self.of(values, *addr).objects {
                    for ((at, bytes), what) in self.contents.get(&class).into_iter().flatten() {
                        let mut offsets = offsets.iter();
                        if offsets.any(|o| o.overlap(Some(*size), *at, Some(*bytes))) {
                            all.add(what);
                        }
                    }
                }
            }
            Source::Returned => {
                for value in conducts.iter().flat_map(|c| &c.returns) {
                    all.add(&self.of(values, *value));
                }
            }
        }
        all
    }

    /// What a value may be.
    pub fn of(&self, values: &Values, value: ValId) -> Pointees {
        self.of_sum(values, value, &mut FxHashMap::default())
    }

    /// The same; terms share operands, so each is looked at once.
    fn of_sum(
        &self,
        values: &Values,
        value: ValId,
        known: &mut FxHashMap<SymId, Pointees>,
    ) -> Pointees {
        let sum = values.of(value);
        let terms: Vec<(u64, Pointees)> = sum
            .terms
            .iter()
            .map(|(sym, factor)| (*factor, self.of_known(values, *sym, known)))
            .collect();
        let addresses = terms.iter().filter(|(_, p)| p.is_address()).count();
        if addresses == 0 {
            return Pointees {
                number: terms.iter().any(|(_, p)| p.number),
                ..Pointees::default()
            };
        }
        if addresses > 1 || terms.iter().any(|(f, p)| p.is_address() && *f != 1) {
            let mut all = Pointees::default();
            for (_, p) in terms {
                all.add(&p);
            }
            return all.anywhere();
        }
        let (_, of) = terms.iter().find(|(_, p)| p.is_address()).expect("one is");
        let mut of = of.clone();
        let constant = sign_extend(sum.constant, sum.width);
        let factors = terms.iter().filter(|(_, p)| !p.is_address());
        let size = |factor: u64| sign_extend(factor, sum.width).unsigned_abs();
        let stride = factors.fold(0, |stride, (factor, _)| gcd(stride, size(*factor)));
        for offsets in of.objects.values_mut() {
            *offsets = offsets
                .iter()
                .map(|o| o.shifted(constant, stride))
                .collect();
        }
        if constant != 0 || stride != 0 {
            of.procs.clear();
        }
        of
    }

    /// What a symbol may be.
    pub fn of_sym(&self, values: &Values, sym: SymId) -> Pointees {
        self.of_known(values, sym, &mut FxHashMap::default())
    }

    fn of_known(
        &self,
        values: &Values,
        sym: SymId,
        known: &mut FxHashMap<SymId, Pointees>,
    ) -> Pointees {
        if let Some(pointees) = known.get(&sym) {
            return pointees.clone();
        }
        let of = match values.of_sym(sym) {
            Sym::Global(g) => Pointees::object(Class::Global(*g)),
            Sym::ThreadLocal(kind, g) => Pointees::object(Class::ThreadLocal(*kind, *g)),
            Sym::Object(at) => Pointees::object(Class::Object(*at)),
            Sym::Proc(p) => Pointees {
                procs: BTreeSet::from([*p]),
                ..Pointees::default()
            },
            Sym::Argument(kind) => match self.arguments.get(kind) {
                Some(argument) => self.of_sum(values, *argument, known),
                None => Pointees::default(),
            },
            Sym::Phi(..) => self.symbols.get(&sym).cloned().unwrap_or_default(),
            Sym::Result(_) => match self.symbols.get(&sym) {
                Some(pointees) => pointees.clone(),
                None => Pointees::number(),
            },
            // A register that was not set, among others.
            Sym::Initial(..)
            | Sym::Done(_)
            | Sym::Thread(_)
            | Sym::ThreadOfCount(..)
            | Sym::Count(_)
            | Sym::Itself(_)
            | Sym::AnyCount => Pointees::number(),
            Sym::Term(op, operands) => {
                let mut of = |i: usize| self.of_sum(values, operands[i], known);
                match op {
                    Operator::IsZero => Pointees::number(),
                    Operator::Binary(op) if op.is_comparison() => Pointees::number(),
                    Operator::Ite => {
                        let mut all = of(1);
                        all.add(&of(2));
                        all
                    }
                    Operator::Cast(Cast::Zero | Cast::Sign | Cast::Truncate)
                        if values.of(operands[0]).width >= 32 =>
                    {
                        of(0)
                    }
                    Operator::Unary(_) | Operator::Binary(_) | Operator::Cast(_) => {
                        let mut all = Pointees::default();
                        for i in 0..operands.len() {
                            all.add(&of(i));
                        }
                        all.number = !all.is_address();
                        all.anywhere()
                    }
                }
            }
        };
        if let Sym::Term(..) = values.of_sym(sym) {
            known.insert(sym, of.clone());
        }
        of
    }

    /// The object that an address is one of, where that is said by the address alone.
    pub fn base(&self, values: &Values, addr: ValId) -> Option<SymId> {
        let mut base = None;
        for (sym, factor) in &values.of(addr).terms {
            let is_object = matches!(
                values.of_sym(*sym),
                Sym::Global(_) | Sym::ThreadLocal(..) | Sym::Object(_)
            );
            match is_object {
                true if *factor != 1 || base.is_some() => return None,
                true => base = Some(*sym),
                false if self.of_sym(values, *sym).is_address() => return None,
                false => {}
            }
        }
        base
    }

    /// Whether bytes at two addresses of one thread may be the same; no size: all of the object.
    pub fn may_overlap(
        &self,
        values: &mut Values,
        a: (ValId, Option<u64>),
        b: (ValId, Option<u64>),
    ) -> bool {
        if let (Some(x), Some(y)) = (a.1, b.1) {
            let difference = values.add(a.0, b.0, u64::MAX);
            if let Some(d) = values.constant(difference) {
                let d = sign_extend(d, values.of(difference).width);
                return d < y as i64 && -d < x as i64;
            }
        }
        if let (Some(x), Some(y)) = (self.base(values, a.0), self.base(values, b.0))
            && x != y
        {
            return false;
        }
        let (x, y) = (self.of(values, a.0), self.of(values, b.0));
        x.objects.iter().any(|(class, offsets)| {
            let others = y.objects.get(class).into_iter().flatten();
            let mut pairs = others.flat_map(|o| offsets.iter().map(move |p| (p, o)));
            pairs.any(|(p, o)| p.overlap(a.1, *o, b.1))
        })
    }

    /// Whether a thread other than one of this kind may write there.
    pub fn others_write(&self, values: &Values, kind: KindId, addr: ValId, size: u64) -> bool {
        let of = self.of(values, addr);
        of.number
            || of.objects.iter().any(|(class, offsets)| {
                let own = match class {
                    Class::Global(_) => false,
                    Class::ThreadLocal(of, _) | Class::Object((of, _)) => *of == kind,
                };
                if own && !self.escaped.contains(class) {
                    return false;
                }
                let mut written = self.written.get(class).into_iter().flatten();
                written.any(|(by, (at, bytes))| {
                    (*by != kind || self.many.get(kind).is_some_and(|many| *many))
                        && offsets
                            .iter()
                            .any(|o| o.overlap(Some(size), *at, Some(*bytes)))
                })
            })
    }

    /// Whether the threads of one kind alone access objects of a class, each its own.
    pub fn is_private(&self, class: Class) -> bool {
        match class {
            Class::Global(_) => false,
            Class::ThreadLocal(..) | Class::Object(_) => !self.escaped.contains(&class),
        }
    }

    /// The number at an address that nobody writes.
    pub fn constant_at(&self, values: &Values, addr: ValId, width: Width) -> Option<u64> {
        let sum = values.of(addr);
        let [(sym, 1)] = sum.terms[..] else {
            return None;
        };
        let Sym::Global(g) = values.of_sym(sym) else {
            return None;
        };
        let (at, size) = (sum.constant, u64::from(width) / 8);
        let initial = self.initial.get(g)?;
        let here = Offsets {
            rest: at,
            modulus: 0,
        };
        let mut written = self.written.get(&Class::Global(*g)).into_iter().flatten();
        if written.any(|(_, (o, bytes))| here.overlap(Some(size), *o, Some(*bytes))) {
            return None;
        }
        match initial.get(&(at, width)) {
            Some(&u64::MAX) => None,
            Some(number) => Some(number & mask(width)),
            None => {
                let mut there = initial.keys();
                let overlaps =
                    |(o, w): &(u64, Width)| *o < at + size && at < *o + u64::from(*w) / 8;
                (!there.any(overlaps)).then_some(0)
            }
        }
    }

    /// The procedures that a value may be the address of.
    pub fn procedures(&self, values: &Values, value: ValId) -> Vec<ProcId> {
        self.of(values, value).procs.into_iter().collect()
    }

    /// What a thread is given.
    pub fn argument(&self, kind: KindId) -> Option<ValId> {
        self.arguments.get(&kind).copied()
    }
}

fn initial(value: &Expr) -> Pointees {
    match value {
        Expr::Global(g) => Pointees::object(Class::Global(*g)),
        Expr::Proc(p) => Pointees {
            procs: BTreeSet::from([*p]),
            ..Pointees::default()
        },
        Expr::Const { value: 0, .. } | Expr::Local(_) => Pointees::default(),
        Expr::Const { .. } => Pointees::number(),
        Expr::Unary(_, a) | Expr::Cast(_, _, a) => initial(a),
        Expr::Binary(_, a, b) | Expr::Ite(_, a, b) => {
            let mut all = initial(a);
            all.add(&initial(b));
            match all.objects.is_empty() {
                true => all,
                false => Pointees {
                    number: false,
                    ..all.anywhere()
                },
            }
        }
    }
}

/// Whether an allocation is one that its thread makes once.
pub fn is_once(
    threads: &Threads,
    many: &IdVec<KindId, bool>,
    (kind, node): (KindId, NodeId),
) -> bool {
    !many[kind] && threads.graphs[kind].loops[node].is_empty()
}
