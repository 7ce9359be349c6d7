//! Floating-point arithmetic against the machine's own: programs with an expression over numbers of
//! some types are compiled and run for the bits of their results, which are then asserted. The
//! operands are special numbers, numbers near those, and random ones; they are constants, which
//! unwinding computes with, or nothing but an assumption says what they are, so that the gates
//! compute, or another thread writes them, so that enumeration has to agree.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use support::{Random, wmbmc};

/// An expression over `a` and `b`.
struct Case {
    operands: [&'static str; 2],
    result: &'static str,
    expr: String,
    /// Results that C leaves open are not compared.
    determined: fn(u64, u64, &Case) -> bool,
}

/// Types: their names in C, and their bits.
const TYPES: [(&str, u32); 12] = [
    ("double", 64),
    ("float", 32),
    ("char", 8),
    ("uchar", 8),
    ("short", 16),
    ("ushort", 16),
    ("int", 32),
    ("uint", 32),
    ("long", 64),
    ("ulong", 64),
    ("llong", 64),
    ("bool", 8),
];

const PRELUDE: &str = "
#include <assert.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long long llong;
#define bool _Bool
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int);
static double of_double(ulong u) { union { ulong u; double d; } x; x.u = u; return x.d; }
static float of_float(ulong u) { union { uint u; float d; } x; x.u = u; return x.d; }
static ulong bits_double(double d) { union { ulong u; double d; } x; x.d = d; return d != d ? 0x7ff8000000000000 : x.u; }
static ulong bits_float(float d) { union { uint u; float d; } x; x.d = d; return d != d ? 0x7fc00000 : x.u; }
#define WHOLE(t, u) static t of_##t(ulong x) { return (t)x; } static ulong bits_##t(t x) { return (u)x; }
WHOLE(char, uchar) WHOLE(uchar, uchar) WHOLE(short, ushort) WHOLE(ushort, ushort)
WHOLE(int, uint) WHOLE(uint, uint) WHOLE(long, ulong) WHOLE(ulong, ulong) WHOLE(llong, ulong) WHOLE(bool, bool)
";

fn bits_of(ty: &str) -> u32 {
    let found = TYPES.iter().find(|(name, _)| *name == ty);
    found.expect("a type of the table").1
}

fn value(ty: &str, bits: u64) -> f64 {
    match ty {
        "float" => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

fn always(_: u64, _: u64, _: &Case) -> bool {
    true
}

/// The number without its fraction is one of the type of the result.
fn in_range(a: u64, _: u64, case: &Case) -> bool {
    let (bits, signed) = match case.result {
        "bool" => return true,
        ty => (bits_of(ty), !ty.starts_with('u')),
    };
    let whole = value(case.operands[0], a);
    let whole = match case.expr.contains("round") {
        true => whole.round(),
        false if case.expr.contains("rint") => whole.round_ties_even(),
        false => whole.trunc(),
    };
    match signed {
        true => (-(2f64.powi(bits as i32 - 1))..2f64.powi(bits as i32 - 1)).contains(&whole),
        false => (0.0..2f64.powi(bits as i32)).contains(&whole),
    }
}

/// Not two zeros, and no signalling NaN.
fn ordered(a: u64, b: u64, case: &Case) -> bool {
    let ty = case.operands[0];
    let quiet = if ty == "float" { 1 << 22 } else { 1 << 51 };
    let signals = |bits| value(ty, bits).is_nan() && bits & quiet == 0;
    let zeros = value(ty, a) == 0.0 && value(ty, b) == 0.0;
    !(zeros || signals(a) || signals(b))
}

fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    let mut add = |operands, result, expr: &str, determined| {
        let expr = expr.to_string();
        out.push(Case {
            operands,
            result,
            expr,
            determined,
        });
    };
    for ty in ["double", "float"] {
        let f = if ty == "float" { "f" } else { "" };
        let name = |n: &str| format!("{n}{f}(a)");
        for op in ["a + b", "a - b", "a * b", "a / b"] {
            add([ty, ty], ty, op, always);
        }
        let comparisons = "(a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 \
                           | (a != b) << 5 | (a && b) << 6 | !a << 7";
        add([ty, ty], "int", comparisons, always);
        let quiet = "!!isless(a, b) | !!islessequal(a, b) << 1 | !!isgreater(a, b) << 2 \
                     | !!isgreaterequal(a, b) << 3 | !!islessgreater(a, b) << 4 | !!isunordered(a, b) << 5";
        add([ty, ty], "int", quiet, always);
        let kinds = "!!isnan(a) | !!isinf(a) << 1 | !!isfinite(a) << 2 | !!isnormal(a) << 3 \
                     | (isnan(a) ? 0 : !!signbit(a) << 4) | (fpclassify(b) == FP_SUBNORMAL) << 5";
        add([ty, ty], "int", kinds, always);
        add(
            [ty, ty],
            ty,
            &format!("-copysign{f}(fabs{f}(a), b)"),
            always,
        );
        for function in ["sqrt", "floor", "ceil", "trunc", "round", "rint"] {
            add([ty, ty], ty, &name(function), always);
        }
        add([ty, ty], ty, &format!("fmin{f}(a, b)"), ordered);
        add([ty, ty], ty, &format!("fmax{f}(a, b)"), ordered);
        add([ty, ty], "long", &name("lround"), in_range);
        add([ty, ty], "llong", &name("llrint"), in_range);
        for from in ["char", "ushort", "int", "uint", "long", "ulong"] {
            add([from, from], ty, "a", always);
        }
        for to in ["uchar", "short", "int", "uint", "long", "ulong", "bool"] {
            add([ty, ty], to, "a", in_range);
        }
        add(
            [ty, "int"],
            ty,
            "({ a += b; a *= 3; a -= 0.1f; a /= b; a; })",
            always,
        );
        add([ty, "uint"], ty, "({ a++; --a; b ? a : b; })", always);
    }
    add(["double", "float"], "float", "a", always);
    add(["float", "double"], "double", "a", always);
    add(["float", "double"], "double", "a * b + a", always);
    add(["int", "float"], "float", "a * b", always);
    add(["long", "double"], "double", "b - a", always);
    out
}

/// Operands that are special, near such, or half way between two; and random ones.
struct Operands(Random);

impl Operands {
    fn number(&mut self, ty: &str) -> u64 {
        let width = bits_of(ty);
        let all = u64::MAX >> (64 - width);
        let (exponent, fraction) = match ty {
            "double" => (11, 52),
            "float" => (8, 23),
            "bool" => return self.0.below(2),
            _ => {
                let edge = 1 << self.0.below(u64::from(width));
                let near = [
                    0,
                    1,
                    all,
                    edge,
                    edge - 1,
                    edge + 1,
                    self.0.bits(),
                    self.0.bits(),
                ];
                return near[self.0.below(8) as usize] & all;
            }
        };
        let top = (1u64 << exponent) - 1;
        let bias = top / 2;
        let ones = (1u64 << fraction) - 1;
        let e = match self.0.below(10) {
            0 => 0,
            1 => self.0.below(3),
            2 => top,
            3 => top - self.0.below(3),
            4 => bias + fraction - 2 + self.0.below(4),
            5..=7 => bias - 3 + self.0.below(40),
            _ => self.0.below(top + 1),
        };
        let f = match self.0.below(6) {
            0 => 0,
            1 => ones - self.0.below(3),
            2 => self.0.below(4),
            3 => ones / 2 + self.0.below(3),
            _ => self.0.bits() & ones,
        };
        (self.0.below(2) << exponent | e) << fraction | f
    }

    /// Operands of a case for which C determines the result.
    fn operands(&mut self, case: &Case) -> (u64, u64) {
        loop {
            let (a, b) = (self.number(case.operands[0]), self.number(case.operands[1]));
            if (case.determined)(a, b, case) {
                return (a, b);
            }
        }
    }
}

const SAMPLES: usize = 8;

/// The functions under test.
fn functions(cases: &[Case]) -> String {
    let mut text = PRELUDE.to_string();
    for (i, case) in cases.iter().enumerate() {
        let ([a, b], result, expr) = (case.operands, case.result, &case.expr);
        writeln!(
            text,
            "static {result} f{i}({a} a, {b} b) {{ return {expr}; }}"
        )
        .expect("text");
    }
    text
}

/// `bits(f(a, b))` of two words.
fn call(i: usize, case: &Case, a: &str, b: &str) -> String {
    let [x, y] = case.operands;
    format!("bits_{}(f{i}(of_{x}({a}), of_{y}({b})))", case.result)
}

/// Compiles and runs the functions, with their text changed so: a result for each pair of operands. `None` without a compiler.
fn machine(
    folder: &Path,
    cases: &[Case],
    operands: &[Vec<(u64, u64)>],
    changed: &dyn Fn(String) -> String,
) -> Option<Vec<u64>> {
    let mut text = functions(cases);
    text.push_str("int main(void) {\n");
    for (i, case) in cases.iter().enumerate() {
        for (a, b) in &operands[i] {
            // Nothing is known to the compiler.
            let result = call(i, case, "x", "y");
            writeln!(
                text,
                "{{ volatile ulong x = {a}u, y = {b}u; printf(\"%lu\\n\", {result}); }}"
            )
            .expect("text");
        }
    }
    text.push_str("return 0; }\n");
    let (source, program) = (folder.join("machine.c"), folder.join("machine"));
    std::fs::write(&source, changed(text)).expect("the folder is writable");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-w", "-O0", "-ffp-contract=off", "-o"])
        .args([&program, &source])
        .arg("-lm")
        .output();
    let Ok(compiled) = compiled else {
        eprintln!("skipped: there is no C compiler");
        return None;
    };
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{errors}");
    let output = Command::new(program).output().expect("it was compiled");
    let output = String::from_utf8(output.stdout).expect("numbers");
    Some(
        output
            .lines()
            .map(|l| l.parse().expect("a number"))
            .collect(),
    )
}

fn verdict(folder: &Path, name: &str, text: &str, options: &[&str]) -> String {
    let file = folder.join(name);
    std::fs::write(&file, text).expect("the folder is writable");
    let file = file.to_str().expect("a path of letters");
    let run = ["--mm", "sc", "--timeout", "100", "--memory", "4000", file];
    let output = wmbmc(run.iter().chain(options));
    let answer = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let first = answer.lines().next().unwrap_or_default().to_string();
    if first.is_empty() || first.starts_with("UNKNOWN") {
        return format!("{answer}{errors}");
    }
    first
}

/// Programs about one case.
fn check(folder: &Path, i: usize, case: &Case, pairs: &[(u64, u64)], results: &[u64]) {
    let all = |f: &dyn Fn(&mut String, u64, u64, u64)| {
        let mut text = String::new();
        for ((a, b), r) in pairs.iter().zip(results) {
            f(&mut text, *a, *b, *r);
        }
        text
    };
    let ([x, y], result, expr) = (case.operands, case.result, &case.expr);
    let head = format!("{PRELUDE}static {result} f{i}({x} a, {y} b) {{ return {expr}; }}\n");
    let shown = format!("f{i}: {result} of {x}, {y}: {expr}");
    let known = all(&|text, a, b, r| {
        let value = call(i, case, &format!("{a}u"), &format!("{b}u"));
        writeln!(text, "assert({value} == {r}u);").expect("text");
    });
    let assumed = |relation: &str, pairs: &dyn Fn(&mut String)| {
        let mut text = format!("{head}int main(void) {{ ulong x, y;\n");
        pairs(&mut text);
        text.push_str("return 0; }\n");
        text.replace("RELATION", relation)
    };
    let one = |text: &mut String, a: u64, b: u64, r: u64| {
        let value = call(i, case, "x", "y");
        writeln!(
            text,
            "x = __VERIFIER_nondet_ulong(); y = __VERIFIER_nondet_ulong();
             __VERIFIER_assume(x == {a}u && y == {b}u); assert({value} RELATION {r}u);"
        )
        .expect("text");
    };
    let (a, b) = pairs[0];
    let r = results[0];
    // One bit is wrong in turn.
    let wrong = r ^ 1 << (i % bits_of(case.result) as usize);
    let unknown = all(&one);
    let of_thread = |r: u64| {
        let value = call(i, case, "x", "y");
        format!(
            "{head}ulong p, q; int done;
             void *write(void *arg) {{ p = {a}u; q = {b}u; __atomic_store_n(&done, 1, 3); return 0; }}
             int main(void) {{
               pthread_t t;
               pthread_create(&t, 0, write, 0);
               int late = __atomic_load_n(&done, 2);
               ulong x = p, y = q;
               if (late) assert({value} == {r}u);
               return 0;
             }}\n"
        )
    };
    let programs = [
        (
            "known",
            format!("{head}int main(void) {{\n{known}return 0; }}\n"),
            "SAFE",
            "sat",
        ),
        (
            "gates",
            assumed("==", &|t| t.push_str(&unknown)),
            "SAFE",
            "sat",
        ),
        (
            "wrong",
            assumed("==", &|t| one(t, a, b, wrong)),
            "UNSAFE",
            "sat",
        ),
        (
            "refuted",
            assumed("!=", &|t| one(t, a, b, r)),
            "UNSAFE",
            "sat",
        ),
        ("thread", of_thread(r), "SAFE", "both"),
        ("thread_wrong", of_thread(wrong), "UNSAFE", "both"),
    ];
    for (name, text, expected, engine) in programs {
        let options = ["--engine", engine];
        let answer = verdict(folder, &format!("f{i}_{name}.c"), &text, &options);
        assert_eq!(answer, expected, "{shown}\n{name}:\n{text}");
    }
}

#[test]
fn the_machine_agrees() {
    let cases = cases();
    assert!(cases.len() >= 40, "{} programs", cases.len());
    let mut random = Operands(Random::new(1));
    let operands = cases.iter().map(|case| {
        let pairs = (0..SAMPLES).map(|_| random.operands(case));
        pairs.collect::<Vec<_>>()
    });
    let operands: Vec<_> = operands.collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(results) = machine(folder.path(), &cases, &operands, &|text| text) else {
        return;
    };
    assert_eq!(results.len(), cases.len() * SAMPLES);
    for (i, (case, results)) in cases.iter().zip(results.chunks(SAMPLES)).enumerate() {
        check(folder.path(), i, case, &operands[i], results);
    }
}

fn answer(text: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    verdict(folder.path(), "program.c", text, options)
}

#[test]
fn a_number_that_no_integer_is_becomes_anything() {
    let program = |ty: &str, number: &str, assertion: &str| {
        format!(
            "{PRELUDE}int main(void) {{ double d = {number}; {ty} i = d; assert({assertion}); return 0; }}\n"
        )
    };
    for (ty, number) in [
        ("int", "2147483648.0"),
        ("uint", "-1.0"),
        ("long", "1e300"),
        ("char", "NAN"),
    ] {
        for assertion in ["i == 0", "i != 0", "i != 77"] {
            let text = program(ty, number, assertion);
            assert_eq!(answer(&text, &[]), "UNSAFE", "{text}");
        }
        let text = program(ty, number, "1");
        assert_eq!(answer(&text, &[]), "SAFE", "{text}");
        assert_eq!(answer(&text, &["--check", "overflow"]), "UNSAFE", "{text}");
    }
    let text = program("int", "-2147483648.9", "i == -2147483647 - 1");
    assert_eq!(answer(&text, &["--check", "assert,overflow"]), "SAFE");
}

/// Special operands, with any bits in those that are no numbers.
fn special(random: &mut Random, ty: &str) -> u64 {
    let (sign, exponent, fraction) = match ty {
        "double" => (1 << 63, 0x7ff << 52, (1 << 52) - 1),
        "float" => (1 << 31, 0xff << 23, (1 << 23) - 1),
        _ => return random.below(3u64),
    };
    let bits = match random.below(6u64) {
        0 => 0,
        1 => exponent,
        2 => exponent / 2,
        _ => exponent | (random.bits() & fraction),
    };
    bits | random.pick(&[0, sign])
}

/// The bits of a result that is no number are any for which there is a machine, and so those of this one.
#[test]
fn the_bits_of_what_is_no_number_are_possible() {
    let mut cases = cases();
    cases.retain(|case| ["double", "float"].contains(&case.result));
    let mut random = Random::new(2);
    let operands = cases.iter().map(|case| {
        let pairs = (0..SAMPLES).map(|_| {
            loop {
                let [a, b] = case.operands.map(|ty| special(&mut random, ty));
                if (case.determined)(a, b, case) {
                    break (a, b);
                }
            }
        });
        pairs.collect::<Vec<_>>()
    });
    let operands: Vec<_> = operands.collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let raw = |text: String| {
        text.replace("d != d ? 0x7ff8000000000000 : ", "")
            .replace("d != d ? 0x7fc00000 : ", "")
    };
    let Some(results) = machine(folder.path(), &cases, &operands, &raw) else {
        return;
    };
    let mut none = 0;
    for (i, (case, results)) in cases.iter().zip(results.chunks(SAMPLES)).enumerate() {
        // All of them at once: no two have an operand that the program could not tell apart.
        let mut text = functions(&cases) + "int main(void) {\nassert(!(1";
        for ((a, b), result) in operands[i].iter().zip(results) {
            none += u32::from(value(case.result, *result).is_nan());
            let call = call(i, case, &format!("{a}u"), &format!("{b}u"));
            write!(text, " && {call} == {result}u").expect("text");
        }
        text.push_str("));\nreturn 0; }\n");
        let text = raw(text);
        for engine in ["sat", "explore"] {
            let answer = verdict(folder.path(), "raw.c", &text, &["--engine", engine]);
            assert_eq!(answer, "UNSAFE", "{engine}, {}:\n{text}", case.expr);
        }
    }
    assert!(none > 100, "{none}");
}

#[test]
fn what_c_leaves_open_is_open() {
    for (assertion, expected) in [
        ("signbit(0.0 / zero) == 0", "UNSAFE"),
        ("signbit(0.0 / zero) != 0", "UNSAFE"),
        ("signbit(fmin(zero, -zero)) == 0", "UNSAFE"),
        ("fmin(zero, -zero) == 0", "SAFE"),
        ("0.0 / zero != 0.0 / zero", "SAFE"),
    ] {
        let text = format!(
            "{PRELUDE}int main(void) {{ double zero = 0; assert({assertion}); return 0; }}\n"
        );
        assert_eq!(answer(&text, &[]), expected, "{assertion}");
    }
}

#[test]
fn what_is_not_computed_is_named_where_it_is_reached() {
    for (statement, name) in [
        ("d = sin(d);", "`sin`"),
        ("d = powf(d, 2);", "`powf`"),
        ("l = l + 1;", "`long double`"),
        ("d = l;", "`long double`"),
        ("d = (l > 1);", "`long double`"),
        ("kept = l;", "`long double`"),
        ("fesetround(FE_UPWARD);", "rounding"),
    ] {
        let program = |condition: &str| {
            format!(
                "#include <fenv.h>\n{PRELUDE}long double kept; int x = 1;
                 int main(void) {{
                   double d = 0.5; long double l = 1.5L;
                   if ({condition}) {{ {statement} }}
                   printf(\"%f %Lf\", d, l);
                   assert(x == 1);
                   return 0;
                 }}\n"
            )
        };
        let reached = answer(&program("x == 1"), &[]);
        assert!(
            reached.starts_with("UNKNOWN") && reached.contains(name),
            "{statement}: {reached}"
        );
        assert_eq!(answer(&program("x == 2"), &[]), "SAFE", "{statement}");
    }
}

#[test]
fn constants_and_atomics() {
    let text = format!(
        "{PRELUDE}_Atomic double total = 1.5; double cells[3] = {{1, 0x1.8p1, .1f}};
         struct {{ float f; double d; }} pair = {{.f = 0.1f, .d = 0.1}};
         static double sum(double *v, int n) {{ double s = 0; for (int i = 0; i < n; i++) s += v[i]; return s; }}
         int main(void) {{
           assert(DBL_MAX + DBL_MAX == INFINITY && DBL_MIN / 2 > 0 && DBL_TRUE_MIN / 2 == 0);
           assert(1 + DBL_EPSILON > 1 && 1 + DBL_EPSILON / 2 == 1 && FLT_MAX < DBL_MAX);
           assert(16777217.0f == 16777216 && 0.1f != 0.1 && (float)0.1 == 0.1f);
           assert(pair.f == 0.1f && pair.d == 0.1 && cells[1] == 3 && cells[2] == 0.1f);
           assert(sum(cells, 2) == 4);
           total += 1; total++; total *= 2;
           assert(total == 7);
           double old = __atomic_exchange_n((double *)&total, 0.25, __ATOMIC_SEQ_CST), expected = 1;
           assert(old == 7);
           assert(!__atomic_compare_exchange_n((double *)&total, &expected, 2.0, 0, 5, 5));
           assert(expected == 0.25);
           for (double x = 0; x < 1; x += 0.25) old -= 1;
           assert(old == 3 && (int)-2.7 == -2 && (_Bool)0.1 && !(_Bool)-0.0);
           return 0;
         }}\n"
    );
    assert_eq!(answer(&text, &[]), "SAFE");
    assert_eq!(answer(&text, &["--engine", "both"]), "SAFE");
}

#[test]
fn predicate_abstraction_names_what_it_cannot_do() {
    let text = "double d; int x; void assert(int);
                int main(void) { d = 0.5; d = d + 1; x = 1; assert(x == 1); return 0; }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("the folder is writable");
    let file = file.to_str().expect("a path of letters");
    let output = wmbmc(["abstract", file, "--mm", "sc"]);
    let said = String::from_utf8_lossy(&output.stdout).to_string()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("floating-point arithmetic"), "{said}");
}

#[test]
fn initial_values_that_are_no_numbers_have_the_sign_that_compilers_agree_on() {
    let program = |init: &str, assertion: &str| {
        format!(
            "{PRELUDE}static double d = {init};\nint main(void) {{ assert({assertion}); return 0; }}\n"
        )
    };
    for (init, negative) in [("NAN", "signbit(d) == 0"), ("-NAN", "signbit(d) != 0")] {
        let text = program(init, &format!("d != d && {negative}"));
        assert_eq!(answer(&text, &[]), "SAFE", "{text}");
    }
    // gcc and clang have another sign each.
    let refused = answer(&program("0.0 / 0.0", "d != d"), &[]);
    assert!(refused.contains("either sign"), "{refused}");
}
