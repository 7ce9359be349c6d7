//! `wmbmc compile-check`: are the published mappings from C11 to machines right for these tests?

use super::exit::Exit;
use super::failure::failed;
use super::options::CompileCheckArgs;
use super::output::{self, Output};
use super::request;
use super::suite;
use super::values::{Format, RelaxedLoads, SourceModel};
use crate::compile::mapping::{Mapping, Target};
use crate::driver::Input;
use crate::driver::compile_check::{CompileCheck, CompileOutcome, CompileVerdict, State};
use crate::driver::options::LitmusOptions;
use crate::report::answer::compile_check::CompileCheckAnswer;

/// Checks each test on each target; the worst exit.
///
/// # Errors
/// A limit or a target that does not exist, as a sentence.
pub fn run(typed: &CompileCheckArgs, output: &Output) -> Result<Exit, String> {
    if output.format.is_report() {
        return Err("compile-check writes text and json, --format has no other here".to_string());
    }
    let limits = request::limits(typed.time.timeout, None)?;
    let mappings = mappings(typed)?;
    let files = suite::tests(&typed.tests)?;
    let source = match typed.source {
        SourceModel::Rc11 => "rc11",
    };
    let model = cat::builtin(source).ok_or("there is no model rc11")?;
    let mut options = LitmusOptions::default();
    options.bounded.engine = request::engine(typed.engine);
    let mut worst = Exit::Safe;
    let mut counts = [0_usize; 5];
    for file in &files {
        let input = file.display().to_string();
        let check = match CompileCheck::read(&Input::litmus(file), &model, &options, limits) {
            Ok(check) => check,
            Err(error) => {
                counts[4] += mappings.len();
                worst = worst.max(failed(&error, output, Some(&input), Some(source)));
                continue;
            }
        };
        for mapping in &mappings {
            let target = mapping.target.model();
            let (count, exit) = match check.check(mapping) {
                Ok(outcome) => {
                    let (count, exit) = counted(&outcome);
                    match output.format {
                        Format::Text => say(typed, (&input, target), &outcome, exit),
                        _ => {
                            let models = (source, target);
                            let code = exit.code();
                            output.give(CompileCheckAnswer::new(&input, models, &outcome, code));
                        }
                    }
                    (count, exit)
                }
                Err(error) => (4, failed(&error, output, Some(&input), Some(target))),
            };
            counts[count] += 1;
            worst = worst.max(exit);
        }
    }
    if output.format == Format::Text {
        let [sound, undefined, violated, unknown, refused] = counts;
        output::print(&format!(
            "{sound} sound, {undefined} undefined in the source, {violated} violated, {unknown} unknown, \
             {refused} refused\n"
        ));
    }
    Ok(worst)
}

fn mappings(typed: &CompileCheckArgs) -> Result<Vec<Mapping>, String> {
    let known = Target::ALL.map(Target::model);
    let each = typed.targets.iter().map(|name| {
        let target = Target::ALL.into_iter().find(|t| t.model() == name);
        let target = target.ok_or_else(|| {
            format!(
                "--targets: there is no mapping to `{name}`; there are {}",
                known.join(", ")
            )
        })?;
        let mapping = Mapping::published(target);
        Ok(match typed.relaxed_loads {
            RelaxedLoads::Branch => mapping,
            RelaxedLoads::Bare => mapping.with_bare_relaxed(),
        })
    });
    each.collect()
}

/// Which count an answer is, and its exit.
fn counted(outcome: &CompileOutcome) -> (usize, Exit) {
    match outcome.verdict {
        CompileVerdict::Sound => (0, Exit::Safe),
        CompileVerdict::Undefined(_) => (1, Exit::Safe),
        CompileVerdict::Violated(_) => (2, Exit::Unsafe),
        CompileVerdict::Unknown(_) => (3, Exit::Inconclusive),
    }
}

/// Prints an answer.
fn say(
    typed: &CompileCheckArgs,
    (input, target): (&str, &str),
    outcome: &CompileOutcome,
    exit: Exit,
) {
    let text = match &outcome.verdict {
        CompileVerdict::Sound => "sound".to_string(),
        CompileVerdict::Undefined(flags) => {
            let flags = flags.join(", ");
            format!("the source is undefined ({flags}): it has every behaviour, so none is wrong")
        }
        CompileVerdict::Violated(states) => {
            let states: String = states.iter().map(|s| format!("\n  {}", shown(s))).collect();
            format!("VIOLATED: final states that the source forbids{states}")
        }
        CompileVerdict::Unknown(why) => format!("unknown: {why}"),
    };
    if !typed.quiet || exit != Exit::Safe {
        output::print(&format!("{input} for {target}: {text}\n"));
    }
    if typed.print || exit == Exit::Unsafe {
        output::print(&format!("{}\n", outcome.compiled.text));
    }
}

/// A final state as herd prints it, with the names of the source.
fn shown(state: &State) -> String {
    let each = state
        .iter()
        .map(|(place, value)| format!("{place}={value};"));
    each.collect::<Vec<_>>().join(" ")
}
