//! An oracle for what must not be accessed and computed: random functions with subscripts of members and of
//! arrays of arrays, pointers, sizes, memory on the heap, strings, constants and signed arithmetic, for all
//! values of two small inputs, against the sanitizers of a C compiler.
//!
//! 1. What AddressSanitizer or UBSan reports for some input is a violation of `memory`, `overflow` or
//!    `divzero`: so a program that is `SAFE` is clean natively.
//! 2. The same of the program with one input that is reported, and `SAFE` is answered for one that is not.
//!    Sanitizers do not see an access that leaves one object and comes to another one; how many times only
//!    the checker finds something is printed, and is few.
//!
//! `WMBMC_RANDOM_CASES=5000` looks at more functions, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use support::random::seeds;
use support::{Missing, Random, skipped, wmbmc};

/// What UBSan looks for and the checker does not, by its documents: accesses that are not aligned, and
/// bits that a signed shift loses.
const FLAGS: [&str; 11] = [
    "-w",
    "-O0",
    "-fsanitize=address,undefined,bounds-strict",
    "-fno-sanitize=alignment,shift-base",
    "-fno-sanitize-recover=all",
    "-fno-builtin-memcpy",
    "-fno-builtin-memmove",
    "-fno-builtin-memset",
    "-fno-builtin-strcpy",
    "-fno-omit-frame-pointer",
    "-pthread",
];

/// Functions that are compiled together.
const TOGETHER: usize = 30;

/// The values of the two inputs.
const FIRST: std::ops::RangeInclusive<i32> = -1..=4;
const SECOND: std::ops::RangeInclusive<i32> = 0..=1;

type Input = (i32, i32);

/// One function, `c7`, and its objects, whose names begin with its own.
struct Case {
    name: String,
    /// Elements of the arrays: of one of `int`, of characters, of rows and columns, of structures.
    sizes: [usize; 5],
    statements: Vec<String>,
}

impl Case {
    fn new(number: usize, seed: u64) -> Case {
        let mut random = Random::new(seed);
        random.below(2);
        let sizes = [(); 5].map(|()| 2 + random.below(3));
        let mut case = Case {
            name: format!("c{number}"),
            sizes,
            statements: Vec::new(),
        };
        for _ in 0..1 + random.below(3) {
            let statement = case.statement(&mut random);
            let guarded = match random.below(4) {
                0 => format!(
                    "if (i {} {}) {{ {statement} }}",
                    random.pick(&["<", ">", "!="]),
                    random.below(4)
                ),
                _ => statement,
            };
            case.statements.push(guarded);
        }
        case
    }

    /// A subscript: mostly one that is in range for most inputs.
    fn index(random: &mut Random) -> String {
        let number = random.below(3);
        match random.below(8) {
            0 => "i".into(),
            1 => format!("i - {}", random.below(3)),
            2 => format!("i / 2 + {}", random.below(2)),
            3 => format!("j + {number}"),
            4 => format!("(i & {}) + j", 1 + number),
            5 => "(unsigned)i % 3".into(),
            6 => format!("(i > {number} ? j : {number})"),
            _ => random.below(2).to_string(),
        }
    }

    /// An array of `int` in some object, or one of its rows.
    fn ints(random: &mut Random) -> String {
        let record = random.pick(&["S.", "l.", "p->"]);
        match random.below(6) {
            0 => "A".into(),
            1 => format!("M[{}]", Self::index(random)),
            2 => format!("{record}m[{}]", Self::index(random)),
            3 => "h".into(),
            _ => format!("{record}a"),
        }
    }

    /// An array of characters or of `short`.
    fn others(random: &mut Random) -> String {
        let record = random.pick(&["S.", "l.", "p->"]);
        match random.below(3) {
            0 => "B".into(),
            1 => format!("{record}b"),
            _ => format!("{record}e[{}].c", Self::index(random)),
        }
    }

    fn element(random: &mut Random) -> String {
        let array = match random.below(3) {
            0 => Self::others(random),
            _ => Self::ints(random),
        };
        format!("{array}[{}]", Self::index(random))
    }

    /// So many bytes.
    fn size(random: &mut Random) -> String {
        let index = Self::index(random);
        match random.below(4) {
            0 => "sizeof S.a".into(),
            1 => format!("sizeof A - 4 + 4 * ({index})"),
            _ => format!("4 * ({index})"),
        }
    }

    fn statement(&self, random: &mut Random) -> String {
        let index = Self::index(random);
        let statement = match random.below(18) {
            0..=2 => format!("r += {};", Self::element(random)),
            3..=5 => format!("{} = {};", Self::element(random), random.below(9)),
            6 => format!("q = &{}[{index}]; r += *q;", Self::ints(random)),
            7 => format!("q = {} + j; r += q[{index}];", Self::ints(random)),
            8 => format!("q = {}; *(q + ({index})) = j;", Self::ints(random)),
            9 => format!("memset({}, 1, {});", Self::ints(random), Self::size(random)),
            10 => {
                let function = random.pick(&["memcpy", "memmove"]);
                let (to, from) = (Self::ints(random), Self::ints(random));
                format!("{function}({to}, {from}, {});", Self::size(random))
            }
            11 => {
                let least = random.pick(&["-2147483647 - 1", "-2147483647", "j - 2147483647 - 1"]);
                format!("r = abs({index} == 2 ? {least} : i) & 3;")
            }
            12 => match random.below(5) {
                0 => format!("r = 2147483644 + ({index});"),
                1 => format!("r = (i - {}) * 715827883;", random.below(3)),
                2 => format!("r = {} / (i - {});", random.below(9), random.below(5)),
                3 => format!("r = {} % ({index});", random.below(9)),
                _ => format!("r = 1 << 8 * ({index}) - {};", random.below(3)),
            },
            13 => format!("free(h); if ({index} == 1) r += h[j]; h = 0;"),
            14 => format!("if (h && {index} == 2) {{ free(h); free(h); }}"),
            15 => "{ int t[2] = {1, 2}; q = t; } if (i > 2) r += q[j];".into(),
            16 => match random.below(3) {
                0 => format!("s = \"abc\"; if (i == 2) s = B; s[{index}] = 1;"),
                1 => format!("q = i > {} ? (int *)K : A; q[j] = 2;", random.below(5)),
                _ => format!("s = \"abc\"; r += s[{index}];"),
            },
            _ => format!("strcpy(B, i > {} ? \"abcd\" : \"a\");", random.below(5)),
        };
        // What has been freed is no array any more.
        match statement.contains('h') {
            true => format!("if (h) {{ {statement} }}"),
            false => statement,
        }
    }

    /// The objects and the function.
    fn text(&self) -> String {
        let [a, b, rows, columns, records] = self.sizes;
        let name = &self.name;
        let body = self.statements.join("\n  ");
        let text = format!(
            "struct N_s {{ int a[{a}]; char b[{b}]; struct {{ short c[{columns}]; int d; }} e[{records}];\n\
             \x20 int m[{rows}][{columns}]; int z; }};\n\
             static struct N_s N_S; static int N_A[{a}], N_M[{rows}][{columns}]; static char N_B[{b}];\n\
             static const int N_K[2] = {{1, 2}};\n\
             int N(int i, int j) {{\n\
             \x20 struct N_s l = {{{{0}}}}, *p = &N_S;\n\
             \x20 int r = 0, *q = N_A, *h = calloc({a}, sizeof(int)); char *s = N_B;\n\
             \x20 if (!h) return 0;\n\
             \x20 {body}\n\
             \x20 return r & s[0] & *q & l.z;\n}}\n"
        );
        let mut out = String::new();
        let mut word = String::new();
        for c in text.chars().chain(['\n']) {
            if c.is_ascii_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            match word.as_str() {
                "S" | "A" | "M" | "B" | "K" => _ = write!(out, "{name}_{word}"),
                other => match other.strip_prefix("N_") {
                    Some(rest) => _ = write!(out, "{name}_{rest}"),
                    None if other == "N" => out.push_str(name),
                    None => out.push_str(other),
                },
            }
            word.clear();
            out.push(c);
        }
        out
    }

    /// The function, called with any input or with one.
    fn program(&self, input: Option<Input>) -> String {
        let call = match input {
            Some((i, j)) => format!("volatile int i = {i}, j = {j};"),
            None => format!(
                "int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();\n\
                 \x20 if (i < {} || i > {} || j < {} || j > {}) return 0;",
                FIRST.start(),
                FIRST.end(),
                SECOND.start(),
                SECOND.end()
            ),
        };
        format!(
            "#include <stdlib.h>\n#include <string.h>\nextern int __VERIFIER_nondet_int(void);\n{}\
             int main(void) {{\n  {call}\n  {}(i, j);\n  return 0;\n}}\n",
            self.text(),
            self.name
        )
    }
}

fn inputs() -> impl Iterator<Item = Input> {
    FIRST.flat_map(|i| SECOND.map(move |j| (i, j)))
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("wmbmc-bounds-{}-{name}", std::process::id()))
}

/// Compiles with sanitizers; the program, or why there is none.
fn compiled(name: &str, text: &str) -> Result<PathBuf, String> {
    let (source, program) = (temporary(&format!("{name}.c")), temporary(name));
    std::fs::write(&source, text).expect("the folder for temporary files is writable");
    let cc = Command::new("cc")
        .args(FLAGS)
        .arg("-o")
        .args([&program, &source])
        .output();
    let _ = std::fs::remove_file(&source);
    match cc {
        Ok(cc) if cc.status.success() => Ok(program),
        Ok(cc) => Err(String::from_utf8_lossy(&cc.stderr).into_owned()),
        Err(e) => Err(e.to_string()),
    }
}

/// The inputs with which a program of many functions reports something, by function. Each call is a
/// process of its own.
fn reported(name: &str, cases: &[Case]) -> Vec<BTreeSet<Input>> {
    // Compilers look at the negation, but not at the function.
    let mut text = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/wait.h>\n\
         #include <unistd.h>\n#define abs(x) ((x) < 0 ? -(x) : (x))\n",
    );
    cases.iter().for_each(|c| text += &c.text());
    text += "int main(void) {\n  int status;\n  fclose(stderr); close(2);\n";
    for (number, case) in cases.iter().enumerate() {
        let _ = write!(
            text,
            "  for (int i = {}; i <= {}; i++) for (int j = {}; j <= {}; j++) {{\n\
             \x20   fflush(stdout); pid_t child = fork(); if (!child) {{ {}(i, j); _exit(0); }}\n\
             \x20   waitpid(child, &status, 0); if (status) printf(\"{number} %d %d\\n\", i, j);\n  }}\n",
            FIRST.start(),
            FIRST.end(),
            SECOND.start(),
            SECOND.end(),
            case.name
        );
    }
    text += "  return 0;\n}\n";
    let program = compiled(name, &text).unwrap_or_else(|e| panic!("cc refuses this: {e}\n{text}"));
    let run = Command::new(&program)
        .env(
            "ASAN_OPTIONS",
            "detect_leaks=0:detect_stack_use_after_return=1",
        )
        .stderr(Stdio::null())
        .output()
        .expect("the program runs");
    let _ = std::fs::remove_file(&program);
    let mut out = vec![BTreeSet::new(); cases.len()];
    for line in String::from_utf8_lossy(&run.stdout).lines() {
        let numbers: Vec<i32> = line
            .split(' ')
            .map(|n| n.parse().expect("it is a number"))
            .collect();
        out[numbers[0] as usize].insert((numbers[1], numbers[2]));
    }
    out
}

/// The exit code of the checker: 0 is `SAFE`, 10 is `UNSAFE`.
fn checked(case: &Case, input: Option<Input>) -> Option<i32> {
    let shown = input.map_or(String::new(), |(i, j)| format!("-{i}-{j}"));
    let file = temporary(&format!("{}{shown}.c", case.name));
    std::fs::write(&file, case.program(input)).expect("the folder for temporary files is writable");
    let path = file.display().to_string();
    let options = ["--check", "memory,overflow,divzero", "--unwind", "40"];
    let run = wmbmc(options.into_iter().chain([path.as_str()]));
    let _ = std::fs::remove_file(&file);
    run.status.code()
}

#[derive(Default)]
struct Counts {
    unsafe_runs: usize,
    safe_runs: usize,
    alone: usize,
    undecided: usize,
}

#[test]
fn what_sanitizers_report_is_a_violation() {
    if let Err(e) = compiled("probe", "int main(void) { return 0; }\n") {
        println!("{e}");
        skipped(Missing::Extra(
            "a C compiler with AddressSanitizer and UBSan",
        ));
        return;
    }
    let numbered = seeds(60).enumerate();
    let cases: Vec<Case> = numbered.map(|(n, seed)| Case::new(n, seed)).collect();
    let groups: Vec<&[Case]> = cases.chunks(TOGETHER).collect();
    let native: Vec<Vec<BTreeSet<Input>>> = groups
        .par_iter()
        .enumerate()
        .map(|(n, group)| reported(&format!("native{n}"), group))
        .collect();
    let native: Vec<BTreeSet<Input>> = native.into_iter().flatten().collect();
    let all: Vec<(Counts, Vec<String>)> = cases
        .par_iter()
        .zip(&native)
        .map(|(case, native)| compare(case, native))
        .collect();
    let mut sum = Counts::default();
    let mut wrong = Vec::new();
    for (counts, missed) in all {
        sum.unsafe_runs += counts.unsafe_runs;
        sum.safe_runs += counts.safe_runs;
        sum.alone += counts.alone;
        sum.undecided += counts.undecided;
        wrong.extend(missed);
    }
    println!(
        "{} functions with {} inputs each, {} of them reported for some input; {} runs of the checker: {} SAFE, \
         {} UNSAFE ({} of them where sanitizers report nothing), {} undecided",
        cases.len(),
        inputs().count(),
        native.iter().filter(|n| !n.is_empty()).count(),
        sum.safe_runs + sum.unsafe_runs + sum.undecided,
        sum.safe_runs,
        sum.unsafe_runs,
        sum.alone,
        sum.undecided
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // An access through a pointer may be one to scalars of other sizes, which the solver refuses.
    assert!(10 * sum.undecided <= sum.safe_runs + sum.unsafe_runs);
    assert!(10 * sum.alone <= sum.unsafe_runs);
}

/// What the checker says with any input, with one that is reported, and with one that is not.
fn compare(case: &Case, native: &BTreeSet<Input>) -> (Counts, Vec<String>) {
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    let clean = inputs().find(|i| !native.contains(i));
    let bad = native.last().copied();
    let runs = [
        Some((None, !native.is_empty())),
        bad.map(|i| (Some(i), true)),
        clean.map(|i| (Some(i), false)),
    ];
    for (input, is_reported) in runs.into_iter().flatten() {
        match checked(case, input) {
            Some(10) => {
                counts.unsafe_runs += 1;
                counts.alone += usize::from(!is_reported);
                if !is_reported && std::env::var("WMBMC_SHOW").is_ok() {
                    println!("alone {input:?}:\n{}", case.program(input));
                }
            }
            Some(0) => {
                counts.safe_runs += 1;
                if is_reported {
                    wrong.push(format!(
                        "SAFE, but sanitizers report {native:?}:\n{}",
                        case.program(input)
                    ));
                }
            }
            code => {
                counts.undecided += 1;
                println!("exit code {code:?}:\n{}", case.program(input));
            }
        }
    }
    (counts, wrong)
}
