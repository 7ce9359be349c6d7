//! The answers of two front ends about one C program on a model, and whether they agree.

use super::program::ProgramAnswer;
use super::word::{AnswerVerdict, TOOL, VERSION, Word};
use crate::check::outcome::CheckResult;
use crate::driver::Error;
use crate::driver::fronts::{FrontAnswer, FrontsOutcome, Reading};
use crate::report::Subject;
use base::code::Code;
use serde::Serialize;

/// The answers of two front ends.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FrontsAnswer {
    /// `wmbmc`.
    pub tool: Word,
    /// Its version.
    pub version: Word,
    /// The path as given.
    pub input: String,
    /// Short name of the memory model.
    pub model: String,
    /// `AGREEMENT`, `DISAGREEMENT`, or `UNKNOWN` when something is not decided and no two contradict each other.
    pub verdict: &'static str,
    /// The kind of what is reported; none of `AGREEMENT`.
    pub code: Option<Code>,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// The answers.
    pub fronts: Vec<FrontEndAnswer>,
    /// Pairs of answers, by their positions: the first is safe, and the second has a violation.
    pub disagreements: Vec<[usize; 2]>,
}

/// The answer after one reading.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FrontEndAnswer {
    /// `own` or `clang`.
    pub front: &'static str,
    /// Of clang: the level of optimisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Of reading and checking.
    pub seconds: f64,
    /// What is said of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<ProgramAnswer>,
    /// Why nothing is: what the front end refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl FrontEndAnswer {
    /// As people write it: `own`, `clang`, `clang -O1`.
    pub fn name(&self) -> String {
        match self.level {
            None | Some(0) => self.front.to_string(),
            Some(level) => format!("{} -O{level}", self.front),
        }
    }

    /// The verdict, a word.
    pub fn verdict(&self) -> &'static str {
        match &self.answer {
            Some(answer) => answer.verdict.in_text(),
            None => "refused",
        }
    }

    /// An execution is a violation.
    pub fn is_unsafe(&self) -> bool {
        let answer = self.answer.as_ref();
        answer.is_some_and(|a| a.verdict == AnswerVerdict::Unsafe)
    }
}

impl FrontsAnswer {
    /// The answer that an outcome is; `exit_of` is what the process would return for one result alone.
    pub fn new(
        input: &str,
        outcome: &FrontsOutcome,
        exit_code: u8,
        exit_of: &dyn Fn(&CheckResult) -> u8,
    ) -> FrontsAnswer {
        let agree = outcome.disagreements.is_empty();
        let (verdict, code) = match (agree, outcome.is_decided()) {
            (false, _) => ("DISAGREEMENT", Some(Code::Disagreement)),
            (true, true) => ("AGREEMENT", None),
            (true, false) => ("UNKNOWN", Some(Code::SearchGivesUp)),
        };
        let fronts = outcome.answers.iter().map(|a| front_end(input, a, exit_of));
        let pairs = outcome
            .disagreements
            .iter()
            .map(|(one, other)| [*one, *other]);
        FrontsAnswer {
            tool: TOOL,
            version: VERSION,
            input: input.to_string(),
            model: outcome.model.clone(),
            verdict,
            code,
            exit_code,
            fronts: fronts.collect(),
            disagreements: pairs.collect(),
        }
    }
}

fn front_end(
    input: &str,
    found: &FrontAnswer,
    exit_of: &dyn Fn(&CheckResult) -> u8,
) -> FrontEndAnswer {
    let (front, level) = match found.reading {
        Reading::Own => ("own", None),
        Reading::Clang(level) => ("clang", Some(level)),
    };
    let (answer, refused) = match &found.found {
        Ok((session, outcome)) => {
            let subject = Subject::of(session.sources(), input, outcome);
            let exit_code = exit_of(&outcome.result);
            let answer = ProgramAnswer::new(&subject, &outcome.result, exit_code);
            (Some(answer), None)
        }
        Err(Error::Refused(refused)) => (None, Some(refused.to_string())),
        Err(error) => (None, Some(error.to_string())),
    };
    FrontEndAnswer {
        front,
        level,
        seconds: found.seconds,
        answer,
        refused,
    }
}
