//! Programs as modules of LLVM IR, by their compilers: clang for C and C++, rustc for Rust, and `llvm-dis` for
//! bitcode.
//!
//! clang does not optimise unless it is told to: what is undefined in the source is still there, no load comes before
//! the branch that guards it, and the lives of objects are marked. With `-O1` and its like among the compiler's flags
//! it does, without vectors, and without loops that become calls of the library. Functions of C++ have no
//! exceptions unless the program throws or catches some itself, and a panic of Rust ends the program.

use super::rust;
use crate::front::c::ParseOptions;
use base::code::Code;
use base::diag::Diag;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// What clang says of `throw` and `try` without exceptions. They cost much where nothing is thrown: each call may
/// then leave its function.
const WITHOUT_EXCEPTIONS: &str = "with exceptions disabled";

/// Headers of libstdc++ that ours replace.
const HEADERS: [(&str, &str); 2] = [
    ("atomic_wait.h", include_str!("atomic_wait.h")),
    ("atomic_timed_wait.h", include_str!("atomic_timed_wait.h")),
];

/// What a compiler makes a module of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceLanguage {
    /// C, by clang.
    C,
    /// C++, by clang.
    Cpp,
    /// Rust, by rustc.
    Rust,
    /// Bitcode, by `llvm-dis`.
    Bitcode,
}

impl SourceLanguage {
    /// The language of a file by its extension; C is read without a compiler unless something else is said.
    pub fn of(path: &Path) -> Option<SourceLanguage> {
        match path.extension()?.to_str()? {
            "cc" | "cpp" | "cxx" | "C" => Some(SourceLanguage::Cpp),
            "rs" => Some(SourceLanguage::Rust),
            "bc" => Some(SourceLanguage::Bitcode),
            _ => None,
        }
    }

    /// The variable of the environment that names the compiler, and its name otherwise.
    fn compiler(self) -> (&'static str, &'static str) {
        match self {
            SourceLanguage::C => ("CLANG", "clang"),
            SourceLanguage::Cpp => ("CXX", "clang++"),
            SourceLanguage::Rust => ("RUSTC", "rustc"),
            SourceLanguage::Bitcode => ("LLVM_DIS", "llvm-dis"),
        }
    }
}

/// Whether a file that no preprocessor reads, of Rust or a module, is given without options of it.
///
/// # Errors
/// There is one, which has no effect.
pub fn check_preprocessing(path: &Path, options: &ParseOptions) -> Result<(), Vec<Diag>> {
    let is_module = path.extension().is_some_and(|e| e == "ll");
    let language = SourceLanguage::of(path);
    let is_read_as_it_is = matches!(
        language,
        Some(SourceLanguage::Rust | SourceLanguage::Bitcode)
    );
    if !is_module && !is_read_as_it_is {
        return Ok(());
    }
    let given = [
        ("-D", !options.defines.is_empty()),
        ("-U", !options.undefines.is_empty()),
        ("-I", !options.include_dirs.is_empty()),
        ("--iquote", !options.quote_dirs.is_empty()),
        ("--isystem", !options.system_dirs.is_empty()),
        ("--idirafter", !options.after_dirs.is_empty()),
        ("--include", !options.include_files.is_empty()),
        ("--std", options.standard.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => {
            let message =
                format!("{option} is for C and C++, and not for Rust and modules of LLVM IR");
            Err(vec![Diag::bare(message)])
        }
    }
}

/// Compiles a file to the text of a module.
///
/// # Errors
/// There is no such compiler, or it refuses the file: what it says is in the message.
pub fn compile(
    path: &Path,
    language: SourceLanguage,
    options: &ParseOptions,
) -> Result<String, Vec<Diag>> {
    if options.target.is_some() {
        let message = "--target for a file that a compiler reads is not supported";
        return Err(vec![Diag::unsupported_input(message)]);
    }
    let (variable, default) = language.compiler();
    let named = std::env::var(variable).unwrap_or_default();
    let mut words = named.split_whitespace();
    let program = words.next().unwrap_or(default).to_string();
    let shown = path.display();
    let failed = |what: String| vec![Diag::bare(what).with_code(Code::File)];
    let folder = tempfile::tempdir();
    let folder = folder.map_err(|e| failed(format!("cannot make a temporary directory: {e}")))?;
    let made = folder.path().join("module.ll");
    let words: Vec<&str> = words.collect();
    let compiler = || {
        let mut command = Command::new(&program);
        command.args(&words).env("LC_ALL", "C");
        command
    };
    let run = |mut command: Command| -> Result<Option<String>, Vec<Diag>> {
        let output = command.output().map_err(|e| {
            let message = format!("cannot run `{program}` to compile `{shown}`: {e}");
            let note = format!("it is looked for as ${variable}, or else by its name `{default}`");
            vec![Diag::bare(message).with_code(Code::File).note(note)]
        })?;
        let said = String::from_utf8_lossy(&output.stderr)
            .trim_end()
            .to_string();
        Ok((!output.status.success()).then_some(said))
    };
    let mut own = Vec::new();
    if language == SourceLanguage::Cpp {
        own = headers(folder.path()).map_err(|e| {
            failed(format!(
                "cannot write headers to a temporary directory: {e}"
            ))
        })?;
    }
    if matches!(language, SourceLanguage::C | SourceLanguage::Cpp) {
        let text =
            std::fs::read(path).map_err(|e| failed(format!("cannot read `{shown}`: {e}")))?;
        own.extend(kept_functions(&String::from_utf8_lossy(&text)));
    }
    let refused = |said: &str| failed(format!("`{program}` refuses `{shown}`:\n{said}"));
    let mut command = compiler();
    command.args(arguments(language, options)).args(&own);
    if language == SourceLanguage::Rust {
        let uses = rust::uses_crate(path);
        if uses.map_err(|e| failed(format!("cannot read `{shown}`: {e}")))? {
            let (build, library) = rust::prepared(compiler(), folder.path())
                .map_err(|e| failed(format!("cannot write `wmbmc-std` to be compiled: {e}")))?;
            if let Some(said) = run(build)? {
                return Err(refused(&said));
            }
            command.args(rust::arguments(&library));
        }
    }
    command.arg(path).arg("-o").arg(&made);
    if let Some(said) = run(command)? {
        if language != SourceLanguage::Cpp || !said.contains(WITHOUT_EXCEPTIONS) {
            return Err(refused(&said));
        }
        let mut command = compiler();
        command.args(arguments(language, options)).args(&own);
        command.arg("-fexceptions").arg(path).arg("-o").arg(&made);
        if let Some(said) = run(command)? {
            return Err(refused(&said));
        }
    }
    std::fs::read_to_string(&made).map_err(|e| {
        failed(format!(
            "cannot read what `{program}` made of `{shown}`: {e}"
        ))
    })
}

/// Arguments by which functions that mean something by their names stay functions, and calls of them calls: what a
/// program itself has as the body of `reach_error` may be nothing, and that of a `__VERIFIER_atomic_…` is one step.
fn kept_functions(text: &str) -> Vec<OsString> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !is_part(c));
    let names = words.filter(|w| *w == "reach_error" || w.starts_with("__VERIFIER_"));
    let names: BTreeSet<&str> = names.collect();
    let flags = names.iter().flat_map(|name| {
        ["noinline", "optnone"].map(|kept| format!("-force-attribute={name}:{kept}"))
    });
    flags
        .flat_map(|flag| ["-mllvm".into(), flag.into()])
        .collect()
}

/// Writes our headers of C++, and gives the arguments with which they are found. They count as those of the system.
fn headers(folder: &Path) -> std::io::Result<Vec<OsString>> {
    let root = folder.join("headers");
    let inner = root.join("bits");
    std::fs::create_dir_all(&inner)?;
    for (name, text) in HEADERS {
        std::fs::write(inner.join(name), text)?;
    }
    let mut shown = OsString::from("-fdebug-prefix-map=");
    shown.push(&root);
    shown.push("=/usr/include/wmbmc");
    Ok(vec!["-isystem".into(), root.into(), shown])
}

/// The arguments of a compiler but for the files.
fn arguments(language: SourceLanguage, options: &ParseOptions) -> Vec<OsString> {
    let fixed: &[&str] = match language {
        SourceLanguage::Bitcode => &[],
        SourceLanguage::Rust => &rust::OWN_FLAGS,
        SourceLanguage::C | SourceLanguage::Cpp => &[
            "-S",
            "-emit-llvm",
            "-g",
            "-w",
            "-fno-vectorize",
            "-fno-slp-vectorize",
            "-fno-unroll-loops",
            "-fno-discard-value-names",
            "-mllvm",
            "-disable-loop-idiom-all",
            "-mllvm",
            "-rotation-max-header-size=0",
            "-D__WMBMC__",
        ],
    };
    let mut all: Vec<OsString> = fixed.iter().map(OsString::from).collect();
    match language {
        SourceLanguage::Bitcode => return all,
        SourceLanguage::Rust => {
            all.extend(rust::FILE_FLAGS.iter().map(OsString::from));
            all.extend(rust::FLAGS.iter().map(OsString::from));
            all.extend(options.compiler_flags.iter().map(OsString::from));
            return all;
        }
        SourceLanguage::Cpp => {
            all.push("-fno-exceptions".into());
            let standard = options.standard.as_deref().unwrap_or("gnu++20");
            all.push(format!("-std={standard}").into());
        }
        SourceLanguage::C => {
            let standard = options.standard.as_deref().unwrap_or("gnu11");
            all.push(format!("-std={standard}").into());
        }
    }
    let optimises = options.compiler_flags.iter().any(|f| f.starts_with("-O"));
    if !optimises {
        all.extend(["-O1", "-Xclang", "-disable-llvm-passes"].map(OsString::from));
    }
    let mut with = |flag: &str, values: Vec<OsString>| {
        for value in values {
            all.push(flag.into());
            all.push(value);
        }
    };
    let paths = |paths: &[std::path::PathBuf]| paths.iter().map(OsString::from).collect();
    with("-D", options.defines.iter().map(OsString::from).collect());
    with("-U", options.undefines.iter().map(OsString::from).collect());
    with("-I", paths(&options.include_dirs));
    with("-iquote", paths(&options.quote_dirs));
    with("-isystem", paths(&options.system_dirs));
    with("-idirafter", paths(&options.after_dirs));
    with("-include", paths(&options.include_files));
    all.extend(options.compiler_flags.iter().map(OsString::from));
    all
}
