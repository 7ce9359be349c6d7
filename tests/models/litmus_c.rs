//! Both engines against recorded answers to tests in C, on C11's model and on that of the Linux kernel.
//!
//! For some tests the table has what herd7 counts: in how many executions the condition holds, and in how
//! many it does not. For others it has what Dartagnan's tables say of the condition. Enumeration must agree
//! with either, and the solver must find the final states that enumeration finds.
//!
//! Of each model one in [`SAMPLE`] tests is taken; `WMBMC_LITMUS=all` takes all of them, and
//! `WMBMC_LITMUS=<text>` those whose path contains a text. Tests that are not supported are counted, and
//! `-- --nocapture` names them.

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use support::Missing;
use support::litmus::{Counts, enumerated, has_loop, outcomes, read, solved};
use wmbmc::cat;
use wmbmc::ir::litmus::{LitmusTest, Quantifier};
use wmbmc::ir::program::Op;

/// One in so many tests is looked at.
const SAMPLE: usize = 10;

/// Tests that may be refused, of a hundred.
const REFUSED: usize = 3;

/// Tests of more threads than this are compared by their conditions alone.
const MANY_THREADS: usize = 8;

struct Recorded {
    path: String,
    file: PathBuf,
    /// What herd7 counts, and its word for it.
    herd: Option<(String, Counts)>,
    /// Whether the condition is reachable (`exists`), or holds (`~exists`, `forall`).
    expected: Option<bool>,
}

/// The rows of the table for a model; `None` where the table is absent.
fn recorded(model: &str) -> Option<Vec<Recorded>> {
    let folder = support::data().join("litmus-more");
    let text = std::fs::read_to_string(folder.join("verdicts.csv")).ok()?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next()?.split(',').collect();
    let column = |name: &str| head.iter().position(|h| *h == name);
    let (file, of) = (column("file")?, column("model")?);
    let (word, yes, no) = (column("observation")?, column("pos")?, column("neg")?);
    let expected = column("dat3m_expected")?;
    let mut out = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[of] != model {
            continue;
        }
        let number = |at: usize| cells[at].parse::<u64>().ok();
        out.push(Recorded {
            path: cells[file].to_string(),
            file: folder.join(cells[file]),
            herd: number(yes)
                .zip(number(no))
                .map(|c| (cells[word].to_string(), c)),
            expected: number(expected).map(|e| e == 1),
        });
    }
    Some(out)
}

/// What both engines say of a test.
enum Outcome {
    AsRecorded,
    /// Of the solver alone: values may come out of thin air, which enumeration does not find.
    Unfounded,
    Differs(String),
    /// Why it is not supported.
    Refused(String),
}

/// herd's word for the counts.
fn observation((yes, no): Counts) -> &'static str {
    match (yes, no) {
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    }
}

/// Whether enumeration and solver are compared by all final states. Tests of many threads have thousands, and
/// the solver's search for each next one takes longer than the one before; they are compared by what can
/// become of the condition.
fn has_few_states(test: &LitmusTest) -> bool {
    let spawns = |op: &Op| matches!(op, Op::Spawn { .. });
    let bodies = test.program.procs.iter().flat_map(|p| p.body.iter());
    bodies.filter(|i| spawns(&i.op)).count() <= MANY_THREADS
}

fn judged(row: &Recorded, model: &str) -> Outcome {
    let (sources, test) = match read(&row.file) {
        Ok(read) => read,
        Err(reason) => return Outcome::Refused(reason),
    };
    // Flags are compared apart, on all tests.
    let mut model = cat::builtin(model).expect("the model is built in");
    model.flags.clear();
    let models = [model];
    let (program, condition) = (&test.program, &test.final_condition);
    let (yes, no) = match outcomes(&sources, program, condition, &models[0]) {
        Ok(outcomes) => outcomes,
        Err(reason) => return Outcome::Differs(format!("solver: {reason}")),
    };
    let mut is_founded = true;
    match enumerated(&test, &models) {
        Ok(one) => {
            let (found, states) = &one[0];
            if (found.0 > 0, found.1 > 0) != (yes, no) {
                return Outcome::Differs(format!("enumerated {found:?}, solved {yes} {no}"));
            }
            if let Some((word, expected)) = &row.herd
                && (observation(*found) != word || (!has_loop(program) && found != expected))
            {
                return Outcome::Differs(format!("{found:?}, recorded is {word} {expected:?}"));
            }
            if has_few_states(&test) {
                match solved(&sources, program, condition, &models) {
                    Ok(two) if two[0] == *states => {}
                    two => {
                        return Outcome::Differs(format!("enumerated {states:?}, solved {two:?}"));
                    }
                }
            }
        }
        // What the enumeration cannot find it says; then the solver answers alone.
        Err(reason) if reason.contains("only justify each other") => is_founded = false,
        Err(reason) => return Outcome::Differs(format!("enumeration: {reason}")),
    }
    if let Some((word, _)) = &row.herd
        && observation((yes.into(), no.into())) != word
    {
        return Outcome::Differs(format!("solved {yes} {no}, recorded is {word}"));
    }
    let holds = match condition.quantifier {
        Quantifier::Exists => yes,
        Quantifier::NotExists => !yes,
        Quantifier::Forall => !no,
    };
    match row.expected {
        Some(expected) if expected != holds => {
            Outcome::Differs(format!("solved {yes} {no}, recorded is {expected}"))
        }
        _ if !is_founded => Outcome::Unfounded,
        _ => Outcome::AsRecorded,
    }
}

/// Compares the answers on a built-in model with those in the table's rows for `recorded_as`.
fn compare(recorded_as: &str, model: &str) {
    let Some(mut rows) = recorded(recorded_as) else {
        support::skipped(Missing::Data("litmus-more"));
        return;
    };
    let wanted = std::env::var("WMBMC_LITMUS").unwrap_or_default();
    if wanted.is_empty() {
        let step = if rows.len() < 200 { 1 } else { SAMPLE };
        rows = rows.into_iter().step_by(step).collect();
    } else if wanted != "all" {
        rows.retain(|row| row.path.contains(&wanted));
    }
    let judge = |row: &Recorded| (row.path.clone(), judged(row, model));
    let outcomes: Vec<_> = rows.par_iter().map(judge).collect();
    let (mut differing, mut refused) = (Vec::new(), 0);
    for (path, outcome) in &outcomes {
        match outcome {
            Outcome::AsRecorded => {}
            Outcome::Unfounded => {
                println!(
                    "skipped: {path} on {model}: enumeration, values may come out of thin air"
                );
                refused += 1;
            }
            Outcome::Differs(what) => differing.push(format!("{path}: {what}")),
            Outcome::Refused(reason) => {
                refused += 1;
                println!("skipped: {path} on {model}: {}", reason.trim());
            }
        }
    }
    println!("{model}: {} tests, {refused} skipped", outcomes.len());
    assert!(
        differing.is_empty(),
        "{} of {} tests differ on {model}:\n{}",
        differing.len(),
        outcomes.len(),
        differing.join("\n")
    );
    assert!(
        refused * 100 <= REFUSED * outcomes.len(),
        "{refused} of {} tests are refused on {model}",
        outcomes.len()
    );
}

#[test]
fn c11() {
    compare("RC11", "rc11");
}

#[test]
fn linux_kernel() {
    compare("LKMM", "lkmm");
}

/// The kernel's data races, as the column `dat3m_race_free` has them: the solver's flags on all tests.
#[test]
fn races_of_the_kernel() {
    let folder = support::data().join("litmus-more");
    let Ok(table) = std::fs::read_to_string(folder.join("verdicts.csv")) else {
        support::skipped(Missing::Data("litmus-more"));
        return;
    };
    let path = folder.join("LKMM").display().to_string();
    let run = support::wmbmc(["suite", &path, "--mm", "lkmm", "--format", "json"]);
    let mut found = BTreeMap::new();
    for line in String::from_utf8_lossy(&run.stdout).lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("a line is an object");
        let (Some(input), true) = (row["input"].as_str(), row["observation"].is_string()) else {
            continue;
        };
        let flags = row["flags"].as_array();
        let races = flags.is_some_and(|all| all.iter().any(|flag| flag == "data-race"));
        found.insert(input.to_string(), races);
    }
    let (mut compared, mut wrong) = (0, Vec::new());
    for row in table.lines().filter(|row| row.starts_with("LKMM/")) {
        let cells: Vec<&str> = row.split(',').collect();
        let input = folder.join(cells[0]).display().to_string();
        let (Some(races), Some(free)) = (found.get(&input), cells.last()) else {
            continue;
        };
        if !free.is_empty() {
            compared += 1;
            if *races == (*free == "1") {
                wrong.push(format!("{}: {races}, recorded is {free}", cells[0]));
            }
        }
    }
    println!("lkmm: races of {compared} tests");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 1900, "{compared} tests were compared");
}

/// Sections of SRCU and locks that are tried: threads and condition, whether it can hold, and the flags.
const KERNEL: [(&str, bool, &[&str]); 9] = [
    (
        "P0(struct srcu_struct *s, int *x, int *y) {
           int i = srcu_read_lock(s); int r0 = READ_ONCE(*x); int r1 = READ_ONCE(*y);
           srcu_read_unlock(s, i); }
         P1(struct srcu_struct *s, int *x, int *y) {
           WRITE_ONCE(*y, 1); synchronize_srcu_expedited(s); WRITE_ONCE(*x, 1); }
         exists (0:r0=1 /\\ 0:r1=0)",
        false,
        &[],
    ),
    // Another domain.
    (
        "P0(struct srcu_struct *s, int *x, int *y) {
           int i = srcu_read_lock(s); int r0 = READ_ONCE(*x); int r1 = READ_ONCE(*y);
           srcu_read_unlock(s, i); }
         P1(struct srcu_struct *t, int *x, int *y) {
           WRITE_ONCE(*y, 1); synchronize_srcu(t); WRITE_ONCE(*x, 1); }
         exists (0:r0=1 /\\ 0:r1=0)",
        true,
        &[],
    ),
    // A section that is handed over.
    (
        "P0(struct srcu_struct *s, int *x, int *i, int *f) {
           int r0 = srcu_down_read(s); WRITE_ONCE(*i, r0); int r1 = READ_ONCE(*x);
           smp_store_release(f, 1); }
         P1(struct srcu_struct *s, int *i, int *f, int *y) {
           int r2 = smp_load_acquire(f); int r3 = READ_ONCE(*y); int r4 = READ_ONCE(*i);
           srcu_up_read(s, r4); }
         P2(struct srcu_struct *s, int *x, int *y) {
           WRITE_ONCE(*x, 1); synchronize_srcu(s); WRITE_ONCE(*y, 1); }
         filter (1:r2=1) exists (0:r1=0 /\\ 1:r3=1)",
        false,
        &[],
    ),
    // The same where the second thread need not have seen that it is handed over.
    (
        "P0(struct srcu_struct *s, int *i) { int r0 = srcu_down_read(s); WRITE_ONCE(*i, r0); }
         P1(struct srcu_struct *s, int *i) { int r4 = READ_ONCE(*i); srcu_up_read(s, r4); }
         exists (1:r4=0)",
        true,
        &["unmatched-srcu-lock", "unmatched-srcu-unlock"],
    ),
    // Waiting in a section of one's own.
    (
        "P0(struct srcu_struct *s, int *x) {
           int i = srcu_read_lock(s); synchronize_srcu(s); srcu_read_unlock(s, i); int r0 = READ_ONCE(*x); }
         exists (0:r0=0)",
        false,
        &[],
    ),
    (
        "P0(struct srcu_struct *s) {
           int i = srcu_read_lock(s); srcu_read_unlock(s, i); srcu_read_unlock(s, i);
           int r0 = srcu_read_lock(s); srcu_read_unlock(s, r0 + 1); }
         exists (0:r0=0)",
        true,
        &["multiple-srcu-matches", "srcu-bad-value-match"],
    ),
    (
        "P0(struct srcu_struct *s, int *x, int *y) {
           int r0 = srcu_read_lock(s); WRITE_ONCE(*x, r0);
           if (r0 == 0) WRITE_ONCE(*y, 1); rcu_read_lock(); synchronize_srcu(s); rcu_read_unlock(); }
         P1(int *x) { int r1 = READ_ONCE(*x); }
         exists (1:r1=0)",
        true,
        &[
            "illegal-srcu-cookie-ctrl",
            "invalid-sleep",
            "suspicious-srcu-cookie-use",
            "unmatched-srcu-lock",
        ],
    ),
    (
        "P0(spinlock_t *s, int *x) {
           int r0 = spin_trylock(s); if (r0) { WRITE_ONCE(*x, 1); WRITE_ONCE(*x, 2); spin_unlock(s); } }
         P1(spinlock_t *s, int *x) {
           int r0 = spin_trylock(s); if (r0) { int r1 = READ_ONCE(*x); spin_unlock(s); } }
         exists (0:r0=1 /\\ 1:r0=1 /\\ 1:r1=1)",
        false,
        &[],
    ),
    // An attempt that fails orders nothing.
    (
        "P0(spinlock_t *s, int *x) { spin_lock(s); WRITE_ONCE(*x, 1); int r0 = spin_is_locked(s); }
         P1(spinlock_t *s, int *x) { int r1 = spin_trylock(s); int r2 = READ_ONCE(*x); }
         P2(spinlock_t *s, int *x) { int r3 = READ_ONCE(*x); int r4 = spin_is_locked(s); }
         exists (0:r0=1 /\\ 1:r1=0 /\\ 1:r2=0 /\\ 2:r3=1 /\\ 2:r4=0)",
        true,
        &[],
    ),
];

/// Both engines on `lkmm`, and where it is there the published text.
#[test]
fn srcu_and_locks_that_are_tried() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let published = support::data().join("litmus-more/cats-dat3m/linux-kernel.cat");
    let mut models = vec!["lkmm".to_string()];
    models.extend(published.exists().then(|| published.display().to_string()));
    for (i, (threads, expected, flags)) in KERNEL.iter().enumerate() {
        let file = folder.path().join(format!("{i}.litmus"));
        std::fs::write(&file, format!("C test\n{{}}\n{threads}\n")).expect("a file");
        let file = file.to_str().expect("UTF-8");
        for model in &models {
            for engine in ["sat", "enumerate"] {
                let run = support::wmbmc([file, "--mm", model, "--engine", engine]);
                let text = String::from_utf8_lossy(&run.stdout);
                let errors = String::from_utf8_lossy(&run.stderr);
                let word = if *expected { "\nOk\n" } else { "\nNo\n" };
                // Enumeration does not try values that only justify each other, and says so.
                let open =
                    engine == "enumerate" && text.contains("\nUnknown values that only justify");
                assert!(
                    text.contains(word) || open && !expected,
                    "{i} {model} {engine}: {text}{errors}"
                );
                let found = text.lines().filter_map(|line| line.strip_prefix("Flag "));
                let mut found: Vec<&str> = found.collect();
                found.sort_unstable();
                assert_eq!(found, *flags, "{i} {model} {engine}: {text}");
            }
        }
    }
}
