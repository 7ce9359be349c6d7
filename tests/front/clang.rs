//! C twice: programs that clang reads, and that the front end for C reads, have the same meaning.
//!
//! Programs of the repository have the verdicts that their heads expect, but for those that
//! `benchmarks/clang_differences.csv` lists with the reason. Random sequential programs have on this machine the values
//! that are asserted, whatever clang does to optimise them.

use std::fmt::Write;
use std::process::Command;
use support::random::seeds;
use support::skip::{Missing, skipped};
use support::{Case, Random, cases, root, some, wmbmc};

/// Whether clang is here; says that nothing is tested if it is not.
pub fn has_clang() -> bool {
    let found = Command::new("clang").arg("--version").output();
    let found = found.is_ok_and(|o| o.status.success());
    if !found {
        skipped(Missing::Tool("clang"));
    }
    found
}

/// A row of the list of differences.
#[derive(serde::Deserialize)]
struct Difference {
    file: String,
    options: String,
    /// The level of optimisation from which on there is a difference.
    from: u8,
    reason: String,
}

impl Difference {
    fn is_about(&self, case: &Case) -> bool {
        let options = self.options == "*" || case.options.join(" ") == self.options;
        case.file.to_string_lossy() == self.file && options
    }
}

fn differences() -> Vec<Difference> {
    let path = root().join("benchmarks/clang_differences.csv");
    let mut rows = csv::Reader::from_path(path).expect("the list is there");
    let rows = rows.deserialize().map(|row| row.expect("a row"));
    let rows: Vec<Difference> = rows.collect();
    assert!(rows.iter().all(|row| row.reason.len() > 10));
    rows
}

fn verdict(args: &[String]) -> String {
    let output = wmbmc(args);
    let answer = serde_json::from_slice::<serde_json::Value>(&output.stdout).ok();
    let verdict = answer.and_then(|v| v["verdict"].as_str().map(str::to_string));
    verdict.unwrap_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn programs_have_the_verdicts_of_their_heads() {
    if !has_clang() {
        return;
    }
    let listed = differences();
    let all = [
        "benchmarks",
        "benchmarks/textbook",
        "benchmarks/races",
        "tests/c",
    ];
    let all: Vec<_> = all.iter().flat_map(|folder| cases(folder)).collect();
    for row in &listed {
        let known = all.iter().any(|case| row.is_about(case));
        assert!(known, "{} {}", row.file, row.options);
    }
    let unoptimised = listed.iter().filter(|row| row.from == 0);
    let is_listed = |case: &Case| unoptimised.clone().any(|row| row.is_about(case));
    let chosen = some(all.into_iter().filter(|c| !is_listed(c)), 8);
    let runs: Vec<_> = chosen
        .iter()
        .enumerate()
        .filter_map(|(i, case)| {
            let models: Vec<&String> = case.expect.keys().collect();
            let model = models[i % models.len()];
            Some((case, model, case.expect.get(model)?))
        })
        .collect();
    let answers = support::sessions::in_parallel(&runs, |(case, model, _)| {
        let mut args = vec![case.file.display().to_string()];
        args.extend(case.options.iter().cloned());
        let more = [
            "--front",
            "clang",
            "--format",
            "json",
            "--timeout",
            "20",
            "--mm",
        ];
        args.extend(more.map(str::to_string));
        args.push(model.to_string());
        verdict(&args)
    });
    let (mut agree, mut open, mut differ) = (0, Vec::new(), Vec::new());
    let mut refused = Vec::new();
    for ((case, model, expected), answer) in runs.iter().zip(answers) {
        let same = match expected.as_str() {
            "BOUND" | "HOLDS" => ["SAFE", "SAFE_UP_TO_BOUND"].contains(&answer.as_str()),
            other => answer == other,
        };
        let undecided = ["UNKNOWN", "SAFE_UP_TO_BOUND"].contains(&answer.as_str());
        let line = || {
            format!(
                "{} on {model}: expected {expected}, got {answer}",
                case.name()
            )
        };
        match same {
            true => agree += 1,
            // clang has no such header or construct, or LLVM IR no such platform.
            false if answer == "ERROR" => refused.push(case.name()),
            // Another front end may know more.
            false if *expected == "UNKNOWN" => open.push(line()),
            false if undecided => open.push(line()),
            false => differ.push(line()),
        }
    }
    println!(
        "{agree} of {} agree; without an answer:\n{}\nrefused:\n{}",
        runs.len(),
        open.join("\n"),
        refused.join("\n"),
    );
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(agree * 4 > runs.len() * 3);
}

/// The kinds of scalars in random programs.
const TYPES: [&str; 8] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
];

/// Variables of a random program, one of each type.
const VARIABLES: usize = TYPES.len();

fn word(random: &mut Random) -> u64 {
    match random.below(4u64) {
        0 => random.bits(),
        1 => random.below(5u64),
        2 => u64::MAX - random.below(5u64),
        _ => 1 << random.below(64u64),
    }
}

/// An expression whose value C defines, on compilers on which signed overflow wraps around.
fn expression(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.one_in(7) {
        return match random.below(6u64) {
            0 => format!("{}u", random.below(300u64)),
            1 => format!("a[v{} & 3]", random.below(VARIABLES)),
            2 => format!("r.{}", random.pick(&["b", "c", "d", "e[1]"])),
            _ => format!("v{}", random.below(VARIABLES)),
        };
    }
    let mut inner = || expression(random, depth - 1);
    let (x, y, z) = (inner(), inner(), inner());
    match random.below(12u64) {
        0 => format!("(({}){x})", random.pick(&TYPES)),
        1 => format!("({}{x})", random.pick(&["-", "~", "!"])),
        2 => format!(
            "((unsigned long){x} {} ({y} & 63))",
            random.pick(&["<<", ">>"])
        ),
        3 => format!("((long){x} >> ({y} & 63))"),
        4 => format!("({x} ? {y} : {z})"),
        5 => format!(
            "({x} {} {y})",
            random.pick(&["<", "<=", ">", ">=", "==", "!=", "&&", "||"])
        ),
        6 => format!(
            "((unsigned){x} {} (({y} & 7) + 1))",
            random.pick(&["/", "%"])
        ),
        7 => format!("((short){x} {} (({y} & 7) + 1))", random.pick(&["/", "%"])),
        _ => format!("({x} {} {y})", random.pick(&["+", "-", "*", "&", "|", "^"])),
    }
}

fn statement(random: &mut Random, depth: u32, text: &mut String) {
    let place = match random.below(4u64) {
        0 => format!("a[v{} & 3]", random.below(VARIABLES)),
        1 => format!("r.{}", random.pick(&["a", "b", "c", "d", "e[2]"])),
        _ => format!("v{}", random.below(VARIABLES)),
    };
    let value = expression(random, 2);
    match random.below(if depth == 0 { 3u64 } else { 7 }) {
        0..=2 => writeln!(text, "{place} = {value};").expect("text"),
        3 => {
            writeln!(text, "if ({value}) {{").expect("text");
            statement(random, depth - 1, text);
            text.push_str("} else {\n");
            statement(random, depth - 1, text);
            text.push_str("}\n");
        }
        4 => {
            writeln!(
                text,
                "for (int i{depth} = 0; i{depth} < {}; i{depth}++) {{",
                1 + random.below(3u64)
            )
            .expect("text");
            statement(random, depth - 1, text);
            writeln!(text, "if ({value}) continue;").expect("text");
            statement(random, depth - 1, text);
            text.push_str("}\n");
        }
        5 => {
            writeln!(text, "switch ({value} & 3) {{ case 0:").expect("text");
            statement(random, depth - 1, text);
            text.push_str("break; case 2:\n");
            statement(random, depth - 1, text);
            text.push_str("default:\n");
            statement(random, depth - 1, text);
            text.push_str("}\n");
        }
        _ => writeln!(
            text,
            "{place} = helper(&r, {value}, v{});",
            random.below(VARIABLES)
        )
        .expect("text"),
    }
}

/// A random program, with what is done with its results.
fn program(random: &mut Random, results: &dyn Fn(usize) -> String) -> String {
    let mut text = String::from(
        "#include <assert.h>\n#include <stdio.h>\n\
         struct record { signed char a; short b; unsigned c; long d; unsigned char e[4]; };\n\
         static long helper(struct record *r, long x, unsigned y) {\n\
           struct record copy = *r; copy.e[y & 3] ^= x; r->d += copy.e[1];\n\
           return copy.b > x ? copy.d - y : copy.c + x; }\n",
    );
    writeln!(text, "volatile unsigned long in[{}] = {{", VARIABLES).expect("text");
    for _ in 0..VARIABLES {
        writeln!(text, "{}u,", word(random)).expect("text");
    }
    text.push_str("};\nint main(void) {\nint a[4] = {1, 2, 3, 4};\n");
    text.push_str("struct record r = {1, 2, 3, 4, {5, 6, 7, 8}};\n");
    for (i, ty) in TYPES.iter().enumerate() {
        writeln!(text, "{ty} v{i} = in[{i}];").expect("text");
    }
    for _ in 0..6 {
        statement(random, 2, &mut text);
    }
    let all = (0..VARIABLES).map(|i| format!("v{i}"));
    let all = all.chain((0..4).map(|i| format!("a[{i}]")));
    let all = all.chain(["a", "b", "c", "d", "e[1]", "e[2]"].map(|m| format!("r.{m}")));
    for (i, value) in all.enumerate() {
        writeln!(
            text,
            "{{ unsigned long w = (unsigned long){value}; {} }}",
            results(i)
        )
        .expect("text");
    }
    text.push_str("return 0; }\n");
    text
}

#[test]
fn optimised_programs_have_the_values_of_the_machine() {
    if !has_clang() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut answered, mut unknown) = (0, 0);
    for seed in seeds(16) {
        let print = |_| r#"printf("%lu\n", w);"#.to_string();
        let text = program(&mut Random::new(seed), &print);
        let (source, made) = (
            folder.path().join("machine.c"),
            folder.path().join("machine"),
        );
        std::fs::write(&source, &text).expect("the folder is writable");
        let compiled = Command::new("clang")
            .args(["-w", "-O0", "-fwrapv", "-o"])
            .args([&made, &source])
            .output()
            .expect("clang is here");
        let errors = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "seed {seed}: {errors}\n{text}");
        let output = Command::new(&made).output().expect("it was compiled");
        let words = String::from_utf8(output.stdout).expect("numbers");
        let words: Vec<u64> = words
            .lines()
            .map(|l| l.parse().expect("a number"))
            .collect();
        let wrong = Random::new(seed).below(words.len());
        let level = ["-O0", "-O1", "-O2", "-O3"][seed as usize % 4];
        for is_right in [true, false] {
            let asserted = |i: usize| {
                let other = u64::from(!is_right && i == wrong);
                format!("assert(w == {}u);", words[i] ^ other)
            };
            let text = program(&mut Random::new(seed), &asserted);
            let source = folder.path().join("asserted.c");
            std::fs::write(&source, &text).expect("the folder is writable");
            let flags = format!("--compiler-flags={level} -fwrapv");
            let mut args = vec![source.display().to_string(), flags];
            let more = ["--front", "clang", "--format", "json", "--check", "assert"];
            args.extend(more.map(str::to_string));
            args.extend(["--engine", "sat", "--timeout", "100"].map(str::to_string));
            let answer = verdict(&args);
            // clang makes vectors of some structures.
            if answer == "UNKNOWN" {
                unknown += 1;
                continue;
            }
            let expected = if is_right { "SAFE" } else { "UNSAFE" };
            assert_eq!(answer, expected, "seed {seed} {level}:\n{text}");
            answered += 1;
        }
    }
    println!("{answered} answers, {unknown} unknown");
    assert!(answered > 5 * unknown);
}

/// LLVM IR has one member of a union as its type: what another one has in that one's padding is copied, too.
#[test]
fn copies_of_unions_lose_nothing() {
    if !has_clang() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (relation, expected) in [("==", "SAFE"), ("!=", "UNSAFE")] {
        let text = format!(
            "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n\
             struct a {{ char x; int y; }}; struct b {{ short p, q; int z; }};\n\
             union u {{ struct a a; struct b b; }} g, h;\n\
             int main(void) {{\n\
               g.b.q = __VERIFIER_nondet_int(); short was = g.b.q;\n\
               h = g; union u l = h; assert(l.b.q {relation} was); return 0; }}\n"
        );
        for level in ["", "-O1"] {
            let source = folder.path().join("union.c");
            std::fs::write(&source, &text).expect("the folder is writable");
            let mut args = vec![source.display().to_string()];
            args.push(format!("--compiler-flags={level} -w"));
            args.extend(["--front", "clang", "--format", "json"].map(str::to_string));
            args.extend(["--check", "assert"].map(str::to_string));
            assert_eq!(verdict(&args), expected, "{level}\n{text}");
        }
    }
}

/// What `wmbmc cross --fronts` says of a program: its verdict, and the verdicts of the readings.
fn cross(text: &str, more: &[&str]) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("program.c");
    std::fs::write(&source, text).expect("the folder is writable");
    let source = source.display().to_string();
    let mut args = vec!["cross", "--fronts", "--format", "json", &source];
    args.extend(more);
    let output = wmbmc(&args);
    let answer: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("an object on a line");
    let word = |value: &serde_json::Value| value.as_str().map(str::to_string);
    let fronts = answer["fronts"].as_array().expect("the readings");
    let each = fronts.iter().map(|front| {
        let verdict = word(&front["answer"]["verdict"]);
        verdict.unwrap_or_else(|| "refused".to_string())
    });
    (word(&answer["verdict"]).expect("a verdict"), each.collect())
}

#[test]
fn two_front_ends_are_compared() {
    if !has_clang() {
        return;
    }
    // C leaves open which argument comes first, and clang has chosen.
    let order = "#include <assert.h>\nint n; int next(void) { return ++n; }\n\
         int less(int a, int b) { return a < b; }\n\
         int main(void) { assert(less(next(), next())); return 0; }\n";
    // A program with a race is undefined, and nothing has to be left of it.
    let race = "#include <pthread.h>\nint x, y;\nvoid *f(void *a) { (void)x; return 0; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 1; return y; }\n";
    let bound = "#include <stdatomic.h>\n#include <assert.h>\n#include <pthread.h>\natomic_int n;\n\
         void *f(void *a) { while (1) n ^= 1; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(n < 2); }\n";
    let idle = "int main(void) { int idle; return 0; }\n";
    let refused = ["--levels", "0", "--compiler-flags=--no-such-flag"];
    let rows: [(&str, &[&str], &str, &[&str]); 6] = [
        (order, &[], "DISAGREEMENT", &["UNSAFE", "SAFE", "SAFE"]),
        (
            order,
            &["--levels", "2"],
            "DISAGREEMENT",
            &["UNSAFE", "SAFE"],
        ),
        (
            race,
            &["--check", "race", "--levels", "0"],
            "AGREEMENT",
            &["UNSAFE"; 2],
        ),
        (
            race,
            &["--check", "race"],
            "AGREEMENT",
            &["UNSAFE", "UNSAFE", "SAFE"],
        ),
        (
            bound,
            &["--levels", "0"],
            "AGREEMENT",
            &["SAFE_UP_TO_BOUND"; 2],
        ),
        (idle, &refused, "UNKNOWN", &["SAFE", "refused"]),
    ];
    for (text, more, verdict, each) in rows {
        assert_eq!(
            cross(text, more),
            (
                verdict.to_string(),
                each.iter().map(|v| v.to_string()).collect()
            ),
            "{more:?}\n{text}"
        );
    }
}

/// What optimisation finds in the body of a function counts for nothing where its name says what it does.
#[test]
fn functions_with_a_meaning_by_name_are_kept() {
    if !has_clang() {
        return;
    }
    let text = "#include <pthread.h>\nvoid reach_error(void) {}\nint x;\n\
         void __VERIFIER_atomic_add(void) { x = x + 1; }\n\
         void *f(void *a) { __VERIFIER_atomic_add(); return 0; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); __VERIFIER_atomic_add();\n\
           pthread_join(t, 0); if (x != EXPECTED) reach_error(); return 0; }\n";
    for (expected, verdict) in [("2", "SAFE"), ("1", "UNSAFE")] {
        let more = ["--check", "assert", "--levels", "0,1,2,3"];
        let text = text.replace("EXPECTED", expected);
        let each = vec![verdict.to_string(); 5];
        assert_eq!(
            cross(&text, &more),
            ("AGREEMENT".to_string(), each),
            "{text}"
        );
    }
}
