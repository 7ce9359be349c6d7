//! What fences and read-modify-writes do on a model.
//!
//! A fence waits until the thread's buffer is empty, or does nothing. On PSO there is one thing between
//! the two: what has release order reaches memory after what was stored before, and later loads do not wait for
//! that. Where no load comes before the buffer is emptied anyway, waiting changes nothing, as the thread sees
//! nothing of memory meanwhile; elsewhere the order is left out, which is more executions. A read-modify-write
//! is one access to memory that waits for an empty buffer. On PSO it is that only if its order asks for it; or if
//! nothing was stored since the buffer was emptied, or it releases what was, and the thread accesses nothing until
//! the buffer is emptied behind it: without a full fence later accesses overtake what it writes.
//!
//! Threads that on PSO never store to two variables without what has release order between them do there what they do
//! on TSO, which keeps all stores in order ([`as_strong`]).

use crate::commands::arith::VarId;
use crate::commands::program::{Effect, LocId, Program, Step, Thread};
use crate::commands::strength::{BufferModel, Strength, strength};
use base::diag::Diag;
use base::idx::IdVec;
use ir::program::{Fence, MemoryOrder};
use std::collections::BTreeSet;

/// Replaces all fences by full ones or by nothing, and read-modify-writes by those that wait for an empty
/// buffer.
///
/// # Errors
/// A fence, or a read-modify-write, that buffers do not express.
pub fn resolve(program: &mut Program, model: BufferModel) -> Result<(), Diag> {
    let ids: Vec<_> = program.threads.ids().collect();
    for t in ids {
        let thread = &program.threads[t];
        let looks = Looks::new(program, thread, model);
        let effects = thread.steps.iter().map(|s| effect(s, model, &looks));
        let effects: Vec<Effect> = effects.collect::<Result<_, _>>()?;
        for (s, effect) in program.threads[t].steps.iter_mut().zip(effects) {
            s.effect = effect;
        }
    }
    Ok(())
}

fn effect(step: &Step, model: BufferModel, looks: &Looks) -> Result<Effect, Diag> {
    let looks_first = || looks.at[step.to];
    match step.effect {
        Effect::Fence(_) if model == BufferModel::Sc => Ok(Effect::None),
        Effect::Fence(fence) => match strength(model, fence) {
            Some(Strength::Empties) => Ok(Effect::Fence(Fence::Mfence)),
            Some(Strength::OrdersStores) if !looks_first() => Ok(Effect::Fence(Fence::Mfence)),
            Some(Strength::OrdersStores | Strength::Nothing) => Ok(Effect::None),
            None => Err(Diag::unsupported(
                step.span,
                "a proof for any number of threads does not support this fence",
            )),
        },
        Effect::Rmw(order) if model != BufferModel::Pso => Ok(Effect::Rmw(order)),
        // It has stored nothing.
        Effect::Rmw(_) if step.updates.iter().all(|(x, _)| !looks.is_shared[*x]) => {
            Ok(Effect::None)
        }
        Effect::Rmw(order) if looks.is_one_access(step, order) => Ok(Effect::Rmw(order)),
        Effect::Rmw(_) => Err(Diag::unsupported(
            step.span,
            "on `pso` a proof for any number of threads does not support a read-modify-write \
             that other accesses may overtake",
        )
        .note("with `memory_order_seq_cst`, or between full fences, none does")),
        _ => Ok(step.effect.clone()),
    }
}

/// The strongest model on which threads do what they do on this one, as far as their fences tell: a system has only
/// full ones.
pub fn as_strong(program: &Program, model: BufferModel) -> BufferModel {
    let mut threads = program.threads.iter();
    match model {
        BufferModel::Pso if threads.all(|t| stores_in_order(program, t)) => BufferModel::Tso,
        _ => model,
    }
}

/// PSO keeps all stores of a thread in order, and its read-modify-writes are what they are on TSO.
fn stores_in_order(program: &Program, thread: &Thread) -> bool {
    let looks = Looks::new(program, thread, BufferModel::Pso);
    let orders = |s: &Step| match s.effect {
        Effect::Fence(fence) => matches!(
            strength(BufferModel::Pso, fence),
            Some(Strength::Empties | Strength::OrdersStores)
        ),
        Effect::Rmw(order) => looks.is_one_access(s, order),
        Effect::Spawn(_) => true,
        _ => false,
    };
    let mut rmws = thread.steps.iter();
    rmws.all(|s| !matches!(s.effect, Effect::Rmw(_)) || orders(s))
        && buffered(program, thread, &orders)
            .iter()
            .all(|b| b.len() <= 1)
}

/// What a thread may have stored to since the last command that `orders` its stores, at each of its locations:
/// variables, elements at its own number, and as two cells what may be several elements.
fn buffered(
    program: &Program,
    thread: &Thread,
    orders: &dyn Fn(&Step) -> bool,
) -> IdVec<LocId, BTreeSet<(VarId, bool)>> {
    let mut buffered: IdVec<LocId, BTreeSet<(VarId, bool)>> =
        thread.locations.iter().map(|_| BTreeSet::new()).collect();
    loop {
        let before = buffered.clone();
        for s in &thread.steps {
            let mut after = match orders(s) {
                true => BTreeSet::new(),
                false => buffered[s.from].clone(),
            };
            let at_once = matches!(s.effect, Effect::Rmw(_)) || thread.locations[s.from].atomic;
            if !at_once {
                let stores = s.updates.iter().map(|(x, _)| *x);
                for x in stores.filter(|x| program.is_shared(*x)) {
                    after.insert((x, true));
                    let mut number = s.elements.get(&x).into_iter();
                    if number.any(|number| !program.own_numbers.contains(number)) {
                        after.insert((x, false));
                    }
                }
            }
            buffered[s.to].extend(after);
        }
        if buffered == before {
            return buffered;
        }
    }
}

/// A read-modify-write of this order empties the buffers on PSO, too.
fn is_full(order: MemoryOrder) -> bool {
    matches!(order.compiled(), MemoryOrder::SeqCst | MemoryOrder::Locked)
}

/// The order keeps what was stored before behind no store of the read-modify-write.
fn releases(order: MemoryOrder) -> bool {
    matches!(order.compiled(), MemoryOrder::Release | MemoryOrder::AcqRel)
}

/// What a thread does between two points at which its buffers are empty.
struct Looks {
    /// From here it may load before the next one.
    at: IdVec<LocId, bool>,
    /// From here it may load or store before the next one.
    accesses: IdVec<LocId, bool>,
    /// Here it may have stored since the last one.
    stored: IdVec<LocId, bool>,
    is_shared: IdVec<VarId, bool>,
}

impl Looks {
    /// A read-modify-write of this order waits for an empty buffer on PSO, too, and nothing overtakes it.
    fn is_one_access(&self, step: &Step, order: MemoryOrder) -> bool {
        let overtaken = self.accesses[step.to] || self.stored[step.from] && !releases(order);
        is_full(order) || !overtaken
    }

    fn new(program: &Program, thread: &Thread, model: BufferModel) -> Looks {
        let is_shared = program.vars.ids().map(|x| program.is_shared(x)).collect();
        let nowhere = || thread.locations.iter().map(|_| false).collect();
        let mut looks = Looks {
            at: nowhere(),
            accesses: nowhere(),
            stored: nowhere(),
            is_shared,
        };
        let empties = |s: &Step| match s.effect {
            Effect::Fence(fence) => strength(model, fence) == Some(Strength::Empties),
            Effect::Rmw(order) => is_full(order),
            _ => false,
        };
        let loads = |s: &Step| s.reads().iter().any(|x| looks.is_shared[*x]);
        let stores = |s: &Step| s.updates.iter().any(|(x, _)| looks.is_shared[*x]);
        let steps = thread.steps.iter().filter(|s| !empties(s));
        let steps: Vec<(LocId, LocId, bool, bool)> =
            steps.map(|s| (s.from, s.to, loads(s), stores(s))).collect();
        loop {
            let mut changed = false;
            let mut set = |known: &mut bool, new: bool| {
                changed |= new && !*known;
                *known |= new;
            };
            for (from, to, loads, stores) in &steps {
                let (at, accesses) = (looks.at[*to], looks.accesses[*to]);
                let stored = looks.stored[*from];
                set(&mut looks.at[*from], *loads || at);
                set(&mut looks.accesses[*from], *loads || *stores || accesses);
                set(&mut looks.stored[*to], *stores || stored);
            }
            if !changed {
                return looks;
            }
        }
    }
}
