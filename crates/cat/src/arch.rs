//! Which fences a machine puts where: from what a program asks to the tags a model knows.
//!
//! A fence event carries what the source said ([`FenceTag`]); a model speaks of sets of events
//! (`MFENCE`, `LWSYNC`, …). An explicit fence is in its own set on every machine, and the model's
//! text says what it means there. C11 orders and POSIX synchronisation have no set of their own:
//! they become the fences a compiler for the machine emits. The table is `compile` below.

use super::model::{Arch, BaseRel, BaseSet, Model, Set};
use ir::kernel::{self, OnMachines};
use ir::program::{Fence, FenceTag, Lifetime, MemoryOrder, Role};

/// Every tag an event can carry: the fences of the machines, C11's orders ([`LANGUAGE_TAGS`]), what events are
/// to `race.cat` and `lifetime.cat`, what they are to the Linux kernel, and what ARM
/// and RISC-V know accesses by.
pub const TAGS: &[&str] = &[
    "MFENCE",
    "SFENCE",
    "LFENCE",
    "SYNC",
    "LWSYNC",
    "ISYNC",
    "EIEIO",
    "LOADLOAD",
    "LOADSTORE",
    "STORELOAD",
    "STORESTORE",
    "NA",
    "RLX",
    "ACQ",
    "REL",
    "ACQ_REL",
    "SC",
    "ATOMIC",
    "ACQUIRES",
    "RELEASES",
    "LOCK",
    "ACQUIRE-PERMIT",
    "RELEASE-PERMIT",
    "WAIT",
    "BEGIN",
    "END",
    "ONCE",
    "ACQUIRE",
    "RELEASE",
    "NORETURN",
    "FAILED-RMW",
    "LKR",
    "LKW",
    "UL",
    "LF",
    "RL",
    "RU",
    "MB",
    "RMB",
    "WMB",
    "BEFORE-ATOMIC",
    "AFTER-ATOMIC",
    "AFTER-SPINLOCK",
    "AFTER-UNLOCK-LOCK",
    "RCU-LOCK",
    "RCU-UNLOCK",
    "SYNC-RCU",
    "SRCU-LOCK",
    "SRCU-UNLOCK",
    "SYNC-SRCU",
    "AFTER-SRCU-READ-UNLOCK",
    "ACQUIRE-PC",
    "EXCLUSIVE",
    "AMO",
    "FENCE.I",
    "PICK",
];

/// C11's orders, see [`order_tags`].
pub const LANGUAGE_TAGS: &[&str] = &["NA", "RLX", "ACQ", "REL", "ACQ_REL", "SC"];

const FULL_MEMBAR: &[&str] = &["LOADLOAD", "LOADSTORE", "STORELOAD", "STORESTORE"];
const ACQUIRE: &[&str] = &["LOADLOAD", "LOADSTORE"];
const RELEASE: &[&str] = &["LOADSTORE", "STORESTORE"];
const ACQUIRE_RELEASE: &[&str] = &["LOADLOAD", "LOADSTORE", "STORESTORE"];
const STORES: &[&str] = &["STORESTORE"];

/// The machine named by the first word of a cat text.
pub(super) fn of_word(word: &str) -> Option<Arch> {
    Some(match word {
        "SC" => Arch::Sc,
        "X86" | "X86_64" | "TSO" => Arch::X86,
        "PSO" => Arch::Pso,
        "MEMBAR" | "RMO" | "ALPHA" => Arch::Membar,
        "PPC" | "POWER" => Arch::Power,
        "ARM" | "ARMv7" | "ARMV7" => Arch::Arm,
        "AArch64" | "AARCH64" | "ARMv8" | "ARMV8" => Arch::Aarch64,
        "RISCV" => Arch::Riscv,
        "C" | "C11" | "RC11" => Arch::C11,
        _ => return None,
    })
}

/// Whether the machine named by the first word of a cat text may have linked loads and conditional
/// stores alone. SPARC has `cas`.
pub(super) fn is_linked(word: &str) -> bool {
    !matches!(of_word(word), Some(Arch::Sc | Arch::X86 | Arch::Pso)) && word != "RMO"
}

/// The machine whose fences a model speaks of, if it is one.
pub(super) fn of_tags(model: &Model) -> Option<Arch> {
    let machines = [
        (Arch::X86, &["MFENCE"][..]),
        (Arch::Power, &["SYNC", "LWSYNC"][..]),
        (Arch::Membar, FULL_MEMBAR),
    ];
    let mut named = machines
        .iter()
        .filter(|(_, tags)| tags.iter().any(|t| depends_on(model, t)));
    match (named.next(), named.next()) {
        (Some((arch, _)), None) => Some(*arch),
        _ => None,
    }
}

/// Whether the model's axioms depend on a tag.
fn depends_on(model: &Model, tag: &str) -> bool {
    model
        .sets
        .iter()
        .any(|s| matches!(s, Set::Base(BaseSet::Tag(t)) if t == tag))
}

/// The sets that an access with this order is in under a model; `writes` tells apart the two sides of a
/// read-modify-write.
pub fn access_tags(model: &Model, order: MemoryOrder, writes: bool) -> &'static [&'static str] {
    match is_kernel(model) {
        true => kernel_tags(order, writes),
        false => order_tags(order.compiled(), writes),
    }
}

/// Whether a model is one of the Linux kernel: it has no machine and speaks of the kernel's full barrier.
pub fn is_kernel(model: &Model) -> bool {
    model.arch.is_none() && model.tags.contains("MB")
}

/// What the kernel's model knows an access by. Accesses of the library to its objects acquire and release;
/// `volatile` is how the kernel writes `READ_ONCE` and `WRITE_ONCE`.
fn kernel_tags(order: MemoryOrder, writes: bool) -> &'static [&'static str] {
    let annotation = match order {
        MemoryOrder::Annotated(annotation) => annotation,
        MemoryOrder::Volatile => &kernel::ONCE,
        MemoryOrder::Library(Role::Release) => &kernel::RELEASE,
        MemoryOrder::Library(_) => &kernel::ACQUIRE,
        order => return order_tags(order, writes),
    };
    match writes {
        true => annotation.write,
        false => annotation.read,
    }
}

/// Whether a model gives accesses with an order a meaning. That of the kernel does not speak of C11's.
///
/// # Errors
/// A sentence that names both.
pub fn knows_order(model: &Model, order: MemoryOrder) -> Result<(), String> {
    use MemoryOrder::{AcqRel, Acquire, Locked, Relaxed, Release, SeqCst};
    match order {
        Relaxed | Acquire | Release | AcqRel | SeqCst | Locked if is_kernel(model) => Err(format!(
            "the model `{}` gives no meaning to an atomic access of C11 (`{}`); those of the kernel are in \
             `<kernel.h>`",
            model.name,
            order_name(order)
        )),
        _ => Ok(()),
    }
}

/// C11's sets of an access with this order, or those of its annotation.
fn order_tags(order: MemoryOrder, writes: bool) -> &'static [&'static str] {
    match order {
        MemoryOrder::Annotated(annotation) if writes => annotation.write,
        MemoryOrder::Annotated(annotation) => annotation.read,
        // To the language `volatile` is not atomic.
        MemoryOrder::Plain | MemoryOrder::Bytes | MemoryOrder::Volatile => &["NA"],
        MemoryOrder::Relaxed => &["RLX"],
        MemoryOrder::Library(Role::Lock | Role::Wait) => &["ACQ"],
        MemoryOrder::Library(Role::AcquirePermit) => &["ACQ"],
        MemoryOrder::Library(Role::Release) => &["REL"],
        MemoryOrder::Acquire => &["ACQ"],
        MemoryOrder::Release => &["REL"],
        MemoryOrder::AcqRel => &["ACQ_REL"],
        MemoryOrder::SeqCst | MemoryOrder::Locked => &["SC"],
    }
}

/// What the events are that bound the life of an object; `lifetime.cat` speaks of these.
pub fn life_tags(life: Lifetime) -> &'static [&'static str] {
    match life {
        Lifetime::Begin => &["BEGIN"],
        Lifetime::End | Lifetime::Free => &["END"],
    }
}

/// What an event is to the language, whatever the machine: atomic or not, which side of a
/// synchronisation, and what it does to an object of the library. `race.cat` speaks of these.
/// `fence` is what it is if it is a fence, else it is an access with this order.
pub fn language_tags(fence: Option<FenceTag>, order: MemoryOrder) -> &'static [&'static str] {
    use MemoryOrder::{
        AcqRel, Acquire, Annotated, Bytes, Library, Locked, Plain, Relaxed, Release, SeqCst,
        Volatile,
    };
    match fence {
        Some(FenceTag::Explicit(fence)) => match fence {
            Fence::C11(Acquire) | Fence::Lfence => &["ACQUIRES"],
            Fence::C11(Release) | Fence::Sfence => &["RELEASES"],
            Fence::C11(AcqRel | SeqCst) => &["ACQUIRES", "RELEASES"],
            Fence::Mfence | Fence::Sync | Fence::Lwsync => &["ACQUIRES", "RELEASES"],
            Fence::Membar {
                load_load,
                load_store,
                store_store,
                ..
            } => match (load_load && load_store, load_store && store_store) {
                (true, true) => &["ACQUIRES", "RELEASES"],
                (true, false) => &["ACQUIRES"],
                (false, true) => &["RELEASES"],
                (false, false) => &[],
            },
            Fence::Annotated(sets) => match kernel::on_machines(sets) {
                Some(OnMachines::Fence(fence)) => {
                    language_tags(Some(FenceTag::Explicit(fence)), order)
                }
                _ => &[],
            },
            Fence::C11(_) | Fence::Isync | Fence::Eieio | Fence::Posix => &[],
        },
        Some(_) => &[],
        None => match order.compiled() {
            Plain | Bytes | Volatile => &[],
            Relaxed | Annotated(_) => &["ATOMIC"],
            Acquire => &["ATOMIC", "ACQUIRES"],
            Release => &["ATOMIC", "RELEASES"],
            AcqRel | SeqCst | Locked => &["ATOMIC", "ACQUIRES", "RELEASES"],
            Library(Role::Lock) => &["ATOMIC", "LOCK"],
            Library(Role::AcquirePermit) => &["ATOMIC", "ACQUIRE-PERMIT"],
            Library(Role::Release) => &["ATOMIC", "RELEASE-PERMIT"],
            Library(Role::Wait) => &["ATOMIC", "WAIT"],
        },
    }
}

/// The tags of a fence event on a machine; empty when the machine needs no fence there.
pub fn sets_of(arch: Arch, tag: FenceTag) -> &'static [&'static str] {
    use MemoryOrder::{AcqRel, Acquire, Plain, Relaxed, Release, SeqCst};
    match compiled(tag) {
        // The language has mutexes, and threads that begin and end, without fences.
        FenceTag::Explicit(Fence::Posix) if arch == Arch::C11 => return &[],
        FenceTag::Explicit(Fence::Posix) | FenceTag::Group => return full(arch),
        FenceTag::Explicit(Fence::C11(SeqCst)) => return full(arch),
        FenceTag::Explicit(Fence::C11(_)) => {}
        FenceTag::Explicit(fence) => return explicit(fence),
        _ => {}
    }
    match (arch, compiled(tag)) {
        (_, FenceTag::Explicit(Fence::C11(Plain | Relaxed))) | (Arch::Sc, _) => &[],
        (Arch::C11, FenceTag::Explicit(Fence::C11(order))) => order_tags(order, true),
        (Arch::C11, _) => &[],

        (Arch::X86, FenceTag::AfterStore(SeqCst)) => &["MFENCE"],
        (Arch::X86, _) => &[],

        (Arch::Pso, FenceTag::BeforeStore(Release | AcqRel | SeqCst)) => STORES,
        (Arch::Pso, FenceTag::AfterStore(SeqCst)) => &["MFENCE"],
        (Arch::Pso, FenceTag::Explicit(Fence::C11(Release | AcqRel))) => STORES,
        (Arch::Pso, _) => &[],

        (Arch::Membar, FenceTag::BeforeLoad(SeqCst) | FenceTag::BeforeStore(SeqCst)) => FULL_MEMBAR,
        (Arch::Membar, FenceTag::AfterStore(SeqCst)) => FULL_MEMBAR,
        (Arch::Membar, FenceTag::BeforeRmw(SeqCst) | FenceTag::AfterRmw(SeqCst)) => FULL_MEMBAR,
        (Arch::Membar, FenceTag::AfterLoad(Acquire | AcqRel | SeqCst)) => ACQUIRE,
        (Arch::Membar, FenceTag::AfterRmw(Acquire | AcqRel)) => ACQUIRE,
        (Arch::Membar, FenceTag::BeforeStore(Release | AcqRel)) => RELEASE,
        (Arch::Membar, FenceTag::BeforeRmw(Release | AcqRel)) => RELEASE,
        (Arch::Membar, FenceTag::Explicit(Fence::C11(Acquire))) => ACQUIRE,
        (Arch::Membar, FenceTag::Explicit(Fence::C11(Release))) => RELEASE,
        (Arch::Membar, FenceTag::Explicit(Fence::C11(AcqRel))) => ACQUIRE_RELEASE,
        (Arch::Membar, _) => &[],

        (Arch::Power, FenceTag::BeforeLoad(SeqCst) | FenceTag::BeforeStore(SeqCst)) => &["SYNC"],
        (Arch::Power, FenceTag::BeforeRmw(SeqCst)) => &["SYNC"],
        (Arch::Power, FenceTag::BeforeStore(Release | AcqRel)) => &["LWSYNC"],
        (Arch::Power, FenceTag::BeforeRmw(Release | AcqRel)) => &["LWSYNC"],
        (Arch::Power, FenceTag::AfterLoad(Acquire | AcqRel | SeqCst)) => &["ISYNC"],
        (Arch::Power, FenceTag::AfterRmw(Acquire | AcqRel | SeqCst)) => &["ISYNC"],
        (Arch::Power, FenceTag::Explicit(Fence::C11(_))) => &["LWSYNC"],
        (Arch::Power, _) => &[],

        (Arch::Arm, FenceTag::AfterLoad(Acquire | AcqRel | SeqCst)) => FULL_MEMBAR,
        (Arch::Arm, FenceTag::BeforeStore(Release | AcqRel | SeqCst)) => FULL_MEMBAR,
        (Arch::Arm, FenceTag::AfterStore(SeqCst)) => FULL_MEMBAR,
        (Arch::Arm, FenceTag::BeforeRmw(Release | AcqRel | SeqCst)) => FULL_MEMBAR,
        (Arch::Arm, FenceTag::AfterRmw(Acquire | AcqRel | SeqCst)) => FULL_MEMBAR,
        (Arch::Arm, FenceTag::Explicit(Fence::C11(_))) => FULL_MEMBAR,
        (Arch::Arm, _) => &[],

        // Loads, stores and exclusives of this machine acquire and release by themselves.
        (Arch::Aarch64, FenceTag::Explicit(Fence::C11(Acquire))) => ACQUIRE,
        (Arch::Aarch64, FenceTag::Explicit(Fence::C11(_))) => FULL_MEMBAR,
        (Arch::Aarch64, _) => &[],

        (Arch::Riscv, FenceTag::BeforeLoad(SeqCst) | FenceTag::BeforeRmw(SeqCst)) => FULL_MEMBAR,
        (Arch::Riscv, FenceTag::AfterLoad(Acquire | AcqRel | SeqCst)) => ACQUIRE,
        (Arch::Riscv, FenceTag::AfterRmw(Acquire | AcqRel | SeqCst)) => ACQUIRE,
        (Arch::Riscv, FenceTag::BeforeStore(Release | AcqRel | SeqCst)) => RELEASE,
        (Arch::Riscv, FenceTag::BeforeRmw(Release | AcqRel)) => RELEASE,
        (Arch::Riscv, FenceTag::Explicit(Fence::C11(Acquire))) => ACQUIRE,
        (Arch::Riscv, FenceTag::Explicit(Fence::C11(Release))) => RELEASE,
        (Arch::Riscv, FenceTag::Explicit(Fence::C11(AcqRel))) => ACQUIRE_RELEASE,
        (Arch::Riscv, _) => &[],
    }
}

/// What a machine has for a fence of the Linux kernel; other fences are themselves.
fn compiled(tag: FenceTag) -> FenceTag {
    use FenceTag::{AfterLoad, AfterRmw, AfterStore, BeforeLoad, BeforeRmw, BeforeStore};
    let fence = |sets| match kernel::on_machines(sets) {
        Some(OnMachines::Fence(fence)) => Some(FenceTag::Explicit(fence)),
        Some(OnMachines::Nothing) => Some(BeforeLoad(MemoryOrder::Relaxed)),
        Some(OnMachines::Unknown) | None => None,
    };
    match tag {
        FenceTag::Explicit(Fence::Annotated(sets)) => fence(sets).unwrap_or(tag),
        BeforeRmw(MemoryOrder::Annotated(a)) | AfterRmw(MemoryOrder::Annotated(a))
            if !a.fences.is_empty() =>
        {
            fence(a.fences).unwrap_or(tag)
        }
        BeforeLoad(order) => BeforeLoad(order.compiled()),
        AfterLoad(order) => AfterLoad(order.compiled()),
        BeforeStore(order) => BeforeStore(order.compiled()),
        AfterStore(order) => AfterStore(order.compiled()),
        BeforeRmw(order) => BeforeRmw(order.compiled()),
        AfterRmw(order) => AfterRmw(order.compiled()),
        FenceTag::Explicit(_) | FenceTag::Group => tag,
    }
}

/// The strongest fence of a machine.
fn full(arch: Arch) -> &'static [&'static str] {
    match arch {
        Arch::Sc => &[],
        Arch::X86 | Arch::Pso => &["MFENCE"],
        Arch::Membar | Arch::Arm | Arch::Aarch64 | Arch::Riscv => FULL_MEMBAR,
        Arch::Power => &["SYNC"],
        Arch::C11 => &["SC"],
    }
}

/// The set of a fence that is written in the program as such.
fn explicit(fence: Fence) -> &'static [&'static str] {
    match fence {
        Fence::Mfence => &["MFENCE"],
        Fence::Sfence => &["SFENCE"],
        Fence::Lfence => &["LFENCE"],
        Fence::Sync => &["SYNC"],
        Fence::Lwsync => &["LWSYNC"],
        Fence::Isync => &["ISYNC"],
        Fence::Eieio => &["EIEIO"],
        Fence::Membar {
            load_load,
            load_store,
            store_load,
            store_store,
        } => {
            const BY_FLAGS: [&[&str]; 16] = [
                &[],
                &["STORESTORE"],
                &["STORELOAD"],
                &["STORELOAD", "STORESTORE"],
                &["LOADSTORE"],
                &["LOADSTORE", "STORESTORE"],
                &["LOADSTORE", "STORELOAD"],
                &["LOADSTORE", "STORELOAD", "STORESTORE"],
                &["LOADLOAD"],
                &["LOADLOAD", "STORESTORE"],
                &["LOADLOAD", "STORELOAD"],
                &["LOADLOAD", "STORELOAD", "STORESTORE"],
                &["LOADLOAD", "LOADSTORE"],
                &["LOADLOAD", "LOADSTORE", "STORESTORE"],
                &["LOADLOAD", "LOADSTORE", "STORELOAD"],
                FULL_MEMBAR,
            ];
            let flags = [load_load, load_store, store_load, store_store];
            BY_FLAGS[flags
                .iter()
                .fold(0, |index, flag| index * 2 + usize::from(*flag))]
        }
        Fence::Annotated(tags) => tags,
        // Not machine instructions; `sets_of` deals with them.
        Fence::C11(_) | Fence::Posix => &[],
    }
}

/// The tags of a fence event under a model; [`sets_of`] with two more questions answered: what a
/// model without a machine says, and whether the model knows the fence at all.
///
/// # Errors
/// A sentence that names the fence and the model, when the model's text gives it no meaning.
pub fn tags(model: &Model, tag: FenceTag) -> Result<&'static [&'static str], String> {
    // Whoever takes a grace period for no wait at all calls right programs wrong.
    let is_known = |sets: &[&str]| sets.iter().all(|t| model.tags.contains(*t));
    if let FenceTag::Explicit(Fence::Annotated(sets @ (kernel::SYNC_RCU | kernel::SYNC_SRCU))) = tag
        && !is_known(sets)
    {
        return Err(unknown(model, tag));
    }
    let Some(arch) = model.arch else {
        return machineless(model, tag);
    };
    let tags = sets_of(arch, tag);
    // `fence.i` is for instructions: texts about RISC-V may leave it out.
    let known = |t: &str| model.tags.contains(t) || (arch == Arch::Riscv && t == "FENCE.I");
    if arch == Arch::Sc || tags.iter().all(|t| known(t)) {
        return Ok(tags);
    }
    Err(unknown(model, tag))
}

/// A model of a language (it speaks of C11's orders) takes C11 as it is; any other one only knows
/// the fences it names.
fn machineless(model: &Model, tag: FenceTag) -> Result<&'static [&'static str], String> {
    use FenceTag::{AfterLoad, AfterRmw, AfterStore, BeforeLoad, BeforeRmw, BeforeStore};
    let is_language = LANGUAGE_TAGS.iter().any(|t| model.tags.contains(*t));
    let tags: &[&str] = match tag {
        FenceTag::Explicit(Fence::Posix) | FenceTag::Group if is_kernel(model) => &["MB"],
        FenceTag::Explicit(Fence::C11(order)) if is_language => order_tags(order, true),
        FenceTag::Explicit(Fence::Posix) | FenceTag::Group if is_language => &["SC"],
        FenceTag::Explicit(Fence::C11(_) | Fence::Posix) | FenceTag::Group => {
            return Err(unknown(model, tag));
        }
        FenceTag::Explicit(fence) => explicit(fence),
        BeforeRmw(MemoryOrder::Annotated(a)) | AfterRmw(MemoryOrder::Annotated(a)) => a.fences,
        BeforeLoad(MemoryOrder::Annotated(_))
        | AfterLoad(MemoryOrder::Annotated(_))
        | BeforeStore(MemoryOrder::Annotated(_))
        | AfterStore(MemoryOrder::Annotated(_)) => &[],
        // Slots around an access that asks for no order need no fence on any machine.
        _ if is_language || sets_of(Arch::Membar, tag).is_empty() => &[],
        _ => return Err(unknown(model, tag)),
    };
    if tags.iter().all(|t| model.tags.contains(*t)) || is_language {
        Ok(tags)
    } else {
        Err(unknown(model, tag))
    }
}

/// How messages call a memory order.
fn order_name(order: MemoryOrder) -> &'static str {
    match order {
        MemoryOrder::Annotated(annotation) => annotation.name,
        order => order_tags(order, true)[0],
    }
}

fn unknown(model: &Model, tag: FenceTag) -> String {
    let what = match tag {
        FenceTag::Explicit(Fence::C11(order)) => {
            format!("the fence `atomic_thread_fence({})`", order_name(order))
        }
        FenceTag::Explicit(Fence::Posix) => "POSIX synchronisation".to_string(),
        FenceTag::Explicit(Fence::Annotated(kernel::SYNC_RCU)) => "`synchronize_rcu`".to_string(),
        FenceTag::Explicit(Fence::Annotated(kernel::SYNC_SRCU)) => "`synchronize_srcu`".to_string(),
        FenceTag::Explicit(fence) => {
            format!("the fence `{}`", explicit(fence).join(" ").to_lowercase())
        }
        FenceTag::Group => "an atomic group".to_string(),
        FenceTag::BeforeLoad(order) | FenceTag::AfterLoad(order) => {
            format!("an atomic load `{}`", order_name(order))
        }
        FenceTag::BeforeStore(order) | FenceTag::AfterStore(order) => {
            format!("an atomic store `{}`", order_name(order))
        }
        FenceTag::BeforeRmw(order) | FenceTag::AfterRmw(order) => {
            format!("an atomic read-modify-write `{}`", order_name(order))
        }
    };
    let message = format!("the model `{}` gives no meaning to {what}", model.name);
    if model.arch.is_some() || !explicit_tags(tag).is_empty() {
        return message;
    }
    // Only a machine has fences for what is no instruction.
    message + ": its text should begin with a machine (`X86`, `PPC`, `MEMBAR`, `SC`)"
}

/// The tags a fence has whatever the machine.
fn explicit_tags(tag: FenceTag) -> &'static [&'static str] {
    match tag {
        FenceTag::Explicit(fence) => explicit(fence),
        _ => &[],
    }
}

/// Whether the model gives a meaning to this fence.
pub fn knows(model: &Model, tag: FenceTag) -> bool {
    tags(model, tag).is_ok()
}

/// Whether what depends on what a conditional store reports depends on the store.
pub fn store_reports(arch: Option<Arch>) -> bool {
    arch == Some(Arch::Riscv)
}

/// Which part of `rmw` the write of a read-modify-write with this order is in: locked, or
/// load-linked/store-conditional. One of C is what the machine has; a locked one was written as
/// such, and a pair of a linked load and a conditional store is plain.
pub fn rmw_of(arch: Option<Arch>, order: MemoryOrder) -> BaseRel {
    match (order, arch) {
        (MemoryOrder::Locked, _) => BaseRel::Amo,
        (MemoryOrder::Plain, _) => BaseRel::Lxsx,
        (MemoryOrder::Annotated(a), Some(Arch::Aarch64 | Arch::Riscv)) => {
            match a.write.contains(&"AMO") {
                true => BaseRel::Amo,
                false => BaseRel::Lxsx,
            }
        }
        (_, Some(Arch::Sc | Arch::X86 | Arch::Pso)) => BaseRel::Amo,
        (_, Some(Arch::Membar | Arch::Power | Arch::Arm | Arch::Aarch64) | None) => BaseRel::Lxsx,
        (_, Some(Arch::Riscv | Arch::C11)) => BaseRel::Lxsx,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MemoryOrder::{AcqRel, Acquire, Plain, Relaxed, Release, SeqCst};

    const ORDERS: [MemoryOrder; 6] = [Plain, Relaxed, Acquire, Release, AcqRel, SeqCst];

    /// Every fence event there can be.
    fn all() -> Vec<FenceTag> {
        let flags = (0..16).map(|bits: u8| Fence::Membar {
            load_load: bits & 1 != 0,
            load_store: bits & 2 != 0,
            store_load: bits & 4 != 0,
            store_store: bits & 8 != 0,
        });
        let named = [
            Fence::Mfence,
            Fence::Sfence,
            Fence::Lfence,
            Fence::Sync,
            Fence::Lwsync,
            Fence::Isync,
            Fence::Eieio,
        ];
        let fences = named
            .into_iter()
            .chain(flags)
            .chain(ORDERS.map(Fence::C11))
            .chain([Fence::Posix]);
        let slots = [
            FenceTag::BeforeLoad,
            FenceTag::AfterLoad,
            FenceTag::BeforeStore,
            FenceTag::AfterStore,
            FenceTag::BeforeRmw,
            FenceTag::AfterRmw,
        ];
        let slots = slots.into_iter().flat_map(|slot| ORDERS.map(slot));
        fences
            .map(FenceTag::Explicit)
            .chain(slots)
            .chain([FenceTag::Group])
            .collect()
    }

    /// Models of languages know their own fences alone.
    #[test]
    fn built_in_models_know_every_fence() {
        let names = crate::names().map(|(name, _)| name);
        for name in names.filter(|name| !["rc11", "lkmm"].contains(name)) {
            let model = crate::builtin(name).expect("the model is built in");
            for tag in all() {
                let tags = tags(&model, tag).unwrap_or_else(|e| panic!("{e}"));
                assert!(tags.iter().all(|t| TAGS.contains(t)), "{tag:?}");
            }
        }
    }

    #[test]
    fn membar_flags_keep_their_directions() {
        let fence = Fence::Membar {
            load_load: true,
            load_store: false,
            store_load: false,
            store_store: true,
        };
        assert_eq!(explicit(fence), ["LOADLOAD", "STORESTORE"]);
        let fence = Fence::Membar {
            load_load: true,
            load_store: true,
            store_load: true,
            store_store: true,
        };
        assert_eq!(explicit(fence), FULL_MEMBAR);
    }

    #[test]
    fn relaxed_accesses_need_no_fence() {
        for arch in [Arch::Sc, Arch::X86, Arch::Pso, Arch::Membar, Arch::Power] {
            for slot in [
                FenceTag::BeforeLoad,
                FenceTag::AfterStore,
                FenceTag::AfterRmw,
            ] {
                assert!(sets_of(arch, slot(Relaxed)).is_empty());
            }
            assert!(sets_of(arch, FenceTag::AfterLoad(Release)).is_empty());
        }
        assert_eq!(
            sets_of(Arch::Power, FenceTag::AfterLoad(Acquire)),
            ["ISYNC"]
        );
        assert_eq!(sets_of(Arch::X86, FenceTag::AfterStore(SeqCst)), ["MFENCE"]);
    }

    #[test]
    fn a_fence_without_a_meaning_is_refused() {
        let compile = |text: &str| {
            let mut sources = base::source::SourceMap::default();
            let file = sources.add("mine.cat", text);
            crate::compile(&mut sources, file, "mine.cat").expect("the text is right")
        };
        let x86 = compile("X86 \"mine\"\nacyclic fencerel(MFENCE)");
        let refused =
            tags(&x86, FenceTag::Explicit(Fence::Lwsync)).expect_err("lwsync is of Power");
        assert_eq!(
            refused,
            "the model `mine.cat` gives no meaning to the fence `lwsync`"
        );
        assert!(
            knows(&x86, FenceTag::Explicit(Fence::Mfence))
                && knows(&x86, FenceTag::AfterStore(SeqCst))
        );
        let bare = compile("\"mine\"\nacyclic po-loc | rf | co | fr");
        assert!(knows(&bare, FenceTag::AfterStore(Relaxed)));
        let refused = tags(&bare, FenceTag::Explicit(Fence::C11(SeqCst)))
            .expect_err("no machine, no language");
        assert!(
            refused.contains("atomic_thread_fence(SC)") && refused.contains("`PPC`"),
            "{refused}"
        );
        let language = compile("\"mine\"\nacyclic [SC]; po; [SC]");
        assert_eq!(
            tags(&language, FenceTag::Explicit(Fence::C11(SeqCst))),
            Ok(&["SC"][..])
        );
        assert_eq!(tags(&language, FenceTag::AfterStore(SeqCst)), Ok(&[][..]));
    }
}
