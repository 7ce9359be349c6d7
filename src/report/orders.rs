//! The memory orders that a program needs.
//!
//! ```text
//! SAFE with weaker orders at 2 of 4 places (cost 6 -> 2; 3 choices looked at)
//!   mp.c:7   store  seq_cst -> release  relaxed: `data == 1` is violated in line 14 on rc11
//!   mp.c:12  load   seq_cst -> acquire  relaxed: `data == 1` is violated in line 14 on rc11
//! --- a/mp.c
//! +++ b/mp.c
//! …
//! ```

use super::answer::orders::{OrderedSite, OrdersAnswer, WeakerOrder};
use super::answer::place::SourceRange;
use super::text::{self, Detail, Style, paint};
use super::words;
use crate::check::orders::Added;
use crate::driver::orders::AddedExecution;
use base::source::SourceMap;
use std::fmt::Write as _;

/// The whole block, with a final line break.
pub fn text(answer: &OrdersAnswer, style: Style) -> String {
    let mut out = match style.heading {
        true => format!("{} ({})\n", answer.input, answer.model),
        false => String::new(),
    };
    out += &paint(&line(answer), answer.verdict, style.color);
    out.push('\n');
    if style.detail == Detail::Quiet {
        return out;
    }
    out += &sites(&answer.sites);
    for other in &answer.others {
        let orders = other.sites.iter();
        let orders = orders.map(|s| format!("{} {} {}", s.span.location(), s.kind, s.order));
        let orders: Vec<String> = orders.collect();
        let _ = writeln!(out, "or (cost {}): {}", other.cost, orders.join(", "));
    }
    if !answer.others.is_empty() && !answer.others_complete {
        out += "there may be other choices: a limit ended the search for them\n";
    }
    out += &answer.diff;
    for change in &answer.by_hand {
        let _ = writeln!(out, "to change by hand: {change}");
    }
    if !answer.diff.is_empty() && !answer.read_again {
        out += "the changed text was not read again: it is more than one file\n";
    }
    out
}

/// What a weaker order allows that the one in the text does not.
pub fn added(sources: &SourceMap, added: &AddedExecution) -> String {
    let at = sources.location(added.site.span);
    let (chosen, before) = (words::order(added.chosen), words::order(added.before));
    let model = &added.model;
    match &added.added {
        Added::Execution(trace) => {
            let shown = text::execution(sources, trace, None, Detail::Normal);
            format!(
                "{at}: {chosen} allows this on {model}, which {before} does not, and nothing is violated\n\n{shown}"
            )
        }
        Added::Nothing(all) => format!(
            "{at}: {chosen} allows nothing on {model} that {before} does not, in {all} executions\n"
        ),
        Added::Unknown(seen) => format!(
            "{at}: of {seen} executions on {model} none is allowed with {chosen} alone; there may be others\n"
        ),
    }
}

fn line(answer: &OrdersAnswer) -> String {
    let verdict = answer.verdict.in_text();
    if let Some(reason) = &answer.reason {
        return format!("{verdict}: {reason}");
    }
    let changed = answer.sites.iter().filter(|site| is_changed(site)).count();
    let all = answer.sites.len();
    let orders = match (changed, answer.repair) {
        (0, _) => format!("with the orders that it has, at {all} places"),
        (n, true) => {
            let new = |kind: &str| {
                let all = answer.sites.iter();
                all.filter(|site| site.new && site.kind == kind).count()
            };
            let (fences, dependencies) = (new("fence"), new("dependency"));
            let mut parts = Vec::new();
            match (n - fences - dependencies, fences + dependencies) {
                (0, _) => {}
                (n, 0) => parts.push(format!("stronger orders at {n} of {all} places")),
                (n, _) => parts.push(format!("stronger orders at {n} places")),
            }
            parts.extend(counted(fences, "new fence", "new fences"));
            parts.extend(counted(dependencies, "new dependency", "new dependencies"));
            format!("with {}", parts.join(" and "))
        }
        (n, false) => format!("with weaker orders at {n} of {all} places"),
    };
    let cost = answer.cost.map_or(String::new(), |cost| {
        format!("cost {} -> {}; ", cost.before, cost.after)
    });
    let choices = match answer.choices {
        1 => "1 choice".to_string(),
        n => format!("{n} choices"),
    };
    format!("{verdict} {orders} ({cost}{choices} looked at)")
}

fn counted(n: usize, one: &str, several: &str) -> Option<String> {
    match n {
        0 => None,
        1 => Some(format!("a {one}")),
        n => Some(format!("{n} {several}")),
    }
}

fn is_changed(site: &OrderedSite) -> bool {
    site.after
        .as_ref()
        .is_some_and(|after| *after != site.before)
}

/// A line for each site.
fn sites(all: &[OrderedSite]) -> String {
    let orders = |site: &OrderedSite| match site.after.as_deref() {
        Some(after) if site.new => format!("new: {after}"),
        _ if site.kept => format!("{} (kept)", site.before),
        Some("relaxed") if site.kind == "fence" && is_changed(site) => {
            format!("{} -> none", site.before)
        }
        Some(after) if is_changed(site) => format!("{} -> {after}", site.before),
        _ => site.before.to_string(),
    };
    let places: Vec<String> = all.iter().map(|site| site.span.location()).collect();
    let place = places.iter().map(String::len).max().unwrap_or(0);
    let width = all.iter().map(|site| orders(site).len()).max().unwrap_or(0);
    let kind = all.iter().map(|site| site.kind.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (site, at) in all.iter().zip(&places) {
        let needed: Vec<String> = site.needed.iter().map(|n| why(site, n)).collect();
        let line = format!(
            "  {at:place$}  {:kind$}  {:width$}  {}",
            site.kind,
            orders(site),
            needed.join("; ")
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// What is violated with a weaker order.
fn why(site: &OrderedSite, needed: &WeakerOrder) -> String {
    let place = |at: &SourceRange| match at.file == site.span.file {
        true => format!("line {}", at.line),
        false => at.location(),
    };
    let places: Vec<String> = needed.places.iter().map(place).collect();
    let (order, model, name) = (&needed.order, &needed.model, &needed.what);
    let what = match (needed.kind, places.as_slice()) {
        ("race", [a, b]) => format!("race on `{name}` between {a} and {b}"),
        (_, [a, b]) => format!("`{name}` is accessed in {a} and ended in {b}"),
        (_, [at]) => format!("`{name}` is violated in {at}"),
        ("condition", _) => format!("`{name}` holds"),
        ("robust", _) => "not robust".to_string(),
        (kind, _) => kind.to_string(),
    };
    format!("{order}: {what} on {model}")
}
