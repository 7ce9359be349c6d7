//! What the checker trusts, which moves it looks at, and its obligations against steps on numbers.

use super::implication::StepObligations;
use super::interleaving::Interleavings;
use crate::commands::arith::{Cond, Linear, Valuation, VarId};
use crate::commands::program::*;
use crate::predabs::cube::Cube;
use crate::predabs::on_demand::OnDemand;
use crate::predabs::post::Post;
use crate::predabs::predicates::Predicate;
use base::idx::IdVec;
use base::source::{FileId, Span};

/// The modules of this stage, the other stages and the other crates that a file uses, as the head names them.
fn modules_used(text: &str) -> Vec<String> {
    let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
    let code: String = code.collect::<Vec<_>>().join("\n");
    let module = |path: &str| -> String {
        let segments = path.split("::").take_while(|s| {
            let word = s.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            word && !s.is_empty()
        });
        let by_module = path.starts_with("predabs") || path.starts_with("commands");
        let depth = if by_module { 2 } else { 1 };
        segments.take(depth).collect::<Vec<_>>().join("::")
    };
    const CRATES: [&str; 7] = ["base", "cat", "enumerate", "ir", "proof", "smt", "systems"];
    let words = code.split(|c: char| !c.is_alphanumeric() && !['_', ':'].contains(&c));
    let crates = words.filter_map(|word| word.split_once("::"));
    let crates = crates.filter(|(first, _)| CRATES.contains(first));
    let stages = code.split("crate::").skip(1).map(module);
    stages
        .chain(crates.map(|(first, _)| first.to_string()))
        .collect()
}

#[test]
fn the_head_lists_all_that_is_trusted() {
    let head = include_str!("../certificate.rs");
    let rows = head.lines().filter_map(|l| l.strip_prefix("//! | `"));
    let mut trusted: Vec<&str> = rows.filter_map(|l| l.split('`').next()).collect();
    assert_eq!(trusted.len(), 4);
    trusted.extend(["base", "smt"]);
    let mut used = std::collections::BTreeSet::new();
    for text in [
        include_str!("checker.rs"),
        include_str!("format.rs"),
        include_str!("implication.rs"),
        include_str!("interleaving.rs"),
    ] {
        used.extend(modules_used(text));
        assert!(!text.contains("super::super"));
    }
    let listed: std::collections::BTreeSet<String> =
        trusted.iter().map(|t| t.to_string()).collect();
    assert_eq!(used, listed);
}

const NOWHERE: Span = Span {
    file: FileId(0),
    start: 0,
    end: 0,
};

fn step(from: u32, to: u32, effect: Effect) -> Step {
    Step {
        effect,
        ..Step::new(LocId(from), LocId(to), NOWHERE)
    }
}

fn thread(locations: u32, atomic: u32, steps: Vec<Step>) -> Thread {
    let location = |l| Location {
        span: NOWHERE,
        atomic: l == atomic,
    };
    Thread {
        name: "t".into(),
        locations: (0..locations).map(location).collect::<IdVec<_, _>>(),
        end: LocId(locations - 1),
        steps,
        instances: Instances::One,
    }
}

/// `main` starts a thread, joins it and ends; the thread has a location in an atomic section. One
/// buffer may flush, and there is an invariant.
fn program() -> Program {
    let mut program = Program::default();
    program.threads.push(thread(
        3,
        9,
        vec![
            step(0, 1, Effect::Spawn(ThreadId(1))),
            step(1, 2, Effect::Join(ThreadId(1))),
        ],
    ));
    program.threads.push(thread(
        3,
        1,
        vec![step(0, 1, Effect::None), step(1, 2, Effect::None)],
    ));
    program
        .flushes
        .push((ThreadId(1), step(0, 0, Effect::None)));
    let failure = Effect::Fail(Failure::Invariant("x == 0".into()));
    program.invariants.push(step(0, 0, failure));
    program
}

#[test]
fn moves_are_those_of_all_interleavings() {
    let program = program();
    let interleavings = Interleavings::new(&program);
    let (main, other) = (ThreadId(0), ThreadId(1));
    let free = [Move::Flush(0), Move::Invariant(0)];
    let with = |own: &[Move]| -> Vec<Move> { own.iter().chain(&free).copied().collect() };

    let initial = interleavings.initial();
    assert_eq!(*initial, [Some(LocId(0)), None]);
    assert_eq!(
        interleavings.moves(&initial),
        with(&[Move::Thread(main, 0)])
    );

    // Started, it is at its beginning, and joining it has to wait.
    let started = interleavings.after(&initial, Move::Thread(main, 0));
    assert_eq!(*started, [Some(LocId(1)), Some(LocId(0))]);
    assert_eq!(
        interleavings.moves(&started),
        with(&[Move::Thread(other, 0)])
    );

    // In its section it is alone: neither flushes nor invariants.
    let section = interleavings.after(&started, Move::Thread(other, 0));
    assert_eq!(*section, [Some(LocId(1)), Some(LocId(1))]);
    assert_eq!(interleavings.moves(&section), [Move::Thread(other, 1)]);

    let ended = interleavings.after(&section, Move::Thread(other, 1));
    assert_eq!(interleavings.moves(&ended), with(&[Move::Thread(main, 1)]));
    let flushed = interleavings.after(&ended, Move::Flush(0));
    assert_eq!(flushed, ended);
    let joined = interleavings.after(&ended, Move::Thread(main, 1));
    assert_eq!(interleavings.moves(&joined), free);
}

/// A generator of numbers, the same ones in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1);
        (self.0 >> 33) % n
    }

    fn small(&mut self) -> i128 {
        i128::from(self.below(5)) - 2
    }

    fn sum(&mut self) -> Linear {
        let mut sum = Linear::constant(self.small());
        for _ in 0..1 + self.below(2) {
            let x = VarId(u32::try_from(self.below(4)).expect("small"));
            sum = sum.plus(if self.below(3) == 0 { -1 } else { 1 }, &Linear::var(x));
        }
        sum
    }

    fn cond(&mut self) -> Cond {
        let (a, b) = (self.sum(), self.sum());
        match self.below(4) {
            0 => Cond::equal(&a, &b),
            1 => Cond::less(&a, &b),
            2 => Cond::and([Cond::at_most(&a, &b), Cond::less(&b, &self.sum())]),
            _ => Cond::or([Cond::equal(&a, &b), Cond::less(&b, &self.sum())]),
        }
    }
}

/// Truth values of predicates.
fn valuation(predicates: &[Predicate], values: &Valuation) -> Cube {
    let all = predicates.iter().enumerate();
    all.fold(Cube::default(), |cube, (i, p)| {
        cube.with(i, p.cond.holds(values).expect("numbers are small"))
    })
}

/// Some of the literals of a cube.
fn part(numbers: &mut Numbers, cube: Cube) -> Cube {
    let mask = u128::from(numbers.below(1 << 8));
    cube.within(mask)
}

/// A step of random guards and updates over four variables, and eight predicates.
fn random_step(numbers: &mut Numbers) -> (Program, Vec<Predicate>) {
    let mut program = Program::default();
    for name in ["a", "b", "c", "d"] {
        program.vars.push(Variable {
            name: name.into(),
            kind: VariableKind::Shared,
            initial: Some(0),
        });
    }
    let mut random = step(0, 1, Effect::None);
    random.guard = numbers.cond();
    for x in program.vars.ids() {
        match numbers.below(4) {
            0 => random.updates.push((x, Update::Any)),
            1 | 2 => random.updates.push((x, Update::Set(numbers.sum()))),
            _ => {}
        }
    }
    program.threads.push(thread(2, 9, vec![random]));
    let predicates = (0..8).map(|_| Predicate {
        cond: numbers.cond(),
        text: String::new(),
    });
    (program, predicates.collect())
}

/// Steps are executed on numbers: what the abstraction says of their cubes, and what the checker
/// accepts, holds of the numbers afterwards.
#[test]
fn steps_on_numbers_agree_with_their_cubes() {
    let mut numbers = Numbers(5);
    let (mut executed, mut known, mut accepted, mut impossible) = (0, 0, 0, 0);
    for _ in 0..60 {
        let (program, predicates) = random_step(&mut numbers);
        let m = Move::Thread(ThreadId(0), 0);
        let step = program.step(m);
        let conds: Vec<Cond> = predicates.iter().map(|p| p.cond.clone()).collect();
        let mut abstraction = OnDemand::new(&program, &predicates);
        let mut obligations = StepObligations::new(step, &conds, program.vars.len());
        for _ in 0..80 {
            let values: Valuation = (0..4).map(|_| numbers.small()).collect();
            let all = valuation(&predicates, &values);
            let cube = part(&mut numbers, all);
            let after = abstraction.after(m, cube);
            let refuted = obligations.is_impossible(cube);
            assert_eq!(after.is_none(), refuted, "two ways to ask the same");
            impossible += usize::from(refuted);
            if step.guard.holds(&values) != Some(true) {
                continue;
            }
            let after = after.expect("here is an instance of the step");
            let mut next = values.clone();
            for (x, u) in &step.updates {
                next[*x] = match u {
                    Update::Set(sum) => sum.value(&values).expect("numbers are small"),
                    Update::Any => numbers.small(),
                };
            }
            let now = valuation(&predicates, &next);
            assert!(now.extends(after), "{step:?}");
            executed += 1;
            known += after.size();
            // What follows leads into itself; of other targets one has to hold of the numbers.
            assert!(obligations.leads_into(cube, &[after]));
            let targets = [
                part(&mut numbers, now),
                part(&mut numbers, all),
                part(&mut numbers, after),
            ];
            for targets in [&targets[..1], &targets[1..2], &targets[..2], &targets[..]] {
                if obligations.leads_into(cube, targets) {
                    accepted += 1;
                    assert!(targets.iter().any(|t| now.extends(*t)), "{step:?}");
                }
            }
        }
    }
    assert!(executed > 1000 && known > 1000, "{executed}, {known}");
    assert!(
        accepted > 1000 && impossible > 20,
        "{accepted}, {impossible}"
    );
}
