//! The calls of a client that no order explains.

use crate::driver::client::{ShownCall, ShownHistory, Unexplained};
use linearizable::history::Objection;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The calls of a client that no order explains.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryAnswer {
    /// The calls of the threads, thread after thread, and then those at the end.
    pub calls: Vec<CallAnswer>,
    /// Pairs of calls, by their positions, of which the first had returned when the second began.
    pub before: Vec<(usize, usize)>,
    /// Why no order explains what they return, sentences.
    pub explanation: Vec<String>,
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallAnswer {
    /// The thread that makes it, from 1; 0 is main.
    pub thread: usize,
    /// The call.
    pub call: String,
    /// What it returns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<CallResultAnswer>,
    /// Moments between which it may have run: calls overlap as far as nothing orders them.
    pub begins: usize,
    /// See `begins`.
    pub returns: usize,
}

/// A part of what a call returns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallResultAnswer {
    /// The parameter through which it is returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The value.
    pub value: String,
}

impl HistoryAnswer {
    /// The answer that a history is.
    pub fn new(history: &ShownHistory) -> HistoryAnswer {
        let moments = moments(history);
        let calls = history.calls.iter().zip(&moments);
        let calls = calls.map(|(call, (begins, returns))| CallAnswer {
            thread: call.thread,
            call: call.text.clone(),
            results: results(&call.results),
            begins: *begins,
            returns: *returns,
        });
        HistoryAnswer {
            calls: calls.collect(),
            before: history.before.clone(),
            explanation: explanation(history),
        }
    }
}

impl CallAnswer {
    /// The call with what it returns, as a person writes it.
    pub(in crate::report) fn shown(&self) -> String {
        let parts = self.results.iter().map(|r| match &r.parameter {
            None => format!(" = {}", r.value),
            Some(parameter) => format!(", {parameter} = {}", r.value),
        });
        self.call.clone() + &parts.collect::<String>()
    }
}

fn results(results: &[(Option<String>, String)]) -> Vec<CallResultAnswer> {
    let parts = results.iter().map(|(parameter, value)| CallResultAnswer {
        parameter: parameter.clone(),
        value: value.clone(),
    });
    parts.collect()
}

/// When calls begin and return: as early as what comes before allows, and as late.
fn moments(history: &ShownHistory) -> Vec<(usize, usize)> {
    let count = history.calls.len();
    let of_threads = history.calls.iter().filter(|c| c.thread > 0).count();
    let earlier = |call: usize| -> BTreeSet<usize> {
        if call >= of_threads {
            return (0..call).collect();
        }
        let pairs = history.before.iter();
        pairs
            .filter(|(_, late)| *late == call)
            .map(|(early, _)| *early)
            .collect()
    };
    let earlier: Vec<BTreeSet<usize>> = (0..count).map(earlier).collect();
    let mut moments: Vec<(Option<usize>, Option<usize>)> = vec![(None, None); count];
    let mut now = 0;
    loop {
        let open = |moments: &[(Option<usize>, Option<usize>)], call: usize| {
            earlier[call]
                .iter()
                .filter(|c| moments[**c].1.is_none())
                .copied()
                .collect::<Vec<_>>()
        };
        let due: Vec<usize> = (0..count)
            .filter(|c| moments[*c].0.is_none() && open(&moments, *c).is_empty())
            .collect();
        due.iter().for_each(|c| moments[*c].0 = Some(now));
        now += usize::from(!due.is_empty());
        let waiting = (0..count).filter(|c| moments[*c].0.is_none());
        let least = waiting.map(|c| open(&moments, c)).min_by_key(Vec::len);
        let Some(ending) = least else {
            break;
        };
        ending.iter().for_each(|c| moments[*c].1 = Some(now));
        now += 1;
    }
    let whole = moments.into_iter();
    whole
        .map(|(begins, returns)| (begins.unwrap_or(0), returns.unwrap_or(now)))
        .collect()
}

fn explanation(history: &ShownHistory) -> Vec<String> {
    let name = |call: usize| name(&history.calls, call);
    let order = |order: &[usize]| {
        let names: Vec<String> = order.iter().map(|c| name(*c)).collect();
        names.join(", ")
    };
    match &history.why {
        Unexplained::Orders(orders, count) => {
            let mut said: Vec<String> = orders
                .iter()
                .map(|(calls, objection)| {
                    let why = match objection {
                        Objection::Returned { first, second } => {
                            format!("{} had returned when {} began", name(*second), name(*first))
                        }
                        Objection::Quiet { first, second } => {
                            format!("no call ran between {} and {}", name(*second), name(*first))
                        }
                    };
                    format!(
                        "in the order {} the calls return this, but {why}",
                        order(calls)
                    )
                })
                .collect();
            match count - orders.len() {
                0 => {}
                1 => said.push("so it is with another order".to_string()),
                others => said.push(format!("so it is with {others} other orders")),
            }
            said
        }
        Unexplained::Results(Some(closest)) => {
            let differs = closest.differs.iter().map(|(call, results)| {
                let results = self::results(results);
                let value = |r: &CallResultAnswer| match &r.parameter {
                    None => format!("returns {}", r.value),
                    Some(parameter) => format!("sets {parameter} to {}", r.value),
                };
                let values: Vec<String> = results.iter().map(value).collect();
                format!("{} {}", name(*call), values.join(" and "))
            });
            let differs: Vec<String> = differs.collect();
            vec![
                "in no order the calls return this".to_string(),
                format!(
                    "closest is {}, in which {}",
                    order(&closest.order),
                    differs.join(", and ")
                ),
            ]
        }
        Unexplained::Results(None) => {
            vec!["in no order that is possible here all calls return".to_string()]
        }
    }
}

/// A call, with its thread where others make the same.
fn name(calls: &[ShownCall], call: usize) -> String {
    let ShownCall { thread, text, .. } = &calls[call];
    match calls.iter().filter(|c| c.text == *text).count() {
        1 => text.clone(),
        _ if *thread == 0 => format!("{text} of main"),
        _ => format!("{text} of thread {thread}"),
    }
}
