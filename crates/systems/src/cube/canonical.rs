//! The canonical form of a cube: what no longer matters is dropped, the rest is renamed into one
//! order.
//!
//! A read whose value no literal mentions can read anything and is dropped; a timestamp without
//! reads has no edge to come and is dropped from every set (the sets are transitively closed, so
//! nothing is lost); a process is dropped when the cube says no more of it than of an unknown one.
//!
//! Processes are then sorted by what is said of them, refined by what is said of their neighbours;
//! timestamps and reads follow. Ties are left as they are: two cubes that are equal up to renaming
//! get the same form nearly always, and where they do not, subsumption finds it.

use super::literals::{Base, BaseKind, Conj, Literal, bases_of_lit, rename_lin, rename_lit};
use super::timestamp::{PendingRead, Timestamps, each};
use super::tso::Cube;
use base::idx::position;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Drops what does not matter and sorts the rest; the first `fixed` processes are constants.
/// Returns with the cube the new name of each process, if it has one.
///
/// Which of several equal cells comes first may have changed: literals are to be closed again.
pub fn canonicalize(fixed: u8, mut cube: Cube) -> (Cube, Vec<Option<u8>>) {
    let reads = drop_reads(&mut cube);
    let identity: Vec<u8> = (0..cube.procs).collect();
    rename_conj(&mut cube.conj, &identity, &reads);
    let names = drop_processes(fixed, &mut cube);
    let order = sort_processes(fixed, &mut cube);
    let names = names
        .into_iter()
        .map(|n| n.map(|i| order[usize::from(i)]))
        .collect();
    sort_timestamps(&mut cube);
    (cube, names)
}

fn rename_conj(conj: &mut Conj, procs: &[u8], reads: &[u8]) {
    let f = |b: Base| b.rename(procs, reads);
    conj.lits.iter_mut().for_each(|l| *l = rename_lit(l, &f));
    conj.lits.sort_unstable();
    conj.lins.iter_mut().for_each(|l| *l = rename_lin(l, &f));
    conj.lins.sort();
}

/// Removes dead reads and timestamps without reads; the result maps old reads to new.
fn drop_reads(cube: &mut Cube) -> Vec<u8> {
    let live = cube.conj.live_reads(cube.reads.len());
    let mut used: Timestamps = 0;
    let (mut map, mut kept) = (vec![0u8; cube.reads.len()], Vec::new());
    for (k, r) in cube.reads.iter().enumerate() {
        if live[k] {
            map[k] = position(kept.len());
            kept.push(*r);
            used |= 1 << r.timestamp;
        }
    }
    cube.snapshot &= used & 1 == 1;
    let old: Vec<usize> = each(used).collect();
    let squeeze = |set: Timestamps| {
        old.iter()
            .enumerate()
            .fold(0, |new, (i, p)| new | (set >> p & 1) << i)
    };
    for r in &mut kept {
        let at = old.iter().position(|p| *p == usize::from(r.timestamp));
        r.timestamp = position(at.expect("its point is used"));
    }
    cube.reads = kept;
    cube.after = old.iter().map(|p| squeeze(cube.after[*p])).collect();
    cube.po_successors.iter_mut().for_each(|s| *s = squeeze(*s));
    cube.writes.iter_mut().for_each(|s| *s = squeeze(*s));
    cube.cells.iter_mut().for_each(|(_, s)| *s = squeeze(*s));
    cube.cells.retain(|(_, s)| *s != 0);
    cube.fresh_cells
        .iter_mut()
        .for_each(|(_, s)| *s = squeeze(*s));
    cube.fresh_cells.retain(|(_, s)| *s != 0);
    map
}

/// Removes processes of which nothing is said; the result maps old processes to new.
fn drop_processes(fixed: u8, cube: &mut Cube) -> Vec<Option<u8>> {
    let mut needed = vec![false; usize::from(cube.procs)];
    needed
        .iter_mut()
        .take(usize::from(fixed))
        .for_each(|n| *n = true);
    for b in cube.conj.distinct_bases() {
        b.processes().for_each(|p| needed[usize::from(p)] = true);
    }
    for r in &cube.reads {
        needed[usize::from(r.by)] = true;
        r.cell
            .processes()
            .for_each(|p| needed[usize::from(p)] = true);
    }
    for (p, needed) in needed.iter_mut().enumerate() {
        *needed |= cube.po_successors[p] != cube.fresh_process_successors() || cube.writes[p] != 0;
    }
    // A cell with more than is known of unknown ones keeps one of its processes.
    for (c, set) in &cube.cells {
        let BaseKind::Cell(sym, ..) = c.kind() else {
            continue;
        };
        if *set != cube.after_fresh_cells(sym) {
            c.processes().for_each(|p| needed[usize::from(p)] = true);
        }
    }
    let mut names = Vec::new();
    let mut next = 0u8;
    for n in &needed {
        names.push(n.then_some(next));
        next += u8::from(*n);
    }
    if next < cube.procs {
        let gone = |p: u8| !needed[usize::from(p)];
        cube.cells.retain(|(c, _)| !c.processes().any(gone));
        let map: Vec<u8> = names.iter().map(|n| n.unwrap_or(0)).collect();
        let keep = |v: &Vec<Timestamps>| {
            v.iter()
                .zip(&needed)
                .filter(|(_, n)| **n)
                .map(|(s, _)| *s)
                .collect::<Vec<_>>()
        };
        cube.po_successors = keep(&cube.po_successors);
        cube.writes = keep(&cube.writes);
        cube.procs = next;
        rename_processes(cube, &map);
    }
    names
}

/// Renames processes everywhere but in the lists that are indexed by them.
fn rename_processes(cube: &mut Cube, map: &[u8]) {
    let reads: Vec<u8> = (0..cube.reads.len()).map(position).collect();
    rename_conj(&mut cube.conj, map, &reads);
    for r in &mut cube.reads {
        r.by = map[usize::from(r.by)];
        r.cell = r.cell.rename(map, &reads);
    }
    cube.cells
        .iter_mut()
        .for_each(|(c, _)| *c = c.rename(map, &reads));
    cube.cells.sort_unstable();
}

/// Sorts processes that are no constants; the result maps old ones to new.
fn sort_processes(fixed: u8, cube: &mut Cube) -> Vec<u8> {
    let n = usize::from(cube.procs);
    let fixed = usize::from(fixed);
    if n <= fixed + 1 {
        return (0..cube.procs).collect();
    }
    let mut colors: Vec<u64> = (0..n as u64).map(|p| p.min(fixed as u64)).collect();
    for _ in 0..2 {
        colors = (0..n).map(|p| color(cube, position(p), &colors)).collect();
    }
    let mut order: Vec<usize> = (fixed..n).collect();
    order.sort_by_key(|p| colors[*p]);
    let mut map: Vec<u8> = (0..cube.procs).collect();
    for (new, old) in order.iter().enumerate() {
        map[*old] = position(fixed + new);
    }
    let sorted = |v: &[Timestamps]| {
        let mut out = v.to_vec();
        for (old, new) in map.iter().enumerate() {
            out[usize::from(*new)] = v[old];
        }
        out
    };
    cube.po_successors = sorted(&cube.po_successors);
    cube.writes = sorted(&cube.writes);
    rename_processes(cube, &map);
    map
}

/// What a cube says of a process, its neighbours seen as their colours.
fn color(cube: &Cube, p: u8, colors: &[u64]) -> u64 {
    let see = |b: Base| -> (u8, u64, u64, u64) {
        let c = |i: u8| {
            if i == p {
                1
            } else {
                colors.get(usize::from(i)).map_or(0, |c| c | 2)
            }
        };
        match b.kind() {
            BaseKind::Zero => (0, 0, 0, 0),
            BaseKind::Proc(i) => (1, 0, c(i), 0),
            BaseKind::Cell(s, i, j) => (2, u64::from(s.0), c(i), c(j)),
            BaseKind::Read(k) => {
                let r = cube.reads[usize::from(k)];
                match r.cell.kind() {
                    BaseKind::Cell(s, i, j) => (3, u64::from(s.0), c(r.by), c(i) ^ c(j) << 1),
                    _ => (3, 0, c(r.by), 0),
                }
            }
            BaseKind::Some(_) => (4, 0, 0, 0),
        }
    };
    let about = |b: Base| match b.kind() {
        BaseKind::Read(k) => {
            let r = cube.reads[usize::from(k)];
            r.by == p || r.cell.processes().any(|q| q == p)
        }
        _ => b.processes().any(|q| q == p),
    };
    let hash = |x: &dyn Fn(&mut FxHasher)| {
        let mut h = FxHasher::default();
        x(&mut h);
        h.finish()
    };
    let mut sum = 0u64;
    for l in &cube.conj.lits {
        if !bases_of_lit(l).any(about) {
            continue;
        }
        let part = hash(&|h| match *l {
            Literal::In(a, m) => (0, see(a), m).hash(h),
            Literal::Eq(a, b) => {
                let (x, y) = (see(a), see(b));
                (1, x.min(y), x.max(y)).hash(h);
            }
            Literal::Ne(a, b) => {
                let (x, y) = (see(a), see(b));
                (2, x.min(y), x.max(y)).hash(h);
            }
            Literal::Less(a, b) => (3, see(a), see(b)).hash(h),
            Literal::LessEq(a, b) => (4, see(a), see(b)).hash(h),
            Literal::Diff {
                a, b, rel, bound, ..
            } => (5, see(a), see(b), rel, bound.unsigned_abs()).hash(h),
        });
        sum = sum.wrapping_add(part);
    }
    for r in &cube.reads {
        if r.by == p || r.cell.processes().any(|q| q == p) {
            let part = hash(&|h| {
                (
                    7,
                    r.by == p,
                    see(r.cell),
                    cube.after[usize::from(r.timestamp)].count_ones(),
                )
                    .hash(h);
            });
            sum = sum.wrapping_add(part);
        }
    }
    let own = usize::from(p);
    let counts = (
        colors[own],
        cube.po_successors[own].count_ones(),
        cube.writes[own].count_ones(),
    );
    let part = hash(&|h| counts.hash(h));
    sum.wrapping_add(part) & (u64::MAX >> 2)
}

/// Sorts timestamps by their reads and reads by their timestamps; the snapshot stays first.
fn sort_timestamps(cube: &mut Cube) {
    let n = cube.after.len();
    let key = |p: usize| {
        let mut reads: Vec<(u8, Base)> = cube
            .reads
            .iter()
            .filter(|r| usize::from(r.timestamp) == p)
            .map(|r| (r.by, r.cell))
            .collect();
        reads.sort_unstable();
        let first = !(cube.snapshot && p == 0);
        (first, reads, u32::MAX - cube.after[p].count_ones())
    };
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_cached_key(|p| key(*p));
    let mut map = vec![0u8; n];
    for (new, old) in order.iter().enumerate() {
        map[*old] = position(new);
    }
    let permute = |set: Timestamps| each(set).fold(0, |new: Timestamps, p| new | 1 << map[p]);
    cube.after = order.iter().map(|p| permute(cube.after[*p])).collect();
    cube.po_successors.iter_mut().for_each(|s| *s = permute(*s));
    cube.writes.iter_mut().for_each(|s| *s = permute(*s));
    cube.cells.iter_mut().for_each(|(_, s)| *s = permute(*s));
    cube.fresh_cells
        .iter_mut()
        .for_each(|(_, s)| *s = permute(*s));
    cube.reads
        .iter_mut()
        .for_each(|r| r.timestamp = map[usize::from(r.timestamp)]);
    let mut by: Vec<usize> = (0..cube.reads.len()).collect();
    by.sort_by_key(|k| cube.reads[*k]);
    let mut reads = vec![0u8; by.len()];
    for (new, old) in by.iter().enumerate() {
        reads[*old] = position(new);
    }
    let sorted: Vec<PendingRead> = by.iter().map(|k| cube.reads[*k]).collect();
    cube.reads = sorted;
    let procs: Vec<u8> = (0..cube.procs).collect();
    rename_conj(&mut cube.conj, &procs, &reads);
}
