//! `docs/diagnostics.md` and `wmbmc explain`: each example reports the code of its section.

use crate::common::{root, wmbmc};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Codes without an example: an interrupt, a bug, and what only recorded answers show.
const WITHOUT: [&str; 3] = ["E0012", "U0004", "V0011"];

struct Section {
    code: String,
    /// Language and text of each block.
    blocks: Vec<(String, String)>,
}

fn sections() -> Vec<Section> {
    let page = std::fs::read_to_string(root().join("docs/diagnostics.md")).expect("readable");
    let sections = page.split("\n## ").skip(1).map(|section| {
        let (code, rest) = section.split_once(": ").expect("a code before the title");
        let blocks = rest.split("\n```").skip(1).step_by(2).map(|block| {
            let (language, text) = block.split_once('\n').expect("a block has lines");
            (language.to_string(), format!("{text}\n"))
        });
        Section {
            code: code.to_string(),
            blocks: blocks.collect(),
        }
    });
    sections.collect()
}

/// The codes in the answers of a run.
fn reported(folder: &Path, arguments: &str) -> BTreeSet<String> {
    let mut run = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    run.current_dir(folder).args(arguments.split_whitespace());
    let output = run
        .args(["--format", "json"])
        .output()
        .expect("it was built");
    let mut codes = BTreeSet::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let answer: Value = serde_json::from_str(line).expect("an object per line");
        let lists = ["errors", "warnings"].map(|l| answer[l].as_array().cloned());
        let listed = lists.into_iter().flatten().flatten();
        let all = listed
            .map(|d| d["code"].clone())
            .chain([answer["code"].clone()]);
        codes.extend(all.filter_map(|c| c.as_str().map(str::to_string)));
    }
    codes
}

#[test]
fn every_example_reports_its_code() {
    let mut wrong = Vec::new();
    for Section { code, blocks } in sections() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut commands = Vec::new();
        for (language, text) in &blocks {
            if language == "sh" {
                commands.extend(text.lines());
            } else {
                let file = folder.path().join(format!("example.{language}"));
                std::fs::write(file, text).expect("writable");
            }
        }
        if commands.is_empty() {
            assert!(WITHOUT.contains(&code.as_str()), "{code} has no example");
        }
        for command in commands {
            let arguments = command.strip_prefix("wmbmc ").expect("a run of wmbmc");
            let codes = reported(folder.path(), arguments);
            if !codes.contains(&code) {
                wrong.push(format!("{code}: `{command}` reports {codes:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn explain_prints_a_section_or_the_list() {
    let print = |args: &[&str]| {
        let output = wmbmc([&["explain"], args].concat());
        (
            output.status.code(),
            String::from_utf8(output.stdout).expect("UTF-8"),
            String::from_utf8(output.stderr).expect("UTF-8"),
        )
    };
    let (code, listed, _) = print(&[]);
    assert_eq!(code, Some(0));
    let sections = sections();
    assert_eq!(listed.lines().count(), sections.len());
    for (line, section) in listed.lines().zip(&sections) {
        assert!(line.starts_with(&section.code), "{line}");
        let (code, printed, _) = print(&[&section.code.to_lowercase()]);
        assert_eq!(code, Some(0));
        assert!(
            printed.starts_with(&format!("{}: ", section.code)),
            "{printed}"
        );
    }
    let (code, _, said) = print(&["V0044"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("no code is called `V0044`"), "{said}");
}

#[test]
fn an_error_shows_its_code() {
    let output = wmbmc(["missing.c"]);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.starts_with("error[E0002]: "), "{said}");
}
