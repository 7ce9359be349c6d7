//! Both engines against the answers herd7 gave to recorded litmus tests.
//!
//! For each test and model the recorded table has the observation (`Always`, `Sometimes`, `Never`)
//! and in how many executions the condition holds and in how many it does not. Enumeration must find
//! the same observation and numbers, and the solver the same final states as enumeration. The table
//! is not part of the repository; the test is skipped where it is absent.
//!
//! Of the many tests that were made for a hardware campaign a sample is taken;
//! `WMBMC_LITMUS=all` takes all of them, and `WMBMC_LITMUS=<text>` those whose name contains a text.

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use support::Missing;
use support::litmus::{Counts, enumerated, has_loop, read, solved};
use wmbmc::cat;
use wmbmc::cat::model::Model;

/// One in so many tests of the campaign is looked at.
const SAMPLE: usize = 12;

struct Recorded {
    name: String,
    file: PathBuf,
    /// By model.
    expected: BTreeMap<&'static str, (String, Counts)>,
}

const COLUMNS: [(&str, &str); 7] = [
    ("SC", "sc"),
    ("TSO", "tso"),
    ("PSO", "pso"),
    ("RMO", "rmo"),
    ("ALPHA", "alpha"),
    ("POWER", "power"),
    ("POWER2010", "power2010"),
];

fn folder() -> PathBuf {
    support::data()
}

/// The rows of a table; `None` where it is absent.
fn recorded(table: &str) -> Option<Vec<Recorded>> {
    let text = std::fs::read_to_string(folder().join("litmus").join(table)).ok()?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next()?.split(',').collect();
    let column = |name: &str| head.iter().position(|h| *h == name);
    let (name, file) = (column("name")?, column("file")?);
    let mut out = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let mut expected = BTreeMap::new();
        for (heading, model) in COLUMNS {
            let at = column(heading)?;
            let number = |at: usize| cells[at].parse::<u64>().ok();
            if let (Some(yes), Some(no)) = (number(at + 1), number(at + 2)) {
                expected.insert(model, (cells[at].to_string(), (yes, no)));
            }
        }
        out.push(Recorded {
            name: cells[name].to_string(),
            file: folder().join(cells[file]),
            expected,
        });
    }
    Some(out)
}

fn observation((yes, no): Counts) -> &'static str {
    match (yes, no) {
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    }
}

/// What is wrong with the answers to a test, a line each.
fn judge(row: &Recorded) -> Vec<String> {
    judged(row).unwrap_or_else(|reason| vec![format!("{}: {reason}", row.name)])
}

fn judged(row: &Recorded) -> Result<Vec<String>, String> {
    let (sources, test) = read(&row.file)?;
    let names: Vec<&str> = row.expected.keys().copied().collect();
    let models: Vec<Model> = names.iter().filter_map(|n| cat::builtin(n)).collect();
    let one = enumerated(&test, &models).map_err(|e| format!("enumeration: {e}"))?;
    let two = solved(&sources, &test.program, &test.final_condition, &models)
        .map_err(|e| format!("solver: {e}"))?;
    let counted = !has_loop(&test.program);
    let mut wrong = Vec::new();
    for (model, ((found, states), solved)) in names.iter().zip(one.iter().zip(&two)) {
        let (word, expected) = &row.expected[model];
        if observation(*found) != word || (counted && found != expected) {
            wrong.push(format!(
                "{} on {model}: {} {found:?}, recorded is {word} {expected:?}",
                row.name,
                observation(*found)
            ));
        }
        if states != solved {
            wrong.push(format!(
                "{} on {model}: enumerated {states:?}, solved {solved:?}",
                row.name
            ));
        }
    }
    Ok(wrong)
}

#[test]
fn both_engines_answer_as_recorded() {
    let (Some(suite), Some(campaign)) =
        (recorded("verdicts.csv"), recorded("verdicts-campaign.csv"))
    else {
        support::skipped(Missing::Data("litmus"));
        return;
    };
    let wanted = std::env::var("WMBMC_LITMUS").unwrap_or_default();
    let step = if wanted.is_empty() { SAMPLE } else { 1 };
    let mut rows: Vec<Recorded> = suite;
    rows.extend(campaign.into_iter().step_by(step));
    if !wanted.is_empty() && wanted != "all" {
        rows.retain(|row| row.name.contains(&wanted));
    }
    let wrong: Vec<String> = rows.par_iter().flat_map_iter(judge).collect();
    assert!(
        wrong.is_empty(),
        "{} answers to {} tests differ:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

/// A test for `X86` as one for `X86_64`: the destination of an instruction last, and a size at its name.
fn in_the_syntax_of_att(text: &str) -> String {
    let registers = |text: &str| {
        let words = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "ESP"];
        words.iter().fold(text.to_string(), |text, word| {
            text.replace(word, &word.to_lowercase().replacen('e', "r", 1))
        })
    };
    let operand = |text: &str| {
        let text = text.trim();
        match text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            Some(place) if place.starts_with('E') => format!("(%{})", registers(place)),
            Some(place) => format!("({place})"),
            None if text.starts_with('E') => format!("%{}", text.to_lowercase()),
            None => format!("${}", text.trim_start_matches('$')),
        }
    };
    let cell = |cell: &str| {
        let cell = cell.trim();
        let (label, code) = match cell.split_once(':') {
            Some((label, code)) => (format!("{label}: "), code.trim()),
            None => (String::new(), cell),
        };
        let (lock, code) = match code.strip_prefix("LOCK ") {
            Some(code) => ("lock ", code.trim()),
            None => ("", code),
        };
        let code = match code.split_once(' ') {
            None => code.to_string(),
            Some((jump, to)) if jump.starts_with('J') => format!("{jump} {}", to.trim()),
            Some((name, operands)) => {
                let operands: Vec<String> = operands.split(',').rev().map(operand).collect();
                format!("{}l {}", name.to_lowercase(), operands.join(","))
            }
        };
        format!("{label}{lock}{code}")
    };
    let (mut out, mut in_code) = (String::new(), false);
    for line in text.lines() {
        let is_head = line.trim_start().starts_with("P0");
        let asks = ["exists", "forall", "final", "locations", "filter"];
        let first = line.trim_start_matches(['~', ' ']);
        in_code &= !asks.iter().any(|word| first.starts_with(word));
        if line.starts_with("X86 ") {
            out += &line.replacen("X86", "X86_64", 1);
        } else if in_code && line.contains(';') {
            let cells = line.trim_end().trim_end_matches(';').split('|').map(cell);
            out += &format!("{} ;", cells.collect::<Vec<_>>().join(" | "));
        } else {
            out += &registers(line);
        }
        out.push('\n');
        in_code |= is_head;
    }
    out
}

#[test]
fn tests_for_x86_64_answer_as_those_for_x86() {
    let Some(mut rows) = recorded("verdicts.csv") else {
        support::skipped(Missing::Data("litmus"));
        return;
    };
    let text = |row: &Recorded| std::fs::read_to_string(&row.file).expect("a test is UTF-8");
    rows.retain(|row| text(row).starts_with("X86 "));
    assert!(rows.len() >= 300, "{} tests", rows.len());
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    for row in &mut rows {
        let file = folder
            .path()
            .join(format!("{}.litmus", row.name.replace('/', "_")));
        std::fs::write(&file, in_the_syntax_of_att(&text(row))).expect("it can be written");
        row.file = file;
        row.expected
            .retain(|model, _| ["sc", "tso"].contains(model));
    }
    let wrong: Vec<String> = rows.par_iter().flat_map_iter(judge).collect();
    assert!(
        wrong.is_empty(),
        "{} answers to {} tests differ:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}
