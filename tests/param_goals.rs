//! The conditions of certificates of parameterized systems, put to another solver: of every safe
//! system of `benchmarks/parameterized` it confirms each, and of changed certificates it does not.

mod common;

use std::time::{Duration, Instant};
use wmbmc::base::source::SourceMap;
use wmbmc::front::cub;
use wmbmc::param::answer::{Brab, SystemAnswer, answer};
use wmbmc::param::certificate::{Flaw, check, goals, read, write};
use wmbmc::param::search::SearchOptions;
use wmbmc::param::system::{MemorySemantics, StoreOrder, System, resolve};
use wmbmc::param::theory::SystemContext;

/// A system that is safe, and its certificate.
struct Proof {
    name: String,
    system: System,
    text: String,
}

impl Proof {
    /// What the checker says of a certificate of this system, and the goals.
    fn judge(&self, text: &str) -> Option<(Result<(), Flaw>, String)> {
        let (extended, cubes) = read(&self.system, text).ok()?;
        let context = SystemContext::new(extended, self.system.procs);
        let goals = goals(&context, &cubes).expect("nothing is too large");
        Some((check(&context, &cubes), goals))
    }
}

/// The certificates of the benchmarks.
fn proofs() -> Vec<Proof> {
    let folder = common::root().join("benchmarks/parameterized");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = files
        .map(|entry| entry.expect("it is readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "cub"))
        .collect();
    paths.sort();
    let mut proofs = Vec::new();
    for path in paths {
        let mut sources = SourceMap::default();
        let id = sources.load(&path).expect("the file is readable");
        let file = cub::parse(&sources, id).expect("it reads");
        for (memory, order) in [
            (MemorySemantics::Flat, StoreOrder::Sc),
            (MemorySemantics::Buffered, StoreOrder::Tso),
        ] {
            let Ok(system) = resolve(&file, memory) else {
                continue;
            };
            let options = SearchOptions {
                until: Some(Instant::now() + Duration::from_secs(60)),
                ..SearchOptions::default()
            };
            let found = answer(&system, order, &options, Brab::Late);
            let text = match &found {
                SystemAnswer::Safe(s) => write(&s.context.system, s.certificate()),
                _ => continue,
            };
            drop(found);
            let name = path.file_name().expect("a name").display();
            proofs.push(Proof {
                name: format!("{name} on {order:?}"),
                system,
                text,
            });
        }
    }
    proofs
}

#[test]
fn another_solver_confirms_every_condition() {
    let (mut conditions, mut solver, mut checker) = (0, Duration::ZERO, Duration::ZERO);
    let proofs = proofs();
    assert!(proofs.len() >= 20, "{} are safe", proofs.len());
    for proof in &proofs {
        let start = Instant::now();
        let (valid, script) = proof.judge(&proof.text).expect("what is written reads");
        checker += start.elapsed();
        assert_eq!(valid, Ok(()), "{}", proof.name);
        let goals = script.matches("(check-sat)").count();
        let start = Instant::now();
        let Some(answers) = common::smt_solver(script) else {
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
            assert!(i >= dropped || valid.is_err(), "{}: change {i}", proof.name);
            let goals = script.matches("(check-sat)").count();
            let Some(answers) = common::smt_solver(script) else {
                return;
            };
            let confirmed = answers.len() == goals && answers.iter().all(|a| a == "unsat");
            assert_eq!(confirmed, valid.is_ok(), "{}: change {i}", proof.name);
            *(if confirmed {
                &mut accepted
            } else {
                &mut refused
            }) += 1;
        }
    }
    println!("{refused} changed certificates are refused, {accepted} still prove it");
    assert!(refused > 50);
}
