//! C programs whose threads have numbers, and go through them: random programs against bounded checking.

use crate::any_number::{Answer, answer, answer_or_refusal, options};
use rayon::prelude::*;
use support::random::{Random, random_cases};
use wmbmc::driver::Input;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;

/// A program that starts threads with numbers; there are at most three.
fn wrapped(declared: &str, body: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n#include <stdint.h>\n\
         extern int __VERIFIER_nondet_int(void);\nstatic int n;\n{declared}\n\
         void *f(void *u) {{ int me = (int)(intptr_t)u; int r = 0, s = 0;\n{body}\nreturn 0; }}\n\
         int main(void) {{ pthread_t t[3]; n = __VERIFIER_nondet_int();\n\
         if (n < 1 || n > 3) return 0;\n\
         for (int i = 0; i < n; i++) pthread_create(&t[i], 0, f, (void *)(intptr_t)i); }}\n"
    )
}

fn input(declared: &str, body: &str) -> Input {
    Input::text("numbers.c", wrapped(declared, body))
}

const ARRAYS: &str = "static atomic_int a[3]; static int b[3]; static atomic_int l; static int x;";

fn random_scan(random: &mut Random) -> String {
    let begin = random.pick(&["0", "0", "me", "me + 1"]);
    let end = random.pick(&["j < n", "j < n", "j < me", "j <= me"]);
    let body = random.pick(&[
        "while (a[j]) ;",
        "while (j != me && a[j] == 1) ;",
        "while (j > me && a[j]) ;",
        "if (a[j]) return 0;",
        "if (j != me && a[j]) return 0;",
        "if (j < me) continue; if (a[j] == 2) return 0;",
        "if (a[j]) { s = 1; break; }",
        "r = r + a[j];",
        "if (j == me) continue; s = a[j];",
        "assert(b[j] < 2);",
        "if (j != me) assert(a[j] != 2);",
        "a[j] = 0;",
        "if (j > me) a[j] = 2;",
        "if (atomic_exchange(&a[j], 1)) break;",
        "r = b[j]; if (r == s) s = 1;",
        "if (!a[j]) { a[me] = 0; return 0; }",
    ]);
    format!("for (int j = {begin}; {end}; j++) {{ {body} }}")
}

fn random_body(random: &mut Random) -> String {
    let mut steps = Vec::new();
    for _ in 0..2 + random.below(3) {
        steps.push(match random.below(2) {
            0 => random_scan(random),
            _ => random
                .pick(&[
                    "a[me] = 1;",
                    "a[me] = 2;",
                    "a[me] = 0;",
                    "b[me] = 1;",
                    "b[me] = r;",
                    "r = a[me];",
                    "r = x;",
                    "x = r + 1;",
                    "x = 1;",
                    "if (s) return 0;",
                    "while (l) ;",
                    "s = atomic_exchange(&l, 1);",
                    "l = 0;",
                    "atomic_store_explicit(&a[me], 1, memory_order_relaxed);",
                    "atomic_store_explicit(&a[me], 0, memory_order_release);",
                    "if (atomic_exchange(&a[me], 1)) l = 0;",
                ])
                .to_string(),
        });
    }
    steps.push(
        random
            .pick(&[
                "assert(x < 2);",
                "x = r + 1; assert(x == r + 1);",
                "x = 0; r = x; x = 1; assert(r == 0);",
                "r = x; x = r + 1; assert(x == 1); x = 0; a[me] = 0;",
                "assert(s == 0);",
                "assert(a[me] < 2);",
                "assert(r < 2);",
                "if (r) assert(a[me]);",
            ])
            .to_string(),
    );
    steps.join("\n")
}

/// What bounded checking finds for one to three threads is never safe for any number.
#[test]
fn bounded_checking_never_refutes_a_proof() {
    let cases = random_cases(40);
    let found: Vec<[usize; 3]> = (1..=cases)
        .into_par_iter()
        .map(|seed| {
            let mut random = Random::new(7000 + seed);
            let body = random_body(&mut random);
            let model = ["sc", "tso", "pso"][usize::try_from(seed % 3).expect("small")];
            let input = input(ARRAYS, &body);
            let Ok(any) = answer_or_refusal(&input, model, &options(true, &[]), 4.0) else {
                return [0, 0, 1];
            };
            if any != Answer::Safe {
                return [0, usize::from(any == Answer::Unsafe), 0];
            }
            let mut bounded = options(false, &[]);
            bounded.program.bounded.bounds = Bounds::all(3);
            bounded.program.checks = Some(PropertyKind::defaults(true));
            let few = answer(&input, model, &bounded, 20.0);
            assert_ne!(few, Answer::Unsafe, "seed {seed} on {model}:\n{body}");
            [1, 0, 0]
        })
        .collect();
    let sum = |i: usize| found.iter().map(|f| f[i]).sum::<usize>();
    let (proved, refuted, out) = (sum(0), sum(1), sum(2));
    println!("{cases} programs, {proved} proved, {refuted} refuted, {out} do not fit");
    assert!(proved > 0 && refuted > 0, "both answers occur");
}

/// Loops that do not go through all numbers, and numbers that are handed out twice.
#[test]
fn numbers_are_those_that_the_program_has() {
    let lock = "a[me] = 1;
        for (int j = BEGIN; j < END; j++) if (j != me && a[j]) return 0;
        x = x + 1; assert(x == 1); x = x - 1; a[me] = 0;";
    let on = |begin: &str, end: &str| {
        let body = lock.replace("BEGIN", begin).replace("END", end);
        answer_or_refusal(&input(ARRAYS, &body), "sc", &options(true, &[]), 30.0)
    };
    assert_eq!(on("0", "n").expect("it fits"), Answer::Safe);
    for (begin, end) in [("me", "n"), ("0", "me"), ("me + 1", "n")] {
        assert_eq!(
            on(begin, end).expect("it fits"),
            Answer::Unsafe,
            "{begin}..{end}"
        );
    }
    for (begin, end) in [
        ("1", "n"),
        ("0", "n - 1"),
        ("0", "2"),
        ("me + 2", "n"),
        ("0", "x"),
    ] {
        let refused = on(begin, end).expect_err("it does not fit").to_string();
        assert!(
            refused.contains("--> numbers.c:"),
            "{begin}..{end}: {refused}"
        );
    }
    let text = wrapped(ARRAYS, &lock.replace("BEGIN", "0").replace("END", "n"));
    let mains = [
        // Two threads have each number.
        (
            "pthread_create(&t[i], 0, f, (void *)(intptr_t)i);",
            "{ pthread_create(&t[i], 0, f, (void *)(intptr_t)i); pthread_create(&t[i], 0, f, (void *)(intptr_t)i); }",
        ),
        ("i++", "i += (i > 0)"),
        ("int i = 0; i < n", "int i = 0; i < n + 1"),
        ("(void *)(intptr_t)i)", "(void *)(intptr_t)(char)i)"),
        ("(void *)(intptr_t)i)", "(void *)(intptr_t)(i + 1))"),
        ("(void *)(intptr_t)i)", "(void *)0)"),
        ("int i = 0; i < n", "int i = 0; n = n - 1, i < n"),
        (
            "for (int i = 0;",
            "for (int k = 0; k < 2; k++) for (int i = 0;",
        ),
        (
            "n = __VERIFIER_nondet_int();",
            "int m = __VERIFIER_nondet_int(); n = m; m = __VERIFIER_nondet_int();",
        ),
    ];
    for (from, to) in mains {
        assert!(text.contains(from), "{from}");
        let input = Input::text("numbers.c", text.replace(from, to));
        let found = answer_or_refusal(&input, "sc", &options(true, &[]), 10.0);
        // The loop ends at `n`, whatever has become of what it was set to.
        let ends_there = to.contains("int m");
        assert_eq!(found.ok() == Some(Answer::Safe), ends_there, "{to}");
    }
}

/// An address is that of the number that the register had when it was taken.
#[test]
fn addresses_are_taken_when_they_are_taken() {
    let declared = "static struct { int k, v; } c[3]; static int x;";
    let body = |then: &str| {
        format!(
            "c[me].v = 1;
             int j = 0;
             while (j < n) {{
                 void *p = &c[j]; int *q = (int *)((char *)p + 4);
                 {then}
             }}"
        )
    };
    let on = |then: &str| {
        let input = input(declared, &body(then));
        answer_or_refusal(&input, "sc", &options(true, &[]), 20.0)
    };
    let fits = on("if (j == me) assert(*q == 1); j++;");
    assert_eq!(fits.expect("it fits"), Answer::Safe);
    let moved = on("j++; if (!(j < n)) break; if (j == me) assert(*q == 1); j++;");
    assert_ne!(moved.ok(), Some(Answer::Safe));
}

/// Unsigned numbers of any width, and what only looks like a number.
#[test]
fn numbers_may_be_unsigned() {
    let lock = "a[me] = 1;
        for (int j = 0; j < n; j++) if (j != me && a[j]) return 0;
        x = x + 1; assert(x == 1); x = x - 1; a[me] = 0;";
    let text = wrapped(ARRAYS, lock);
    for wide in ["unsigned", "unsigned long", "long"] {
        let text = text
            .replace("int me = (int)", &format!("{wide} me = ({wide})"))
            .replace("int j", &format!("{wide} j"))
            .replace("int i", &format!("{wide} i"))
            .replace("static int n", &format!("static {wide} n"));
        let on = |text: String| {
            let input = Input::text("numbers.c", text);
            answer_or_refusal(&input, "sc", &options(true, &[]), 30.0)
        };
        assert_eq!(on(text.clone()).expect("it fits"), Answer::Safe, "{wide}");
        let late = text
            .replace("a[me] = 1;", "")
            .replace("x = x + 1", "a[me] = 1; x = x + 1");
        assert_eq!(on(late).expect("it fits"), Answer::Unsafe, "{wide}");
    }
    let negative = "int k = __VERIFIER_nondet_int(); if (k < 0) assert(0); a[me] = 1; return 0; if (k < n) r = 1;";
    let found = answer_or_refusal(&input(ARRAYS, negative), "sc", &options(true, &[]), 30.0);
    assert_ne!(found.ok(), Some(Answer::Safe));
}

/// What is done with a number beyond what is understood: the body, and the words of the refusal.
const REFUSED: [(&str, &str); 12] = [
    ("a[me] = 1; x = me;", "the number of a thread as a value"),
    ("a[me] = me;", "the number of a thread as a value"),
    (
        "if (me == 0) a[me] = 1;",
        "the number of a thread in this comparison",
    ),
    ("a[me + 1] = 1;", "that is at no number of a thread"),
    ("a[0] = 1; a[me] = 1;", "that is at no number of a thread"),
    ("a[r] = 1; a[me] = 1;", "a number of a thread that "),
    (
        "int j = x; a[j] = 1; a[me] = 1;",
        "a number of a thread that ",
    ),
    (
        "int j; for (j = 0; j < n; j++) ; a[j] = 1; a[me] = 1;",
        "a number of a thread that does not come from a loop over them",
    ),
    (
        "for (int j = 0; j < n; j += 2) r = a[j]; a[me] = 1;",
        "a number of a thread that is not counted",
    ),
    (
        "for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) if (j < k) r = a[j] + a[k]; a[me] = 1;",
        "two numbers of threads at once",
    ),
    (
        "for (int j = n - 1; j >= 0; j--) r = a[j]; a[me] = 1;",
        "a number of a thread that is not counted",
    ),
    (
        "for (int j = 0; j < n; j++) x = j; a[me] = 1;",
        "the number of a thread as a value",
    ),
];

#[test]
fn what_is_not_understood_of_numbers_is_refused_at_its_place() {
    for (body, words) in REFUSED {
        let refused = answer_or_refusal(&input(ARRAYS, body), "sc", &options(true, &[]), 10.0);
        let error = refused.err().unwrap_or_else(|| panic!("{body} fits"));
        let text = error.to_string();
        let said = "a proof for any number of threads does not support";
        assert!(
            text.contains(said) && text.contains(words),
            "{body}: {text}"
        );
        assert!(text.contains("--> numbers.c:"), "{body}: {text}");
    }
    // Without arrays a number is any number.
    let any = input(
        "static int x;",
        "x = me; if (n > 3) x = n; assert(x == me);",
    );
    let found = answer_or_refusal(&any, "sc", &options(true, &[]), 10.0);
    assert!(matches!(found, Ok(Answer::Unsafe | Answer::Unknown(_))));
    let counted = input("", "for (int j = 0; j < n; j++) s = 1; assert(s == 0);");
    let found = answer_or_refusal(&counted, "sc", &options(true, &[]), 10.0);
    assert_ne!(found.ok(), Some(Answer::Safe));
    let two = wrapped(ARRAYS, "a[me] = 1;").replace(
        "int main(void) {",
        "void *g(void *u) { x = 1; return u; }\nint main(void) { pthread_t o; pthread_create(&o, 0, g, 0);",
    );
    let input = Input::text("numbers.c", two);
    let refused = answer_or_refusal(&input, "sc", &options(true, &[]), 10.0);
    let text = refused.expect_err("there are two kinds").to_string();
    assert!(text.contains("beside threads of another kind"), "{text}");
}
