//! The house rules that a reader relies on: a stage uses only the stages before it, the map names
//! every module, and no file is longer than one can keep in mind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The stages, left to right. Everything may use `idx` and the macro `id`.
const STAGES: [&str; 12] = [
    "front",
    "ir",
    "unroll",
    "mm",
    "enumerate",
    "encode",
    "sat",
    "smt",
    "param",
    "check",
    "report",
    "cli",
];

/// Stands beside the pipeline: it uses no stage, and only the command line uses it.
const BESIDE: &str = "generate";

/// Lines of the longest file, its tests apart.
const LONGEST: usize = 800;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("src is readable") {
            let path = entry.expect("src is readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The stage a file belongs to; `None` for `lib.rs`, `main.rs` and `idx.rs`.
fn stage_of(file: &Path) -> Option<usize> {
    let below = file.strip_prefix(root().join("src")).expect("below src");
    let first = below.components().next()?.as_os_str().to_str()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    STAGES.iter().position(|s| *s == name)
}

/// The names that follow `crate::` in code (comments apart); `{a, b}` counts as both.
fn crate_uses(text: &str) -> BTreeSet<String> {
    let code: Vec<&str> = text
        .lines()
        .filter(|l| !l.trim_start().starts_with("//"))
        .collect();
    let code = code.join("\n");
    let mut uses = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            uses.extend(group_heads(group));
        } else {
            uses.insert(word(rest));
        }
    }
    uses
}

fn word(text: &str) -> String {
    text.trim_start()
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// `check::{a, b}, mm::c}` gives `check` and `mm`.
fn group_heads(group: &str) -> Vec<String> {
    let mut heads = vec![word(group)];
    let mut depth = 1;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => heads.push(word(&group[at + 1..])),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    heads.retain(|h| !h.is_empty());
    heads
}

#[test]
fn a_stage_uses_only_the_stages_before_it() {
    let mut wrong = Vec::new();
    for file in sources() {
        let Some(stage) = stage_of(&file) else {
            continue;
        };
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        for used in crate_uses(&text) {
            if STAGES
                .iter()
                .position(|s| *s == used)
                .is_some_and(|u| u > stage)
            {
                wrong.push(format!("{} uses {used}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_second_opinion_is_independent() {
    let folder = root().join("src/enumerate");
    let files: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|f| f.starts_with(&folder))
        .collect();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        for used in crate_uses(&text) {
            let allowed = ["front", "ir", "mm", "idx", "id", "enumerate"];
            assert!(
                allowed.contains(&used.as_str()),
                "{} uses {used}",
                file.display()
            );
        }
    }
}

#[test]
fn the_parameterized_checker_uses_syntax_and_smt_only() {
    let folder = root().join("src/param");
    let files = sources().into_iter().filter(|f| f.starts_with(&folder));
    for file in files {
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        for used in crate_uses(&text) {
            let allowed = ["front", "smt", "param", "idx", "id"];
            assert!(
                allowed.contains(&used.as_str()),
                "{} uses {used}",
                file.display()
            );
        }
    }
}

#[test]
fn smt_knows_no_program() {
    let folder = root().join("src/smt");
    for file in sources().into_iter().filter(|f| f.starts_with(&folder)) {
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        for used in crate_uses(&text) {
            let allowed = ["encode", "sat", "smt", "idx", "id"];
            assert!(
                allowed.contains(&used.as_str()),
                "{} uses {used}",
                file.display()
            );
        }
    }
}

#[test]
fn the_generator_stands_beside_the_pipeline() {
    let inside = root().join("src").join(BESIDE);
    let cli = root().join("src/cli");
    for file in sources() {
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        let uses = crate_uses(&text);
        if file.starts_with(&inside) {
            let others: Vec<_> = uses.iter().filter(|u| *u != BESIDE).collect();
            assert!(others.is_empty(), "{} uses {others:?}", file.display());
        } else if !file.starts_with(&cli) {
            assert!(!uses.contains(BESIDE), "{} uses {BESIDE}", file.display());
        }
    }
}

#[test]
fn the_map_names_every_module() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the map exists");
    let library = std::fs::read_to_string(root().join("src/lib.rs")).expect("the library exists");
    let modules: Vec<&str> = library
        .lines()
        .filter_map(|l| l.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    assert!(!modules.is_empty());
    for module in modules {
        assert!(
            map.contains(&format!("| `{module}` |")),
            "ARCHITECTURE.md has no row for `{module}`"
        );
    }
    assert!(
        map.contains(&STAGES.join(" → ")),
        "ARCHITECTURE.md states another order of the stages"
    );
}

#[test]
fn no_file_is_too_long() {
    let lines = |f: &PathBuf| {
        let text = std::fs::read_to_string(f).expect("sources are UTF-8");
        text.lines().take_while(|l| *l != "#[cfg(test)]").count()
    };
    let long: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|f| {
            !f.file_name()
                .is_some_and(|n| n.to_string_lossy().contains("tests"))
        })
        .filter(|f| lines(f) > LONGEST)
        .collect();
    assert!(long.is_empty(), "longer than {LONGEST} lines: {long:?}");
}

#[test]
fn groups_of_uses_are_read() {
    let uses =
        crate_uses("use crate::{check::{a, b}, mm::c};\n// crate::cli\nlet x = crate::ir::y();");
    assert_eq!(uses.into_iter().collect::<Vec<_>>(), ["check", "ir", "mm"]);
}
