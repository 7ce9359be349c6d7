//! Where the threads that the property names may stop, and what they hand over.
//!
//! A thread of the property stops only where its comparisons of `eip` allow it, and only when the
//! comparisons of values that are about it alone hold. Where they do not say where it is, the places
//! that count are those before an instruction that changes what the property looks at, those before a
//! jump back, and the end: from anywhere else the thread can go on to one of these without changing a
//! value that is compared. It may have to, because another thread may need what it does on the way.
//!
//! Whether it stops is an arbitrary choice. If it does, it returns its values that are compared with
//! those of other threads, 32 bits each; so who joins it has them without an access to memory.
//!
//! Where the property looks at shared memory (`$t:x`), all its threads look at one moment: each has a
//! read in the snapshot ([`Atomicity::Snapshot`]) when it stops, of what is asked of it or, so that its
//! place is that of this moment too, of any other variable. Then every place counts where `eip` says
//! nothing: what a thread does next may change what others see.

use super::data::WORD;
use crate::front::asm::ast::{Comparison, Program, Relation, Term};
use crate::front::litmus::ast::x86::{Instr as X86, Op as X, Operand};
use crate::front::litmus::ast::{Name, Symbol};
use crate::lower::litmus::body::Body;
use base::diag::Diag;
use ir::program::*;
use std::collections::{BTreeMap, BTreeSet};

/// Values that a thread can return at once.
const MOST_VALUES: usize = 2;

/// Where threads stop, and with what.
pub(super) struct Stops<'a> {
    /// The threads that the property names, in order of appearance.
    named: Vec<Named<'a>>,
    /// Comparisons that are not about one thread alone.
    several: Vec<Atom<'a>>,
}

/// A thread that the property names.
struct Named<'a> {
    /// Numbers of the instructions before which it may stop.
    places: BTreeSet<usize>,
    /// The shared variables that it looks at when it stops, at least one, if the property is about
    /// such.
    snapshot: Option<Vec<&'a Name>>,
    /// Comparisons that are about it alone.
    own: Vec<Atom<'a>>,
    /// What it hands over.
    values: Vec<ThreadValue<'a>>,
}

/// A comparison of values.
struct Atom<'a> {
    left: Side<'a>,
    relation: Relation,
    right: Side<'a>,
}

/// What is compared.
#[derive(Clone, Copy)]
enum Side<'a> {
    Number(u64),
    /// A value of the thread that the property names at this position.
    Of(usize, ThreadValue<'a>),
}

/// A value of a thread.
#[derive(Clone, Copy)]
enum ThreadValue<'a> {
    Register(&'a str),
    Private(&'a Name),
    /// A shared variable, as the thread sees it.
    Shared(&'a Name),
}

impl PartialEq for ThreadValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (ThreadValue::Register(a), ThreadValue::Register(b)) => a == b,
            (ThreadValue::Private(a), ThreadValue::Private(b))
            | (ThreadValue::Shared(a), ThreadValue::Shared(b)) => a.text == b.text,
            _ => false,
        }
    }
}

impl<'a> Side<'a> {
    /// The thread that it is of.
    fn thread(&self) -> Option<usize> {
        match self {
            Side::Number(_) => None,
            Side::Of(thread, _) => Some(*thread),
        }
    }

    fn value(&self) -> Option<ThreadValue<'a>> {
        match self {
            Side::Number(_) => None,
            Side::Of(_, value) => Some(*value),
        }
    }
}

impl<'a> Atom<'a> {
    /// The values of a thread that it compares.
    fn values_of(&self, thread: usize) -> impl Iterator<Item = ThreadValue<'a>> {
        let sides = [self.left, self.right].into_iter();
        let sides = sides.filter(move |s| s.thread() == Some(thread));
        sides.filter_map(|s| s.value())
    }
}

/// Reads the property.
///
/// # Errors
/// What it compares is not supported.
pub(super) fn stops(source: &Program) -> Result<Stops<'_>, Vec<Diag>> {
    let names = source.property_threads();
    let mut own: Vec<Vec<Atom>> = names.iter().map(|_| Vec::new()).collect();
    let mut several = Vec::new();
    let mut errors = Vec::new();
    for comparison in &source.property {
        let Comparison::Values {
            left,
            relation,
            right,
            ..
        } = comparison
        else {
            continue;
        };
        let (left, right) = (side(&names, left), side(&names, right));
        let atom = Atom {
            left,
            relation: *relation,
            right,
        };
        match (left.thread(), right.thread()) {
            (Some(t), None) | (None, Some(t)) => own[t].push(atom),
            (Some(t), Some(u)) if t == u => own[t].push(atom),
            _ => several.push(atom),
        }
    }
    let atoms = own.iter().flatten().chain(&several);
    let mut sides = atoms.flat_map(|a| [a.left, a.right]);
    let snapshot = sides.find_map(|s| match s.value() {
        Some(ThreadValue::Shared(name)) => Some(name),
        _ => None,
    });
    drop(sides);
    let mut named = Vec::new();
    for (index, (name, own)) in names.iter().zip(own).enumerate() {
        let mut values: Vec<ThreadValue> = Vec::new();
        for value in several.iter().flat_map(|a| a.values_of(index)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if values.len() > MOST_VALUES {
            let message = format!(
                "more than {MOST_VALUES} values of `${name}` are compared with those of other threads"
            );
            let diag = Diag::unsupported(source.property_span, message);
            errors.push(diag.note("this is not supported for a fixed number of threads"));
        }
        let looked_at = own.iter().flat_map(|a| a.values_of(index));
        let looked_at: Vec<ThreadValue> = looked_at.chain(values.iter().copied()).collect();
        named.push(Named {
            places: places(source, name, &looked_at, snapshot.is_some()),
            snapshot: snapshot.map(|any| looks(&looked_at, any)),
            own,
            values,
        });
    }
    match errors.is_empty() {
        true => Ok(Stops { named, several }),
        false => Err(errors),
    }
}

fn side<'a>(names: &[&str], term: &'a Term) -> Side<'a> {
    let position = |thread: &Name| {
        let found = names.iter().position(|n| *n == thread.text);
        found.expect("the names are those of all terms")
    };
    match term {
        Term::Number(number) => Side::Number(number.bits),
        Term::Register { name, thread } => {
            Side::Of(position(thread), ThreadValue::Register(&name.text))
        }
        Term::Private { name, thread } => Side::Of(position(thread), ThreadValue::Private(name)),
        Term::Shared { thread, name } => Side::Of(position(thread), ThreadValue::Shared(name)),
    }
}

/// The shared variables among some values, each once; another one where there are none.
fn looks<'a>(values: &[ThreadValue<'a>], another: &'a Name) -> Vec<&'a Name> {
    let mut all: Vec<&Name> = Vec::new();
    for value in values {
        if let ThreadValue::Shared(name) = value
            && all.iter().all(|n| n.text != name.text)
        {
            all.push(name);
        }
    }
    match all.is_empty() {
        true => vec![another],
        false => all,
    }
}

/// The numbers of the instructions before which a thread may stop; `anywhere` says that all count
/// where `eip` says nothing.
fn places(
    source: &Program,
    thread: &str,
    looked_at: &[ThreadValue],
    anywhere: bool,
) -> BTreeSet<usize> {
    let mut places: BTreeSet<usize> = (0..=source.code.len()).collect();
    let mut free = !anywhere;
    for comparison in &source.property {
        let Comparison::Location {
            thread: of,
            equal,
            label,
            ..
        } = comparison
        else {
            continue;
        };
        if of.text == thread {
            let target = source.target_of(label);
            places.retain(|p| (target == *p) == *equal);
            free = false;
        }
    }
    if free {
        places.retain(|p| match source.code.get(*p) {
            None => true,
            Some(line) => changes(&line.instr, looked_at) || jumps_back(source, *p, &line.instr),
        });
    }
    places
}

fn jumps_back(source: &Program, at: usize, instr: &X86) -> bool {
    match &instr.op {
        X::Jump(_, label) => source.target_of(label) <= at,
        _ => false,
    }
}

/// Whether an instruction may change one of these values.
fn changes(instr: &X86, values: &[ThreadValue]) -> bool {
    let (targets, registers): (Vec<&Operand>, Vec<&str>) = match &instr.op {
        X::Mov(a, _) | X::Binary(_, a, _) | X::Unary(_, a) | X::Bit(_, a, _) | X::Set(_, a) => {
            (vec![a], vec![])
        }
        X::Xchg(a, b) => (vec![a, b], vec![]),
        X::Xadd(a, source) => (vec![a], vec![&source.text]),
        X::Cmpxchg(a, _) => (vec![a], vec!["EAX"]),
        X::Rdtsc => (vec![], vec!["EAX", "EDX"]),
        X::CmpxchgPair(a) => (vec![a], vec!["EAX", "EDX"]),
        X::Cmp(..) | X::Test(..) | X::Nop | X::Fence(_) | X::Jump(..) => (vec![], vec![]),
    };
    values.iter().any(|value| match value {
        ThreadValue::Register(name) => {
            let is = |o: &&Operand| matches!(o, Operand::Register(r) if r.text == *name);
            registers.contains(name) || targets.iter().any(is)
        }
        ThreadValue::Private(name) | ThreadValue::Shared(name) => targets
            .iter()
            .any(|o| o.symbol().is_some_and(|s| s.name.text == name.text)),
    })
}

impl Stops<'_> {
    /// How many threads the property names.
    pub fn threads(&self) -> usize {
        self.named.len()
    }

    /// The threads that may stop before an instruction do so or not; `number` is a thread's own.
    pub fn before(&self, place: usize, number: LocalId, body: &mut Body, errors: &mut Vec<Diag>) {
        for (index, named) in self.named.iter().enumerate() {
            if !named.places.contains(&place) {
                continue;
            }
            let width = body.locals[number].width;
            let this = Expr::constant(index as u64, width);
            let other = Expr::binary(BinOp::Ne, Expr::Local(number), this);
            let stays = body.temporary(1);
            let mut skips = vec![body.instrs.len()];
            body.emit(goto(other));
            body.emit(Op::Havoc { dst: stays });
            skips.push(body.instrs.len());
            body.emit(goto(Expr::Unary(UnOp::Not, Box::new(Expr::Local(stays)))));
            if let Err(error) = named.stop(body) {
                errors.push(*error);
            }
            for at in skips {
                let behind = body.instrs.len();
                if let Op::Goto { target, .. } = &mut body.instrs[at].op {
                    *target = behind;
                }
            }
        }
    }

    /// The comparisons between threads that have returned these values.
    pub fn comparisons_of_several(&self, returned: &[LocalId]) -> Expr {
        let value = |side: &Side| match side {
            Side::Number(number) => Expr::constant(*number, WORD),
            Side::Of(thread, value) => {
                let values = &self.named[*thread].values;
                let place = values.iter().position(|v| v == value);
                let place = place.expect("a thread hands over all of its values");
                let packed = Expr::Local(returned[*thread]);
                let shift = Expr::constant(place as u64 * u64::from(WORD), HANDED_OVER);
                let shifted = Expr::binary(BinOp::Lshr, packed, shift);
                Expr::Cast(Cast::Truncate, WORD, Box::new(shifted))
            }
        };
        let all = self.several.iter();
        all.map(|a| compared(a.relation, value(&a.left), value(&a.right)))
            .fold(Expr::constant(1, 1), |all, e| {
                Expr::binary(BinOp::And, all, e)
            })
    }
}

/// Bits of what a thread returns.
const HANDED_OVER: Width = 64;

fn goto(cond: Expr) -> Op {
    Op::Goto {
        cond: Some(cond),
        target: 0,
    }
}

impl Named<'_> {
    /// The thread stops, if what is compared of it alone holds.
    fn stop(&self, body: &mut Body) -> Result<(), Box<Diag>> {
        let mut seen = Seen::new();
        if let Some(looks) = &self.snapshot {
            body.emit(Op::AtomicBegin(Atomicity::Snapshot));
            for name in looks {
                let addr = address(name, body)?;
                let dst = body.temporary(WORD);
                // An access of the machine, whoever else writes the variable.
                let order = MemoryOrder::Relaxed;
                body.emit(Op::Load { dst, addr, order });
                seen.insert(&name.text, dst);
            }
            body.emit(Op::AtomicEnd);
        }
        let mut holds = Expr::constant(1, 1);
        for atom in &self.own {
            let left = atom.left.read(&seen, body)?;
            let right = atom.right.read(&seen, body)?;
            holds = Expr::binary(BinOp::And, holds, compared(atom.relation, left, right));
        }
        if !self.own.is_empty() {
            body.emit(Op::Assume(holds));
        }
        let mut packed = Expr::constant(0, HANDED_OVER);
        for (place, value) in self.values.iter().enumerate() {
            let value = Expr::Cast(Cast::Zero, HANDED_OVER, Box::new(value.read(&seen, body)?));
            let shift = Expr::constant(place as u64 * u64::from(WORD), HANDED_OVER);
            let shifted = Expr::binary(BinOp::Shl, value, shift);
            packed = Expr::binary(BinOp::Or, packed, shifted);
        }
        body.emit(Op::Return(Some(packed)));
        Ok(())
    }
}

/// Registers with what a thread sees of shared variables.
type Seen<'a> = BTreeMap<&'a str, LocalId>;

impl Side<'_> {
    fn read(&self, seen: &Seen, body: &mut Body) -> Result<Expr, Box<Diag>> {
        match self {
            Side::Number(number) => Ok(Expr::constant(*number, WORD)),
            Side::Of(_, value) => value.read(seen, body),
        }
    }
}

impl ThreadValue<'_> {
    fn read(&self, seen: &Seen, body: &mut Body) -> Result<Expr, Box<Diag>> {
        match self {
            ThreadValue::Register(name) => Ok(Expr::Local(body.register(name))),
            ThreadValue::Private(name) => {
                let address = address(name, body)?;
                Ok(body.load_cell(address))
            }
            ThreadValue::Shared(name) => Ok(Expr::Local(seen[name.text.as_str()])),
        }
    }
}

fn address(name: &Name, body: &Body) -> Result<Expr, Box<Diag>> {
    body.memory.address(&Symbol {
        name: name.clone(),
        index: None,
    })
}

/// A comparison of signed numbers.
fn compared(relation: Relation, left: Expr, right: Expr) -> Expr {
    match relation {
        Relation::Eq => Expr::binary(BinOp::Eq, left, right),
        Relation::Ne => Expr::binary(BinOp::Ne, left, right),
        Relation::Lt => Expr::binary(BinOp::Slt, left, right),
        Relation::Le => Expr::binary(BinOp::Sle, left, right),
        Relation::Gt => Expr::binary(BinOp::Slt, right, left),
        Relation::Ge => Expr::binary(BinOp::Sle, right, left),
    }
}
