//! The files of a model, for whoever wants to read it elsewhere: its text, and what it includes.

use super::compile;
use super::library;
use base::source::SourceMap;
use std::path::{Component, Path, PathBuf};

/// The files of a model by path relative to the first, which is the model itself. A built-in file that
/// one of them includes is among them; the prelude, which all begin with, is not. `name` is that of a
/// built-in model, or the path of a file.
///
/// # Errors
/// A sentence: the text is wrong, or includes a file outside of the directory of the model.
pub fn files(name: &str) -> Result<Vec<(PathBuf, String)>, String> {
    let mut sources = SourceMap::default();
    let path = Path::new(name);
    let first = match library::model(name) {
        Some(text) => sources.add(format!("<{name}.cat>"), text),
        None => sources.load(path).map_err(|e| e.to_string())?,
    };
    if let Err(diags) = compile(&mut sources, first, name) {
        let first = diags.first().map(|d| d.message.clone());
        return Err(first.unwrap_or_else(|| format!("{name} cannot be read")));
    }
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut out: Vec<(PathBuf, String)> = Vec::new();
    for file in sources.files() {
        let built_in = file
            .name
            .strip_prefix('<')
            .and_then(|n| n.strip_suffix('>'));
        if built_in == Some(library::PRELUDE) {
            continue;
        }
        let relative = match built_in {
            Some(name) => PathBuf::from(name),
            None => {
                let outside = || format!("{} is not below the directory of {name}", file.name);
                let inside = Path::new(&file.name).strip_prefix(directory);
                inside.map_err(|_| outside())?.to_path_buf()
            }
        };
        let mut parts = relative.components();
        if !parts.all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!(
                "{} is not below the directory of {name}",
                file.name
            ));
        }
        let is_first = sources.file(first).name == file.name;
        let at = if is_first { 0 } else { out.len() };
        out.insert(at, (relative, file.text.clone()));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_every_built_in_model_are_the_model() {
        for (name, _) in crate::names() {
            let files = files(name).expect("built-in texts are read");
            let directory = tempfile::tempdir().expect("a directory");
            for (path, text) in &files {
                std::fs::write(directory.path().join(path), text).expect("written");
            }
            let mut sources = SourceMap::default();
            let read = crate::load(&mut sources, &directory.path().join(&files[0].0));
            let (read, built_in) = (read.expect("it compiles"), crate::builtin(name));
            let built_in = built_in.expect("built in");
            assert_eq!(read.title, built_in.title);
            assert!(read.rels.iter().eq(built_in.rels.iter()), "{name}");
            assert_eq!(read.axioms.len(), built_in.axioms.len());
        }
    }
}
