//! C programs with any number of threads: the programs of `benchmarks/any_number`, what does not fit, and random
//! programs against bounded checking.

use rayon::prelude::*;
use support::random::{Random, random_cases};
use wmbmc::check::outcome::Verdict;
use wmbmc::driver::cross::{CrossEngine, CrossOptions};
use wmbmc::driver::outcome::SystemVerdict;
use wmbmc::driver::{Error, Input, Limits, Outcome, Session, SessionOptions};
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;

/// What is known of a program.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    Safe,
    Unsafe,
    Unknown(String),
}

pub fn options(any_threads: bool, defines: &[&str]) -> SessionOptions {
    let mut options = SessionOptions::default();
    options.any_threads = any_threads;
    options.system.certificate = any_threads;
    options.program.c.defines = defines.iter().map(|d| (*d).to_string()).collect();
    options
}

/// The answer on a model, for any number of threads or as the program is. What is safe has a certificate, which
/// is checked.
pub fn answer(
    input: &Input,
    model: &'static str,
    options: &SessionOptions,
    seconds: f64,
) -> Answer {
    let found = answer_or_refusal(input, model, options, seconds);
    found.unwrap_or_else(|e| panic!("{}: {e}", input.shown()))
}

/// The same, or why the program does not fit on the model.
pub fn answer_or_refusal(
    input: &Input,
    model: &'static str,
    options: &SessionOptions,
    seconds: f64,
) -> Result<Answer, Error> {
    let read = Session::read(input, options);
    let mut session = read.unwrap_or_else(|e| panic!("{}: {e}", input.shown()));
    let model = support::builtin(model);
    let outcome = session.check(&model, Limits::seconds(seconds));
    Ok(match outcome? {
        Outcome::System(outcome) => match &outcome.verdict {
            SystemVerdict::Safe => {
                let text = outcome.certificate.as_deref().expect("a proof");
                let checked = session.check_certificate(&model.name, text);
                let checked = format!("{checked:?}");
                assert!(checked.contains("Ok(Valid"), "{}: {checked}", input.shown());
                Answer::Safe
            }
            SystemVerdict::Unknown { reason, .. } => Answer::Unknown(reason.clone()),
            other => panic!("{}: {other:?}", input.shown()),
        },
        Outcome::Program(outcome) => match &outcome.result.verdict {
            Verdict::Unsafe(_) => Answer::Unsafe,
            Verdict::Unknown(reason) => Answer::Unknown(format!("{reason:?}")),
            _ => Answer::Safe,
        },
        _ => panic!("{} is a C program", input.shown()),
    })
}

/// The programs, and the models on which the right one is proved in seconds.
const PROGRAMS: [(&str, &[&str]); 20] = [
    ("burns", &["sc", "tso", "pso"]),
    ("double_checked", &["sc", "tso", "pso"]),
    ("exchange", &["sc", "tso", "pso"]),
    ("flag_barrier", &["sc", "tso", "pso"]),
    ("hazard", &["sc", "tso", "pso"]),
    ("mutex", &["sc", "tso", "pso"]),
    ("once", &["sc", "tso", "pso"]),
    ("reader_flags", &["sc", "tso", "pso"]),
    ("refcount", &["sc", "tso", "pso"]),
    ("rwlock", &["sc", "tso", "pso"]),
    ("semaphore", &["sc", "tso", "pso"]),
    ("seqlock", &[]),
    ("spinlock_linux", &["sc", "tso", "pso"]),
    ("stack_count", &["sc", "tso", "pso"]),
    ("test_and_set", &["sc", "tso", "pso"]),
    ("ticket", &["sc", "tso", "pso"]),
    ("tournament", &["sc", "tso", "pso"]),
    ("try_lock", &["sc", "tso", "pso"]),
    ("ttas", &["sc", "tso", "pso"]),
    ("work_flag", &["sc", "tso", "pso"]),
];

fn program(name: &str) -> Input {
    Input::file(support::root().join(format!("benchmarks/any_number/{name}.c")))
}

#[test]
fn every_program_of_the_folder_is_here() {
    let files = support::files("benchmarks/any_number", "c");
    assert_eq!(files.len(), PROGRAMS.len());
}

#[test]
fn right_programs_are_proved() {
    let rows = PROGRAMS
        .iter()
        .flat_map(|(name, models)| models.iter().map(move |m| (*name, *m)));
    rows.collect::<Vec<_>>()
        .par_iter()
        .for_each(|(name, model)| {
            let found = answer(&program(name), model, &options(true, &[]), 60.0);
            assert_eq!(found, Answer::Safe, "{name} on {model}");
        });
}

/// Another solver confirms the certificates, and without one of its cubes none is a proof.
#[test]
fn certificates_are_confirmed_and_minimal() {
    let programs = PROGRAMS.iter().filter(|(_, models)| !models.is_empty());
    support::some(programs, 3).par_iter().for_each(|(name, _)| {
        let asked = options(true, &[]);
        let mut session = Session::read(&program(name), &asked).expect("it is C");
        let outcome = session.check(&support::builtin("tso"), Limits::seconds(60.0));
        let Ok(Outcome::System(outcome)) = outcome else {
            panic!("{name} is not proved");
        };
        let text = outcome.certificate.as_deref().expect("a proof");
        let goals = session.certificate_goals("tso", text).expect("it is one");
        let count = goals.matches("(check-sat)").count();
        let cubes: Vec<usize> = text.match_indices("cube ").map(|(at, _)| at).collect();
        for begin in cubes.iter().step_by(1 + cubes.len() / 8) {
            let end = begin + text[*begin..].find("end\n").expect("it ends") + 4;
            let shorter = format!("{}{}", &text[..*begin], &text[end..]);
            let checked = session.check_certificate("tso", &shorter);
            assert!(
                format!("{checked:?}").contains("Ok(Invalid"),
                "{name}: {checked:?}"
            );
        }
        if let Some(answers) = support::smt_solver(goals) {
            assert_eq!(answers.len(), count, "{name}");
            assert!(answers.iter().all(|a| a == "unsat"), "{name}");
        }
    });
}

#[test]
fn broken_programs_have_an_execution() {
    support::some(PROGRAMS, 3).par_iter().for_each(|(name, _)| {
        let found = answer(&program(name), "tso", &options(true, &["BROKEN"]), 60.0);
        assert_eq!(found, Answer::Unsafe, "{name}");
    });
}

/// Where a lock of TSO needs more than buffers in order, the answer is not that of TSO.
#[test]
fn pso_is_weaker_than_tso() {
    let text = wrapped(
        "int a, b;
         void *f(void *x) { a = 1; b = 1; return x; }
         void *g(void *x) { if (b) assert(a); return x; }",
        &["f", "g"],
    );
    let input = Input::text("mp.c", text);
    let on = |model| answer(&input, model, &options(true, &[]), 30.0);
    assert_eq!(on("sc"), Answer::Safe);
    assert_eq!(on("tso"), Answer::Safe);
    assert_eq!(on("pso"), Answer::Unsafe);
}

/// Store buffering, between threads of one function.
#[test]
fn tso_is_weaker_than_sc() {
    let text = |fence: &str| {
        wrapped(
            &format!(
                "int a, b; atomic_int done;
                 void *f(void *x) {{ a = 1; {fence} if (!b) atomic_fetch_add(&done, 1); return x; }}
                 void *g(void *x) {{ b = 1; {fence} if (!a) assert(!done); return x; }}"
            ),
            &["f", "g"],
        )
    };
    let on = |fence: &str, model| {
        let input = Input::text("sb.c", text(fence));
        answer(&input, model, &options(true, &[]), 30.0)
    };
    let _ = on("", "sc");
    assert_eq!(on("", "tso"), Answer::Unsafe);
}

/// A program that starts threads of these functions, any number of each.
fn wrapped(text: &str, functions: &[&str]) -> String {
    let starts = functions
        .iter()
        .map(|f| format!("pthread_create(&t, 0, {f}, 0);"));
    let starts: String = starts.collect();
    format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n\
         extern int __VERIFIER_nondet_int(void);\n{text}\n\
         int main(void) {{ int n = __VERIFIER_nondet_int();\n\
         for (int i = 0; i < n; i++) {{ pthread_t t; {starts} }} }}\n"
    )
}

/// Functions of a lock that is given by its address, unsigned numbers, and a `main` whose numbers do not fit.
#[test]
fn what_only_main_computes_does_not_matter() {
    let text = "#include <pthread.h>
        #include <stdatomic.h>
        #include <assert.h>
        #include <stdlib.h>
        extern unsigned __VERIFIER_nondet_uint(void);
        atomic_int word; unsigned inside;
        static void lock(atomic_int *l) { while (atomic_exchange(l, 1)) ; }
        static void unlock(atomic_int *l) { atomic_store(l, 0); }
        void *worker(void *id) {
            for (;;) { lock(&word); inside++; assert(inside < 2); inside--; unlock(&word); }
            return id;
        }
        int main(void) {
            unsigned n = __VERIFIER_nondet_uint() % 100;
            pthread_t *t = malloc(n * sizeof *t);
            if (!t) abort();
            for (unsigned i = 0; i < n; i++) pthread_create(&t[i], 0, worker, (void *)(long)i);
            for (unsigned i = 0; i < n; i++) pthread_join(t[i], 0);
            free(t);
        }";
    for model in ["sc", "tso", "pso"] {
        let found = answer(
            &Input::text("own.c", text),
            model,
            &options(true, &[]),
            60.0,
        );
        assert_eq!(found, Answer::Safe, "{model}");
        let broken = text.replace("while (atomic_exchange(l, 1)) ;", "while (*l) ; *l = 1;");
        let found = answer(
            &Input::text("own.c", broken),
            model,
            &options(true, &[]),
            60.0,
        );
        assert_ne!(found, Answer::Safe, "{model}");
    }
}

/// What does not fit: declarations, the body of a thread, the words of the refusal.
const REFUSED: [(&str, &str, &str); 28] = [
    (
        "struct node { int k; struct node *next; }; extern struct node list;",
        "x = list.next == 0;",
        "an object that no file defines",
    ),
    (
        "union { int i; char c[4]; } v;",
        "v.i = 1;",
        "a union whose members overlap",
    ),
    ("", "x = x / 3;", "division"),
    ("", "x = x % 2;", "division"),
    ("", "x = x & 6;", "bitwise operators on numbers"),
    ("", "x = x ^ 5;", "bitwise operators on numbers"),
    ("", "x = x << y;", "bitwise operators on numbers"),
    ("", "x = x >> 1;", "bitwise operators on numbers"),
    (
        "",
        "__atomic_fetch_xor(&x, 3, 5);",
        "bitwise operators on numbers",
    ),
    ("", "x = x * y;", "a product of two variables"),
    ("", "q = &x;", "pointers as values"),
    ("", "*q = 1;", "an access through a pointer"),
    ("int a[4];", "memcpy(a, a + 1, 4);", "pointers as values"),
    ("", "q = malloc(4);", "objects that are allocated"),
    (
        "",
        "int l = 0; int *p = &l; *p = 1;",
        "objects that are allocated",
    ),
    (
        "struct node { struct node *next; int v; } *top;",
        "top->v = 1;",
        "an access through a pointer",
    ),
    ("double d;", "d = d + 1;", "floating-point arithmetic"),
    ("", "float g = 1; x = g > 0;", "floating-point arithmetic"),
    ("", "x = (char)x;", "a conversion to a narrower type"),
    (
        "",
        "x = __builtin_popcount(x);",
        "a conversion to a narrower type",
    ),
    (
        "",
        "pthread_t me = pthread_self(); x = me == 0;",
        "the handle of a thread",
    ),
    (
        "unsigned w;",
        "w = w - 1; long l = w; x = l < 5;",
        "an unsigned number",
    ),
    (
        "extern char __VERIFIER_nondet_char(void);",
        "x = __VERIFIER_nondet_char();",
        "a nondeterministic value of fewer than 32 bits",
    ),
    (
        "int fact(int k) { return k ? fact(k - 1) : 0; }",
        "x = fact(3);",
        "recursion",
    ),
    (
        "void g(void) {} void (*h)(void);",
        "h();",
        "pointers as values",
    ),
    (
        "_Thread_local int own;",
        "pthread_t t; pthread_create(&t, 0, f, &own);",
        "the address of a thread-local object",
    ),
    (
        "",
        "pthread_t t; pthread_create(&t, 0, f, 0);",
        "more than 16 threads",
    ),
    ("void ext(void);", "ext();", "call of `ext`"),
];

#[test]
fn what_does_not_fit_is_refused_at_its_place() {
    for (declared, body, words) in REFUSED {
        let text = format!(
            "#include <stdlib.h>\n#include <string.h>\nint x, y; int *q; {declared}\n\
             void *f(void *u) {{ {body} return u; }}"
        );
        let input = Input::text("fits.c", wrapped(&text, &["f"]));
        let mut session = Session::read(&input, &options(true, &[])).expect("it is C");
        let refused = session.check(&support::builtin("tso"), Limits::seconds(10.0));
        let error = refused.err().unwrap_or_else(|| panic!("{body} fits"));
        let text = error.to_string();
        let said = format!("a proof for any number of threads does not support {words}");
        assert!(text.contains(&said), "{body}: {text}");
        assert!(text.contains("--> fits.c:"), "{body}: {text}");
    }
}

/// A random program: threads of two functions take steps on two variables and a lock.
fn random_program(random: &mut Random) -> String {
    let mut functions = String::new();
    for f in ["f", "g"] {
        let steps: Vec<String> = (0..2 + random.below(3))
            .map(|_| random_step(random))
            .collect();
        let last = random.pick(&[
            "assert(r < 1 || s < 1);",
            "assert(x < 1 || y < 1);",
            "assert(!l || !x);",
            "assert(s < 1);",
        ]);
        functions += &format!(
            "void *{f}(void *u) {{ int r = 0, s = 0; {} {last} return u; }}\n",
            steps.join(" ")
        );
    }
    let text = format!("int x, y; _Bool b; _Thread_local int o; atomic_int l, c;\n{functions}");
    wrapped(&text, &["f", "g"])
}

fn random_step(random: &mut Random) -> String {
    let steps = [
        "r = x;",
        "s = y;",
        "x = 1;",
        "y = 1;",
        "x = r + 1;",
        "y = 0;",
        "r = atomic_load(&l);",
        "atomic_store(&l, 1);",
        "s = atomic_exchange(&l, 1);",
        "s = atomic_fetch_add(&c, 1);",
        "s = atomic_exchange_explicit(&l, 1, memory_order_relaxed);",
        "s = atomic_exchange_explicit(&l, 1, memory_order_acquire);",
        "s = atomic_exchange_explicit(&l, 1, memory_order_release);",
        "atomic_thread_fence(memory_order_seq_cst);",
        "if (r) x = 2;",
        "while (l) ;",
        "while (atomic_exchange(&l, 1)) ;",
        "atomic_store(&l, 0);",
        "if (!s) return u;",
        "if (r == 1) assert(x != 2);",
        "assert(y < 2);",
        "if (s) assert(x);",
        "if (c == 1) assert(!y);",
        "atomic_store_explicit(&l, 0, memory_order_release);",
        "o = x;",
        "o++;",
        "y = o;",
        "assert(o < 3);",
        "b = 1;",
        "if (b) x = 1;",
        "s = b;",
        "b = 0;",
    ];
    random.pick(&steps).to_string()
}

/// What bounded checking finds for a few threads is never safe for any number.
#[test]
fn bounded_checking_never_refutes_a_proof() {
    let cases = random_cases(30);
    let found: Vec<[usize; 2]> = (1..=cases)
        .into_par_iter()
        .map(|seed| {
            let mut random = Random::new(seed);
            let text = random_program(&mut random);
            let model = ["sc", "tso", "pso"][usize::try_from(seed % 3).expect("small")];
            let input = Input::text("random.c", text.as_str());
            let Ok(any) = answer_or_refusal(&input, model, &options(true, &[]), 5.0) else {
                return [0, 0];
            };
            let mut bounded = options(false, &[]);
            bounded.program.bounded.bounds = Bounds::all(2);
            bounded.program.checks = Some(PropertyKind::defaults(true));
            let few = answer(&input, model, &bounded, 10.0);
            let contradiction = any == Answer::Safe && few == Answer::Unsafe;
            assert!(!contradiction, "seed {seed} on {model}:\n{text}");
            [
                usize::from(any == Answer::Safe),
                usize::from(few == Answer::Unsafe),
            ]
        })
        .collect();
    let sum = |i: usize| found.iter().map(|f| f[i]).sum::<usize>();
    println!("{cases} programs, {} proved, {} refuted", sum(0), sum(1));
    assert!(sum(0) > 0 && sum(1) > 0, "both answers occur");
}

/// What `--incremental` answers, and whether that is by a proof for any number of threads.
fn incremental(text: &str, seconds: &str) -> (Option<i32>, bool) {
    let file = tempfile::Builder::new().suffix(".c").tempfile();
    let file = file.expect("there is room");
    std::fs::write(file.path(), text).expect("the file is ours");
    let path = file.path().display().to_string();
    let words = [
        "--check",
        "assert",
        "--incremental",
        "--format",
        "json",
        "--timeout",
        seconds,
    ];
    let run = support::wmbmc(words.into_iter().chain([path.as_str()]));
    let answer: serde_json::Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
    (run.status.code(), answer["any_number"] == true)
}

/// Where loops and threads go on behind every bound, a proof for any number of threads ends the unwinding; not
/// where numbers may wrap around.
#[test]
fn incremental_unwinding_ends_with_a_proof() {
    let text =
        "_Thread_local int own = 1; int x, inside; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        void *f(void *u) {
            for (;;) {
                pthread_mutex_lock(&m); own = own + x; inside = inside + 1;
                assert(inside == WANTED); inside = 0; pthread_mutex_unlock(&m);
            }
        }";
    let text = wrapped(text, &["f"]);
    let right = text.replace("WANTED", "1");
    assert_eq!(incremental(&right, "60"), (Some(0), true));
    assert_eq!(
        incremental(&text.replace("WANTED", "2"), "60"),
        (Some(10), false)
    );
    let few = "int a[3], inside;
        void *f(void *u) { long i = (long)u; a[i] = 1; inside = 0; assert(inside == 0); a[i] = 0; return 0; }
        int main(void) {
            int n = __VERIFIER_nondet_int(); pthread_t t;
            for (int i = 0; i < n; i++) pthread_create(&t, 0, f, (void *)(long)i);
        }";
    let few = format!(
        "#include <pthread.h>\n#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n{few}"
    );
    assert_eq!(incremental(&few, "3"), (Some(5), false));
    // A lock that no proof thread by thread takes for one.
    let lock = "int e = 0; while (!__atomic_compare_exchange_n(&m, &e, 2, 0, 5, 5)) e = 0";
    let unlock = "__atomic_store_n(&m, 1, 5); __atomic_store_n(&m, 0, 5)";
    let spinning = right
        .replace("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER", "int m")
        .replace("pthread_mutex_lock(&m)", lock)
        .replace("pthread_mutex_unlock(&m)", unlock);
    assert_eq!(incremental(&spinning, "60"), (Some(0), true));
    let counts = spinning.replace("_Thread_local int own = 1; int x", "unsigned own = 1, x");
    assert_eq!(incremental(&counts, "3"), (Some(5), false));
}

/// Nor does bounded checking refute the proofs with which `--incremental` ends.
#[test]
fn bounded_checking_never_refutes_incremental_proofs() {
    let cases = random_cases(12);
    let proved: usize = (1..=cases)
        .into_par_iter()
        .map(|seed| {
            let mut random = Random::new(1000 + seed);
            let text = random_program(&mut random);
            if !incremental(&text, "5").1 {
                return 0;
            }
            let input = Input::text("random.c", text.as_str());
            let mut bounded = options(false, &[]);
            bounded.program.bounded.bounds = Bounds::all(3);
            bounded.program.checks = Some(vec![PropertyKind::Assertion]);
            let few = answer(&input, "sc", &bounded, 20.0);
            assert_ne!(few, Answer::Unsafe, "seed {seed}:\n{text}");
            1
        })
        .sum();
    println!("{cases} programs, {proved} proved");
    assert!(proved > 0);
}

/// What cannot be checked is not left out.
#[test]
fn other_properties_are_refused() {
    for kind in PropertyKind::ALL {
        let mut asked = options(true, &[]);
        asked.program.checks = Some(vec![kind]);
        let mut session = Session::read(&program("exchange"), &asked).expect("it is C");
        let found = session.check(&support::builtin("tso"), Limits::seconds(30.0));
        let fits = matches!(
            kind,
            PropertyKind::Assertion | PropertyKind::Memory | PropertyKind::Misuse
        );
        assert_eq!(found.is_ok(), fits, "{kind:?}");
    }
}

/// Who waits in vain has stored what it stored; what a thread starts in a loop is started any number of times,
/// and so is what such a thread starts.
#[test]
fn what_others_see_is_not_lost() {
    let rows = [
        "int x = 2;
         void *f(void *u) { int r = x; x = 1; __VERIFIER_assume(r == 7); return u; }
         void *g(void *u) { assert(x != 1); return u; }",
        "atomic_int x = 2;
         void *f(void *u) { int r = atomic_exchange(&x, 1); __VERIFIER_assume(r == 7); return u; }
         void *g(void *u) { assert(x != 1); return u; }",
        "atomic_int x;
         void *h(void *u) { assert(atomic_fetch_add(&x, 1) < 2); return u; }
         void *f(void *u) { pthread_t t; pthread_create(&t, 0, h, 0); return u; }
         void *g(void *u) { return u; }",
        "atomic_int x; pthread_t kept[4];
         void *f(void *u) { int r = x; x = r + 1; return u; }
         void *g(void *u) { int r = x, s = x; assert(r == s || s < 3); return u; }",
    ];
    for text in rows {
        let text = format!("extern void __VERIFIER_assume(int);\n{text}");
        let input = Input::text("seen.c", wrapped(&text, &["f", "g"]));
        for model in ["sc", "tso"] {
            let found = answer(&input, model, &options(true, &[]), 10.0);
            assert_ne!(found, Answer::Safe, "on {model}:\n{text}");
        }
    }
}

/// The search, the machine and the ordinary check of the program agree.
#[test]
fn engines_agree_on_the_programs() {
    let rows = PROGRAMS
        .iter()
        .filter(|(_, models)| models.contains(&"tso"));
    support::some(rows, 3).par_iter().for_each(|(name, _)| {
        let session = Session::read(&program(name), &options(true, &[])).expect("it is C");
        let found = session.cross("tso", &CrossOptions::default(), Limits::seconds(10.0));
        let found = found.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(found.disagreements, [], "{name}");
        let engines = found.answers.iter().map(|a| a.engine);
        let of_program = engines.filter(|e| *e == CrossEngine::Program);
        assert_eq!(of_program.count(), 2, "{name}");
    });
}

/// A program of the folder with one statement left out, or with another constant or comparison.
fn mutant(random: &mut Random) -> (String, String) {
    let decided: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(_, models)| !models.is_empty())
        .map(|(name, _)| *name)
        .collect();
    let name = random.pick(&decided);
    let path = support::root().join(format!("benchmarks/any_number/{name}.c"));
    let text = std::fs::read_to_string(path).expect("it is readable");
    let (begin, end) = (
        text.find("static").expect("a variable"),
        text.find("int main").expect("main"),
    );
    let changes = [
        ("== 1", "== 0"),
        ("= 1;", "= 0;"),
        ("= 0;", "= 1;"),
        ("while (", "if ("),
        ("!= DONE", "== DONE"),
        ("<= 0", "< 0"),
        ("!atomic", "atomic"),
    ];
    let mut all = Vec::new();
    for (from, to) in changes {
        let found = text[begin..end].match_indices(from);
        all.extend(found.map(|(at, _)| (begin + at, from.len(), to)));
    }
    let mut at = begin;
    for line in text[begin..end].split_inclusive('\n') {
        let statement = line.trim();
        let is_kept = ["static", "return", "assert", "#", "int ", "pthread_mutex_t"];
        if line.starts_with("    ")
            && statement.ends_with(';')
            && !is_kept.iter().any(|word| statement.starts_with(word))
        {
            all.push((at, line.len(), "        ;\n"));
        }
        at += line.len();
    }
    let (at, length, to) = random.pick(&all);
    let mutated = format!("{}{to}{}", &text[..at], &text[at + length..]);
    (name.to_string(), mutated)
}

/// What is proved of a changed program is not refuted for a few threads, and what is refuted is refuted there.
#[test]
fn mutants_are_answered_alike() {
    let cases = random_cases(16);
    let found: Vec<[usize; 2]> = (1..=cases)
        .into_par_iter()
        .map(|seed| {
            let mut random = Random::new(1000 + seed);
            let (name, text) = mutant(&mut random);
            let model = ["sc", "tso", "pso"][usize::try_from(seed % 3).expect("small")];
            let input = Input::text("mutant.c", text.as_str());
            let any = answer(&input, model, &options(true, &[]), 5.0);
            let mut bounded = options(false, &[]);
            bounded.program.bounded.bounds = Bounds::all(2);
            bounded.program.checks = Some(PropertyKind::defaults(true));
            let few = answer(&input, model, &bounded, 10.0);
            let contradiction = any == Answer::Safe && few == Answer::Unsafe;
            assert!(!contradiction, "seed {seed}, {name} on {model}:\n{text}");
            [any == Answer::Safe, any == Answer::Unsafe].map(usize::from)
        })
        .collect();
    let sum = |i: usize| found.iter().map(|f| f[i]).sum::<usize>();
    println!("{cases} mutants, {} proved, {} refuted", sum(0), sum(1));
    assert!(sum(0) > 0 && sum(1) > 0, "both answers occur");
}

/// On PSO other accesses overtake a read-modify-write that is no full fence.
#[test]
fn weak_exchanges_are_overtaken_on_pso() {
    let rows = [
        // A store before it is seen later.
        (
            "x = 1; atomic_exchange_explicit(&l, 1, memory_order_relaxed);",
            "if (l) assert(x);",
        ),
        // A store behind it is seen before.
        (
            "atomic_exchange_explicit(&l, 1, memory_order_acquire); x = 1;",
            "if (x) assert(l);",
        ),
    ];
    for (writer, reader) in rows {
        let text = format!(
            "int x; atomic_int l; void *f(void *u) {{ {writer} return u; }}
             void *g(void *u) {{ {reader} return u; }}"
        );
        let input = Input::text("overtaken.c", wrapped(&text, &["f", "g"]));
        let found = answer_or_refusal(&input, "pso", &options(true, &[]), 5.0);
        assert_ne!(found.ok(), Some(Answer::Safe), "{writer}");
        let strong = input.text.as_ref().expect("it has text");
        let strong = strong
            .replace("relaxed", "seq_cst")
            .replace("acquire", "seq_cst");
        let input = Input::text("ordered.c", strong);
        let found = answer(&input, "pso", &options(true, &[]), 20.0);
        assert_eq!(found, Answer::Safe, "{writer}, seq_cst");
    }
}

/// A proof says what it takes for granted, as other answers do.
#[test]
fn assumptions_are_said() {
    let path = "benchmarks/any_number/mutex.c";
    let found = support::wmbmc([path, "--threads=any", "--parallel=worker*"]);
    let text = String::from_utf8(found.stdout).expect("it is text");
    assert!(text.starts_with("SAFE for any number of threads"), "{text}");
    assert!(
        text.contains("  assumed: any arguments of `worker`"),
        "{text}"
    );
}

/// Sequentially consistent atomics and no data races: SC's executions, whatever the machine.
#[test]
fn what_the_language_promises_holds_on_machines() {
    let machines = ["rc11", "aarch64", "riscv", "power"];
    let proved = PROGRAMS.iter().filter(|(_, models)| !models.is_empty());
    proved.collect::<Vec<_>>().par_iter().for_each(|(name, _)| {
        for model in machines {
            let found = answer(&program(name), model, &options(true, &[]), 60.0);
            assert_eq!(found, Answer::Safe, "{name} on {model}");
        }
        let found = answer(&program(name), "rc11", &options(true, &["BROKEN"]), 60.0);
        assert_eq!(found, Answer::Unsafe, "{name}");
    });
}

/// A lock whose orders are weaker: no promise, and where one is too weak an execution with two threads.
#[test]
fn the_language_promises_nothing_of_weak_accesses() {
    let lock = |acquire: &str, release: &str| {
        let text = format!(
            "atomic_int word; int inside;
             void *f(void *x) {{
                 while (atomic_exchange_explicit(&word, 1, {acquire})) ;
                 inside++; assert(inside == 1); inside--;
                 atomic_store_explicit(&word, 0, {release}); return x;
             }}"
        );
        Input::text("lock.c", wrapped(&text, &["f"]))
    };
    let seq_cst = "memory_order_seq_cst";
    let on = |input: &Input| answer(input, "aarch64", &options(true, &[]), 60.0);
    assert_eq!(on(&lock(seq_cst, seq_cst)), Answer::Safe);
    let unknown = on(&lock("memory_order_acquire", "memory_order_release"));
    let said = "is not sequentially consistent";
    assert!(
        matches!(&unknown, Answer::Unknown(why) if why.contains(said)),
        "{unknown:?}"
    );
    // A proof on SC is none on a machine.
    let input = lock("memory_order_acquire", "memory_order_release");
    let mut session = Session::read(&input, &options(true, &[])).expect("it is C");
    let on_sc = session.check(&support::builtin("sc"), Limits::seconds(30.0));
    let Ok(Outcome::System(on_sc)) = on_sc else {
        panic!("it is safe on SC");
    };
    let proof = on_sc.certificate.as_deref().expect("a proof");
    assert!(session.check_certificate("sc", proof).is_ok());
    for refused in [
        session.check_certificate("aarch64", proof).err(),
        session.certificate_goals("aarch64", proof).err(),
    ] {
        let refused = refused.expect("it promises nothing").to_string();
        assert!(
            refused.contains(said) && refused.contains("--> lock.c:"),
            "{refused}"
        );
    }
    let relaxed = "memory_order_relaxed";
    assert_eq!(on(&lock(relaxed, relaxed)), Answer::Unsafe);
    let racy = wrapped(
        "int a, b; void *f(void *x) { a = 1; b = 1; return x; }
         void *g(void *x) { if (b) assert(a); return x; }",
        &["f", "g"],
    );
    let racy = on(&Input::text("mp.c", racy));
    assert!(
        matches!(&racy, Answer::Unknown(why) if why.contains("access the same variable")),
        "{racy:?}"
    );
}

/// Random programs with sequentially consistent atomics: what is proved for any number, bounded checking on the model does not
/// refute.
#[test]
fn bounded_checking_on_machines_never_refutes_the_promise() {
    let cases = random_cases(24);
    let found: Vec<[usize; 2]> = (1..=cases)
        .into_par_iter()
        .map(|seed| {
            let mut random = Random::new(0x5eed_0000 + seed);
            let body = |random: &mut Random| {
                let steps = [
                    "x = 1;",
                    "y = 1;",
                    "r = x;",
                    "s = y;",
                    "atomic_store(&l, 0);",
                    "r = l;",
                    "s = c;",
                    "atomic_store(&c, 1);",
                    "s = atomic_exchange(&c, 1);",
                ];
                let some: Vec<&str> = (0..2 + random.below(2))
                    .map(|_| random.pick(&steps))
                    .collect();
                let inner = some.join(" ");
                match random.below(4) {
                    0 => inner,
                    _ => format!("while (atomic_exchange(&l, 1)) ; {inner} l = 0;"),
                }
            };
            let (f, g) = (body(&mut random), body(&mut random));
            let last = random.pick(&["assert(!r || s);", "assert(r || !s);", "assert(!r || !s);"]);
            let text = format!(
                "int x, y; atomic_int l, c;
                 void *f(void *u) {{ int r = 0, s = 0; {f} {last} return u; }}
                 void *g(void *u) {{ int r = 0, s = 0; {g} {last} return u; }}"
            );
            let text = wrapped(&text, &["f", "g"]);
            let model =
                ["rc11", "aarch64", "riscv", "power"][usize::try_from(seed % 4).expect("small")];
            let input = Input::text("random.c", text.as_str());
            let any = answer(&input, model, &options(true, &[]), 5.0);
            let mut bounded = options(false, &[]);
            bounded.program.bounded.bounds = Bounds::all(2);
            bounded.program.checks = Some(vec![PropertyKind::Assertion]);
            let few = answer(&input, model, &bounded, 10.0);
            let contradiction = any == Answer::Safe && few == Answer::Unsafe;
            assert!(!contradiction, "seed {seed} on {model}:\n{text}");
            [
                usize::from(any == Answer::Safe),
                usize::from(few == Answer::Unsafe),
            ]
        })
        .collect();
    let sum = |i: usize| found.iter().map(|f| f[i]).sum::<usize>();
    println!("{cases} programs, {} proved, {} refuted", sum(0), sum(1));
    assert!(sum(0) > 0 && sum(1) > 0, "both answers occur");
}
