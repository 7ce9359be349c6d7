//! `wmbmc orders`: the memory orders that C programs need.

use super::exit::Exit;
use super::failure::failed;
use super::orders_args::{FromOrder, MachineArg, OrdersArgs};
use super::output::{self, Output};
use super::request;
use crate::driver::options::Engine;
use crate::driver::orders::{Machine, OrdersOptions, OrdersVerdict};
use crate::driver::outcome::ProgramOutcome;
use crate::driver::{Error, Input, Limits, ModelName, Session, SessionOptions};
use crate::report::answer::orders::OrdersAnswer;
use crate::report::answer::program::ProgramAnswer;
use crate::report::answer::word::AnswerVerdict;
use crate::report::text::Style;
use crate::report::{Subject, orders, text};
use cat::model::Model;
use ir::bounds::Bounds;
use std::path::PathBuf;

/// Looks at each program; the worst exit.
///
/// # Errors
/// A model that does not exist, a wrong limit, or a place that is none, as a sentence.
pub fn run(typed: &OrdersArgs, output: &Output) -> Result<Exit, String> {
    if output.format.is_report() {
        return Err("orders writes text and json, --format has no other here".to_string());
    }
    let names = typed.mm.iter().map(|m| request::model(m));
    let names = names.collect::<Result<Vec<_>, _>>()?;
    let limits = request::limits(typed.time.timeout, typed.c.memory)?;
    let query = OrdersQuery {
        typed,
        options: session_options(typed)?,
        orders: orders_options(typed)?,
        names,
        limits,
        output,
    };
    let inputs = inputs(typed);
    let mut worst = Exit::Safe;
    for input in &inputs {
        let exit = query.one(input, inputs.len());
        let exit = exit.unwrap_or_else(|error| failed(&error, output, Some(&input.shown()), None));
        worst = worst.max(exit);
    }
    Ok(worst)
}

struct OrdersQuery<'a> {
    typed: &'a OrdersArgs,
    options: SessionOptions,
    orders: OrdersOptions,
    names: Vec<ModelName>,
    limits: Limits,
    output: &'a Output,
}

impl OrdersQuery<'_> {
    fn one(&self, input: &Input, inputs: usize) -> Result<Exit, Error> {
        let mut session = Session::read(input, &self.options)?;
        let models = self.names.iter().map(|name| session.load_model(name));
        let models = models.collect::<Result<Vec<Model>, _>>()?;
        let models: Vec<&Model> = models.iter().collect();
        let found = session.orders(&models, &self.orders, self.limits)?;
        let shown = input.shown();
        let sources = session.sources();
        let mut answer = OrdersAnswer::new(sources, &shown, &found, 0);
        let exit = match answer.verdict {
            AnswerVerdict::Safe => Exit::Safe,
            AnswerVerdict::SafeUpToBound if self.typed.accept_bound => Exit::Safe,
            AnswerVerdict::SafeUpToBound | AnswerVerdict::Unknown => Exit::Inconclusive,
            AnswerVerdict::Unsafe => Exit::Unsafe,
        };
        answer.exit_code = exit.code();
        let style = self.output.style(inputs);
        self.output.answer(answer, |a| orders::text(a, style));
        if let OrdersVerdict::NotEnough { outcome, .. } = &found.verdict {
            self.show(&session, &shown, outcome);
        }
        for outcome in &found.explained {
            self.show(&session, &shown, outcome);
        }
        if let (Some((file, line)), true) = (&self.orders.explain, found.explained.is_empty()) {
            output::warn(&format!(
                "{file}:{line}: no order there has to be what it is\n"
            ));
        }
        match &found.verdict {
            OrdersVerdict::Chosen(chosen) if self.typed.apply => {
                for file in &chosen.edited.files {
                    if let Err(error) = std::fs::write(&file.name, &file.text) {
                        output::lost(&format!("{}: {error}", file.name));
                    }
                }
            }
            _ => {}
        }
        Ok(exit)
    }

    /// Shows a program with other orders as programs are shown.
    fn show(&self, session: &Session, input: &str, outcome: &ProgramOutcome) {
        let sources = session.sources();
        let subject = Subject::of(sources, input, outcome);
        let exit = Exit::of(&outcome.result, self.typed.accept_bound);
        let answer = ProgramAnswer::new(&subject, &outcome.result, exit.code());
        let found = outcome.result.violation();
        let style = Style {
            heading: false,
            ..self.output.style(1)
        };
        let shown = |a: &ProgramAnswer| text::program(sources, a, found, style);
        self.output.answer(answer, shown);
    }
}

fn inputs(typed: &OrdersArgs) -> Vec<Input> {
    let stubs = &typed.incomplete.stub;
    let with_stubs = |files: &[PathBuf]| Input::linked([files, stubs].concat());
    let each = typed.files.iter();
    match (typed.link, stubs.is_empty()) {
        (true, _) => vec![with_stubs(&typed.files)],
        (false, true) => each.map(Input::file).collect(),
        (false, false) => each
            .map(|file| with_stubs(std::slice::from_ref(file)))
            .collect(),
    }
}

fn session_options(typed: &OrdersArgs) -> Result<SessionOptions, String> {
    let mut options = SessionOptions::default();
    let program = &mut options.program;
    program.c = request::parse_options(&typed.c.preprocessing, program.data_model);
    program.checks = request::checks(&typed.check);
    program.weak_cas = request::weak_cas(typed.weak_cas);
    program.harness = typed.incomplete.harness()?;
    program.havoc = typed.incomplete.unknown();
    program.bounded.bounds = Bounds::all(typed.unwind);
    program.bounded.engine = Engine::Auto;
    Ok(options)
}

fn orders_options(typed: &OrdersArgs) -> Result<OrdersOptions, String> {
    let keep = typed.keep.iter().map(|k| place(k));
    Ok(OrdersOptions {
        from_strongest: typed.from == Some(FromOrder::SeqCst),
        keep: keep.collect::<Result<_, _>>()?,
        only: typed.only.iter().cloned().collect(),
        machine: match typed.cost {
            MachineArg::Any => Machine::Any,
            MachineArg::X86 => Machine::X86,
            MachineArg::Aarch64 => Machine::Aarch64,
            MachineArg::Power => Machine::Power,
            MachineArg::Riscv => Machine::Riscv,
        },
        makes_atomic: typed.make_atomic,
        explain: typed.explain.as_deref().map(place).transpose()?,
    })
}

/// `FILE:LINE`
fn place(typed: &str) -> Result<(String, u32), String> {
    let parts = typed.rsplit_once(':');
    let parts = parts.and_then(|(file, line)| Some((file.to_string(), line.parse().ok()?)));
    parts.ok_or_else(|| format!("`{typed}` is no FILE:LINE"))
}
