//! Predicate abstraction: the benchmarks' verdicts, the paper's predicates, the reduction against the
//! bounded checker, random programs, wrong predicate files.

use support::Random;
use support::two_threads::{bounded, random_program};
use wmbmc::driver::abstraction::{
    Abstraction, AbstractionMethod, AbstractionOptions, AbstractionVerdict, BufferBound,
};
use wmbmc::{Error, Input, Limits};

fn options(predicates: &str, buffer: u32) -> AbstractionOptions {
    let mut options = AbstractionOptions::default();
    options.predicates = Some(Input::text("p.preds", predicates));
    options.buffer = BufferBound::Fixed(buffer);
    options
}

fn benchmark(name: &str, defines: &[&str]) -> Abstraction {
    benchmark_with(name, defines, |_| {})
}

fn benchmark_with(
    name: &str,
    defines: &[&str],
    change: impl Fn(&mut AbstractionOptions),
) -> Abstraction {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benchmarks/abstraction/");
    let mut options = AbstractionOptions::default();
    options.predicates = Some(Input::file(format!("{folder}{name}.preds")));
    options.program.c.defines = defines.iter().map(|d| d.to_string()).collect();
    change(&mut options);
    let input = Input::file(format!("{folder}{name}.c"));
    Abstraction::read(&input, &options).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn word(verdict: &AbstractionVerdict) -> String {
    match verdict {
        AbstractionVerdict::Safe => "SAFE".into(),
        AbstractionVerdict::Unsafe { .. } => "UNSAFE".into(),
        AbstractionVerdict::Unknown { reason, .. } => format!("UNKNOWN: {reason}"),
        _ => "?".into(),
    }
}

#[test]
fn benchmarks_have_their_verdicts() {
    let rows: [(&str, &[&str], [&str; 3]); 6] = [
        ("abp", &[], ["SAFE", "SAFE", "SAFE"]),
        ("unsound", &[], ["UNSAFE", "UNSAFE", "UNSAFE"]),
        ("peterson", &[], ["SAFE", "SAFE", "SAFE"]),
        ("peterson", &["FENCE_LOOK=0"], ["SAFE", "UNSAFE", "UNSAFE"]),
        ("dekker", &[], ["SAFE", "SAFE", "SAFE"]),
        ("szymanski", &[], ["SAFE", "SAFE", "SAFE"]),
    ];
    for (name, defines, expected) in rows {
        let read = benchmark(name, defines);
        for (model, expected) in ["sc", "tso", "pso"].into_iter().zip(expected) {
            let found = read.check(model, Limits::default()).expect(name);
            let found = word(&found.verdict);
            assert_eq!(found, expected, "{name} {defines:?} on {model}");
        }
    }
}

/// Numbers that grow without bound, on SC, TSO and PSO.
#[test]
fn infinite_programs_are_safe() {
    let programs = [
        "ticket",
        "bakery",
        "queue",
        "ring",
        "seqlock",
        "lamport_fast",
        "handover",
    ];
    for name in programs {
        let read = benchmark(name, &[]);
        for model in ["sc", "tso", "pso"] {
            let found = read.check(model, Limits::default()).expect(name);
            assert_eq!(word(&found.verdict), "SAFE", "{name} on {model}");
        }
    }
}

/// Cubes of the proof for SC are enough for the proof on TSO and PSO; and a query for each cube finds what
/// all-SAT finds.
#[test]
fn every_method_proves_the_benchmarks() {
    let small = ["abp", "dekker", "peterson", "szymanski"];
    let large = ["ticket", "bakery", "queue"];
    let by_cubes = small.iter().chain(&large);
    let rows = by_cubes
        .map(|name| (*name, AbstractionMethod::Cubes))
        .chain(small.iter().map(|name| (*name, AbstractionMethod::Search)));
    for (name, method) in rows {
        let read = benchmark_with(name, &[], |options| options.method = method);
        for model in ["tso", "pso"] {
            let found = read.check(model, Limits::default()).expect(name);
            assert_eq!(
                word(&found.verdict),
                "SAFE",
                "{name} on {model} by {method:?}"
            );
            assert_eq!(found.method, method);
            assert_eq!(found.lifted.is_some(), method == AbstractionMethod::Cubes);
        }
    }
}

/// The Boolean program does not depend on how many threads build it.
#[test]
fn the_boolean_program_is_the_same_with_any_number_of_threads() {
    for name in ["ticket", "szymanski"] {
        let texts: Vec<String> = [1, 2, 4]
            .into_iter()
            .map(|jobs| {
                let read = benchmark_with(name, &[], |options| options.jobs = jobs);
                read.boolean("tso", Limits::default()).expect(name)
            })
            .collect();
        assert!(texts[0] == texts[1] && texts[0] == texts[2], "{name}");
    }
}

/// Two stores without a fence need two entries: the bound is raised.
#[test]
fn the_bound_of_the_buffers_is_raised() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint x, y;\n\
         void *f(void *arg) { x = 1; y = 1; return 0; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int b = y; int a = x;\n\
         assert(b == 0 || a == 1); return 0; }\n";
    let predicates = "x == 1\ny == 0\nmain:b == 0\nmain:a == 1\n";
    for (model, bound, expected, used) in [
        ("tso", BufferBound::Auto, "SAFE", 2),
        ("pso", BufferBound::Auto, "UNSAFE", 1),
        (
            "tso",
            BufferBound::Fixed(1),
            "UNKNOWN: a store buffer holds more than 1 entries; --buffer 2 may do",
            1,
        ),
    ] {
        let mut options = options(predicates, 1);
        options.buffer = bound;
        let read = Abstraction::read(&Input::text("mp.c", text), &options).expect("supported");
        let found = read.check(model, Limits::default()).expect("supported");
        assert_eq!(word(&found.verdict), expected, "{model}");
        assert_eq!(found.buffer, Some(used), "{model}");
    }
}

/// Exit codes of the command line.
#[test]
fn the_command_line_has_the_exit_codes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benchmarks/abstraction/");
    let peterson = [
        format!("{folder}peterson.c"),
        format!("--predicates={folder}peterson.preds"),
    ];
    let rows: [(&[&str], i32, &str); 5] = [
        (&["--mm=pso"], 0, "SAFE"),
        (&["--mm=tso", "-DFENCE_LOOK=0"], 10, "UNSAFE"),
        (&["--mm=rmo"], 2, ""),
        (&["--buffer=9"], 1, ""),
        (&["--mm=tso", "--emit=predicates"], 0, "flag0 == 0"),
    ];
    for (options, code, line) in rows {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wmbmc"));
        let found = command
            .arg("abstract")
            .args(&peterson)
            .args(options)
            .output();
        let found = found.expect("it runs");
        assert_eq!(found.status.code(), Some(code), "{options:?}");
        let text = String::from_utf8(found.stdout).expect("output is UTF-8");
        assert_eq!(text.lines().next().unwrap_or_default(), line, "{options:?}");
    }
}

/// Sec. 2.3 of the paper: fifteen predicates from the eight of Sec. 2.1, in the project's names.
#[test]
fn the_paper_s_predicates_are_extrapolated() {
    let mut found = benchmark("abp", &[])
        .predicates("pso", Limits::default())
        .expect("it is supported");
    let mut expected = [
        "Msg == 0",
        "Ack == 0",
        "sender:lSSt == 0",
        "sender:lAck == 0",
        "receiver:lMsg == 0",
        "receiver:lRSt == 0",
        "receiver:lRCnt == sender:lSCnt",
        "receiver:lRCnt + 1 == sender:lSCnt",
        "Msg_cnt.sender == 0",
        "Msg_cnt.sender == 1",
        "Ack_cnt.receiver == 0",
        "Ack_cnt.receiver == 1",
        "Msg_1.sender == 0",
        "Ack_1.receiver == 0",
        "overflow == 0",
    ];
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

/// The values of everything; a variable that no thread touches is not part of the program.
fn random_predicates(text: &str) -> String {
    let used = |v: &&&str| {
        !matches!(**v, "x" | "y")
            || text.contains(&format!("{v} ="))
            || text.contains(&format!("= {v}"))
    };
    let all = ["x", "y", "r0", "r1", "t0:a", "t1:a", "main:u", "main:v"];
    let values = |v: &str| format!("{v} == 0\n{v} == 1\n{v} == 2\n");
    all.iter().filter(used).map(|v| values(v)).collect()
}

/// The bounded checker on the program on TSO and PSO, and on the reduced program on SC, agree.
#[test]
fn the_reduction_agrees_with_the_bounded_checker() {
    let mut random = Random::new(7);
    let mut violated = 0;
    for i in 0..12 {
        let text = random_program(&mut random);
        let read = Abstraction::read(&Input::text("r.c", text.as_str()), &options("", 3));
        let read = read.unwrap_or_else(|e| panic!("{e}\n{text}"));
        for model in ["tso", "pso"] {
            let reduced = read.reduced_c(model).expect("it is supported");
            let direct = bounded("r.c", &text, model);
            let by_buffers = bounded("reduced.c", &reduced, "sc");
            assert_eq!(direct, by_buffers, "{i} on {model}\n{text}\n{reduced}");
            violated += usize::from(!direct);
        }
    }
    assert!(violated > 2, "only {violated} violations");
}

/// What the abstraction decides on random programs is what the bounded checker says.
#[test]
fn the_abstraction_agrees_with_the_bounded_checker() {
    let mut random = Random::new(11);
    let (mut safe, mut unsafe_) = (0, 0);
    for i in 0..40 {
        let text = random_program(&mut random);
        let mut options = options(&random_predicates(&text), 3);
        options.method = [
            AbstractionMethod::Predicates,
            AbstractionMethod::Cubes,
            AbstractionMethod::Auto,
            AbstractionMethod::Search,
        ][i % 4];
        let read = Abstraction::read(&Input::text("r.c", text.as_str()), &options);
        let read = read.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let model = ["sc", "tso", "pso"][i % 3];
        let found = read
            .check(model, Limits::seconds(60.0))
            .expect("it is supported");
        match found.verdict {
            AbstractionVerdict::Safe => {
                safe += 1;
                assert!(bounded("r.c", &text, model), "{i} on {model}\n{text}");
            }
            AbstractionVerdict::Unsafe { .. } => {
                unsafe_ += 1;
                assert!(!bounded("r.c", &text, model), "{i} on {model}\n{text}");
            }
            _ => {}
        }
    }
    assert!(safe > 8 && unsafe_ > 4, "{safe} safe, {unsafe_} unsafe");
}

/// A nondeterministic unsigned number is no integer that may be negative.
#[test]
fn nondeterministic_unsigned_numbers_are_refused() {
    for (ty, choice, condition) in [
        ("unsigned", "__VERIFIER_nondet_uint()", "y >= 1u"),
        ("unsigned char", "__VERIFIER_nondet_uchar()", "y < 256"),
    ] {
        let text = format!(
            "#include <assert.h>\n#include <pthread.h>\n{ty} {};\n{ty} x;\n\
             void *f(void *arg) {{ x = {choice}; return 0; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);\n\
             {ty} y = x; assert({condition}); return 0; }}\n",
            choice.replace("()", "(void)")
        );
        let read = Abstraction::read(&Input::text("u.c", text.as_str()), &options("x == 0", 1));
        let error = read.err().unwrap_or_else(|| panic!("accepted:\n{text}"));
        assert!(error.to_string().contains("nondeterministic"), "{error}");
    }
}

/// Wrong lines of a predicates file are refused at their place.
#[test]
fn wrong_predicates_are_refused() {
    let program = "#include <pthread.h>\nint x, q[2];\nvoid *f(void *p) { int l = 0; x = l; q[0] = l; q[1] = l; return 0; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }\n";
    let rows = [
        ("z == 0", "there is no shared variable `z`"),
        ("l == 0", "there is no shared variable `l`"),
        ("g:l == 0", "there is no thread `g`"),
        ("f:m == 0", "thread `f` has no local `m`"),
        ("q[2] == 0", "there is no shared variable `q[2]`"),
        ("q[x] == 0", "an index has to be a constant"),
        ("q[0 == 0", "expected `]`, found `==`"),
        ("x = 0", "`=` assigns; a condition compares with `==`"),
        ("x++ == 0", "`++` assigns; a condition has no effects"),
        ("f(x) == 0", "`f(`: a condition calls nothing"),
        ("x", "this is a number, not a condition"),
        ("x + 1", "this is a number, not a condition"),
        ("x && x == 1", "this is a number, not a condition"),
        ("!x", "this is a number, not a condition"),
        ("(x == 0) + 1 == 2", "this is a condition, not a number"),
        (
            "x * q[0] == 0",
            "conditions are linear: one factor has to be a constant",
        ),
        ("x / 2 == 0", "conditions are linear: there is no division"),
        (
            "x & 1 == 0",
            "`&` is an operator on bits; conditions have `&&`",
        ),
        ("x == ", "the condition ends too early"),
        ("x == 0)", "`)` does not belong to the condition"),
        ("(x == 0", "expected `)`, found the end of the line"),
        (
            "x == 99999999999999999999999",
            "`99999999999999999999999` is no number that is understood here",
        ),
        ("x == \u{e9}", "`\u{e9}` is not part of a condition"),
        ("x == x", "this condition never changes"),
        ("invariant", "the condition ends too early"),
    ];
    for (line, message) in rows {
        let file = format!("# first\nx == 0\n{line}\n");
        let read = Abstraction::read(&Input::text("p.c", program), &options(&file, 1));
        let Err(Error::Refused(refused)) = read else {
            panic!("{line}: accepted");
        };
        assert_eq!(refused.diags.len(), 1, "{line}");
        let diag = &refused.diags[0];
        assert_eq!(diag.message, message, "{line}");
        let span = diag.labels[0].0;
        assert_eq!(
            refused.sources.line_col(span.file, span.start).line,
            3,
            "{line}"
        );
    }
}

/// What cannot be abstracted is refused at its place.
#[test]
fn unsupported_programs_are_refused() {
    let rows = [
        ("x = x * x;", "a product of two variables"),
        ("x = x / 2;", "division"),
        ("x = x & 3;", "bitwise operators on numbers"),
        ("char c = x; x = c;", "a conversion to a narrower type"),
        ("int *p = &x; if (x) p = 0; *p = 1;", "pointers as values"),
        (
            "int a[2]; a[x] = 1;",
            "objects that are allocated, and locals whose address is taken",
        ),
    ];
    for (body, what) in rows {
        let text = format!("int x;\nint main(void) {{ {body} return 0; }}\n");
        let read = Abstraction::read(&Input::text("p.c", text), &options("", 1));
        let Err(Error::Refused(refused)) = read else {
            panic!("{body}: accepted");
        };
        let message = format!("predicate abstraction does not support {what}");
        assert_eq!(refused.diags[0].message, message, "{body}");
        assert!(!refused.diags[0].labels.is_empty(), "{body}");
    }
}
