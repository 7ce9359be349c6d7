//! What an enumeration of executions says of a program's properties.

use super::outcome::{
    Argument, CheckResult, Counterexample, PropertyStatus, Stats, UnknownReason, Verdict,
};
use base::source::Span;
use cat::model::Model;
use enumerate::Enumeration;
use enumerate::explore::Exploration;
use ir::program::{Property, PropertyKind, Rule};

/// The outcome for some kinds of property. As in [`super::bmc`], a violation in an execution
/// without unsupported constructs comes first, then what is unsupported or not checked, then bounds
/// that are reached.
pub fn outcome(model: &Model, checks: &[PropertyKind], found: &Enumeration) -> CheckResult {
    let of = |kind: PropertyKind| {
        let mut all = found.violations.keys();
        all.find(|(k, _, _)| *k == kind)
    };
    let unchecked = found.violations.keys().filter(|v| !checks.contains(&v.0));
    let unchecked = unchecked.map(|(_, span, text)| {
        let reason = format!("not checked, but reachable: the property that {text}");
        (reason, *span)
    });
    let mut open: Vec<(String, Span)> =
        found.unsupported.iter().cloned().chain(unchecked).collect();
    open.extend(found.limits_reached.iter().cloned());
    let status = |kind: PropertyKind| match (of(kind), open.is_empty()) {
        (Some(_), _) => PropertyStatus::Violated,
        (None, true) => PropertyStatus::Holds,
        (None, false) => PropertyStatus::Unknown,
    };
    let properties = checks.iter().map(|k| (*k, status(*k))).collect();
    let violated = checks.iter().find_map(|k| of(*k));
    let verdict = match violated {
        Some((kind, span, text)) => Verdict::Unsafe(Box::new(Counterexample {
            property: Property::new(Rule::from(*kind), text.clone()),
            span: *span,
            thread: None,
            cause: None,
            steps: Vec::new(),
            trace: None,
        })),
        None if open.is_empty() && !found.ends => {
            Verdict::Unknown(UnknownReason::NoEnd(found.stops.iter().cloned().collect()))
        }
        None if open.is_empty() => Verdict::Safe,
        None => Verdict::Unknown(UnknownReason::Unsupported(open)),
    };
    CheckResult {
        model: model.name.clone(),
        verdict,
        properties,
        stats: Stats::default(),
        loops_at_bound: Vec::new(),
        stopped: None,
        argument: Argument::Executions,
        assumed: Vec::new(),
    }
}

/// The outcome of an exploration. One that a violation has ended says nothing of other kinds of property.
pub fn explored(model: &Model, checks: &[PropertyKind], all: &Exploration) -> CheckResult {
    let mut result = outcome(model, checks, &all.found);
    if all.is_cut {
        for (_, status) in &mut result.properties {
            if *status == PropertyStatus::Holds {
                *status = PropertyStatus::Unknown;
            }
        }
    }
    result.stats.strategy = "exploration".to_string();
    result.stats.executions = Some((all.complete, all.blocked));
    result
}
