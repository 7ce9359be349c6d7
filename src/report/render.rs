//! The short way from an outcome to text, for users of the library.

use super::answer::program::ProgramAnswer;
use super::answer::system::SystemAnswer;
use super::{Subject, herd, system, text};
use crate::check::outcome::Trace;
use crate::driver::{Outcome, Session};

/// An outcome of a session as the command line prints it, with the execution or run that shows it.
pub fn render(session: &Session, outcome: &Outcome) -> String {
    let style = text::Style::default();
    match outcome {
        Outcome::Program(outcome) => {
            let subject = Subject::of(session.sources(), session.name(), outcome);
            let answer = ProgramAnswer::new(&subject, &outcome.result, 0);
            text::program(subject.sources, &answer, outcome.result.violation(), style)
        }
        Outcome::Litmus(outcome) => {
            let subject = herd::Subject::of(session);
            let blocks = outcome.answers.iter().zip(subject.iter().cycle());
            let blocks = blocks.map(|((found, _), subject)| herd::block(subject, found));
            blocks.collect()
        }
        Outcome::System(outcome) => {
            let answer = SystemAnswer::new(session.sources(), session.name(), outcome, 0);
            system::text(&answer, style)
        }
    }
}

/// An execution as a table, a column a thread, and why it needs a weak memory model.
pub fn render_trace(session: &Session, trace: &Trace) -> String {
    text::execution(session.sources(), trace, None, text::Detail::Normal)
}
