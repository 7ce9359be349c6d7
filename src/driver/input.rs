//! What is checked: a C program, a litmus test, a system of any number of processes, or an x86
//! program for any number of threads, from a file or from text.

use std::path::{Path, PathBuf};

/// The kinds of input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InputKind {
    /// A C program; a file of no known kind is refused as one.
    Program,
    /// A litmus test.
    Litmus,
    /// A system of any number of processes.
    System,
    /// An x86 program for any number of threads.
    Assembly,
}

impl InputKind {
    /// What a file holds, by its extension.
    pub fn of(path: &Path) -> InputKind {
        match path.extension().and_then(|e| e.to_str()) {
            Some("litmus") => InputKind::Litmus,
            Some("cub") => InputKind::System,
            Some("asm") => InputKind::Assembly,
            _ => InputKind::Program,
        }
    }
}

/// An input that has not been read yet.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Input {
    /// What it is.
    pub kind: InputKind,
    /// The name that messages give it; the path of a file.
    pub name: PathBuf,
    /// Its text; `None` when that is in the file of this name.
    pub text: Option<String>,
    /// The files that it consists of.
    pub units: Units,
}

/// Which files a program consists of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Units {
    /// The file of the input's name.
    #[default]
    One,
    /// These files, linked.
    Linked(Vec<PathBuf>),
    /// The file of the input's name, and those that it needs of the files that a
    /// `compile_commands.json` lists.
    Needed(PathBuf),
}

impl Input {
    /// A file; its extension says what it is (`.c`, `.i`, `.h`, `.litmus`, `.cub`, `.asm`).
    pub fn file(path: impl Into<PathBuf>) -> Input {
        let name = path.into();
        Input {
            kind: InputKind::of(&name),
            name,
            text: None,
            units: Units::One,
        }
    }

    /// A C program of several files; messages name two of them, or say how many there are.
    pub fn linked(files: Vec<PathBuf>) -> Input {
        let shown = |path: &PathBuf| path.display().to_string();
        let name = match &files[..] {
            [first, others @ ..] if others.len() > 1 => {
                format!("{} + {} files", shown(first), others.len())
            }
            files => files.iter().map(shown).collect::<Vec<_>>().join(" + "),
        };
        Input {
            kind: InputKind::Program,
            name: PathBuf::from(name),
            text: None,
            units: Units::Linked(files),
        }
    }

    /// A C program that begins in a file, with the files that it needs of those that a
    /// `compile_commands.json` lists.
    pub fn of_commands(commands: impl Into<PathBuf>, entry: impl Into<PathBuf>) -> Input {
        Input {
            kind: InputKind::Program,
            name: entry.into(),
            text: None,
            units: Units::Needed(commands.into()),
        }
    }

    /// A file that holds a litmus test, whatever its name.
    pub fn litmus(path: impl Into<PathBuf>) -> Input {
        Input {
            kind: InputKind::Litmus,
            ..Input::file(path)
        }
    }

    /// A file that holds a system, whatever its name.
    pub fn system(path: impl Into<PathBuf>) -> Input {
        Input {
            kind: InputKind::System,
            ..Input::file(path)
        }
    }

    /// Text in memory, with a name for messages; the name's extension says what it is.
    pub fn text(name: impl Into<PathBuf>, text: impl Into<String>) -> Input {
        Input {
            text: Some(text.into()),
            ..Input::file(name)
        }
    }

    /// The name as text.
    pub fn shown(&self) -> String {
        self.name.display().to_string()
    }
}
