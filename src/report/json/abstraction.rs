//! The outcome of predicate abstraction as JSON: one object a file and model.
//!
//! | field | meaning |
//! |---|---|
//! | `tool`, `version`, `input`, `model`, `exit_code` | as for programs |
//! | `code` | as for programs |
//! | `verdict` | `SAFE`, `UNSAFE` or `UNKNOWN` |
//! | `buffer` | on TSO and PSO: entries of a store buffer |
//! | `method` | how the abstraction was made: `auto`, `predicates`, `search` or `cubes` |
//! | `predicates` | the predicates, extrapolated, as text |
//! | `discovered` | those that were found by refinement; the ones over buffers come after those for SC |
//! | `reason` | of `UNKNOWN`: a sentence |
//! | `step` | of `UNKNOWN`, where it is due to the predicates: the first step of an abstract counterexample that cannot follow the ones before |
//! | `property` | of `UNSAFE`: what is violated, as text |
//! | `steps` | of `UNSAFE`: `{thread, flush, text, changes, buffers, span}` for each |
//! | `certificate` | of `SAFE` with `--certificate`: `written`, or why there is none |
//! | `stats` | `{given, predicates, lifted, cubes, cube_size, queries, cached, unclear, states, seconds}`; `lifted`: cubes that were extrapolated, `null` when they were looked for; `seconds` has `build` and `search` |
//!
//! `changes` is a list of `{name, value}`, `buffers` of `{thread, entries}`, where `entries` is such a list,
//! the oldest first. A `value` is a number as text, as integers have no bounds here.

use super::{Range, range};
use crate::base::code::Code;
use crate::base::source::SourceMap;
use crate::driver::abstraction::{
    AbstractionMethod, AbstractionOutcome, AbstractionStep, AbstractionVerdict,
};
use crate::report::abstraction::word;
use serde_json::{Value, json};

/// The object, with a final line break.
pub fn outcome(
    sources: &SourceMap,
    input: &str,
    outcome: &AbstractionOutcome,
    exit_code: u8,
) -> String {
    let mut object = super::begin(input, &outcome.model, word(&outcome.verdict), exit_code);
    object["method"] = json!(match outcome.method {
        AbstractionMethod::Auto => "auto",
        AbstractionMethod::Predicates => "predicates",
        AbstractionMethod::Search => "search",
        AbstractionMethod::Cubes => "cubes",
    });
    object["predicates"] = json!(outcome.predicates);
    object["discovered"] = json!(outcome.discovered);
    object["stats"] = json!({
        "given": outcome.given,
        "predicates": outcome.predicates.len(),
        "lifted": outcome.lifted,
        "cubes": outcome.cubes,
        "cube_size": outcome.cube_size,
        "queries": outcome.counts.queries,
        "cached": outcome.counts.cached,
        "unclear": outcome.counts.unclear,
        "states": outcome.states,
        "seconds": {
            "build": outcome.build_seconds,
            "search": outcome.search_seconds,
        },
    });
    if let Some(bound) = outcome.buffer {
        object["buffer"] = bound.into();
    }
    match &outcome.certificate {
        None => {}
        Some(Ok(_)) => object["certificate"] = "written".into(),
        Some(Err(reason)) => object["certificate"] = reason.to_string().into(),
    }
    add_verdict(&mut object, sources, &outcome.verdict);
    object.to_string() + "\n"
}

/// The fields of an answer that is not `SAFE`.
pub(super) fn add_verdict(object: &mut Value, sources: &SourceMap, verdict: &AbstractionVerdict) {
    match verdict {
        AbstractionVerdict::Safe => object["code"] = Value::Null,
        AbstractionVerdict::Unsafe { property, steps } => {
            object["code"] = Code::Assertion.id().into();
            object["property"] = property.as_str().into();
            object["steps"] = steps.iter().map(|s| step(sources, s)).collect();
        }
        AbstractionVerdict::Unknown { reason, step } => {
            object["code"] = Code::SearchGivesUp.id().into();
            object["reason"] = reason.as_str().into();
            if let Some(step) = step {
                object["step"] = step.as_str().into();
            }
        }
    }
}

fn step(sources: &SourceMap, step: &AbstractionStep) -> Value {
    let buffers = step.buffers.iter();
    let buffers = buffers.map(|(t, all)| json!({ "thread": t, "entries": named(all) }));
    let span: Range = range(sources, step.span);
    json!({
        "thread": step.thread,
        "flush": step.flush,
        "text": step.text,
        "changes": named(&step.changes),
        "buffers": buffers.collect::<Value>(),
        "span": span,
    })
}

fn named(values: &[(String, String)]) -> Value {
    let named = values.iter();
    let named = named.map(|(name, value)| json!({ "name": name, "value": value }));
    named.collect()
}
