//! Limits are kept: programs that are too large in one way or another get an answer, or `UNKNOWN`
//! with the reason, within a multiple of their time and their memory. How fast is no matter here.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A program, and the first words of the answers that are right.
struct Case {
    name: &'static str,
    text: String,
    right: &'static [&'static str],
}

const SECONDS: u64 = 4;
const MEGABYTES: u64 = 600;
const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
                    #include <string.h>\n#include <assert.h>\n\
                    extern unsigned __VERIFIER_nondet_uint(void);\n";
const EXACT: &[&str] = &["SAFE"];
const UNKNOWN: &[&str] = &["UNKNOWN"];
/// The answer, or that there is none in time.
const EITHER: &[&str] = &["SAFE", "UNKNOWN"];
const REFUSED: &[&str] = &["error"];

/// `main` alone.
fn main_of(globals: &str, body: &str) -> String {
    format!("{HEAD}{globals}\nint main(void) {{ {body} return 0; }}\n")
}

/// Threads that all run the same.
fn threads(globals: &str, count: u32, body: &str, after: &str) -> String {
    format!(
        "{HEAD}{globals}\nvoid *run(void *unused) {{ {body} return 0; }}\n\
         int main(void) {{ pthread_t t[{count}];\n\
         for (int i = 0; i < {count}; i++) pthread_create(&t[i], 0, run, 0);\n\
         for (int i = 0; i < {count}; i++) pthread_join(t[i], 0);\n{after} return 0; }}\n"
    )
}

/// `count` pieces of text one behind the other.
fn repeated(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut out, i| {
        let _ = write!(out, "{}", piece(i));
        out
    })
}

fn large_objects() -> Vec<Case> {
    let case = |name, text, right| Case { name, text, right };
    let unknown = "unsigned i = __VERIFIER_nondet_uint(); if (i < 100000000)";
    vec![
        case(
            "a known element of a large array",
            main_of(
                "int a[100000000];",
                "a[77777777] = 1; assert(a[77777777] == 1 && a[3] == 0);",
            ),
            EXACT,
        ),
        case(
            "an unknown element of a large static array",
            main_of(
                "int a[100000000];",
                &format!("{unknown} {{ a[i] = 1; assert(a[i] == 1); }}"),
            ),
            UNKNOWN,
        ),
        case(
            "an unknown element of a large local array",
            main_of(
                "",
                &format!("int a[100000000]; {unknown} {{ a[i] = 1; assert(a[i] == 1); }}"),
            ),
            UNKNOWN,
        ),
        case(
            "an unknown element of a large array on the heap",
            main_of(
                "",
                &format!(
                    "int *a = calloc(100000000, 4); {unknown} {{ a[i] = 1; assert(a[i] == 1); }} \
                     free(a);"
                ),
            ),
            UNKNOWN,
        ),
        case(
            "an unknown element of a flexible array",
            main_of(
                "struct s { int n; int d[]; };",
                &format!(
                    "struct s *p = malloc(sizeof *p + 400000000ul); {unknown} p->d[i] = 1; free(p);"
                ),
            ),
            EITHER,
        ),
        case(
            "an unknown record of a large array",
            main_of(
                "struct s { int a; char b; long c; } a[10000000];",
                "unsigned i = __VERIFIER_nondet_uint(); if (i < 10000000) a[i].b = 1;",
            ),
            EITHER,
        ),
        case(
            "an unknown row of a large matrix",
            main_of(
                "int a[10000][10000];",
                "unsigned i = __VERIFIER_nondet_uint(); \
                 if (i < 10000) { a[i][7] = 1; assert(a[i][7] == 1); }",
            ),
            EITHER,
        ),
        case(
            "an unknown element that threads share",
            threads(
                "int a[100000000]; int x;",
                2,
                &format!("{unknown} a[i] = 1;"),
                "assert(x == 0);",
            ),
            EITHER,
        ),
        case(
            "a known element that threads share",
            threads(
                "int a[100000000];",
                2,
                "a[77777777] = 1;",
                "assert(a[77777777] == 1);",
            ),
            EXACT,
        ),
        case(
            "a copy of a large record",
            main_of(
                "struct s { int d[10000000]; } a, b;",
                "a.d[5] = 1; b = a; assert(b.d[5] == 1);",
            ),
            UNKNOWN,
        ),
        case(
            "a large array with one initial value",
            main_of(
                "int a[100000000] = { [99999999] = 3 };",
                "assert(a[99999999] == 3 && !a[6]);",
            ),
            EXACT,
        ),
        case(
            "a large array with a range of initial values",
            main_of(
                "int a[100000000] = { [0 ... 99999999] = 3 };",
                "assert(a[7] == 3);",
            ),
            REFUSED,
        ),
        case(
            "a long initialiser",
            main_of(
                &format!(
                    "int a[] = {{ {} }};",
                    repeated(50_000, |i| format!("{}, ", i % 97))
                ),
                "assert(a[1234] == 1234 % 97);",
            ),
            EITHER,
        ),
        case(
            "a long string",
            main_of(
                &format!(
                    "char s[] = \"{}\";",
                    repeated(20_000, |_| "abcdefghij".to_string())
                ),
                "assert(s[3] == 'd' && s[sizeof s - 1] == 0);",
            ),
            EITHER,
        ),
    ]
}

fn large_code() -> Vec<Case> {
    let case = |name, text, right| Case { name, text, right };
    let functions = repeated(30, |i| {
        format!(
            "int f{}(int n) {{ return f{i}(n) + f{i}(n + 1); }}\n",
            i + 1
        )
    });
    vec![
        case(
            "straight code",
            main_of(
                "int x, y;",
                &repeated(20_000, |i| format!("x = x + {}; y = y ^ x;\n", i % 7)),
            ),
            EITHER,
        ),
        case(
            "straight code of threads",
            threads(
                "int x, y;",
                2,
                &repeated(10_000, |i| format!("x = {}; y = {i};\n", i % 7)),
                "assert(x != 9);",
            ),
            EITHER,
        ),
        case(
            "a violation in the first iterations of a long loop",
            threads(
                "atomic_int x;",
                2,
                &format!(
                    "for (int i = 1; i <= 100; i++) {{ {} assert(x != 2); }}",
                    repeated(80, |_| "x = i;\n".to_string())
                ),
                "",
            ),
            &["UNSAFE"],
        ),
        case(
            "a long switch",
            main_of(
                "",
                &format!(
                    "unsigned n = __VERIFIER_nondet_uint(); int x = 0; switch (n) {{ {} }} \
                     assert(x < 5000);",
                    repeated(5000, |i| format!("case {i}: x = {i}; break;\n"))
                ),
            ),
            EITHER,
        ),
        case(
            "calls that double",
            main_of(
                &format!("int x;\nint f0(int n) {{ x += n; return n; }}\n{functions}"),
                "assert(f30(0) != 1 || x);",
            ),
            EITHER,
        ),
        case(
            "many events of many threads",
            threads(
                "atomic_int *count;",
                32,
                "for (int i = 0; i < 100; i++) { atomic_fetch_add(count, 1);\n\
                 if (atomic_fetch_sub(count, 1) == 1) free(count); }",
                "",
            )
            .replace(
                "pthread_t t",
                "count = malloc(sizeof *count); atomic_init(count, 1); pthread_t t",
            ),
            &["SAFE", "UNSAFE", "UNKNOWN"],
        ),
        case(
            "hard arithmetic",
            main_of(
                "",
                &format!(
                    "unsigned long a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(); {} \
                     assert(a != 12345);",
                    repeated(100, |i| format!("a = a * b + {i}; b = a / (b | 1);\n"))
                ),
            ),
            &["SAFE", "UNSAFE", "UNKNOWN"],
        ),
    ]
}

/// Runs a case and says what is wrong.
fn run(case: &Case, folder: &Path, number: usize) -> Result<(), String> {
    let file = folder.join(format!("{number}.c"));
    std::fs::write(&file, &case.text).map_err(|e| e.to_string())?;
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_wmbmc"))
        .args(["--mm", "tso", "--stats", "--check", "assert,memory"])
        .args(["--timeout", &SECONDS.to_string()])
        .args(["--memory", &MEGABYTES.to_string()])
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    loop {
        if child.try_wait().map_err(|e| e.to_string())?.is_some() {
            break;
        }
        if started.elapsed() > Duration::from_secs(10 * SECONDS) {
            let _ = child.kill();
            return Err(format!("no end within {} s", 10 * SECONDS));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let said = if out.is_empty() { &err } else { &out };
    let word = said.split([':', '[', ' ', '\n']).next().unwrap_or("");
    if !case.right.contains(&word) {
        return Err(format!("it says {said}"));
    }
    let peak = out.lines().find(|l| l.contains("peak memory"));
    let peak = peak.and_then(|l| l.split_whitespace().last()?.parse::<u64>().ok());
    match peak {
        Some(mb) if mb > 2 * MEGABYTES => Err(format!("it took {mb} MiB")),
        _ => Ok(()),
    }
}

fn check(cases: &[Case]) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let wrong: Vec<String> = cases
        .iter()
        .enumerate()
        .filter_map(|(i, case)| {
            let wrong = run(case, folder.path(), i).err()?;
            Some(format!("{}: {wrong}", case.name))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn large_objects_are_answered_within_the_limits() {
    check(&large_objects());
}

#[test]
fn large_code_is_answered_within_the_limits() {
    check(&large_code());
}

/// An interrupt ends a check that would take long with what it has established so far.
#[test]
fn an_interrupt_is_answered() {
    let text = threads(
        "atomic_int x;",
        4,
        &format!(
            "for (int i = 1; i <= 100; i++) {{ {} }}",
            repeated(80, |_| "x = i;\n".to_string())
        ),
        "assert(x != 101);",
    );
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("long.c");
    std::fs::write(&file, text).expect("it can be written");
    let child = Command::new(env!("CARGO_BIN_EXE_wmbmc"))
        .args([
            "--mm", "tso", "--quiet", "--memory", "8000", "--engine", "sat",
        ])
        .arg(&file)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command runs");
    std::thread::sleep(Duration::from_secs(SECONDS));
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.is_ok_and(|s| s.success()), "it has ended before");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{said}");
    let right = ["SAFE up to bound", "UNKNOWN: interrupted"];
    assert!(right.iter().any(|r| said.starts_with(r)), "{said}");
}
