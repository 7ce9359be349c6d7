//! `wmbmc orders`: the memory orders that C programs need, and what litmus tests do.

use super::exit::Exit;
use super::failure::{self, failed};
use super::litmus;
use super::orders_args::{FromOrder, MachineArg, OrdersArgs};
use super::output::{self, Output};
use super::request;
use crate::driver::options::Engine;
use crate::driver::orders::{ChangedFile, LitmusOrdersVerdict, OrdersOptions, OrdersVerdict};
use crate::driver::outcome::ProgramOutcome;
use crate::driver::passes::Pass;
use crate::driver::{Error, Input, Limits, ModelName, Session, SessionOptions};
use crate::report::answer::litmus::{AboutLitmus, LitmusAnswer};
use crate::report::answer::orders::OrdersAnswer;
use crate::report::answer::program::ProgramAnswer;
use crate::report::answer::word::AnswerVerdict;
use crate::report::text::{Detail, Style};
use crate::report::{Subject, herd, html, orders, text};
use crate::strengthen::cost::Machine;
use base::source::SourceMap;
use cat::model::Model;
use ir::bounds::Bounds;
use ir::kernel;
use ir::program::Language;

/// Other choices than the cheapest that are listed.
const MOST_OTHERS: usize = 100;

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
    let inputs = request::files(&typed.files, typed.link, &typed.incomplete.stub);
    let names: Vec<String> = inputs.iter().map(Input::shown).collect();
    let mut worst = Exit::Safe;
    for (i, input) in inputs.iter().enumerate() {
        let label = output::label(&names, i);
        let exit = query.one(input, label);
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
    /// One of several inputs has a label.
    fn one(&self, input: &Input, label: Option<String>) -> Result<Exit, Error> {
        let mut session = Session::read(input, &self.options)?;
        let usual = [ModelName::BuiltIn(usual_model(&session).to_string())];
        let names = match &self.names[..] {
            [] => &usual[..],
            typed => typed,
        };
        let models = names.iter().map(|name| session.load_model(name));
        let models = models.collect::<Result<Vec<Model>, _>>()?;
        let models: Vec<&Model> = models.iter().collect();
        if self.typed.dump.is_some() {
            return self.formulas(&session, &models, &input.shown());
        }
        if session.litmus().is_some() {
            return self.litmus(&session, &models, &input.shown(), label);
        }
        let found = session.orders(&models, &self.orders, self.limits)?;
        let shown = input.shown();
        let sources = session.sources();
        let answer = OrdersAnswer::new(sources, &shown, &found, 0);
        let added = found.added.iter();
        let added: String = added.map(|added| orders::added(sources, added)).collect();
        let exit = self.print((sources, answer), label, &added);
        if let OrdersVerdict::NotEnough { outcome, .. } = &found.verdict {
            self.show(&session, &shown, outcome);
        }
        for outcome in &found.explained {
            self.show(&session, &shown, outcome);
        }
        self.nothing_explained(found.explained.is_empty() && found.added.is_empty());
        if let OrdersVerdict::Chosen(chosen) = &found.verdict {
            chosen.edited.files.iter().for_each(|file| self.apply(file));
        }
        Ok(exit)
    }

    /// The formulas, one after the other.
    fn formulas(&self, session: &Session, models: &[&Model], shown: &str) -> Result<Exit, Error> {
        let mut exit = Exit::Safe;
        for model in models {
            match session.orders_formula(model, &self.orders, self.limits)? {
                Some(text) => output::print(&text),
                None => exit = exit.max(failure::incomplete(Pass::Encode, shown, &model.name)),
            }
        }
        Ok(exit)
    }

    /// A litmus test.
    fn litmus(
        &self,
        session: &Session,
        models: &[&Model],
        shown: &str,
        label: Option<String>,
    ) -> Result<Exit, Error> {
        let found = session.litmus_orders(models, &self.orders, self.limits)?;
        let sources = session.sources();
        let answer = OrdersAnswer::of_litmus(sources, shown, &found, 0);
        let exit = self.print((sources, answer), label, "");
        for weaker in &found.explained {
            let subject = herd::Subject {
                test: &weaker.session.test,
                statics: &weaker.session.graph.statics,
                sources: &weaker.sources,
            };
            for (found, engine) in &weaker.outcome.answers {
                let about = AboutLitmus {
                    input: shown,
                    subject,
                    engine: litmus::shown(*engine),
                    expected: None,
                    agrees: None,
                };
                let exit = litmus::exit_of(subject.test, found, self.typed.accept_bound);
                let answer = LitmusAnswer::new(&about, found, exit.code());
                self.output.answer(answer, |_| {
                    let mut out = herd::block(&subject, found);
                    if let Some(witness) = &found.witness {
                        let detail = Detail::Verbose;
                        out += "\n";
                        out += &text::execution(subject.sources, witness, None, detail);
                    }
                    out
                });
            }
        }
        self.nothing_explained(found.explained.is_empty());
        if let LitmusOrdersVerdict::Chosen(chosen) = &found.verdict {
            chosen.file.iter().for_each(|file| self.apply(file));
        }
        Ok(exit)
    }

    /// Prints an answer, and text behind it unless that is quiet; writes its page.
    fn print(
        &self,
        (sources, mut answer): (&SourceMap, OrdersAnswer),
        label: Option<String>,
        behind: &str,
    ) -> Exit {
        let mut exit = match answer.verdict {
            AnswerVerdict::Safe => Exit::Safe,
            AnswerVerdict::SafeUpToBound if self.typed.accept_bound => Exit::Safe,
            AnswerVerdict::SafeUpToBound | AnswerVerdict::Unknown => Exit::Inconclusive,
            AnswerVerdict::Unsafe => Exit::Unsafe,
        };
        answer.exit_code = exit.code();
        let inputs = if label.is_some() { 2 } else { 1 };
        if let Some(path) = &self.typed.html {
            let labels: Vec<String> = label.into_iter().collect();
            let page = html::page(sources, &answer, None);
            let written = output::write(&output::labelled(path, &labels), &page);
            exit = exit.max(written.err().unwrap_or(exit));
        }
        let style = self.output.style(inputs);
        self.output.answer(answer, |a| {
            let behind = match style.detail {
                Detail::Quiet => "",
                _ => behind,
            };
            orders::text(a, style) + behind
        });
        exit
    }

    /// Says so where an execution was to be shown, and there is none.
    fn nothing_explained(&self, is_empty: bool) {
        if let (Some((file, line)), true) = (&self.orders.explain, is_empty) {
            let text = format!("{file}:{line}: no order there has to be what it is\n");
            output::warn(&text);
        }
    }

    /// Writes a file that has changed, where that is wanted.
    fn apply(&self, file: &ChangedFile) {
        if !self.typed.apply {
            return;
        }
        if let Err(error) = std::fs::write(&file.name, &file.text) {
            output::lost(&format!("{}: {error}", file.name));
        }
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

/// The model of a litmus test's instruction set; of programs that of C.
pub(super) fn usual_model(session: &Session) -> &'static str {
    let Some(litmus) = session.litmus() else {
        return "rc11";
    };
    let program = &litmus.test.program;
    match program.language {
        Language::C if kernel::is_of_kernel(program) => "lkmm",
        Language::C => "rc11",
        Language::X86 => "tso",
        Language::Power => "power",
        Language::Aarch64 => "aarch64",
        Language::Riscv => "riscv",
    }
}

fn session_options(typed: &OrdersArgs) -> Result<SessionOptions, String> {
    let mut options = SessionOptions::default();
    let program = &mut options.program;
    program.c = request::parse_options(&typed.c.preprocessing, program.data_model);
    request::set_checked(program, &typed.check, &typed.incomplete, None)?;
    if !program.other_harnesses.is_empty() {
        return Err("orders are looked for with one client: its arguments are numbers".to_string());
    }
    program.weak_cas = request::weak_cas(typed.weak_cas);
    program.havoc = typed.incomplete.unknown();
    program.bounded.bounds = Bounds::all(typed.unwind);
    program.bounded.engine = Engine::Auto;
    options.litmus.bounded.bounds = Bounds::all(typed.unwind);
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
        others: if typed.all { MOST_OTHERS } else { 0 },
        explain: typed.explain.as_deref().map(place).transpose()?,
    })
}

/// `FILE:LINE`
fn place(typed: &str) -> Result<(String, u32), String> {
    let parts = typed.rsplit_once(':');
    let parts = parts.and_then(|(file, line)| Some((file.to_string(), line.parse().ok()?)));
    parts.ok_or_else(|| format!("`{typed}` is no FILE:LINE"))
}
