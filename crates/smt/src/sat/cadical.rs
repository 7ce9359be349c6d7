//! CaDiCaL 3 as a [`Solver`].

use super::solver::{SatResult, Solver};
use crate::sat::cnf::Lit;
use cadical_sys::{CaDiCal, Status, Terminator};
use std::io;
use std::path::Path;
use std::rc::Rc;

/// CaDiCaL, its options chosen for formulas of executions.
pub struct Cadical {
    solver: CaDiCal,
    interrupt: Rc<dyn Fn() -> bool>,
    /// Clauses are missing, so there is no answer any more.
    stopped: bool,
}

/// Clauses added between two questions whether to give up.
const CLAUSES: usize = 1 << 12;

struct Interrupt(Rc<dyn Fn() -> bool>);

impl Terminator for Interrupt {
    fn terminated(&mut self) -> bool {
        (self.0)()
    }
}

/// The version of the solver.
pub fn version() -> String {
    CaDiCal::version()
}

impl Cadical {
    /// A new solver that gives up when `interrupt` answers true; it is asked often.
    pub fn new(interrupt: Rc<dyn Fn() -> bool>) -> Cadical {
        let mut solver = CaDiCal::new();
        // Bounded variable addition would need every variable declared before its use.
        solver.set("factor", 0);
        // Before each search it would try assignments that are all true, all false or propagated in one
        // direction. Executions are none of these, and of a large formula that takes longer than the
        // search.
        solver.set("lucky", 0);
        solver.connect_terminator(Interrupt(interrupt.clone()));
        Cadical {
            solver,
            interrupt,
            stopped: false,
        }
    }

    /// With other random choices, unless the seed is 0: the order in which variables are first
    /// decided is another one, too.
    pub fn with_seed(mut self, seed: u32) -> Cadical {
        if seed != 0 {
            self.solver.set("seed", seed as i32);
            self.solver.set("randec", 1);
        }
        self
    }

    /// Writes a proof of the answer to a file. The solver must not have any clauses yet.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write_proof(&mut self, file: &Path) -> io::Result<()> {
        // It says of a file only that it cannot be opened.
        drop(std::fs::File::create(file)?);
        self.solver.set("lrat", 1);
        self.solver.set("binary", 0);
        match self.solver.trace_proof2(&file.display().to_string()) {
            true => Ok(()),
            false => Err(io::Error::other("the solver cannot open the file")),
        }
    }

    /// Reads a formula in DIMACS form.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read(&mut self, file: &Path) -> io::Result<()> {
        let (path, mut variables) = (file.display().to_string(), 0);
        let read = self.solver.read_dimacs2(&path, &mut variables, 0);
        read.map_err(io::Error::other)
    }

    /// The next search gives up after so many conflicts.
    pub fn limit_conflicts(&mut self, conflicts: u32) {
        let most = i32::try_from(conflicts).unwrap_or(i32::MAX);
        self.solver.limit("conflicts", most);
    }

    /// The literals that follow by unit propagation from assumptions; `None` when that they all hold is
    /// a contradiction.
    pub fn implied(&mut self, assumptions: &[Lit]) -> Option<Vec<Lit>> {
        for a in assumptions {
            self.solver.assume(a.0);
        }
        match self.solver.propagate() {
            Status::UNSATISFIABLE => None,
            _ => Some(self.solver.implied().into_iter().map(Lit).collect()),
        }
    }

    /// The proof is complete.
    pub(super) fn end_proof(&mut self) {
        self.solver.flush_proof_trace(false);
        self.solver.close_proof_trace(false);
    }
}

impl Solver for Cadical {
    fn add(&mut self, flat: &[i32]) {
        for (i, clause) in flat.split_inclusive(|l| *l == 0).enumerate() {
            self.stopped |= i.is_multiple_of(CLAUSES) && (self.interrupt)();
            if self.stopped {
                return;
            }
            match clause {
                [0] => self.solver.add(0),
                [lits @ .., 0] => self.solver.clause6(lits),
                _ => {}
            }
        }
    }

    fn solve(&mut self, assumptions: &[Lit]) -> SatResult {
        // The solver itself asks now and then only, and never in a short search.
        if self.stopped || (self.interrupt)() {
            return SatResult::Interrupted;
        }
        for a in assumptions {
            self.solver.assume(a.0);
        }
        match self.solver.solve() {
            Status::SATISFIABLE => SatResult::Sat,
            Status::UNSATISFIABLE => SatResult::Unsat,
            Status::UNKNOWN => SatResult::Interrupted,
        }
    }

    fn value(&mut self, lit: Lit) -> bool {
        self.solver.val(lit.0) == lit.0
    }

    fn failed(&mut self, assumption: Lit) -> bool {
        self.solver.failed(assumption.0)
    }

    fn conflicts(&self) -> u64 {
        u64::try_from(self.solver.get_statistic_value("conflicts")).unwrap_or(0)
    }
}
