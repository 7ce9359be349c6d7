//! The texts that come with the tool: the seven models and the files models include.
//!
//! The included files have the names of herd7's, and give the names those give, in our words; so a
//! published model loads where herd7 is not installed. A file beside the including one comes first.

/// The file every model begins with, included or not.
pub(super) const PRELUDE: &str = "stdlib.cat";

/// Built-in models: name, one line, text.
pub(super) const MODELS: [(&str, &str, &str); 7] = [
    (
        "sc",
        "sequential consistency: threads take turns on one memory",
        include_str!("models/sc.cat"),
    ),
    (
        "tso",
        "x86 and SPARC TSO: a store buffer a thread",
        include_str!("models/tso.cat"),
    ),
    (
        "pso",
        "SPARC PSO: a store buffer a thread and location",
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
];

/// Models without values out of thin air whose axioms do not show it by themselves; the argument
/// is in each text.
pub(super) const CAUSAL: [&str; 1] = ["power"];

const INCLUDES: [(&str, &str); 12] = [
    ("cos.cat", include_str!("models/lib/cos.cat")),
    ("cross.cat", include_str!("models/lib/cross.cat")),
    ("fences.cat", include_str!("models/lib/fences.cat")),
    ("filters.cat", include_str!("models/lib/filters.cat")),
    ("lifetime.cat", include_str!("models/lib/lifetime.cat")),
    ("ppc-checks.cat", include_str!("models/lib/ppc-checks.cat")),
    ("ppcfences.cat", include_str!("models/lib/ppcfences.cat")),
    ("ppo.cat", include_str!("models/lib/ppo.cat")),
    ("race.cat", include_str!("models/lib/race.cat")),
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
