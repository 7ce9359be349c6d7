//! Scalars of memory whose values the proof follows, and who may write them when.
//!
//! A cell is a scalar of an object that there is once, or once for each thread, to which every access has an address
//! that says so. What other memory holds is taken for arbitrary.
//!
//! At a point of a thread a cell is *stable* if no other thread can write it: whoever might is not started yet, or
//! joined, or has to have a lock that this thread has. So a read there gives what the thread has last written or
//! seen, where it is stable since. Elsewhere a read gives what some write has written (O'Hearn, Resources,
//! concurrency and local reasoning, CONCUR 2004, of locks; Flanagan, Freund and Qadeer, Thread-modular verification
//! for shared-memory programs, ESOP 2002, of the rest).

use crate::analysis::{Analysis, Running};
use crate::answer::Unproved;
use crate::graph::NodeId;
use crate::locks::{self, Locks};
use crate::messages;
use crate::points_to::{Class, Offsets, is_once};
use crate::state::{Flag, Started};
use crate::threads::{Access, Point};
use crate::value::{KindId, Sym, ValId};
use base::id;
use base::idx::IdVec;
use ir::program::{Layout, Program, Width, mask};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

id!(
    /// A cell.
    CellId,
    "cell"
);

/// Cells at most.
const MOST_CELLS: usize = 64;
/// Flags at most.
const MOST_FLAGS: usize = 16;

/// What keeps threads apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Guard {
    /// A lock at this offset of an object.
    Lock(Class, u64),
    /// Atomic sections, of which there is one at a time.
    Section,
    /// A flag that a thread has raised, and another one has seen ([`messages`]).
    Flag(Flag),
}

/// A scalar.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Of which object.
    pub class: Class,
    /// Byte offset in it.
    pub offset: u64,
    /// Bits.
    pub width: Width,
    /// As the source writes it.
    pub name: String,
    /// What every thread has that writes it while others run, or the flag that is raised behind all of these writes.
    pub guard: Option<Guard>,
    /// Some thread accesses it while another one may write it, without its guard.
    pub is_exposed: bool,
    /// Each thread has one of its own.
    pub is_own: bool,
    /// It is written while there is one thread alone.
    pub is_settled: bool,
    /// The writes to it.
    writes: Vec<Write>,
}

/// A write to a cell.
#[derive(Clone, Debug)]
struct Write {
    kind: KindId,
    node: NodeId,
    started: std::rc::Rc<BTreeMap<KindId, Started>>,
    guards: BTreeSet<Guard>,
}

/// All cells.
pub struct Cells<'a> {
    analysis: &'a Analysis,
    /// The cells.
    pub cells: IdVec<CellId, Cell>,
    /// By place.
    ids: BTreeMap<(Class, u64), CellId>,
    /// What is accessed at a point.
    accessed: FxHashMap<(KindId, NodeId), CellId>,
    /// Locks by their addresses in the analysis.
    guards: FxHashMap<ValId, Option<Guard>>,
    /// Atomic sections keep all other threads away.
    sections_exclude: bool,
}

impl<'a> Cells<'a> {
    /// The cells of a program; `sections_exclude`: while a thread is in an atomic section, no other one does
    /// anything.
    ///
    /// # Errors
    /// There are too many.
    pub fn new(
        program: &Program,
        analysis: &'a Analysis,
        sections_exclude: bool,
    ) -> Result<Cells<'a>, Unproved> {
        let mut cells = Cells {
            analysis,
            cells: IdVec::default(),
            ids: BTreeMap::new(),
            accessed: FxHashMap::default(),
            guards: FxHashMap::default(),
            sections_exclude,
        };
        cells.find_guards();
        cells.find_cells(program)?;
        cells.find_writers(program);
        Ok(cells)
    }

    /// The object and the offset that an address is, where it is one alone.
    pub fn place(&self, kind: KindId, addr: ValId) -> Option<(Class, u64)> {
        let Analysis {
            threads, points_to, ..
        } = self.analysis;
        let sum = threads.values.of(addr);
        let [(sym, 1)] = sum.terms[..] else {
            return None;
        };
        let (class, offset) = match threads.values.of_sym(sym) {
            Sym::Global(g) => (Class::Global(*g), 0),
            Sym::Object(at) => {
                let own = at.0 == kind && threads.graphs[kind].loops[at.1].is_empty();
                if !own && !is_once(threads, &points_to.many, *at) {
                    return None;
                }
                (Class::Object(*at), 0)
            }
            Sym::Argument(of) => {
                let (creator, _) = threads.kinds[*of].creation?;
                let (class, offset) = self.place(creator, points_to.argument(*of)?)?;
                // What a thread of a kind with several has is another object in each.
                if let Class::Object(at) = class
                    && !is_once(threads, &points_to.many, at)
                {
                    return None;
                }
                (class, offset)
            }
            Sym::Result(_) | Sym::Phi(..) => {
                let (class, offset) = points_to.of_sym(&threads.values, sym).place()?;
                let is_one = match class {
                    Class::Global(_) => true,
                    Class::Object(at) => is_once(threads, &points_to.many, at),
                    Class::ThreadLocal(..) => false,
                };
                if !is_one {
                    return None;
                }
                (class, offset)
            }
            _ => return None,
        };
        let offset = offset.wrapping_add(sum.constant) & mask(sum.width);
        Some((class, offset))
    }

    fn find_guards(&mut self) {
        let mut locks = Locks::default();
        let analysis = self.analysis;
        for (kind, conduct) in analysis.conducts.iter_enumerated() {
            let points = conduct.points.values().flat_map(|p| &p.held);
            let accesses = conduct.accesses.iter().flat_map(|a| &a.held);
            for lock in points.chain(accesses) {
                if self.guards.contains_key(lock) {
                    continue;
                }
                let place = self.place(kind, *lock).filter(|(class, _)| match class {
                    Class::Global(_) => true,
                    Class::ThreadLocal(..) => false,
                    Class::Object(at) => is_once(&analysis.threads, &analysis.points_to.many, *at),
                });
                let place = place.filter(|_| locks.of(analysis, *lock) != locks::Lock::None);
                let guard = place.map(|(class, offset)| Guard::Lock(class, offset));
                self.guards.insert(*lock, guard);
            }
        }
    }

    fn guards_of(&self, held: &BTreeSet<ValId>, section: bool) -> BTreeSet<Guard> {
        let locks = held.iter().filter_map(|lock| self.guards[lock]);
        let section = (section && self.sections_exclude).then_some(Guard::Section);
        locks.chain(section).collect()
    }

    /// What a thread has at a point that keeps others away, and gives back.
    pub fn held(&self, point: &Point) -> BTreeSet<Guard> {
        self.guards_of(&point.held, point.section)
    }

    /// The same, and the flags that it has seen.
    pub fn held_or_seen(&self, point: &Point) -> BTreeSet<Guard> {
        let mut guards = self.held(point);
        guards.extend(point.seen.iter().map(|flag| Guard::Flag(*flag)));
        guards
    }

    /// What a thread has, and what it has seen, when it accesses a cell.
    fn guards_at(&self, access: &Access) -> BTreeSet<Guard> {
        let mut guards = self.guards_of(&access.held, access.section);
        guards.extend(access.seen.iter().map(|flag| Guard::Flag(*flag)));
        guards
    }

    /// Flags that a thread raises at a point, of those that guard cells.
    pub fn raised(&self, kind: KindId, node: NodeId) -> BTreeSet<Guard> {
        let accesses = self.analysis.conducts[kind].accesses.iter();
        let here: Vec<&Access> = accesses.filter(|a| a.at == (kind, node)).collect();
        let guards = self.cells.iter().filter_map(|cell| cell.guard);
        let is_raised = |guard: &Guard| match guard {
            Guard::Flag(flag) => here
                .iter()
                .any(|a| messages::raises(self.analysis, a, flag)),
            Guard::Lock(..) | Guard::Section => false,
        };
        guards.filter(is_raised).collect()
    }

    /// Whether a thread is the only one at a point.
    pub fn is_alone(&self, (kind, started): Running) -> bool {
        kind.0 == 0
            && started.iter().all(|(child, started)| {
                let creates = !self.analysis.conducts[*child].creations.is_empty();
                match creates {
                    true => !started.ever,
                    false => !started.runs(),
                }
            })
    }

    fn find_cells(&mut self, program: &Program) -> Result<(), Unproved> {
        let analysis = self.analysis;
        let mut exact: BTreeMap<(Class, u64, u64), Vec<(KindId, NodeId)>> = BTreeMap::new();
        let mut others: BTreeMap<Class, BTreeSet<(Offsets, u64)>> = BTreeMap::new();
        let accesses = analysis.conducts.iter().flat_map(|c| &c.accesses);
        for access in accesses {
            // An object that ends is accessed no more.
            let Some(size) = access.size else {
                continue;
            };
            if let Some((class, offset)) = self.place(access.at.0, access.addr) {
                exact
                    .entry((class, offset, size))
                    .or_default()
                    .push(access.at);
            } else if access.write.is_some() {
                for (class, offsets) in analysis
                    .points_to
                    .of(&analysis.threads.values, access.addr)
                    .objects
                {
                    let parts = offsets.into_iter().map(|o| (o, size));
                    others.entry(class).or_default().extend(parts);
                }
            }
        }
        let places: Vec<(Class, u64, u64)> = exact.keys().copied().collect();
        for (class, offset, size) in &places {
            let overlaps = places.iter().any(|(c, o, s)| {
                c == class && (o, s) != (offset, size) && *o < offset + size && *offset < o + s
            });
            let here = Offsets {
                rest: *offset,
                modulus: 0,
            };
            let mut written = others.get(class).into_iter().flatten();
            let is_written = written.any(|(o, s)| here.overlap(Some(*size), *o, Some(*s)))
                && !self.is_apart(program, *class, *offset);
            if overlaps || is_written || ![1, 2, 4, 8].contains(size) {
                continue;
            }
            if self.cells.len() == MOST_CELLS {
                return Err(Unproved::TooLarge);
            }
            let id = self.cells.push(Cell {
                class: *class,
                offset: *offset,
                width: 8 * *size as Width,
                name: self.name(program, *class, *offset),
                guard: None,
                is_exposed: false,
                is_own: false,
                is_settled: false,
                writes: Vec::new(),
            });
            self.ids.insert((*class, *offset), id);
            for at in &exact[&(*class, *offset, *size)] {
                self.accessed.insert(*at, id);
            }
        }
        Ok(())
    }

    /// Whether a scalar is part of no array, so that who writes an element of one writes something else. That is
    /// shown with the rest.
    fn is_apart(&self, program: &Program, class: Class, offset: u64) -> bool {
        let layout = match class {
            Class::Global(g) | Class::ThreadLocal(_, g) => program.globals[g].layout,
            Class::Object(at) => {
                let allocation = &self.analysis.conducts[at.0].allocations[&at.1];
                let Some((_, layout)) = &allocation.name else {
                    return false;
                };
                *layout
            }
        };
        let (mut layout, mut offset) = (layout, offset);
        loop {
            let fields = match &program.layouts[layout] {
                Layout::Scalar { .. } => return offset == 0,
                Layout::Array { .. } => return false,
                Layout::Struct { fields, .. } => fields,
            };
            let mut at = fields
                .iter()
                .filter(|f| f.offset <= offset && offset < f.offset + program.size_of(f.layout));
            match (at.next(), at.next()) {
                (Some(field), None) => (layout, offset) = (field.layout, offset - field.offset),
                // Outside of all fields, or in a union.
                _ => return false,
            }
        }
    }

    /// The cells that an access to memory that is in none may overlap, by the object that it is one to.
    pub fn beside(&self, kind: KindId, node: NodeId) -> Vec<CellId> {
        let Analysis {
            threads,
            points_to,
            conducts,
        } = self.analysis;
        let accesses = conducts[kind].accesses.iter();
        let here = accesses.filter(|a| a.at == (kind, node) && a.size.is_some());
        let mut all = Vec::new();
        for access in here {
            let of = points_to.of(&threads.values, access.addr);
            for (id, cell) in self.cells.iter_enumerated() {
                let place = Offsets {
                    rest: cell.offset,
                    modulus: 0,
                };
                let size = Some(u64::from(cell.width) / 8);
                let offsets = of.objects.get(&cell.class).into_iter().flatten();
                if offsets
                    .into_iter()
                    .any(|o| place.overlap(size, *o, access.size))
                {
                    all.push(id);
                }
            }
        }
        all
    }

    fn find_writers(&mut self, program: &Program) {
        let analysis = self.analysis;
        let all = analysis.conducts.iter().flat_map(|c| &c.accesses);
        let flags: BTreeSet<Flag> = all.flat_map(|a| a.seen.iter().copied()).collect();
        let locks = RefCell::new(Locks::default());
        let lock = |lock: ValId| locks.borrow_mut().of(analysis, lock);
        let is_behind = |write: &Access, flag: &&Flag| {
            messages::is_passed_on(program, analysis, write, flag, &lock)
        };
        let mut accesses: BTreeMap<CellId, Vec<&Access>> = BTreeMap::new();
        for access in analysis.conducts.iter().flat_map(|c| &c.accesses) {
            if let Some(cell) = self.accessed.get(&access.at)
                && access.size.is_some()
            {
                accesses.entry(*cell).or_default().push(access);
            }
        }
        for (cell, accesses) in accesses {
            let guards = |a: &Access| self.guards_at(a);
            let writes = accesses.iter().filter(|a| a.write.is_some());
            let own = match self.cells[cell].class {
                Class::Object(at) => !is_once(&analysis.threads, &analysis.points_to.many, at),
                Class::Global(_) | Class::ThreadLocal(..) => false,
            };
            let mut guard: Option<BTreeSet<Guard>> = None;
            let mut all = Vec::new();
            for write in writes {
                let mut has = self.guards_of(&write.held, write.section);
                let behind = flags.iter().take(MOST_FLAGS);
                let behind = behind.filter(|flag| is_behind(write, flag));
                has.extend(behind.map(|flag| Guard::Flag(*flag)));
                if !self.is_alone(write.by()) {
                    guard = Some(match guard {
                        None => has.clone(),
                        Some(before) => before.intersection(&has).copied().collect(),
                    });
                }
                all.push(Write {
                    kind: write.at.0,
                    node: write.at.1,
                    started: write.started.clone(),
                    guards: has,
                });
            }
            let is_settled = guard.is_none() && !own;
            // Of several flags, one that another thread looks at.
            let others = accesses
                .iter()
                .filter(|a| all.iter().all(|w| w.kind != a.at.0));
            let looked_at: BTreeSet<Guard> = others.flat_map(|a| guards(a)).collect();
            let guard = guard.and_then(|all| {
                let mut apt = all.iter().filter(|g| match g {
                    Guard::Lock(..) | Guard::Section => true,
                    Guard::Flag(_) => looked_at.contains(g),
                });
                apt.next().copied()
            });
            let is_exposed = !own
                && all.iter().any(|write| {
                    accesses.iter().any(|a| {
                        let unguarded = guard.is_none_or(|g| !guards(a).contains(&g));
                        let by = (write.kind, &*write.started);
                        unguarded && analysis.are_concurrent(by, a.by())
                    })
                });
            let cell = &mut self.cells[cell];
            cell.guard = guard;
            cell.is_exposed = is_exposed;
            cell.is_own = own;
            cell.is_settled = is_settled;
            cell.writes = all;
        }
    }

    /// The cell that is accessed at a point.
    pub fn accessed(&self, kind: KindId, node: NodeId) -> Option<CellId> {
        self.accessed.get(&(kind, node)).copied()
    }

    /// The cell at an address.
    pub fn at(&self, kind: KindId, addr: ValId, width: Width) -> Option<CellId> {
        let id = *self.ids.get(&self.place(kind, addr)?)?;
        (self.cells[id].width == width).then_some(id)
    }

    /// Whether no other thread can write a cell while a thread is at a point.
    pub fn is_stable(&self, cell: CellId, kind: KindId, point: &Point) -> bool {
        if self.cells[cell].is_own || point.section && self.sections_exclude {
            return true;
        }
        let held = self.held_or_seen(point);
        self.cells[cell].writes.iter().all(|write| {
            let by = (write.kind, &*write.started);
            write.guards.iter().any(|g| held.contains(g))
                || !self.analysis.are_concurrent(by, (kind, &point.started))
        })
    }

    /// Whether there may be more or fewer threads beside main at a loop's header than in front of the loop.
    pub fn company_changes(&self, kind: KindId, inside: &BTreeSet<NodeId>) -> bool {
        let creates = |node: &NodeId| {
            let started = self.analysis.threads.started_at((kind, *node));
            !started.is_empty()
        };
        inside.iter().any(creates) || self.is_joined(kind, inside)
    }

    /// Whether main is alone at some points of a loop, and at others is not.
    fn is_joined(&self, kind: KindId, inside: &BTreeSet<NodeId>) -> bool {
        let all = &self.analysis.conducts[kind].points;
        let mut points = inside.iter().filter_map(|node| all.get(node));
        let is_alone = |point: &Point| self.is_alone((kind, &point.started));
        let first = points.next().map(is_alone);
        points.any(|point| Some(is_alone(point)) != first)
    }

    /// The cells whose values at the header of a loop of a thread may differ from those in front of it: the thread
    /// writes them in the loop, or sees what others have written in an iteration.
    pub fn changing(
        &self,
        kind: KindId,
        header: NodeId,
        inside: &BTreeSet<NodeId>,
    ) -> BTreeSet<CellId> {
        let all = &self.analysis.conducts[kind].points;
        let points: Vec<&Point> = inside.iter().filter_map(|node| all.get(node)).collect();
        // When others have ended, what they have written is left.
        let is_joined = self.is_joined(kind, inside);
        let changes = |id: &CellId| {
            let mut writes = self.cells[*id].writes.iter();
            let is_written = writes.any(|w| w.kind == kind && inside.contains(&w.node));
            let is_stable = |point: &&Point| self.is_stable(*id, kind, point);
            is_written || !points.iter().all(is_stable) && (is_joined || is_stable(&&all[&header]))
        };
        self.cells.ids().filter(changes).collect()
    }

    /// A scalar as the source writes it.
    pub fn name(&self, program: &Program, class: Class, offset: u64) -> String {
        match class {
            Class::Global(g) | Class::ThreadLocal(_, g) => {
                let global = &program.globals[g];
                format!("{}{}", global.name, program.path(global.layout, offset))
            }
            Class::Object(at) => {
                let allocation = &self.analysis.conducts[at.0].allocations[&at.1];
                match &allocation.name {
                    Some((name, layout)) => format!("{name}{}", program.path(*layout, offset)),
                    None => format!("object {}+{offset}", at.1.0),
                }
            }
        }
    }
}
