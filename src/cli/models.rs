//! `wmbmc models [NAME]`: the built-in memory models, and the text of one.

use super::exit::Exit;
use super::output;
use super::request;
use crate::driver::ModelName;
use crate::driver::model;

/// Lists the models, or prints one as cat text.
pub fn run(name: Option<&str>) -> Exit {
    match name {
        None => list(),
        Some(name) => show(name),
    }
}

fn list() -> Exit {
    let models: Vec<_> = model::built_in().collect();
    let width = models.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, line) in models {
        output::print(&format!("{name:width$}  {line}\n"));
    }
    Exit::Safe
}

/// A file that models include has its name, as `race.cat`.
fn show(name: &str) -> Exit {
    if let Some(text) = model::built_in_text(name) {
        output::print(text);
        return Exit::Safe;
    }
    let text = match request::model(name) {
        Err(message) => {
            output::warn(&format!("error: {message}\n"));
            return Exit::Usage;
        }
        Ok(ModelName::BuiltIn(name)) => model::built_in_text(&name).map(str::to_string),
        Ok(ModelName::File(path)) => match std::fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) => {
                output::warn(&format!("error: {}: {error}\n", path.display()));
                return Exit::Input;
            }
        },
    };
    output::print(&text.unwrap_or_default());
    Exit::Safe
}
