//! The memory orders that a program needs on some models, and what a litmus test does.

use super::execution::Execution;
use super::place::SourceRange;
use super::word::{AnswerVerdict, TOOL, VERSION, Word};
use crate::check::orders::Added;
use crate::check::outcome::Verdict;
use crate::driver::orders::{
    AddedExecution, ChosenOrders, FoundPlace, FoundSite, LitmusOrders, LitmusOrdersVerdict,
    OrdersOutcome, OrdersVerdict, OtherOrders, Undecided,
};
use crate::report::{codes, words};
use crate::strengthen::PlaceKind;
use base::code::Code;
use base::source::SourceMap;
use ir::program::PropertyKind;
use ir::sites::SiteKind;
use serde::Serialize;

/// The orders that were found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OrdersAnswer {
    /// `wmbmc`.
    pub tool: Word,
    /// Its version.
    pub version: Word,
    /// The path as given.
    pub input: String,
    /// Short names of the memory models, with commas.
    pub model: String,
    /// The verdict about the program with the chosen orders; without any, that with the strongest ones, or `UNKNOWN`.
    pub verdict: AnswerVerdict,
    /// The kind of what is reported, if anything is.
    pub code: Option<Code>,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// Why nothing was chosen, a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The program was wrong with its own orders.
    pub repair: bool,
    /// What the program's orders cost, and what the chosen ones do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<OrdersCost>,
    /// How many choices of orders were looked at.
    pub choices: usize,
    /// Other choices of which no order can be weaker, where they were wanted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherAnswer>,
    /// There are no more of these, up to the bounds of loops; false where none were wanted.
    pub others_complete: bool,
    /// How long it took.
    pub seconds: f64,
    /// Accesses and fences with an order, in the order of the text.
    pub sites: Vec<OrderedSite>,
    /// The change of the source, as a unified diff.
    pub diff: String,
    /// Changes that the diff does not have, in words.
    pub by_hand: Vec<String>,
    /// The changed text was read again, and is the program with these orders.
    pub read_again: bool,
}

/// Orders of which none can be weaker, beside those that were chosen.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OtherAnswer {
    /// Their weight.
    pub cost: f64,
    /// Where they differ from those that were chosen.
    pub sites: Vec<OtherSite>,
}

/// A site with another order than the one that was chosen.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OtherSite {
    /// Where.
    pub span: SourceRange,
    /// As of the sites.
    pub kind: &'static str,
    /// The order.
    pub order: Word,
}

/// The weights of a machine.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct OrdersCost {
    /// With the program's orders.
    pub before: f64,
    /// With the chosen ones.
    pub after: f64,
}

impl OrdersCost {
    /// Costs in thousandths.
    fn new((before, after): (u32, u32)) -> OrdersCost {
        let weight = |cost: u32| f64::from(cost / 1000);
        OrdersCost {
            before: weight(before),
            after: weight(after),
        }
    }
}

/// An access or a fence with an order.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OrderedSite {
    /// Where.
    pub span: SourceRange,
    /// What stands there, its first line.
    pub text: String,
    /// `load`, `store`, `update`, `success` or `failure` of a compare-exchange, `fence`, or `dependency`.
    pub kind: &'static str,
    /// The functions that it is in.
    pub functions: Vec<String>,
    /// Its order in the text; of a litmus test the instruction or the call, `none` where there is none.
    pub before: Word,
    /// Its order among the chosen ones, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Word>,
    /// It was to keep its order.
    pub kept: bool,
    /// It is a fence that is not in the text, behind the statement that ends here; of a litmus test a fence or a
    /// dependency behind this access.
    pub new: bool,
    /// What is violated with an order that is one step weaker than the chosen one.
    pub needed: Vec<WeakerOrder>,
    /// What the chosen order allows that the one in the text does not, where that was to be explained.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<AddedAnswer>,
}

/// What a weaker order allows on a model.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AddedAnswer {
    /// The model.
    pub model: String,
    /// An execution that is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<Execution>,
    /// There is none, or none was found.
    pub complete: bool,
}

/// What is violated with a weaker order.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WeakerOrder {
    /// The order; of a litmus test the instruction or the call.
    pub order: Word,
    /// The model.
    pub model: String,
    /// The kind of property; `condition` of a litmus test.
    pub kind: &'static str,
    /// The property, or the variable that it is about; the condition of a litmus test.
    pub what: String,
    /// Where.
    pub places: Vec<SourceRange>,
}

impl OrdersAnswer {
    /// The answer that an outcome is.
    pub fn new(
        sources: &SourceMap,
        input: &str,
        outcome: &OrdersOutcome,
        exit_code: u8,
    ) -> OrdersAnswer {
        let chosen = match &outcome.verdict {
            OrdersVerdict::Chosen(chosen) => Some(&**chosen),
            OrdersVerdict::NotEnough { .. } | OrdersVerdict::Undecided(_) => None,
        };
        let (verdict, code, reason) = verdict(outcome);
        let edited = chosen.map(|chosen| &chosen.edited);
        let files = edited.iter().flat_map(|edited| &edited.files);
        let by_hand = edited.iter().flat_map(|edited| &edited.by_hand);
        OrdersAnswer {
            tool: TOOL,
            version: VERSION,
            input: input.to_string(),
            model: outcome.models.join(","),
            verdict,
            code,
            exit_code,
            reason,
            repair: chosen.is_some_and(|chosen| chosen.is_repair),
            cost: chosen.map(|chosen| OrdersCost::new(chosen.cost)),
            choices: outcome.choices,
            others: outcome.others.iter().map(|o| other(sources, o)).collect(),
            others_complete: outcome.has_all,
            seconds: outcome.seconds,
            sites: {
                let sites = outcome.sites.iter();
                sites.map(|s| site(sources, s, &outcome.added)).collect()
            },
            diff: files.map(|file| file.diff.as_str()).collect(),
            by_hand: by_hand.map(|(_, change)| change.clone()).collect(),
            read_again: edited.is_some_and(|edited| edited.is_read_again),
        }
    }
}

impl OrdersAnswer {
    /// The answer about a litmus test.
    pub fn of_litmus(
        sources: &SourceMap,
        input: &str,
        found: &LitmusOrders,
        exit_code: u8,
    ) -> OrdersAnswer {
        let (verdict, code, reason) = litmus_verdict(found);
        let chosen = match &found.verdict {
            LitmusOrdersVerdict::Chosen(chosen) => Some(chosen),
            LitmusOrdersVerdict::NotEnough(_) | LitmusOrdersVerdict::Undecided(..) => None,
        };
        let file = chosen.and_then(|chosen| chosen.file.as_ref());
        let places = found.places.iter();
        OrdersAnswer {
            tool: TOOL,
            version: VERSION,
            input: input.to_string(),
            model: found.models.join(","),
            verdict,
            code,
            exit_code,
            reason,
            repair: chosen.is_some_and(|chosen| chosen.is_repair),
            cost: chosen.map(|chosen| OrdersCost::new(chosen.cost)),
            choices: found.choices,
            others: Vec::new(),
            others_complete: false,
            seconds: found.seconds,
            sites: places
                .map(|p| place(sources, &found.condition, p))
                .collect(),
            diff: file.map_or(String::new(), |file| file.diff.clone()),
            by_hand: Vec::new(),
            read_again: file.is_some(),
        }
    }
}

fn litmus_verdict(found: &LitmusOrders) -> (AnswerVerdict, Option<Code>, Option<String>) {
    let condition = &found.condition;
    match &found.verdict {
        LitmusOrdersVerdict::Chosen(chosen) if chosen.is_bounded => {
            (AnswerVerdict::SafeUpToBound, Some(Code::BoundReached), None)
        }
        LitmusOrdersVerdict::Chosen(_) => (AnswerVerdict::Safe, None, None),
        LitmusOrdersVerdict::NotEnough(model) => {
            let reason = format!(
                "with the strongest orders and fences, too, `{condition}` holds in an execution on {model}"
            );
            let code = codes::of_property(PropertyKind::Assertion);
            (AnswerVerdict::Unsafe, Some(code), Some(reason))
        }
        LitmusOrdersVerdict::Undecided(model, reason) => {
            let text = format!("on {model}: {}", words::unknown(reason));
            let code = codes::of_unknown(reason);
            (AnswerVerdict::Unknown, Some(code), Some(text))
        }
    }
}

/// A place of a litmus test.
fn place(sources: &SourceMap, condition: &str, found: &FoundPlace) -> OrderedSite {
    let shown = |text: &String| match text.as_str() {
        "" => Word::Borrowed("none"),
        text => Word::Owned(text.to_string()),
    };
    let needed = found.needed.iter().map(|(weaker, model)| WeakerOrder {
        order: shown(weaker),
        model: model.clone(),
        kind: "condition",
        what: condition.to_string(),
        places: Vec::new(),
    });
    OrderedSite {
        span: SourceRange::of(sources, found.span),
        text: sources.snippet(found.span).to_string(),
        kind: match found.kind {
            PlaceKind::Load => "load",
            PlaceKind::Store => "store",
            PlaceKind::Update => "update",
            PlaceKind::New if found.is_dependency => "dependency",
            PlaceKind::Fence | PlaceKind::New => "fence",
        },
        functions: vec![found.thread.clone()],
        before: shown(&found.before),
        after: found.chosen.as_ref().map(shown),
        kept: found.is_kept,
        new: found.kind == PlaceKind::New,
        needed: needed.collect(),
        added: Vec::new(),
    }
}

/// The verdict, its code, and why nothing was chosen.
fn verdict(outcome: &OrdersOutcome) -> (AnswerVerdict, Option<Code>, Option<String>) {
    match &outcome.verdict {
        OrdersVerdict::Chosen(chosen) => {
            let (verdict, code) = of_chosen(chosen);
            (verdict, code, None)
        }
        OrdersVerdict::NotEnough { model, outcome } => match &outcome.result.verdict {
            Verdict::Unsafe(found) => {
                let text = words::violation(found);
                let reason = format!("with the strongest orders, too, on {model}: {text}");
                let code = codes::of_property(found.property.kind);
                (AnswerVerdict::Unsafe, Some(code), Some(reason))
            }
            _ => {
                let reason = format!("the strongest orders do not suffice on {model}");
                let code = Some(Code::SearchGivesUp);
                (AnswerVerdict::Unknown, code, Some(reason))
            }
        },
        OrdersVerdict::Undecided(why) => {
            let (code, reason) = match why {
                Undecided::Search(reason) => (codes::of_unknown(reason), words::unknown(reason)),
                Undecided::Check(model, reason) => {
                    let text = words::unknown(reason);
                    let text = format!("the program with the orders found, on {model}: {text}");
                    (codes::of_unknown(reason), text)
                }
                Undecided::Beyond(model) => {
                    let text = format!(
                        "beyond the bounds of the search the orders found do not suffice on {model}: raise --unwind"
                    );
                    (Code::BoundReached, text)
                }
            };
            (AnswerVerdict::Unknown, Some(code), Some(reason))
        }
    }
}

fn of_chosen(chosen: &ChosenOrders) -> (AnswerVerdict, Option<Code>) {
    let mut verdicts = chosen
        .outcomes
        .iter()
        .map(|outcome| &outcome.result.verdict);
    match verdicts.any(|v| matches!(v, Verdict::SafeUpToBound(_))) {
        true => (AnswerVerdict::SafeUpToBound, Some(Code::BoundReached)),
        false => (AnswerVerdict::Safe, None),
    }
}

fn other(sources: &SourceMap, other: &OtherOrders) -> OtherAnswer {
    let sites = other.differing.iter().map(|(site, order)| OtherSite {
        span: SourceRange::of(sources, site.span),
        kind: kind(site.kind),
        order: words::order(*order).into(),
    });
    OtherAnswer {
        cost: f64::from(other.cost / 1000),
        sites: sites.collect(),
    }
}

fn kind(kind: SiteKind) -> &'static str {
    match kind {
        SiteKind::Load => "load",
        SiteKind::Store => "store",
        SiteKind::Update => "update",
        SiteKind::Success => "success",
        SiteKind::Failure => "failure",
        SiteKind::Fence => "fence",
    }
}

fn added_at(sources: &SourceMap, added: &AddedExecution) -> AddedAnswer {
    AddedAnswer {
        model: added.model.clone(),
        execution: match &added.added {
            Added::Execution(trace) => Some(Execution::of(sources, trace)),
            Added::Nothing(_) | Added::Unknown(_) => None,
        },
        complete: !matches!(added.added, Added::Unknown(_)),
    }
}

fn site(sources: &SourceMap, found: &FoundSite, added: &[AddedExecution]) -> OrderedSite {
    let span = found.site.span;
    let added = added.iter().filter(|added| added.site == found.site);
    let needed = found.needed.iter().map(|needed| WeakerOrder {
        order: words::order(needed.weaker).into(),
        model: needed.model.clone(),
        kind: needed.violated.kind.name(),
        what: needed.violated.what.clone(),
        places: {
            let places = needed.violated.places.iter();
            places.map(|span| SourceRange::of(sources, *span)).collect()
        },
    });
    let text = sources.snippet(span).lines().next().unwrap_or_default();
    OrderedSite {
        span: SourceRange::of(sources, span),
        text: text.trim_end().to_string(),
        kind: kind(found.site.kind),
        functions: found.functions.clone(),
        before: words::order(found.before).into(),
        after: found.chosen.map(|order| words::order(order).into()),
        kept: found.is_kept,
        new: found.is_new,
        needed: needed.collect(),
        added: added.map(|added| added_at(sources, added)).collect(),
    }
}
