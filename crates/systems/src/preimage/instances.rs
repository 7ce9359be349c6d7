//! Transition instances: a disjunct of the guard with one case of each update, before memory is
//! looked at.
//!
//! For one transition and one choice of its processes: the guard in disjunctive normal form, and
//! each update once for each of its cases. Weak reads of guard and values are listed; what they
//! read, and who reads the weak writes, is for the search strategies to say.

use super::image::TooLarge;
use crate::cub::ast::SymbolKind;
use crate::cube::formula::{
    Disjunct, GroundFormula, GroundTerm, add, conj, disjuncts, negate, substitute, substitute_lin,
};
use crate::cube::instantiate::Binding;
use crate::cube::literals::{Base, BaseKind, Conj, Literal};
use crate::cube::timestamp::{MAX_NUMBERED, PendingRead};
use crate::system::tuples::tuples;
use crate::system::{Form, Pr, Target, Transition, Update, UpdateValue, Val};
use crate::theory::context::SystemContext;

/// A disjunct of the guard with one case of each update: what it requires, which cells change,
/// which weak cells are written.
#[derive(Clone, Default)]
pub struct TransitionInstance {
    /// What must hold before.
    pub cond: Disjunct,
    /// Registers and their new values.
    pub map: Vec<(Base, GroundTerm)>,
    /// Weak cells and the values written.
    pub writes: Vec<(Base, GroundTerm)>,
}

/// A transition with processes put for its parameters, about to be put before a cube.
pub struct Instantiation<'a> {
    /// The system.
    pub context: &'a SystemContext<'a>,
    /// The cube's literals.
    pub conj: &'a Conj,
    /// The cube's pending reads.
    pub pending: &'a [PendingRead],
    /// The transition.
    pub t: &'a Transition,
    /// Its processes.
    pub args: &'a [u8],
    /// How many processes there are, new ones included.
    pub procs: u8,
    /// Its own weak reads, so far: who, what.
    pub reads: Vec<(u8, Base)>,
    /// Unknown values, so far.
    somes: usize,
}

impl<'a> Instantiation<'a> {
    /// A transition with its processes, none of its reads known yet.
    pub fn new(
        context: &'a SystemContext<'a>,
        conj: &'a Conj,
        pending: &'a [PendingRead],
        t: &'a Transition,
        args: &'a [u8],
        procs: u8,
    ) -> Instantiation<'a> {
        Instantiation {
            context,
            conj,
            pending,
            t,
            args,
            procs,
            reads: Vec::new(),
            somes: 0,
        }
    }

    /// Every way it can go that may touch a cell of `bases`, of which the cube's literals speak, or
    /// of a pending read. Weak writes that nothing reads are listed only if they have an `order`.
    ///
    /// # Errors
    /// There are too many, or numbers are too large.
    pub fn instances(
        &mut self,
        bases: &[Base],
        order: bool,
    ) -> Result<Vec<TransitionInstance>, TooLarge> {
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
        let start = vec![Disjunct::default()];
        let conds = disjuncts(&guard, start, &|_| true)?;
        let mut instances: Vec<TransitionInstance> = conds
            .into_iter()
            .map(|cond| TransitionInstance {
                cond,
                ..TransitionInstance::default()
            })
            .collect();
        for (u, cells) in t.updates.iter().zip(&touched) {
            let weak = self.context.system.symbols[u.sym].kind == SymbolKind::Weak;
            let cells = if weak && order {
                self.every_cell(u)
            } else {
                cells.clone()
            };
            for cell in cells {
                instances = self.split(instances, u, cell, weak)?;
            }
        }
        Ok(instances)
    }

    /// The cube's literals before the transition, together with what an instance requires, when
    /// `reads_it` says which pending reads take their values from its writes; nothing when they
    /// contradict each other at a glance.
    ///
    /// # Errors
    /// Numbers are too large.
    pub fn before(
        &self,
        instance: &TransitionInstance,
        reads_it: &dyn Fn(usize) -> bool,
    ) -> Result<Option<Conj>, TooLarge> {
        let fixed = self.context.system.fixed;
        let mut conj = instance.cond.conj.clone();
        let value = |list: &[(Base, GroundTerm)], cell: Base| {
            let found = list.iter().find(|(c, _)| *c == cell);
            found.map(|(_, t)| t.clone())
        };
        let mut get = |b: Base| match b.kind() {
            BaseKind::Cell(..) => value(&instance.map, b),
            BaseKind::Read(k) => {
                let r = self.pending.get(usize::from(k))?;
                reads_it(usize::from(k)).then(|| value(&instance.writes, r.cell))?
            }
            _ => None,
        };
        let mut all = Vec::new();
        for lit in &self.conj.lits {
            all.push(substitute(lit, &mut get, fixed)?);
        }
        for lit in &self.conj.lins {
            all.push(substitute_lin(lit, &mut get)?);
        }
        for inst in all {
            match inst {
                GroundFormula::Bool(true) => {}
                GroundFormula::Literal(l) => {
                    if !add(&mut conj, l) {
                        return Ok(None);
                    }
                }
                GroundFormula::Lin(l) => conj.lins.push(l),
                _ => return Ok(None),
            }
        }
        Ok(Some(conj))
    }

    fn binding(&mut self, env: Vec<u8>) -> Binding<'_> {
        Binding {
            system: &self.context.system,
            env,
            reads: &mut self.reads,
            first_read: self.pending.len(),
            memory: false,
            fixed: self.context.system.fixed,
        }
    }

    /// For each update, the cells of the cube that it may change: those of literals, or those of
    /// pending reads.
    fn touched(&self, bases: &[Base]) -> Vec<Vec<Base>> {
        let system = &*self.context.system;
        let cells_of = |u: &Update| {
            let weak = system.symbols[u.sym].kind == SymbolKind::Weak;
            let mut cells: Vec<Base> = if weak {
                self.pending.iter().map(|r| r.cell).collect()
            } else {
                bases.to_vec()
            };
            cells.retain(|b| matches!(b.kind(), BaseKind::Cell(s, ..) if s == u.sym));
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
        let arity = self.context.system.symbols[u.sym].arity;
        let index = index.map(|p| match p {
            Pr::Var(v) => self.args.get(usize::from(v)).copied().unwrap_or(0),
            Pr::Fixed(k) => k,
        });
        Base::cell(u.sym, &index[..arity])
    }

    /// A glance: some cell gets a constant that the cube excludes.
    fn contradicts(&self, touched: &[Vec<Base>]) -> bool {
        let lits = &self.conj.lits;
        self.t.updates.iter().zip(touched).any(|(u, cells)| {
            let [(Form::Bool(true), UpdateValue::Val(Val::Ctor(k)))] = u.cases.as_slice() else {
                return false;
            };
            let plain = self.context.system.symbols[u.sym].kind != SymbolKind::Weak;
            plain
                && matches!(u.target, Target::Cell(_))
                && cells.iter().any(|c| {
                    lits.iter()
                        .any(|l| matches!(l, Literal::In(b, m) if b == c && m >> k & 1 == 0))
                })
        })
    }

    /// All cells of a weak update over the cube's processes.
    fn every_cell(&self, u: &Update) -> Vec<Base> {
        if let Target::Cell(_) = u.target {
            return vec![self.target(u)];
        }
        let arity = self.context.system.symbols[u.sym].arity;
        let index = tuples(arity, self.procs);
        index.iter().map(|t| Base::cell(u.sym, t)).collect()
    }

    /// Each instance once for each case of an update that may apply to the cell.
    fn split(
        &mut self,
        instances: Vec<TransitionInstance>,
        u: &Update,
        cell: Base,
        weak: bool,
    ) -> Result<Vec<TransitionInstance>, TooLarge> {
        let mut env = self.args.to_vec();
        if let Target::Every(_) = u.target {
            env.extend(cell.processes());
        }
        let mut alternatives: Vec<(GroundFormula, Option<GroundTerm>)> = Vec::new();
        let mut none_before: Vec<GroundFormula> = Vec::new();
        let mut open = true;
        for (condition, value) in &u.cases {
            let mut binding = self.binding(env.clone());
            let condition = binding.form(condition, &[])?;
            if condition == GroundFormula::Bool(false) {
                continue;
            }
            let term = match value {
                UpdateValue::Any => {
                    if self.somes == MAX_NUMBERED {
                        return Err(TooLarge::Numbers);
                    }
                    self.somes += 1;
                    GroundTerm::Base(Base::some(self.somes - 1))
                }
                value => binding.term(value)?,
            };
            let mut all = none_before.clone();
            all.push(condition.clone());
            alternatives.push((conj(all), Some(term)));
            if condition == GroundFormula::Bool(true) {
                open = false;
                break;
            }
            none_before.push(negate(&condition));
        }
        if open {
            alternatives.push((conj(none_before), None));
        }
        let mut out = Vec::new();
        for instance in instances {
            for (condition, term) in &alternatives {
                let start = vec![instance.cond.clone()];
                for cond in disjuncts(condition, start, &|_| true)? {
                    let mut next = TransitionInstance {
                        cond,
                        ..instance.clone()
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

    /// The performing process's number in the cube.
    pub fn thread(&self) -> Option<u8> {
        self.t.thread.map(|p| self.args[usize::from(p)])
    }
}
