//! An oracle for the order of operands, which C leaves open: random expressions of calls that change
//! variables, and reads of these.
//!
//! 1. The final states that the solver and enumeration find must be those of all orders of operands,
//!    each evaluated as a whole, which a few lines here compute.
//! 2. What the program of a C compiler does, with optimisation and without, must be among them.
//!
//! `WMBMC_RANDOM_CASES=5000` looks at more expressions, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::Command;
use support::pipeline::Subject;
use support::random::seeds;
use support::{Random, builtin};
use wmbmc::encode::Reductions;
use wmbmc::encode::order::Backend;
use wmbmc::ir::bounds::Bounds;
use wmbmc::lower::c::LoweringOptions;

/// The variables, the last of which is the result.
const NAMES: [&str; 4] = ["g0", "g1", "g2", "r"];

/// Their values.
type State = [u32; 4];

const FUNCTIONS: &str = "
static unsigned f0(unsigned v) { g0 = g0 * 3 + v + 1; return v + g1; }
static unsigned f1(unsigned v) { g1 = g1 * 5 + v + 2; return v ^ 1; }
static unsigned f2(unsigned v) { g2 = g2 * 7 + g0 + v; return g2; }
static unsigned h0(unsigned a, unsigned b) { g1 = g1 * 2 + a; return a + 3 * b; }
static unsigned h1(unsigned a, unsigned b, unsigned c) { return a + 2 * b + 4 * c; }
";

#[derive(Clone, Debug)]
enum Expr {
    Number(u32),
    Variable(usize),
    Add(Box<Expr>, Box<Expr>),
    Sub(Box<Expr>, Box<Expr>),
    /// `f0`, `f1`, `f2`
    One(usize, Box<Expr>),
    /// `h0`
    Two(Box<[Expr; 2]>),
    /// `h1`
    Three(Box<[Expr; 3]>),
}

impl Expr {
    fn random(random: &mut Random, depth: usize) -> Expr {
        let leaf = depth == 0 || random.below(8) == 0;
        let sub = |r: &mut Random| Expr::random(r, depth - 1);
        match if leaf {
            random.below(2)
        } else {
            2 + random.below(7)
        } {
            0 => Expr::Number(random.below(5) as u32),
            1 => Expr::Variable(random.below(3)),
            2 => Expr::Add(Box::new(sub(random)), Box::new(sub(random))),
            3 => Expr::Sub(Box::new(sub(random)), Box::new(sub(random))),
            4..=6 => Expr::One(random.below(3), Box::new(sub(random))),
            7 => Expr::Two(Box::new([sub(random), sub(random)])),
            _ => Expr::Three(Box::new([sub(random), sub(random), sub(random)])),
        }
    }
}

/// An expression, and where it goes: `r = `, or `g0 += `.
struct Case {
    update: Option<usize>,
    expr: Expr,
}

impl Case {
    fn new(seed: u64) -> Case {
        let mut random = Random::new(seed);
        let depth = 2 + random.below(2);
        let update = (random.below(4) == 0).then(|| random.below(3));
        let expr = Expr::random(&mut random, depth);
        Case { update, expr }
    }

    fn statement(&self) -> String {
        match self.update {
            Some(variable) => format!("r = {} += {};", NAMES[variable], text(&self.expr)),
            None => format!("r = {};", text(&self.expr)),
        }
    }

    fn program(&self) -> String {
        let statement = self.statement();
        format!(
            "#include <pthread.h>\nunsigned g0, g1, g2, r;{FUNCTIONS}\
             static void *run(void *unused) {{ {statement} return 0; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); }}\n"
        )
    }

    /// The final states of all orders.
    fn states(&self) -> BTreeSet<State> {
        let start = BTreeSet::from([[0; 4]]);
        let Some(variable) = self.update else {
            let end = start.iter().flat_map(|s| values(&self.expr, *s));
            return end.map(|(v, s)| [s[0], s[1], s[2], v]).collect();
        };
        let mut out = BTreeSet::new();
        for (value, state) in values(&self.expr, [0; 4]) {
            for before in [0, state[variable]] {
                let mut end = state;
                end[variable] = u32::wrapping_add(before, value);
                end[3] = end[variable];
                out.insert(end);
            }
        }
        out
    }
}

fn text(e: &Expr) -> String {
    match e {
        Expr::Number(n) => format!("{n}u"),
        Expr::Variable(v) => NAMES[*v].to_string(),
        Expr::Add(a, b) => format!("({} + {})", text(a), text(b)),
        Expr::Sub(a, b) => format!("({} - {})", text(a), text(b)),
        Expr::One(f, a) => format!("f{f}({})", text(a)),
        Expr::Two(args) => format!("h0({}, {})", text(&args[0]), text(&args[1])),
        Expr::Three(args) => {
            let [a, b, c] = &**args;
            format!("h1({}, {}, {})", text(a), text(b), text(c))
        }
    }
}

/// Values of operands, and the state behind them, in every order.
fn operands(all: &[&Expr], state: State) -> BTreeSet<(Vec<u32>, State)> {
    fn go(
        all: &[&Expr],
        open: &[usize],
        done: (Vec<u32>, State),
        out: &mut BTreeSet<(Vec<u32>, State)>,
    ) {
        if open.is_empty() {
            out.insert(done);
            return;
        }
        for i in open {
            let rest: Vec<usize> = open.iter().copied().filter(|o| o != i).collect();
            for (value, state) in values(all[*i], done.1) {
                let mut known = done.0.clone();
                known[*i] = value;
                go(all, &rest, (known, state), out);
            }
        }
    }
    let mut out = BTreeSet::new();
    let open: Vec<usize> = (0..all.len()).collect();
    go(all, &open, (vec![0; all.len()], state), &mut out);
    out
}

/// What an expression may come to.
fn values(e: &Expr, state: State) -> BTreeSet<(u32, State)> {
    let apply = |all: &[&Expr], f: &dyn Fn(&[u32], &mut State) -> u32| {
        let each = operands(all, state).into_iter();
        let each = each.map(|(args, mut state)| (f(&args, &mut state), state));
        each.collect::<BTreeSet<(u32, State)>>()
    };
    match e {
        Expr::Number(n) => BTreeSet::from([(*n, state)]),
        Expr::Variable(v) => BTreeSet::from([(state[*v], state)]),
        Expr::Add(a, b) => apply(&[a, b], &|v, _| v[0].wrapping_add(v[1])),
        Expr::Sub(a, b) => apply(&[a, b], &|v, _| v[0].wrapping_sub(v[1])),
        Expr::One(0, a) => apply(&[a], &|v, s| {
            s[0] = s[0].wrapping_mul(3).wrapping_add(v[0]).wrapping_add(1);
            v[0].wrapping_add(s[1])
        }),
        Expr::One(1, a) => apply(&[a], &|v, s| {
            s[1] = s[1].wrapping_mul(5).wrapping_add(v[0]).wrapping_add(2);
            v[0] ^ 1
        }),
        Expr::One(_, a) => apply(&[a], &|v, s| {
            s[2] = s[2].wrapping_mul(7).wrapping_add(s[0]).wrapping_add(v[0]);
            s[2]
        }),
        Expr::Two(args) => apply(&[&args[0], &args[1]], &|v, s| {
            s[1] = s[1].wrapping_mul(2).wrapping_add(v[0]);
            v[0].wrapping_add(v[1].wrapping_mul(3))
        }),
        Expr::Three(args) => apply(&[&args[0], &args[1], &args[2]], &|v, _| {
            let b = v[1].wrapping_mul(2);
            v[0].wrapping_add(b).wrapping_add(v[2].wrapping_mul(4))
        }),
    }
}

/// What both engines find.
fn found(case: &Case) -> [BTreeSet<State>; 2] {
    let mut subject = Subject::c(&case.program(), &LoweringOptions::default());
    let has = subject.observe(&NAMES, 32);
    let model = builtin("sc");
    let whole = |values: &Vec<u64>| -> State {
        let mut values = values.iter();
        let mut state = [0; 4];
        for i in (0..4).filter(|i| has[*i]) {
            state[i] = *values.next().expect("a value per variable") as u32;
        }
        state
    };
    let graph = subject.unroll_for(&model, Bounds::all(2), &[]);
    let solved = subject.final_states(&graph, &model, Backend::Auto, Reductions::default());
    let solved = solved.unwrap_or_else(|| panic!("incomplete: {}", case.program()));
    let listed = subject.enumerate(&[model], Bounds::all(2), &[], 100_000);
    assert!(listed[0].is_complete(), "{}", case.program());
    [
        solved.iter().map(whole).collect(),
        listed[0].states.keys().map(whole).collect(),
    ]
}

/// What the compiler's program does in each case.
fn native(cases: &[Case], level: &str) -> Vec<State> {
    let base = std::env::temp_dir().join(format!("wmbmc-order-{}{level}", std::process::id()));
    let (file, binary) = (base.with_extension("c"), base.with_extension("bin"));
    let mut source = format!("#include <stdio.h>\nunsigned g0, g1, g2, r;{FUNCTIONS}");
    source += "int main(void)\n{\n";
    for case in cases {
        let _ = writeln!(
            source,
            "    g0 = g1 = g2 = r = 0;\n    {}",
            case.statement()
        );
        source += "    printf(\"%u %u %u %u\\n\", g0, g1, g2, r);\n";
    }
    source += "    return 0;\n}\n";
    std::fs::write(&file, source).expect("the folder for temporary files is writable");
    let mut cc = Command::new("cc");
    let built = cc.args(["-w", level, "-o"]).args([&binary, &file]).output();
    let built = built.expect("there is a cc");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{}: {said}", file.display());
    let ran = Command::new(&binary).output().expect("it was just built");
    let _ = std::fs::remove_file(&file);
    let _ = std::fs::remove_file(&binary);
    let number = |n: &str| n.parse().expect("a number");
    let line = |line: &str| {
        let all: Vec<u32> = line.split(' ').map(number).collect();
        [all[0], all[1], all[2], all[3]]
    };
    String::from_utf8_lossy(&ran.stdout)
        .lines()
        .map(line)
        .collect()
}

#[test]
fn all_orders_of_operands_are_considered() {
    let cases: Vec<Case> = seeds(100).map(Case::new).collect();
    let orders: Vec<BTreeSet<State>> = cases.iter().map(Case::states).collect();
    let check = |(i, case): (usize, &Case)| {
        let found = found(case);
        let right = found.iter().all(|f| *f == orders[i]);
        (!right).then(|| {
            format!(
                "{}\nall orders: {:?}\nfound: {found:?}",
                case.program(),
                orders[i]
            )
        })
    };
    let wrong: Vec<String> = cases.par_iter().enumerate().filter_map(check).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong, the first:\n{}",
        wrong.len(),
        wrong[0]
    );
    let several = orders.iter().filter(|o| o.len() > 1).count();
    println!(
        "{} expressions, {several} with several outcomes: all are found",
        cases.len()
    );
    let version = Command::new("cc").arg("--version").output();
    if !version.is_ok_and(|v| v.status.success()) {
        return support::skipped(support::Missing::Tool("cc"));
    }
    for level in ["-O0", "-O2"] {
        let shown = native(&cases, level);
        assert_eq!(shown.len(), cases.len());
        for ((case, orders), state) in cases.iter().zip(&orders).zip(&shown) {
            assert!(
                orders.contains(state),
                "cc {level}: {state:?}: {}",
                case.program()
            );
        }
        println!(
            "cc {level}: {} outcomes, all of them among those",
            shown.len()
        );
    }
}
