//! What is known of values before solving takes no execution away.
//!
//! 1. Threads that compute from each other's variables at random: the final states that the solver
//!    finds with words narrowed are those that enumeration finds.
//! 2. Checks that the formula without narrowing can violate are those that the narrowed one can, on
//!    the same programs and on benchmarks.
//! 3. On Fibonacci the values are bounded as the text of `encode::positions` says.
//!
//! `WMBMC_RANDOM_CASES=2000` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use std::path::Path;
use std::rc::Rc;
use support::pipeline::{States, Subject, states};
use support::random::seeds;
use support::{Random, builtin, models};
use wmbmc::cat::model::Model;
use wmbmc::encode::order::Backend;
use wmbmc::encode::values::values;
use wmbmc::encode::{Queries, Reductions, encode};
use wmbmc::ir::bounds::Bounds;
use wmbmc::lower::c::LoweringOptions;
use wmbmc::relations::bounds::Analysis;
use wmbmc::relations::dependencies::has_causes;
use wmbmc::smt::sat::{Cadical, SatResult, Solver};
use wmbmc::unroll::event::EventGraph;

/// Assignments between two variables, so that values go round; some of them under a condition, some
/// through a variable of the thread.
fn statement(random: &mut Random) -> String {
    let (a, b) = if random.below(2) == 0 {
        ("x", "y")
    } else {
        ("y", "x")
    };
    let k = random.below(5) + 1;
    match random.below(12) {
        0..=3 => format!("{a} += {b};"),
        4 => format!(
            "{a} = {b} {} {k};",
            random.pick(&["+", "-", "*", "^", "|", "&", "<<", ">>"])
        ),
        5 => format!("{a} {} {b};", random.pick(&["-=", "^=", "|=", "&=", "*="])),
        6 => format!("if ({b} < {k}) {a} = {b} + {a}; else {a} = {k};"),
        7 => format!("if ({a} == {k}) {a} += {b};"),
        8 => format!("r = {b}; if (r > {k} && {a} < r) r = r + {a}; {a} = r;"),
        9 => format!("r += {b}; {a} = r;"),
        10 => format!("{a} = ({b} > {k}) && ({a} < {b});"),
        _ => format!("{a} = {k};"),
    }
}

fn source(seed: u64) -> String {
    let mut random = Random::new(seed);
    let kind = random.pick(&["int", "unsigned", "unsigned char"]);
    let threads = 2 + usize::from(random.below(4) == 0);
    let mut text = format!("#include <assert.h>\n#include <pthread.h>\n{kind} x = 1, y = 1;\n");
    for t in 0..threads {
        let count = if threads == 2 {
            1 + random.below(3)
        } else {
            1 + random.below(2)
        };
        let body: Vec<String> = (0..count).map(|_| statement(&mut random)).collect();
        let body = body.join("\n  ");
        text += &format!("void *t{t}(void *arg) {{\n  {kind} r = 1;\n  {body}\n  return 0;\n}}\n");
    }
    text += "int main(void) {\n";
    for t in 0..threads {
        text += &format!("  pthread_t p{t};\n  pthread_create(&p{t}, 0, t{t}, 0);\n");
    }
    for k in [3, 5, 8] {
        text += &format!("  assert(x != {k});\n");
    }
    text + "  assert(y <= 12);\n  return 0;\n}\n"
}

/// Which checks can be violated.
fn violated(graph: &EventGraph, model: &Model, values: bool) -> Vec<bool> {
    let analysis = Analysis::new(graph, model, &|| false).expect("no fence that the model lacks");
    let reductions = Reductions {
        values,
        ..Reductions::default()
    };
    let encoding = encode(
        &analysis,
        Backend::Matrix,
        reductions,
        Queries::default(),
        &|| false,
    );
    let encoding = encoding.expect("a model without negations");
    let mut solver = Cadical::new(Rc::new(|| false));
    solver.add(&encoding.cnf.flat);
    let mut found = |lit| solver.solve(&[lit]) == SatResult::Sat;
    encoding.violated.into_iter().map(&mut found).collect()
}

/// The final values of `x` and `y`, by the solver and by enumeration; `None` where there are too many
/// executions.
fn final_values(subject: &Subject, graph: &EventGraph, model: &Model) -> Option<[States; 2]> {
    let models = std::slice::from_ref(model);
    let all = subject.enumerate(models, Bounds::all(3), &[], 3_000);
    if !all[0].is_complete() {
        return None;
    }
    let solved = subject.final_states(graph, model, Backend::Matrix, Reductions::default());
    Some([solved.expect("there are no loops"), states(&all[0])])
}

/// What is wrong with a program, and on how many models all of it was enumerated.
fn differences(seed: u64) -> (Vec<String>, usize) {
    let text = source(seed);
    let mut subject = Subject::c(&text, &LoweringOptions::default());
    let width = if text.contains("unsigned char") {
        8
    } else {
        32
    };
    assert_eq!(subject.observe(&["x", "y"], width), [true, true]);
    let (mut wrong, mut complete) = (Vec::new(), 0);
    for name in models() {
        let model = builtin(name);
        let graph = subject.unroll_for(&model, Bounds::all(6), &[]);
        let [wide, narrow] = [false, true].map(|values| violated(&graph, &model, values));
        if wide != narrow {
            wrong.push(format!(
                "seed {seed} on {name}: {wide:?}, narrowed {narrow:?}:\n{text}"
            ));
        }
        if let Some([solved, enumerated]) = final_values(&subject, &graph, &model) {
            complete += 1;
            if solved != enumerated {
                wrong.push(format!(
                    "seed {seed} on {name}: solved {solved:?}, enumerated {enumerated:?}:\n{text}"
                ));
            }
        }
    }
    (wrong, complete)
}

#[test]
fn random_arithmetic_loses_no_final_state() {
    let seeds: Vec<u64> = seeds(30).collect();
    let cases = seeds.len();
    let answers: Vec<_> = seeds.par_iter().map(|seed| differences(*seed)).collect();
    let complete: usize = answers.iter().map(|(_, complete)| complete).sum();
    println!("{cases} programs, enumerated completely {complete} times");
    assert!(complete * 2 >= seeds.len(), "hardly anything is compared");
    let wrong: Vec<&String> = answers.iter().flat_map(|(wrong, _)| wrong).collect();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[0]);
}

#[test]
fn benchmarks_are_violated_alike() {
    let benchmarks: [(&str, u32, &[&str]); 6] = [
        ("fibonacci", 5, &["N=4", "BOUND=55"]),
        ("fibonacci", 5, &["N=4", "BOUND=54"]),
        ("ticket_lock", 2, &[]),
        ("spsc_queue", 2, &[]),
        ("ttas_lock", 2, &[]),
        ("message_passing", 2, &[]),
    ];
    for (name, bound, defines) in benchmarks {
        let file = format!("benchmarks/{name}.c");
        let subject = Subject::c_file(file.as_ref(), defines, &LoweringOptions::default());
        for model in models() {
            let model = builtin(model);
            let graph = subject.unroll_for(&model, Bounds::all(bound), &[]);
            let [wide, narrow] = [false, true].map(|values| violated(&graph, &model, values));
            assert_eq!(wide, narrow, "{name} on {}", model.name);
        }
    }
}

/// The `k`-th number of a thread is at most the binomial coefficient of `2k + 1` over `k`; sets that
/// go round without positions have every number.
#[test]
fn sums_of_sums_are_bounded() {
    let (file, defines) = (Path::new("benchmarks/fibonacci.c"), ["N=5", "BOUND=144"]);
    let subject = Subject::c_file(file, &defines, &LoweringOptions::default());
    for model in models() {
        let model = builtin(model);
        if !has_causes(&model) {
            continue;
        }
        let graph = subject.unroll_for(&model, Bounds::all(6), &[]);
        let analysis = Analysis::new(&graph, &model, &|| false).expect("there are no fences");
        let values = values(&analysis, &|| false).expect("values have causes");
        let most = values
            .of
            .values()
            .filter_map(|set| set.ends())
            .map(|(_, high)| high);
        assert_eq!(most.max(), Some(462), "{}", model.name);
    }
}
