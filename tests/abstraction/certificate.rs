//! Certificates of predicate abstraction: those of the benchmarks are accepted, and z3 agrees with every
//! entailment; what is broken in any way is rejected, at its place.

use wmbmc::driver::abstraction::{
    Abstraction, AbstractionCertificate, AbstractionOptions, AbstractionVerdict, BufferBound,
    ValidCertificate,
};
use wmbmc::{Error, Input, Limits};

fn read(name: &str, defines: &[&str]) -> Abstraction {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benchmarks/abstraction/");
    let mut options = AbstractionOptions::default();
    options.predicates = Some(Input::file(format!("{folder}{name}.preds")));
    options.program.c.defines = defines.iter().map(|d| d.to_string()).collect();
    options.certificate = true;
    let input = Input::file(format!("{folder}{name}.c"));
    Abstraction::read(&input, &options).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn inline(text: &str, predicates: &str, buffer: BufferBound) -> Abstraction {
    let mut options = AbstractionOptions::default();
    options.predicates = Some(Input::text("p.preds", predicates));
    options.buffer = buffer;
    options.certificate = true;
    let read = Abstraction::read(&Input::text("p.c", text), &options);
    read.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn certificate(read: &Abstraction, model: &str) -> String {
    let found = read.check(model, Limits::default()).expect("supported");
    assert!(
        matches!(found.verdict, AbstractionVerdict::Safe),
        "on {model}"
    );
    let text = found.certificate.expect("the answer is safe");
    text.unwrap_or_else(|e| panic!("on {model}: {e}"))
}

fn check(read: &Abstraction, text: &str) -> Result<AbstractionCertificate, Error> {
    read.check_certificate(&Input::text("proof", text), None)
}

fn accepted(read: &Abstraction, text: &str) -> ValidCertificate {
    match check(read, text) {
        Ok(AbstractionCertificate::Valid(valid)) => valid,
        Ok(other) => panic!("{other:?}"),
        Err(error) => panic!("{error}"),
    }
}

/// Why a certificate is rejected: that it is invalid, or cannot be read; nothing when it is accepted.
fn rejected(read: &Abstraction, text: &str) -> Option<String> {
    match check(read, text) {
        Ok(AbstractionCertificate::Valid(_)) => None,
        Ok(AbstractionCertificate::Invalid { reason }) => Some(format!("INVALID: {reason}")),
        Ok(_) => panic!("another answer"),
        Err(error) => Some(error.to_string()),
    }
}

fn is_cube(line: &str) -> bool {
    !line.is_empty() && line.bytes().all(|b| b"+-.".contains(&b))
}

/// The text without a line, the number of cubes adjusted.
fn without(text: &str, line: usize) -> String {
    let lines = text.lines().enumerate().filter(|(i, _)| *i != line);
    let lines: Vec<&str> = lines.map(|(_, l)| l).collect();
    let cubes = lines.iter().filter(|l| is_cube(l)).count();
    let kept = lines.iter().filter(|l| !l.starts_with("end"));
    let kept: String = kept.map(|l| format!("{l}\n")).collect();
    format!("{kept}end {cubes}\n")
}

fn replaced(text: &str, line: usize, by: &str) -> String {
    let lines = text.lines().enumerate();
    let lines = lines.map(|(i, l)| if i == line { by } else { l });
    lines.map(|l| format!("{l}\n")).collect()
}

const BENCHMARKS: [(&str, &[&str]); 4] = [
    ("abp", &["sc", "tso", "pso"]),
    ("peterson", &["sc", "tso", "pso"]),
    ("dekker", &["sc", "tso", "pso"]),
    ("ticket", &["sc", "pso"]),
];

/// Every certificate is accepted, z3 agrees, and no cube or literal can be changed.
#[test]
fn certificates_of_the_benchmarks() {
    let mut script = String::new();
    let mut entailments = 0;
    for (name, models) in BENCHMARKS {
        let read = read(name, &[]);
        for model in models {
            let text = certificate(&read, model);
            let valid = accepted(&read, &text);
            assert_eq!(valid.model, *model);
            assert_eq!(valid.buffer.is_none(), *model == "sc");
            let own = valid.script();
            entailments += own.matches("(check-sat)").count();
            script += &own;

            let lines: Vec<&str> = text.lines().collect();
            let cubes: Vec<usize> = (0..lines.len()).filter(|i| is_cube(lines[*i])).collect();
            assert_eq!(cubes.len(), valid.cubes);
            for at in (0..8).map(|i| cubes[i * (cubes.len() - 1) / 7]) {
                let reason = rejected(&read, &without(&text, at));
                assert!(
                    reason.is_some(),
                    "{name} on {model} without line {}",
                    at + 1
                );

                let known = lines[at].find(['+', '-']).expect("something is known");
                let sign = if lines[at].as_bytes()[known] == b'+' {
                    "-"
                } else {
                    "+"
                };
                let mut flipped = lines[at].to_string();
                flipped.replace_range(known..=known, sign);
                let reason = rejected(&read, &replaced(&text, at, &flipped));
                let reason = reason.unwrap_or_else(|| panic!("{name} on {model}: line {}", at + 1));
                assert!(reason.starts_with("INVALID: "), "{reason}");
            }
        }
    }
    assert!(entailments > 500);
    let Some(answers) = support::z3(script) else {
        return;
    };
    assert_eq!(answers.len(), entailments);
    let other = answers.iter().find(|a| *a != "unsat");
    assert_eq!(other, None);
}

/// States about which nothing is known are closed under every step; what is wrong with them is that
/// assertions fail.
#[test]
fn a_closed_set_is_not_enough() {
    let read = read("peterson", &[]);
    let text = certificate(&read, "pso");
    let unknown = |l: &str| {
        if is_cube(l) {
            ".".repeat(l.len())
        } else {
            l.to_string()
        }
    };
    let text: String = text.lines().map(|l| unknown(l) + "\n").collect();
    let reason = rejected(&read, &text).expect("assertions may fail");
    assert!(reason.starts_with("INVALID: line "), "{reason}");
    assert!(reason.contains("safety: in this cube"), "{reason}");
}

/// The proof of a program with its fences is none of the program without one of them.
#[test]
fn certificates_of_other_programs_are_rejected() {
    let fenced = read("peterson", &[]);
    let unfenced = read("peterson", &["FENCE_LOOK=0"]);
    for model in ["tso", "pso"] {
        let text = certificate(&fenced, model);
        let reason = rejected(&unfenced, &text);
        assert!(reason.is_some(), "{model}");
    }
    // On SC the fence is not needed, and the certificate of each is accepted.
    accepted(&unfenced, &certificate(&unfenced, "sc"));
    let text = certificate(&read("abp", &[]), "tso");
    let reason = rejected(&fenced, &text).expect("it is about other threads");
    assert!(
        reason.contains("the threads of the program are"),
        "{reason}"
    );
}

/// Other models and buffers of other bounds are other programs.
#[test]
fn certificates_are_of_a_model_and_a_bound() {
    let read = read("abp", &[]);
    let text = certificate(&read, "tso");
    let rows = [
        ("buffer 1", "buffer 0", "which does not fit"),
        ("buffer 1", "buffer 65", "a buffer has at most 64 entries"),
        ("buffer 1", "buffer x", "a buffer has at most 64 entries"),
        ("model tso", "model pso", "there is no shared variable"),
        ("model tso", "model sc", "which does not fit"),
        ("model tso", "model rmo", "cannot be abstracted on `rmo`"),
    ];
    for (line, by, expected) in rows {
        let changed = text.replacen(line, by, 1);
        let reason = rejected(&read, &changed).unwrap_or_else(|| panic!("{by} is accepted"));
        assert!(reason.contains(expected), "{by}: {reason}");
    }
    // That no buffer has more than one entry is true of larger buffers as well.
    let larger = accepted(&read, &text.replacen("buffer 1", "buffer 2", 1));
    assert_eq!(larger.buffer, Some(2));
    let error = read.check_certificate(&Input::text("proof", text.as_str()), Some("pso"));
    let error = error.expect_err("it is for tso").to_string();
    assert!(
        error.contains("the certificate is for `tso`, not `pso`"),
        "{error}"
    );
}

/// A join and an atomic section that are not there are missed.
#[test]
fn joins_and_atomic_sections_are_needed() {
    let text = |before: &str, join: &str, after: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\n\
             extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
             int x, y, r;\n\
             void *f(void *arg) {{ {before} x = 1; y = 1; {after} r = 1; return 0; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0);\n\
             __VERIFIER_atomic_begin(); int a = x; int b = y; __VERIFIER_atomic_end();\n\
             assert(a == b); {join} int c = r; assert(c == 1); return 0; }}\n"
        )
    };
    let (begin, end) = ("__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();");
    let predicates = "x == 0\nx == 1\ny == 0\ny == 1\nr == 1\nmain:a == 0\nmain:a == 1\n\
                      main:b == 0\nmain:b == 1\nmain:c == 1\n";
    let join = "pthread_join(t, 0);";
    let of = |text: String| inline(&text, predicates, BufferBound::Auto);
    let right = of(text(begin, join, end));
    let wrong = [
        of(text("", join, "")),
        of(text(begin, "", end)),
        of(text(begin, "c = 0;", end).replace("c = 0;", "")),
    ];
    for model in ["sc", "tso", "pso"] {
        let proof = certificate(&right, model);
        accepted(&right, &proof);
        for (i, wrong) in wrong.iter().enumerate() {
            assert!(rejected(wrong, &proof).is_some(), "{i} on {model}");
        }
    }
}

/// A bound of two is proved with two cells, and the elements of arrays have buffers.
#[test]
fn larger_buffers_and_arrays_have_certificates() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint x, q[2];\n\
         void *f(void *arg) { q[0] = 1; q[1] = 1; x = 1; return 0; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int b = x; int a = q[1];\n\
         assert(b == 0 || a == 1); return 0; }\n";
    let predicates = "q[0] == 1\nq[1] == 1\nx == 0\nmain:b == 0\nmain:a == 1\n";
    let read = inline(text, predicates, BufferBound::Auto);
    let proof = certificate(&read, "tso");
    assert!(proof.contains("\nbuffer 3\n"), "{proof}");
    accepted(&read, &proof);
    let shorter = proof.replacen("buffer 3", "buffer 2", 1);
    let reason = rejected(&read, &shorter).expect("there are no third cells");
    assert!(
        reason.contains("there is no shared variable `lhs_3.f`"),
        "{reason}"
    );

    let fenced = text.replace("q[1] = 1;", "q[1] = 1; __sync_synchronize();");
    let read = inline(&fenced, predicates, BufferBound::Auto);
    let proof = certificate(&read, "pso");
    assert!(proof.contains("q[1]_1.f == 1"), "{proof}");
    accepted(&read, &proof);
}

/// Invariants of the predicates file are proved, and a wrong one is not.
#[test]
fn invariants_are_part_of_a_certificate() {
    let read = read("abp", &[]);
    let proof = certificate(&read, "pso");
    let valid = accepted(&read, &proof);
    assert_eq!(valid.invariants.len(), 1);
    let line = proof
        .lines()
        .find(|l| l.starts_with("invariant"))
        .expect("it is there");
    let wrong = "invariant receiver:lRCnt == sender:lSCnt";
    let reason = rejected(&read, &proof.replacen(line, wrong, 1)).expect("it does not hold");
    assert!(reason.contains("safety: in this cube"), "{reason}");
    assert!(reason.contains("the invariant: "), "{reason}");
}

/// What cannot be read is refused at its line.
#[test]
fn broken_text_is_refused_at_its_line() {
    let read = read("peterson", &[]);
    let text = certificate(&read, "tso");
    let number = |start: &str| {
        text.lines()
            .position(|l| l.starts_with(start))
            .expect(start)
    };
    let (predicate, at) = (number("predicate"), number("at "));
    let cube = text.lines().position(is_cube).expect("there are cubes");
    let end = number("end ");
    let line = |i: usize| text.lines().nth(i).expect("it is there").to_string();
    let longer = line(cube) + "+";
    let strange = line(cube).replacen(['+', '-', '.'], "?", 1);
    let threads = line(at).split(' ').count() - 1;
    let rows: Vec<(usize, String, String)> = vec![
        (
            0,
            "wmbmc abstraction certificate 9".into(),
            "the first line is".into(),
        ),
        (1, "modle tso".into(), "expected a line `model ..`".into()),
        (2, "buffer".into(), "expected a line `buffer ..`".into()),
        (
            3,
            "threads main".into(),
            "the threads of the program are".into(),
        ),
        (
            predicate,
            "predicate".into(),
            "this line cannot be read here".into(),
        ),
        (
            predicate,
            "predicate turn".into(),
            "this is a number, not a condition".into(),
        ),
        (
            predicate,
            "predicate turn == ".into(),
            "the condition ends too early".into(),
        ),
        (
            predicate,
            "predicate nothing == 0".into(),
            "there is no shared variable `nothing`".into(),
        ),
        (predicate, "predicate turn = 0".into(), "`=` assigns".into()),
        (at, "at".into(), "this line cannot be read here".into()),
        (
            at,
            "at 0".into(),
            format!("expected a location for each of {threads} threads"),
        ),
        (
            at,
            line(at).replace(' ', " 9999"),
            "has no location `9999".into(),
        ),
        (at, line(at).replace(' ', " x"), "has no location `x".into()),
        (cube, longer, "expected a cube, a sign for each of".into()),
        (cube, strange, "`?` is none of `+`, `-`, `.`".into()),
        (
            cube,
            "predicate turn == 7".into(),
            "predicates come before states".into(),
        ),
        (end, "end 1".into(), "cubes before this line".into()),
        (end, String::new(), "expected a cube".into()),
    ];
    for (at, by, expected) in rows {
        let changed = replaced(&text, at, &by);
        let Err(Error::Refused(refused)) = check(&read, &changed) else {
            panic!("`{by}` is not refused");
        };
        let diag = &refused.diags[0];
        assert!(diag.message.contains(&expected), "`{by}`: {}", diag.message);
        let span = diag.labels[0].0;
        let place = refused.sources.line_col(span.file, span.start).line as usize;
        assert_eq!(place, at + 1, "`{by}`");
    }
    let truncated = text.rsplit_once("end").expect("it ends").0;
    let reason = rejected(&read, truncated).expect("it is truncated");
    assert!(reason.contains("ends without its line `end`"), "{reason}");
    let more = rejected(&read, &format!("{text}at 0\n")).expect("there is more");
    assert!(more.contains("nothing follows the line `end`"), "{more}");
}

/// On the command line: the certificate is written, checked, and rejected for another program.
#[test]
fn the_command_line_writes_and_checks_certificates() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let program = "benchmarks/abstraction/peterson.c";
    let run = |args: &[&str]| {
        let output = support::wmbmc(args);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        (output.status.code(), text + &errors)
    };
    let predicates = "--predicates=benchmarks/abstraction/peterson.preds";
    let to = format!("--certificate={}", path("p.proof"));
    let (code, _) = run(&["abstract", program, predicates, "--mm=tso,pso", &to]);
    assert_eq!(code, Some(0));
    let (tso, script) = (path("p.tso.proof"), path("p.smt2"));
    assert!(std::fs::exists(path("p.pso.proof")).expect("readable"));
    let smt2 = format!("--smt2={script}");
    let (code, text) = run(&["check-certificate", program, &tso, &smt2]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("VALID: ") && text.contains(" is safe on tso, for store buffers"));
    let script = std::fs::read_to_string(script).expect("it is written");
    assert!(script.contains("(check-sat)"));
    let rows: [(&[&str], i32, &str); 5] = [
        (&[program, &tso, "--mm=pso"], 2, "is for `tso`, not `pso`"),
        (&[program, &tso, "-DFENCE_LOOK=0"], 10, "INVALID: "),
        (
            &["benchmarks/abstraction/abp.c", &tso],
            2,
            "the threads of the program",
        ),
        (
            &["benchmarks/parameterized/mutex_safe.cub", &tso],
            2,
            "C programs",
        ),
        (
            &["benchmarks/parameterized/mutex_safe.cub", program, "-DX"],
            1,
            "-D is about certificates of C programs",
        ),
    ];
    for (args, expected, sentence) in rows {
        let (code, text) = run(&[&["check-certificate"], args].concat());
        assert_eq!(code, Some(expected), "{args:?}: {text}");
        assert!(text.contains(sentence), "{args:?}: {text}");
    }
}
