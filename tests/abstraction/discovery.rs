//! Predicate abstraction without a predicates file: the predicates are discovered.

use support::Random;
use support::two_threads::{bounded, random_program};
use wmbmc::driver::abstraction::{
    Abstraction, AbstractionOptions, AbstractionOutcome, AbstractionVerdict,
};
use wmbmc::{Input, Limits};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benchmarks/abstraction/");

/// A program with the lines of a predicates file.
fn read(program: &Input, defines: &[&str], lines: &str) -> Abstraction {
    let mut options = AbstractionOptions::default();
    options.predicates = (!lines.is_empty()).then(|| Input::text("p.preds", lines));
    options.program.c.defines = defines.iter().map(|d| d.to_string()).collect();
    Abstraction::read(program, &options).unwrap_or_else(|e| panic!("{e}"))
}

/// A benchmark without its predicates; what its file says about the property is kept.
fn benchmark(name: &str, defines: &[&str]) -> Abstraction {
    let file = std::fs::read_to_string(format!("{FOLDER}{name}.preds")).expect(name);
    let property = file.lines().filter(|l| l.starts_with("invariant"));
    let property: Vec<&str> = property.collect();
    let program = Input::file(format!("{FOLDER}{name}.c"));
    read(&program, defines, &property.join("\n"))
}

fn word(found: &AbstractionOutcome) -> &'static str {
    match found.verdict {
        AbstractionVerdict::Safe => "SAFE",
        AbstractionVerdict::Unsafe { .. } => "UNSAFE",
        _ => "UNKNOWN",
    }
}

fn check(read: &Abstraction, model: &str) -> AbstractionOutcome {
    read.check(model, Limits::seconds(120.0))
        .expect("it is supported")
}

#[test]
fn benchmarks_need_no_predicates() {
    const SAFE: [&str; 3] = ["SAFE", "SAFE", "SAFE"];
    let rows: [(&str, &[&str], [&str; 3]); 11] = [
        ("abp", &[], SAFE),
        ("dekker", &[], SAFE),
        ("peterson", &[], SAFE),
        ("peterson", &["FENCE_LOOK=0"], ["SAFE", "UNSAFE", "UNSAFE"]),
        ("szymanski", &[], SAFE),
        ("lamport_fast", &[], SAFE),
        ("lamport_fast", &["FENCE_X=0"], ["SAFE", "UNSAFE", "UNSAFE"]),
        ("handover", &[], SAFE),
        ("handover", &["FENCE_SECOND=0"], ["SAFE", "SAFE", "UNSAFE"]),
        ("queue", &[], SAFE),
        ("unsound", &[], ["UNSAFE", "UNSAFE", "UNSAFE"]),
    ];
    for (name, defines, expected) in rows {
        let read = benchmark(name, defines);
        for (model, expected) in ["sc", "tso", "pso"].into_iter().zip(expected) {
            let found = check(&read, model);
            assert_eq!(word(&found), expected, "{name} {defines:?} on {model}");
            assert_eq!(found.given, 0);
            let proven = expected == "SAFE";
            assert!(!proven || !found.discovered.is_empty(), "{name} on {model}");
        }
    }
}

/// Numbers that grow without bound.
#[test]
fn unbounded_programs_need_no_predicates() {
    for name in ["ticket", "bakery", "ring", "seqlock"] {
        let read = benchmark(name, &[]);
        for model in ["sc", "tso", "pso"] {
            let found = check(&read, model);
            assert_eq!(word(&found), "SAFE", "{name} on {model}");
        }
    }
}

/// Discovery finds the eight predicates that Sec. 2.1 of the paper gives for its example.
#[test]
fn the_paper_s_predicates_are_discovered() {
    let lines = benchmark("abp", &[]).predicates("sc", Limits::default());
    let mut found = lines.expect("it is supported");
    found.retain(|l| !l.starts_with("invariant"));
    let mut expected = [
        "Msg == 0",
        "Ack == 0",
        "sender:lSSt == 0",
        "sender:lAck == 0",
        "receiver:lMsg == 0",
        "receiver:lRSt == 0",
        "sender:lSCnt == receiver:lRCnt",
        "sender:lSCnt == receiver:lRCnt + 1",
    ];
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

/// What is extrapolated from SC is not enough for the queue: predicates over its buffers are found.
#[test]
fn refinement_goes_on_over_buffers() {
    let read = benchmark("queue", &[]);
    let on_sc = check(&read, "sc").discovered;
    let found = check(&read, "pso");
    assert_eq!(word(&found), "SAFE");
    assert_eq!(found.discovered[..on_sc.len()], on_sc);
    let buffered = &found.discovered[on_sc.len()..];
    assert!(
        buffered.iter().any(|p| p.contains("Head_1.zero")),
        "{buffered:?}"
    );
}

/// Nothing is said of a program for which the time was not enough, and the limit is kept.
#[test]
fn the_time_limit_is_kept() {
    let start = std::time::Instant::now();
    let found = benchmark("seqlock", &[]).check("tso", Limits::seconds(0.01));
    let found = found.expect("it is supported");
    assert_eq!(word(&found), "UNKNOWN");
    assert!(start.elapsed().as_secs() < 20);
}

/// A proof on SC that a limit cuts short is no proof on another model.
#[test]
fn a_limit_makes_nothing_safe() {
    for seconds in [0.02, 0.1, 0.5, 1.0, 2.0, 3.0] {
        let read = benchmark("bakery", &["FENCE_CHOOSING=0"]);
        let found = read.check("tso", Limits::seconds(seconds));
        let found = found.expect("it is supported");
        assert_ne!(word(&found), "SAFE", "after {seconds} s");
    }
}

/// What a model does not support is refused, whatever there is to say on SC.
#[test]
fn unsupported_models_are_refused() {
    let read = benchmark("unsound", &[]);
    assert!(read.check("rmo", Limits::default()).is_err());
}

/// What is printed for SC is a predicates file that proves the program without refinement.
#[test]
fn discovered_predicates_read_back() {
    for name in ["abp", "peterson", "ticket"] {
        let lines = benchmark(name, &[]).predicates("sc", Limits::default());
        let lines = lines.expect(name).join("\n");
        let program = Input::file(format!("{FOLDER}{name}.c"));
        let again = read(&program, &[], &lines);
        let found = check(&again, "sc");
        assert_eq!(word(&found), "SAFE", "{name} with\n{lines}");
        assert!(found.given > 0, "{name}");
        assert!(found.discovered.is_empty(), "{name} with\n{lines}");
    }
}

/// A file that is not enough is completed, one that is enough is left as it is.
#[test]
fn predicates_of_a_file_are_completed() {
    let program = Input::file(format!("{FOLDER}peterson.c"));
    let found = check(&read(&program, &[], "flag0 == 0\nturn == 0"), "sc");
    assert_eq!(word(&found), "SAFE");
    assert_eq!(found.given, 2);
    assert!(!found.discovered.is_empty());
    let file = std::fs::read_to_string(format!("{FOLDER}peterson.preds")).expect("it is there");
    let found = check(&read(&program, &[], &file), "sc");
    assert_eq!(word(&found), "SAFE");
    assert!(found.discovered.is_empty(), "{:?}", found.discovered);
}

/// Counters that grow without bound: no constants will do.
#[test]
fn counters_are_compared_with_each_other() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint made, used;\n\
         void *maker(void *arg) { int n = 0; while (1) { n = n + 1; made = n; } return 0; }\n\
         void *user(void *arg) { int n = 0; while (1) { while (made <= n); n = n + 1; used = n;\n\
         assert(used <= made); } return 0; }\n\
         int main(void) { pthread_t a, b; pthread_create(&a, 0, maker, 0);\n\
         pthread_create(&b, 0, user, 0); return 0; }\n";
    for (text, expected) in [
        (text.to_string(), "SAFE"),
        (text.replace("made <= n)", "made < n)"), "UNSAFE"),
    ] {
        let read = read(&Input::text("count.c", text.as_str()), &[], "");
        let found = check(&read, "sc");
        assert_eq!(word(&found), expected, "{:?}", found.discovered);
    }
}

/// What is decided on random programs is what the bounded checker says.
#[test]
fn discovery_agrees_with_the_bounded_checker() {
    let mut random = Random::new(24);
    let (mut safe, mut unsafe_) = (0, 0);
    for i in 0..60 {
        let text = random_program(&mut random);
        let read = read(&Input::text("r.c", text.as_str()), &[], "");
        let model = ["sc", "tso", "pso"][i % 3];
        match word(&check(&read, model)) {
            "SAFE" => {
                safe += 1;
                assert!(bounded("r.c", &text, model), "{i} on {model}\n{text}");
            }
            "UNSAFE" => {
                unsafe_ += 1;
                assert!(!bounded("r.c", &text, model), "{i} on {model}\n{text}");
            }
            _ => {}
        }
    }
    assert!(safe > 30 && unsafe_ > 10, "{safe} safe, {unsafe_} unsafe");
}
