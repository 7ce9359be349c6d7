//! Conditions that may be invariants: of the cells that a lock guards, of a cell by itself, at the header of a loop.
//!
//! They are guessed from the program's own conditions and from small comparisons with its constants and with each
//! other; which of them hold is found by Houdini (Flanagan and Leino, Houdini, an annotation assistant for ESC/Java,
//! FME 2001).

use crate::analysis::Analysis;
use crate::cells::{Cell, CellId, Cells, Guard};
use crate::graph::NodeId;
use crate::liveness::Live;
use crate::state::Register;
use crate::threads::Source;
use crate::value::{KindId, Operator, Sym, SymId, ValId};
use base::idx::{Id, IdVec};
use ir::display;
use ir::program::{BinOp, Expr, Local, LocalId, Op, Proc, Program, UnOp, Width, mask, sign_extend};
use std::collections::{BTreeMap, BTreeSet};

/// Constants that values of a width are compared with at most.
const MOST_CONSTANTS: usize = 12;
/// Terms of which all threes are looked at, at most.
const MOST_IN_SUMS: usize = 6;
/// Terms of which all pairs are looked at, at most.
const MOST_IN_PAIRS: usize = 12;
/// Operators in a condition at most.
const MOST_OPERATORS: usize = 40;

/// Where a condition has to hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scope {
    /// Whenever no thread has a lock, once there are other threads.
    Guard(Guard),
    /// Always, once there are other threads.
    Cell(CellId),
    /// Whenever a thread comes to the header of a loop.
    Loop(KindId, NodeId),
}

/// What a condition is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// What a cell has.
    Cell(CellId),
    /// What a register of the thread has.
    Register(Register),
    /// What a register had where the loop was entered.
    Entered(Register),
}

/// A condition that may be an invariant.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Where.
    pub scope: Scope,
    /// What it is about.
    pub terms: Vec<Term>,
    /// The condition, of width 1; the register with number `i` stands for the term with that number.
    pub condition: Expr,
    /// As people read it.
    pub text: String,
}

/// The terms of a scope, with their widths and names.
struct Terms {
    scope: Scope,
    all: Vec<(Term, Width, String)>,
    /// Those that change.
    changing: BTreeSet<Term>,
}

/// See the file's head.
pub struct Candidates<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    cells: &'a Cells<'a>,
    constants: BTreeMap<Width, BTreeSet<u64>>,
    /// Widths of numbers that are compared without sign.
    unsigned: BTreeSet<Width>,
    found: Vec<Candidate>,
}

/// All candidates of a program.
pub fn candidates(
    program: &Program,
    analysis: &Analysis,
    cells: &Cells,
    live: &IdVec<KindId, Live>,
) -> Vec<Candidate> {
    let mut candidates = Candidates {
        program,
        analysis,
        cells,
        constants: BTreeMap::new(),
        unsigned: BTreeSet::new(),
        found: Vec::new(),
    };
    candidates.find_constants();
    candidates.of_guards();
    candidates.of_cells();
    candidates.of_loops(live);
    candidates.found
}

impl Candidates<'_> {
    fn find_constants(&mut self) {
        let program = self.program;
        for proc in program.procs.iter() {
            for instr in &proc.body {
                // The sizes of objects and the places of accesses say little of values.
                let operands = match &instr.op {
                    Op::Alloc { .. } => Vec::new(),
                    op => op.operands(),
                };
                for operand in operands {
                    self.constants_in(program, proc, operand);
                }
            }
        }
        for width in [8, 16, 32, 64] {
            let known = self.constants.entry(width).or_default();
            known.extend([0, 1, mask(width)]);
            let mut all: Vec<u64> = known.iter().copied().collect();
            all.sort_by_key(|c| sign_extend(*c, width).unsigned_abs());
            all.truncate(MOST_CONSTANTS);
            *known = all.into_iter().collect();
        }
    }

    fn constants_in(&mut self, program: &Program, proc: &Proc, expr: &Expr) {
        if let Expr::Const { value, width } = expr {
            self.constants.entry(*width).or_default().insert(*value);
        }
        if let Expr::Binary(BinOp::Ult | BinOp::Ule, a, _) = expr {
            self.unsigned.insert(a.width(program, proc));
        }
        for operand in expr.operands() {
            self.constants_in(program, proc, operand);
        }
    }

    fn of_guards(&mut self) {
        let cells = self.cells;
        let guards: BTreeSet<Guard> = cells.cells.iter().filter_map(|c| c.guard).collect();
        for guard in guards {
            let is_guarded = |cell: &Cell| cell.guard == Some(guard);
            let terms = self.terms_of(Scope::Guard(guard), &is_guarded);
            self.compare(&terms);
            for (kind, conduct) in self.analysis.conducts.iter_enumerated() {
                for condition in &conduct.conditions {
                    self.of_condition(&terms, kind, *condition, &BTreeMap::new());
                }
            }
        }
    }

    fn of_cells(&mut self) {
        let cells = self.cells;
        for (id, cell) in cells.cells.iter_enumerated() {
            if !cell.is_exposed {
                continue;
            }
            let place = (cell.class, cell.offset);
            let is_it = |other: &Cell| (other.class, other.offset) == place;
            let terms = self.terms_of(Scope::Cell(id), &is_it);
            self.compare(&terms);
            self.one_of(&terms, id);
        }
    }

    /// Some cells that change, and those that do not while there are several threads.
    fn terms_of(&self, scope: Scope, changes: &dyn Fn(&Cell) -> bool) -> Terms {
        let mut terms = Terms {
            scope,
            all: Vec::new(),
            changing: BTreeSet::new(),
        };
        for (id, cell) in self.cells.cells.iter_enumerated() {
            if changes(cell) {
                terms.changing.insert(Term::Cell(id));
            }
            if changes(cell) || cell.is_settled {
                terms
                    .all
                    .push((Term::Cell(id), cell.width, cell.name.clone()));
            }
        }
        terms
    }

    /// The cell has its initial value, or a number or an address that is stored there.
    fn one_of(&mut self, terms: &Terms, cell: CellId) {
        let mut all = terms.all.iter();
        let at = all.position(|(term, ..)| *term == Term::Cell(cell));
        let at = at.expect("the cell is one of the terms");
        let (analysis, cells) = (self.analysis, self.cells);
        let width = cells.cells[cell].width;
        let mut values: BTreeSet<u64> = BTreeSet::from([0]);
        for (kind, conduct) in analysis.conducts.iter_enumerated() {
            for (addr, size, value) in &conduct.stores {
                if cells.at(kind, *addr, width) == Some(cell) && 8 * size == u64::from(width) {
                    values.extend(analysis.threads.values.constant(*value));
                }
            }
        }
        if values.len() > MOST_CONSTANTS {
            return;
        }
        let is = |value: &u64| {
            let value = Expr::constant(*value, width);
            Expr::binary(BinOp::Eq, Expr::Local(LocalId::from_index(at)), value)
        };
        let any = values.iter().map(is);
        let any = any.reduce(|a, b| Expr::binary(BinOp::Or, a, b));
        self.add(terms, &[at], any.expect("0 is one"));
    }

    fn of_loops(&mut self, live: &IdVec<KindId, Live>) {
        let (analysis, cells, program) = (self.analysis, self.cells, self.program);
        for (kind, conduct) in analysis.conducts.iter_enumerated() {
            let graph = &analysis.threads.graphs[kind];
            let reached: BTreeSet<NodeId> = conduct.points.keys().copied().collect();
            for (header, locals) in &conduct.headers {
                let inside = graph.inside(*header);
                let changing = cells.changing(kind, *header, &inside);
                let point = &conduct.points[header];
                let mut terms = Terms {
                    scope: Scope::Loop(kind, *header),
                    all: Vec::new(),
                    changing: BTreeSet::new(),
                };
                let mut symbols: BTreeMap<SymId, usize> = BTreeMap::new();
                for register in &live[kind][*header] {
                    let Some(value) = locals.get(register) else {
                        continue;
                    };
                    let (frame, local) = *register;
                    let proc = &program.procs[graph.frames[frame].proc];
                    let Some(local) = proc.locals.get(local) else {
                        continue;
                    };
                    let name = match local.name.is_empty() {
                        true => format!("%{}", register.1.0),
                        false => local.name.clone(),
                    };
                    let term = Term::Register(*register);
                    if conduct.modes.contains_key(&(*header, *register)) {
                        terms.changing.insert(term);
                    }
                    let sum = analysis.threads.values.of(*value);
                    if let ([(sym, 1)], 0) = (&sum.terms[..], sum.constant) {
                        symbols.insert(*sym, terms.all.len());
                    }
                    terms.all.push((term, local.width, name));
                }
                for (id, cell) in cells.cells.iter_enumerated() {
                    let accesses = |mut nodes: std::collections::btree_set::Iter<NodeId>| {
                        nodes.any(|node| cells.accessed(kind, *node) == Some(id))
                    };
                    let is_term = changing.contains(&id)
                        || cell.is_settled && (!changing.is_empty() || accesses(reached.iter()))
                        || accesses(inside.iter()) && cells.is_stable(id, kind, point);
                    if !is_term {
                        continue;
                    }
                    let term = Term::Cell(id);
                    if changing.contains(&id) {
                        terms.changing.insert(term);
                    }
                    terms.all.push((term, cell.width, cell.name.clone()));
                }
                self.compare(&terms);
                for condition in &conduct.conditions {
                    self.of_condition(&terms, kind, *condition, &symbols);
                }
                self.compare_with_entered(terms);
            }
        }
    }

    /// Comparisons of terms with constants and with each other.
    fn compare(&mut self, terms: &Terms) {
        let local = |i: usize| Expr::Local(LocalId::from_index(i));
        let changes = |i: &usize| terms.changing.contains(&terms.all[*i].0);
        let numbers: Vec<usize> = (0..terms.all.len())
            .filter(|i| terms.all[*i].1 > 1)
            .collect();
        for i in numbers.iter().copied().filter(changes) {
            let width = terms.all[i].1;
            let constants = self.constants.get(&width).cloned().unwrap_or_default();
            for number in constants {
                let constant = Expr::constant(number, width);
                for op in [BinOp::Eq, BinOp::Ne] {
                    let condition = Expr::binary(op, local(i), constant.clone());
                    self.add(terms, &[i], condition);
                }
                for less in self.orders(width) {
                    let (least, most) = match less {
                        BinOp::Ule => (0, mask(width)),
                        _ => (1 << (width - 1), mask(width - 1)),
                    };
                    if number != most {
                        let below = Expr::binary(less, local(i), constant.clone());
                        self.add(terms, &[i], below);
                    }
                    if number != least {
                        let above = Expr::binary(less, constant.clone(), local(i));
                        self.add(terms, &[i], above);
                    }
                }
            }
        }
        if numbers.len() > MOST_IN_PAIRS {
            return;
        }
        for i in &numbers {
            for j in &numbers {
                let width = terms.all[*i].1;
                if i == j || width != terms.all[*j].1 || !changes(i) && !changes(j) {
                    continue;
                }
                if i < j {
                    let equal = Expr::binary(BinOp::Eq, local(*i), local(*j));
                    self.add(terms, &[*i, *j], equal);
                }
                for less in self.orders(width) {
                    self.add(terms, &[*i, *j], Expr::binary(less, local(*i), local(*j)));
                }
                let less = Expr::binary(BinOp::Slt, local(*i), local(*j));
                self.add(terms, &[*i, *j], less);
            }
        }
        if numbers.len() > MOST_IN_SUMS {
            return;
        }
        for i in &numbers {
            for j in numbers.iter().filter(|j| *j > i) {
                for k in numbers.iter().filter(|k| *k != i && *k != j) {
                    let widths = [i, j, k].map(|n| terms.all[*n].1);
                    if widths[0] != widths[1] || widths[1] != widths[2] {
                        continue;
                    }
                    let sum = Expr::binary(BinOp::Add, local(*i), local(*j));
                    let equal = Expr::binary(BinOp::Eq, sum, local(*k));
                    self.add(terms, &[*i, *j, *k], equal);
                }
            }
        }
    }

    /// Comparisons of registers that a loop changes with what they had before.
    fn compare_with_entered(&mut self, mut terms: Terms) {
        let local = |i: usize| Expr::Local(LocalId::from_index(i));
        for i in 0..terms.all.len() {
            let (term, width, name) = terms.all[i].clone();
            let Term::Register(register) = term else {
                continue;
            };
            if width == 1 || !terms.changing.contains(&term) {
                continue;
            }
            let entered = terms.all.len();
            let name = format!("first {name}");
            terms.all.push((Term::Entered(register), width, name));
            for less in self.orders(width) {
                for [a, b] in [[i, entered], [entered, i]] {
                    self.add(
                        &terms,
                        &[i, entered],
                        Expr::binary(less, local(a), local(b)),
                    );
                }
            }
        }
    }

    fn orders(&self, width: Width) -> Vec<BinOp> {
        match self.unsigned.contains(&width) {
            true => vec![BinOp::Sle, BinOp::Ule],
            false => vec![BinOp::Sle],
        }
    }

    /// A condition of the program and its negation, where they are about terms of the scope alone.
    fn of_condition(
        &mut self,
        terms: &Terms,
        kind: KindId,
        condition: ValId,
        symbols: &BTreeMap<SymId, usize>,
    ) {
        let mut left = MOST_OPERATORS;
        let Some(condition) = self.expr(terms, kind, condition, symbols, &mut left) else {
            return;
        };
        let mut used = BTreeSet::new();
        condition.each_local(&mut |local| {
            used.insert(local.index());
        });
        if used.is_empty() {
            return;
        }
        let used: Vec<usize> = used.into_iter().collect();
        let negated = match &condition {
            Expr::Unary(UnOp::Not, inner) => (**inner).clone(),
            other => Expr::Unary(UnOp::Not, Box::new(other.clone())),
        };
        self.add(terms, &used, condition);
        self.add(terms, &used, negated);
    }

    /// A value of a thread as an expression over the terms.
    fn expr(
        &self,
        terms: &Terms,
        kind: KindId,
        value: ValId,
        symbols: &BTreeMap<SymId, usize>,
        left: &mut usize,
    ) -> Option<Expr> {
        let sum = self.analysis.threads.values.of(value);
        // Of one bit -1 is 1.
        let minus_one = if sum.width == 1 { 0 } else { mask(sum.width) };
        let mut all: Option<Expr> = match sum.constant {
            0 if sum.terms.iter().any(|(_, f)| *f != minus_one) => None,
            number => Some(Expr::constant(number, sum.width)),
        };
        // What is subtracted comes last: a product costs more.
        let (less, more): (Vec<_>, Vec<_>) = sum
            .terms
            .iter()
            .copied()
            .partition(|(_, f)| *f == minus_one);
        for (sym, factor) in more.into_iter().chain(less) {
            *left = left.checked_sub(1)?;
            let term = self.symbol(terms, kind, (sym, sum.width), symbols, left)?;
            let term = match factor {
                1 => term,
                f if f == minus_one => term,
                f => Expr::binary(BinOp::Mul, term, Expr::constant(f, sum.width)),
            };
            all = Some(match all {
                None => term,
                Some(before) if factor == minus_one => Expr::binary(BinOp::Sub, before, term),
                Some(before) => Expr::binary(BinOp::Add, before, term),
            });
        }
        all
    }

    fn symbol(
        &self,
        terms: &Terms,
        kind: KindId,
        (sym, width): (SymId, Width),
        symbols: &BTreeMap<SymId, usize>,
        left: &mut usize,
    ) -> Option<Expr> {
        let local = |i: usize| Some(Expr::Local(LocalId::from_index(i)));
        if let Some(term) = symbols.get(&sym) {
            return (terms.all[*term].1 == width).then(|| local(*term))?;
        }
        match self.analysis.threads.values.of_sym(sym) {
            Sym::Result(_) => {
                let Source::Memory(addr, size) = self.analysis.conducts[kind].sources.get(&sym)?
                else {
                    return None;
                };
                let cell = self.cells.at(kind, *addr, width)?;
                let term = Term::Cell(cell);
                let at = terms.all.iter().position(|(t, ..)| *t == term)?;
                (8 * size == u64::from(width)).then(|| local(at))?
            }
            Sym::Global(g) => Some(Expr::Global(*g)),
            Sym::Proc(p) => Some(Expr::Proc(*p)),
            Sym::Term(op, operands) => {
                let mut of = |i: usize| self.expr(terms, kind, operands[i], symbols, left);
                let boxed = Box::new(of(0)?);
                Some(match op {
                    Operator::Unary(op) => Expr::Unary(*op, boxed),
                    Operator::Binary(op) => Expr::Binary(*op, boxed, Box::new(of(1)?)),
                    Operator::Cast(cast) => Expr::Cast(*cast, width, boxed),
                    Operator::IsZero => {
                        let of = self.analysis.threads.values.of(operands[0]).width;
                        Expr::binary(BinOp::Eq, *boxed, Expr::constant(0, of))
                    }
                    Operator::Ite => Expr::Ite(boxed, Box::new(of(1)?), Box::new(of(2)?)),
                })
            }
            _ => None,
        }
    }

    /// Adds a condition on some of the terms.
    fn add(&mut self, terms: &Terms, used: &[usize], condition: Expr) {
        let mut proc = Proc {
            name: String::new(),
            span: self.program.main_span(),
            params: Vec::new(),
            locals: IdVec::default(),
            body: Vec::new(),
            returns: None,
        };
        for (_, width, name) in &terms.all {
            proc.locals.push(Local {
                name: name.clone(),
                width: *width,
            });
        }
        let mut text = display::expr(self.program, Some(&proc), &condition);
        for i in used {
            let name = &terms.all[*i].2;
            text = text.replace(&format!("{name}#{i}"), name);
        }
        let number = |local: LocalId| {
            let at = used.iter().position(|u| *u == local.index());
            LocalId::from_index(at.expect("a term of the condition"))
        };
        let candidate = Candidate {
            scope: terms.scope,
            terms: used.iter().map(|i| terms.all[*i].0).collect(),
            condition: condition.with_locals(&mut |l| Expr::Local(number(l))),
            text,
        };
        let is_same = |c: &Candidate| c.scope == candidate.scope && c.text == candidate.text;
        if !self.found.iter().any(is_same) {
            self.found.push(candidate);
        }
    }
}
