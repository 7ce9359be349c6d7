//! Programs that are not whole: functions without a `main`, functions without a body, and the machine
//! that a program is read for.

use std::path::Path;
use std::process::{Command, Output};

#[test]
fn every_function_has_its_verdict() {
    support::check(
        &support::cases("tests/front/partial"),
        &["--timeout", "120"],
    );
}

/// Runs it in a folder with these files.
fn wmbmc(files: &[(&str, &str)], args: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("temporary files can be written");
    }
    run(folder.path(), args)
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    let command = command.current_dir(folder).args(args).env("NO_COLOR", "1");
    command.output().expect("cargo has built it")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The exit code and the text of a run.
#[track_caller]
fn expect(files: &[(&str, &str)], args: &[&str], code: i32, words: &[&str]) {
    let output = wmbmc(files, args);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{said}");
    for word in words {
        assert!(
            said.contains(word),
            "{args:?}: `{word}` is missing in\n{said}"
        );
    }
}

const SAFE: i32 = 0;
const REFUSED: i32 = 2;
const UNKNOWN: i32 = 5;
const UNSAFE: i32 = 10;

#[test]
fn a_program_without_main_is_told_what_helps() {
    let files = [("a.c", "int f(int x) { return x; }\n")];
    expect(
        &files,
        &["a.c"],
        REFUSED,
        &["--link", "--function", "--parallel"],
    );
}

/// What makes the object of functions is proposed, and functions of a header can be checked.
#[test]
fn what_makes_an_object_is_proposed() {
    let header = "#include <stdlib.h>\n\
                  struct queue { int head, tail; };\n\
                  static struct queue *queue_open(void) { return calloc(1, sizeof(struct queue)); }\n\
                  static void queue_init(struct queue *q) { q->head = q->tail = 0; }\n\
                  static void push(struct queue *q) { q->tail++; }\n\
                  static void pop(struct queue *q) { q->head++; }\n";
    let files = [("queue.h", header)];
    let proposed = ["`--setup queue_init`", "`--setup queue_open`"];
    expect(
        &files,
        &["queue.h", "--parallel", "push,pop"],
        SAFE,
        &proposed,
    );
    let made = ["is what `queue_open` returns"];
    let arguments = ["queue.h", "--setup", "queue_open", "--parallel", "push,pop"];
    expect(&files, &arguments, SAFE, &made);
    let arguments = ["queue.h", "--setup", "queue_init", "--parallel", "push,pop"];
    let output = wmbmc(&files, &arguments);
    assert!(!text(&output).contains("--setup"), "{}", text(&output));
    expect(&files, &["queue.h", "--function", "push"], SAFE, &proposed);
    expect(&files, &["queue.h"], REFUSED, &["--function"]);
    let files = [
        (
            "a.c",
            "struct s { int x; };\nvoid f(struct s *p) { p->x = 1; }\n",
        ),
        (
            "b.c",
            "struct s { int x; };\nvoid f_init(struct s *p) { p->x = 0; }\n",
        ),
    ];
    let arguments = ["a.c", "b.c", "--link", "--function", "f"];
    expect(&files, &arguments, SAFE, &["`--setup f_init`"]);
}

#[test]
fn unknown_functions_are_refused_with_the_nearest_name() {
    let files = [("a.c", "int push(int x) { return x; }\nint other(void);\n")];
    let near = ["`psh`", "did you mean `push`?"];
    expect(&files, &["a.c", "--function", "psh"], REFUSED, &near);
    expect(&files, &["a.c", "--parallel", "push,psh"], REFUSED, &near);
    let late = ["a.c", "--parallel", "push", "--finally", "psh"];
    expect(&files, &late, REFUSED, &near);
    let bodiless = ["`other`", "a.c:2:5", "--link"];
    expect(&files, &["a.c", "--function", "other"], REFUSED, &bodiless);
}

#[test]
fn parameters_that_cannot_be_made_are_refused_at_their_place() {
    let file = "struct unknown;\n\
                void callback(int n, void (*f)(int)) { f(n); }\n\
                int incomplete(struct unknown *p) { return p != 0; }\n\
                int variadic(int n, ...) { return n; }\n\
                int wide(long double x) { return x > 0; }\n";
    let files = [("a.c", file)];
    let refused = |name: &str, words: &[&str]| {
        expect(&files, &["a.c", "--function", name], REFUSED, words);
    };
    refused("callback", &["`f` of `callback`", "a.c:2:22"]);
    refused(
        "incomplete",
        &["`p` of `incomplete`", "incomplete type", "a.c:3:16"],
    );
    refused("variadic", &["`variadic`", "a.c:4:"]);
    refused("wide", &["`x` of `wide`", "a.c:5:10"]);
}

#[test]
fn the_verdict_says_what_is_assumed() {
    let file = "struct s { int x; struct s *next; };\n\
                void init(struct s *s) { s->x = 0; }\n\
                void f(struct s *s, int *p, char *name, int n) { s->x = *p + name[0] + n; }\n";
    let files = [("a.c", file)];
    let args = ["a.c", "--function", "f", "--setup", "init"];
    let words = [
        "variables have their initial values",
        "any arguments of `f`, `init`",
        "`s` of `f`, `s` of `init` is one object",
        "`p` of `f`",
        "a string of at most 8 characters",
        "2 steps deep",
    ];
    expect(&files, &args, SAFE, &words);
    let json = wmbmc(&files, &[&args[..], &["--format", "json"]].concat());
    let object: serde_json::Value = serde_json::from_slice(&json.stdout).expect("it is JSON");
    let said = object["assumptions"].as_array().expect("it is a list");
    assert!(
        said.iter()
            .any(|s| s.as_str().is_some_and(|s| s.contains("any arguments")))
    );
    let whole = [("a.c", "int main(void) { return 0; }\n")];
    let json = wmbmc(&whole, &["a.c", "--format", "json"]);
    assert!(!text(&json).contains("assum"));
}

#[test]
fn functions_of_several_files_are_checked() {
    let header = "struct s { int x; };\nvoid init(struct s *);\nvoid inc(struct s *);\n";
    let a = "#include <assert.h>\n#include \"s.h\"\nvoid init(struct s *s) { s->x = 0; }\n\
             void check(struct s *s) { assert(s->x == 2); }\nstatic void own(void) {}\n";
    let b = "#include \"s.h\"\nvoid inc(struct s *s) { s->x++; }\nstatic void own(void) {}\n";
    let files = [("s.h", header), ("a.c", a), ("b.c", b)];
    let harness = [
        "--setup",
        "init",
        "--parallel",
        "inc,inc",
        "--finally",
        "check",
    ];
    let args = [&["a.c", "b.c", "--link"][..], &harness].concat();
    expect(&files, &args, UNSAFE, &["s->x == 2"]);
    let one = ["--setup", "init", "--function", "inc", "--finally", "check"];
    expect(
        &files,
        &[&["a.c", "b.c", "--link"][..], &one].concat(),
        UNSAFE,
        &[],
    );
    let own = ["a.c", "b.c", "--link", "--function", "own"];
    expect(&files, &own, REFUSED, &["a.c:5", "b.c:3"]);
}

#[test]
fn checks_are_those_of_programs_without_assertions() {
    let files = [("a.c", "static int x;\nvoid f(void) { x++; }\n")];
    expect(
        &files,
        &["a.c", "--parallel", "f,f"],
        UNSAFE,
        &["data race"],
    );
    expect(&files, &["a.c", "--parallel", "f"], SAFE, &["deadlocks"]);
}

#[test]
fn options_that_contradict_one_another_are_refused() {
    let files = [("a.c", "void f(void) {}\nint main(void) { return 0; }\n")];
    for args in [
        &["--function", "f", "--parallel", "f"][..],
        &["--setup", "f"],
        &["--finally", "f"],
        &["--function", "f", "--args", "1"],
        &["--target", "x86_64", "--data-model", "ilp32"],
    ] {
        expect(&files, &[&["a.c"][..], args].concat(), 1, &[]);
    }
    expect(&files, &["a.c", "--function", "main"], REFUSED, &["`main`"]);
}

const CALLER: &str = "#include <assert.h>\nint read_it(int *);\n\
                      int main(void) { int x = 1; int n = read_it(&x); assert(x == 1 && n == n); }\n";

#[test]
fn the_unknown_names_the_flag_that_helps() {
    let files = [("a.c", CALLER)];
    let flags = ["read_it", "--havoc read_it", "--stub"];
    expect(&files, &["a.c"], UNKNOWN, &flags);
    let assumed = ["assumed: `read_it` returns any value and writes nothing"];
    expect(&files, &["a.c", "--havoc", "read_it"], SAFE, &assumed);
}

#[test]
fn havoc_is_for_functions_without_a_body() {
    let files = [("a.c", CALLER)];
    let near = ["did you mean `read_it`?"];
    expect(&files, &["a.c", "--havoc", "readit"], REFUSED, &near);
    let body = [(
        "a.c",
        "int f(void) { return 1; }\nint main(void) { return f(); }\n",
    )];
    expect(&body, &["a.c", "--havoc", "f"], REFUSED, &["a.c:1:5"]);
}

#[test]
fn a_stub_gives_bodies() {
    let stub = "int read_it(int *p) { *p = 2; return 0; }\n";
    let files = [("a.c", CALLER), ("stub.c", stub)];
    expect(&files, &["a.c", "--stub", "stub.c"], UNSAFE, &["x == 1"]);
    let twice = "int read_it(int *p) { return 0; }\nint main(void) { return 0; }\n";
    let files = [("a.c", CALLER), ("stub.c", twice)];
    expect(
        &files,
        &["a.c", "--stub", "stub.c"],
        REFUSED,
        &["`main` is defined twice"],
    );
}

const MACHINES: &str = "#include <assert.h>\nint main(void) {\n\
    #if defined(__x86_64__)\n  int n = 1;\n\
    #elif defined(__powerpc64__)\n  int n = 2;\n\
    #elif defined(__aarch64__)\n  int n = 3;\n\
    #elif defined(__riscv) && __riscv_xlen == 64\n  int n = 4;\n#endif\n  assert(n == N);\n}\n";

#[test]
fn a_target_has_its_macros_and_its_model() {
    let files = [("a.c", MACHINES)];
    for (target, n, model) in [
        ("x86_64", "-DN=1", "tso"),
        ("ppc64le", "-DN=2", "power"),
        ("aarch64", "-DN=3", "aarch64"),
        ("riscv64", "-DN=4", "riscv"),
    ] {
        let args = ["a.c", "--target", target, n, "--format", "json"];
        let output = wmbmc(&files, &args);
        let object: serde_json::Value =
            serde_json::from_slice(&output.stdout).expect("it is an object");
        assert_eq!(object["verdict"], "SAFE", "{target}");
        assert_eq!(object["model"], model, "{target}");
        let assumed = object["assumptions"]
            .to_string()
            .contains("`char` is signed");
        assert_eq!(assumed, target != "x86_64", "{target}");
    }
}

#[test]
fn programs_for_x86_are_warned_about_on_other_machines() {
    let assembly = "int main(void) { __asm__ volatile(\"mfence\" ::: \"memory\"); return 0; }\n";
    let warned = |file: &str, args: &[&str]| {
        let output = wmbmc(&[("a.c", file)], &[&["a.c"][..], args].concat());
        assert_eq!(output.status.code(), Some(SAFE), "{}", text(&output));
        text(&output).contains("warning")
    };
    for model in ["power", "power2010", "rmo", "alpha"] {
        assert!(warned(assembly, &["--mm", model]), "{model}");
    }
    for model in ["sc", "tso", "pso"] {
        assert!(!warned(assembly, &["--mm", model]), "{model}");
    }
    let looks = "#ifdef __x86_64__\nint main(void) { return 0; }\n#else\n\
                 int main(void) { return 1; }\n#endif\n";
    assert!(warned(looks, &["--mm", "power"]));
    assert!(!warned(looks, &["--target", "ppc64le"]));
    assert!(!warned(looks, &["--mm", "tso"]));
    assert!(!warned(
        "int main(void) { return 0; }\n",
        &["--mm", "power"]
    ));
}
