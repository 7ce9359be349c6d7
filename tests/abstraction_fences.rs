//! Full fences that are found: how many, that each is needed, that the changed text is proved.

use wmbmc::driver::abstraction::{
    Abstraction, AbstractionOptions, AbstractionVerdict, BufferBound, FenceOutcome, FencePlacement,
    Minimality,
};
use wmbmc::{Error, Input, Limits, Session, SessionOptions, Verdict};

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

/// A store where no statement can stand is told in words, and no wrong diff is made.
#[test]
fn a_place_without_a_statement_is_told_in_words() {
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
    assert_eq!(found.by_hand, ["sb.c:5: a full fence right after `x = 1`"]);
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
