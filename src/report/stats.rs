//! Measurements as a table, for `--stats`.

use super::answer::statistics::Statistics;
use std::fmt::Write;

/// Two columns: what, how much; sizes first, then seconds by stage and their sum. Of a stage that did not
/// end it is said.
pub fn table(stats: &Statistics) -> String {
    let mut rows: Vec<(String, String)> = vec![
        ("threads".into(), stats.threads.to_string()),
        ("events".into(), stats.events.to_string()),
        ("shared cells".into(), stats.cells.to_string()),
        ("read-from candidates".into(), stats.rf.to_string()),
        ("variables".into(), stats.variables.to_string()),
        ("clauses".into(), stats.clauses.to_string()),
    ];
    let parts = stats.parts.0.iter();
    rows.extend(
        parts.map(|(name, clauses)| (format!("  of {}", shortened(name)), clauses.to_string())),
    );
    rows.push(("conflicts".into(), stats.conflicts.to_string()));
    if !stats.strategy.is_empty() {
        rows.push(("strategy".into(), stats.strategy.clone()));
    }
    let explored = [
        ("executions", stats.executions),
        ("  blocked", stats.blocked),
    ];
    let explored = explored.into_iter();
    rows.extend(explored.filter_map(|(name, n)| Some((name.into(), n?.to_string()))));
    if stats.judged > 0 {
        rows.push(("candidates judged".into(), stats.judged.to_string()));
        rows.push(("clauses learnt".into(), stats.learnt.to_string()));
    }
    let reduced = [
        ("critical sections", stats.reduced.sections),
        ("pairs they order", stats.reduced.orders),
        ("reads they decide", stats.reduced.reads),
        ("edges they bring", stats.reduced.edges),
        ("reads that are sums", stats.reduced.sums),
        ("threads set in order", stats.reduced.symmetric),
    ];
    let some = reduced.into_iter().filter(|(_, n)| *n > 0);
    rows.extend(some.map(|(name, n)| (name.into(), n.to_string())));
    let seconds = stats.seconds.0.iter();
    rows.extend(seconds.map(|(stage, s)| (format!("{stage} (s)"), format!("{s:.3}"))));
    if let Some(stage) = &stats.unfinished {
        rows.push(("did not end".into(), stage.to_string()));
    }
    rows.push((
        "all stages (s)".into(),
        format!("{:.3}", stats.total_seconds()),
    ));
    rows.push(("peak memory (MiB)".into(), stats.peak_mb.to_string()));
    let left = rows.iter().map(|(l, _)| l.len()).max().unwrap_or(0);
    let right = rows.iter().map(|(_, r)| r.len()).max().unwrap_or(0);
    rows.iter().fold(String::new(), |mut out, (name, number)| {
        let _ = writeln!(out, "  {name:left$}  {number:>right$}");
        out
    })
}

/// The text of a relation may be long.
fn shortened(name: &str) -> String {
    const MOST: usize = 40;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::outcome::UnknownReason;
    use crate::report::sample;

    #[test]
    fn numbers_stand_below_each_other() {
        let stats = sample::store_buffering().1.stats;
        let table = table(&Statistics::of(&stats, Some(&UnknownReason::Interrupted)));
        assert!(table.contains("  did not end           solve\n"), "{table}");
        assert!(table.contains("  events                    6\n"), "{table}");
        assert!(table.contains("  all stages (s)        0.251\n"), "{table}");
    }
}
