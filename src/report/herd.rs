//! The answer to a litmus test in herd7's form, so that scripts written for its logs keep working:
//! the block that begins with `Test` and ends with `Observation`.
//!
//! What differs: where the solver answers, `Positive` and `Negative`, and the numbers behind
//! `Observation`, count final states, not executions; they and the states are left out when only
//! the condition was asked for.
//! A loop that reaches its bound is named in a line `Loop`, a limit in a line `Unknown`. What is not
//! decided then has no line `Ok` or `No`, and its observation is `Unknown`: that no execution was found
//! does not say that there is none.

use crate::check::litmus::Finding;
use crate::driver::Session;
use crate::report::words;
use base::idx::IdVec;
use base::source::SourceMap;
use ir::litmus::{LitmusTest, Quantifier};
use ir::program::{GlobalId, Observable, ObservableId, sign_extend};

/// A test, and where its objects are.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The test.
    pub test: &'a LitmusTest,
    /// Addresses of its objects.
    pub statics: &'a IdVec<GlobalId, u64>,
    /// Its text.
    pub sources: &'a SourceMap,
}

impl<'a> Subject<'a> {
    /// The test of a session, if its input is one.
    pub fn of(session: &'a Session) -> Option<Subject<'a>> {
        let litmus = session.litmus()?;
        Some(Subject {
            test: &litmus.test,
            statics: &litmus.graph.statics,
            sources: session.sources(),
        })
    }
}

/// How often the condition holds.
pub fn observation(finding: &Finding) -> &'static str {
    match (finding.holds, finding.fails) {
        (true, true) => "Sometimes",
        _ if finding.unknown.is_some() => "Unknown",
        (true, false) => "Always",
        (false, _) => "Never",
    }
}

/// Whether the answer is the one the test claims. `exists` claims that there is such a state.
pub fn is_as_claimed(test: &LitmusTest, finding: &Finding) -> bool {
    match test.final_condition.quantifier {
        Quantifier::Exists => finding.holds,
        Quantifier::NotExists => !finding.holds,
        Quantifier::Forall => !finding.fails,
    }
}

/// The same, where it is decided: a limit leaves open what no execution that was found shows.
fn decided(test: &LitmusTest, finding: &Finding) -> Option<bool> {
    let shown = match test.final_condition.quantifier {
        Quantifier::Exists | Quantifier::NotExists => finding.holds,
        Quantifier::Forall => finding.fails,
    };
    (shown || finding.unknown.is_none()).then(|| is_as_claimed(test, finding))
}

/// The block.
pub fn block(subject: &Subject, finding: &Finding) -> String {
    let test = subject.test;
    let (kind, quantifier) = match test.final_condition.quantifier {
        Quantifier::Exists => ("Allowed", "exists"),
        Quantifier::NotExists => ("Forbidden", "~exists"),
        Quantifier::Forall => ("Required", "forall"),
    };
    let mut out = format!("Test {} {kind}\n", test.name);
    if let Some(states) = &finding.states {
        out += &format!("States {}\n", states.len());
        for state in states.keys() {
            out += &(line(subject, state) + "\n");
        }
    }
    out += &missing(finding);
    out += match decided(test, finding) {
        Some(true) => "Ok\n",
        Some(false) => "No\n",
        None => "",
    };
    if let Some((positive, negative)) = finding.counts() {
        out += &format!("Witnesses\nPositive: {positive} Negative: {negative}\n");
    }
    for flag in &finding.flags {
        out += &format!("Flag {flag}\n");
    }
    out += &robustness(finding);
    out += &format!("Condition {quantifier} {}\n", test.final_condition.text);
    out + &last(test, finding)
}

/// The answer in one line, after those that say why it may not be all.
pub fn summary(subject: &Subject, finding: &Finding) -> String {
    let flags = finding.flags.iter().map(|flag| format!("Flag {flag}\n"));
    let flags: String = flags.collect();
    missing(finding) + &flags + &robustness(finding) + &last(subject.test, finding)
}

/// Whether the test is robust, where that is asked.
fn robustness(finding: &Finding) -> String {
    let word = |is: Option<bool>| match is {
        Some(true) => "Yes",
        Some(false) => "No",
        None => "Unknown",
    };
    let lines = finding.robust.iter().map(|robust| {
        let (executions, states) = (word(robust.executions), word(robust.states));
        format!("Robust executions {executions}\nRobust states {states}\n")
    });
    lines.collect()
}

/// What keeps an answer from being complete.
fn missing(finding: &Finding) -> String {
    let mut out = String::new();
    for reached in &finding.loops_at_bound {
        out += &format!(
            "Loop {} reaches its bound of {} iterations\n",
            reached.name, reached.bound
        );
    }
    if let Some(reason) = &finding.unknown {
        let stage = unfinished(finding).map(|s| format!(", in the stage `{s}`"));
        let stage = stage.unwrap_or_default();
        out += &format!("Unknown {}{stage}\n", words::unknown(reason));
    }
    out
}

/// The stage that a limit has ended.
fn unfinished(finding: &Finding) -> Option<&'static str> {
    finding
        .unknown
        .as_ref()
        .and_then(|why| finding.stats.unfinished(why))
}

fn last(test: &LitmusTest, finding: &Finding) -> String {
    let numbers = match finding.counts() {
        Some((positive, negative)) => format!(" {positive} {negative}"),
        None => String::new(),
    };
    let observation = observation(finding);
    format!("Observation {} {observation}{numbers}\n", test.name)
}

/// A state in one line: `0:EAX=0; [x]=1;`.
pub fn line(subject: &Subject, state: &[u64]) -> String {
    let shown = subject.test.final_condition.shown.iter().zip(state);
    let all: Vec<String> = shown
        .map(|(o, v)| format!("{}={};", label(subject.test, *o), value(subject, *o, *v)))
        .collect();
    all.join(" ")
}

/// An observable as herd7 writes it: `0:EAX`, `[x]`, `x[1]`.
pub fn label(test: &LitmusTest, what: ObservableId) -> String {
    match &test.program.observables[what] {
        Observable::Register { thread, name, .. } => format!("{thread}:{name}"),
        Observable::Memory { global, offset, .. } => {
            let global = &test.program.globals[*global];
            match test.program.path(global.layout, *offset).as_str() {
                "" => format!("[{}]", global.name),
                path => format!("{}{path}", global.name),
            }
        }
    }
}

/// A value: a signed number, or the name of the object it is the address of.
pub fn value(subject: &Subject, what: ObservableId, value: u64) -> String {
    let Subject { test, statics, .. } = subject;
    let program = &test.program;
    for (id, global) in program.globals.iter_enumerated() {
        let offset = value.wrapping_sub(statics[id]);
        if value != 0 && offset < program.size_of(global.layout).max(1) {
            return format!("{}{}", global.name, program.path(global.layout, offset));
        }
    }
    let width = program.observables[what].width();
    sign_extend(value, width).to_string()
}
