//! The texts that come with the tool: the models and the files models include.
//!
//! The included files have the names of herd7's, and give the names those give, in our words; so a
//! published model loads where herd7 is not installed. A file beside the including one comes first.

use super::model::Causality;

/// The file every model begins with, included or not.
pub(super) const PRELUDE: &str = "stdlib.cat";

/// Built-in models: name, one line, text.
pub(super) const MODELS: [(&str, &str, &str); 12] = [
    (
        "sc",
        "sequential consistency: threads take turns on one memory",
        include_str!("models/sc.cat"),
    ),
    (
        "tso",
        "x86 and SPARC TSO: a store buffer per thread",
        include_str!("models/tso.cat"),
    ),
    (
        "pso",
        "SPARC PSO: a store buffer per thread and location",
        include_str!("models/pso.cat"),
    ),
    (
        "rmo",
        "SPARC RMO: only dependencies and fences order a thread",
        include_str!("models/rmo.cat"),
    ),
    (
        "alpha",
        "Alpha: not even dependencies order reads",
        include_str!("models/alpha.cat"),
    ),
    (
        "power2010",
        "Power as the CAV 2013 paper encodes it",
        include_str!("models/power2010.cat"),
    ),
    (
        "power",
        "Power: the herding-cats model, as hardware and herd7 have it",
        include_str!("models/power.cat"),
    ),
    (
        "armv7",
        "ARMv7: the herding-cats model, as herd7 has it",
        include_str!("models/armv7.cat"),
    ),
    (
        "aarch64",
        "ARMv8: other threads see a write at once, dependencies and fences order a thread",
        include_str!("models/aarch64.cat"),
    ),
    (
        "riscv",
        "RISC-V: weak memory ordering (RVWMO)",
        include_str!("models/riscv.cat"),
    ),
    (
        "rc11",
        "C11's atomics, repaired (RC11)",
        include_str!("models/rc11.cat"),
    ),
    (
        "lkmm",
        "the Linux kernel: its atomics, barriers, spin locks, RCU and SRCU",
        include_str!("models/lkmm.cat"),
    ),
];

/// What is known of values out of thin air where the axioms do not show it by themselves; the argument is
/// in each text.
pub(super) fn causality(name: &str) -> Causality {
    match name {
        "power" | "armv7" | "aarch64" | "riscv" => Causality::Known,
        "lkmm" => Causality::Marked,
        _ => Causality::Unknown,
    }
}

const INCLUDES: [(&str, &str); 20] = [
    ("cos.cat", include_str!("models/lib/cos.cat")),
    ("cross.cat", include_str!("models/lib/cross.cat")),
    ("fences.cat", include_str!("models/lib/fences.cat")),
    ("filters.cat", include_str!("models/lib/filters.cat")),
    ("lifetime.cat", include_str!("models/lib/lifetime.cat")),
    ("not-robust.cat", include_str!("models/lib/not-robust.cat")),
    ("robust.cat", include_str!("models/lib/robust.cat")),
    (
        "names-aarch64.cat",
        include_str!("models/lib/names-aarch64.cat"),
    ),
    ("names-arm.cat", include_str!("models/lib/names-arm.cat")),
    ("names-c11.cat", include_str!("models/lib/names-c11.cat")),
    (
        "names-kernel.cat",
        include_str!("models/lib/names-kernel.cat"),
    ),
    (
        "names-riscv.cat",
        include_str!("models/lib/names-riscv.cat"),
    ),
    ("ppc-checks.cat", include_str!("models/lib/ppc-checks.cat")),
    ("ppcfences.cat", include_str!("models/lib/ppcfences.cat")),
    ("ppo.cat", include_str!("models/lib/ppo.cat")),
    ("race.cat", include_str!("models/lib/race.cat")),
    (
        "riscvfences.cat",
        include_str!("models/lib/riscvfences.cat"),
    ),
    ("stdlib.cat", include_str!("models/lib/stdlib.cat")),
    ("wmm.cat", include_str!("models/lib/wmm.cat")),
    ("x86fences.cat", include_str!("models/lib/x86fences.cat")),
];

/// The text of the built-in file `name` (`tso.cat`, `cos.cat`).
pub(super) fn text(name: &str) -> Option<&'static str> {
    let model = name.strip_suffix(".cat").and_then(model);
    model.or_else(|| {
        INCLUDES
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, text)| *text)
    })
}

/// The text of the built-in model `name` (`tso`).
pub(super) fn model(name: &str) -> Option<&'static str> {
    MODELS
        .iter()
        .find(|(n, ..)| *n == name)
        .map(|(.., text)| *text)
}

/// The files that may be included, by name.
pub(super) fn includes() -> impl Iterator<Item = &'static str> {
    INCLUDES.iter().map(|(name, _)| *name)
}
