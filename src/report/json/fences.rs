//! The fences that were found, as JSON: one object a file and model.
//!
//! | field | meaning |
//! |---|---|
//! | `tool`, `version`, `input`, `model`, `exit_code` | as for programs |
//! | `verdict` | `SAFE`, or what was found with a fence at every place, with the fields of predicate abstraction |
//! | `sites` | how many places for fences there are |
//! | `buffer` | on TSO and PSO: entries of a store buffer in the proof |
//! | `minimality` | `minimum`: with fewer there is a violation; `fewest_proved`: with fewer none was proved; `minimal`: none can be left out; `unknown`: a limit was reached |
//! | `undecided` | of `fewest_proved`: how many smaller placements have neither a violation nor a proof |
//! | `fences` | `{span, text, exists, without}` for each; `without` has `verdict` and its fields |
//! | `diff` | the change of the source |
//! | `by_hand` | changes that the diff does not have, sentences |

use super::abstraction::add_verdict;
use super::{Range, range};
use crate::base::source::SourceMap;
use crate::driver::abstraction::{FenceOutcome, FencePlacement, Minimality, PlacedFence};
use crate::report::abstraction::word;
use serde_json::{Value, json};

/// The object, with a final line break.
pub fn fences(
    sources: &SourceMap,
    input: &str,
    model: &str,
    outcome: &FenceOutcome,
    exit_code: u8,
) -> String {
    let mut object = super::begin(input, model, "SAFE", exit_code);
    match outcome {
        FenceOutcome::Placed(placement) => add_placement(&mut object, sources, placement),
        FenceOutcome::NotEnough { fences, verdict } => {
            object["verdict"] = word(verdict).into();
            object["sites"] = (*fences).into();
            add_verdict(&mut object, sources, verdict);
        }
    }
    object.to_string() + "\n"
}

fn add_placement(object: &mut Value, sources: &SourceMap, placement: &FencePlacement) {
    let fences = placement.fences.iter().map(|f| fence(sources, f));
    object["sites"] = placement.sites.into();
    object["fences"] = fences.collect();
    object["diff"] = placement.diff.as_str().into();
    object["by_hand"] = json!(placement.by_hand);
    object["minimality"] = match placement.minimality {
        Minimality::Minimum => "minimum".into(),
        Minimality::FewestProved { undecided } => {
            object["undecided"] = undecided.into();
            "fewest_proved".into()
        }
        Minimality::Minimal => "minimal".into(),
        Minimality::Unknown => "unknown".into(),
    };
    if let Some(bound) = placement.buffer {
        object["buffer"] = bound.into();
    }
}

fn fence(sources: &SourceMap, fence: &PlacedFence) -> Value {
    let span: Range = range(sources, fence.span);
    let mut without = json!({ "verdict": word(&fence.without) });
    add_verdict(&mut without, sources, &fence.without);
    json!({
        "span": span,
        "text": fence.text,
        "exists": fence.exists,
        "without": without,
    })
}
