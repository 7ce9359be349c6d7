//! Tests of a crate as modules of LLVM IR: cargo builds them as for `cargo test`, with rustc's flags for modules, and
//! with another crate in place of the standard library's `test`. The program that comes of it lists its tests.

use super::options::CargoOptions;
use crate::front::llvm::rust::{FLAGS, OWN_FLAGS};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Flags besides those of programs in one file: whatever the profile says, it is one module, without the assertions
/// of the standard library.
const OF_CRATES: [&str; 2] = ["-Clto=no", "-Cdebug-assertions=off"];

/// What a module of tests calls.
const HARNESS_CALL: &str = "@wmbmc_chosen_test(";

/// A test in a program.
#[derive(Debug)]
pub struct ListedTest {
    /// Its name with its modules.
    pub name: String,
    /// Which one of the program's it is.
    pub index: usize,
    /// What its attributes say.
    pub kind: TestKind,
}

/// What the attributes of a test say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestKind {
    /// It is to be checked.
    Plain,
    /// `#[ignore]`
    Ignored,
    /// `#[should_panic]`
    ShouldPanic,
}

/// A program of tests: the unit tests of a crate, or a file of `tests`.
#[derive(Debug)]
pub struct TestProgram {
    /// The crate.
    pub name: String,
    /// Its root file, below the workspace.
    pub source: String,
    /// Its module.
    pub module: PathBuf,
    /// Its tests.
    pub tests: Vec<ListedTest>,
}

/// What cargo has built.
#[derive(Debug)]
pub struct Built {
    /// The folder that names of files in modules are relative to.
    pub root: PathBuf,
    /// A folder for files of wmbmc's own.
    pub folder: PathBuf,
    /// The programs of tests.
    pub programs: Vec<TestProgram>,
    /// Modules of all crates that are no programs of tests.
    pub libraries: Vec<PathBuf>,
}

/// Builds the tests of a crate.
///
/// # Errors
/// A sentence: cargo or rustc is not there or fails, or a program of tests is not made by `#[test]`.
pub fn build(options: &CargoOptions) -> Result<Built, String> {
    let workspace = Workspace::find(options)?;
    let harness = harness(&workspace.target)?;
    let messages = workspace.tests(options, &harness)?;
    let mut built = Built {
        root: workspace.root,
        folder: harness.folder,
        programs: Vec::new(),
        libraries: Vec::new(),
    };
    for message in messages.lines() {
        let Ok(message) = serde_json::from_str::<Value>(message) else {
            continue;
        };
        if message["reason"] != "compiler-artifact" {
            continue;
        }
        match message["executable"].as_str() {
            Some(executable) if message["profile"]["test"] == true => {
                let program = program(&message["target"], executable, &built.root)?;
                built.programs.push(program);
            }
            _ => built.libraries.extend(module_of(&message["filenames"])),
        }
    }
    // They come as they are built.
    built.programs.sort_by(|a, b| a.source.cmp(&b.source));
    Ok(built)
}

/// A crate's workspace.
struct Workspace {
    root: PathBuf,
    target: PathBuf,
    /// The sources of `wmbmc-std`, if it is a dependency.
    standard: Option<PathBuf>,
}

impl Workspace {
    fn find(options: &CargoOptions) -> Result<Workspace, String> {
        let mut command = cargo();
        command.args(["metadata", "--format-version=1"]);
        command
            .args(options.of_workspace())
            .stderr(Stdio::inherit());
        let output = succeed(&mut command, "cargo metadata")?;
        let read: Result<Value, _> = serde_json::from_slice(&output.stdout);
        let read = read.map_err(|e| format!("what `cargo metadata` prints is no JSON: {e}"))?;
        let path = |value: &Value| value.as_str().map(PathBuf::from);
        let missing = || "`cargo metadata` does not say where the workspace is".to_string();
        let packages = read["packages"].as_array().map_or(&[][..], Vec::as_slice);
        let standard = packages.iter().find(|p| p["name"] == "wmbmc-std");
        let manifest = standard.and_then(|p| path(&p["manifest_path"]));
        Ok(Workspace {
            root: path(&read["workspace_root"]).ok_or_else(missing)?,
            target: path(&read["target_directory"])
                .ok_or_else(missing)?
                .join("wmbmc"),
            standard: manifest.and_then(|m| Some(m.parent()?.join("src"))),
        })
    }

    /// Builds the tests, and returns what cargo says of them.
    fn tests(&self, options: &CargoOptions, harness: &Harness) -> Result<String, String> {
        let mut command = cargo();
        // With a target the flags are not for build scripts and macros.
        command.args([
            "test",
            "--no-run",
            "--message-format=json-render-diagnostics",
        ]);
        command.arg("--target").arg(&harness.host);
        command.arg("--target-dir").arg(&self.target);
        command
            .args(options.of_workspace())
            .args(options.of_tests());
        command.env("CARGO_INCREMENTAL", "0");
        command.env(
            "CARGO_ENCODED_RUSTFLAGS",
            self.flags(harness).join("\u{1f}"),
        );
        let output = succeed(command.stderr(Stdio::inherit()), "cargo test --no-run")?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// rustc's flags: those of the environment, and ours.
    fn flags(&self, harness: &Harness) -> Vec<String> {
        let variable = |name| std::env::var(name).ok();
        let mut flags: Vec<String> = match variable("CARGO_ENCODED_RUSTFLAGS") {
            Some(typed) => typed.split('\u{1f}').map(str::to_string).collect(),
            None => {
                let typed = variable("RUSTFLAGS").unwrap_or_default();
                typed.split_whitespace().map(str::to_string).collect()
            }
        };
        flags.retain(|flag| !flag.is_empty());
        for own in [&FLAGS[..], &OWN_FLAGS, &OF_CRATES] {
            flags.extend(own.iter().map(|flag| (*flag).to_string()));
        }
        flags.push(format!("--extern=test={}", harness.test.display()));
        flags.push(format!("-Clink-arg={}", harness.stubs.display()));
        // As the standard library's, so that what is inlined is shown where a test calls it.
        if let Some(standard) = &self.standard {
            let below = standard.strip_prefix(&self.root);
            for path in below.into_iter().chain([standard.as_path()]) {
                let path = path.display();
                flags.push(format!("--remap-path-prefix={path}=/rustc/wmbmc-std"));
            }
        }
        flags
    }
}

/// The crates that stand for the standard library's `test` and for the functions that wmbmc has.
struct Harness {
    host: String,
    folder: PathBuf,
    test: PathBuf,
    stubs: PathBuf,
}

/// Compiles them, if that has not been done by the same compiler.
fn harness(target: &Path) -> Result<Harness, String> {
    let version = succeed(rustc().arg("-vV"), "rustc -vV")?.stdout;
    let said = String::from_utf8_lossy(&version).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or("`rustc -vV` does not say for which machine it compiles")?;
    let mut hash = Sha256::new();
    for part in [&said, standard::sources::HARNESS, standard::sources::STUBS] {
        hash.update(part);
    }
    let digest: String = hash
        .finalize()
        .iter()
        .take(8)
        .map(|b| format!("{b:02x}"))
        .collect();
    let folder = target.join(format!("harness-{digest}"));
    let unwritten = |e: std::io::Error| format!("cannot write to `{}`: {e}", folder.display());
    std::fs::create_dir_all(&folder).map_err(unwritten)?;
    let compiled = |name: &str, text: &str| {
        let library = folder.join(format!("lib{name}.rlib"));
        if library.exists() {
            return Ok(library);
        }
        let source = folder.join(format!("{name}.rs"));
        std::fs::write(&source, text).map_err(unwritten)?;
        let mut command = rustc();
        command.args(["--crate-type=rlib", "--edition=2024", "--crate-name", name]);
        command.args(FLAGS).arg(&source).arg("-o").arg(&library);
        let from = folder.display();
        command.arg(format!("--remap-path-prefix={from}=/rustc/wmbmc"));
        let output = succeed(&mut command, "rustc");
        output.map_err(|said| {
            format!("{said}\n`cargo wmbmc` does not support this version of rustc")
        })?;
        Ok::<PathBuf, String>(library)
    };
    Ok(Harness {
        host: host.to_string(),
        test: compiled("test", standard::sources::HARNESS)?,
        stubs: compiled("wmbmc_stubs", standard::sources::STUBS)?,
        folder,
    })
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Runs a command to its end; an error has what it has written there.
fn succeed(command: &mut Command, name: &str) -> Result<Output, String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|e| format!("cannot run `{name}`: {e}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{name}` fails: {}\n{said}", output.status)
        .trim_end()
        .to_string())
}

/// The program of tests that cargo has made of a target.
fn program(target: &Value, executable: &str, root: &Path) -> Result<TestProgram, String> {
    let source = PathBuf::from(target["src_path"].as_str().unwrap_or_default());
    let source = source.strip_prefix(root).unwrap_or(&source);
    let source = source.display().to_string();
    let module = PathBuf::from(format!("{executable}.ll"));
    let text = read(&module)?;
    if !text.contains(HARNESS_CALL) {
        return Err(format!(
            "the tests of `{source}` are not made by #[test] (`harness = false`), which is not supported"
        ));
    }
    let listed = succeed(&mut Command::new(executable), executable)?;
    let listed = String::from_utf8_lossy(&listed.stdout);
    let mut tests = Vec::new();
    for (index, line) in listed.lines().enumerate() {
        let found = line.split_once(' ').and_then(|(kind, name)| {
            let kind = match kind {
                "test" => TestKind::Plain,
                "ignored" => TestKind::Ignored,
                "should_panic" => TestKind::ShouldPanic,
                _ => return None,
            };
            let name = name.to_string();
            Some(ListedTest { name, index, kind })
        });
        let found = found.ok_or_else(|| format!("`{executable}` lists no tests, but `{line}`"))?;
        tests.push(found);
    }
    Ok(TestProgram {
        name: target["name"].as_str().unwrap_or_default().to_string(),
        source,
        module,
        tests,
    })
}

/// The module that was made with a library: it is beside it.
fn module_of(filenames: &Value) -> Option<PathBuf> {
    let names = filenames.as_array()?.iter().filter_map(Value::as_str);
    let modules = names.map(Path::new).filter_map(|path| {
        let stem = path.file_stem()?.to_str()?;
        let stem = stem.strip_prefix("lib").unwrap_or(stem);
        Some(path.with_file_name(format!("{stem}.ll")))
    });
    modules.into_iter().find(|path| path.exists())
}

/// The modules of libraries that define something that a program needs, and what those need.
///
/// # Errors
/// A module cannot be read.
pub fn needed(program: &TestProgram, libraries: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut symbols = Symbols::of(&read(&program.module)?);
    let mut others = Vec::new();
    for path in libraries {
        others.push((path, Symbols::of(&read(path)?)));
    }
    let mut needed = Vec::new();
    loop {
        let gives =
            |(_, other): &(&PathBuf, Symbols)| !other.defined.is_disjoint(&symbols.declared);
        let Some(at) = others.iter().position(gives) else {
            return Ok(needed);
        };
        let (path, other) = others.remove(at);
        needed.push(path.clone());
        symbols.defined.extend(other.defined);
        symbols.declared.extend(other.declared);
        symbols
            .declared
            .retain(|name| !symbols.defined.contains(name));
    }
}

/// The functions and variables of a module that others see.
#[derive(Debug, Default, PartialEq, Eq)]
struct Symbols {
    declared: BTreeSet<String>,
    defined: BTreeSet<String>,
}

impl Symbols {
    /// They are read off the lines that begin with them.
    fn of(module: &str) -> Symbols {
        let mut found = Symbols::default();
        for line in module.lines() {
            let is_function = line.starts_with("define ") || line.starts_with("declare ");
            let Some((before, behind)) = line.split_once('@') else {
                continue;
            };
            if !is_function && !before.is_empty() {
                continue;
            }
            let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && !"_.$".contains(c));
            let (name, behind) = behind.split_at(end.unwrap_or(behind.len()));
            let words = if is_function { before } else { behind };
            let has = |word: &str| words.split_whitespace().any(|w| w == word);
            if has("internal") || has("private") || name.starts_with("llvm.") {
                continue;
            }
            let is_declared = has("declare") || has("external") && !is_function;
            let names = if is_declared {
                &mut found.declared
            } else {
                &mut found.defined
            };
            names.insert(name.to_string());
        }
        found
    }
}

fn read(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path);
    text.map_err(|e| format!("cannot read `{}`: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::Symbols;

    #[test]
    fn symbols_are_read_off_a_module() {
        let module = "@one = external global i32\n@two = global i32 0, align 4\n@three = private constant i8 1\n\
                      define internal void @four() {\n  call void @five()\n}\n\
                      define hidden noundef i32 @six(ptr %0) {\ndeclare void @five() #1\n\
                      declare void @llvm.lifetime.start.p0(i64, ptr)\n";
        let found = Symbols::of(module);
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_string()).collect();
        assert_eq!(found.declared, names(&["five", "one"]));
        assert_eq!(found.defined, names(&["six", "two"]));
    }
}
