//! `wmbmc plan`, `job`, `merge` and `progress`: what jobs come to together is what one run comes to, and
//! what does not fit together is refused with a sentence.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use support::wmbmc;
use wmbmc::report::{Answer, json};

/// A counter without a lock, with so many increments: safe, or unsafe with `BUG`.
const COUNTER: &str = r#"
#include <assert.h>
#include <pthread.h>
#include "rounds.h"
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *count(void *unused) {
    for (int i = 0; i < ROUNDS; i++) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
    return 0;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, count, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
#ifdef BUG
    assert(x != 3 * ROUNDS);
#else
    assert(x == 3 * ROUNDS);
#endif
    return 0;
}
"#;

/// Reductions without which it is hard enough to be split.
const HARD: [&str; 2] = ["--without", "sums,symmetry"];

/// What makes Fibonacci so.
const FIBONACCI: [&str; 4] = ["--unwind", "6", "--without", "values"];

/// A folder with the counter, Fibonacci, and where its plans go.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(place.path().join("counter.c"), COUNTER).expect("writable");
        std::fs::write(place.path().join("rounds.h"), "#define ROUNDS 2\n").expect("writable");
        let fibonacci = support::root().join("benchmarks/fibonacci.c");
        std::fs::copy(fibonacci, place.path().join("fibonacci.c")).expect("writable");
        Place(place)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs the program in the folder.
    fn run(&self, args: &[&str]) -> Output {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wmbmc"));
        command.args(args).current_dir(self.path());
        command.output().expect("the program runs")
    }

    fn plan(&self, out: &str, args: &[&str]) -> Plan<'_> {
        let planned = self.run(&[&["plan", "--out", out], args].concat());
        assert_eq!(code(&planned), 0, "{}", err(&planned));
        Plan {
            place: self,
            name: out.to_string(),
        }
    }
}

struct Plan<'a> {
    place: &'a Place,
    name: String,
}

impl Plan<'_> {
    fn folder(&self) -> PathBuf {
        self.place.path().join(&self.name)
    }

    fn json(&self) -> Value {
        let text = std::fs::read_to_string(self.folder().join("plan.json")).expect("a plan");
        serde_json::from_str(&text).expect("JSON")
    }

    fn jobs(&self) -> usize {
        let text = std::fs::read_to_string(self.folder().join("jobs")).expect("a number");
        text.trim().parse().expect("a number")
    }

    fn job(&self, index: usize) -> Output {
        self.place
            .run(&["job", &self.name, "--index", &index.to_string()])
    }

    /// All jobs, the last one first.
    fn all(&self) {
        for index in (0..self.jobs()).rev() {
            let done = self.job(index);
            assert_eq!(code(&done), 0, "{}", err(&done));
        }
    }

    fn merge(&self) -> Output {
        self.place.run(&["merge", &self.name])
    }

    fn result(&self, task: usize) -> PathBuf {
        self.folder().join(format!("results/{task}.json"))
    }

    /// The merge refuses, for this reason.
    fn refused(&self, why: &str) {
        let merged = self.merge();
        assert_eq!(code(&merged), 2, "{why}: {}", text(&merged.stdout));
        assert!(err(&merged).contains(why), "{why}: {}", err(&merged));
        assert_eq!(text(&merged.stdout), "", "{why}");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn err(output: &Output) -> String {
    text(&output.stderr)
}

/// Both runs print the same and return the same.
fn same(plain: &Output, merged: &Output) {
    assert_eq!(text(&plain.stdout), text(&merged.stdout), "{}", err(merged));
    assert_eq!(err(plain), err(merged));
    assert_eq!(code(plain), code(merged));
}

#[test]
fn cubes_of_a_safe_program() {
    let place = Place::new();
    let run = [&["counter.c", "--mm", "tso"][..], &HARD].concat();
    let plan = place.plan("d", &[&["--jobs", "4", "--probe", "50"], &run[..]].concat());
    let cubes = plan.json()["tasks"].as_array().map_or(0, Vec::len);
    assert!(
        cubes >= 4 && plan.jobs() == 4,
        "{cubes} cubes, {} jobs",
        plan.jobs()
    );
    plan.all();
    same(&place.run(&run), &plan.merge());
    let progress = place.run(&["progress", "d"]);
    assert_eq!(code(&progress), 0, "{}", text(&progress.stdout));
    assert!(text(&progress.stdout).starts_with("4 of 4 jobs done"));
}

#[test]
fn a_violation_of_a_cube_is_replayed_by_the_merge() {
    let place = Place::new();
    let run = [
        &["fibonacci.c", "-DBOUND=143", "--mm", "tso"][..],
        &FIBONACCI,
    ]
    .concat();
    let options = ["--jobs", "3", "--probe", "20", "--format", "json"];
    let plan = place.plan("d", &[&options[..], &run[..]].concat());
    plan.all();
    let merged = plan.merge();
    assert_eq!(code(&merged), 10, "{}", err(&merged));
    let answer: Value = serde_json::from_slice(&merged.stdout).expect("JSON");
    assert_eq!(answer["verdict"], "UNSAFE");
    assert!(
        answer["execution"]["events"]
            .as_array()
            .is_some_and(|e| e.len() > 10)
    );
    // An assignment that is none is seen.
    let unsafe_task = (0..).map(|t| plan.result(t)).take_while(|f| f.exists());
    let file = unsafe_task
        .into_iter()
        .find(|f| std::fs::read_to_string(f).is_ok_and(|text| text.contains("unsafe")));
    let file = file.expect("some cube has a violation");
    let text_of = std::fs::read_to_string(&file).expect("readable");
    let line = text_of.lines().next().expect("a line");
    let at = line.find("unsafe").expect("it is there") + 40;
    let digit = if &line[at..=at] == "0" { "1" } else { "0" };
    let changed = format!("{}{digit}{}", &line[..at], &line[at + 1..]);
    std::fs::write(&file, format!("{changed}\n{}\n", hash(&changed))).expect("writable");
    let merged = plan.merge();
    assert_eq!(code(&merged), 2, "{}", text(&merged.stdout));
}

fn hash(line: &str) -> String {
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest(line.as_bytes());
    hash.iter().map(|b| format!("{b:02x}")).collect()
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let place = Place::new();
    let run = [
        &["counter.c", "--mm", "tso", "--jobs", "4", "--probe", "50"][..],
        &HARD,
    ]
    .concat();
    let plan = place.plan("d", &run);
    plan.refused("job 0 is not done: task 0 has no result");
    plan.all();
    assert_eq!(code(&plan.merge()), 0);
    let first = plan.result(0);
    let whole = std::fs::read_to_string(&first).expect("readable");
    // Another run of a job leaves it alone.
    let again = plan.job(0);
    assert!(
        text(&again.stdout).starts_with("job 0: 0 done"),
        "{}",
        text(&again.stdout)
    );
    assert_eq!(std::fs::read_to_string(&first).expect("readable"), whole);

    std::fs::write(&first, &whole[..whole.len() / 2]).expect("writable");
    plan.refused("is truncated or was changed");
    assert_eq!(code(&place.run(&["progress", "d"])), 5);
    std::fs::write(&first, "").expect("writable");
    plan.refused("is truncated or was changed");
    let line = whole.lines().next().expect("a line");
    let version = format!("wmbmc {}", env!("CARGO_PKG_VERSION"));
    let other = line.replacen(&version, "wmbmc 0.0.9", 1);
    std::fs::write(&first, format!("{other}\n{}\n", hash(&other))).expect("writable");
    plan.refused("is of wmbmc 0.0.9");
    // A job does again what cannot be used.
    assert_eq!(code(&plan.job(0)), 0);
    assert_eq!(code(&plan.merge()), 0);

    // The result of another plan.
    let others = place.plan("e", &[&run[..], &["-DBUG"]].concat());
    others.all();
    std::fs::copy(others.result(0), &first).expect("writable");
    plan.refused("is that of another plan or input");
    std::fs::write(&first, &whole).expect("writable");
    assert_eq!(code(&plan.merge()), 0);

    // Another input: a header counts.
    let header = plan.folder().join("inputs/rounds.h");
    std::fs::write(&header, "#define ROUNDS 1\n").expect("writable");
    plan.refused("rounds.h is not the file that was planned");
    let job = plan.job(0);
    assert_eq!(code(&job), 2, "{}", err(&job));
    std::fs::write(&header, "#define ROUNDS 2\n").expect("writable");
    assert_eq!(code(&plan.merge()), 0);

    // A cube removed from the plan, and from its job.
    let plan_file = plan.folder().join("plan.json");
    let text_of = std::fs::read_to_string(&plan_file).expect("readable");
    let mut changed = plan.json();
    let tasks = changed["tasks"].as_array_mut().expect("tasks");
    tasks.pop();
    let last = tasks.len();
    for job in changed["jobs"].as_array_mut().expect("jobs") {
        let own = job.as_array_mut().expect("tasks");
        own.retain(|task| task.as_u64() != Some(last as u64));
    }
    std::fs::write(&plan_file, changed.to_string()).expect("writable");
    plan.refused("the plan lacks a cube");
    // A plan of another version.
    let other = text_of.replacen(&version, "wmbmc 0.0.9", 1);
    std::fs::write(&plan_file, other).expect("writable");
    plan.refused("the plan is of wmbmc 0.0.9");
    assert_eq!(code(&plan.job(0)), 2);
    std::fs::write(&plan_file, text_of).expect("writable");
    assert_eq!(code(&plan.merge()), 0);
}

#[test]
fn a_job_that_was_ended_goes_on() {
    let place = Place::new();
    let several = ["counter.c", "--mm", "sc,tso,pso,rmo"];
    let plan = place.plan("e", &[&several[..], &["--jobs", "1"]].concat());
    // As if it had been ended behind its second task, with a file half written.
    plan.all();
    let kept = std::fs::read_to_string(plan.result(1)).expect("readable");
    std::fs::remove_file(plan.result(2)).expect("it is there");
    std::fs::write(plan.result(3), "{").expect("writable");
    let stray = plan.folder().join("results/.tmpAbC123");
    std::fs::write(&stray, "{\"plan\"").expect("writable");
    let again = plan.job(0);
    assert_eq!(text(&again.stdout), "job 0: 2 done, 2 were\n");
    assert_eq!(
        std::fs::read_to_string(plan.result(1)).expect("readable"),
        kept
    );
    same(&place.run(&several), &plan.merge());

    // A process that is killed in the middle leaves nothing behind that counts.
    let plan = place.plan("f", &["counter.c", "--mm", "sc,tso", "--jobs", "1"]);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    command
        .args(["job", "f", "--index", "0"])
        .current_dir(place.path());
    let mut child = command.spawn().expect("the program runs");
    std::thread::sleep(std::time::Duration::from_millis(20));
    child.kill().expect("it can be ended");
    child.wait().expect("it ends");
    let merged = plan.merge();
    assert!([0, 2].contains(&code(&merged)), "{}", err(&merged));
    plan.all();
    same(&place.run(&["counter.c", "--mm", "sc,tso"]), &plan.merge());
}

/// The text of a table without the times.
fn untimed(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let words = line.split_whitespace();
        let words = words.filter(|w| w.parse::<f64>().is_err() || !w.contains('.'));
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect()
}

#[test]
fn a_suite_in_parts_is_the_whole_suite() {
    let place = Place::new();
    let tests = place.path().join("tests");
    std::fs::create_dir(&tests).expect("writable");
    for folder in ["x86", "ppc"] {
        let from = support::root().join("litmus").join(folder);
        for entry in std::fs::read_dir(from).expect("tests").take(20) {
            let path = entry.expect("readable").path();
            let name = path.file_name().expect("a name");
            if path.extension().is_some_and(|e| e == "litmus") {
                std::fs::copy(&path, tests.join(name)).expect("writable");
            }
        }
    }
    std::fs::write(tests.join("wrong.litmus"), "X86 wrong\n{\n").expect("writable");
    let run = ["suite", "tests", "--mm", "sc,power", "--states"];
    let plain = place.run(&[&run[..], &["--log", "plain.log"]].concat());
    let plan = place.plan(
        "d",
        &[&["--jobs", "8"], &run[..], &["--log", "merged.log"]].concat(),
    );
    assert_eq!(plan.jobs(), 8);
    plan.all();
    let merged = plan.merge();
    assert_eq!(code(&plain), code(&merged));
    assert_eq!(err(&plain), err(&merged));
    assert_eq!(
        untimed(&text(&plain.stdout)),
        untimed(&text(&merged.stdout))
    );
    for model in ["sc", "power"] {
        let log = |name: &str| {
            let file = place.path().join(format!("{name}.{model}.log"));
            std::fs::read(file).expect("a log")
        };
        assert!(log("plain") == log("merged"), "{model}");
        assert!(log("plain").len() > 1000);
    }
    // A test that is lost is missed.
    let mut changed = plan.json();
    let tasks = changed["tasks"].as_array_mut().expect("tasks");
    tasks[0]["tests"].as_array_mut().expect("tests").pop();
    std::fs::write(plan.folder().join("plan.json"), changed.to_string()).expect("writable");
    plan.refused("tests in tasks");
}

#[test]
fn files_of_every_kind_are_answered_as_by_a_run() {
    let place = Place::new();
    for file in [
        "benchmarks/store_buffer.c",
        "litmus/x86/SB.litmus",
        "benchmarks/parameterized/mutex_safe.cub",
    ] {
        let from = support::root().join(file);
        let name = from.file_name().expect("a name");
        std::fs::copy(&from, place.path().join(name)).expect("writable");
    }
    let broken = "int main(void) { return y; }\n";
    std::fs::write(place.path().join("broken.c"), broken).expect("writable");
    let run = [
        "store_buffer.c",
        "SB.litmus",
        "mutex_safe.cub",
        "broken.c",
        "counter.c",
        "--mm",
        "sc,tso",
    ];
    let plan = place.plan("d", &[&run[..], &["--jobs", "3"]].concat());
    plan.all();
    let merged = plan.merge();
    let plain = place.run(&run);
    assert_eq!(text(&plain.stdout), text(&merged.stdout));
    assert_eq!(code(&plain), code(&merged));
}

#[test]
fn a_merge_reports_every_answer() {
    let place = Place::new();
    std::fs::write(
        place.path().join("wrong.c"),
        "int main(void) { return x; }\n",
    )
    .expect("writable");
    let run = ["counter.c", "wrong.c", "--mm", "tso", "--format", "sarif"];
    let plan = place.plan("d", &run);
    plan.all();
    same(&place.run(&run), &plan.merge());
    // A task whose process has run out of address space says so as text.
    let file = plan.result(0);
    let written = std::fs::read_to_string(&file).expect("readable");
    let line = written.lines().next().expect("a line");
    let mut result: Value = serde_json::from_str(line).expect("JSON");
    result["out"] = "UNKNOWN: out of memory\n".into();
    result["exit"] = 5.into();
    let line = result.to_string();
    std::fs::write(&file, format!("{line}\n{}\n", hash(&line))).expect("writable");
    let merged = plan.merge();
    assert_eq!(code(&merged), 2, "{}", err(&merged));
    let log: Value = serde_json::from_slice(&merged.stdout).expect("a report");
    let notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array();
    let notes = notes.expect("notifications").iter();
    let texts: Vec<&str> = notes
        .filter_map(|n| n["message"]["text"].as_str())
        .collect();
    assert_eq!(
        texts,
        [
            "task 0 has no answer: UNKNOWN: out of memory",
            "`x` is not declared"
        ]
    );
}

#[test]
fn answers_are_read_back_as_they_were() {
    for args in [
        &["benchmarks/store_buffer.c", "--mm", "sc,tso"][..],
        &["tests/c/no_assertion_race.c", "--check", "race"],
        &["tests/c/asm_x86_fence.c", "--mm", "power"],
        &["litmus/x86/SB.litmus", "--mm", "tso", "--states"],
        &["benchmarks/parameterized/mutex_unsafe.cub", "--mm", "tso"],
        &["benchmarks/x86/dekker_unsafe.asm", "--mm", "tso"],
        &[
            "benchmarks/x86/dekker_unsafe.asm",
            "--threads",
            "2",
            "--mm",
            "tso",
        ],
        &["missing.c"],
    ] {
        let output = wmbmc([args, &["--format", "json"]].concat());
        let printed = text(&output.stdout);
        let read = printed.lines().map(|line| {
            let answer: Answer = serde_json::from_str(line).expect("an answer");
            json::line(&answer)
        });
        assert_eq!(read.collect::<String>(), printed, "{args:?}");
    }
}

#[test]
fn unsafe_formulas_are_searched_apart() {
    let place = Place::new();
    let system = "var X : bool\nvar Y : bool\ninit (z) { X = False && Y = False }\n\
                  unsafe (z) { X = True && Y = True }\nunsafe (z) { Y = True }\n\
                  transition t (i)\nrequires { X = False }\n{ X := True }\n";
    std::fs::write(place.path().join("s.cub"), system).expect("writable");
    let plain = place.run(&["s.cub", "--mm", "sc"]);
    let plan = place.plan("d", &["s.cub", "--mm", "sc", "--jobs", "4"]);
    assert_eq!(plan.jobs(), 2, "{}", text(&plain.stdout));
    plan.all();
    same(&plain, &plan.merge());
}

#[test]
fn paths_outside_and_other_folders() {
    let place = Place::new();
    let inner = place.path().join("a/b");
    std::fs::create_dir_all(&inner).expect("writable");
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wmbmc"));
        command.args(args).current_dir(&inner);
        command.output().expect("the program runs")
    };
    let line = ["../../counter.c", "--mm", "tso"];
    let planned = run(&[&["plan", "--out", "d"], &line[..]].concat());
    assert_eq!(code(&planned), 0, "{}", err(&planned));
    let plain = run(&line);
    // The folder is all that is needed, wherever it is.
    let other = tempfile::tempdir().expect("a temporary folder");
    let moved = other.path().join("plan");
    std::fs::rename(inner.join("d"), &moved).expect("the same file system");
    std::fs::remove_file(place.path().join("counter.c")).expect("it is there");
    let moved = moved.to_str().expect("UTF-8");
    assert_eq!(code(&wmbmc(["job", moved, "--index", "0"])), 0);
    same(&plain, &wmbmc(["merge", moved]));
}

#[test]
fn what_cannot_be_planned_is_refused_by_name() {
    let place = Place::new();
    for option in [
        &["--proof", "p"][..],
        &["--certify"],
        &["--dot", "g"],
        &["--html", "g"],
        &["--show-loops"],
        &["--states"],
    ] {
        let refused = place.run(&[&["plan", "--out", "d", "counter.c"], option].concat());
        assert_eq!(code(&refused), 1, "{option:?}");
        assert!(err(&refused).contains(option[0]), "{}", err(&refused));
    }
    let refused = place.run(&["plan", "--out", "d", "models"]);
    assert_eq!(code(&refused), 1, "{}", err(&refused));
    assert!(!place.path().join("d").exists());
    let plan = place.plan("d", &["counter.c"]);
    let twice = place.run(&["plan", "--out", "d", "counter.c"]);
    assert_eq!(code(&twice), 1);
    assert!(err(&twice).contains("there is a plan already"));
    let beyond = plan.job(1);
    assert_eq!(code(&beyond), 2);
    assert!(err(&beyond).contains("--index 1"), "{}", err(&beyond));
}

#[test]
fn another_solver_answers_for_cubes() {
    let place = Place::new();
    let options = [
        "--jobs", "4", "--probe", "20", "--dimacs", "f.icnf", "--format", "json",
    ];
    for bug in [false, true] {
        let bound = if bug { "-DBOUND=143" } else { "-DBOUND=144" };
        let run = [&["fibonacci.c", "--mm", "sc", bound][..], &FIBONACCI].concat();
        let name = format!("d{}", u8::from(bug));
        let plan = place.plan(&name, &[&options[..], &run[..]].concat());
        let formula = std::fs::read_to_string(place.path().join("f.icnf")).expect("a formula");
        let cubes: Vec<&str> = formula.lines().filter(|l| l.starts_with("a ")).collect();
        assert_eq!(
            cubes.len(),
            plan.json()["tasks"].as_array().map_or(0, Vec::len)
        );
        assert!(formula.contains("p inccnf"));
        for (task, cube) in cubes.iter().enumerate() {
            let answer = place.path().join("answer");
            std::fs::write(&answer, solved(&formula, cube)).expect("writable");
            let json = plan.json();
            let jobs = json["jobs"].as_array().expect("jobs");
            let has = |job: &Value| {
                let mut tasks = job.as_array().expect("tasks").iter();
                tasks.any(|t| t.as_u64() == Some(task as u64))
            };
            let index = jobs.iter().position(has).expect("some job").to_string();
            let task = task.to_string();
            let args = [
                "job", &name, "--index", &index, "--task", &task, "--answer", "answer",
            ];
            let done = place.run(&args);
            assert_eq!(code(&done), 0, "{}", err(&done));
        }
        let merged = plan.merge();
        assert_eq!(code(&merged), if bug { 10 } else { 0 }, "{}", err(&merged));
    }
    // What is no answer, or no assignment, is refused.
    for (text_of, why) in [
        ("s SATISFIABLE\nv 1 -2 3 0\n", "does not satisfy"),
        ("", "no line"),
    ] {
        std::fs::write(place.path().join("answer"), text_of).expect("writable");
        let args = [
            "job", "d0", "--index", "0", "--task", "0", "--answer", "answer",
        ];
        let refused = place.run(&args);
        assert_eq!(code(&refused), 2, "{why}");
        assert!(err(&refused).contains(why), "{}", err(&refused));
    }
}

/// What a solver prints of a formula in a cube.
fn solved(formula: &str, cube: &str) -> String {
    let mut solver = cadical_sys::CaDiCal::new();
    let clauses = formula.lines().filter(|l| !l.starts_with(['c', 'p', 'a']));
    for literal in clauses.flat_map(str::split_whitespace) {
        solver.add(literal.parse().expect("a literal"));
    }
    for literal in cube.split_whitespace().skip(1) {
        let literal: i32 = literal.parse().expect("a literal");
        if literal != 0 {
            solver.assume(literal);
        }
    }
    if solver.solve() != cadical_sys::Status::SATISFIABLE {
        return "s UNSATISFIABLE\n".to_string();
    }
    let values = (1..=solver.vars()).map(|v| {
        let value = if solver.val(v) > 0 { v } else { -v };
        value.to_string()
    });
    let values: Vec<String> = values.collect();
    format!("s SATISFIABLE\nv {} 0\n", values.join(" "))
}
