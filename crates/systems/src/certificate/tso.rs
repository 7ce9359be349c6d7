//! The cubes for TSO and flat memory: their pre-images by a graph, and their order.
//!
//! The graph has a node for each timestamp of a pending read, for what is known of each process
//! (`Any`, `Writes`) and each cell (`Cell`), and for the times of the new transition's events; an
//! edge means "is before". Its transitive closure says whether there is a cycle and what the new
//! obligations are.

use super::certified::{Certified, Choice, Flaw, Setting, close_graph, live_cells};
use crate::cub::ast::SymbolKind;
use crate::cube::formula::Disjunct;
use crate::cube::literals::{Base, BaseKind};
use crate::cube::timestamp::{Timestamps, each};
use crate::cube::tso::Cube;
use crate::system::tuples::tuples;
use crate::system::{Form, SymId, Target, Transition};
use crate::theory::context::SystemContext;
use base::idx::Id;

impl Certified for Cube {
    type Model = ();
    /// The timestamps of others that read from the writes, and those that do not.
    type Reading = (Timestamps, Timestamps);

    fn at_end(formula: Cube) -> Cube {
        formula
    }

    fn with_another(&self) -> Option<Cube> {
        self.with_another()
    }

    /// All choices of timestamps of others that read from the writes.
    fn readings(
        setting: &Setting<Cube>,
        chosen: &[Choice],
    ) -> Result<Vec<(Timestamps, Timestamps)>, Flaw> {
        let mut matching: Timestamps = 0;
        for r in &setting.cube.reads {
            let written = chosen.iter().any(|(c, _, t)| *c == r.cell && t.is_some());
            if written && Some(r.by) != setting.thread {
                matching |= 1 << r.timestamp;
            }
        }
        let all: Vec<usize> = each(matching).collect();
        if all.len() > 12 {
            return Err(Flaw::TooLarge);
        }
        let choice = |bits: u32| {
            let on = all.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            let yes = on.fold(0, |s: Timestamps, (_, p)| s | 1 << p);
            (yes, matching & !yes)
        };
        Ok((0u32..1 << all.len()).map(choice).collect())
    }

    fn takes(setting: &Setting<Cube>, (yes, _): &(Timestamps, Timestamps), read: usize) -> bool {
        let r = setting.cube.reads[read];
        Some(r.by) == setting.thread || yes >> r.timestamp & 1 == 1
    }

    /// The obligations, by reachability.
    fn before(
        setting: &Setting<Cube>,
        cond: &Disjunct,
        chosen: &[Choice],
        (yes, no): &(Timestamps, Timestamps),
    ) -> Option<Cube> {
        let cube = setting.cube;
        let timestamps = cube.after.len() + 1;
        let (n, new) = (usize::from(setting.procs), cube.after.len());
        let reads = setting.all_reads(new);
        let mut next = Cube {
            procs: setting.procs,
            conj: cond.conj.clone(),
            reads: reads.clone(),
            snapshot: cube.snapshot,
            ..Cube::default()
        };
        let live = live_cells(&next.conj, &reads, cube.reads.len());
        // Nodes: timestamps, then Any and Writes of each process, the cells, the unknown cells of
        // each symbol, and the time of a write that is not the new timestamp.
        let cells: Vec<Base> = weak_cells(setting);
        let symbols = setting.context.system.symbols.len();
        let (any, writes) = (timestamps, timestamps + n);
        let first_cell = timestamps + 2 * n;
        let fresh_cells = first_cell + cells.len();
        let write = fresh_cells + symbols;
        let size = write + 1;
        let mut edge = vec![false; size * size];
        let default = Timestamps::from(cube.snapshot);
        let mut add = |from: usize, to: Timestamps| {
            each(to).for_each(|p| edge[from * size + p] = true);
        };
        for (p, set) in cube.after.iter().enumerate() {
            add(p, *set);
        }
        for p in 0..n {
            add(
                any + p,
                cube.po_successors.get(p).copied().unwrap_or(default),
            );
            add(writes + p, cube.writes.get(p).copied().unwrap_or(0));
        }
        for (sym, set) in &cube.fresh_cells {
            add(fresh_cells + sym.0 as usize, *set);
        }
        for (i, c) in cells.iter().enumerate() {
            if c.processes().any(|p| p >= cube.procs) {
                if let BaseKind::Cell(sym, ..) = c.kind() {
                    add(first_cell + i, cube.after_fresh_cells(sym));
                }
            } else {
                add(first_cell + i, cube.after_writes(*c));
            }
        }
        let at = |c: Base| cells.iter().position(|d| *d == c).map(|i| first_cell + i);
        let locked = setting.t.locked();
        let written: Vec<Base> = chosen
            .iter()
            .filter(|(_, _, t)| t.is_some())
            .map(|(c, ..)| *c)
            .collect();
        let mut link = |from: usize, to: usize| edge[from * size + to] = true;
        let moment = if locked { new } else { write };
        if let Some(p) = setting.thread.map(usize::from) {
            if !live.is_empty() || locked {
                link(new, any + p);
            }
            live.iter()
                .filter_map(|c| at(*c))
                .for_each(|c| link(new, c));
            if !written.is_empty() {
                link(moment, writes + p);
                written
                    .iter()
                    .filter_map(|c| at(*c))
                    .for_each(|c| link(moment, c));
                each(*yes).for_each(|q| link(moment, q));
                each(*no).for_each(|q| link(q, moment));
            }
        }
        close_graph(&mut edge, size);
        if (0..size).any(|i| edge[i * size + i]) {
            return None;
        }
        // The new timestamp is one only if a read of it is pending.
        let pending = !live.is_empty();
        let reach = |from: usize| {
            (0..timestamps)
                .filter(|p| edge[from * size + p] && (*p != new || pending))
                .fold(0, |s: Timestamps, p| s | 1 << p)
        };
        let own = |node: usize| reach(node) | if node == new && pending { 1 << new } else { 0 };
        let c = &mut next;
        c.after = (0..timestamps).map(reach).collect();
        c.po_successors = (0..n).map(|p| reach(any + p)).collect();
        c.writes = (0..n).map(|p| reach(writes + p)).collect();
        if let Some(p) = setting.thread.map(usize::from) {
            if pending || locked {
                c.po_successors[p] |= own(new);
            }
            if !written.is_empty() {
                c.po_successors[p] |= own(moment);
                c.writes[p] |= own(moment);
            }
            if cond.fence || locked {
                c.writes[p] = c.po_successors[p];
            }
        }
        for (i, cell) in cells.iter().enumerate() {
            let mut set = reach(first_cell + i);
            if written.contains(cell) {
                set |= own(moment);
            }
            if set != 0 {
                c.cells.push((*cell, set));
            }
        }
        c.cells.sort_unstable();
        for (i, symbol) in setting.context.system.symbols.iter().enumerate() {
            let sym = SymId::from_index(i);
            let mut set = reach(fresh_cells + i);
            if symbol.kind == SymbolKind::Weak && writes_all(setting.t, sym) {
                set |= own(moment);
            }
            if set != 0 {
                c.fresh_cells.push((sym, set));
            }
        }
        Some(next)
    }

    fn order_holds(
        context: &SystemContext,
        (): (),
        big: &Cube,
        s: &Cube,
        procs: &[u8],
        reads: &[u8],
    ) -> bool {
        let mut timestamps = vec![None; big.after.len()];
        for (r, k) in big.reads.iter().zip(reads) {
            let to = s.reads[usize::from(*k)].timestamp;
            let slot = &mut timestamps[usize::from(r.timestamp)];
            if slot.is_some_and(|p| p != to) {
                return false;
            }
            *slot = Some(to);
        }
        if big.snapshot && (!s.snapshot || timestamps.first() != Some(&Some(0))) {
            return false;
        }
        let within = |a: Timestamps, b: Timestamps| {
            each(a).all(|p| {
                timestamps
                    .get(p)
                    .copied()
                    .flatten()
                    .is_some_and(|q| b >> q & 1 == 1)
            })
        };
        let f = |b: Base| b.rename(procs, reads);
        let default = Timestamps::from(big.snapshot);
        let per_process = (0..usize::from(s.procs)).all(|q| {
            match procs.iter().position(|p| usize::from(*p) == q) {
                Some(p) => {
                    within(big.po_successors[p], s.po_successors[q])
                        && within(big.writes[p], s.writes[q])
                }
                None => within(default, s.po_successors[q]),
            }
        });
        let new = |b: Base| b.processes().any(|q| !procs.contains(&q));
        let fresh_cells = big.fresh_cells.iter().all(|(sym, set)| {
            within(*set, s.after_fresh_cells(*sym))
                && tuples(context.system.symbols[*sym].arity, s.procs)
                    .iter()
                    .map(|t| Base::cell(*sym, t))
                    .filter(|b| new(*b))
                    .all(|b| within(*set, s.after_writes(b)))
        });
        let after = (0..big.after.len()).all(|p| match timestamps[p] {
            Some(q) => within(big.after[p], s.after[usize::from(q)]),
            None => true,
        });
        per_process
            && fresh_cells
            && after
            && big
                .cells
                .iter()
                .all(|(c, set)| within(*set, s.after_writes(f(*c))))
    }
}

/// The weak cells of all processes.
fn weak_cells(setting: &Setting<Cube>) -> Vec<Base> {
    let system = &*setting.context.system;
    let mut all = Vec::new();
    for (i, symbol) in system.symbols.iter().enumerate() {
        if symbol.kind == SymbolKind::Weak {
            let sym = SymId::from_index(i);
            let index = tuples(symbol.arity, setting.procs);
            all.extend(index.iter().map(|t| Base::cell(sym, t)));
        }
    }
    all
}

/// The transition writes every cell of the symbol, whatever the state: one of its cases has no
/// condition.
fn writes_all(t: &Transition, sym: SymId) -> bool {
    t.updates.iter().any(|u| {
        u.sym == sym
            && matches!(u.target, Target::Every(_))
            && u.cases.iter().any(|(c, _)| *c == Form::Bool(true))
    })
}
