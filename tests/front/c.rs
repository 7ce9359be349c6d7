//! The C front end and its lowering, on snippets and on the programs of the data set.

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use support::Missing;
use support::interpreter::Machine;
use wmbmc::base::diag::Diag;
use wmbmc::base::source::SourceMap;
use wmbmc::front::c::{self, ParseOptions};
use wmbmc::ir::program::{DataModel, Program};
use wmbmc::ir::{display, validate};
use wmbmc::lower::c::lower;

fn lower_file(sources: &mut SourceMap, path: &Path) -> Result<Program, Vec<Diag>> {
    lower_for(sources, path, DataModel::Lp64)
}

fn lower_for(
    sources: &mut SourceMap,
    path: &Path,
    data_model: DataModel,
) -> Result<Program, Vec<Diag>> {
    let mut options = ParseOptions::default();
    options.pointer_width = data_model.pointer_width();
    let unit = c::parse(sources, path, &options)?;
    lower(sources, &unit, data_model)
}

/// Lowers a snippet as a preprocessed file, so that no compiler is needed.
fn snippet(text: &str) -> (SourceMap, Result<Program, Vec<Diag>>) {
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    let path = dir.path().join("snippet.i");
    std::fs::write(&path, text).expect("a temporary file can be written");
    let mut sources = SourceMap::default();
    let result = lower_file(&mut sources, &path);
    (sources, result)
}

/// The first message about a snippet as `line:column message`.
fn complaint(text: &str) -> String {
    let (sources, result) = snippet(text);
    match result {
        Ok(program) => panic!("the snippet lowers:\n{program}"),
        Err(diags) => {
            let (span, _) = diags[0].labels[0];
            let at = sources.line_col(span.file, span.start);
            format!("{}:{} {}", at.line, at.col, diags[0].message)
        }
    }
}

/// The instructions of `main` in a snippet, a line each, without their indices.
fn main_of(text: &str) -> Vec<String> {
    let (sources, result) = snippet(text);
    let program = result.unwrap_or_else(|diags| {
        let text: String = diags.iter().map(|d| d.render(&sources, false)).collect();
        panic!("{text}");
    });
    validate::check(&program).expect("a lowered program is valid");
    let main = &program.procs[program.main.expect("there is a main procedure")];
    main.body
        .iter()
        .map(|i| display::op(&program, main, &i.op))
        .collect()
}

#[test]
fn wrong_programs_are_refused_with_their_place() {
    let cases = [
        ("int main() { return x; }", "1:21 `x` is not declared"),
        (
            "int main() {\n  int x = 1\n  return x; }",
            "3:3 unexpected `return`",
        ),
        (
            "int main() { foo y; }",
            "1:14 `foo` is not a type that is known here; is a header missing?",
        ),
        ("int main() { ", "1:12 unexpected end of file"),
        ("int f();", "1:1 this file has no function `main`"),
        ("", "1:1 this file has no function `main`"),
        (
            "struct s { int a; } g; int main() { return g.b; }",
            "1:46 `struct s` has no member `b`",
        ),
        (
            "struct s *p; int main() { return p->b; }",
            "1:37 `struct s` is not defined, with `b`",
        ),
        (
            "int x; int main() { return *x; }",
            "1:29 a pointer is needed here, not `int`",
        ),
        (
            "int main() { void *p = 0; return *p; }",
            "1:35 a `void *` points to nothing of a known type",
        ),
        (
            "int main() { double d = 1.5; d %= 2; }",
            "1:30 this operator needs integers",
        ),
        (
            "double d; int x; int main() { return x << d; }",
            "1:38 this operator needs integers",
        ),
        (
            "__attribute__((constructor)) void f(int n) { } int main() { }",
            "1:35 parameters with the attribute `constructor` are not supported",
        ),
        (
            "__attribute__((destructor(65536))) void f(void) { } int main() { }",
            "1:27 a priority is a number from 0 to 65535",
        ),
        (
            "void f(void) __attribute__((constructor(1)));\n__attribute__((constructor)) void f(void) { } int main() { }",
            "2:35 `f` is given several priorities",
        ),
        (
            "int main() { goto l; }",
            "1:19 there is no label `l` in this function",
        ),
        (
            "int main() { break; }",
            "1:14 `break` outside of a loop or `switch`",
        ),
        (
            "int main() { case 1: ; }",
            "1:14 `case` outside of a `switch`",
        ),
        (
            "int f(int x) { return x; } int main() { f(); }",
            "1:41 0 arguments are given where 1 are needed",
        ),
        (
            "int main() { } int main() { }",
            "1:20 `main` is defined twice",
        ),
        (
            "int x; char x; int main() { }",
            "1:13 `x` is declared as `char` here and as `int` before",
        ),
        (
            "extern volatile int x; int main() { x = 1; }",
            "1:37 `x` is declared `extern`, and no definition is here",
        ),
        (
            "int x = 1, y = x; int main() { return y; }",
            "1:16 the initial value of this variable has to be a constant",
        ),
        (
            "int a[2] = {1, 2, 3}; int main() { return a[0]; }",
            "1:19 there are more values than members here",
        ),
        (
            "_Static_assert(1 == 2, \"no\"); int main() { }",
            "1:16 static assertion failed: no",
        ),
        (
            "int main() { struct s { int a; } x, y; y = 1; }",
            "1:44 a value of type `int` cannot become `struct s`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(complaint(text), expected, "for {text}");
    }
}

#[test]
fn execution_stops_at_what_is_not_supported() {
    let program =
        "int x; __bf16 w; int main() { if (x && w) x = 2; else { x = 3; w = 1; } return x; }";
    assert_eq!(
        main_of(program),
        [
            "%0:i32 := load [&x]",
            "if (%0 == 0) goto L6",
            "unknown \"`__bf16` is not supported\"",
            "halt",
            "store [&x] := 2",
            "goto L9",
            "store [&x] := 3",
            "unknown \"`__bf16` is not supported\"",
            "halt",
            "%1:i32 := load [&x]",
            "return %1",
        ]
    );
}

#[test]
fn several_errors_are_reported() {
    let (_, result) = snippet("int f() { return a; } int main() { b = 1; c = 2; return f(); }");
    assert_eq!(result.expect_err("three names are not declared").len(), 3);
}

#[test]
fn what_is_not_used_is_not_refused() {
    let program = "double sin(double); struct b { int x : 3; }; __bf16 big; typedef float v __attribute__((vector_size(16)));
        static inline double half(double x) { return x / 2; } int main() { return 0; }";
    assert_eq!(main_of(program), ["return 0"]);
}

#[test]
fn accesses_are_instructions_in_order() {
    assert_eq!(
        main_of("int x, y; int main() { int r = x; y = r + x; return y; }"),
        [
            "%1:i32 := load [&x]",
            "r#0:i32 := %1",
            "%2:i32 := load [&x]",
            "store [&y] := (r#0 + %2)",
            "%3:i32 := load [&y]",
            "return %3",
        ]
    );
}

#[test]
fn pure_conditions_are_expressions_and_others_jumps() {
    assert_eq!(
        main_of("int main() { int a = 1, b = 2; int c = a && b; if (a || b) c = 3; }")[2..],
        [
            "c#2:i32 := zext32(((a#0 != 0) & (b#1 != 0)))",
            "if ~((a#0 != 0) | (b#1 != 0)) goto L5",
            "c#2:i32 := 3",
        ]
    );
    assert_eq!(
        main_of("int x, y; int main() { if (x && y) return 1; }"),
        [
            "%0:i32 := load [&x]",
            "if (%0 == 0) goto L5",
            "%1:i32 := load [&y]",
            "if (%1 == 0) goto L5",
            "return 1"
        ]
    );
}

#[test]
fn atomics_keep_their_orders() {
    let program = "_Atomic int x; int *_Atomic p; int main() { int e = 1;
        atomic_store_explicit(&x, 1, 3); x++; p++; atomic_fetch_add(&p, 2);
        atomic_compare_exchange_strong_explicit(&x, &e, 5, 4, 0); atomic_thread_fence(5); __sync_lock_release(&x); }";
    assert_eq!(
        main_of(program)[1..],
        [
            "store.rel [&x] := 1",
            "%1:i32 := rmw.add.sc [&x], 1",
            "%2:i64 := rmw.add.sc [&p], 4",
            "%3:i64 := rmw.add.sc [&p], 8",
            "%5:i32 := e#0",
            "%4:i32 := cas.acq_rel.rlx [&x], %5, 5",
            "e#0:i32 := %4",
            "fence c11.sc",
            "store.rel [&x] := 0",
        ]
    );
}

#[test]
fn volatile_accesses_are_accesses_of_the_machine() {
    let program = "volatile int x, a[2]; _Atomic volatile int y; int z; int *volatile p;
        struct s { int m; struct { int i; } n; } plain; volatile struct s v; typedef volatile int vint; vint w;
        int main() { volatile int r = x; x++; a[1] = r; y = 1; *(volatile int *)&z = 2; *p = 3;
            v.n.i = 4; w = 5; z = 6; }";
    assert_eq!(
        main_of(program),
        [
            "%1:i32 := load.vol [&x]",
            "r#0:i32 := %1",
            "%2:i32 := load.vol [&x]",
            "store.vol [&x] := (%2 + 1)",
            "store.vol [(&a + 4)] := r#0",
            "store.sc [&y] := 1",
            "store.vol [&z] := 2",
            "%3:i64 := load.vol [&p]",
            "store [%3] := 3",
            "store.vol [(&v + 4)] := 4",
            "store.vol [&w] := 5",
            "store [&z] := 6",
        ]
    );
}

#[test]
fn volatile_structures_are_copied_by_volatile_accesses() {
    let program = "struct s { int a, b; } p; volatile struct s v; void take(struct s x) {}
        int main() { v = p; p = v; take(v); int *q = (int *)&v.a; volatile int *r = q; q = (int *)r; }";
    let lines = main_of(program);
    let count = |text: &str| lines.iter().filter(|l| l.contains(text)).count();
    assert_eq!(count("store.vol [&v"), 1, "{lines:#?}");
    assert_eq!(count("store.vol [(&v + 4)"), 1, "{lines:#?}");
    assert_eq!(count("load.vol [&v"), 2, "{lines:#?}");
    assert_eq!(count("load.vol [(&v + 4)"), 2, "{lines:#?}");
    assert_eq!(count("load [&v"), 0, "{lines:#?}");
}

#[test]
fn a_loop_jumps_back_once() {
    let loops = [
        "while (x) { if (y) continue; if (x == 3) continue; y = 1; }",
        "do { if (y) continue; y = 1; } while (x);",
        "do { if (y) continue; y = 1; } while (x && y);",
        "do { if (y) continue; y = 1; } while (x || y);",
        "for (;;) { if (y) continue; if (x) break; y = 1; }",
        "for (int i = 0; i < 3 && y; i++) { switch (x) { case 1: continue; default: y = 2; } }",
        "while (x || y) { if (y) continue; y = 1; }",
        "while (({ int r = x; if (r) y = 1; r; })) { if (y) continue; }",
        "again: if (x) { y = 1; if (y) goto again; } else if (y) goto again;",
        "again: y = 1; if (x == 1) goto again; if (x == 2) goto again; x = 3;",
        "top: while (x) { if (y) goto top; y = 1; }",
    ];
    for text in loops {
        let program = format!("int x, y; int main() {{ {text} return 0; }}");
        let (_, result) = snippet(&program);
        let program = result.expect("the snippet lowers");
        let main = &program.procs[program.main.expect("there is a main procedure")];
        let back = main.body.iter().enumerate().filter(|(at, instr)| {
            matches!(instr.op, wmbmc::ir::program::Op::Goto { target, .. } if target <= *at)
        });
        assert_eq!(back.count(), 1, "{text}\n{program}");
    }
}

#[test]
fn destroyed_objects_are_watched_where_something_is_destroyed() {
    let head = "typedef struct { int s; } pthread_mutex_t; int pthread_mutex_lock(pthread_mutex_t *);
        int pthread_mutex_destroy(pthread_mutex_t *); pthread_mutex_t m; int main() { pthread_mutex_lock(&m);";
    let lines = main_of(&format!("{head} }}"));
    assert!(!lines.iter().any(|l| l.contains("assert")), "{lines:#?}");
    let lines = main_of(&format!("{head} pthread_mutex_destroy(&m); }}"));
    let count = |text: &str| lines.iter().filter(|l| l.contains(text)).count();
    assert_eq!(count("this mutex is not destroyed"), 2, "{lines:#?}");
    assert_eq!(count("no thread holds this mutex"), 1, "{lines:#?}");
}

#[test]
fn detached_threads_are_neither_joined_nor_detached() {
    let head = "typedef unsigned long pthread_t; int pthread_join(pthread_t, void **); int pthread_detach(pthread_t);
        pthread_t pthread_self(void); int main() { pthread_t t = pthread_self(); pthread_join(t, 0);";
    let lines = main_of(&format!("{head} }}"));
    assert_eq!(lines[0], "%1:i64 := thread self");
    assert!(!lines.iter().any(|l| l.contains("assert")), "{lines:#?}");
    let lines = main_of(&format!("{head} pthread_detach(t); }}"));
    let claims = lines
        .iter()
        .filter(|l| l.starts_with("claim") && l.contains("has not been joined or detached before"));
    assert_eq!(claims.count(), 2, "{lines:#?}");
}

#[test]
fn errors_of_verification_tasks_are_one_property() {
    let program = "void reach_error() { assert(0); } void __assert_fail(const char *, const char *, unsigned, const char *);
        int x; int main() { if (x) reach_error(); x ? 0 : __assert_fail(\"x > 0\", \"f.c\", 1, \"main\");
        __VERIFIER_atomic_begin(); x = __VERIFIER_nondet_bool(); __VERIFIER_atomic_end(); }";
    let code = main_of(program);
    let asserts: Vec<&String> = code.iter().filter(|l| l.starts_with("assert")).collect();
    assert_eq!(
        asserts,
        ["assert 0 \"reach_error()\"", "assert 0 \"x > 0\""]
    );
    assert_eq!(code[code.len() - 4], "atomic {");
}

#[test]
fn asynchronous_statements_are_threads() {
    let program = "int g; void f(int x) { g = x; } int main() { int a = 1, b = 2;
        __CPROVER_ASYNC_1: f(3); __CPROVER_ASYNC_2: g = a; __CPROVER_ASYNC_3: f(a + b); }";
    let code = main_of(program);
    let spawns: Vec<&String> = code.iter().filter(|l| l.contains("spawn")).collect();
    assert_eq!(spawns.len(), 3, "{code:?}");
    assert!(spawns[1].contains("zext64(a#0)"), "{code:?}");
}

#[test]
fn deep_nesting_is_refused_and_moderate_nesting_is_not() {
    let nested = |n: usize, open: &str, close: &str| {
        format!(
            "int main() {{ int x = {}1{}; }}",
            open.repeat(n),
            close.repeat(n)
        )
    };
    assert!(snippet(&nested(100, "(", ")")).1.is_ok());
    assert!(complaint(&nested(5000, "(", ")")).contains("brackets nest"));
    assert!(snippet(&nested(500, "- ", "")).1.is_ok());
    assert!(complaint(&nested(9_000, "!", "")).contains("nested"));
    assert!(complaint(&nested(50_000, "~", "")).contains("operators"));
    assert!(snippet(&nested(800, "1 + ", "")).1.is_ok());
    assert!(complaint(&nested(9_000, "x = ", "")).contains("nested"));
    assert!(complaint(&nested(3_000, "x ? x : ", "")).contains("nested"));
    assert!(complaint(&nested(1, "x.a", &".a".repeat(9_000))).contains("nested"));
    for head in [
        "if (x) ",
        "while (x) ",
        "for (;;) ",
        "do ",
        "l: ",
        "switch (x) ",
    ] {
        let text = format!("int main() {{ int x; {} x = 2; }}", head.repeat(3000));
        assert!(!complaint(&text).is_empty());
    }
    assert!(snippet(&nested(90, "({", ";})")).1.is_ok());
    let chain = "if (x) x = 1; else ".repeat(9000);
    assert!(complaint(&format!("int main() {{ int x; {chain} x = 2; }}")).contains("nested"));
}

/// The programs of `run/` hold their assertions when a C compiler has compiled them; they have to
/// hold them when our lowering is run, too.
#[test]
fn programs_run_as_compiled_ones_do() {
    let files = support::files("tests/front/c/run", "c");
    assert!(!files.is_empty());
    for path in files {
        run(&path, DataModel::Lp64);
        // The other two ask for the sizes of LP64.
        if path.ends_with("control.c") || path.ends_with("threads.c") {
            run(&path, DataModel::Ilp32);
        }
    }
}

/// The same programs, compiled, hold them indeed. The assembly is that of one machine.
#[test]
fn a_compiler_agrees_with_the_programs() {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_string());
    if std::process::Command::new(&compiler)
        .arg("--version")
        .output()
        .is_err()
    {
        support::skipped(Missing::Tool(&compiler));
        return;
    }
    let out = tempfile::tempdir().expect("a temporary directory");
    let mut files = support::files("tests/front/c/run", "c");
    files.retain(|f| !f.ends_with("asm_x86.c") || cfg!(target_arch = "x86_64"));
    for path in files {
        let binary = out.path().join("program");
        let mut command = std::process::Command::new(&compiler);
        command
            .args(["-std=gnu11", "-w", "-pthread", "-o"])
            .arg(&binary)
            .arg(&path);
        let compiled = command.output().expect("the compiler runs");
        let errors = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{}: {errors}", path.display());
        let done = std::process::Command::new(&binary)
            .output()
            .expect("the program runs");
        assert!(done.status.success(), "{}: {done:?}", path.display());
    }
}

fn run(path: &Path, data_model: DataModel) {
    let mut sources = SourceMap::default();
    let program = lower_for(&mut sources, path, data_model).unwrap_or_else(|diags| {
        let text: String = diags.iter().map(|d| d.render(&sources, false)).collect();
        panic!("{text}");
    });
    validate::check(&program).expect("a lowered program is valid");
    let mut machine = Machine::new(&program);
    let main = program
        .main
        .expect("a lowered program has a main procedure");
    assert_eq!(machine.run(main, &[]), Ok(0), "{}", path.display());
    assert!(machine.held > 5);
}

#[test]
fn data_set_lowers() {
    let root = support::data().join("c");
    if !root.is_dir() {
        support::skipped(Missing::Data("c"));
        return;
    }
    let files = support::files_below(&root, &["c", "i"]);
    let outcomes: Vec<(PathBuf, Result<(), String>)> = files
        .into_par_iter()
        .map(|path| {
            let mut sources = SourceMap::default();
            let result = match lower_file(&mut sources, &path) {
                Ok(program) => {
                    let _ = program.to_string();
                    validate::check(&program).map_err(|e| format!("INVALID {e}"))
                }
                Err(diags) => Err(diags[0].render(&sources, false)),
            };
            (path, result)
        })
        .collect();
    let good = outcomes.iter().filter(|(_, r)| r.is_ok()).count();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, result) in &outcomes {
        if let Err(message) = result {
            println!("{}:\n{message}", path.display());
            *reasons
                .entry(message.lines().next().unwrap_or(""))
                .or_default() += 1;
        }
    }
    println!("{good} of {} programs lower", outcomes.len());
    for (reason, count) in &reasons {
        println!("{count:4} {reason}");
    }
    assert!(
        reasons.keys().all(|r| !r.contains("INVALID")),
        "a lowered program is not valid"
    );
    assert!(
        good * 100 >= outcomes.len() * 95,
        "fewer than 95 % of the programs lower"
    );
}
