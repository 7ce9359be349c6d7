//! The fences that were found for a program on a model.

use super::abstraction::AbstractionEvidence;
use super::place::SourceRange;
use super::word::{AnswerVerdict, TOOL, VERSION, Word};
use crate::driver::abstraction::{FenceOutcome, FencePlacement, Minimality, PlacedFence};
use base::code::Code;
use base::source::SourceMap;
use serde::Serialize;

/// The fences that were found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FencesAnswer {
    /// `wmbmc`.
    pub tool: Word,
    /// Its version.
    pub version: Word,
    /// The path as given.
    pub input: String,
    /// Short name of the memory model.
    pub model: String,
    /// `SAFE`, or what was found with a fence at every place.
    pub verdict: AnswerVerdict,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// How many places for fences there are.
    pub sites: usize,
    /// What was found.
    #[serde(flatten)]
    pub found: FoundFences,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum FoundFences {
    /// The program is safe with these.
    Placed(FencesPlaced),
    /// A fence at every place is not enough.
    NotEnough(AbstractionEvidence),
}

impl FoundFences {
    /// The kind of what is reported, if anything is.
    pub fn code(&self) -> Option<Code> {
        match self {
            FoundFences::Placed(_) => None,
            FoundFences::NotEnough(evidence) => evidence.code,
        }
    }
}

/// Fences with which a program is safe.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FencesPlaced {
    /// On TSO and PSO: entries of a store buffer in the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<u32>,
    /// Whether fewer would do; in `undecided`, how many smaller placements have neither a violation nor a
    /// proof.
    #[serde(flatten)]
    pub minimality: Minimality,
    /// The fences.
    pub fences: Vec<FenceInSource>,
    /// The change of the source.
    pub diff: String,
    /// Changes that the diff does not have, sentences.
    pub by_hand: Vec<String>,
    /// Placements that were checked by abstraction.
    #[serde(skip)]
    pub checked: usize,
    /// Runs that violate a property, or overflow, from which others followed.
    #[serde(skip)]
    pub runs: usize,
}

/// A fence in the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FenceInSource {
    /// Where.
    pub span: SourceRange,
    /// The file, and the line of its access.
    #[serde(skip)]
    pub place: String,
    /// What stands there.
    pub text: String,
    /// The source has it already.
    pub exists: bool,
    /// What was found without it.
    pub without: WithoutFence,
}

/// What was found without a fence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WithoutFence {
    /// `SAFE`, `UNSAFE` or `UNKNOWN`.
    pub verdict: AnswerVerdict,
    /// What that rests on.
    #[serde(flatten)]
    pub evidence: AbstractionEvidence,
}

impl FencesAnswer {
    /// The answer that an outcome is.
    pub fn new(
        sources: &SourceMap,
        input: &str,
        model: &str,
        outcome: &FenceOutcome,
        exit_code: u8,
    ) -> FencesAnswer {
        let (verdict, sites, found) = match outcome {
            FenceOutcome::Placed(placement) => {
                let placed = FoundFences::Placed(placed(sources, placement));
                (AnswerVerdict::Safe, placement.sites, placed)
            }
            FenceOutcome::NotEnough { fences, verdict } => {
                let evidence = AbstractionEvidence::of(sources, verdict);
                (verdict.into(), *fences, FoundFences::NotEnough(evidence))
            }
        };
        FencesAnswer {
            tool: TOOL,
            version: VERSION,
            input: input.to_string(),
            model: model.to_string(),
            verdict,
            exit_code,
            sites,
            found,
        }
    }
}

fn placed(sources: &SourceMap, placement: &FencePlacement) -> FencesPlaced {
    let fences = placement.fences.iter().map(|f| fence(sources, f));
    FencesPlaced {
        buffer: placement.buffer,
        minimality: placement.minimality,
        fences: fences.collect(),
        diff: placement.diff.clone(),
        by_hand: placement.by_hand.clone(),
        checked: placement.checked,
        runs: placement.runs,
    }
}

fn fence(sources: &SourceMap, fence: &PlacedFence) -> FenceInSource {
    FenceInSource {
        span: SourceRange::of(sources, fence.span),
        place: fence.place.clone(),
        text: fence.text.clone(),
        exists: fence.exists,
        without: WithoutFence {
            verdict: AnswerVerdict::from(&fence.without),
            evidence: AbstractionEvidence::of(sources, &fence.without),
        },
    }
}
