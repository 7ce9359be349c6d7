//! The three conditions of a certificate, decided again.
//!
//! A pre-image is a formula, the weakest precondition of the cube's literals, and a graph. The
//! graph has a node for each timestamp of a pending read, for what is known of each process (`Any`,
//! `Writes`) and each cell (`Cell`), and for the times of the new transition's events; an edge
//! means "is before". Its transitive closure says whether there is a cycle and what the new
//! obligations are.
//!
//! The head of [`super`] lists what this trusts. Whether a pre-image is empty or covered is for
//! [`cover`](super::cover) to say.

use super::cover::{Cover, Either};
use crate::base::idx::{Id, position};
use crate::front::cub::ast::SymbolKind;
use crate::param::cube::formula::{
    Disjunct, GroundFormula, GroundTerm, Overflow, conj, disj, disjuncts, negate, substitute,
    substitute_lin,
};
use crate::param::cube::instantiate::Binding;
use crate::param::cube::literals::{Base, BaseKind, bases_of_lit};
use crate::param::cube::timestamp::{MAX_NUMBERED, PendingRead, Timestamps, each};
use crate::param::cube::tso::Cube;
use crate::param::init::{is_init_unsatisfiable, meets_exactly};
use crate::param::system::tuples::{assignments, tuples};
use crate::param::system::{Form, Pr, Property, SymId, Target, Transition, Update, UpdateValue};
use crate::param::theory::context::SystemContext;

/// What is wrong with a certificate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// This unsafe formula is not covered.
    #[error("`{0}` is not covered")]
    Unsafe(String),
    /// The cube at this position meets an initial state.
    #[error("cube {} meets an initial state", .0 + 1)]
    Initial(usize),
    /// A pre-image of the cube at this position, by this transition, is not covered.
    #[error("a pre-image of cube {at} by `{1}` is not covered", at = .0 + 1)]
    Open(usize, String),
    /// There are no cubes, as no state is initial: that has no goals for another solver.
    #[error("no state is initial, of which there are no goals")]
    Vacuous,
    /// Numbers or sets beyond what is represented.
    #[error("it is too large to be checked")]
    TooLarge,
}

impl From<Overflow> for Flaw {
    fn from(_: Overflow) -> Flaw {
        Flaw::TooLarge
    }
}

/// The cases of an update: condition, and the value if the cell is changed.
type Cases = Vec<(GroundFormula, Option<GroundTerm>)>;

/// Makes an instance of some formula.
type Bind<'a> = dyn FnMut(
        &dyn Fn(&mut Binding) -> Result<GroundFormula, Overflow>,
    ) -> Result<GroundFormula, Overflow>
    + 'a;

/// What is required, and the values of cells under it.
type Combo = (Vec<GroundFormula>, Vec<(Base, GroundTerm)>);

/// Checks a certificate; the system's invariants are taken for granted.
///
/// # Errors
/// The first flaw.
pub fn check(context: &SystemContext, cubes: &[Cube]) -> Result<(), Flaw> {
    if cubes.is_empty() && is_init_unsatisfiable(context)? {
        return Ok(());
    }
    let cover = Cover::new(covering_cubes(context, cubes)?);
    for p in &context.system.unsafes {
        for cube in formula(context, p)? {
            if !cover.covers(context, &cube) {
                return Err(Flaw::Unsafe(p.name.clone()));
            }
        }
    }
    for (i, cube) in cubes.iter().enumerate() {
        if meets_exactly(context, cube)? {
            return Err(Flaw::Initial(i));
        }
        for t in &context.system.transitions {
            for (args, procs) in choices(context, t.params.len(), cube.procs) {
                for before in before(context, cube, t, &args, procs)? {
                    if !cover.covers(context, &before) {
                        return Err(Flaw::Open(i, t.name.clone()));
                    }
                }
            }
        }
    }
    Ok(())
}

/// What may cover: the cubes of the certificate and those of the file's invariants.
///
/// # Errors
/// Numbers that are too large.
pub(super) fn covering_cubes(context: &SystemContext, cubes: &[Cube]) -> Result<Vec<Cube>, Flaw> {
    let mut all: Vec<Cube> = cubes.to_vec();
    for p in &context.system.invariants {
        for mut cube in formula(context, p)? {
            // What processes see and constants: it holds whenever they look.
            let constant = |b: Base| match b.kind() {
                BaseKind::Cell(s, ..) => context.system.symbols[s].kind == SymbolKind::Const,
                _ => true,
            };
            if cube.snapshot && cube.conj.distinct_bases().into_iter().all(constant) {
                cube.snapshot = false;
                cube.po_successors.iter_mut().for_each(|s| *s = 0);
            }
            all.push(cube);
        }
    }
    Ok(all)
}

/// All choices of distinct processes, known and new, and how many processes there then are.
pub(super) fn choices(context: &SystemContext, len: usize, known: u8) -> Vec<(Vec<u8>, u8)> {
    let mut all = assignments(len, known, context.system.fixed);
    if let Some(limit) = context.limit {
        all.retain(|(_, n)| *n <= limit);
        // With a fixed number, all processes are there for universal guards.
        all.iter_mut().for_each(|(_, n)| *n = limit);
    }
    all
}

/// The cubes of a formula, nothing simplified.
pub(super) fn formula(context: &SystemContext, p: &Property) -> Result<Vec<Cube>, Flaw> {
    let mut out = Vec::new();
    for (env, procs) in choices(context, p.params.len(), 0) {
        let mut reads = Vec::new();
        let body = Binding {
            system: &context.system,
            env,
            reads: &mut reads,
            first_read: 0,
            memory: false,
            fixed: context.system.fixed,
        }
        .form(&p.body, &[])?;
        for cond in disjuncts(&body, vec![Disjunct::default()], &|_| true)? {
            let snapshot = !reads.is_empty();
            let cube = Cube {
                procs,
                conj: cond.conj,
                reads: reads
                    .iter()
                    .map(|(by, cell)| PendingRead {
                        timestamp: 0,
                        by: *by,
                        cell: *cell,
                    })
                    .collect(),
                snapshot,
                after: vec![0; usize::from(snapshot)],
                po_successors: vec![Timestamps::from(snapshot); usize::from(procs)],
                writes: vec![0; usize::from(procs)],
                ..Cube::default()
            };
            out.push(cube);
        }
    }
    Ok(out)
}

/// The cases of an update for one cell: condition, and value if it is changed.
fn cases(
    bind: &mut Bind,
    values: &[Result<GroundTerm, Overflow>],
    u: &Update,
) -> Result<Cases, Flaw> {
    let mut out = Vec::new();
    let mut earlier: Vec<GroundFormula> = Vec::new();
    for ((condition, _), value) in u.cases.iter().zip(values) {
        let here = bind(&|b| b.form(condition, &[]))?;
        let mut all = earlier.clone();
        all.push(here.clone());
        out.push((conj(all), Some(value.clone()?)));
        earlier.push(negate(&here));
    }
    out.push((conj(earlier), None));
    Ok(out)
}

/// All pre-images of a cube, nothing simplified.
pub(super) fn before(
    context: &SystemContext,
    cube: &Cube,
    t: &Transition,
    args: &[u8],
    procs: u8,
) -> Result<Vec<Cube>, Flaw> {
    let system = &*context.system;
    let mut reads: Vec<(u8, Base)> = Vec::new();
    let mut somes = 0;
    let others: Vec<u8> = (0..procs).filter(|p| !args.contains(p)).collect();
    let mut bind = |env: Vec<u8>, f: &dyn Fn(&mut Binding) -> Result<GroundFormula, Overflow>| {
        f(&mut Binding {
            system,
            env,
            reads: &mut reads,
            first_read: cube.reads.len(),
            memory: false,
            fixed: system.fixed,
        })
    };
    let guard = bind(args.to_vec(), &|b| b.form(&t.guard, &others))?;
    // Every cell that some update is about, with its cases.
    let mut plain: Vec<(Base, Cases)> = Vec::new();
    let mut weak: Vec<(Base, Cases)> = Vec::new();
    for u in &t.updates {
        let arity = system.symbols[u.sym].arity;
        for index in tuples(arity, procs) {
            let cell = Base::cell(u.sym, &index);
            let mut env = args.to_vec();
            match u.target {
                Target::Cell(at) => {
                    let same = at[..arity].iter().zip(&index).all(|(p, i)| match p {
                        Pr::Var(v) => args.get(usize::from(*v)) == Some(i),
                        Pr::Fixed(k) => k == i,
                    });
                    if !same {
                        continue;
                    }
                }
                Target::Every(_) => env.extend(&index),
            }
            let mut values = Vec::new();
            for (_, value) in &u.cases {
                values.push(match value {
                    UpdateValue::Any if somes == MAX_NUMBERED => return Err(Flaw::TooLarge),
                    UpdateValue::Any => {
                        somes += 1;
                        Ok(GroundTerm::Base(Base::some(somes - 1)))
                    }
                    value => {
                        let slot = std::cell::RefCell::new(Err(Overflow));
                        bind(env.clone(), &|b| {
                            *slot.borrow_mut() = b.term(value);
                            Ok(GroundFormula::Bool(true))
                        })?;
                        slot.into_inner()
                    }
                });
            }
            let mut binding =
                |f: &dyn Fn(&mut Binding) -> Result<GroundFormula, Overflow>| bind(env.clone(), f);
            let cases = cases(&mut binding, &values, u)?;
            if system.symbols[u.sym].kind == SymbolKind::Weak {
                weak.push((cell, cases));
            } else {
                plain.push((cell, cases));
            }
        }
    }
    let mut out = Vec::new();
    let setting = Setting {
        context,
        cube,
        t,
        thread: t.thread.map(|p| args[usize::from(p)]),
        procs,
        guard,
        plain,
        new_reads: reads,
    };
    let mut choice = Vec::new();
    setting.writes(&weak, &mut choice, &mut out)?;
    Ok(out)
}

struct Setting<'a> {
    context: &'a SystemContext<'a>,
    cube: &'a Cube,
    t: &'a Transition,
    thread: Option<u8>,
    procs: u8,
    guard: GroundFormula,
    plain: Vec<(Base, Cases)>,
    new_reads: Vec<(u8, Base)>,
}

/// A weak cell, the condition of the case chosen for it, and what is written.
type Choice = (Base, GroundFormula, Option<GroundTerm>);

impl Setting<'_> {
    /// All choices of a case for each weak cell.
    fn writes(
        &self,
        rest: &[(Base, Cases)],
        chosen: &mut Vec<Choice>,
        out: &mut Vec<Cube>,
    ) -> Result<(), Flaw> {
        let Some(((cell, cases), rest)) = rest.split_first() else {
            return self.satisfied(chosen, out);
        };
        for (condition, term) in cases {
            if *condition == GroundFormula::Bool(false) || is_false(condition) {
                continue;
            }
            chosen.push((*cell, condition.clone(), term.clone()));
            self.writes(rest, chosen, out)?;
            chosen.pop();
        }
        Ok(())
    }

    /// All choices of timestamps of others that read from the writes.
    fn satisfied(&self, chosen: &[Choice], out: &mut Vec<Cube>) -> Result<(), Flaw> {
        let mut matching: Timestamps = 0;
        for r in &self.cube.reads {
            let written = chosen.iter().any(|(c, _, t)| *c == r.cell && t.is_some());
            if written && Some(r.by) != self.thread {
                matching |= 1 << r.timestamp;
            }
        }
        let all: Vec<usize> = each(matching).collect();
        if all.len() > 12 {
            return Err(Flaw::TooLarge);
        }
        for bits in 0u32..1 << all.len() {
            let on = all.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            let yes = on.fold(0, |s: Timestamps, (_, p)| s | 1 << p);
            self.formula(chosen, yes, matching & !yes, out)?;
        }
        Ok(())
    }

    fn formula(
        &self,
        chosen: &[Choice],
        yes: Timestamps,
        no: Timestamps,
        out: &mut Vec<Cube>,
    ) -> Result<(), Flaw> {
        let cube = self.cube;
        let mut parts = vec![self.guard.clone()];
        parts.extend(chosen.iter().map(|(_, c, _)| c.clone()));
        let fixed = self.context.system.fixed;
        let lits = cube.conj.lits.iter().map(|l| {
            let of: Vec<Base> = bases_of_lit(l).collect();
            (of, Either::Literal(*l))
        });
        let lins = cube.conj.lins.iter().map(|l| {
            let of: Vec<Base> = l.lin.terms.iter().map(|(_, b)| *b).collect();
            (of, Either::Lin(l.clone()))
        });
        for (of, lit) in lits.chain(lins) {
            // Every combination of cases of the plain cells that the literal is about.
            let mut combos: Vec<Combo> = vec![(Vec::new(), Vec::new())];
            for b in of {
                let Some((_, cases)) = self.plain.iter().find(|(c, _)| *c == b) else {
                    continue;
                };
                let mut next = Vec::new();
                for (conds, map) in combos {
                    for (condition, term) in cases {
                        let (mut conds, mut map) = (conds.clone(), map.clone());
                        conds.push(condition.clone());
                        map.extend(term.iter().map(|t| (b, t.clone())));
                        next.push((conds, map));
                    }
                }
                combos = next;
            }
            let mut any = Vec::new();
            for (mut conds, map) in combos {
                let mut get = |b: Base| match b.kind() {
                    BaseKind::Read(k) => cube.reads.get(usize::from(k)).and_then(|r| {
                        let reads_it = Some(r.by) == self.thread || yes >> r.timestamp & 1 == 1;
                        let write = chosen.iter().find(|(c, ..)| *c == r.cell);
                        write.filter(|_| reads_it).and_then(|(_, _, t)| t.clone())
                    }),
                    _ => map.iter().find(|(c, _)| *c == b).map(|(_, t)| t.clone()),
                };
                conds.push(match &lit {
                    Either::Literal(l) => substitute(l, &mut get, fixed)?,
                    Either::Lin(l) => substitute_lin(l, &mut get)?,
                });
                any.push(conj(conds));
            }
            parts.push(disj(any));
        }
        for cond in disjuncts(&conj(parts), vec![Disjunct::default()], &|_| true)? {
            out.extend(self.graph(&cond, chosen, yes, no));
        }
        Ok(())
    }

    /// The obligations, by reachability.
    fn graph(
        &self,
        cond: &Disjunct,
        chosen: &[Choice],
        yes: Timestamps,
        no: Timestamps,
    ) -> Option<Cube> {
        let cube = self.cube;
        let timestamps = cube.after.len() + 1;
        let (n, new) = (usize::from(self.procs), cube.after.len());
        let mut reads = cube.reads.clone();
        reads.extend(self.new_reads.iter().map(|(by, cell)| PendingRead {
            timestamp: position(new),
            by: *by,
            cell: *cell,
        }));
        let mut next = Cube {
            procs: self.procs,
            conj: cond.conj.clone(),
            reads: reads.clone(),
            snapshot: cube.snapshot,
            ..Cube::default()
        };
        let live: Vec<Base> = next
            .conj
            .distinct_bases()
            .into_iter()
            .filter_map(|b| match b.kind() {
                BaseKind::Read(k) if usize::from(k) >= cube.reads.len() => {
                    Some(reads[usize::from(k)].cell)
                }
                _ => None,
            })
            .collect();
        // Nodes: timestamps, then Any and Writes of each process, the cells, the unknown cells of
        // each symbol, and the time of a write that is not the new timestamp.
        let cells: Vec<Base> = self.weak_cells();
        let symbols = self.context.system.symbols.len();
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
        let locked = self.t.locked();
        let written: Vec<Base> = chosen
            .iter()
            .filter(|(_, _, t)| t.is_some())
            .map(|(c, ..)| *c)
            .collect();
        let mut link = |from: usize, to: usize| edge[from * size + to] = true;
        let moment = if locked { new } else { write };
        if let Some(p) = self.thread.map(usize::from) {
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
                each(yes).for_each(|q| link(moment, q));
                each(no).for_each(|q| link(q, moment));
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
        if let Some(p) = self.thread.map(usize::from) {
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
        for (i, symbol) in self.context.system.symbols.iter().enumerate() {
            let sym = SymId::from_index(i);
            let mut set = reach(fresh_cells + i);
            if symbol.kind == SymbolKind::Weak && self.writes_all(sym) {
                set |= own(moment);
            }
            if set != 0 {
                c.fresh_cells.push((sym, set));
            }
        }
        Some(next)
    }

    /// The weak cells of all processes.
    fn weak_cells(&self) -> Vec<Base> {
        let system = &*self.context.system;
        let mut all = Vec::new();
        for (i, symbol) in system.symbols.iter().enumerate() {
            if symbol.kind == SymbolKind::Weak {
                let sym = SymId::from_index(i);
                let index = tuples(symbol.arity, self.procs);
                all.extend(index.iter().map(|t| Base::cell(sym, t)));
            }
        }
        all
    }

    /// The transition writes every cell of the symbol, whatever the state: one of its cases has no
    /// condition.
    fn writes_all(&self, sym: SymId) -> bool {
        self.t.updates.iter().any(|u| {
            u.sym == sym
                && matches!(u.target, Target::Every(_))
                && u.cases.iter().any(|(c, _)| *c == Form::Bool(true))
        })
    }
}

fn is_false(i: &GroundFormula) -> bool {
    matches!(i, GroundFormula::And(all) if all.contains(&GroundFormula::Bool(false)))
}

fn close_graph(edge: &mut [bool], size: usize) {
    for k in 0..size {
        for i in 0..size {
            if edge[i * size + k] {
                for j in 0..size {
                    if edge[k * size + j] {
                        edge[i * size + j] = true;
                    }
                }
            }
        }
    }
}
