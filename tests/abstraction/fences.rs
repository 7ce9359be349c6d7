//! Full fences that are found: how many, that each is needed, that the changed text is proved.

use support::Random;
use support::two_threads::bounded;
use wmbmc::driver::abstraction::{
    Abstraction, AbstractionOptions, AbstractionVerdict, BufferBound, FenceOutcome, FencePlacement,
    Minimality,
};
use wmbmc::ir::bounds::Bounds;
use wmbmc::{Input, Limits, Session, SessionOptions, Verdict};

fn options(predicates: &str) -> AbstractionOptions {
    let mut options = AbstractionOptions::default();
    options.predicates = Some(Input::text("p.preds", predicates));
    options
}

fn folder() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/benchmarks/abstraction/")
}

fn placed(name: &str, read: &Abstraction, model: &str) -> FencePlacement {
    let found = read.infer_fences(model, Limits::seconds(600.0));
    match found.unwrap_or_else(|e| panic!("{name}: {e}")) {
        FenceOutcome::Placed(placement) => *placement,
        other => panic!("{name} on {model}: {other:?}"),
    }
}

/// Two threads that store and load; without a fence in each both may read 0.
const STORE_BUFFER: &str = "#include <assert.h>\n#include <pthread.h>\nint x, y, a, b;\n\
    void *f(void *arg) {\n    x = 1;\n    a = y;\n    return 0;\n}\n\
    void *g(void *arg) {\n    y = 1;\n    b = x;\n    return 0;\n}\n\
    int main(void) {\n    pthread_t s, t;\n    pthread_create(&s, 0, f, 0);\n    \
    pthread_create(&t, 0, g, 0);\n    pthread_join(s, 0);\n    pthread_join(t, 0);\n    \
    int u = a;\n    int v = b;\n    assert(u == 1 || v == 1);\n    return 0;\n}\n";

const STORE_BUFFER_PREDICATES: &str =
    "x == 0\nx == 1\ny == 0\ny == 1\na == 1\nb == 1\nmain:u == 1\nmain:v == 1\n";

fn is_safe(name: &str, text: &str, predicates: &str, model: &str) -> bool {
    let read = Abstraction::read(&Input::text(name, text), &options(predicates));
    let read = read.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let found = read.check(model, Limits::seconds(60.0)).expect("supported");
    matches!(found.verdict, AbstractionVerdict::Safe)
}

#[test]
fn store_buffering_needs_a_fence_in_each_thread() {
    let read = Abstraction::read(
        &Input::text("sb.c", STORE_BUFFER),
        &options(STORE_BUFFER_PREDICATES),
    );
    let read = read.expect("supported");
    for model in ["tso", "pso"] {
        let found = placed("sb", &read, model);
        assert_eq!(found.minimality, Minimality::Minimum, "{model}");
        let places: Vec<&str> = found.fences.iter().map(|f| &*f.place).collect();
        assert_eq!(places, ["sb.c:5", "sb.c:10"], "{model}");
        for fence in &found.fences {
            assert!(
                matches!(fence.without, AbstractionVerdict::Unsafe { .. }),
                "{fence:?}"
            );
        }
        let added: Vec<&str> = found.diff.lines().filter(|l| l.starts_with('+')).collect();
        let fence = "+    __atomic_thread_fence(__ATOMIC_SEQ_CST);";
        assert_eq!(added, ["+++ b/sb.c", fence, fence], "{model}");
        let text = found.text.expect("both are statements");
        assert!(is_safe("sb.c", &text, STORE_BUFFER_PREDICATES, model));
        assert!(!is_safe(
            "sb.c",
            STORE_BUFFER,
            STORE_BUFFER_PREDICATES,
            model
        ));
    }
    let on_sc = placed("sb", &read, "sc");
    assert!(on_sc.fences.is_empty() && on_sc.diff.is_empty());
}

/// The printed diff is one that `patch` applies, and gives the text.
#[test]
fn the_diff_applies() {
    let have = |program: &str| {
        std::process::Command::new(program)
            .arg("--version")
            .output()
    };
    if have("patch").is_err() {
        return;
    }
    let read = Abstraction::read(
        &Input::text("sb.c", STORE_BUFFER),
        &options(STORE_BUFFER_PREDICATES),
    );
    let found = placed("sb", &read.expect("supported"), "tso");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("sb.c", STORE_BUFFER).expect("writable");
    write("sb.diff", &found.diff).expect("writable");
    let mut patch = std::process::Command::new("patch");
    let status = patch
        .args(["-p1", "-i", "sb.diff"])
        .current_dir(folder.path())
        .output();
    assert!(status.expect("it runs").status.success());
    let patched = std::fs::read_to_string(folder.path().join("sb.c")).expect("readable");
    assert_eq!(Some(patched), found.text);
}

/// One statement of a function that both threads run is one place.
#[test]
fn a_statement_of_two_threads_is_one_place() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         int flag[2], seen[2];\n\
         void try(int me) {\n    if (me >= 0) flag[me] = 1;\n    seen[me] = flag[1 - me];\n}\n\
         void *f(void *arg) { try(0); return 0; }\n\
         void *g(void *arg) { try(1); return 0; }\n\
         int main(void) {\n    pthread_t s, t;\n    pthread_create(&s, 0, f, 0);\n    \
         pthread_create(&t, 0, g, 0);\n    pthread_join(s, 0);\n    pthread_join(t, 0);\n    \
         int u = seen[0];\n    int v = seen[1];\n    assert(u == 1 || v == 1);\n    return 0;\n}\n";
    let predicates = "flag[0] == 0\nflag[0] == 1\nflag[1] == 0\nflag[1] == 1\nseen[0] == 1\n\
         seen[1] == 1\nmain:u == 1\nmain:v == 1\n";
    let read = Abstraction::read(&Input::text("one.c", text), &options(predicates));
    let found = placed("one", &read.expect("supported"), "tso");
    assert_eq!(found.fences.len(), 1);
    assert_eq!(found.minimality, Minimality::Minimum);
    let line = "+    if (me >= 0) { flag[me] = 1; atomic_thread_fence(memory_order_seq_cst); }";
    assert!(found.diff.lines().any(|l| l == line), "{}", found.diff);
    let text = found.text.expect("it is a statement");
    assert!(is_safe("one.c", &text, predicates, "tso"));
}

/// A store where no statement can stand is reported in words, and no wrong diff is made.
#[test]
fn a_place_without_a_statement_is_reported_in_words() {
    let text = STORE_BUFFER.replace(
        "    x = 1;\n    a = y;",
        "    if ((x = 1) == 1)\n        a = y;",
    );
    let read = Abstraction::read(
        &Input::text("sb.c", text.as_str()),
        &options(STORE_BUFFER_PREDICATES),
    );
    let found = placed("sb", &read.expect("supported"), "tso");
    assert_eq!(found.fences.len(), 2);
    assert_eq!(
        found.by_hand,
        ["sb.c:5: a full fence right after `(x = 1)`"]
    );
    assert_eq!(found.text, None);
    let added = found.diff.lines().filter(|l| l.starts_with("+ ")).count();
    assert_eq!(added, 1, "{}", found.diff);
}

/// Fences that are not needed go, and a macro that is a fence is one.
#[test]
fn superfluous_fences_are_removed() {
    let text = STORE_BUFFER
        .replace(
            "int x, y",
            "#define FULL __atomic_thread_fence(__ATOMIC_SEQ_CST)\nint x, y",
        )
        .replace("    a = y;", "    FULL;\n    a = y;\n    FULL;")
        .replace(
            "    b = x;",
            "    FULL; // needed\n    b = x;\n    if (1) FULL;",
        );
    let read = Abstraction::read(
        &Input::text("sb.c", text.as_str()),
        &options(STORE_BUFFER_PREDICATES),
    );
    let found = placed("sb", &read.expect("supported"), "pso");
    assert!(found.fences.iter().all(|f| f.exists), "{:?}", found.fences);
    assert_eq!(found.minimality, Minimality::Minimum);
    let changed =
        |l: &&str| l.starts_with(['+', '-']) && !l.starts_with("---") && !l.starts_with("+++");
    let changes: Vec<&str> = found.diff.lines().filter(changed).collect();
    assert_eq!(changes, ["-    FULL;", "-    if (1) FULL;"]);
}

/// What no fence helps against is shown with all of them.
#[test]
fn fences_do_not_help_everybody() {
    let text = STORE_BUFFER.replace("u == 1 || v == 1", "u == 1");
    let read = Abstraction::read(
        &Input::text("sb.c", text.as_str()),
        &options(STORE_BUFFER_PREDICATES),
    );
    let found = read
        .expect("supported")
        .infer_fences("tso", Limits::seconds(60.0));
    let Ok(FenceOutcome::NotEnough { verdict, fences }) = found else {
        panic!("{found:?}");
    };
    assert_eq!(fences, 4);
    assert!(matches!(verdict, AbstractionVerdict::Unsafe { .. }));
}

/// On the command line: what it prints, the exit code, options that exclude it.
#[test]
fn the_command_line_infers_fences() {
    let run = |options: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wmbmc"));
        let program = format!("{}peterson.c", folder());
        let predicates = format!("--predicates={}peterson.preds", folder());
        let output = command.args(["abstract", &program, &predicates, "--infer-fences"]);
        let output = output.args(options).output().expect("it runs");
        let text = String::from_utf8(output.stdout).expect("output is UTF-8");
        (output.status.code(), text)
    };
    let (code, text) = run(&["--mm=sc,pso", "-q"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(code, Some(0));
    assert_eq!(lines[1], "SAFE with 0 full fences, of 8 places");
    let on_pso = "SAFE with 6 full fences, of 8 places; with fewer there is always a violation";
    assert_eq!(lines[3], on_pso);
    let (code, text) = run(&["--mm=pso", "--format=json"]);
    let object: serde_json::Value = serde_json::from_str(&text).expect("an object");
    assert_eq!(code, Some(0));
    assert_eq!(object["minimality"], "minimum");
    assert_eq!(object["fences"].as_array().map(Vec::len), Some(6));
    assert_eq!(object["fences"][0]["without"]["verdict"], "UNSAFE");
    assert_eq!(run(&["--emit=reduced"]).0, Some(1));
    assert_eq!(run(&["--certificate=c"]).0, Some(1));
}

fn benchmark(name: &str, defines: &[&str]) -> Abstraction {
    let mut options = AbstractionOptions::default();
    options.predicates = Some(Input::file(format!("{}{name}.preds", folder())));
    options.program.c.defines = defines.iter().map(|d| d.to_string()).collect();
    let input = Input::file(format!("{}{name}.c", folder()));
    Abstraction::read(&input, &options).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// What the head of a benchmark states: `Fewest full fences: 2 on TSO, 6 on PSO`.
fn stated(name: &str, model: &str) -> usize {
    let text = std::fs::read_to_string(format!("{}{name}.c", folder())).expect("readable");
    let (_, line) = text
        .split_once("Fewest full fences: ")
        .expect("the head states it");
    let mut parts = line.lines().next().unwrap_or_default().split(", ");
    let wanted = format!(" on {}", model.to_uppercase());
    let part = parts.find_map(|p| p.trim_end_matches('.').strip_suffix(&*wanted));
    part.and_then(|n| n.parse().ok())
        .expect("a number for each model")
}

/// The fences of a benchmark on a model are as many as it states, each of them is needed, and the
/// changed text is proved.
fn has_the_stated_fences(name: &str, model: &str) -> FencePlacement {
    let read = benchmark(name, &[]);
    let found = placed(name, &read, model);
    assert_eq!(found.fences.len(), stated(name, model), "{name} on {model}");
    assert!(found.by_hand.is_empty(), "{name}: {:?}", found.by_hand);
    for fence in &found.fences {
        let shown = match &fence.without {
            AbstractionVerdict::Unsafe { steps, .. } => !steps.is_empty(),
            AbstractionVerdict::Unknown { reason, .. } => !reason.is_empty(),
            _ => false,
        };
        assert!(shown, "{name} on {model}: {fence:?}");
    }
    found
}

/// Where every placement with fewer fences has a violation, and each fence is shown to be needed by one.
#[test]
fn benchmarks_have_the_fewest_fences() {
    for (name, model) in [
        ("peterson", "pso"),
        ("dekker", "pso"),
        ("szymanski", "pso"),
        ("abp", "tso"),
        ("abp", "pso"),
        ("handover", "tso"),
        ("handover", "pso"),
    ] {
        let found = has_the_stated_fences(name, model);
        if found.fences.is_empty() {
            continue;
        }
        assert_eq!(found.minimality, Minimality::Minimum, "{name} on {model}");
        for fence in &found.fences {
            let violated = matches!(fence.without, AbstractionVerdict::Unsafe { .. });
            assert!(violated, "{name} on {model}: {fence:?}");
        }
        let text = found.text.expect("all fences are statements");
        let mut options = AbstractionOptions::default();
        options.predicates = Some(Input::file(format!("{}{name}.preds", folder())));
        options.buffer = found.buffer.map_or(BufferBound::Auto, BufferBound::Fixed);
        let again = Abstraction::read(&Input::text("again.c", text), &options).expect("supported");
        let checked = again
            .check(model, Limits::seconds(60.0))
            .expect("supported");
        assert!(
            matches!(checked.verdict, AbstractionVerdict::Safe),
            "{name} on {model}: {:?}",
            checked.verdict
        );
    }
}

/// The rows that take longer, when `WMBMC_FENCES` is set.
#[test]
fn the_other_benchmarks_have_the_fewest_fences() {
    if std::env::var_os("WMBMC_FENCES").is_none() {
        return;
    }
    for (name, model) in [
        ("peterson", "tso"),
        ("dekker", "tso"),
        ("szymanski", "tso"),
        ("ticket", "tso"),
        ("ticket", "pso"),
        ("bakery", "tso"),
        ("bakery", "pso"),
        ("lamport_fast", "tso"),
        ("lamport_fast", "pso"),
        ("seqlock", "tso"),
        ("seqlock", "pso"),
        ("queue", "tso"),
        ("queue", "pso"),
        ("ring", "pso"),
    ] {
        has_the_stated_fences(name, model);
    }
}

/// What the bounded checker says of a benchmark, its loops taken a few times; nothing when it finds no
/// violation.
fn bounded_violation(name: &str, defines: &[&str], model: &str) -> bool {
    let mut options = SessionOptions::default();
    options.program.c.defines = defines.iter().map(|d| d.to_string()).collect();
    options.program.bounded.bounds = Bounds::all(2);
    let input = Input::file(format!("{}{name}.c", folder()));
    let mut session = Session::read(&input, &options).expect(name);
    let model = wmbmc::model(model).expect("it is built in");
    let outcome = session.check(&model, Limits::seconds(60.0)).expect(name);
    matches!(outcome.verdict(), Some(Verdict::Unsafe(_)))
}

/// With one of the macros defined to 0 both threads lack a fence.
#[test]
fn broken_variants_are_unsafe() {
    for (name, defines, models) in [
        ("peterson", &["FENCE_LOOK=0"][..], &["tso", "pso"][..]),
        ("peterson", &["FENCE_STORES=0"][..], &["pso"]),
        ("peterson", &["FENCE_INSIDE=0"][..], &["pso"]),
        ("dekker", &["FENCE_FLAG=0"][..], &["tso", "pso"]),
        ("dekker", &["FENCE_AGAIN=0"][..], &["tso", "pso"]),
        ("dekker", &["FENCE_INSIDE=0", "FENCE_TURN=0"], &["pso"]),
        ("szymanski", &["FENCE_ANNOUNCE=0"][..], &["tso", "pso"]),
        ("szymanski", &["FENCE_INSIDE=0"][..], &["pso"]),
        ("ticket", &["FENCE_INSIDE=0"][..], &["pso"]),
    ] {
        for model in models {
            let read = benchmark(name, defines);
            let found = read.check(model, Limits::seconds(60.0)).expect("supported");
            assert!(
                matches!(found.verdict, AbstractionVerdict::Unsafe { .. }),
                "{name} {defines:?} on {model}: {:?}",
                found.verdict
            );
            assert!(
                bounded_violation(name, defines, model),
                "{name} {defines:?} on {model} has no violation for the bounded checker"
            );
            assert!(!bounded_violation(name, &[], model), "{name} on {model}");
        }
    }
}

/// Two threads of a few accesses; each store is followed by a name in the place of a fence. How
/// many there are, beside the text.
fn random_program(random: &mut Random) -> (String, usize) {
    let mut out = String::from("#include <assert.h>\n#include <pthread.h>\nint x, y, r0, r1;\n");
    let mut stores = 0;
    for t in 0..2 {
        out += &format!("void *t{t}(void *arg) {{\n    int a = 0;\n");
        for j in 0..3 {
            let v = random.pick(&["x", "y"]);
            out += &match random.below(5) {
                0 => format!("    a = {v};\n"),
                _ if j == 2 => format!("    a = {v};\n"),
                n => {
                    stores += 1;
                    format!("    {v} = {}; F{};\n", 1 + n % 2, stores - 1)
                }
            };
        }
        out += &format!("    r{t} = a;\n    return 0;\n}}\n");
    }
    let (a, b) = (random.below(8) / 7, random.below(8) / 7);
    out += &format!(
        "int main(void) {{\n    pthread_t p, q;\n    pthread_create(&p, 0, t0, 0);\n    \
         pthread_create(&q, 0, t1, 0);\n    pthread_join(p, 0);\n    pthread_join(q, 0);\n    \
         int u = r0;\n    int v = r1;\n    assert(!(u == {a} && v == {b}));\n    return 0;\n}}\n"
    );
    (out, stores)
}

/// The text with full fences at some of its places.
fn with_fences(text: &str, stores: usize, set: u32) -> String {
    (0..stores).fold(text.to_string(), |text, i| {
        let fence = match set >> i & 1 {
            1 => " __sync_synchronize();",
            _ => "",
        };
        text.replace(&format!(" F{i};"), fence)
    })
}

/// Against the bounded checker on every placement, from the smallest on.
#[test]
fn the_fewest_fences_agree_with_the_bounded_checker() {
    let mut random = Random::new(24);
    let (mut fenced, mut hopeless) = (0, 0);
    let values = |v: &str| format!("{v} == 0\n{v} == 1\n{v} == 2\n");
    for i in 0..60 {
        let (text, stores) = random_program(&mut random);
        let bare = with_fences(&text, stores, 0);
        let used = ["x", "y", "r0", "r1", "t0:a", "t1:a", "main:u", "main:v"];
        let used = used.iter().filter(|v| match **v {
            "x" | "y" => bare.contains(&format!(" {v} =")) || bare.contains(&format!("= {v};")),
            _ => true,
        });
        let predicates: String = used.map(|v| values(v)).collect();
        let read = Abstraction::read(&Input::text("r.c", bare.as_str()), &options(&predicates));
        let read = read.unwrap_or_else(|e| panic!("{e}\n{bare}"));
        let model = ["tso", "pso"][i % 2];
        let found = read
            .infer_fences(model, Limits::seconds(60.0))
            .expect("supported");
        let mut sets: Vec<u32> = (0..1 << stores).collect();
        sets.sort_by_key(|s| (s.count_ones(), *s));
        let is_safe = |s: &u32| bounded("r.c", &with_fences(&text, stores, *s), model);
        match found {
            FenceOutcome::Placed(placement) => {
                let least = sets.into_iter().find(is_safe).expect("a placement is safe");
                let count = u32::try_from(placement.fences.len()).expect("small");
                match placement.minimality {
                    Minimality::Minimum => assert_eq!(count, least.count_ones(), "{model}\n{bare}"),
                    _ => assert!(count >= least.count_ones(), "{model}\n{bare}"),
                }
                let text = placement.text.expect("all are statements");
                assert!(bounded("r.c", &text, model), "{model}\n{text}");
                fenced += usize::from(count > 0);
            }
            FenceOutcome::NotEnough { verdict, .. } => {
                let all = (1 << stores) - 1;
                let violated = matches!(verdict, AbstractionVerdict::Unsafe { .. });
                assert!(!violated || !is_safe(&all), "{model}\n{bare}");
                hopeless += usize::from(violated);
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(
        fenced > 2 && hopeless > 2,
        "{fenced} fenced, {hopeless} not"
    );
}
