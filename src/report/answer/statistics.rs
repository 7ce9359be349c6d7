//! The measurements of a check, as answers have them.

use super::word::Word;
use crate::check::outcome::{Stats, UnknownReason};
use crate::encode::Reduced;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// The measurements of a check.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// Threads of the unwound program.
    pub threads: usize,
    /// Events, initial writes included.
    pub events: usize,
    /// Shared scalars.
    pub cells: usize,
    /// Read-from candidates.
    pub rf: usize,
    /// Variables of the formula.
    pub variables: u64,
    /// Clauses of the formula.
    pub clauses: u64,
    /// Clauses by what they are for.
    pub parts: Ordered<u64>,
    /// The strategy that has answered, where several were tried at once.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub strategy: String,
    /// Executions that were explored in which all threads come to their end, and the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
    /// See `executions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<u64>,
    /// Conflicts of the solver.
    pub conflicts: u64,
    /// Candidate executions that lazily judged axioms have judged.
    pub judged: u64,
    /// Clauses learnt from those that they forbid.
    pub learnt: u64,
    /// What reductions did.
    pub reduced: Reduced,
    /// Seconds by stage, in the order they ran.
    pub seconds: Ordered<f64>,
    /// The stage that a limit has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Word>,
    /// Largest resident size of the process, in MiB.
    pub peak_mb: u64,
}

impl Statistics {
    /// What was measured, and which stage is unfinished if a limit is why there is no verdict.
    pub(in crate::report) fn of(measured: &Stats, unknown: Option<&UnknownReason>) -> Statistics {
        let parts = measured.parts.iter();
        let seconds = measured.seconds.iter();
        Statistics {
            threads: measured.threads,
            events: measured.events,
            cells: measured.cells,
            rf: measured.rf,
            variables: measured.variables,
            clauses: measured.clauses,
            parts: Ordered(parts.map(|(n, c)| (n.clone().into(), *c)).collect()),
            strategy: measured.strategy.clone(),
            executions: measured.executions.map(|(complete, _)| complete),
            blocked: measured.executions.map(|(_, blocked)| blocked),
            conflicts: measured.conflicts,
            judged: measured.judged,
            learnt: measured.learnt,
            reduced: measured.reduced,
            seconds: Ordered(seconds.map(|(s, n)| ((*s).into(), *n)).collect()),
            unfinished: unknown
                .and_then(|why| measured.unfinished(why))
                .map(Word::from),
            peak_mb: measured.peak_mb,
        }
    }

    /// Seconds of all stages.
    pub(in crate::report) fn total_seconds(&self) -> f64 {
        self.seconds.0.iter().map(|(_, s)| s).sum()
    }
}

/// An object whose fields stay in this order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ordered<V>(pub Vec<(Word, V)>);

impl<V: Serialize> Serialize for Ordered<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Ordered<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ordered<V>, D::Error> {
        struct Fields<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Fields<V> {
            type Value = Ordered<V>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<V>, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, V>()? {
                    fields.push((name.into(), value));
                }
                Ok(Ordered(fields))
            }
        }
        deserializer.deserialize_map(Fields(PhantomData))
    }
}
