//! Is a mapping from C11 to a machine right for a test? Every final state of the compiled test on the
//! machine's model must be one of the source on the source's model.
//!
//! Final states show all registers that the source names, and all locations; they are compared as values of
//! type `int`. A source with a data race may do anything, so nothing can be wrong with it.

use super::error::Error;
use super::input::Input;
use super::limits::Limits;
use super::litmus::{self, LitmusQuestion, LitmusSession, engines};
use super::options::LitmusOptions;
use crate::check::litmus::{Depth, Finding};
use crate::check::outcome::UnknownReason;
use crate::compile::mapping::Mapping;
use crate::compile::{self, CompiledTest, Observed};
use crate::front;
use crate::front::litmus::ast::Test;
use base::source::SourceMap;
use cat::model::Model;
use ir::litmus::LitmusTest;
use ir::program::Observable;
use std::collections::{BTreeMap, BTreeSet};

/// A final state: what everything in it has as its value.
pub type State = BTreeMap<Observed, i32>;

/// What a mapping does to a test.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CompileVerdict {
    /// The machine shows no state that the source does not allow.
    Sound,
    /// The source is undefined, by these marks of its model.
    Undefined(Vec<String>),
    /// The machine shows these states, and the source forbids them.
    Violated(Vec<State>),
    /// The states of one of them are not all known; why.
    Unknown(String),
}

/// An answer, and what was compiled.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompileOutcome {
    /// The compiled test.
    pub compiled: CompiledTest,
    /// The answer.
    pub verdict: CompileVerdict,
}

/// A source whose final states are known.
pub struct CompileCheck {
    sources: SourceMap,
    name: String,
    syntax: Test,
    options: LitmusOptions,
    limits: Limits,
    allowed: Found,
}

/// The final states of a test.
struct Found {
    states: BTreeSet<State>,
    flags: Vec<String>,
    unknown: Option<String>,
}

impl CompileCheck {
    /// Reads a source and finds its final states on its model.
    ///
    /// # Errors
    /// What is wrong with it, or it cannot be answered on the model.
    pub fn read(
        input: &Input,
        model: &Model,
        options: &LitmusOptions,
        limits: Limits,
    ) -> Result<CompileCheck, Error> {
        let mut sources = SourceMap::default();
        let syntax = litmus::syntax(&mut sources, input)?;
        let mut options = options.clone();
        options.depth = Depth::States;
        options.details = false;
        let session = LitmusSession::of_syntax(&sources, &compile::showing_all(&syntax), &options)?;
        let allowed = states(&session, model, &sources, (&options, limits), &Some)?;
        Ok(CompileCheck {
            sources,
            name: input.shown(),
            syntax,
            options,
            limits,
            allowed,
        })
    }

    /// Compiles the source, and compares the final states.
    ///
    /// # Errors
    /// The source has what is not compiled, or a bug.
    pub fn check(&self, mapping: &Mapping) -> Result<CompileOutcome, Error> {
        let compiled = compile::compile(&self.syntax, mapping)
            .map_err(|diags| Error::refused(&self.sources, diags))?;
        let verdict = self.verdict(mapping, &compiled)?;
        Ok(CompileOutcome { compiled, verdict })
    }

    fn verdict(&self, mapping: &Mapping, compiled: &CompiledTest) -> Result<CompileVerdict, Error> {
        let allowed = &self.allowed;
        if !allowed.flags.is_empty() {
            return Ok(CompileVerdict::Undefined(allowed.flags.clone()));
        }
        if let Some(why) = &allowed.unknown {
            return Ok(CompileVerdict::Unknown(format!("the source: {why}")));
        }
        let target = mapping.target.model();
        let model = cat::builtin(target);
        let model = model.ok_or_else(|| Error::Internal(format!("no model {target}")))?;
        let mut sources = SourceMap::default();
        let file = sources.add(
            format!("{} for {target}", self.name),
            compiled.text.as_str(),
        );
        let syntax = front::litmus::parse_file(&sources, file)
            .map_err(|diags| Error::refused(&sources, diags))?;
        let session = LitmusSession::of_syntax(&sources, &syntax, &self.options)?;
        let source_name = |o: Observed| compiled.places.get(&o).cloned();
        let options = (&self.options, self.limits);
        let shown = states(&session, &model, &sources, options, &source_name)?;
        let forbidden = shown.states.difference(&allowed.states).cloned();
        let forbidden: Vec<State> = forbidden.collect();
        Ok(match shown.unknown {
            _ if !forbidden.is_empty() => CompileVerdict::Violated(forbidden),
            Some(why) => CompileVerdict::Unknown(format!("the compiled test: {why}")),
            None => CompileVerdict::Sound,
        })
    }
}

/// The final states of a test; `name` says what the source calls what they show.
fn states(
    session: &LitmusSession,
    model: &Model,
    sources: &SourceMap,
    (options, limits): (&LitmusOptions, Limits),
    name: &dyn Fn(Observed) -> Option<Observed>,
) -> Result<Found, Error> {
    let question = LitmusQuestion {
        session,
        model,
        sources,
        options,
        limits,
    };
    let mut bounds = options.bounded.bounds.clone();
    let mut all: Option<Found> = None;
    for engine in engines(options.bounded.engine) {
        let finding = question.answer(*engine, &mut bounds)?;
        let found = read_states(&session.test, &finding, name);
        if let Some(first) = &all
            && first.unknown.is_none()
            && found.unknown.is_none()
            && first.states != found.states
        {
            return Err(Error::Internal(format!(
                "the engines disagree about {} on {}",
                session.test.name, model.name
            )));
        }
        all.get_or_insert(found);
    }
    all.ok_or_else(|| Error::Internal("no engine was asked".to_string()))
}

fn read_states(
    test: &LitmusTest,
    finding: &Finding,
    name: &dyn Fn(Observed) -> Option<Observed>,
) -> Found {
    let program = &test.program;
    let names = test.final_condition.shown.iter().map(|id| {
        name(match &program.observables[*id] {
            Observable::Register { thread, name, .. } => Observed::Register(*thread, name.clone()),
            Observable::Memory { global, .. } => {
                Observed::Location(program.globals[*global].name.clone())
            }
        })
    });
    let names: Vec<Option<Observed>> = names.collect();
    let int = |value: &u64| i32::from_le_bytes([0, 1, 2, 3].map(|i| value.to_le_bytes()[i]));
    let each = finding.states.iter().flat_map(BTreeMap::keys);
    let states = each.map(|state| {
        let known = names.iter().zip(state);
        known
            .filter_map(|(name, value)| Some((name.clone()?, int(value))))
            .collect()
    });
    let unknown = match (&finding.unknown, finding.loops_at_bound.is_empty()) {
        (Some(UnknownReason::Timeout(_)), _) => Some("the time is over".to_string()),
        (Some(why), _) => Some(format!("{why:?}")),
        (None, false) => Some("a loop has reached its bound".to_string()),
        (None, true) if finding.states.is_none() => Some("no states".to_string()),
        (None, true) => None,
    };
    Found {
        states: states.collect(),
        flags: finding.flags.clone(),
        unknown,
    }
}
