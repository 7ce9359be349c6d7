//! Commands to transitions.
//!
//! `At` says before which command a process is; the name of a place has the line of the source. What fails leads
//! to a place of its own, which no process must reach. A thread that there is one of begins when no process has
//! become it yet. Variables that nobody reads are left out.

use super::language::Accesses;
use super::names::Names;
use super::scans::{OTHER, Part, SELF, Scans, whose};
use super::spawner::{Spawner, kinds};
use crate::commands::arith::{Cond, Linear, Rel as LinearRel, VarId};
use crate::commands::program::{
    Effect, Instances, LocId, Program, ScanAct, Step, ThreadId, Update, VariableKind,
};
use crate::commands::strength::BufferModel;
use base::diag::Diag;
use base::idx::IdVec;
use base::source::{SourceMap, Span};
use std::collections::{BTreeMap, BTreeSet};
use systems::cub::ast::{
    Access, Expr, File, Formula, Rel, Rhs, Symbol, SymbolKind, Transition, TypeDecl,
    Update as Assignment,
};
use systems::cub::build::{
    Sum, access, assign, compare, conjunction, disjunction, fence, has_value, ident, name_term,
};
use systems::cub::finite;

/// Numbers of a system are smaller.
const LARGE: i128 = 1 << 60;

/// A program as a system.
#[derive(Clone, Debug)]
pub struct Parameterized {
    /// The system; every node has the place of the instruction it stands for.
    pub system: File,
    /// What each variable of the system is called in the program, in the order of the system.
    pub variables: Vec<String>,
    /// The constant that a value of an enumeration stands for.
    pub constants: BTreeMap<String, i64>,
    /// Some variable of it is an integer without bounds.
    pub has_integers: bool,
    /// How many kinds of threads there are.
    pub kinds: usize,
    /// The model whose executions it has: the one that was asked for, or a stronger one where that makes no
    /// difference.
    pub model: BufferModel,
    /// The variables of the system that the program accesses without being atomic.
    pub plain: BTreeSet<String>,
    /// Where an atomic access is not sequentially consistent.
    pub weak: Option<Span>,
    /// What is taken for granted of the program: that arrays have an element for each thread.
    pub assumptions: Vec<String>,
}

/// Makes a system of a program whose fences are full ones and whose atomic sections are commands.
///
/// # Errors
/// A number that is too large.
pub fn system(
    program: &Program,
    spawner: Spawner,
    (model, accesses): (BufferModel, Accesses),
    sources: &SourceMap,
) -> Result<Parameterized, Diag> {
    let mut t = Translator::new(program, spawner, sources);
    for thread in t.kinds.clone() {
        t.begin(thread);
        for step in &program.threads[thread].steps {
            t.step(thread, step)?;
        }
    }
    t.finish(model, &accesses)
}

struct Translator<'a> {
    program: &'a Program,
    spawner: Spawner,
    sources: &'a SourceMap,
    kinds: Vec<ThreadId>,
    names: Names,
    at: String,
    /// The names of the variables that somebody reads.
    variables: IdVec<VarId, Option<String>>,
    scans: Scans,
    /// Where a process that is no thread yet is; none if all processes are threads from the beginning.
    idle: Option<String>,
    /// Places, by what comes next.
    points: BTreeMap<(ThreadId, LocId), String>,
    /// All places, in order.
    constructors: Vec<String>,
    /// Places where something has failed.
    failures: Vec<(String, Span)>,
    /// Threads that `main` has started, and those that there is one of and that have begun.
    flags: BTreeMap<(Flag, ThreadId), String>,
    transitions: Vec<Transition>,
}

/// Where something is read and written.
#[derive(Clone, Copy)]
struct Here<'s> {
    span: Span,
    /// By this step; otherwise at the beginning.
    step: Option<&'s Step>,
}

impl<'s> Here<'s> {
    fn of(step: &'s Step) -> Here<'s> {
        let span = step.span;
        Here {
            span,
            step: Some(step),
        }
    }

    /// The process whose element of an array it is.
    fn element(self, array: VarId) -> &'static str {
        let step = self.step;
        let number = step.and_then(|s| s.elements.get(&array));
        let scan = step.and_then(|s| s.scan.as_ref());
        match scan
            .filter(|scan| Some(&scan.register) == number)
            .map(|s| s.act)
        {
            Some(ScanAct::At { which, .. }) => whose(which),
            _ => SELF,
        }
    }
}

/// The name of a variable, with its thread.
fn name_of(program: &Program, x: VarId) -> String {
    let name = &program.vars[x].name;
    match program.owner(x) {
        Some(t) => format!("{}_{name}", program.threads[t].name),
        None => name.clone(),
    }
}

/// What is known of a thread for all processes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Flag {
    Started,
    Begun,
}

impl<'a> Translator<'a> {
    fn new(program: &'a Program, spawner: Spawner, sources: &'a SourceMap) -> Translator<'a> {
        let kinds: Vec<ThreadId> = kinds(program, spawner).collect();
        let steps = || kinds.iter().flat_map(|t| &program.threads[*t].steps);
        let read: BTreeSet<VarId> = steps().flat_map(Step::reads).collect();
        let mut names = Names::new();
        let at = names.capital("At");
        let variables = program.vars.ids().map(|x| {
            read.contains(&x)
                .then(|| names.capital(&name_of(program, x)))
        });
        let variables = variables.collect();
        let mut scans = Scans::default();
        let mut scanned: BTreeMap<VarId, bool> = BTreeMap::new();
        for scan in steps().filter_map(|s| s.scan.as_ref()) {
            *scanned.entry(scan.register).or_default() |=
                matches!(scan.act, ScanAct::At { next: false, .. });
        }
        for (x, is_read) in scanned {
            scans.declare(x, &name_of(program, x), is_read, &mut names);
        }
        let is_one_kind =
            matches!(kinds[..], [t] if program.threads[t].instances == Instances::Any);
        let idle = (!is_one_kind).then(|| names.capital("Not_begun"));
        Translator {
            program,
            spawner,
            sources,
            names,
            at,
            variables,
            scans,
            points: BTreeMap::new(),
            constructors: idle.iter().cloned().collect(),
            idle,
            failures: Vec::new(),
            flags: BTreeMap::new(),
            transitions: Vec::new(),
            kinds,
        }
    }

    fn line(&self, span: Span) -> u32 {
        self.sources.line_col(span.file, span.start).line
    }

    /// The place before what comes next at a location.
    fn point(&mut self, thread: ThreadId, at: LocId) -> String {
        if let Some(point) = self.points.get(&(thread, at)) {
            return point.clone();
        }
        let threads = &self.program.threads;
        let next = threads[thread].steps.iter().find(|s| s.from == at);
        let name = match next {
            Some(s) => format!("{}_line_{}", threads[thread].name, self.line(s.span)),
            None => format!("{}_ended", threads[thread].name),
        };
        let point = self.names.capital(&name);
        self.constructors.push(point.clone());
        self.points.insert((thread, at), point.clone());
        point
    }

    fn flag(&mut self, flag: Flag, thread: ThreadId) -> String {
        if let Some(name) = self.flags.get(&(flag, thread)) {
            return name.clone();
        }
        let word = match flag {
            Flag::Started => "started",
            Flag::Begun => "begun",
        };
        let name = format!("{}_{word}", self.program.threads[thread].name);
        let name = self.names.capital(&name);
        self.flags.insert((flag, thread), name.clone());
        name
    }

    /// A process becomes a thread, where it is none from the beginning.
    fn begin(&mut self, thread: ThreadId) {
        let Some(idle) = self.idle.clone() else {
            self.point(thread, LocId(0));
            return;
        };
        let program = self.program;
        let span = program.threads[thread].locations[LocId(0)].span;
        let mut guard = vec![has_value(self.at_self(span), true, &idle, span)];
        let mut updates = Vec::new();
        let main = ThreadId(0);
        if self.spawner == Spawner::Process && thread != main {
            let started = self.flag(Flag::Started, thread);
            guard.push(has_value(access(&started, &[], span), true, "True", span));
        }
        if program.threads[thread].instances == Instances::One {
            let begun = access(&self.flag(Flag::Begun, thread), &[], span);
            guard.push(has_value(begun.clone(), true, "False", span));
            updates.push(assign(begun, name_term("True", span)));
        }
        let to = self.point(thread, LocId(0));
        let name = format!("{}_begins", program.threads[thread].name);
        self.add(&name, (guard, updates), &to, false, span);
    }

    fn at_self(&self, span: Span) -> Access {
        access(&self.at, &[SELF], span)
    }

    /// A variable, of the performing process where it is a register.
    fn cell(&self, x: VarId, here: Here) -> Option<Access> {
        let name = self.variables[x].as_ref()?;
        let index: &[&str] = match self.program.owner(x) {
            _ if self.program.vars[x].kind == VariableKind::PerThread => &[here.element(x)],
            Some(_) => &[SELF],
            None => &[],
        };
        Some(access(name, index, here.span))
    }

    fn step(&mut self, thread: ThreadId, step: &Step) -> Result<(), Diag> {
        let span = step.span;
        let scan = step.scan.as_ref();
        let part = scan.map_or_else(Part::default, |scan| self.scans.part(scan, span));
        let here = Here::of(step);
        let from = self.point(thread, step.from);
        let mut guard = vec![has_value(self.at_self(span), true, &from, span)];
        guard.extend(part.guard);
        match self.condition(&step.guard, here)? {
            Expr::Bool(true, _) => {}
            condition => guard.push(condition),
        }
        if matches!(
            step.effect,
            Effect::Fence(_) | Effect::Rmw(_) | Effect::Spawn(_)
        ) {
            guard.push(fence(span));
        }
        let name = format!(
            "{}_line_{}",
            self.program.threads[thread].name,
            self.line(span)
        );
        if matches!(step.effect, Effect::Fail(_)) {
            let to = self.names.capital(&format!("{name}_fails"));
            self.constructors.push(to.clone());
            self.failures.push((to.clone(), span));
            self.add(&name, (guard, Vec::new()), &to, part.has_other, span);
            return Ok(());
        }
        let mut updates = part.updates;
        for (x, update) in &step.updates {
            let Some(target) = self.cell(*x, here) else {
                continue;
            };
            updates.push(match update {
                Update::Set(value) => assign(target, self.sum(value, here)?.term(span)),
                Update::Any => Assignment {
                    target,
                    rhs: Rhs::Any(span),
                    span,
                },
            });
        }
        match step.effect {
            Effect::Rmw(_) => guard.extend(self.lock(step)),
            Effect::Spawn(t) if self.spawner == Spawner::Process => {
                let started = self.flag(Flag::Started, t);
                updates.push(assign(access(&started, &[], span), name_term("True", span)));
            }
            _ => {}
        }
        let to = self.point(thread, step.to);
        self.add(&name, (guard, updates), &to, part.has_other, span);
        Ok(())
    }

    /// A transition that writes memory at once is one that reads it as it is written. One that does not is made
    /// to read what it writes.
    fn lock(&self, step: &Step) -> Option<Expr> {
        let is_shared = |x: &VarId| self.program.is_shared(*x);
        if step.reads().iter().any(is_shared) {
            return None;
        }
        let mut written = step.updates.iter().map(|(x, _)| *x).filter(is_shared);
        let cell = written.find_map(|x| self.cell(x, Here::of(step)))?;
        let cell = Sum::cell(cell);
        Some(compare(&cell, Rel::Le, &cell, step.span))
    }

    fn add(
        &mut self,
        name: &str,
        (guard, mut updates): (Vec<Expr>, Vec<Assignment>),
        to: &str,
        has_other: bool,
        span: Span,
    ) {
        let mut params = vec![ident(SELF, span)];
        params.extend(has_other.then(|| ident(OTHER, span)));
        updates.push(assign(self.at_self(span), name_term(to, span)));
        self.transitions.push(Transition {
            name: ident(&self.names.small(name), span),
            params,
            thread: Some(0),
            guard: Some(conjunction(guard, span)),
            lets: Vec::new(),
            updates,
        });
    }

    fn number(n: i128, span: Span) -> Result<i64, Diag> {
        let small = i64::try_from(n).ok().filter(|_| n.abs() < LARGE);
        small.ok_or_else(|| {
            let message =
                "a proof for any number of threads does not support a number of this size";
            Diag::unsupported(span, message)
        })
    }

    fn sum(&self, linear: &Linear, here: Here) -> Result<Sum, Diag> {
        let mut sum = Sum::constant(Self::number(linear.constant, here.span)?);
        for (x, factor) in &linear.terms {
            let cell = self.cell(*x, here);
            let cell = cell.expect("what is read has a name");
            sum = sum.plus(Self::number(*factor, here.span)?, Sum::cell(cell));
        }
        Ok(sum)
    }

    fn condition(&self, c: &Cond, here: Here) -> Result<Expr, Diag> {
        let span = here.span;
        let all = |cs: &[Cond]| -> Result<Vec<Expr>, Diag> {
            cs.iter().map(|c| self.condition(c, here)).collect()
        };
        Ok(match c {
            Cond::Const(b) => Expr::Bool(*b, span),
            Cond::Compare(sum, LinearRel::Eq) => self.comparison(sum, Rel::Eq, here)?,
            Cond::Compare(sum, LinearRel::Le) => self.comparison(sum, Rel::Le, here)?,
            Cond::Not(inner) => match &**inner {
                Cond::Compare(sum, LinearRel::Eq) => self.comparison(sum, Rel::Ne, here)?,
                inner => Expr::Not(Box::new(self.condition(inner, here)?), span),
            },
            Cond::And(cs) => conjunction(all(cs)?, span),
            Cond::Or(cs) => disjunction(all(cs)?, span),
        })
    }

    /// `sum rel 0`, with positive factors on both sides.
    fn comparison(&self, sum: &Linear, rel: Rel, here: Here) -> Result<Expr, Diag> {
        let side = |sign: i128| Linear {
            constant: (sum.constant * sign).max(0),
            ..sum.side(sign)
        };
        let (left, right) = (self.sum(&side(1), here)?, self.sum(&side(-1), here)?);
        Ok(compare(&left, rel, &right, here.span))
    }

    fn finish(mut self, model: BufferModel, accesses: &Accesses) -> Result<Parameterized, Diag> {
        let program = self.program;
        let span = program.threads[ThreadId(0)].locations[LocId(0)].span;
        if self.failures.is_empty() {
            // Nothing can fail; a system has something that must not be.
            let point = self.names.capital("Fails");
            self.constructors.push(point.clone());
            self.failures.push((point, span));
        }
        let place = self.names.small("place");
        let mut symbols = Vec::new();
        let mut variables = Vec::new();
        let mut declare = |kind, name: &str, arity, ty: &str, source: String| {
            symbols.push(Symbol {
                kind,
                name: ident(name, span),
                arity,
                ty: ident(ty, span),
            });
            variables.push(source);
        };
        declare(SymbolKind::Plain, &self.at, 1, &place, "at".to_string());
        let named = self.variables.iter_enumerated();
        let named = named.filter_map(|(x, name)| Some((x, name.as_ref()?)));
        let (shared, registers): (Vec<_>, Vec<_>) = named.partition(|(x, _)| program.is_shared(*x));
        for (x, name) in registers {
            declare(SymbolKind::Plain, name, 1, "int", program.name(x));
        }
        for name in self.flags.values() {
            declare(SymbolKind::Weak, name, 0, "bool", name.clone());
        }
        for (name, arity, ty, x) in self.scans.arrays() {
            declare(SymbolKind::Plain, name, arity, ty, program.name(x));
        }
        for (x, name) in shared {
            let arity = usize::from(program.vars[x].kind == VariableKind::PerThread);
            declare(SymbolKind::Weak, name, arity, "int", program.name(x));
        }
        let constructors = self.constructors.iter().map(|c| ident(c, span)).collect();
        let unsafes = self.failures.iter().map(|(point, span)| Formula {
            name: Some(ident(&point.to_lowercase(), *span)),
            params: vec![ident(SELF, *span)],
            body: has_value(access(&self.at, &[SELF], *span), true, point, *span),
            span: *span,
        });
        let unsafes = unsafes.collect();
        let init = self.init(span)?;
        let mut system = File {
            types: vec![TypeDecl {
                name: ident(&place, span),
                constructors,
            }],
            symbols,
            inits: vec![init],
            unsafes,
            transitions: std::mem::take(&mut self.transitions),
            ..File::default()
        };
        let constants = finite::enumerate(&mut system, &self.initial_constants());
        let plain = accesses
            .plain
            .iter()
            .filter_map(|x| self.variables[*x].clone());
        // Those, too, of which nothing is left as no thread reads them.
        let arrays = program.vars.iter();
        let arrays = arrays.filter(|v| v.kind == VariableKind::PerThread);
        let arrays = arrays.map(|v| v.name.split('.').next().unwrap_or_default());
        let arrays: BTreeSet<&str> = arrays.collect();
        let assumed = |array| format!("`{array}` has an element for each thread");
        let assumptions = arrays.into_iter().map(assumed).collect();
        let has_integers = system.symbols.iter().any(|s| s.ty.text == "int");
        Ok(Parameterized {
            system,
            variables,
            constants,
            has_integers,
            kinds: self.kinds.len(),
            model,
            plain: plain.collect(),
            weak: accesses.weak,
            assumptions,
        })
    }

    fn init(&self, span: Span) -> Result<Formula, Diag> {
        let first = match (&self.idle, &self.kinds[..]) {
            (Some(idle), _) => idle.clone(),
            (None, [thread, ..]) => self.points[&(*thread, LocId(0))].clone(),
            (None, []) => unreachable!("a thread is started"),
        };
        let mut all = vec![has_value(self.at_self(span), true, &first, span)];
        for name in self.flags.values() {
            all.push(has_value(access(name, &[], span), true, "False", span));
        }
        for (x, v) in self.program.vars.iter_enumerated() {
            if let (Some(cell), Some(value)) = (self.cell(x, Here { span, step: None }), v.initial)
            {
                let value = Sum::constant(Self::number(value, span)?);
                all.push(compare(&Sum::cell(cell), Rel::Eq, &value, span));
            }
        }
        let mut params = vec![ident(SELF, span)];
        for passed in self.scans.init(span) {
            params.truncate(1);
            params.push(ident(OTHER, span));
            all.push(passed);
        }
        Ok(Formula {
            name: None,
            params,
            body: conjunction(all, span),
            span,
        })
    }

    /// What integers hold at first; nothing of those that are written before they are read.
    fn initial_constants(&self) -> BTreeMap<String, Option<i64>> {
        let mut initial = BTreeMap::new();
        let live: BTreeSet<VarId> = self.kinds.iter().flat_map(|t| self.live(*t)).collect();
        for (x, v) in self.program.vars.iter_enumerated() {
            let Some(name) = &self.variables[x] else {
                continue;
            };
            let value = v.initial.and_then(|n| i64::try_from(n).ok());
            if value.is_some() || self.program.is_shared(x) || live.contains(&x) {
                initial.insert(name.clone(), value);
            }
        }
        initial
    }

    /// The registers that a thread may read before it has written them.
    fn live(&self, t: ThreadId) -> BTreeSet<VarId> {
        let thread = &self.program.threads[t];
        let mut live: IdVec<LocId, BTreeSet<VarId>> =
            thread.locations.iter().map(|_| BTreeSet::new()).collect();
        loop {
            let before = live.clone();
            for s in &thread.steps {
                let written: BTreeSet<VarId> = s.updates.iter().map(|(x, _)| *x).collect();
                let mut here: BTreeSet<VarId> = live[s.to].difference(&written).copied().collect();
                here.extend(s.reads());
                live[s.from].extend(here);
            }
            if live == before {
                return live[LocId(0)].clone();
            }
        }
    }
}
