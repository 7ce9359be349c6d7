//! Objects of a size that is an input, against the same programs with each size written down: random programs
//! with an object of `n` elements, from the heap or an array of variable length, with accesses by constants,
//! inputs and loops, in one thread or two.
//!
//! With sizes from 0 to 3 the program is `UNSAFE` iff it is for one of them, and `SAFE` iff it is for all.
//!
//! `WMBMC_RANDOM_CASES=1000` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use support::random::seeds;
use support::{Random, wmbmc};

const LARGEST: usize = 3;

/// An access to an element of `p`, or several.
fn statement(random: &mut Random) -> String {
    let number = random.below(4);
    let index = match random.below(6) {
        0 => "n - 1".to_string(),
        1 => "i".into(),
        2 => format!("i - {number}"),
        _ => number.to_string(),
    };
    let value = random.below(3);
    let access = match random.below(8) {
        0 => format!("s += p[{index}];"),
        1 => format!("for (int k = 0; k < n; k++) p[k] = {value};"),
        2 => format!("for (int k = {number}; k <= n; k++) s += p[k - 1];"),
        3 => format!("memset(p, 0, n * sizeof(*p) - {});", random.below(2) * 4),
        4 => format!("p = p + 1; p[{index}] = {value}; p = p - 1;"),
        5 => "if (n > 1) { int *q = &p[n - 1]; *q = 1; q[-1] = 2; }".into(),
        _ => format!("p[{index}] = {value};"),
    };
    match random.below(3) {
        0 => format!("if (n > {number}) {{ {access} }}"),
        1 => format!("if (i >= 0 && i < n) {{ {access} }}"),
        _ => access,
    }
}

/// The program; `SIZE` is what a macro of this name says.
fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    random.below(2);
    let object = random.pick(&[
        "int *p = malloc(n * sizeof(int)); if (!p) return 0;",
        "int *p = calloc(n, sizeof(int)); if (!p) return 0;",
        "int *p = malloc(4 + n * sizeof(int)); if (!p) return 0; p[n] = 7;",
        "int a[n + 1]; int *p = a;",
        "int *p = malloc(sizeof(int)); p = realloc(p, n * sizeof(int)); if (!p) return 0;",
    ]);
    let mut statements = |most: usize| {
        (0..1 + random.below(most))
            .map(|_| statement(&mut random))
            .collect()
    };
    let (main, thread): (Vec<String>, Vec<String>) = (statements(3), statements(2));
    let [main, thread] = [main, thread].map(|all| all.join("\n  "));
    let (create, join) = match random.below(2) {
        0 => (
            "pthread_t t; pthread_create(&t, 0, w, 0);",
            "pthread_join(t, 0);",
        ),
        _ => ("", ""),
    };
    format!(
        "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n\
         extern int __VERIFIER_nondet_int(void);\nint *shared, n, i;\n\
         void *w(void *x) {{\n  int *p = shared, s = 0;\n  {thread}\n  return 0;\n}}\n\
         int main(void) {{\n  n = __VERIFIER_nondet_int();\n  i = __VERIFIER_nondet_int();\n\
         \x20 if (n < 0 || n > {LARGEST}) return 0;\n\
         #ifdef SIZE\n  if (n != SIZE) return 0;\n  n = SIZE;\n#endif\n\
         \x20 {object}\n  shared = p;\n  int s = 0;\n  {create}\n  {main}\n  {join}\n\
         \x20 if (n == 2 && p[0] == 1 && p[1] == 2) abort();\n  return 0;\n}}\n"
    )
}

/// The exit code of the checker: 0 is `SAFE`, 10 is `UNSAFE`.
fn checked(path: &str, size: Option<usize>) -> Option<i32> {
    let size = size.map(|n| format!("-DSIZE={n}"));
    let options = [
        "--check",
        "memory,race",
        "--engine",
        "sat",
        "--unwind",
        "12",
    ];
    let words = options.into_iter().chain(size.as_deref()).chain([path]);
    wmbmc(words).status.code()
}

#[test]
fn sizes_that_are_inputs_are_all_sizes() {
    let all: Vec<(String, Option<i32>, Vec<Option<i32>>)> = seeds(24)
        .collect::<Vec<u64>>()
        .par_iter()
        .map(|seed| {
            let text = program(*seed);
            let file =
                std::env::temp_dir().join(format!("wmbmc-sizes-{}-{seed}.c", std::process::id()));
            std::fs::write(&file, &text).expect("the folder for temporary files is writable");
            let path = file.display().to_string();
            let open = checked(&path, None);
            let given = (0..=LARGEST).map(|n| checked(&path, Some(n))).collect();
            let _ = std::fs::remove_file(&file);
            (text, open, given)
        })
        .collect();
    let mut wrong = Vec::new();
    let mut counts = [0; 3];
    for (text, open, given) in &all {
        let expected = match given {
            given if given.contains(&Some(10)) => Some(10),
            given if given.iter().all(|code| *code == Some(0)) => Some(0),
            _ => None,
        };
        let kind = match open {
            Some(0) => 0,
            Some(10) => 1,
            _ => 2,
        };
        counts[kind] += 1;
        if kind < 2 && expected.is_some() && expected != *open {
            wrong.push(format!(
                "{open:?}, with sizes written down {given:?}:\n{text}"
            ));
        }
        if kind == 2 {
            println!("exit code {open:?}, with sizes written down {given:?}:\n{text}");
        }
    }
    let [safe, violated, open] = counts;
    println!("{safe} programs are SAFE, {violated} are UNSAFE, {open} undecided");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(safe > 0 && violated > 0 && 8 * open < all.len());
}
