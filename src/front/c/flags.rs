//! What the flags of a C compiler mean for reading a file.
//!
//! Flags come from a command line that is pasted, or from `compile_commands.json`. Those that say how
//! a text is preprocessed are obeyed; those that choose a warning, an optimisation or a file to write
//! change nothing here; those that change the language are refused.

use super::options::ParseOptions;
use std::path::PathBuf;

/// A flag with its argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompilerFlag {
    /// `-D`
    Define(String),
    /// `-U`
    Undefine(String),
    /// `-I`
    IncludeDir(PathBuf),
    /// `-iquote`
    QuoteDir(PathBuf),
    /// `-isystem`
    SystemDir(PathBuf),
    /// `-idirafter`
    AfterDir(PathBuf),
    /// `-include`
    IncludeFile(PathBuf),
    /// `-std`, by its argument.
    Standard(String),
    /// `-m32` and `-m64`, by the bits of a pointer.
    PointerWidth(u8),
    /// Changes nothing here; the flag as it was written.
    Ignored(String),
    /// Changes what programs mean, and is not supported; the flag as it was written.
    Unsupported(String),
}

/// A flag, made of its argument.
type OfArgument = fn(&str) -> CompilerFlag;

/// Flags with a directory, a file or a macro, which may be the next word.
const WITH_ARGUMENT: [(&str, OfArgument); 7] = [
    ("-isystem", |a| CompilerFlag::SystemDir(a.into())),
    ("-idirafter", |a| CompilerFlag::AfterDir(a.into())),
    ("-iquote", |a| CompilerFlag::QuoteDir(a.into())),
    ("-include", |a| CompilerFlag::IncludeFile(a.into())),
    ("-D", |a| CompilerFlag::Define(a.into())),
    ("-U", |a| CompilerFlag::Undefine(a.into())),
    ("-I", |a| CompilerFlag::IncludeDir(a.into())),
];

/// Flags without effect here whose argument is the next word.
const IGNORED_WITH_NEXT: [&str; 14] = [
    "-o",
    "-l",
    "-L",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-T",
    "-u",
    "-z",
    "--param",
    "-aux-info",
];

/// Flags without effect here.
const IGNORED: [&str; 17] = [
    "-w",
    "-c",
    "-S",
    "-E",
    "-s",
    "-p",
    "-pg",
    "-pthread",
    "-pthreads",
    "-pipe",
    "-pie",
    "-no-pie",
    "-static",
    "-shared",
    "-rdynamic",
    "-nodefaultlibs",
    "-nostartfiles",
];

/// Beginnings of flags without effect here.
const FAMILIES: [&str; 11] = [
    "-O",
    "-W",
    "-g",
    "-f",
    "-m",
    "-l",
    "-L",
    "-M",
    "-nostd",
    "-pedantic",
    "-save-temps",
];

/// Beginnings of flags that change the language, its types or its library.
const UNSUPPORTED: [&str; 15] = [
    "-fopenmp",
    "-fopenacc",
    "-fgnu-tm",
    "-fcilkplus",
    "-funsigned-char",
    "-fno-signed-char",
    "-funsigned-bitfields",
    "-fno-signed-bitfields",
    "-fshort-enums",
    "-fshort-wchar",
    "-fshort-double",
    "-fpack-struct",
    "-mx32",
    "-m16",
    "-mms-bitfields",
];

/// Reads the flag at the head of a command line; `None` when it is none of a C compiler. The number
/// says how many words it takes.
pub fn read(words: &[&str]) -> Option<(CompilerFlag, usize)> {
    let word = *words.first()?;
    let next = words.get(1).copied();
    for (flag, make) in WITH_ARGUMENT {
        match (word.strip_prefix(flag), next) {
            (Some(""), Some(next)) => return Some((make(next), 2)),
            (Some(argument), _) if !argument.is_empty() => return Some((make(argument), 1)),
            _ => {}
        }
    }
    let standard = |name: &str| match name.contains("++") {
        true => CompilerFlag::Unsupported(word.to_string()),
        false => CompilerFlag::Standard(name.to_string()),
    };
    let flag = match word {
        "-m32" => CompilerFlag::PointerWidth(32),
        "-m64" => CompilerFlag::PointerWidth(64),
        "-ansi" => CompilerFlag::Standard("c90".to_string()),
        "-x" => {
            let language = next.unwrap_or_default();
            let shown = format!("-x {language}");
            let flag = match language {
                "c" => CompilerFlag::Ignored(shown),
                _ => CompilerFlag::Unsupported(shown),
            };
            return Some((flag, 2.min(words.len())));
        }
        "-xc" => CompilerFlag::Ignored(word.to_string()),
        _ if word.starts_with("-std=") => standard(&word["-std=".len()..]),
        _ if IGNORED_WITH_NEXT.contains(&word) => {
            let shown = next.map_or(word.to_string(), |n| format!("{word} {n}"));
            return Some((CompilerFlag::Ignored(shown), 2.min(words.len())));
        }
        _ if UNSUPPORTED.iter().any(|u| word.starts_with(u)) || word.starts_with("-imacros") => {
            CompilerFlag::Unsupported(word.to_string())
        }
        _ if IGNORED.contains(&word) || FAMILIES.iter().any(|f| word.starts_with(f)) => {
            CompilerFlag::Ignored(word.to_string())
        }
        _ => return None,
    };
    Some((flag, 1))
}

/// The name of the macro that a flag is about.
fn macro_name(flag: &CompilerFlag) -> Option<&str> {
    match flag {
        CompilerFlag::Define(text) | CompilerFlag::Undefine(text) => text.split(['=', '(']).next(),
        _ => None,
    }
}

/// The flags that count: of `-D` and `-U` for one macro the last one, likewise of `-std` and `-m32`.
pub fn effective(flags: Vec<CompilerFlag>) -> Vec<CompilerFlag> {
    let replaces = |later: &CompilerFlag, flag: &CompilerFlag| match (later, flag) {
        (CompilerFlag::Standard(_), CompilerFlag::Standard(_))
        | (CompilerFlag::PointerWidth(_), CompilerFlag::PointerWidth(_)) => true,
        _ => macro_name(flag).is_some() && macro_name(flag) == macro_name(later),
    };
    let counts = |(i, flag): &(usize, &CompilerFlag)| {
        !flags[i + 1..].iter().any(|later| replaces(later, flag))
    };
    let kept = flags.iter().enumerate().filter(counts);
    kept.map(|(_, flag)| flag.clone()).collect()
}

/// Adds what the flags say to how a file is read.
pub fn apply(flags: Vec<CompilerFlag>, options: &mut ParseOptions) {
    for flag in effective(flags) {
        match flag {
            CompilerFlag::Define(text) => options.defines.push(text),
            CompilerFlag::Undefine(name) => options.undefines.push(name),
            CompilerFlag::IncludeDir(dir) => options.include_dirs.push(dir),
            CompilerFlag::QuoteDir(dir) => options.quote_dirs.push(dir),
            CompilerFlag::SystemDir(dir) => options.system_dirs.push(dir),
            CompilerFlag::AfterDir(dir) => options.after_dirs.push(dir),
            CompilerFlag::IncludeFile(file) => options.include_files.push(file),
            CompilerFlag::Standard(name) => options.standard = Some(name),
            CompilerFlag::PointerWidth(bits) => options.pointer_width = bits,
            CompilerFlag::Ignored(_) | CompilerFlag::Unsupported(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_attached_or_the_next_word() {
        let dir = || CompilerFlag::SystemDir("inc".into());
        assert_eq!(read(&["-isystem", "inc", "a.c"]), Some((dir(), 2)));
        assert_eq!(read(&["-isysteminc"]), Some((dir(), 1)));
        assert_eq!(
            read(&["-DX=1"]),
            Some((CompilerFlag::Define("X=1".into()), 1))
        );
        assert_eq!(
            read(&["-o", "prog", "a.c"]),
            Some((CompilerFlag::Ignored("-o prog".into()), 2))
        );
        assert_eq!(
            read(&["-std=gnu11"]),
            Some((CompilerFlag::Standard("gnu11".into()), 1))
        );
        assert_eq!(
            read(&["-fopenmp"]),
            Some((CompilerFlag::Unsupported("-fopenmp".into()), 1))
        );
        for word in ["a.c", "--mm", "-q", "-v", "-j"] {
            assert_eq!(read(&[word]), None, "{word}");
        }
    }

    #[test]
    fn the_last_word_about_a_macro_counts() {
        let define = |text: &str| CompilerFlag::Define(text.into());
        let undefine = |text: &str| CompilerFlag::Undefine(text.into());
        let flags = vec![define("X=1"), undefine("X"), undefine("Y"), define("Y")];
        assert_eq!(effective(flags), vec![undefine("X"), define("Y")]);
    }
}
