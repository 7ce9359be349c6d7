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
//! **Orders of all threads**, as SC, TSO and PSO are ([`by_orders`] says which texts): besides atomicity, axioms that
//! forbid cycles of `rf`, `co`, `fr` and of what the program alone decides, which only loses pairs. Of one that
//! has `co`, the new w0 –rf→ r' is w0 –co→ w –rf→ r'; where it has `rfe` alone and r' is in w's thread, it is
//! w0 –rfe→ r –po→ r', if a read stays before the reads that follow. Of one that has `rf` and no `co` it is
//! w0 –rf→ r –po→ w –rf→ r', if a read stays before the writes that follow. A cycle of read-from and dependencies
//! is one of `rfe` and of reads before what follows, if some axiom forbids this one. So [`WriteBacks::All`].
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
//! **RC11** has no dependencies, and every relation of its text is monotone in `po`, `rf` and `co`:
//! what is to be shown is that no pair comes in. w0 –co→ w –rf→ r' is in `eco`, and so is what r' is
//! from-read before. If w0 or its release sequence synchronises with r' now, it did by w, as (r, w)
//! continues the sequence. So `hb`, `scb` and `psc` lose pairs alone, and w0 –rf→ r –po→ w –rf→ r' has the
//! new pair of `po | rf`. One thing is not by paths: `sections` takes a single pair between two atomic
//! sections into `hb`. So [`WriteBacks::All`], but in programs with atomic sections. Races remain, as `hb`
//! only shrinks.
//!
//! **ARMv8**: r –po-loc→ w is in `lob`, as every write behind an access of the same place is, so
//! w0 –rfe→ r –lob→ w –rfe→ r', or w0 –lob→ w –rfe→ r' where w0 is of r's thread, for r' in another
//! thread. For r' in w's thread r must be before r': it is if r acquires, or with a fence between them;
//! that r' does not read from w is said at Power. `lrs` gains pairs, too: of an own write w1 before r and
//! a read r' behind w. What leads to w1 and on by `lrs` is before r then, by w1 –lrs→ r, and r is before
//! r'; or r' reads from another thread what is behind w in coherence, and w1 –lob→ w. Through `data; lrs`
//! and `pick` the order is composed in the same way, with r between. `values` uses `rfi` as `dob` uses
//! `lrs`. So [`WriteBacks::Acquiring`].
//!
//! **RISC-V**: rule 1 has r –po-loc→ w and w0 –po-loc→ w, and rule 3 w –rfi→ r' as w is of a
//! read-modify-write. So there is a path from w0 to r', wherever each of them is, and one from whatever
//! rule 12 leads to w0. `rdw` to r' from a read before w0 in from-read was there by w. So
//! [`WriteBacks::All`].
//!
//! **The Linux kernel**, where all accesses of the place are marked: r –fr→ w is in `towrite`, and w0 –co→ w
//! where w0 is of r's thread. So w0 –rfe→ r –ppo→ w –rfe→ r', or w0 –ppo→ w –rfe→ r', is in `hb` for r' in another
//! thread; for r' in w's own, r must be before r' as on ARMv8, and what `strong` and `released` order behind r'
//! they order behind r. New pairs of the other relations are these:
//! - `sequence`: w0 –rf→ r –rmw→ w –rf→ r' was in it.
//! - `prop`: a `cumulfence` that ends at w0 ends at w, too, by its `sequence`, and what overwrites w0 from the
//!   outside overwrites w; one that begins with w0 –rfe→ r' is a path of `hb` from w0 to r' and a `cumulfence`
//!   from there. So is one from x –(co | fr)→ w0 for x in r's thread, as x –hb→ r by `prop`. In `pb`, `rb`, `link` and
//!   `vis` such a path may stand in front: each follows `hb^*`, or `pb` that ends with it.
//! - `carried`, through w0 –rfi→ r' of one thread: x –data→ w0 is in `towrite`, so x is before r' in `hb`, where what is
//!   carried on begins again.
//!
//! So nothing new is in `xbstar` or the visibilities, all races remain, and [`WriteBacks::Acquiring`] holds for such memory.
//! Of a plain access `hb` says nothing: there iterations are followed.
//!
//! **RMO, Alpha, Power 2010, ARMv7**: a write of a constant depends on nothing, not even on the read of its
//! own read-modify-write, so the new w0 –rf→ r' may close a cycle of values out of thin air that was
//! none. [`WriteBacks::Sections`] only: in a critical section a branch stands between the two, and full
//! fences. The same holds for all models.
//!
//! Where a read may come after later writes of its thread ([`Reading::Late`]), what goes wrong in an
//! iteration may need what comes later, and dependencies matter (`unroll::idle`).
//!
//! When writes to what other threads do not know yet may be left out ([`Publishing`]) is said in
//! `unroll::unpublished`.

use super::releases::keeps_releases;
use crate::unroll::{Awaits, Publishing, Reading, WriteBacks};
use cat::locks_synchronise;
use cat::model::{Axiom, AxiomKind, BaseRel, BaseSet, Model, RelId};
use cat::pattern::*;
use ir::program::PropertyKind;
use ir::property::asks_for_progress;

/// What may be left out under a model.
#[derive(Clone, Copy)]
struct Reductions {
    writes: WriteBacks,
    writes_atomic: bool,
    publishing: Publishing,
    publishes_plain: bool,
    reading: Reading,
    atomic_sections: bool,
}

/// Models that are no [orders of all threads](by_orders), by what may be left out.
const REDUCTIONS: [(&[&str], Reductions); 6] = {
    use {Publishing::*, Reading::*, WriteBacks::*};
    [
        (&["power"], of(Leading, Fenced, Late)),
        (&["aarch64"], of(Acquiring, Fenced, Late)),
        (&["riscv"], of(All, Fenced, Late)),
        (
            &["rc11"],
            Reductions {
                publishes_plain: true,
                atomic_sections: false,
                ..of(All, Ordered, Causal)
            },
        ),
        (
            &["lkmm"],
            Reductions {
                writes_atomic: true,
                ..of(Acquiring, Unknown, Late)
            },
        ),
        (
            &["rmo", "alpha", "power2010", "armv7"],
            of(Sections, Unknown, Late),
        ),
    ]
};

const fn of(writes: WriteBacks, publishing: Publishing, reading: Reading) -> Reductions {
    Reductions {
        writes,
        writes_atomic: false,
        publishing,
        publishes_plain: false,
        reading,
        atomic_sections: true,
    }
}

/// Of a model that is not known.
const NONE: Reductions = of(WriteBacks::None, Publishing::Unknown, Reading::Late);

/// Which iterations change nothing under all of some models, when these kinds of property are asked
/// for.
pub fn awaits(models: &[&Model], checks: &[PropertyKind]) -> Awaits {
    let known: Vec<Reductions> = models.iter().map(|m| reductions(m)).collect();
    let races = checks.contains(&PropertyKind::Race);
    let publishing = known.iter().map(|r| match r.publishes_plain && !races {
        true => Publishing::Unknown,
        false => r.publishing,
    });
    Awaits {
        writes: known.iter().map(|r| r.writes).min().unwrap_or_default(),
        writes_atomic: known.iter().any(|r| r.writes_atomic),
        publishing: publishing.min().unwrap_or_default(),
        publishes_plain: known.iter().any(|r| r.publishes_plain),
        reading: known.iter().map(|r| r.reading).min().unwrap_or_default(),
        atomic_sections: known.iter().all(|r| r.atomic_sections),
        races,
        mutexes: races && models.iter().all(|m| excludes_by_mutexes(m)),
        progress: asks_for_progress(checks),
        robustness: checks.contains(&PropertyKind::Robust),
    }
}

/// Whether accesses under one mutex do not race (`unroll::guarded`).
fn excludes_by_mutexes(model: &Model) -> bool {
    is_coherent(model) && is_atomic(model) && locks_synchronise(model)
}

/// What an iteration that changes nothing may have written under a model.
pub fn write_backs(model: &Model) -> WriteBacks {
    reductions(model).writes
}

fn reductions(model: &Model) -> Reductions {
    if let Some(reductions) = by_orders(model) {
        return reductions;
    }
    let is_text_of = |name: &&str| {
        let text = cat::builtin(name);
        text.is_some_and(|text| model.says_the_same_as(&text))
    };
    let known = REDUCTIONS
        .iter()
        .find(|(names, _)| names.iter().any(is_text_of));
    known.map_or(NONE, |(_, reductions)| *reductions)
}

/// What may be left out under a model whose axioms order the events of all threads as those of SC, TSO
/// and PSO do; `None` of others.
fn by_orders(model: &Model) -> Option<Reductions> {
    use BaseSet::{R, W};
    if !model.flags.is_empty() || !is_coherent(model) || !is_atomic(model) {
        return None;
    }
    let has = |parts: &[RelId], base| parts.iter().any(|p| is_base(model, *p, base));
    let rfe = |parts: &[RelId]| parts.iter().any(|p| communicates(model, *p, BaseRel::Rf));
    // Of one axiom: reads in the order of the program, and what others write.
    let in_order = |parts: &[RelId]| {
        let memory = rfe(parts) && has(parts, BaseRel::Co) && has(parts, BaseRel::Fr);
        memory && keeps(model, parts, &R, &R) && keeps(model, parts, &R, &W)
    };
    let unions: Vec<Vec<RelId>> = acyclic_unions(model).collect();
    let reading = match unions.iter().any(|parts| in_order(parts)) {
        true => Reading::InOrder,
        false => return None,
    };
    let holds = |axiom: &Axiom| {
        let parts = union_parts(model, axiom.rel);
        let communication = |p: &RelId| {
            let bases = [BaseRel::Rf, BaseRel::Co, BaseRel::Fr];
            bases.into_iter().any(|base| communicates(model, *p, base))
        };
        let known = parts
            .iter()
            .all(|p| communication(p) || only_loses(model, *p));
        let path = !rfe(&parts)
            || has(&parts, BaseRel::Co)
                && (has(&parts, BaseRel::Rf) || keeps(model, &parts, &R, &R))
            || has(&parts, BaseRel::Rf) && keeps(model, &parts, &R, &W);
        match axiom.kind {
            AxiomKind::Acyclic => is_thin_air(model, axiom) || known && path,
            AxiomKind::Irreflexive => only_loses(model, axiom.rel),
            AxiomKind::Empty => only_loses(model, axiom.rel) || is_atomicity(model, axiom),
        }
    };
    if !model.axioms.iter().all(holds) {
        return None;
    }
    let mut in_order = unions.iter().filter(|parts| in_order(parts));
    let publishing = if in_order.clone().any(|p| keeps(model, p, &W, &W)) {
        Publishing::Ordered
    } else if in_order.any(|p| keeps_releases(model, p)) {
        Publishing::Fenced
    } else {
        Publishing::Unknown
    };
    Some(of(WriteBacks::All, publishing, reading))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::source::SourceMap;

    fn compiled(text: &str) -> Model {
        let mut sources = SourceMap::default();
        let file = sources.add("mine.cat", text);
        cat::compile(&mut sources, file, "mine").expect("the text is right")
    }

    #[test]
    fn every_built_in_model_has_reductions() {
        for (name, _) in cat::names() {
            let model = cat::builtin(name).expect("built in");
            assert_ne!(write_backs(&model), WriteBacks::None, "{name}");
            let orders = by_orders(&model).map(|r| (r.writes, r.publishing, r.reading));
            let expected = match name {
                "sc" | "tso" => Some((WriteBacks::All, Publishing::Ordered, Reading::InOrder)),
                "pso" => Some((WriteBacks::All, Publishing::Fenced, Reading::InOrder)),
                _ => None,
            };
            assert_eq!(orders, expected, "{name}");
        }
    }

    #[test]
    fn other_texts_have_them_where_they_order_the_events_of_all_threads() {
        let atomic = "empty rmw & (fre; coe) as atomic";
        let reads = "po & (R * M)";
        for (text, known) in [
            (
                format!("SC \"mine\"\nacyclic po | rf | co | fr\n{atomic}"),
                true,
            ),
            (
                format!(
                    "TSO\nacyclic po-loc | rf | co | fr\n{atomic}\nlet implied = po & (W * R) & ((M * A) | (A * M))\n\
                     let ghb = fencerel(MFENCE) | implied | po & (W * W) | po & (R * M) | rfe | fr | co\nacyclic ghb"
                ),
                true,
            ),
            (
                format!(
                    "A\nacyclic po-loc | rf | co | fr\nacyclic rfe | co | fr | {reads}\n{atomic}"
                ),
                true,
            ),
            // No atomicity.
            ("SC\nacyclic po | rf | co | fr".to_string(), false),
            // Reads may be late.
            (
                format!(
                    "A\nacyclic po-loc | rf | co | fr\nacyclic rfe | co | fr | po & (W * W)\n{atomic}"
                ),
                false,
            ),
            // An axiom with more of memory in it.
            (
                format!("SC\nacyclic po | rf | co | fr\nirreflexive fre; rfe; po\n{atomic}"),
                false,
            ),
            (
                format!("SC\nacyclic po | rf | co | fr\nacyclic po & (W * W) | rfe\n{atomic}"),
                false,
            ),
            // Something may come in when an event is left out.
            (
                format!("SC\nacyclic po | rf | co | fr\nempty po \\ (po; po)\n{atomic}"),
                false,
            ),
            (
                format!("SC\nacyclic po | rf | co | fr\nflag ~empty rfe as read\n{atomic}"),
                false,
            ),
        ] {
            let found = by_orders(&compiled(&text)).is_some();
            assert_eq!(found, known, "{text}");
        }
    }
}
