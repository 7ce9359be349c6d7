//! The list of passes, in the order in which an input goes through them: `wmbmc passes` prints it,
//! and `--dump after:PASS` what a pass hands on, where a person can read that.

use super::input::InputKind;
use InputKind::{Assembly, Litmus, Program, System};

/// A pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Pass {
    /// Text to syntax.
    Parse,
    /// Syntax to the program over registers and memory.
    Lower,
    /// Bounded symbolic execution.
    Unroll,
    /// Bounds of the model's relations.
    Analyse,
    /// Event graph and model to clauses.
    Encode,
    /// The SAT solver.
    Solve,
    /// Decoding, judging and replaying what the solver found.
    Validate,
    /// The executions one by one.
    Enumerate,
    /// Names and types of a system.
    Resolve,
    /// Backward reachability.
    Search,
    /// Runs for traces.
    Replay,
}

/// What is said of a pass.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Description {
    /// Which one.
    pub pass: Pass,
    /// Its name.
    pub name: &'static str,
    /// The inputs that go through it.
    pub inputs: &'static [InputKind],
    /// The stage that does it.
    pub stage: &'static str,
    /// What it hands on.
    pub result: &'static str,
    /// The inputs of which that can be printed.
    pub printed: &'static [InputKind],
}

/// All passes.
pub const PASSES: [Description; 11] = [
    Description {
        pass: Pass::Parse,
        name: "parse",
        inputs: &[Program, Litmus, System, Assembly],
        stage: "front",
        result: "the syntax tree",
        printed: &[Program],
    },
    Description {
        pass: Pass::Lower,
        name: "lower",
        inputs: &[Program, Litmus, Assembly],
        stage: "lower",
        result: "the program over registers and memory; of .asm the system",
        printed: &[Program, Litmus],
    },
    Description {
        pass: Pass::Unroll,
        name: "unroll",
        inputs: &[Program, Litmus],
        stage: "unroll",
        result: "the event graph, loops unwound to their bounds",
        printed: &[Program, Litmus],
    },
    Description {
        pass: Pass::Analyse,
        name: "analyse",
        inputs: &[Program, Litmus],
        stage: "relations",
        result: "bounds of the model's relations: pairs that may and that must be related",
        printed: &[Program, Litmus],
    },
    Description {
        pass: Pass::Encode,
        name: "encode",
        inputs: &[Program, Litmus],
        stage: "encode",
        result: "the formula, in DIMACS form",
        printed: &[Program],
    },
    Description {
        pass: Pass::Solve,
        name: "solve",
        inputs: &[Program, Litmus],
        stage: "sat",
        result: "an answer to each query, and satisfying assignments",
        printed: &[],
    },
    Description {
        pass: Pass::Validate,
        name: "validate",
        inputs: &[Program, Litmus],
        stage: "check",
        result: "executions, judged by the model's axioms and replayed by the program",
        printed: &[],
    },
    Description {
        pass: Pass::Enumerate,
        name: "enumerate",
        inputs: &[Program, Litmus],
        stage: "enumerate",
        result: "with --engine enumerate or both: all executions one by one",
        printed: &[],
    },
    Description {
        pass: Pass::Resolve,
        name: "resolve",
        inputs: &[System, Assembly],
        stage: "param",
        result: "the typed system",
        printed: &[],
    },
    Description {
        pass: Pass::Search,
        name: "search",
        inputs: &[System, Assembly],
        stage: "param",
        result: "cubes closed under pre-images, or a trace",
        printed: &[],
    },
    Description {
        pass: Pass::Replay,
        name: "replay",
        inputs: &[System, Assembly],
        stage: "param",
        result: "a run of the machine with store buffers",
        printed: &[],
    },
];

impl Pass {
    /// What is said of it.
    pub fn description(self) -> &'static Description {
        let found = PASSES.iter().find(|d| d.pass == self);
        found.expect("a test finds every pass in the list")
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.description().name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_the_order_of_the_passes() {
        for (i, description) in PASSES.iter().enumerate() {
            assert_eq!(description.pass as usize, i);
            assert!(
                description
                    .printed
                    .iter()
                    .all(|k| description.inputs.contains(k))
            );
        }
        assert_eq!(Pass::Replay as usize + 1, PASSES.len());
    }
}
