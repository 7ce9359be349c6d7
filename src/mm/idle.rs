//! Which iterations of a loop change nothing, model by model.
//!
//! `unroll::idle` leaves out iterations that wrote back what they read; that the executions that
//! remain are allowed rests on the models' texts, so it is done for the built-in ones alone. Let
//! (r, w) be the read-modify-write that is left out, w0 what r reads, and r' a reader of w, which
//! reads from w0 then. Between w0 and w there is nothing in coherence.
//!
//! **All of them** (`Uniproc` and atomicity as everywhere):
//! w0 –co→ w –rf→ r', and r' is before the same writes as ever, so nothing new is asked of one place.
//!
//! **SC, TSO, PSO**: the new w0 –rfe→ r' is w0 –co→ w –rfe→ r' where r' is in another thread than w,
//! and w0 –rfe→ r –ppo→ r' where it is in the same, as a read stays before all that follows. A new
//! cycle of read-from and dependencies would be one of these edges and `ppo`. So [`WriteBacks::All`].
//!
//! **Power** (herding cats): r –po-loc→ w is in `ppo` (`cc0`), so w0 –rfe→ r –ppo→ w –rfe→ r' for r'
//! in another thread; where w0 and w are of one thread, whatever is before w0 in `hb` is before w as
//! well. A path through the new edge that starts with w0 (in `prop` and the observation) may start
//! with w: w is behind w0 in coherence, and from-read takes whoever reads before w0 before w. `rdw`
//! and `detour` that lead to r' by w0 lead there by w, and a read of w0's own thread, which has `rfi`
//! from w0 now, had `detour`. For r' in w's own thread nothing orders r before r' (r –po→ w –rfi→ r' does
//! not), so there must be no such r'. The next iteration is one of them, when it reads from w. If the
//! iteration *begins* with r and w, and its way is decided by what r reads, then that next iteration
//! changed nothing either, and is left out first: this takes w0 for a write of the same thread, to which
//! nothing leads that does not lead to w. What reads later reads what the last iteration left. So
//! [`WriteBacks::Leading`]; a full fence behind w, which orders r and r', does as well.
//!
//! **RMO, Alpha, Power 2010**: a write of a constant depends on nothing, not even on the read of its
//! own read-modify-write, so the new w0 –rf→ r' may close a cycle of values out of thin air that was
//! none. [`WriteBacks::Sections`] only: in a critical section a branch stands between the two, and full
//! fences. The same holds for all models; for ARMv8 and RISC-V nothing more is claimed.
//!
//! When writes to what other threads do not know yet may be left out ([`Publishing`]) is said in
//! `unroll::unpublished`.

use super::model::Model;
use crate::ir::program::PropertyKind;
use crate::unroll::{Awaits, Publishing, WriteBacks};

/// The built-in models by what may be left out.
const WRITE_BACKS: [(&str, WriteBacks, Publishing); 9] = [
    ("sc", WriteBacks::All, Publishing::Ordered),
    ("tso", WriteBacks::All, Publishing::Ordered),
    ("pso", WriteBacks::All, Publishing::Unknown),
    ("power", WriteBacks::Leading, Publishing::Fenced),
    ("aarch64", WriteBacks::Sections, Publishing::Unknown),
    ("riscv", WriteBacks::Sections, Publishing::Unknown),
    ("rmo", WriteBacks::Sections, Publishing::Unknown),
    ("alpha", WriteBacks::Sections, Publishing::Unknown),
    ("power2010", WriteBacks::Sections, Publishing::Unknown),
];

/// Which iterations change nothing under all of some models, when these kinds of property are asked
/// for.
pub fn awaits<'m>(models: impl Iterator<Item = &'m Model>, checks: &[PropertyKind]) -> Awaits {
    let reductions = models.map(reductions);
    let all = reductions.reduce(|a, b| (a.0.min(b.0), a.1.min(b.1)));
    let (writes, publishing) = all.unwrap_or_default();
    Awaits {
        writes,
        publishing,
        races: checks.contains(&PropertyKind::Race),
        deadlocks: checks.contains(&PropertyKind::Deadlock),
    }
}

/// What an iteration that changes nothing may have written under a model.
pub fn write_backs(model: &Model) -> WriteBacks {
    reductions(model).0
}

fn reductions(model: &Model) -> (WriteBacks, Publishing) {
    let known = WRITE_BACKS.iter().find(|(name, ..)| {
        let text = super::builtin(name);
        text.is_some_and(|text| has_text_of(model, &text))
    });
    known.map_or_else(Default::default, |(_, writes, publishing)| {
        (*writes, *publishing)
    })
}

/// Whether two models ask for the same, in the same words.
fn has_text_of(model: &Model, other: &Model) -> bool {
    let axioms = |m: &Model| -> Vec<_> { m.axioms.iter().map(|a| (a.kind, a.rel)).collect() };
    model.arch == other.arch
        && axioms(model) == axioms(other)
        && model.rels.iter().eq(other.rels.iter())
        && model.sets.iter().eq(other.sets.iter())
        && model.recs.iter().eq(other.recs.iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::SourceMap;
    use crate::mm;

    #[test]
    fn only_built_in_texts_are_known() {
        let names = mm::names().map(|(name, _)| name);
        for name in names.filter(|name| !["rc11", "lkmm"].contains(name)) {
            let model = mm::builtin(name).expect("built in");
            assert_ne!(write_backs(&model), WriteBacks::None, "{name}");
        }
        let mut sources = SourceMap::default();
        let file = sources.add("sc.cat", "SC \"mine\"\nacyclic po | rf | co | fr as sc");
        let mine = mm::compile(&mut sources, file, "sc").expect("the text is right");
        assert_eq!(write_backs(&mine), WriteBacks::None);
    }
}
