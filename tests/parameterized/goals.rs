//! The conditions of certificates of parameterized systems, put to another solver: of every safe
//! system of `benchmarks/parameterized` it confirms each, and of changed certificates it does not.

use rayon::prelude::*;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use support::cubes::subsume_one_by_one;
use wmbmc::base::source::SourceMap;
use wmbmc::systems::answer::{Brab, SystemAnswer, answer, answer_on_events};
use wmbmc::systems::certificate::{
    Certified, Flaw, check, goals, is_of_events, read, read_events, write, write_events,
};
use wmbmc::systems::cub;
use wmbmc::systems::cube::Rules;
use wmbmc::systems::search::SearchOptions;
use wmbmc::systems::system::{MemorySemantics, StoreOrder, System, resolve};
use wmbmc::systems::theory::SystemContext;

/// A system that is safe, and its certificate.
struct Proof {
    name: String,
    system: System,
    order: StoreOrder,
    text: String,
}

/// What the checker says, and the goals.
type Judgement = (Result<(), Flaw>, String);

impl Proof {
    /// What is said of a certificate of this system, if it can be read.
    fn judge(&self, text: &str) -> Option<Judgement> {
        if is_of_events(text) {
            let (extended, cubes) = read_events(&self.system, self.model(), text).ok()?;
            let context = SystemContext::new(extended, self.system.procs);
            return Some(judged(&context, Rules::of(self.order), &cubes));
        }
        let (extended, cubes) = read(&self.system, text).ok()?;
        let context = SystemContext::new(extended, self.system.procs);
        Some(judged(&context, (), &cubes))
    }

    /// Each pre-image is subsumed by one cube of a certificate of this system, one of the strategy for TSO.
    fn subsumes_one_by_one(&self, text: &str) -> bool {
        let (extended, cubes) = read(&self.system, text).expect("it was read before");
        let context = SystemContext::new(extended, self.system.procs);
        subsume_one_by_one(&context, &cubes)
    }

    fn model(&self) -> &'static str {
        match self.order {
            StoreOrder::Sc => "sc",
            StoreOrder::Tso => "tso",
            StoreOrder::Pso => "pso",
        }
    }
}

fn judged<C: Certified>(context: &SystemContext, model: C::Model, cubes: &[C]) -> Judgement {
    let goals = goals(context, model, cubes).expect("nothing is too large");
    (check(context, model, cubes), goals)
}

/// Seconds for a search.
const SECONDS: u64 = 5;
/// Longer certificates take the checker minutes.
const TOO_LONG: usize = 400;
/// Changes of longer certificates are not looked at.
const LONG: usize = 50;

/// The certificates of the benchmarks.
fn proofs() -> &'static [Proof] {
    static PROOFS: OnceLock<Vec<Proof>> = OnceLock::new();
    PROOFS.get_or_init(find_proofs)
}

fn find_proofs() -> Vec<Proof> {
    let paths = support::files("benchmarks/parameterized", "cub");
    let each = paths.iter().flat_map(|path| {
        [
            (MemorySemantics::Flat, StoreOrder::Sc, false),
            (MemorySemantics::Buffered, StoreOrder::Tso, false),
            (MemorySemantics::Buffered, StoreOrder::Sc, true),
            (MemorySemantics::Buffered, StoreOrder::Tso, true),
            (MemorySemantics::Buffered, StoreOrder::Pso, true),
        ]
        .map(|search| (path, search))
    });
    let each: Vec<_> = each.collect();
    let found = each
        .par_iter()
        .filter_map(|(path, search)| find_proof(path, *search));
    found.collect()
}

/// The certificate of a system on a memory order, by the generic strategy or not, if it is safe.
fn find_proof(
    path: &Path,
    (memory, order, generic): (MemorySemantics, StoreOrder, bool),
) -> Option<Proof> {
    let mut sources = SourceMap::default();
    let id = sources.load(path).expect("the file is readable");
    let file = cub::parse(&sources, id).expect("it reads");
    let system = resolve(&file, memory).ok()?;
    let options = SearchOptions {
        until: Some(Instant::now() + Duration::from_secs(SECONDS)),
        ..SearchOptions::default()
    };
    let name = path.file_name().expect("a name").display();
    let strategy = if generic { ", generic" } else { "" };
    let mut proof = Proof {
        name: format!("{name} on {order:?}{strategy}"),
        system,
        order,
        text: String::new(),
    };
    let (system, model) = (&proof.system, proof.model());
    let text = if generic {
        match answer_on_events(system, order, &options) {
            SystemAnswer::Safe(s) => Some(write_events(&s.context.system, model, s.proof())),
            _ => None,
        }
    } else {
        match answer(system, order, &options, Brab::Late) {
            SystemAnswer::Safe(s) => Some(write(&s.context.system, model, s.certificate())),
            _ => None,
        }
    };
    proof.text = text?;
    let cubes = proof.text.matches("cube ").count();
    if cubes > TOO_LONG {
        println!("{}: {cubes} cubes, too long to be checked", proof.name);
        return None;
    }
    Some(proof)
}

#[test]
fn another_solver_confirms_every_condition() {
    let (mut conditions, mut solver, mut checker) = (0, Duration::ZERO, Duration::ZERO);
    let proofs = proofs();
    assert!(proofs.len() >= 90, "{} are safe", proofs.len());
    for proof in proofs {
        let start = Instant::now();
        let (valid, script) = proof.judge(&proof.text).expect("what is written reads");
        checker += start.elapsed();
        assert_eq!(valid, Ok(()), "{}", proof.name);
        let goals = script.matches("(check-sat)").count();
        let start = Instant::now();
        let Some(answers) = support::smt_solver(script) else {
            return;
        };
        solver += start.elapsed();
        conditions += goals;
        assert_eq!(answers.len(), goals, "{}: {answers:?}", proof.name);
        assert!(answers.iter().all(|a| a == "unsat"), "{}", proof.name);
    }
    println!(
        "{} certificates, {conditions} conditions; solver {:.1} s, checker and goals {:.1} s",
        proofs.len(),
        solver.as_secs_f64(),
        checker.as_secs_f64()
    );
}

/// The certificate without its cube at this position.
fn without_cube(text: &str, at: usize) -> Option<String> {
    let begin = text.match_indices("cube ").nth(at)?.0;
    let end = begin + text[begin..].find("end\n")? + 4;
    Some(format!("{}{}", &text[..begin], &text[end..]))
}

/// The certificate with a line of literals changed.
fn with_line(text: &str, at: usize, change: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let new = change(lines.get(at)?)?;
    let kept = |i: usize, line: &&str| {
        if i == at {
            new.clone()
        } else {
            format!("{line}\n")
        }
    };
    Some(lines.iter().enumerate().map(|(i, l)| kept(i, l)).collect())
}

fn is_literal(line: &str) -> bool {
    let word = line.split(' ').next().unwrap_or_default();
    matches!(
        word,
        "in" | "eq" | "ne" | "diff" | "less" | "lesseq" | "lin"
    )
}

/// A cube or literal is left out, or a literal is another one: what the checker refuses another
/// solver does not confirm, and what it accepts is confirmed.
#[test]
fn changed_certificates_are_not_confirmed() {
    let flipped = |line: &str| {
        let (a, b) = line.split_once(' ')?;
        let word = match a {
            "eq" => "ne",
            "ne" => "eq",
            "less" => "lesseq",
            "lesseq" => "less",
            "diff" if b.contains(" = ") => {
                return Some(format!("{}\n", line.replace(" = ", " <> ")));
            }
            _ => return None,
        };
        Some(format!("{word} {b}\n"))
    };
    let (mut refused, mut accepted) = (0, 0);
    for proof in proofs() {
        let lines = proof.text.lines().count();
        let literals = (0..lines).filter(|i| proof.text.lines().nth(*i).is_some_and(is_literal));
        let literals: Vec<usize> = literals.step_by(1 + lines / 8).collect();
        let cubes = proof.text.matches("cube ").count();
        if cubes > LONG {
            println!("{}: {cubes} cubes, too long to be changed", proof.name);
            continue;
        }
        let mut changed: Vec<String> = (0..cubes)
            .step_by(1 + cubes / 3)
            .filter_map(|i| without_cube(&proof.text, i))
            .collect();
        let dropped = changed.len();
        for i in literals {
            changed.extend(with_line(&proof.text, i, &|_| Some(String::new())));
            changed.extend(with_line(&proof.text, i, &flipped));
        }
        for (i, text) in changed.iter().enumerate() {
            let Some((valid, script)) = proof.judge(text) else {
                continue;
            };
            let minimal = !is_of_events(text);
            assert!(
                i >= dropped || !minimal || valid.is_err() || !proof.subsumes_one_by_one(text),
                "{}: change {i}",
                proof.name
            );
            let goals = script.matches("(check-sat)").count();
            let Some(answers) = support::smt_solver(script) else {
                return;
            };
            let confirmed = answers.len() == goals && answers.iter().all(|a| a == "unsat");
            let agree = confirmed == valid.is_ok();
            assert!(agree, "{}: change {i}: {valid:?}", proof.name);
            *(if valid.is_ok() {
                &mut accepted
            } else {
                &mut refused
            }) += 1;
        }
    }
    println!("{refused} changed certificates are refused; {accepted} still prove it");
    assert!(refused > 50);
}

/// On the command line: a certificate over events, for its model alone, and its goals.
#[test]
fn the_command_line_writes_goals_of_both_kinds() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let run = |args: &[&str]| {
        let output = support::wmbmc(args);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        (output.status.code(), text + &errors)
    };
    let system = "benchmarks/parameterized/mutex_safe.cub";
    let (proof, script) = (path("a.proof"), path("a.smt2"));
    for (model, strategy) in [
        ("sc", "tso"),
        ("tso", "tso"),
        ("tso", "generic"),
        ("pso", "generic"),
    ] {
        let to = format!("--certificate={proof}");
        let (code, text) = run(&[system, "--mm", model, "--strategy", strategy, &to]);
        assert_eq!(code, Some(0), "{model}, {strategy}: {text}");
        let smt2 = format!("--smt2={script}");
        let (code, text) = run(&["check-certificate", system, &proof, "--mm", model, &smt2]);
        assert_eq!(code, Some(0), "{model}, {strategy}: {text}");
        assert!(text.starts_with("VALID: "), "{text}");
        let goals = std::fs::read_to_string(&script).expect("it is written");
        for condition in ["initiation", "property", "consecution"] {
            assert!(goals.contains(&format!("; {condition}: ")), "{condition}");
        }
    }
    let (code, text) = run(&["check-certificate", system, &proof, "--mm", "tso"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("it is for `pso`, not `tso`"), "{text}");
}
