//! Certificates: written of an answer that is safe, and checked again.

use super::outcome::NoCertificate;
use super::session::{Abstraction, OnModel, add_invariants};
use crate::commands::program::Program;
use crate::driver::error::Error;
use crate::driver::input::Input;
use crate::predabs::certificate::{
    self, Checked, Flaw, FlawKind, Header, Locations, read, read_header,
};
use crate::predabs::closure::closure;
use crate::predabs::post::Post;
use base::diag::Diag;
use base::idx::Id;
use base::source::SourceMap;

/// Whether a certificate proves what it claims.
#[derive(Debug)]
#[non_exhaustive]
pub enum AbstractionCertificate {
    /// It does.
    Valid(ValidCertificate),
    /// It does not.
    Invalid {
        /// Why not, with the place.
        reason: String,
    },
}

/// What a certificate proves.
#[derive(Debug)]
#[non_exhaustive]
pub struct ValidCertificate {
    /// The model's short name.
    pub model: String,
    /// The bound that no buffer exceeds; none on SC.
    pub buffer: Option<u32>,
    /// What holds beside the assertions of the program.
    pub invariants: Vec<String>,
    /// How many cubes it has.
    pub cubes: usize,
    /// Vectors of locations.
    pub locations: usize,
    /// Queries to the solver.
    pub queries: u64,
    checked: Checked,
}

impl ValidCertificate {
    /// The entailments that the answer relies on as a script in SMT-LIB 2: each answer should be `unsat`.
    pub fn script(&self) -> String {
        certificate::script(&self.checked.claims)
    }
}

impl Abstraction {
    /// A certificate of a program that is safe by its abstraction.
    pub(super) fn certificate(
        &self,
        on: &OnModel,
        post: &mut dyn Post,
        (model, buffer): (&str, Option<u32>),
        stop: &dyn Fn() -> bool,
    ) -> Result<String, NoCertificate> {
        let states = closure(&on.program, post, self.options.max_states, stop)?;
        let header = Header {
            model: model.to_string(),
            bound: buffer.unwrap_or_default(),
        };
        let (invariants, predicates) = (&self.file.invariants, &on.predicates);
        let text = certificate::write(&on.program, &header, invariants, predicates, &states)?;
        Ok(text)
    }

    /// Checks a certificate; of the given model, if any.
    ///
    /// # Errors
    /// It cannot be read, or is for another model.
    pub fn check_certificate(
        &self,
        input: &Input,
        model: Option<&str>,
    ) -> Result<AbstractionCertificate, Error> {
        let mut sources = self.sources.clone();
        let file = match &input.text {
            Some(text) => sources.add(input.shown(), text.as_str()),
            None => sources.load(&input.name).map_err(|e| {
                let diag = Diag::unreadable(&e);
                Error::refused(&sources, vec![diag])
            })?,
        };
        let refused = |d| Error::refused(&sources, vec![d]);
        let header = read_header(&sources, file).map_err(refused)?;
        if let Some(other) = model.filter(|m| *m != header.model) {
            let message = format!("the certificate is for `{}`, not `{other}`", header.model);
            return Err(refused(Diag::bare(message)));
        }
        if (header.bound == 0) != (header.model == "sc") {
            let message = format!(
                "the certificate is for `{}` and buffers of {} entries, which does not fit",
                header.model, header.bound
            );
            return Err(refused(Diag::bare(message)));
        }
        let (_, mut program) = self.reduced(&header.model, header.bound)?;
        let read = read(&sources, file, &program).map_err(refused)?;
        add_invariants(&mut program, &read.invariants);
        Ok(match certificate::check(&program, &read) {
            Ok(checked) => AbstractionCertificate::Valid(ValidCertificate {
                buffer: (header.bound > 0).then_some(header.bound),
                model: header.model,
                invariants: read.invariants.into_iter().map(|p| p.text).collect(),
                cubes: checked.cubes,
                locations: checked.locations,
                queries: checked.queries,
                checked,
            }),
            Err(flaw) => AbstractionCertificate::Invalid {
                reason: self.flaw(&sources, &program, &flaw),
            },
        })
    }

    /// What is wrong with a certificate, a sentence.
    fn flaw(&self, sources: &SourceMap, program: &Program, flaw: &Flaw) -> String {
        let place = flaw.cube.map(|span| {
            let line = sources.line_col(span.file, span.start).line;
            format!("line {line}: ")
        });
        let place = place.unwrap_or_default();
        let at = self.places(program, &flaw.at);
        match &flaw.kind {
            FlawKind::Initiation => format!("initiation: no cube at {at} has the initial values"),
            FlawKind::Consecution(m, to) => {
                let (step, to) = (self.shown(program, *m), self.places(program, to));
                format!(
                    "{place}consecution: from this cube at {at}, a step ({step}) leads to {to}, \
                     where no cube has all that may follow"
                )
            }
            FlawKind::Safety(m) => {
                let step = self.shown(program, *m);
                format!(
                    "{place}safety: in this cube at {at}, a step that fails is possible ({step})"
                )
            }
        }
    }

    /// Where the threads are.
    fn places(&self, program: &Program, at: &Locations) -> String {
        let threads = program.threads.iter_enumerated();
        let begun = threads.filter_map(|(t, thread)| {
            let l = at[t.index()]?;
            let place = match l == thread.end {
                true => "its end".to_string(),
                false => self.sources.location(thread.locations[l].span),
            };
            Some(format!("{} {place}", thread.name))
        });
        begun.collect::<Vec<_>>().join(", ")
    }
}
