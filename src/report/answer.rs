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
pub mod fronts;
pub mod history;
pub mod litmus;
pub mod machine;
pub mod native_run;
pub mod orders;
pub mod place;
pub mod program;
pub mod refused;
pub mod statistics;
pub mod system;
pub mod word;

use abstraction::{AbstractionAnswer, AbstractionEvidence};
use base::code::Code;
use compile_check::CompileCheckAnswer;
use cross::EnginesAnswer;
use execution::WeakExecution;
use fences::{FencesAnswer, FoundFences};
use fronts::FrontsAnswer;
use litmus::LitmusAnswer;
use native_run::NativeRunAnswer;
use orders::OrdersAnswer;
use place::Diagnostic;
use program::ProgramAnswer;
use refused::RefusedAnswer;
use serde::{Deserialize, Serialize};
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
    /// Memory orders for a program.
    #[serde(skip_deserializing)]
    Orders(Box<OrdersAnswer>),
    /// Of several engines about a system.
    #[serde(skip_deserializing)]
    Engines(Box<EnginesAnswer>),
    /// Of two front ends about a program.
    #[serde(skip_deserializing)]
    Fronts(Box<FrontsAnswer>),
    /// Of a mapping to a machine.
    #[serde(skip_deserializing)]
    CompileCheck(Box<CompileCheckAnswer>),
    /// Of runs on the machine at hand.
    #[serde(skip_deserializing)]
    NativeRun(Box<NativeRunAnswer>),
}

macro_rules! kinds {
    ($($kind:ident: $answer:ty),* $(,)?) => {$(
        impl From<$answer> for Answer {
            fn from(answer: $answer) -> Answer {
                Answer::$kind(Box::new(answer))
            }
        }
    )*};
}

kinds! {
    Program: ProgramAnswer,
    Litmus: LitmusAnswer,
    System: SystemAnswer,
    Refused: RefusedAnswer,
    Abstraction: AbstractionAnswer,
    Fences: FencesAnswer,
    Orders: OrdersAnswer,
    Engines: EnginesAnswer,
    Fronts: FrontsAnswer,
    CompileCheck: CompileCheckAnswer,
    NativeRun: NativeRunAnswer,
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
        match self {
            Answer::Program(a) => Some(a.stats.total_seconds()),
            Answer::Litmus(a) => Some(a.stats.total_seconds()),
            Answer::System(a) => Some(a.stats.seconds),
            Answer::Orders(a) => Some(a.seconds),
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
            Answer::System(a) => head!(a, a.verdict.word(), a.code),
            Answer::Abstraction(a) => head!(a, a.verdict.word(), a.evidence.code),
            Answer::Fences(a) => head!(a, a.verdict.word(), a.found.code()),
            Answer::Orders(a) => head!(a, a.verdict.word(), a.code),
            Answer::Engines(a) => head!(a, a.verdict, a.code),
            Answer::Fronts(a) => head!(a, a.verdict, a.code),
            Answer::CompileCheck(a) => head!(a, &a.verdict, None),
            Answer::NativeRun(a) => head!(a, &a.verdict, None),
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
