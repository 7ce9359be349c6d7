//! Answers: what is said of an input on a model, as a value that every format is made of.
//!
//! There is a struct for each kind of input and of question. Their fields are those of the JSON output,
//! which are never renamed; `docs/json.md` lists them.
//!
//! An answer owns what it says, so it outlives the outcome and the files that it was made of: a report is
//! made of all answers of a run, and the merge of a cluster's results reads those of its jobs back.

pub mod abstraction;
pub mod compile_check;
pub mod cross;
pub mod execution;
pub mod fences;
pub mod litmus;
pub mod machine;
pub mod place;
pub mod program;
pub mod refused;
pub mod statistics;
pub mod system;
pub mod word;

use super::Subject;
use crate::check::litmus::Finding;
use crate::check::outcome::CheckResult;
use crate::driver::abstraction::{AbstractionOutcome, FenceOutcome};
use crate::driver::compile_check::CompileOutcome;
use crate::driver::cross::CrossOutcome;
use crate::driver::outcome::SystemOutcome;
use abstraction::{AbstractionAnswer, AbstractionEvidence};
use base::code::Code;
use base::diag::Diag;
use base::source::SourceMap;
use compile_check::CompileCheckAnswer;
use cross::EnginesAnswer;
use execution::WeakExecution;
use fences::{FencesAnswer, FoundFences};
use litmus::{AboutLitmus, LitmusAnswer};
use place::Diagnostic;
use program::ProgramAnswer;
use refused::RefusedAnswer;
use serde::{Deserialize, Serialize};
use statistics::Statistics;
use system::SystemAnswer;

/// What is said of an input on a model. No kind has the required fields of another one, so the object
/// says which it is; the kinds that no plan of a cluster has are not read back.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of a program.
    Program(Box<ProgramAnswer>),
    /// To a litmus test.
    Litmus(Box<LitmusAnswer>),
    /// Of a system of any number of processes.
    System(Box<SystemAnswer>),
    /// There is none.
    Refused(Box<RefusedAnswer>),
    /// Of predicate abstraction.
    #[serde(skip_deserializing)]
    Abstraction(Box<AbstractionAnswer>),
    /// Fences for a program.
    #[serde(skip_deserializing)]
    Fences(Box<FencesAnswer>),
    /// Of several engines about a system.
    #[serde(skip_deserializing)]
    Engines(Box<EnginesAnswer>),
    /// Of a mapping to a machine.
    #[serde(skip_deserializing)]
    CompileCheck(Box<CompileCheckAnswer>),
}

/// What all answers have.
#[derive(Clone, Copy, Debug)]
pub struct AnswerHead<'a> {
    /// The path as given; none for an error of the command line.
    pub input: Option<&'a str>,
    /// Short name of the memory model; none when an error came before.
    pub model: Option<&'a str>,
    /// The verdict, a word.
    pub verdict: &'a str,
    /// The kind of what is reported, if anything is.
    pub code: Option<Code>,
    /// What the process would return for this alone.
    pub exit_code: u8,
}

impl Answer {
    /// The answer about a program.
    pub fn program(subject: &Subject, outcome: &CheckResult, exit_code: u8) -> Answer {
        Answer::Program(Box::new(ProgramAnswer::new(subject, outcome, exit_code)))
    }

    /// The answer to a litmus test.
    pub fn litmus(about: &AboutLitmus, finding: &Finding, exit_code: u8) -> Answer {
        Answer::Litmus(Box::new(LitmusAnswer::new(about, finding, exit_code)))
    }

    /// The answer about a system.
    pub fn system(
        sources: &SourceMap,
        input: &str,
        outcome: &SystemOutcome,
        exit_code: u8,
    ) -> Answer {
        let answer = SystemAnswer::new(sources, input, outcome, exit_code);
        Answer::System(Box::new(answer))
    }

    /// The answer of predicate abstraction.
    pub fn abstraction(
        sources: &SourceMap,
        input: &str,
        outcome: &AbstractionOutcome,
        exit_code: u8,
    ) -> Answer {
        let answer = AbstractionAnswer::new(sources, input, outcome, exit_code);
        Answer::Abstraction(Box::new(answer))
    }

    /// The fences that were found.
    pub fn fences(
        sources: &SourceMap,
        input: &str,
        model: &str,
        outcome: &FenceOutcome,
        exit_code: u8,
    ) -> Answer {
        let answer = FencesAnswer::new(sources, input, model, outcome, exit_code);
        Answer::Fences(Box::new(answer))
    }

    /// The answers of several engines.
    pub fn engines(input: &str, outcome: &CrossOutcome, exit_code: u8) -> Answer {
        Answer::Engines(Box::new(EnginesAnswer::new(input, outcome, exit_code)))
    }

    /// What a mapping does to a test, for the models of the source and of the machine.
    pub fn compile_check(
        input: &str,
        models: (&str, &str),
        outcome: &CompileOutcome,
        exit_code: u8,
    ) -> Answer {
        let answer = CompileCheckAnswer::new(input, models, outcome, exit_code);
        Answer::CompileCheck(Box::new(answer))
    }

    /// The answer that an input or a model is refused: `input` and `model` as far as they are known.
    pub fn refused(
        sources: &SourceMap,
        input: Option<&str>,
        model: Option<&str>,
        diags: &[Diag],
        exit_code: u8,
    ) -> Answer {
        let answer = RefusedAnswer::new(sources, input, model, diags, exit_code);
        Answer::Refused(Box::new(answer))
    }

    /// What is wrong with the input, where that is why there is no other answer.
    pub fn errors(&self) -> &[Diagnostic] {
        match self {
            Answer::Refused(a) => &a.errors,
            _ => &[],
        }
    }

    /// What the author of the input probably did not mean.
    pub fn warnings(&self) -> &[Diagnostic] {
        match self {
            Answer::Program(a) => &a.warnings,
            Answer::System(a) => &a.warnings,
            _ => &[],
        }
    }

    /// Why the execution of an answer is weak.
    pub fn weakness(&self) -> Option<&WeakExecution> {
        match self {
            Answer::Program(a) => a.weakness.as_ref(),
            Answer::Litmus(a) => a.weakness.as_ref(),
            _ => None,
        }
    }

    /// What the verdict of predicate abstraction rests on.
    pub fn evidence(&self) -> Option<&AbstractionEvidence> {
        match self {
            Answer::Abstraction(a) => Some(&a.evidence),
            Answer::Fences(a) => match &a.found {
                FoundFences::NotEnough(evidence) => Some(evidence),
                FoundFences::Placed(_) => None,
            },
            _ => None,
        }
    }

    /// How long it took, in seconds, where that was measured.
    pub fn seconds(&self) -> Option<f64> {
        let sum = |stats: &Statistics| stats.seconds.0.iter().map(|(_, s)| s).sum();
        match self {
            Answer::Program(a) => Some(sum(&a.stats)),
            Answer::Litmus(a) => Some(sum(&a.stats)),
            Answer::System(a) => Some(a.stats.seconds),
            Answer::Abstraction(a) => Some(a.stats.seconds.build + a.stats.seconds.search),
            _ => None,
        }
    }

    /// What all answers have.
    pub fn head(&self) -> AnswerHead<'_> {
        macro_rules! head {
            ($a:expr, $verdict:expr, $code:expr) => {
                AnswerHead {
                    input: Some(&$a.input),
                    model: Some(&$a.model),
                    verdict: $verdict,
                    code: $code,
                    exit_code: $a.exit_code,
                }
            };
        }
        match self {
            Answer::Program(a) => head!(a, a.verdict.word(), a.code),
            Answer::Litmus(a) => head!(a, &a.verdict, a.code),
            Answer::System(a) => head!(a, &a.verdict, a.code),
            Answer::Abstraction(a) => head!(a, &a.verdict, a.evidence.code),
            Answer::Fences(a) => head!(a, &a.verdict, a.found.code()),
            Answer::Engines(a) => head!(a, &a.verdict, a.code),
            Answer::CompileCheck(a) => head!(a, &a.verdict, None),
            Answer::Refused(a) => AnswerHead {
                input: a.input.as_deref(),
                model: a.model.as_deref(),
                verdict: &a.verdict,
                code: a.code,
                exit_code: a.exit_code,
            },
        }
    }
}
