//! What a test shows on the machine at hand, for people: the histogram that litmus7 prints.

use super::answer::native_run::NativeRunAnswer;

/// What a test shows on the machine at hand, as litmus7 prints it: a histogram, with a star before states in which the
/// condition holds, and whether a model allows them all.
pub fn histogram(answer: &NativeRunAnswer) -> String {
    let mut out = format!(
        "Test {}\nHistogram ({} states)\n",
        answer.name,
        answer.outcomes.len()
    );
    let sum = |holds: bool| -> u64 {
        let outcomes = answer.outcomes.iter().filter(|o| o.holds == holds);
        outcomes.map(|o| o.count).sum()
    };
    for outcome in &answer.outcomes {
        let star = if outcome.holds { "*" } else { ":" };
        let mark = match outcome.allowed {
            Some(true) => "",
            Some(false) => " not allowed",
            None => " not known",
        };
        out += &format!("{:<8}{star}>{}{mark}\n", outcome.count, outcome.state);
    }
    let (yes, no) = (sum(true), sum(false));
    let word = match (yes, no) {
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    };
    out += &format!("Observation {} {word} {yes} {no}\n", answer.name);
    out += &format!("Time {} {:.2}\n", answer.name, answer.seconds);
    let model = &answer.model;
    let unseen = answer.unseen.len();
    out += &match (&*answer.verdict, unseen) {
        ("ALLOWED", 0) => format!("Allowed by {model}, which allows no other state\n"),
        ("ALLOWED", n) => format!("Allowed by {model}, which allows {n} more\n"),
        ("FORBIDDEN", _) => format!("Not allowed by {model}\n"),
        _ => format!("Not all states of {model} are known\n"),
    };
    out
}
