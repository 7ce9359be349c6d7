//! An answer in sentences, for services that show one text for each result.

use super::answer::Answer;
use super::answer::place::Diagnostic;

/// What an answer says, in sentences.
pub fn summary(answer: &Answer) -> String {
    let head = answer.head();
    if let Some(error) = answer.errors().first() {
        return diagnostic(error);
    }
    let mut out = match answer {
        Answer::Program(a) => a
            .reason
            .clone()
            .or_else(|| Some(a.sentence(a.property.as_ref()?))),
        Answer::Litmus(a) => a.reason.clone().or_else(|| {
            let observed = a.observation.as_deref().unwrap_or_default().to_lowercase();
            Some(format!(
                "{} {}: observed {observed}",
                a.quantifier, a.condition
            ))
        }),
        Answer::System(a) => Some(a.reason.clone()),
        Answer::CompileCheck(a) => a.reason.clone(),
        Answer::Orders(a) => a.reason.clone(),
        Answer::Abstraction(_) | Answer::Fences(_) => answer.evidence().and_then(|e| {
            let property = e.property.as_ref();
            let violated = property.map(|condition| format!("`{condition}` is violated"));
            e.reason.clone().or(violated)
        }),
        Answer::Engines(_) | Answer::Fronts(_) | Answer::NativeRun(_) | Answer::Refused(_) => None,
    }
    .unwrap_or_else(|| head.verdict.to_string());
    if let Answer::Litmus(a) = answer
        && let Some(expected) = &a.expected
    {
        out += &format!(", expected {expected}");
    }
    out += &on_model(answer);
    if let Some(weak) = answer.weakness() {
        for sentence in weak.sentences.iter().chain(&weak.remedy) {
            out += &format!("\n{sentence}");
        }
    }
    out
}

/// ` on ` and the model, where one is known.
pub fn on_model(answer: &Answer) -> String {
    let model = answer.head().model;
    model.map_or_else(String::new, |m| format!(" on {m}"))
}

/// A diagnostic with its hints.
pub fn diagnostic(diagnostic: &Diagnostic) -> String {
    let mut out = diagnostic.message.clone();
    for note in &diagnostic.notes {
        out += &format!("\nhelp: {note}");
    }
    out
}
