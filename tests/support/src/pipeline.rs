//! The pipeline from a text to an answer, stage by stage, for tests that compare the answers of the engines.

use crate::exploration::explores_alike;
use crate::root;
use std::collections::BTreeSet;
use std::path::Path;
use wmbmc::base::source::SourceMap;
use wmbmc::cat::model::Model;
use wmbmc::check::bmc::{CheckOptions, CheckTask, Env, check};
use wmbmc::check::litmus::{LitmusTask, final_states};
use wmbmc::check::outcome::{CheckResult, PropertyStatus, Verdict, sections};
use wmbmc::driver::{Limits, limits};
use wmbmc::encode::Reductions;
use wmbmc::encode::order::Backend;
use wmbmc::enumerate::{EnumerateOptions, Enumeration, enumerate_all};
use wmbmc::front::c;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::{DataModel, Observable, Program, PropertyKind, Width};
use wmbmc::lower::c::{LoweringOptions, lower_for};
use wmbmc::relations::bounds::Analysis;
use wmbmc::relations::dependencies::unwinding;
use wmbmc::unroll::event::EventGraph;
use wmbmc::unroll::{self, Awaits, UnrollOptions, unroll};

/// Final states: the values of what is observed, in its order.
pub type States = BTreeSet<Vec<u64>>;

/// A program, with the text that it was lowered from.
#[derive(Debug)]
pub struct Subject {
    pub sources: SourceMap,
    pub program: Program,
}

impl From<Program> for Subject {
    /// A program without a text.
    fn from(program: Program) -> Subject {
        let sources = SourceMap::default();
        Subject { sources, program }
    }
}

/// Options that ask for these kinds of property.
pub fn looking_for(checks: &[PropertyKind]) -> LoweringOptions {
    LoweringOptions {
        checks: checks.to_vec(),
        ..LoweringOptions::default()
    }
}

/// Options that say what to check, with orders as matrices.
pub fn checking(checks: &[PropertyKind]) -> CheckOptions {
    CheckOptions {
        checks: checks.to_vec(),
        order: Backend::Matrix,
        ..CheckOptions::default()
    }
}

/// Options under which a graph serves every coherent model: nothing is used that holds of some models only.
pub fn on_any_model(bounds: Bounds) -> UnrollOptions {
    UnrollOptions {
        bounds,
        address_dependencies: true,
        loads_outside: false,
        coherent: true,
        values_have_causes: false,
        kernel: false,
        uninitialised: false,
        awaits: Awaits::default(),
        max_events: unroll::MAX_EVENTS,
        open_orders: Default::default(),
    }
}

impl Subject {
    /// A C program from its text.
    pub fn c(text: &str, options: &LoweringOptions) -> Subject {
        let mut sources = SourceMap::default();
        let parse = c::ParseOptions::default();
        let unit = c::parse_source(&mut sources, Path::new("program.c"), text, &parse);
        let unit = unit.unwrap_or_else(|e| panic!("{e:?}: {text}"));
        let program = lower_for(&sources, &unit, DataModel::Lp64, options);
        let program = program.unwrap_or_else(|e| panic!("{e:?}: {text}"));
        Subject { sources, program }
    }

    /// A C program of the repository, with what is defined for it.
    pub fn c_file(file: &Path, defines: &[&str], options: &LoweringOptions) -> Subject {
        let mut parse = c::ParseOptions::default();
        parse.defines = defines.iter().map(ToString::to_string).collect();
        let mut sources = SourceMap::default();
        let unit = c::parse(&mut sources, &root().join(file), &parse);
        let unit = unit.unwrap_or_else(|e| panic!("{}: {e:?}", file.display()));
        let program = lower_for(&sources, &unit, DataModel::Lp64, options);
        let program = program.unwrap_or_else(|e| panic!("{}: {e:?}", file.display()));
        Subject { sources, program }
    }

    /// Observes the first bits of global variables, by name, and returns which of them the program has.
    pub fn observe(&mut self, names: &[impl AsRef<str>], width: Width) -> Vec<bool> {
        let program = &mut self.program;
        let mut observe = |name: &str| {
            let mut globals = program.globals.iter_enumerated();
            let global = globals.find(|(_, g)| g.name == name).map(|(id, _)| id);
            if let Some(global) = global {
                program.observables.push(Observable::Memory {
                    global,
                    offset: 0,
                    width,
                });
            }
            global.is_some()
        };
        names.iter().map(|name| observe(name.as_ref())).collect()
    }

    /// Every execution up to a number of them, for each model.
    pub fn enumerate(
        &self,
        models: &[Model],
        bounds: Bounds,
        checks: &[PropertyKind],
        max_executions: u64,
    ) -> Vec<Enumeration> {
        let options = EnumerateOptions {
            bounds,
            checks: checks.to_vec(),
            max_executions,
        };
        let all = enumerate_all(&self.program, models, &options, &|| false);
        let all = all.expect("built-in models know every fence");
        explores_alike(&self.program, models, &options, &all);
        all
    }

    /// The event graph of a program that can be unwound.
    pub fn unroll(&self, options: &UnrollOptions) -> EventGraph {
        unroll(&self.program, options, &|| false).expect("the program unwinds")
    }

    /// Whether the solver finds a violation on a model within so many seconds, with each loop up to a bound.
    pub fn is_violated(
        &self,
        model: &Model,
        bounds: Bounds,
        checks: &[PropertyKind],
        seconds: f64,
    ) -> bool {
        let graph = self.unroll_for(model, bounds, checks);
        let task = CheckTask {
            program: &self.program,
            graph: &graph,
            model,
            sources: &self.sources,
        };
        let env = limits::env(Limits::seconds(seconds), 0.0);
        let result = check(&task, &checking(checks), &env).expect("no bug");
        matches!(result.verdict, Verdict::Unsafe(_))
    }

    /// The event graph as the command line makes it for a model.
    pub fn unroll_for(&self, model: &Model, bounds: Bounds, checks: &[PropertyKind]) -> EventGraph {
        self.unroll(&unwinding(bounds, [model], checks))
    }

    /// Whether a model knows the program's fences and orders; C11 knows no fence of a machine.
    pub fn is_known_to(&self, model: &Model) -> bool {
        let graph = self.unroll_for(model, Bounds::all(1), &[]);
        Analysis::new(&graph, model, &|| false).is_ok()
    }

    /// The solver's answer.
    pub fn check(&self, graph: &EventGraph, model: &Model, options: &CheckOptions) -> CheckResult {
        let task = CheckTask {
            program: &self.program,
            graph,
            model,
            sources: &self.sources,
        };
        let result = check(&task, options, &Env::unlimited());
        result.unwrap_or_else(|e| {
            let shown = unroll::show::show(graph, &self.sources);
            panic!(
                "{}: the checker finds a fault in itself: {e:?}\n{shown}",
                model.name
            )
        })
    }

    /// The solver's answer within bounds. Loops that may leave out no critical section are unwound, as the
    /// command line does.
    pub fn check_within(
        &self,
        model: &Model,
        checks: &[PropertyKind],
        unrolling: UnrollOptions,
    ) -> CheckResult {
        let mut unrolling = unrolling;
        loop {
            let result = self.check(&self.unroll(&unrolling), model, &checking(checks));
            if let Verdict::SafeUpToBound(loops) = &result.verdict
                && let Some(next) = unrolling.bounds.without_sections(sections(loops))
            {
                unrolling.bounds = next;
                continue;
            }
            return result;
        }
    }

    /// The solver's final states; `None` when a loop reaches its bound.
    pub fn final_states(
        &self,
        graph: &EventGraph,
        model: &Model,
        order: Backend,
        reductions: Reductions,
    ) -> Option<States> {
        let task = LitmusTask {
            program: &self.program,
            graph,
            model,
            order,
            reductions,
            witness: false,
        };
        let states = final_states(&task, &Env::unlimited());
        let states = states.unwrap_or_else(|e| panic!("{}: {e:?}", model.name));
        states.map(|states| states.into_iter().collect())
    }
}

/// The final states that were enumerated.
pub fn states(answer: &Enumeration) -> States {
    answer.states.keys().cloned().collect()
}

/// Which of the kinds of property that were checked are violated.
pub fn violated(result: &CheckResult) -> Vec<bool> {
    let properties = result.properties.iter();
    properties
        .map(|(_, status)| *status == PropertyStatus::Violated)
        .collect()
}
