//! The solver's proofs and their checker: random formulas, solved with a proof, and proofs with a mistake.
//!
//! Each answer is compared with all assignments, each judgement of a wrong proof with a checker of this file
//! that is written for nothing but shortness.

use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;
use std::process::Command;
use std::rc::Rc;
use support::random::properties;
use wmbmc::proof::lrat::{Checked, LratError, check, trim};
use wmbmc::smt::sat::SatResult;
use wmbmc::smt::sat::proof::prove;

type Formula = Vec<Vec<i32>>;

fn flat(formula: &Formula) -> Vec<i32> {
    let clauses = formula.iter();
    clauses.flat_map(|c| c.iter().copied().chain([0])).collect()
}

/// The formula in DIMACS form.
fn dimacs(formula: &Formula) -> String {
    let variables = formula.iter().flatten().map(|l| l.abs()).max();
    let mut text = format!("p cnf {} {}\n", variables.unwrap_or(0), formula.len());
    for clause in formula {
        clause.iter().for_each(|l| text += &format!("{l} "));
        text += "0\n";
    }
    text
}

/// The answer, and the proof if it is that there is no satisfying assignment.
fn proved(formula: &Formula) -> (SatResult, Option<String>) {
    let directory = tempfile::tempdir().expect("there is room");
    let (file, proof) = (
        directory.path().join("formula.cnf"),
        directory.path().join("proof.lrat"),
    );
    std::fs::write(&file, dimacs(formula)).expect("there is room");
    let answer = prove(&file, &proof, Rc::new(|| false)).expect("it can be written");
    let proof = std::fs::read_to_string(proof).ok();
    (answer, proof.filter(|_| answer == SatResult::Unsat))
}

fn checked(formula: &Formula, proof: &str) -> Result<Checked, LratError> {
    check(&flat(formula), &mut proof.as_bytes())
}

fn trimmed(formula: &Formula, proof: &str) -> String {
    let mut out = Vec::new();
    if formula.contains(&Vec::new()) {
        return String::new();
    }
    let clauses = formula.len() as u64;
    let (mut first, mut again) = (proof.as_bytes(), proof.as_bytes());
    trim(clauses, &mut first, &mut again, &mut out).expect("it is a proof");
    String::from_utf8(out).expect("it is text")
}

/// By all assignments.
fn satisfiable(formula: &Formula, variables: i32) -> bool {
    let holds = |bits: u32, l: i32| (bits >> (l.abs() - 1) & 1 == 1) == (l > 0);
    (0..1 << variables).any(|bits| formula.iter().all(|c| c.iter().any(|l| holds(bits, *l))))
}

/// The same judgement as the checker's, by lists and maps.
fn plainly_checked(formula: &Formula, proof: &str) -> bool {
    let mut clauses: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (i, clause) in formula.iter().enumerate() {
        clauses.insert(i as i64 + 1, clause.iter().map(|l| i64::from(*l)).collect());
    }
    let mut last = formula.len() as i64;
    for line in proof.lines() {
        if line.contains(" d ") {
            for number in line.split(' ').skip(2).filter(|w| *w != "0") {
                let number = number.parse().expect("numbers stay numbers");
                if clauses.remove(&number).is_none() {
                    return false;
                }
            }
            continue;
        }
        let words: Vec<i64> = line
            .split(' ')
            .map(|w| w.parse().expect("a number"))
            .collect();
        let end = words.iter().position(|w| *w == 0).expect("a zero");
        let (number, literals, hints) = (words[0], &words[1..end], &words[end + 1..]);
        let mut falsified = literals.to_vec();
        let mut contradiction = false;
        for hint in hints.iter().take_while(|h| **h != 0) {
            let Some(clause) = clauses.get(hint) else {
                break;
            };
            let mut open = clause.clone();
            open.retain(|l| !falsified.contains(l));
            open.dedup();
            match open[..] {
                [] => contradiction = true,
                [unit] => falsified.push(-unit),
                _ => {}
            }
            if open.len() != 1 {
                break;
            }
        }
        if !contradiction {
            return false;
        }
        if literals.is_empty() {
            return true;
        }
        if number <= last {
            return false;
        }
        last = number;
        clauses.insert(number, literals.to_vec());
    }
    false
}

/// Formulas of three literals a clause, where half of them have no satisfying assignment; some literals
/// stand twice, some clauses have one.
fn formulas(variables: i32) -> impl Strategy<Value = Formula> {
    let literal = (1..=variables, any::<bool>()).prop_map(|(v, sign)| if sign { v } else { -v });
    let clause = prop_oneof![
        60 => prop::collection::vec(literal.clone(), 3),
        1 => prop::collection::vec(literal, 1),
    ];
    let clauses = variables as usize * 9 / 2;
    prop::collection::vec(
        clause.prop_map(|mut c| {
            c.sort_unstable();
            c
        }),
        clauses..clauses + 8,
    )
}

#[derive(Clone, Debug)]
enum Mistake {
    LineGone(Index),
    LiteralFlipped(Index, Index),
    HintChanged(Index, Index, Index),
    NumberChanged(Index, Index),
    ClauseGone(Index),
}

fn mistakes() -> impl Strategy<Value = Mistake> {
    let index = any::<Index>;
    prop_oneof![
        index().prop_map(Mistake::LineGone),
        (index(), index()).prop_map(|(a, b)| Mistake::LiteralFlipped(a, b)),
        (index(), index(), index()).prop_map(|(a, b, c)| Mistake::HintChanged(a, b, c)),
        (index(), index()).prop_map(|(a, b)| Mistake::NumberChanged(a, b)),
        index().prop_map(Mistake::ClauseGone),
    ]
}

/// A word of a line is replaced; the words before and behind the first 0 are told apart.
fn replaced(line: &str, behind: bool, which: Index, by: impl Fn(&str) -> String) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let end = words
        .iter()
        .position(|w| *w == "0")
        .unwrap_or(words.len() - 1);
    let places: Vec<usize> = match behind {
        true => (end + 1..words.len() - 1).collect(),
        false => (1..end).filter(|i| words[*i] != "d").collect(),
    };
    if places.is_empty() {
        return line.to_string();
    }
    let place = *which.get(&places);
    let words = words.iter().enumerate();
    let words: Vec<String> = words
        .map(|(i, w)| if i == place { by(w) } else { w.to_string() })
        .collect();
    words.join(" ")
}

fn with_mistake(formula: &mut Formula, proof: &str, mistake: &Mistake) -> String {
    let mut lines: Vec<String> = proof.lines().map(str::to_string).collect();
    let most = formula.len() + lines.len() + 3;
    let other = |w: &str| match w.strip_prefix('-') {
        Some(positive) => positive.to_string(),
        None => format!("-{w}"),
    };
    match mistake {
        _ if lines.is_empty() => {}
        Mistake::LineGone(at) => drop(lines.remove(at.index(lines.len()))),
        Mistake::LiteralFlipped(at, which) => {
            let line = at.index(lines.len());
            if !lines[line].contains(" d ") {
                lines[line] = replaced(&lines[line], false, *which, other);
            }
        }
        Mistake::HintChanged(at, which, to) => {
            let line = at.index(lines.len());
            let deletes = lines[line].contains(" d ");
            let number = (to.index(most) + 1).to_string();
            lines[line] = replaced(&lines[line], !deletes, *which, |_| number.clone());
        }
        Mistake::NumberChanged(at, to) => {
            let line = at.index(lines.len());
            let (_, rest) = lines[line].split_once(' ').expect("lines have words");
            lines[line] = format!("{} {rest}", to.index(most) + 1);
        }
        Mistake::ClauseGone(which) => {
            // Its number stays, so that the other hints mean the same; a tautology says nothing.
            let clause = which.index(formula.len());
            formula[clause] = vec![-1, 1];
        }
    }
    lines.iter().map(|l| format!("{l}\n")).collect()
}

proptest! {
    #![proptest_config(properties(512))]

    #[test]
    fn answers_are_right_and_proofs_are_accepted(formula in formulas(9)) {
        match proved(&formula) {
            (SatResult::Sat, None) => prop_assert!(satisfiable(&formula, 9)),
            (SatResult::Unsat, Some(proof)) => {
                prop_assert!(!satisfiable(&formula, 9));
                prop_assert!(plainly_checked(&formula, &proof));
                let whole = checked(&formula, &proof).expect("the solver's proof holds");
                let trimmed = trimmed(&formula, &proof);
                let small = checked(&formula, &trimmed).expect("the trimmed proof holds");
                prop_assert!(small.added <= whole.added && small.hints <= whole.hints);
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn mistakes_are_found(mut formula in formulas(9), mistake in mistakes()) {
        if let (SatResult::Unsat, Some(proof)) = proved(&formula) {
            let proof = trimmed(&formula, &proof);
            let wrong = with_mistake(&mut formula, &proof, &mistake);
            let accepted = checked(&formula, &wrong).is_ok();
            prop_assert_eq!(accepted, plainly_checked(&formula, &wrong), "{}", wrong);
            prop_assert!(!accepted || !satisfiable(&formula, 9));
        }
    }
}

/// A formula that needs a search: so many pigeons do not fit into one hole less.
fn pigeons(count: i32) -> Formula {
    let at = |pigeon: i32, hole: i32| pigeon * (count - 1) + hole + 1;
    let mut formula: Formula = (0..count)
        .map(|p| (0..count - 1).map(|h| at(p, h)).collect())
        .collect();
    for hole in 0..count - 1 {
        for a in 0..count {
            formula.extend((0..a).map(|b| vec![-at(a, hole), -at(b, hole)]));
        }
    }
    formula
}

#[test]
fn a_search_is_proved() {
    let formula = pigeons(8);
    let (answer, proof) = proved(&formula);
    assert_eq!(answer, SatResult::Unsat);
    let proof = proof.expect("there is a file");
    let whole = checked(&formula, &proof).expect("the solver's proof holds");
    let trimmed = trimmed(&formula, &proof);
    let small = checked(&formula, &trimmed).expect("the trimmed proof holds");
    assert!(small.added < whole.added);
}

#[test]
fn clauses_have_the_numbers_of_their_places() {
    // Repeated literals, clauses that hold already, literals that are false already, tautologies; then the
    // contradiction. The solver gives some of them two numbers.
    let begin: Formula = vec![
        vec![1],
        vec![1, 1, 2],
        vec![-1, 3, 3],
        vec![-3, 4, -4],
        vec![-1, -3, 5, 6],
        vec![1, 5],
    ];
    for end in [
        vec![vec![-5, 6], vec![5, -6], vec![-6, -5]],
        vec![vec![-1]],
        vec![vec![-1, -3]],
        vec![vec![-5], vec![-6, -6]],
    ] {
        let formula: Formula = begin.iter().cloned().chain(end).collect();
        let (answer, proof) = proved(&formula);
        assert_eq!(answer, SatResult::Unsat);
        let proof = proof.expect("there is a file");
        checked(&formula, &proof).unwrap_or_else(|e| panic!("{formula:?}: {e}\n{proof}"));
        let trimmed = trimmed(&formula, &proof);
        checked(&formula, &trimmed).expect("the trimmed proof holds");
    }
}

#[test]
fn a_proof_says_that_there_is_an_empty_clause() {
    let formula = vec![vec![1], vec![]];
    assert!(matches!(checked(&formula, ""), Err(LratError::Unfinished)));
    checked(&formula, "3 0 2 0\n").expect("clause 2 is empty");
    assert!(checked(&formula, "3 0 1 0\n").is_err());
}

fn packed(text: &str) -> Vec<u8> {
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(text.as_bytes()).expect("memory is written");
    out.finish().expect("memory is written")
}

/// With foreign checkers on the path, they accept a bundle and refuse a wrong one; without, the script says
/// so.
#[test]
fn foreign_checkers_agree() {
    let formula = pigeons(7);
    let (_, proof) = proved(&formula);
    let proof = trimmed(&formula, &proof.expect("there is a file"));
    let wrong: String = proof.lines().skip(1).map(|l| format!("{l}\n")).collect();
    let text = dimacs(&formula);
    let judge = |proof: &str| {
        let directory = tempfile::tempdir().expect("there is room");
        let at = |name| directory.path().join(name);
        std::fs::write(at("formula.cnf"), &text).expect("there is room");
        std::fs::write(at("proof.lrat.gz"), packed(proof)).expect("there is room");
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/scripts/foreign-proof-checkers"
        );
        let run = Command::new(script).arg(directory.path()).output();
        let status = run.expect("the script runs").status.code();
        status.expect("it is not killed")
    };
    match judge(&proof) {
        2 => eprintln!("no foreign checker is on the path"),
        status => {
            assert_eq!(status, 0);
            assert_eq!(judge(&wrong), 1);
        }
    }
}
