//! Threads whose handles are in the objects that they are given: `pthread_create(&w->id, 0, run, w)`, and later
//! `pthread_join(w->id, 0)`, of each `w` that was allocated.
//!
//! Let a thread be started for each object that is allocated at one place, with the address of the object, and let
//! nothing but that creation write the handle in it. Who has joined the thread whose handle is in an object has
//! joined the one that was given the object.

use crate::analysis::Analysis;
use crate::points_to::{Class, Offsets};
use crate::threads::Access;
use crate::value::{At, KindId, Sym, ValId};

/// Whether an access to an object comes behind the end of the thread that another access to the same object is of,
/// which was given that object.
pub fn has_joined_thread(analysis: &Analysis, a: &Access, b: &Access, class: Class) -> bool {
    let Class::Object(object) = class else {
        return false;
    };
    if a.joined.is_empty() || !is_to_argument(analysis, b, object) {
        return false;
    }
    let Some((offset, size)) = handle_in(analysis, b.at.0, object) else {
        return false;
    };
    let values = &analysis.threads.values;
    a.joined.iter().any(|handle| {
        let (here, there) = (values.of(a.addr), values.of(*handle));
        let of = analysis.points_to.of(values, *handle);
        let mut offsets = of.objects.get(&class).into_iter().flatten();
        let at = Offsets {
            rest: offset,
            modulus: 0,
        };
        let is_handle = !of.number && offsets.all(|o| *o == at);
        is_handle && here.terms == there.terms && is_the_only_write(analysis, class, (at, size))
    })
}

/// Whether an access is to the object that its thread was given: one of those that are allocated there, in the same
/// iteration that creates the thread.
fn is_to_argument(analysis: &Analysis, access: &Access, object: At) -> bool {
    let (threads, kind) = (&analysis.threads, access.at.0);
    let Some((parent, node)) = threads.kinds[kind].creation else {
        return false;
    };
    let argument = analysis.points_to.argument(kind);
    let is_object =
        argument.is_some_and(|a| threads.values.single(a) == Some(&Sym::Object(object)));
    let loops = &threads.graphs[parent].loops;
    let is_one_each = object.0 == parent && loops[object.1] == loops[node];
    let is_argument = match threads.values.of(access.addr).terms[..] {
        [(sym, 1)] => *threads.values.of_sym(sym) == Sym::Argument(kind),
        _ => false,
    };
    is_object && is_one_each && is_argument
}

/// Where in the object that a thread is given its creator stores its handle, and how many bytes.
fn handle_in(analysis: &Analysis, kind: KindId, object: At) -> Option<(u64, u64)> {
    let values = &analysis.threads.values;
    let creation = analysis.threads.kinds[kind].creation?;
    let is_handle = |value: ValId| values.single(value) == Some(&Sym::Thread(creation));
    let stores = &analysis.conducts[creation.0].stores;
    stores.iter().find_map(|(addr, size, value)| {
        let sum = values.of(*addr);
        let [(sym, 1)] = sum.terms[..] else {
            return None;
        };
        let is_in_object = *values.of_sym(sym) == Sym::Object(object);
        (is_in_object && is_handle(*value)).then_some((sum.constant, *size))
    })
}

/// Whether one instruction alone writes there, in objects of a class.
fn is_the_only_write(analysis: &Analysis, class: Class, (at, size): (Offsets, u64)) -> bool {
    let all = analysis.conducts.iter().flat_map(|c| &c.accesses);
    let mut writes = all.filter(|access| {
        let of = analysis.points_to.of(&analysis.threads.values, access.addr);
        let mut offsets = of.objects.get(&class).into_iter().flatten();
        let overlaps = |there: &Offsets| at.overlap(Some(size), *there, access.size);
        // An object that ends has no handle any more.
        access.write.is_some() && access.size.is_some() && (of.number || offsets.any(overlaps))
    });
    writes.next().is_some() && writes.next().is_none()
}
