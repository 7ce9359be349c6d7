//! A proof that has been corrupted is refused, unless it is still one: seeded corruptions of bundles, of
//! the formula, the graph, the model and the solver's proof; and formulas with wrong clauses, whose
//! proofs are right.

use flate2::read::GzDecoder;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use support::{Random, root};
use wmbmc::base::source::SourceMap;
use wmbmc::cat;
use wmbmc::cat::model::Model;
use wmbmc::proof::bundle::{self, BundleError, Checked, Parts};
use wmbmc::proof::formula::{Formula, formula};
use wmbmc::proof::gates::Rule;
use wmbmc::proof::graph::{Graph, Term};
use wmbmc::proof::learnt::Learnt;
use wmbmc::proof::lrat;
use wmbmc::smt::sat::proof::prove;
use wmbmc::smt::sat::{Cadical, SatResult, Solver};

/// A bundle in memory.
#[derive(Clone)]
struct Bundle {
    graph: Graph,
    /// The file that is the model, and its text with what it includes.
    model: Vec<(String, String)>,
    learnt: Learnt,
    formula: String,
    rules: String,
    proof: String,
}

/// Makes a bundle; the options are those of the command line.
fn bundle(args: &[&str]) -> Bundle {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("proof");
    let shown = path.to_str().expect("a path");
    let mut command = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    let output = command.current_dir(root()).args(args);
    let output = output.args(["--quiet", "--proof", shown]).output();
    let output = output.expect("the binary runs");
    assert!(
        path.exists(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stdout)
    );
    read(&path)
}

fn read(path: &Path) -> Bundle {
    let text = |file: &str| std::fs::read_to_string(path.join(file)).expect("it is there");
    let packed = |file: &str| {
        let mut out = String::new();
        let file = std::fs::File::open(path.join(file)).expect("it is there");
        GzDecoder::new(file)
            .read_to_string(&mut out)
            .expect("it is packed text");
        out
    };
    let claim: bundle::Claim = serde_json::from_str(&text(bundle::CLAIM)).expect("a claim");
    let mut model = vec![(claim.model.clone(), text(&format!("model/{}", claim.model)))];
    for file in std::fs::read_dir(path.join(bundle::MODEL)).expect("a directory") {
        let name = file
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("a name");
        if name != claim.model {
            model.push((name.clone(), text(&format!("model/{name}"))));
        }
    }
    Bundle {
        graph: serde_json::from_str(&text(bundle::GRAPH)).expect("a graph"),
        model,
        learnt: serde_json::from_str(&text(bundle::LEARNT)).expect("reasons"),
        formula: packed(bundle::FORMULA),
        rules: packed(bundle::RULES),
        proof: packed(bundle::PROOF),
    }
}

/// The model of a bundle, if its text is one.
fn model(bundle: &Bundle) -> Option<Model> {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in &bundle.model {
        std::fs::write(directory.path().join(name), text).expect("written");
    }
    let mut sources = SourceMap::default();
    cat::load(&mut sources, &directory.path().join(&bundle.model[0].0)).ok()
}

fn check(bundle: &Bundle, model: &Model) -> Result<Checked, BundleError> {
    let parts = Parts {
        graph: &bundle.graph,
        model,
        learnt: &bundle.learnt,
        formula: &mut bundle.formula.as_bytes(),
        rules: &mut bundle.rules.as_bytes(),
        proof: &mut bundle.proof.as_bytes(),
    };
    bundle::check(parts, &|_| false)
}

/// What the graph and the model of a bundle say, found by solving; with all axioms written down.
fn is_safe(bundle: &Bundle, model: &Model) -> bool {
    let made = formula(&bundle.graph, model, &Learnt::default(), &|_| false).expect("a formula");
    let mut solver = Cadical::new(Rc::new(|| false));
    solver.add(&made.flat);
    solver.solve(&[]) == SatResult::Unsat
}

/// Corrupts a bundle in one way; false where there is nothing of the kind.
fn corrupt(bundle: &mut Bundle, kind: usize, random: &mut Random) -> bool {
    match kind {
        0 => change_line(&mut bundle.formula, random, |_, _| None),
        1 => change_line(&mut bundle.formula, random, flipped),
        2 => change_line(&mut bundle.proof, random, |_, _| None),
        3 => change_line(&mut bundle.proof, random, flipped),
        4 => change_line(&mut bundle.proof, random, |line, random| {
            // A hint of the line, from behind its literals.
            let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
            let zero = words.iter().position(|w| w == "0")?;
            let at = zero + 1 + random.below(words.len().saturating_sub(zero + 2).max(1));
            let hint: u64 = words.get(at)?.parse().ok()?;
            words[at] = (hint + 1).to_string();
            Some(words.join(" "))
        }),
        5 => {
            // The model loses an axiom.
            let lines: Vec<(usize, usize)> = bundle
                .model
                .iter()
                .enumerate()
                .flat_map(|(i, (_, text))| {
                    let axiom = |l: &str| {
                        let kinds = ["acyclic", "irreflexive", "empty"];
                        kinds.iter().any(|k| l.trim_start().starts_with(k))
                    };
                    let lines = text.lines().enumerate();
                    lines
                        .filter(move |(_, l)| axiom(l))
                        .map(move |(j, _)| (i, j))
                })
                .collect();
            let Some((file, line)) = lines.get(random.below(lines.len().max(1))) else {
                return false;
            };
            let text = &mut bundle.model[*file].1;
            let kept = text.lines().enumerate().filter(|(j, _)| j != line);
            *text = kept.map(|(_, l)| format!("{l}\n")).collect();
            true
        }
        6 => {
            // An event loses its place in program order to the next one.
            let thread = random.below(bundle.graph.threads.len());
            let events = &mut bundle.graph.threads[thread].events;
            if events.len() < 2 {
                return false;
            }
            let at = random.below(events.len() - 1);
            events.swap(at, at + 1);
            true
        }
        7 => {
            let at = random.below(bundle.graph.events.len());
            let event = &mut bundle.graph.events[at];
            let deps = [
                &mut event.ctrl_deps,
                &mut event.data_deps,
                &mut event.addr_deps,
            ];
            let mut deps = deps.into_iter().filter(|d| !d.is_empty());
            match deps.next() {
                Some(deps) => deps.pop().is_some(),
                None => std::mem::take(&mut event.rmw).is_some(),
            }
        }
        8 => {
            let terms = bundle.graph.terms.len();
            match &mut bundle.graph.terms[random.below(terms)] {
                (width, Term::Const(value)) => {
                    *value ^= 1 << random.below(usize::from(*width));
                    true
                }
                (_, Term::Op(_, a, b)) if a != b => {
                    std::mem::swap(a, b);
                    true
                }
                _ => false,
            }
        }
        9 => {
            let at = random.below(bundle.graph.events.len());
            let event = &mut bundle.graph.events[at];
            match event.tags.is_empty() {
                true => std::mem::take(&mut event.group).is_some(),
                false => {
                    event.tags.clear();
                    true
                }
            }
        }
        10 => {
            let joins = bundle.graph.joins.len();
            joins > 0 && {
                bundle.graph.joins.remove(random.below(joins));
                true
            }
        }
        11 => change_line(&mut bundle.rules, random, |_, _| None),
        _ => corrupt_reasons(&mut bundle.learnt, kind - 12, random),
    }
}

/// Changes one reason, or which axioms are left out.
fn corrupt_reasons(learnt: &mut Learnt, kind: usize, random: &mut Random) -> bool {
    let number = learnt.reasons.len();
    if number == 0 {
        return false;
    }
    let at = random.below(number);
    let other = learnt.reasons[random.below(number)].clone();
    let reason = &mut learnt.reasons[at];
    match kind {
        // It lacks a fact.
        0 => {
            let pairs = reason.pairs.len();
            pairs > 0 && {
                reason.pairs.remove(random.below(pairs));
                true
            }
        }
        // It lacks an event.
        1 => {
            reason.events.remove(random.below(reason.events.len()));
            true
        }
        // An edge goes somewhere else.
        2 => match (reason.pairs.last_mut(), other.events.first()) {
            (Some((_, _, to)), Some(event)) if to != event => {
                *to = *event;
                reason.events.push(*event);
                true
            }
            _ => false,
        },
        // It is turned round.
        3 => match reason.pairs.last_mut() {
            Some((_, from, to)) => {
                std::mem::swap(from, to);
                true
            }
            None => false,
        },
        4 => {
            learnt.axioms.remove(random.below(learnt.axioms.len()));
            true
        }
        _ => {
            learnt.reasons.remove(at);
            true
        }
    }
}

fn change_line(
    text: &mut String,
    random: &mut Random,
    change: impl Fn(&str, &mut Random) -> Option<String>,
) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let at = random.below(lines.len().max(1));
    let mut out = String::with_capacity(text.len());
    for (i, line) in lines.iter().enumerate() {
        let changed = match i == at {
            true => change(line, random),
            false => Some((*line).to_string()),
        };
        if let Some(line) = changed {
            out += &line;
            out.push('\n');
        }
    }
    let differs = out != *text;
    *text = out;
    differs
}

/// A number of the line, but for the zeros that end something, negated.
fn flipped(line: &str, random: &mut Random) -> Option<String> {
    let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
    let at = random.below(words.len());
    match words[at].parse::<i64>() {
        Ok(0) | Err(_) => {}
        Ok(number) => words[at] = (-number).to_string(),
    }
    Some(words.join(" "))
}

#[test]
fn two_thousand_corruptions() {
    let bundles = [
        bundle(&["benchmarks/peterson.c", "--mm", "tso", "-DFENCE_STORES"]),
        bundle(&["benchmarks/message_passing.c", "--mm", "tso"]),
        bundle(&["benchmarks/cas_lock.c", "--mm", "power"]),
        bundle(&["benchmarks/cas_lock.c", "--mm", "rmo"]),
        bundle(&[
            "benchmarks/bakery.c",
            "--mm",
            "power",
            "-DFENCE_ALL",
            "--unwind",
            "1",
        ]),
        bundle(&["litmus/x86/SB+mfences.litmus", "--mm", "tso"]),
    ];
    let mut random = Random::new(1);
    let (mut made, mut refused, mut still_safe) = (0, 0, 0);
    while made < 2000 {
        let mut changed = bundles[random.below(bundles.len())].clone();
        let kind = random.below(18);
        if !corrupt(&mut changed, kind, &mut random) {
            continue;
        }
        made += 1;
        let Some(model) = model(&changed) else {
            refused += 1;
            continue;
        };
        match check(&changed, &model) {
            Err(_) => refused += 1,
            // It must be a proof all the same, of the graph and model as they are now.
            Ok(_) => {
                assert!(is_safe(&changed, &model), "corruption {kind} is accepted");
                still_safe += 1;
            }
        }
    }
    println!("{made} corruptions: {refused} refused, {still_safe} still proofs");
    assert!(refused > made / 2);
}

/// A change of a formula: of the clauses of a rule the literal that is left out, or what is added.
type Wrong = (&'static str, Rule, fn(usize, &[i32]) -> Vec<Vec<i32>>);

fn without_last(_: usize, clause: &[i32]) -> Vec<Vec<i32>> {
    vec![clause[..clause.len() - 1].to_vec()]
}

fn without_first(_: usize, clause: &[i32]) -> Vec<Vec<i32>> {
    vec![clause[1..].to_vec()]
}

fn both_ways(_: usize, clause: &[i32]) -> Vec<Vec<i32>> {
    vec![clause.to_vec(), clause.iter().map(|l| -l).collect()]
}

fn negated(_: usize, clause: &[i32]) -> Vec<Vec<i32>> {
    vec![clause.iter().map(|l| -l).collect()]
}

fn every_second_without_last(i: usize, clause: &[i32]) -> Vec<Vec<i32>> {
    match i % 2 {
        0 => without_last(i, clause),
        _ => vec![clause.to_vec()],
    }
}

/// The wrong encodings: each makes clauses of a rule say too much.
const WRONG: [Wrong; 20] = [
    ("gates without their last literal", Rule::Gate, without_last),
    (
        "gates without their first literal",
        Rule::Gate,
        without_first,
    ),
    ("half of the gates", Rule::Gate, every_second_without_last),
    ("read-from of one event", Rule::ReadFrom, without_last),
    (
        "read-from that no one asks for",
        Rule::ReadFrom,
        without_first,
    ),
    (
        "half of read-from",
        Rule::ReadFrom,
        every_second_without_last,
    ),
    (
        "values that are always read",
        Rule::ReadValue,
        without_first,
    ),
    (
        "values without the written bit",
        Rule::ReadValue,
        without_last,
    ),
    (
        "half of the values",
        Rule::ReadValue,
        every_second_without_last,
    ),
    ("values negated", Rule::ReadValue, negated),
    ("one source less", Rule::Source, without_first),
    (
        "sources though the read does not happen",
        Rule::Source,
        without_last,
    ),
    ("no source at all", Rule::Source, negated),
    ("only the first source", Rule::OneSource, without_last),
    ("from-read without a reason", Rule::FromRead, without_first),
    ("edges without a condition", Rule::Edge, without_first),
    ("edges that are nowhere", Rule::Edge, without_last),
    ("circles of two", Rule::Order, without_last),
    ("orders both ways", Rule::Order, both_ways),
    ("one violation less", Rule::Query, without_first),
];

#[test]
fn wrong_encodings_are_refused() {
    // The one that is safe is asked about the model on which it is not: with right clauses there is an
    // execution, with wrong ones there may be none.
    let right = bundle(&["benchmarks/peterson.c", "--mm", "sc"]);
    let tso = Bundle {
        model: cat::texts::files("tso")
            .expect("built in")
            .into_iter()
            .map(|(path, text)| (path.display().to_string(), text))
            .collect(),
        ..right
    };
    let model = model(&tso).expect("it is a model");
    let made = formula(&tso.graph, &model, &Learnt::default(), &|_| false).expect("a formula");
    let directory = tempfile::tempdir().expect("a directory");
    let mut proved = 0;
    for (name, rule, change) in WRONG {
        let wrong = changed(&made, rule, change);
        let (cnf, raw) = (
            directory.path().join("f.cnf"),
            directory.path().join("f.lrat"),
        );
        let mut text = Vec::new();
        bundle::write_formula(&wrong, &mut text).expect("written");
        std::fs::write(&cnf, &text).expect("written");
        let answer = prove(&cnf, &raw, Rc::new(|| false)).expect("the solver runs");
        let proof = std::fs::read_to_string(&raw).expect("a proof");
        if answer == SatResult::Unsat {
            let accepted = lrat::check(&wrong.flat, &mut proof.as_bytes());
            accepted.expect("of the wrong formula it is a proof");
            proved += 1;
        }
        let mut rules = Vec::new();
        bundle::write_rules(&wrong, &mut rules).expect("written");
        let bundle = Bundle {
            formula: String::from_utf8(text).expect("text"),
            rules: String::from_utf8(rules).expect("text"),
            proof,
            ..tso.clone()
        };
        assert!(check(&bundle, &model).is_err(), "{name}");
    }
    println!("{proved} of {} wrong encodings have a proof", WRONG.len());
    assert!(proved >= 10, "{proved}");
}

fn changed(formula: &Formula, rule: Rule, change: fn(usize, &[i32]) -> Vec<Vec<i32>>) -> Formula {
    let (mut flat, mut rules) = (Vec::new(), Vec::new());
    let clauses = formula.flat.split_inclusive(|l| *l == 0);
    for (i, (clause, of)) in clauses.zip(&formula.rules).enumerate() {
        let clause = &clause[..clause.len() - 1];
        // The first clause is the constant.
        let new = match *of == rule && i > 0 {
            true => change(i, clause),
            false => vec![clause.to_vec()],
        };
        for clause in new {
            flat.extend(clause);
            flat.push(0);
            rules.push(*of);
        }
    }
    Formula {
        variables: formula.variables,
        flat,
        rules,
    }
}
