//! Completions, man pages and `--version`: made of the table of options, and taken by the programs that
//! they are for, where these are installed.

use std::process::{Command, Output, Stdio};
use support::{Missing, wmbmc};

const COMMANDS: [&str; 19] = [
    "models",
    "passes",
    "generate",
    "suite",
    "cross",
    "abstract",
    "check-certificate",
    "orders",
    "compile-check",
    "run",
    "check-proof",
    "plan",
    "job",
    "merge",
    "progress",
    "explain",
    "completions",
    "man",
    "help",
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Runs a program of the machine, if it is there.
fn run(program: &str, arguments: &[&str]) -> Option<Output> {
    let mut command = Command::new(program);
    let output = command.args(arguments).stdin(Stdio::null()).output();
    if output.is_err() {
        support::skipped(Missing::Extra(program));
    }
    output.ok()
}

/// A script of completions in a file.
fn script(shell: &str) -> tempfile::NamedTempFile {
    let output = wmbmc(["completions", shell]);
    assert_eq!(output.status.code(), Some(0));
    let script = text(&output.stdout);
    assert!(
        script.contains("unwindset") && script.contains("check-certificate"),
        "{shell}"
    );
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), script).expect("writable");
    file
}

/// What a shell completes; nothing where it is not installed.
fn completed(shell: &str, program: &str) -> Option<String> {
    let file = script(shell);
    let path = file.path().to_str().expect("UTF-8");
    let output = run(shell, &["-c", &program.replace("SCRIPT", path)])?;
    let said = text(&output.stderr);
    assert!(
        output.status.success() && said.is_empty(),
        "{shell}: {said}"
    );
    Some(text(&output.stdout))
}

#[test]
fn completions_load_in_bash() {
    let program = "source SCRIPT; COMP_WORDS=(wmbmc --unw); COMP_CWORD=1; \
                   _wmbmc wmbmc --unw wmbmc; printf '%s\\n' \"${COMPREPLY[@]}\"";
    if let Some(words) = completed("bash", program) {
        let mut words: Vec<&str> = words.lines().collect();
        words.sort_unstable();
        assert_eq!(words, ["--unwind", "--unwindset"]);
    }
}

#[test]
fn completions_load_in_zsh() {
    let program = "autoload -U compinit; compinit -u -D; source SCRIPT; print ${_comps[wmbmc]}";
    if let Some(function) = completed("zsh", program) {
        assert_eq!(function, "_wmbmc\n");
    }
}

#[test]
fn completions_load_in_fish() {
    let program = "source SCRIPT; complete --do-complete 'wmbmc --unwinds'";
    if let Some(words) = completed("fish", program) {
        assert!(words.starts_with("--unwindset"), "{words}");
    }
}

#[test]
fn man_pages_render() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().to_str().expect("UTF-8");
    assert_eq!(wmbmc(["man", "--out", path]).status.code(), Some(0));
    let main = folder.path().join("wmbmc.1");
    let page = std::fs::read_to_string(&main).expect("it is written");
    assert_eq!(page, text(&wmbmc(["man"]).stdout));
    for command in &COMMANDS[..COMMANDS.len() - 1] {
        let file = folder.path().join(format!("wmbmc-{command}.1"));
        assert!(file.exists(), "{command}");
        let page = file.to_str().expect("UTF-8");
        if let Some(output) = run("man", &["--warnings", "-l", page]) {
            assert!(output.status.success(), "{command}");
            let shown = text(&output.stdout);
            assert!(shown.contains(&format!("wmbmc-{command}")), "{shown}");
            assert_eq!(text(&output.stderr), "", "{command}");
        }
    }
    if let Some(output) = run("man", &["-l", main.to_str().expect("UTF-8")]) {
        let shown = text(&output.stdout);
        let table =
            "UNSAFE                here is an execution that does                      10\n";
        for part in ["SYNOPSIS", "--unwindset", table, "wmbmc-suite(1)"] {
            assert!(shown.contains(part), "no {part} in {shown}");
        }
        let title = shown.lines().next().expect("a page has a title");
        assert!(title.contains("User Commands"), "{title}");
    }
}

#[test]
fn the_list_above_has_every_command() {
    let help = text(&wmbmc(["--help"]).stdout);
    let list = help.lines().skip_while(|l| l.trim() != "Commands:").skip(1);
    let list = list.take_while(|l| !l.trim().is_empty());
    let named = list.filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    let names: Vec<&str> = named.filter_map(|l| l.split_whitespace().next()).collect();
    assert_eq!(names, COMMANDS);
}

#[test]
fn the_version_says_what_this_is() {
    let printed = text(&wmbmc(["--version"]).stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], format!("wmbmc {}", env!("CARGO_PKG_VERSION")));
    assert!(lines[1].starts_with("commit: "), "{printed}");
    assert!(lines[2].starts_with("solver: CaDiCaL 3."), "{printed}");
    assert!(lines[3].starts_with("features: "), "{printed}");
    let short = text(&wmbmc(["-V"]).stdout);
    assert_eq!(short, format!("{}\n", lines[0]));
}
