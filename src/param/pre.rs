//! Pre-images: what must hold before a transition so that a cube holds after it.
//!
//! For one transition and one choice of its processes: cells that it updates are replaced by their
//! new values (a `case` splits), the guard is added, weak reads of guard and values become pending
//! reads, and the weak writes are matched against the pending reads, as Sec. 4.2 of the TSO paper
//! says. A read of the writer itself takes its value from the write, whatever it is. A point of
//! another process at which a written cell is read is either after the write, and then all its
//! reads of written cells take their values from it, or before it. Everything known to come after
//! the write is after it, so the points chosen are closed under `after` and include the known ones.
//!
//! The edges are those of [`super::cube`]; a transition is one point, so that reads are at one
//! moment, writes reach memory at one moment, and a locked transition has both at the same. It is
//! locked by its text, also when a value read does not matter or a `case` writes nothing.
//!
//! An instance that neither updates a cell of the cube nor satisfies a pending read yields a part
//! of the cube itself and is left out.

use super::cube::{Base, Cube, Kind, Lit, MAX_POINTS, Points, Read, each};
use super::instance::{
    Binding, Cond, Inst, Overflow, Term, add, conj, disjuncts, negate, substitute, substitute_lin,
};
use super::system::{Form, Pr, SymbolKind, System, Target, Transition, Update, Val, Value};
use super::theory::{Facts, close};

/// The system and what is known of it.
pub struct Model<'s> {
    /// The system.
    pub system: &'s System,
    /// The constructors each symbol's cells can hold.
    pub flow: Vec<u128>,
    /// No more processes than these exist.
    pub limit: Option<u8>,
}

/// A pre-image and how the processes of the cube it came from are called in it.
#[derive(Clone, Debug)]
pub struct Pre {
    /// The cube before the transition.
    pub cube: Cube,
    /// For each process of the cube after it (and each new one): its name here, if it has one.
    pub names: Vec<Option<u8>>,
}

/// Why a pre-image cannot be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLarge {
    /// Numbers beyond 64 bits, or too many cases.
    Numbers,
    /// More pending points than are looked at.
    Points,
}

impl From<Overflow> for TooLarge {
    fn from(_: Overflow) -> TooLarge {
        TooLarge::Numbers
    }
}

impl<'s> Model<'s> {
    /// The system with what a look at its assignments shows.
    pub fn new(system: &'s System, limit: Option<u8>) -> Model<'s> {
        Model {
            system,
            flow: super::instance::flow(system),
            limit,
        }
    }

    /// The constructors a base can have at all.
    pub fn domain(&self, reads: &[Read], b: Base) -> u128 {
        match b.kind() {
            Kind::Cell(sym, ..) => self.flow[sym.0 as usize],
            Kind::Read(k) => reads
                .get(usize::from(k))
                .map_or(u128::MAX, |r| self.domain(&[], r.cell)),
            _ => u128::MAX,
        }
    }

    /// What is known before any literal, of a cube with so many processes.
    pub fn facts<'a>(&self, domain: &'a dyn Fn(Base) -> u128, procs: u8) -> Facts<'a> {
        Facts {
            domain,
            fixed: self.system.fixed,
            all_procs: self.limit.filter(|n| *n == procs),
        }
    }
}

/// One way a transition can go: what it requires, which cells change, which weak cells are written.
#[derive(Clone, Default)]
struct World {
    cond: Cond,
    map: Vec<(Base, Term)>,
    writes: Vec<(Base, Term)>,
}

/// All pre-images by transition `t` with processes `args`; the cube has `procs` processes, new ones
/// included, and its literals speak of `bases`.
///
/// # Errors
/// Something is too large; the answer would not be complete.
pub fn preimages(
    model: &Model,
    cube: &Cube,
    bases: &[Base],
    t: &Transition,
    args: &[u8],
    procs: u8,
) -> Result<Vec<Pre>, TooLarge> {
    let mut image = Image {
        model,
        cube,
        t,
        args,
        procs,
        reads: Vec::new(),
        somes: 0,
    };
    image.all(bases)
}

struct Image<'a> {
    model: &'a Model<'a>,
    cube: &'a Cube,
    t: &'a Transition,
    args: &'a [u8],
    procs: u8,
    /// New reads: who, what.
    reads: Vec<(u8, Base)>,
    somes: usize,
}

impl Image<'_> {
    fn all(&mut self, bases: &[Base]) -> Result<Vec<Pre>, TooLarge> {
        if usize::from(MAX_POINTS) <= self.cube.after.len() {
            return Err(TooLarge::Points);
        }
        let touched = self.touched(bases);
        if !touched.iter().any(|c| !c.is_empty()) {
            return Ok(Vec::new());
        }
        if self.contradicts(&touched) {
            return Ok(Vec::new());
        }
        let t = self.t;
        let others: Vec<u8> = (0..self.procs).filter(|p| !self.args.contains(p)).collect();
        let guard = self.binding(self.args.to_vec()).form(&t.guard, &others)?;
        let start = vec![Cond::default()];
        let conds = disjuncts(&guard, start, &|_| true)?;
        let mut worlds: Vec<World> = conds
            .into_iter()
            .map(|cond| World {
                cond,
                ..World::default()
            })
            .collect();
        // Without pending reads, now or in this transition, nothing can come after a write.
        let order = !self.cube.after.is_empty() || t.locked();
        for (u, cells) in t.updates.iter().zip(&touched) {
            let weak = self.model.system.symbols[u.sym].kind == SymbolKind::Weak;
            let cells = if weak && order {
                self.every_cell(u)
            } else {
                cells.clone()
            };
            for cell in cells {
                worlds = self.split(worlds, u, cell, weak)?;
            }
        }
        let mut out = Vec::new();
        for world in &worlds {
            self.finish(world, &mut out)?;
        }
        Ok(out)
    }

    fn binding(&mut self, env: Vec<u8>) -> Binding<'_> {
        Binding {
            system: self.model.system,
            env,
            reads: &mut self.reads,
            first_read: self.cube.reads.len(),
            memory: false,
            fixed: self.model.system.fixed,
        }
    }

    /// For each update, the cells of the cube that it may change: those of literals, or those of
    /// pending reads.
    fn touched(&self, bases: &[Base]) -> Vec<Vec<Base>> {
        let system = self.model.system;
        let cells_of = |u: &Update| {
            let weak = system.symbols[u.sym].kind == SymbolKind::Weak;
            let mut cells: Vec<Base> = if weak {
                self.cube.reads.iter().map(|r| r.cell).collect()
            } else {
                bases.to_vec()
            };
            cells.retain(|b| matches!(b.kind(), Kind::Cell(s, ..) if s == u.sym));
            if let Target::Cell(_) = u.target {
                let one = self.target(u);
                cells.retain(|c| *c == one);
            }
            cells.sort_unstable();
            cells.dedup();
            cells
        };
        self.t.updates.iter().map(cells_of).collect()
    }

    /// The cell of an update of one cell.
    fn target(&self, u: &Update) -> Base {
        let Target::Cell(index) = u.target else {
            return Base::ZERO;
        };
        let arity = self.model.system.symbols[u.sym].arity;
        let index = index.map(|p| match p {
            Pr::Var(v) => self.args.get(usize::from(v)).copied().unwrap_or(0),
            Pr::Fixed(k) => k,
        });
        Base::cell(u.sym, &index[..arity])
    }

    /// A glance: some cell gets a constant that the cube excludes.
    fn contradicts(&self, touched: &[Vec<Base>]) -> bool {
        let lits = &self.cube.conj.lits;
        self.t.updates.iter().zip(touched).any(|(u, cells)| {
            let [(Form::Bool(true), Value::Val(Val::Ctor(k)))] = u.cases.as_slice() else {
                return false;
            };
            let plain = self.model.system.symbols[u.sym].kind != SymbolKind::Weak;
            plain
                && matches!(u.target, Target::Cell(_))
                && cells.iter().any(|c| {
                    lits.iter()
                        .any(|l| matches!(l, Lit::In(b, m) if b == c && m >> k & 1 == 0))
                })
        })
    }

    /// All cells of a weak update over the cube's processes.
    fn every_cell(&self, u: &Update) -> Vec<Base> {
        if let Target::Cell(_) = u.target {
            return vec![self.target(u)];
        }
        let arity = self.model.system.symbols[u.sym].arity;
        let mut tuples: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..arity {
            tuples = tuples
                .into_iter()
                .flat_map(|t| {
                    (0..self.procs).map(move |p| {
                        let mut t = t.clone();
                        t.push(p);
                        t
                    })
                })
                .collect();
        }
        tuples.iter().map(|t| Base::cell(u.sym, t)).collect()
    }

    /// Each world once for each case of an update that may apply to the cell.
    fn split(
        &mut self,
        worlds: Vec<World>,
        u: &Update,
        cell: Base,
        weak: bool,
    ) -> Result<Vec<World>, TooLarge> {
        let mut env = self.args.to_vec();
        if let Target::Every(_) = u.target {
            env.extend(cell.processes());
        }
        let mut alternatives: Vec<(Inst, Option<Term>)> = Vec::new();
        let mut none_before: Vec<Inst> = Vec::new();
        let mut open = true;
        for (condition, value) in &u.cases {
            let mut binding = self.binding(env.clone());
            let condition = binding.form(condition, &[])?;
            if condition == Inst::Bool(false) {
                continue;
            }
            let term = match value {
                Value::Any => {
                    self.somes += 1;
                    Term::Base(Base::some(self.somes - 1))
                }
                value => binding.term(value)?,
            };
            let mut all = none_before.clone();
            all.push(condition.clone());
            alternatives.push((conj(all), Some(term)));
            if condition == Inst::Bool(true) {
                open = false;
                break;
            }
            none_before.push(negate(&condition));
        }
        if open {
            alternatives.push((conj(none_before), None));
        }
        let mut out = Vec::new();
        for world in worlds {
            for (condition, term) in &alternatives {
                let start = vec![world.cond.clone()];
                for cond in disjuncts(condition, start, &|_| true)? {
                    let mut next = World {
                        cond,
                        ..world.clone()
                    };
                    if let Some(term) = term {
                        let list = if weak {
                            &mut next.writes
                        } else {
                            &mut next.map
                        };
                        list.push((cell, term.clone()));
                    }
                    out.push(next);
                }
            }
        }
        Ok(out)
    }

    /// The thread's number in the cube.
    fn thread(&self) -> Option<u8> {
        self.t.thread.map(|p| self.args[usize::from(p)])
    }

    /// All choices of points that read from the writes of a world.
    fn finish(&mut self, world: &World, out: &mut Vec<Pre>) -> Result<(), TooLarge> {
        let cube = self.cube;
        let thread = self.thread();
        let written = |cell: Base| world.writes.iter().any(|(c, _)| *c == cell);
        // Points of others at which a written cell is read.
        let mut matching: Points = 0;
        for r in &cube.reads {
            if written(r.cell) && Some(r.by) != thread {
                matching |= 1 << r.point;
            }
        }
        let mut base: Points = 0;
        if let Some(p) = thread
            && !world.writes.is_empty()
        {
            base |= if self.t.locked() {
                self.any(p)
            } else {
                self.writes(p)
            };
            for (c, _) in &world.writes {
                base |= self.after_writes(*c);
            }
            base = cube.closed(base);
        }
        let forced = base & matching;
        let free: Vec<usize> = each(matching & !forced).collect();
        if free.len() > 16 {
            return Err(TooLarge::Points);
        }
        let touches = !world.map.is_empty();
        for choice in 0u32..1 << free.len() {
            let mut satisfied = forced;
            for (i, p) in free.iter().enumerate() {
                if choice >> i & 1 == 1 {
                    satisfied |= 1 << p;
                }
            }
            let reach = base | cube.closed(satisfied);
            if reach & matching & !satisfied != 0 {
                continue;
            }
            let own = cube
                .reads
                .iter()
                .any(|r| written(r.cell) && Some(r.by) == thread);
            if !touches && satisfied == 0 && !own {
                continue;
            }
            self.build(world, satisfied, matching & !satisfied, reach, out)?;
        }
        Ok(())
    }

    fn any(&self, p: u8) -> Points {
        let known = self.cube.any.get(usize::from(p)).copied();
        known.unwrap_or(self.cube.default_any())
    }

    fn writes(&self, p: u8) -> Points {
        self.cube.writes.get(usize::from(p)).copied().unwrap_or(0)
    }

    fn after_writes(&self, cell: Base) -> Points {
        let new = |p: u8| p >= self.cube.procs;
        match cell.kind() {
            Kind::Cell(sym, ..) if cell.processes().any(new) => self.cube.after_wild(sym),
            _ => self.cube.after_writes(cell),
        }
    }

    /// The cube before, for one choice.
    fn build(
        &mut self,
        world: &World,
        satisfied: Points,
        before: Points,
        reach: Points,
        out: &mut Vec<Pre>,
    ) -> Result<(), TooLarge> {
        let cube = self.cube;
        let (thread, model) = (self.thread(), self.model);
        let fixed = model.system.fixed;
        let mut conj = world.cond.conj.clone();
        let mut get = |b: Base| match b.kind() {
            Kind::Cell(..) => world
                .map
                .iter()
                .find(|(c, _)| *c == b)
                .map(|(_, t)| t.clone()),
            Kind::Read(k) if usize::from(k) < cube.reads.len() => {
                let r = cube.reads[usize::from(k)];
                let mine = Some(r.by) == thread || satisfied >> r.point & 1 == 1;
                let write = world.writes.iter().find(|(c, _)| *c == r.cell);
                write.filter(|_| mine).map(|(_, t)| t.clone())
            }
            _ => None,
        };
        for lit in &cube.conj.lits {
            match substitute(lit, &mut get, fixed)? {
                Inst::Bool(true) => {}
                Inst::Lit(l) => {
                    if !add(&mut conj, l) {
                        return Ok(());
                    }
                }
                Inst::Lin(l) => conj.lins.push(l),
                _ => return Ok(()),
            }
        }
        for lit in &cube.conj.lins {
            match substitute_lin(lit, &mut get)? {
                Inst::Bool(true) => {}
                Inst::Lit(l) => {
                    if !add(&mut conj, l) {
                        return Ok(());
                    }
                }
                Inst::Lin(l) => conj.lins.push(l),
                _ => return Ok(()),
            }
        }
        let mut reads = cube.reads.clone();
        let new_point = cube.after.len() as u8;
        reads.extend(self.reads.iter().map(|(by, cell)| Read {
            point: new_point,
            by: *by,
            cell: *cell,
        }));
        let domain = |b: Base| model.domain(&reads, b);
        let Some(closed) = close(&conj, &model.facts(&domain, self.procs)) else {
            return Ok(());
        };
        let conj = closed.normal(&domain);
        let mut alive = vec![false; reads.len()];
        let lits = conj.lits.iter().flat_map(super::shape::bases_of_lit);
        let lins = conj
            .lins
            .iter()
            .flat_map(|l| l.lin.terms.iter().map(|(_, b)| *b));
        for b in lits.chain(lins) {
            if let Kind::Read(k) = b.kind() {
                alive[usize::from(k)] = true;
            }
        }
        let new_reads: Vec<Base> = (cube.reads.len()..reads.len())
            .filter(|k| alive[*k])
            .map(|k| reads[k].cell)
            .collect();
        let Some(mut next) = self.edges(world, before, reach, &new_reads) else {
            return Ok(());
        };
        next.conj = conj;
        next.reads = reads;
        out.push(super::shape::shape(model, next, &alive));
        Ok(())
    }

    /// The order after the transition's events are added; nothing when it has a cycle. Points
    /// `before` the write are from-read-before it.
    fn edges(
        &self,
        world: &World,
        before: Points,
        reach: Points,
        new_reads: &[Base],
    ) -> Option<Cube> {
        let cube = self.cube;
        let mut next = Cube {
            procs: self.procs,
            snapshot: cube.snapshot,
            after: cube.after.clone(),
            any: (0..self.procs).map(|p| self.any(p)).collect(),
            writes: (0..self.procs).map(|p| self.writes(p)).collect(),
            cells: cube.cells.clone(),
            wild: cube.wild.clone(),
            ..Cube::default()
        };
        next.after.push(0);
        let Some(p) = self.thread().map(usize::from) else {
            return Some(next);
        };
        self.enter(&mut next);
        let new = cube.after.len();
        let bit = if new_reads.is_empty() { 0 } else { 1 << new };
        let writes = !world.writes.is_empty();
        let mut point = reach;
        if !new_reads.is_empty() || (self.t.locked() && writes) {
            point |= next.any[p];
            for c in new_reads {
                point |= self.after_writes(*c);
            }
            point = cube.closed(point);
        }
        if point & before != 0 {
            return None;
        }
        next.after[new] = point;
        if writes {
            // The write's own moment: with the reads if locked, else only what is after the write.
            let (after_write, moment) = if self.t.locked() {
                (point, bit)
            } else {
                (reach, 0)
            };
            let later = after_write | moment;
            if before != 0 {
                let push = |set: &mut Points| {
                    if *set & before != 0 {
                        *set |= later;
                    }
                };
                for q in 0..new {
                    if before >> q & 1 == 1 {
                        next.after[q] |= later;
                    } else {
                        push(&mut next.after[q]);
                    }
                    if next.after[q] >> q & 1 == 1 {
                        return None;
                    }
                }
                next.any.iter_mut().for_each(push);
                next.writes.iter_mut().for_each(push);
                next.cells.iter_mut().for_each(|(_, s)| push(s));
                next.wild.iter_mut().for_each(|(_, s)| push(s));
            }
            next.any[p] |= later;
            next.writes[p] |= later;
            for (c, _) in &world.writes {
                put(&mut next.cells, *c, later);
            }
            self.write_wild(&mut next, later);
        }
        if bit != 0 {
            next.any[p] |= point | bit;
        }
        if world.cond.fence || self.t.locked() {
            next.writes[p] = next.any[p];
        }
        Some(next)
    }

    /// Cells of new processes take over what is known of all unknown ones.
    fn enter(&self, next: &mut Cube) {
        if self.procs == self.cube.procs {
            return;
        }
        for (sym, set) in &self.cube.wild {
            let arity = self.model.system.symbols[*sym].arity;
            for i in 0..self.procs {
                for j in 0..if arity == 2 { self.procs } else { 1 } {
                    let index = [i, j];
                    let index = &index[..arity];
                    if index.iter().any(|p| *p >= self.cube.procs) {
                        put(&mut next.cells, Base::cell(*sym, index), *set);
                    }
                }
            }
        }
    }

    /// A write of every cell, whoever's, concerns processes that come in later, too.
    fn write_wild(&self, next: &mut Cube, later: Points) {
        if later == 0 {
            return;
        }
        for u in &self.t.updates {
            let symbol = &self.model.system.symbols[u.sym];
            if symbol.kind != SymbolKind::Weak || !matches!(u.target, Target::Every(_)) {
                continue;
            }
            let mut env = self.args.to_vec();
            env.extend([200, 201].iter().take(symbol.arity));
            let mut ignored = Vec::new();
            let mut binding = Binding {
                system: self.model.system,
                env,
                reads: &mut ignored,
                first_read: 0,
                memory: false,
                fixed: self.model.system.fixed,
            };
            // Every cell is written if some case applies to all; earlier ones write as well.
            let all = u
                .cases
                .iter()
                .any(|(c, _)| matches!(binding.form(c, &[]), Ok(Inst::Bool(true))));
            if !all {
                continue;
            }
            match next.wild.iter_mut().find(|(s, _)| *s == u.sym) {
                Some((_, set)) => *set |= later,
                None => {
                    next.wild.push((u.sym, later));
                    next.wild.sort_unstable();
                }
            }
        }
    }
}

/// Adds points to a cell's set.
fn put(cells: &mut Vec<(Base, Points)>, cell: Base, points: Points) {
    if points == 0 {
        return;
    }
    match cells.binary_search_by_key(&cell, |(c, _)| *c) {
        Ok(i) => cells[i].1 |= points,
        Err(i) => cells.insert(i, (cell, points)),
    }
}

/// The bases that occur in a cube's literals.
pub fn bases_of(cube: &Cube) -> Vec<Base> {
    let lits = cube.conj.lits.iter().flat_map(super::shape::bases_of_lit);
    let lins = cube
        .conj
        .lins
        .iter()
        .flat_map(|l| l.lin.terms.iter().map(|(_, b)| *b));
    let mut all: Vec<Base> = lits.chain(lins).collect();
    all.sort_unstable();
    all.dedup();
    all
}
