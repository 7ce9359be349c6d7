//! Solves a formula in DIMACS format with the solver that `wmbmc` has, under other options.
//!
//! ```console
//! $ wmbmc check benchmarks/fibonacci.c --dimacs fibonacci.cnf
//! $ cargo run --release --example solve_dimacs -- fibonacci.cnf seed=1 stabilizeinit=500
//! ```
//!
//! It prints the answer, how many conflicts it took and the seconds, for `scripts/bench-solvers`.
//! `config=NAME` chooses one of CaDiCaL's configurations, before the options behind it.

use cadical_sys::{CaDiCal, Status};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: solve_dimacs FILE [OPTION=VALUE]...");
        return ExitCode::from(2);
    };
    let mut solver = CaDiCal::new();
    solver.set("factor", 0);
    for argument in arguments {
        let set = match argument.split_once('=') {
            Some(("config", name)) => solver.configure(name),
            Some((name, value)) => value.parse().is_ok_and(|value| solver.set(name, value)),
            None => false,
        };
        if !set {
            eprintln!("error: the solver has no option `{argument}`");
            return ExitCode::from(2);
        }
    }
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: {path}: {error}");
            return ExitCode::from(2);
        }
    };
    let clauses = text.lines().filter(|l| !l.starts_with(['c', 'p']));
    let begin = Instant::now();
    for literal in clauses.flat_map(str::split_whitespace) {
        solver.add(literal.parse().expect("a literal of a DIMACS file"));
    }
    let answer = match solver.solve() {
        Status::SATISFIABLE => "SAT",
        Status::UNSATISFIABLE => "UNSAT",
        Status::UNKNOWN => "UNKNOWN",
    };
    let conflicts = solver.get_statistic_value("conflicts");
    println!("{answer} {conflicts} {:.3}", begin.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}
