//! Three engines on one system: backward reachability for any number of processes, the machine with
//! buffers and bounded model checking for fixed ones.

use rayon::prelude::*;
use std::path::{Path, PathBuf};
use support::cub_programs::{program, system, systems_of_any_number};
use support::random::random_cases;
use support::{Random, files};
use wmbmc::driver::cross::{
    CrossAnswer, CrossEngine, CrossOptions, CrossOutcome, CrossVerdict, disagreements,
};
use wmbmc::driver::{Input, Limits, Session, SessionOptions};
use wmbmc::ir::validate;
use wmbmc::systems::instance::{InstanceOptions, instance};
use wmbmc::systems::system::{MemorySemantics, StoreOrder};

fn cross(path: &Path, model: &str, options: &CrossOptions, seconds: f64) -> CrossOutcome {
    let session = Session::read(&Input::file(path), &SessionOptions::default());
    let outcome = session.and_then(|s| s.cross(model, options, Limits::seconds(seconds)));
    outcome.unwrap_or_else(|e| panic!("{} on {model}: {e}", path.display()))
}

/// A line for each answer.
fn shown(path: &Path, outcome: &CrossOutcome) -> String {
    let name = path
        .file_stem()
        .expect("files have names")
        .to_string_lossy();
    let mut out = String::new();
    for a in &outcome.answers {
        let engine = match a.engine {
            CrossEngine::Parameterized => "any",
            CrossEngine::Machine => "machine",
            CrossEngine::Bounded => "bounded",
            CrossEngine::Instructions => "instructions",
            CrossEngine::Program => "program",
        };
        let verdict = match &a.verdict {
            CrossVerdict::Safe => "SAFE".to_string(),
            CrossVerdict::SafeUpToBound(bound) => format!("SAFE up to {bound}"),
            CrossVerdict::Unsafe(run) => format!("UNSAFE {} {}", run.longest, run.calls.join(" ")),
            CrossVerdict::Unknown(reason) => format!("UNKNOWN {reason}"),
            _ => "?".to_string(),
        };
        out += &format!(
            "{name} {} {engine} {:?} {:?} {verdict} {:.2}\n",
            outcome.model, a.processes, a.steps, a.seconds
        );
    }
    out
}

#[test]
fn the_engines_agree_on_the_benchmarks() {
    let systems = files("benchmarks/parameterized", "cub");
    let programs = files("benchmarks/x86", "asm");
    assert!(systems.len() >= 20 && programs.len() >= 15);
    let of_systems = systems.iter();
    let of_systems = of_systems.flat_map(|f| ["sc", "tso", "pso"].map(|m| (f, m)));
    let of_programs = programs.iter().flat_map(|f| ["sc", "tso"].map(|m| (f, m)));
    let jobs: Vec<(&PathBuf, &str)> = of_systems.chain(of_programs).collect();
    jobs.par_iter().for_each(|(path, model)| {
        let outcome = cross(path, model, &CrossOptions::default(), 2.0);
        let shown = shown(path, &outcome);
        print!("{shown}");
        assert_eq!(outcome.disagreements, [], "{shown}");
    });
}

/// A program of one thread; what each engine says of it.
fn of_code(code: &str, property: &str) -> (CrossOutcome, Vec<CrossVerdict>) {
    let text = format!(
        "begin thread_code\n{code}\nend thread_code\nbegin unsafe_prop\n{property}\nend unsafe_prop\n"
    );
    let mut options = CrossOptions::default();
    options.processes = vec![1];
    let session = Session::read(&Input::text("t.asm", text), &SessionOptions::default());
    let outcome = session.and_then(|s| s.cross("tso", &options, Limits::seconds(20.0)));
    let outcome = outcome.unwrap_or_else(|e| panic!("{e}\n{code}"));
    let verdicts = outcome.answers.iter().map(|a| a.verdict.clone()).collect();
    (outcome, verdicts)
}

/// Values of the instructions have 32 bits, those of a system are integers without bounds: runs in
/// which they differ contradict nothing.
#[test]
fn values_that_wrap_around_are_no_disagreement() {
    // The sum of two natural numbers is negative on the machine alone.
    let sum = "cmp eax, 0\njl out\ncmp ebx, 0\njl out\nadd eax, ebx\nlast: nop\nout: nop";
    let (outcome, verdicts) = of_code(sum, "eip[$t] = last && eax[$t] < 0");
    assert_eq!(outcome.disagreements, []);
    assert!(matches!(verdicts[0], CrossVerdict::Safe), "{verdicts:?}");
    assert!(
        matches!(&verdicts[3], CrossVerdict::Unknown(why) if why.contains("wrap around")),
        "{verdicts:?}"
    );
    // Whether the machine's value is too small or too large.
    for (code, property) in [
        (
            "mov eax, 0x3fffffff\nadd eax, eax\nadd eax, 2\nlast: nop",
            "eip[$t] = last && eax[$t] < 0",
        ),
        (
            "mov eax, 0x7fffffff\nadd eax, 0x7fffffff\nlast: nop",
            "eip[$t] = last && eax[$t] = -2",
        ),
    ] {
        let (outcome, verdicts) = of_code(code, property);
        assert_eq!(outcome.disagreements, [], "{code}");
        assert!(matches!(verdicts[0], CrossVerdict::Safe), "{verdicts:?}");
        assert!(
            matches!(verdicts[3], CrossVerdict::Unknown(_)),
            "{verdicts:?}"
        );
    }
    // Twice 2^30 is positive among integers alone.
    let twice = "mov eax, 0x40000000\nadd eax, eax\nlast: nop";
    let (outcome, verdicts) = of_code(twice, "eip[$t] = last && eax[$t] > 0");
    assert_eq!(outcome.disagreements, []);
    assert!(
        matches!(verdicts[0], CrossVerdict::Unsafe(_)),
        "{verdicts:?}"
    );
    assert!(
        matches!(&verdicts[3], CrossVerdict::Unknown(why) if why.contains("wrap around")),
        "{verdicts:?}"
    );
    // Small values are decided by all.
    let small = "mov eax, 3\nsub eax, 4\nlast: nop";
    for (property, is_safe) in [("eax[$t] = -1", false), ("eax[$t] <> -1", true)] {
        let (outcome, _) = of_code(small, &format!("eip[$t] = last && {property}"));
        assert_eq!(outcome.disagreements, []);
        assert!(outcome.is_decided(), "{property}");
        for answer in &outcome.answers {
            assert_eq!(is_unsafe(answer), Some(!is_safe), "{answer:?}");
        }
    }
}

/// Random systems with a fixed number of processes.
fn systems_of_a_number(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random::new(seed);
    (0..count).map(|_| program(&mut random)).collect()
}

/// How many systems are compared.
fn cases(usual: u64) -> usize {
    random_cases(usual) as usize
}

fn cross_text(text: &str, model: &str, options: &CrossOptions) -> CrossOutcome {
    let mut session = SessionOptions::default();
    session.system.max_nodes = 2000;
    session.system.max_procs = 6;
    let session = Session::read(&Input::text("random.cub", text), &session);
    let outcome = session.and_then(|s| s.cross(model, options, Limits::seconds(3.0)));
    outcome.unwrap_or_else(|e| panic!("{model}: {e}\n{text}"))
}

/// No process of a random system has more transitions than these.
const LONGEST: u32 = 5;

/// Compares systems on all models; how often bounded model checking says SAFE and UNSAFE.
fn compare(texts: &[String]) -> [usize; 2] {
    let mut options = CrossOptions::default();
    options.steps = Some(LONGEST);
    let one = |(text, model): (&String, &str)| {
        let outcome = cross_text(text, model, &options);
        let shown = shown(Path::new("random.cub"), &outcome);
        assert_eq!(outcome.disagreements, [], "{shown}\n{text}");
        let mut count = [0, 0];
        for a in &outcome.answers {
            match (&a.verdict, a.engine) {
                (CrossVerdict::Unsafe(_), CrossEngine::Bounded) => count[1] += 1,
                (CrossVerdict::SafeUpToBound(_), CrossEngine::Bounded) => count[0] += 1,
                _ => {}
            }
        }
        count
    };
    let jobs = texts
        .par_iter()
        .flat_map_iter(|t| ["sc", "tso", "pso"].map(|m| (t, m)));
    let add = |a: [usize; 2], b: [usize; 2]| [a[0] + b[0], a[1] + b[1]];
    jobs.map(one).reduce(|| [0, 0], add)
}

#[test]
fn the_engines_agree_on_random_systems() {
    let fixed = compare(&systems_of_a_number(0x5eed_0031, cases(100)));
    let any = compare(&systems_of_any_number(0x5eed_0032, cases(300)));
    println!("SAFE and UNSAFE: {fixed:?} with a fixed number of processes, {any:?} with any");
    for [safe, bad] in [fixed, any] {
        assert!(
            safe > bad / 5 && bad > safe / 20,
            "the generator is one-sided"
        );
    }
}

/// The same where initial values are left open, and where nothing is weak.
#[test]
fn the_engines_agree_on_open_and_flat_systems() {
    let mut random = Random::new(0x5eed_0036);
    let mut open = systems_of_a_number(0x5eed_0037, cases(100));
    for text in &mut open {
        let ty = if text.contains("weak var X : int") {
            "0"
        } else {
            "V0"
        };
        for cell in ["R[p]", "X", "Y", "Z", "A[p]"] {
            if random.one_in(3) {
                *text = text.replace(&format!(" && {cell} = {ty}"), "");
            }
        }
    }
    let flat: Vec<String> = systems_of_any_number(0x5eed_0038, cases(100))
        .iter()
        .chain(&open)
        .map(|t| t.replace("weak ", ""))
        .collect();
    let (open, flat) = (compare(&open), compare(&flat));
    println!("SAFE and UNSAFE: {open:?} of open systems, {flat:?} of flat ones");
    for [safe, bad] in [open, flat] {
        assert!(
            safe > bad / 20 && bad > safe / 20,
            "the generator is one-sided"
        );
    }
}

/// Two processes that write and then read, with fences in between: many of them depend on those.
fn buffering(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for _ in 0..count {
        let mut text = "number_procs 2 type v = V0 | V1 type l = L0 | L1 | L2 | L3\n\
             array PC[proc] : l array R[proc] : v array S[proc] : v\n\
             weak var X : v weak var Y : v\n\
             init (p) { PC[p] = L0 && R[p] = V0 && S[p] = V0 && X = V0 && Y = V0 }\n"
            .to_string();
        for k in 1..=2 {
            for i in 0..3 {
                let guard = if random.one_in(2) { "fence() && " } else { "" };
                let weak = random.pick(&["X", "Y"]);
                let update = match i {
                    0 => format!("{weak} := V1"),
                    1 if random.one_in(2) => format!("{weak} := V1"),
                    1 => format!("S[p] := {weak}"),
                    _ => format!("R[p] := {weak}"),
                };
                let next = i + 1;
                text += &format!(
                    "transition t{k}_{i} ([p]) requires {{ {guard}p = #{k} && PC[p] = L{i} }} \
                     {{ {update}; PC[p] := L{next} }}\n"
                );
            }
        }
        all.push(text + "unsafe (a b) { PC[a] = L3 && PC[b] = L3 && R[a] = V0 && R[b] = V0 }\n");
    }
    all
}

/// What an engine may leave out.
#[derive(Clone, Copy, Debug)]
enum Lie {
    /// A guard waits for an empty buffer.
    Fences,
    /// The last of the processes.
    Process,
    /// What an unsafe formula reads.
    Reads,
}

/// The answers of all engines, were all of them to leave that out.
fn lied(text: &str, lie: Lie, options: &CrossOptions) -> Vec<CrossAnswer> {
    let answers = |text: &str, options: &CrossOptions| cross_text(text, "tso", options).answers;
    match lie {
        Lie::Fences => answers(&text.replace("fence()", "true"), options),
        Lie::Reads => {
            let (system, formula) = text.split_once("unsafe").expect("it has an unsafe formula");
            let parts = formula.trim().trim_end_matches('}').split(" && ");
            let kept: Vec<&str> = parts.filter(|p| !p.contains('@')).collect();
            answers(&format!("{system}unsafe {} }}", kept.join(" && ")), options)
        }
        Lie::Process => {
            let mut fewer = options.clone();
            fewer.processes = options.processes.iter().map(|n| n - 1).collect();
            let mut all = answers(text, &fewer);
            all.iter_mut()
                .filter(|a| a.engine != CrossEngine::Parameterized)
                .for_each(|a| a.processes = a.processes.map(|n| n + 1));
            all
        }
    }
}

fn is_unsafe(answer: &CrossAnswer) -> Option<bool> {
    match answer.verdict {
        CrossVerdict::Unsafe(_) => Some(true),
        CrossVerdict::Safe | CrossVerdict::SafeUpToBound(_) => Some(false),
        _ => None,
    }
}

/// An engine that leaves something out is caught where that changes its answer.
#[test]
fn a_lying_engine_is_caught() {
    let mut options = CrossOptions::default();
    options.steps = Some(LONGEST);
    options.processes = vec![2];
    for lie in [Lie::Fences, Lie::Process, Lie::Reads] {
        let all = match lie {
            Lie::Fences => buffering(0x5eed_0035, 3 * cases(300)),
            Lie::Process | Lie::Reads => systems_of_any_number(0x5eed_0033, cases(300)),
        };
        let texts = all.par_iter().filter_map(|text| match lie {
            Lie::Reads => {
                let (_, formula) = text.split_once("unsafe")?;
                formula.contains('@').then(|| text.clone())
            }
            Lie::Fences | Lie::Process => Some(text.clone()),
        });
        let counts = texts.map(|text| {
            let text = text.as_str();
            let honest = cross_text(text, "tso", &options).answers;
            let lies = lied(text, lie, &options);
            let mut count = [0usize; 2];
            for liar in [
                CrossEngine::Parameterized,
                CrossEngine::Machine,
                CrossEngine::Bounded,
            ] {
                let of = |a: &&CrossAnswer| a.engine == liar;
                let same = |a: &CrossAnswer, b: &CrossAnswer| {
                    a.engine == b.engine && a.processes == b.processes
                };
                let differs = |a: &CrossAnswer| {
                    let before = honest.iter().find(|b| same(a, b)).and_then(is_unsafe);
                    before.is_some_and(|b| is_unsafe(a).is_some_and(|a| a != b))
                };
                if !lies.iter().filter(of).any(differs) {
                    continue;
                }
                let others = honest.iter().filter(|a| a.engine != liar);
                let answers = others.chain(lies.iter().filter(of)).cloned();
                let caught = !disagreements(&answers.collect::<Vec<_>>()).is_empty();
                count[0] += 1;
                count[1] += usize::from(caught);
            }
            count
        });
        let [depend, caught] = counts.reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        println!("{lie:?}: {caught} of {depend} are caught");
        assert!(
            depend > 0 && caught * 100 >= depend * 95,
            "{lie:?}: {caught} of {depend}"
        );
    }
}

/// The program of an instance is right, and each of its threads has as many steps as its code is long.
#[test]
fn instances_are_programs() {
    for text in systems_of_any_number(0x5eed_0034, 40) {
        let system = system(&text, MemorySemantics::Buffered);
        for order in [StoreOrder::Sc, StoreOrder::Tso, StoreOrder::Pso] {
            let options = InstanceOptions {
                procs: 3,
                steps: 9,
                order,
            };
            let made = instance(&system, &options).expect("it is small");
            validate::check(&made.program).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!(made.columns.len(), 3);
            let longest = made.columns.iter().map(|c| c.steps.len()).max();
            assert!(longest <= Some(LONGEST as usize), "{longest:?}\n{text}");
        }
    }
}

/// Values of an abstract type are told apart, as many as there may be; where they may be too many, the
/// reason is said.
#[test]
fn values_of_abstract_types_are_told_apart() {
    let text = "type v\ntype l = L0 | L1\narray PC[proc] : l\narray A[proc] : v\nweak var X : v\nweak var Y : v\n\
        init (p) { PC[p] = L0 }\n\
        transition any ([p]) requires { PC[p] = L0 } { X := ?; Y := ?; A[p] := ?; PC[p] := L1 }\n\
        transition again ([p]) requires { PC[p] = L1 } { X := ?; PC[p] := L1 }\n";
    let different = "unsafe (p q) { PC[p] = L1 && PC[q] = L1 && A[p] <> A[q] && A[p] <> p @ X && \
        A[q] <> p @ X && p @ X <> p @ Y && A[p] <> p @ Y && A[q] <> p @ Y }";
    let text = format!("{text}{different}");
    let mut options = CrossOptions::default();
    options.processes = vec![2];
    let outcome = cross_text(&text, "tso", &options);
    assert_eq!(outcome.disagreements, []);
    let bounded = outcome.answers.iter();
    let mut bounded = bounded.filter(|a| a.engine == CrossEngine::Bounded);
    assert!(bounded.all(|a| is_unsafe(a) == Some(true)), "{outcome:?}");
    let system = system(&text, MemorySemantics::Buffered);
    for (steps, is_possible) in [(10, true), (100, false)] {
        let options = InstanceOptions {
            procs: 2,
            steps,
            order: StoreOrder::Tso,
        };
        match instance(&system, &options) {
            Ok(_) => assert!(is_possible, "{steps}"),
            Err(reason) => {
                assert!(!is_possible, "{reason}");
                assert!(
                    reason.contains("256 values of an abstract type"),
                    "{reason}"
                );
            }
        }
    }
}

/// Systems of Cubicle and Cubicle-W with their recorded answers, each on its model, with as many
/// transitions as the recorded trace has. The data lies outside of the repository; without it this
/// test says so and passes. An engine has a second, or as many as `WMBMC_CROSS_SECONDS` says.
#[test]
fn the_engines_agree_on_recorded_systems() {
    let folder = support::data().join("cubicle");
    if !folder.is_dir() {
        support::skipped(support::Missing::Data("cubicle"));
        return;
    }
    let seconds = std::env::var("WMBMC_CROSS_SECONDS").ok();
    let seconds = seconds.and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let rows = |table: &str| -> Vec<std::collections::BTreeMap<String, String>> {
        let mut reader = csv::Reader::from_path(folder.join(table)).expect("it is readable");
        let rows = reader.deserialize().collect::<Result<Vec<_>, _>>();
        rows.expect("the table is well formed")
    };
    let recorded = rows("verdicts.csv").into_iter().filter_map(|row| {
        let length = row["trace_length"].parse().ok();
        let decided = matches!(row["verdict"].as_str(), "SAFE" | "UNSAFE");
        decided.then(|| {
            (
                folder.join(&row["file"]),
                row["model"].to_lowercase(),
                length,
            )
        })
    });
    let traps = rows("traps.csv").into_iter().filter_map(|row| {
        let path = folder.join(&row["file"]);
        (row["right"] != "refused").then(|| (path, "tso".to_string(), None))
    });
    let jobs: Vec<(PathBuf, String, Option<u32>)> = recorded.chain(traps).collect();
    let one = |(path, model, length): &(PathBuf, String, Option<u32>)| {
        let mut options = CrossOptions::default();
        options.steps = *length;
        let outcome = cross(path, model, &options, seconds);
        let shown = shown(path, &outcome);
        print!("{shown}");
        assert_eq!(outcome.disagreements, [], "{shown}");
        usize::from(outcome.is_decided())
    };
    let decided: usize = jobs.par_iter().map(one).sum();
    println!("of {} systems all engines answer {decided}", jobs.len());
    assert!(jobs.len() > 100);
}

/// What the command line prints, and returns.
#[test]
fn the_command_answers() {
    let owner = "benchmarks/parameterized/owner.cub";
    let run = support::wmbmc([
        "cross",
        owner,
        "--mm",
        "pso",
        "--procs",
        "2",
        "--format=json",
    ]);
    assert_eq!(run.status.code(), Some(0));
    let object: serde_json::Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
    assert_eq!(object["verdict"], "AGREEMENT");
    let answers = object["answers"].as_array().expect("it has answers");
    assert_eq!(answers.len(), 3);
    for answer in answers {
        assert_eq!(answer["verdict"], "UNSAFE", "{answer}");
        assert_eq!(answer["transitions"].as_array().map(Vec::len), Some(4));
    }
    for (args, code) in [
        (["benchmarks/dekker.c", "--mm=tso"], 2),
        ([owner, "--mm=power"], 2),
        ([owner, "--mm=tos"], 1),
        ([owner, "--procs=0"], 1),
        ([owner, "--timeout=-1"], 1),
    ] {
        let run = support::wmbmc(["cross"].iter().chain(&args));
        assert_eq!(run.status.code(), Some(code), "{args:?}");
    }
}
