//! The stages by themselves: parsing, unrolling, encoding, judging one execution.
//!
//! `cargo bench -p wmbmc-benches` compares with the run before; whole programs are timed by `scripts/bench`.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use wmbmc::base::source::SourceMap;
use wmbmc::cat;
use wmbmc::cat::model::Model;
use wmbmc::encode::order::Backend;
use wmbmc::encode::{Queries, Reductions, encode};
use wmbmc::enumerate::{EnumerateOptions, enumerate};
use wmbmc::front::{c, litmus};
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::{DataModel, Program};
use wmbmc::lower;
use wmbmc::relations::bounds::Analysis;
use wmbmc::relations::dependencies::unwinding;
use wmbmc::unroll::event::EventGraph;
use wmbmc::unroll::unroll;

/// C programs, what is defined in them, and the bound of their loops.
const PROGRAMS: [(&str, &[&str], u32); 3] = [
    ("fibonacci", &["N=10", "BOUND=17711"], 11),
    ("counter_mutex", &["THREADS=4", "ROUNDS=3"], 5),
    ("systems/pgsql_wakeup", &[], 3),
];
const MODELS: [&str; 3] = ["sc", "tso", "power"];
/// Litmus tests of ours.
const TEST: &str = "litmus/ppc";

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn model(name: &str) -> Model {
    cat::builtin(name).expect("the model is built in")
}

fn parse(name: &str, defines: &[&str]) -> (SourceMap, c::ast::TranslationUnit) {
    let mut options = c::ParseOptions::default();
    options.defines = defines.iter().map(ToString::to_string).collect();
    let mut sources = SourceMap::default();
    let path = file(&format!("benchmarks/{name}.c"));
    let unit = c::parse(&mut sources, &path, &options).expect("the benchmarks are C");
    (sources, unit)
}

fn lowered(name: &str, defines: &[&str]) -> Program {
    let (sources, unit) = parse(name, defines);
    lower::c::lower(&sources, &unit, DataModel::Lp64).expect("the benchmarks are supported")
}

fn unrolled(program: &Program, bound: u32, model: &Model) -> EventGraph {
    let options = unwinding(Bounds::all(bound), [model], &[]);
    unroll(program, &options, &|| false).expect("the benchmarks unwind")
}

/// In alphabetical order the last one.
fn test() -> PathBuf {
    let all = std::fs::read_dir(file(TEST)).expect("the tests are there");
    let paths = all.map(|entry| entry.expect("it is readable").path());
    paths.max().expect("there are tests")
}

fn front(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    for (name, defines, _) in PROGRAMS {
        group.bench_function(name, |b| b.iter(|| parse(name, defines)));
    }
    let path = test();
    group.bench_function("litmus", |b| {
        b.iter(|| {
            let mut sources = SourceMap::default();
            let test = litmus::parse(&mut sources, &path).expect("it is a test");
            lower::litmus::lower(&sources, &test).expect("it is supported")
        });
    });
    group.finish();
    let mut group = criterion.benchmark_group("unroll");
    let tso = model("tso");
    for (name, defines, bound) in PROGRAMS {
        let program = lowered(name, defines);
        group.bench_function(name, |b| b.iter(|| unrolled(&program, bound, &tso)));
    }
}

fn formulas(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode");
    group.sample_size(20);
    for (name, defines, bound) in PROGRAMS {
        let program = lowered(name, defines);
        for model in MODELS.map(model) {
            let graph = unrolled(&program, bound, &model);
            group.bench_function(format!("{name} {}", model.name), |b| {
                b.iter(|| {
                    let analysis = Analysis::new(&graph, &model, &|| false);
                    let analysis = analysis.expect("the models know every fence");
                    let (order, reductions) = (Backend::default(), Reductions::default());
                    let encoding =
                        encode(&analysis, order, reductions, Queries::default(), &|| false);
                    black_box(
                        encoding
                            .expect("the models have formulas")
                            .cnf
                            .num_clauses(),
                    )
                });
            });
        }
    }
}

/// All executions of a litmus test, one by one: nearly all of the time the axioms are evaluated.
fn judging(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("judge");
    let mut sources = SourceMap::default();
    let syntax = litmus::parse(&mut sources, &test()).expect("it is a test");
    let test = lower::litmus::lower(&sources, &syntax).expect("it is supported");
    let options = EnumerateOptions {
        bounds: Bounds::all(2),
        checks: Vec::new(),
        max_executions: u64::MAX,
    };
    for model in MODELS.map(model) {
        group.bench_function(&model.name, |b| {
            b.iter(|| enumerate(&test.program, &model, &options, &|| false));
        });
    }
}

criterion_group!(stages, front, formulas, judging);
criterion_main!(stages);
