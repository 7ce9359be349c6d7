//! The memory a replay runs on: which objects there are, what they contain before any write,
//! and the numbers expressions stand for.
//!
//! Static objects are numbered behind null and the procedures, in the order of the program. All
//! other addresses are taken from the event graph; the objects that exist are those whose
//! allocation is part of the execution. Memory is bytes, little-endian, so that no access depends
//! on how another one was typed.

use crate::check::decode::{Mismatch, Run};
use crate::unroll::event::{ChoiceKind, ThreadId};
use base::idx::Id;
use ir::placement::Placement;
use ir::program::*;
use ir::read_only::ReadOnly;
use ir::shadow::{Word, shadow_binary, shadow_cast, shadow_choice, shadow_unary};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes with their indeterminate bits by address, where they differ from what the object contains
/// initially.
pub(super) type Store = FxHashMap<u64, (u8, u8)>;

/// What an object contains initially.
enum Contents {
    Static(GlobalId),
    Zero,
    /// Anything; whether that is indeterminate.
    Arbitrary(bool),
}

/// All objects of one execution.
pub(super) struct Objects<'a> {
    program: &'a Program,
    /// By address: bytes, contents.
    objects: BTreeMap<u64, (u64, Contents)>,
    /// By address: what uninitialised memory contains.
    arbitrary: BTreeMap<u64, (Width, u64)>,
    thread_locals: BTreeMap<(ThreadId, GlobalId), u64>,
    read_only: ReadOnly<'a>,
    /// By address: which instruction has allocated it.
    sites: BTreeMap<u64, (ProcId, usize)>,
    /// Which objects and threads are in the place of others.
    pub placement: Placement,
}

/// Which objects and threads of an execution are in the place of others.
///
/// # Errors
/// Two are in one place, or one in two.
fn placement(run: &Run) -> Result<Placement, Mismatch> {
    let mut placement = Placement::default();
    let mut taken = BTreeSet::new();
    for placed in run.graph.placements.iter().filter(|p| run.holds(p.when)) {
        let again = placement.taken(placed.name).is_some() || !taken.insert(placed.at);
        if again || placed.name == placed.at {
            let text = format!(
                "{:#x} is not alone in the place of {:#x}",
                placed.name, placed.at
            );
            return Err(Mismatch(text));
        }
        placement.put(placed.name, placed.at);
    }
    let mut places = BTreeSet::new();
    for ordered in &run.graph.order {
        let at = run.eval(ordered.at);
        if !places.insert(at) || !run.graph.order.iter().any(|o| o.name == at) {
            let text = format!("the order of memory has two places for {at:#x}");
            return Err(Mismatch(text));
        }
        placement.put_in_order(ordered.name, at);
    }
    Ok(placement)
}

impl<'a> Objects<'a> {
    /// The objects of an execution.
    ///
    /// # Errors
    /// Two of them overlap.
    pub fn new(program: &'a Program, run: &Run) -> Result<Objects<'a>, Mismatch> {
        let graph = run.graph;
        let arbitrary = graph.uninitialised.iter();
        let thread_locals = graph.thread_locals.iter();
        let mut all = Objects {
            program,
            objects: BTreeMap::new(),
            arbitrary: arbitrary
                .map(|(addr, width, value)| (*addr, (*width, run.eval(*value))))
                .collect(),
            thread_locals: thread_locals
                .map(|(t, g, addr)| ((*t, *g), *addr))
                .collect(),
            read_only: ReadOnly::of(program),
            sites: BTreeMap::new(),
            placement: placement(run)?,
        };
        let size = |g: GlobalId| program.size_of(program.globals[g].layout);
        for g in program.globals.ids() {
            if !program.globals[g].thread_local {
                all.add(all.address(ThreadId(0), g), size(g), Contents::Static(g))?;
            }
        }
        for (_, g, addr) in &graph.thread_locals {
            all.add(Some(*addr), size(*g), Contents::Static(*g))?;
        }
        for choice in graph.choices.iter().filter(|d| run.holds(d.guard)) {
            if let ChoiceKind::Object { site, addr, bytes } = choice.what {
                let contents = match &program.procs[site.0].body[site.1].op {
                    Op::Alloc { zeroed: true, .. } => Contents::Zero,
                    Op::Alloc { storage, .. } => {
                        let process = matches!(storage, Storage::Process(_));
                        Contents::Arbitrary(graph.shadowed && !process)
                    }
                    _ => Contents::Arbitrary(false),
                };
                all.add(Some(addr), run.eval(bytes), contents)?;
                all.sites.insert(addr, site);
            }
        }
        Ok(all)
    }

    fn add(&mut self, addr: Option<u64>, bytes: u64, contents: Contents) -> Result<(), Mismatch> {
        let limit = 1 << self.program.data_model.offset_bits();
        let addr = addr.unwrap_or(0);
        let fits = addr >= limit && addr.is_multiple_of(limit) && bytes <= limit;
        if !fits || self.objects.insert(addr, (bytes, contents)).is_some() {
            return Err(Mismatch(format!(
                "there is no room for an object at {addr:#x}"
            )));
        }
        Ok(())
    }

    /// The object at or before an address.
    fn object(&self, addr: u64) -> Option<(u64, u64, &Contents)> {
        let (base, (bytes, contents)) = self.objects.range(..=addr).next_back()?;
        Some((*base, *bytes, contents))
    }

    /// The address of the object at or before an address.
    pub fn base(&self, addr: u64) -> Option<u64> {
        self.object(addr).map(|(base, ..)| base)
    }

    /// Whether an access of `width` bits lies in an object.
    pub fn contains(&self, addr: u64, width: Width) -> bool {
        self.object(addr)
            .is_some_and(|(base, bytes, _)| addr - base + u64::from(width) / 8 <= bytes)
    }

    /// Whether an instruction must not write the object at an address.
    pub fn is_read_only(&self, addr: u64, writes: (ProcId, usize)) -> bool {
        match self.object(addr) {
            Some((_, _, Contents::Static(g))) => self.read_only.is_static(*g),
            Some((base, ..)) => {
                let site = self.sites.get(&base);
                site.is_some_and(|site| self.read_only.is_local(*site, writes))
            }
            None => false,
        }
    }

    /// The addresses of the objects that a thread has for itself.
    pub fn thread_locals(&self, thread: ThreadId) -> Vec<u64> {
        let own = self.thread_locals.iter().filter(|((t, _), _)| *t == thread);
        own.map(|(_, addr)| *addr).collect()
    }

    /// The name of the thread-local object at an address.
    pub fn thread_local(&self, addr: u64) -> Option<&'a str> {
        let mut all = self.thread_locals.iter();
        let ((_, g), _) = all.find(|(_, at)| **at == addr)?;
        Some(&self.program.globals[*g].name)
    }

    /// The address of a static object, for a thread.
    fn address(&self, thread: ThreadId, g: GlobalId) -> Option<u64> {
        if self.program.globals[g].thread_local {
            return self.thread_locals.get(&(thread, g)).copied();
        }
        let number = 1 + self.program.procs.len() + g.index();
        Some((number as u64) << self.program.data_model.offset_bits())
    }

    /// The procedure at an address.
    pub fn procedure(&self, addr: u64) -> Option<ProcId> {
        let bits = self.program.data_model.offset_bits();
        let number = usize::try_from(addr >> bits).ok()?.checked_sub(1)?;
        let exact = addr.trailing_zeros() >= bits && number < self.program.procs.len();
        exact.then(|| ProcId::from_index(number))
    }

    /// What a thread sees at an address; `None` when nothing is known of it.
    pub fn load(&self, store: &Store, addr: u64, width: Width) -> Option<Word> {
        let bytes = (0..u64::from(width) / 8).map(|i| {
            let at = addr.checked_add(i)?;
            store.get(&at).copied().or_else(|| self.initial(at))
        });
        let bytes: Option<Vec<(u8, u8)>> = bytes.collect();
        let mut word = Word::known(0);
        for (byte, shadow) in bytes?.into_iter().rev() {
            word.number = word.number << 8 | u64::from(byte);
            word.shadow = word.shadow << 8 | u64::from(shadow);
        }
        Some(word)
    }

    /// Writes to a store.
    pub fn store(&self, store: &mut Store, addr: u64, width: Width, value: Word) {
        for i in 0..u64::from(width) / 8 {
            let byte = |bits: u64| (bits >> (8 * i)) as u8;
            let both = (byte(value.number), byte(value.shadow));
            store.insert(addr.wrapping_add(i), both);
        }
    }

    fn initial(&self, addr: u64) -> Option<(u8, u8)> {
        let byte = self.initial_byte(addr)?;
        match self.object(addr)? {
            (.., Contents::Arbitrary(true)) => Some((byte, u8::MAX)),
            _ => Some((byte, 0)),
        }
    }

    fn initial_byte(&self, addr: u64) -> Option<u8> {
        let (base, bytes, contents) = self.object(addr)?;
        let offset = addr - base;
        if offset >= bytes {
            return None;
        }
        let byte = |value: u64, at: u64| (value >> (8 * at)) as u8;
        match contents {
            Contents::Zero => Some(0),
            Contents::Arbitrary(_) => {
                let (start, (width, value)) = self.arbitrary.range(..=addr).next_back()?;
                (addr - start < u64::from(*width) / 8).then(|| byte(*value, addr - start))
            }
            Contents::Static(g) => {
                let global = &self.program.globals[*g];
                let mut init = global.initial(offset, offset + 1).iter();
                let covers = |start: u64, width: Width| {
                    start <= offset && offset < start + u64::from(width) / 8
                };
                match init.find(|(start, width, _)| covers(*start, *width)) {
                    None => Some(0),
                    Some((start, _, e)) => {
                        let (value, _) = self.eval(e, ThreadId(0), &|_| None)?;
                        Some(byte(value.number, offset - start))
                    }
                }
            }
        }
    }

    /// The value of an expression and its bits; `None` when it uses a register without a value.
    pub fn eval(
        &self,
        e: &Expr,
        thread: ThreadId,
        register: &dyn Fn(LocalId) -> Option<(Word, Width)>,
    ) -> Option<(Word, Width)> {
        let pointer = self.program.data_model.pointer_width();
        let of = |e: &Expr| self.eval(e, thread, register);
        let known = |number: u64, width| (Word::known(number), width);
        Some(match e {
            Expr::Const { value, width } => known(*value & mask(*width), *width),
            Expr::Local(l) => register(*l)?,
            Expr::Global(g) => known(self.address(thread, *g)?, pointer),
            Expr::Proc(p) => {
                let number = 1 + p.index() as u64;
                known(number << self.program.data_model.offset_bits(), pointer)
            }
            Expr::Unary(op, a) => {
                let (a, width) = of(a)?;
                let shadow = shadow_unary(*op, a.shadow, width);
                let number = eval_unary(*op, a.number, width);
                (Word { number, shadow }, width)
            }
            Expr::Binary(op, a, b) => {
                let ((a, width), (b, _)) = (of(a)?, of(b)?);
                let out = if op.is_comparison() { 1 } else { width };
                let number = self
                    .placement
                    .binary(self.program, *op, a.number, b.number, width);
                let sides = [a, b].map(|w| (w.number, w.shadow));
                let shadow = shadow_binary(*op, sides[0], sides[1], width);
                (Word { number, shadow }, out)
            }
            Expr::Ite(c, a, b) => {
                let (c, a, b) = (of(c)?, of(a)?, of(b)?);
                let chosen = if c.0.number == 1 { a } else { b };
                let [sc, sa, sb] = [c, a, b].map(|(w, _)| (w.number, w.shadow));
                let shadow = shadow_choice(sc, sa, sb);
                let number = chosen.0.number;
                (Word { number, shadow }, chosen.1)
            }
            Expr::Cast(cast, to, a) => {
                let (a, width) = of(a)?;
                let number = eval_cast(*cast, a.number, width, *to);
                let shadow = shadow_cast(*cast, a.shadow, width, *to);
                (Word { number, shadow }, *to)
            }
        })
    }
}
