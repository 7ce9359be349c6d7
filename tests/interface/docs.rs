//! The documents stay true: links and paths lead somewhere, options and JSON fields are those of the
//! program, and retired words do not come back. The console blocks are run by `tests/interface/cli.rs`.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::wmbmc;

/// The documents elsewhere; those in `docs/` are found.
const ELSEWHERE: [&str; 5] = [
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "benchmarks/parameterized/differences.md",
];

/// Words and phrases that were once private to this project, or that its documents used in an
/// unusual sense, each with the standard term. A newcomer who knows CBMC, herd7, Cubicle or LLVM
/// should not have to learn them. Lower case; matched as whole words, whatever the case.
fn retired_words() -> &'static [(&'static str, &'static str)] {
    &[
        // Loops.
        ("jump back", "back edge"),
        ("jumps back", "back edges"),
        ("round", "iteration"),
        ("rounds", "iterations"),
        ("rehearse", "trip-count analysis"),
        ("rehearsed", "trip-count analysis"),
        ("rehearses", "trip-count analysis"),
        ("rehearsal", "trip-count analysis"),
        ("foresee", "known trip count"),
        ("foreseen", "known trip count"),
        ("foresees", "known trip count"),
        ("trips", "trip count"),
        ("endless", "non-terminating"),
        ("loop that waits", "spin loop, await"),
        ("loops that wait", "spin loops, awaits"),
        ("cut", "stops at its bound; bound reached"),
        ("cuts", "bounds reached"),
        // What is not supported, and pointers.
        ("gap", "unsupported construct; incompleteness"),
        ("gaps", "unsupported constructs; incompleteness"),
        ("without meaning", "unsupported"),
        ("without a meaning", "unsupported"),
        ("has no meaning", "is unsupported; does not apply"),
        ("stray", "unresolved access"),
        ("strays", "unresolved accesses"),
        // Executions and answers.
        ("drawn", "nondeterministic choice"),
        ("told", "shown, reported"),
        ("tells", "shows, reports"),
        ("second opinion", "reference engine; cross-check"),
        ("threads that wait for ever", "deadlock"),
        ("the time is up", "timeout"),
        ("for nothing", "vacuously"),
        ("takes turns", "sequentially consistent"),
        ("take turns", "sequentially consistent"),
        // Parameterized systems.
        ("worlds", "transition instances"),
        ("firings", "transition instances"),
        ("widened", "generalized"),
        ("widens", "generalizes"),
        (
            "takes back what was wrong",
            "backtracks on a refuted approximation",
        ),
        (
            "take back what was wrong",
            "backtrack on a refuted approximation",
        ),
        ("a cube has forgotten", "a process outside the cube"),
        ("cubes forget", "a process outside the cube"),
        ("recall", "read a history variable"),
        ("recalls", "reads a history variable"),
        ("duties", "proof obligations"),
        ("wild", "fresh"),
        // Sentences.
        ("for ever", "forever"),
        ("nobody", "no thread, no process"),
        ("somebody", "a thread, a process"),
        ("everybody", "every thread, every process"),
        ("anybody", "any thread, any process"),
        ("rules of the house", "rules"),
        ("house rules", "rules"),
    ]
}

/// Every document: its path below the root, and its text.
fn pages() -> Vec<(PathBuf, String)> {
    let root = support::root();
    let entries = std::fs::read_dir(root.join("docs")).expect("docs is part of the repository");
    let below = entries.map(|e| {
        let name = e.expect("docs is readable").file_name();
        Path::new("docs").join(name)
    });
    let is_page = |p: &PathBuf| p.extension().is_some_and(|e| e == "md");
    let mut paths: Vec<PathBuf> = ELSEWHERE.iter().map(PathBuf::from).collect();
    paths.extend(below.filter(is_page));
    paths.sort();
    let read = |p: PathBuf| {
        let text = std::fs::read_to_string(root.join(&p)).expect("documents are UTF-8");
        (p, text)
    };
    paths.into_iter().map(read).collect()
}

/// One document.
fn page(name: &str) -> String {
    let found = pages().into_iter().find(|(p, _)| p == Path::new(name));
    found.unwrap_or_else(|| panic!("there is no {name}")).1
}

/// The lines outside of fenced blocks.
fn outside_of_blocks(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The text outside of fenced blocks, split at backticks: what people say, and what is code.
fn prose_and_code(text: &str) -> (String, Vec<String>) {
    let text = outside_of_blocks(text);
    let (mut prose, mut code) = (String::new(), Vec::new());
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 0 {
            prose.push_str(part);
        } else {
            code.push(part.to_string());
        }
    }
    (prose, code)
}

/// The targets of inline links.
fn links(text: &str) -> Vec<String> {
    let (prose, _) = prose_and_code(text);
    let targets = prose.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_string()).collect()
}

/// What a heading is called in links: small letters, blanks become `-`, punctuation is dropped.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

/// The anchors of a document.
fn anchors(text: &str) -> BTreeSet<String> {
    let text = outside_of_blocks(text);
    let headings = text.lines().filter(|l| l.starts_with('#'));
    headings
        .map(|l| anchor(l.trim_start_matches('#')))
        .collect()
}

/// The path with `..` taken out, as links and directories have it.
fn normal(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts
}

/// Where a word stands in a text, both in small letters: it is no part of a longer one.
fn occurrences<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).filter_map(move |(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let alone = !before.is_some_and(is_letter) && !after.is_some_and(is_letter);
        alone.then_some(at)
    })
}

/// The long options that a text names, without the dashes.
fn long_options(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let named = text.match_indices("--").filter_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '-') {
            return None;
        }
        let rest = &text[at + 2..];
        let name: String = rest.chars().take_while(|c| is_part(*c)).collect();
        name.starts_with(|c: char| c.is_ascii_lowercase())
            .then(|| name.trim_end_matches('-').to_string())
    });
    named.collect()
}

/// `-q` and its kin, where a line or a piece of code begins with one.
fn short_option(text: &str) -> Option<char> {
    let mut chars = text.trim_start().strip_prefix('-')?.chars();
    let name = chars.next().filter(char::is_ascii_alphabetic)?;
    let ends = chars.next().is_none_or(|c| !c.is_alphanumeric());
    ends.then_some(name)
}

/// What a command prints with `--help`.
fn help(command: &[&str]) -> String {
    let output = wmbmc([command, &["--help"]].concat());
    String::from_utf8(output.stdout).expect("help is UTF-8")
}

/// The subcommands, as the help lists them.
fn subcommands(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|l| l.trim() != "Commands:").skip(1);
    let list = list.take_while(|l| !l.trim().is_empty());
    let names = list.filter_map(|l| l.split_whitespace().next());
    names.filter(|n| *n != "help").map(str::to_string).collect()
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    let mut broken = Vec::new();
    for (path, text) in &pages {
        for link in links(text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, name) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => path.clone(),
                file => normal(&path.parent().expect("a file has a parent").join(file)),
            };
            let exists = support::root().join(&target).exists();
            let anchored = name.is_empty()
                || pages
                    .iter()
                    .any(|(p, t)| *p == target && anchors(t).contains(name));
            if !exists || !anchored {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

#[test]
fn every_page_is_a_chapter_of_the_book() {
    let summary = page("docs/SUMMARY.md");
    let chapters: BTreeSet<PathBuf> = links(&summary)
        .iter()
        .map(|link| Path::new("docs").join(link))
        .collect();
    let below = pages().into_iter().map(|(path, _)| path);
    let below = below.filter(|p| p.starts_with("docs") && !p.ends_with("SUMMARY.md"));
    assert_eq!(chapters, below.collect());
    // What is outside of `docs` is no part of the book, so it is named and no link leads there.
    for (path, text) in pages().into_iter().filter(|(p, _)| p.starts_with("docs")) {
        let outside = links(&text).into_iter().find(|l| l.starts_with("../"));
        assert_eq!(outside, None, "{}", path.display());
    }
}

#[test]
fn the_cheat_sheet_names_options_that_there_are() {
    let rows = page("docs/options.md");
    let sheet = page("docs/cheat-sheet.md");
    let (named, existing) = (long_options(&sheet), long_options(&rows));
    let unknown: Vec<&String> = named.difference(&existing).collect();
    assert!(named.len() > 15 && unknown.is_empty(), "{unknown:?}");
}

#[test]
fn paths_in_code_exist() {
    const FOLDERS: [&str; 10] = [
        "src/",
        "crates/",
        "tests/",
        "docs/",
        "scripts/",
        "benchmarks/",
        "litmus/",
        "fuzz/",
        "examples/",
        ".github/",
    ];
    let is_path = |c: char| c.is_ascii_alphanumeric() || "_-./+".contains(c);
    let mut missing = Vec::new();
    // A page below `benchmarks` names files of Cubicle's.
    let pages = pages().into_iter();
    for (page, text) in pages.filter(|(p, _)| !p.starts_with("benchmarks")) {
        for code in prose_and_code(&text).1 {
            let path = FOLDERS.iter().any(|f| code.starts_with(f)) && code.chars().all(is_path);
            if path && !support::root().join(&code).exists() {
                missing.push(format!("{}: {code}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "no such path:\n{}", missing.join("\n"));
}

#[test]
fn every_option_has_its_row_and_every_row_its_option() {
    let page = page("docs/options.md");
    let main = help(&[]);
    let subcommands = subcommands(&main);
    assert!(!subcommands.is_empty(), "the help lists no commands");
    let mut helps = vec![main];
    for name in &subcommands {
        assert!(
            page.contains(&format!("wmbmc {name}")),
            "docs/options.md does not name the command `{name}`"
        );
        helps.push(help(&[name]));
    }
    let helps = helps.join("\n");
    assert_eq!(
        long_options(&page),
        long_options(&helps),
        "docs/options.md (left) and --help (right) name other options"
    );
    let code = prose_and_code(&page).1;
    let documented: BTreeSet<char> = code.iter().filter_map(|c| short_option(c)).collect();
    let existing: BTreeSet<char> = helps.lines().filter_map(short_option).collect();
    assert_eq!(
        documented, existing,
        "docs/options.md (left) and --help (right) name other short options"
    );
}

#[test]
fn every_json_field_is_documented() {
    let page = page("docs/json.md");
    let preds = "--predicates=benchmarks/abstraction/peterson.preds";
    let runs: [&[&str]; 10] = [
        &["benchmarks/store_buffer.c", "--mm", "tso"],
        &["tests/c/loops_two.c", "--show-loops"],
        &["litmus/x86/SB.litmus", "--mm", "tso", "--states"],
        &["benchmarks/parameterized/mutex_unsafe.cub", "--mm", "tso"],
        &[
            "benchmarks/x86/dekker_unsafe.asm",
            "--threads",
            "2",
            "--mm",
            "tso",
        ],
        &[
            "abstract",
            "benchmarks/abstraction/peterson.c",
            preds,
            "--mm=tso",
            "-DFENCE_LOOK=0",
        ],
        &["abstract", "benchmarks/abstraction/peterson.c", "--mm=tso"],
        &["abstract", "benchmarks/abstraction/peterson.c", preds],
        &[
            "abstract",
            "benchmarks/abstraction/peterson.c",
            preds,
            "--mm=pso",
            "--infer-fences",
        ],
        &["no_such_file.c"],
    ];
    let mut missing = BTreeSet::new();
    for run in runs {
        let output = wmbmc([run, &["--format", "json"]].concat());
        let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
        assert!(!text.is_empty(), "{run:?} prints nothing");
        for line in text.lines() {
            let object: Value = serde_json::from_str(line).expect("one object per line");
            collect_undocumented(&object, &page, &mut missing);
        }
    }
    assert!(missing.is_empty(), "docs/json.md lacks {missing:?}");
}

/// The fields of an object and of what it holds that a page does not name in code.
fn collect_undocumented(value: &Value, page: &str, missing: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => {
            for v in list {
                collect_undocumented(v, page, missing);
            }
        }
        Value::Object(fields) => {
            for (name, v) in fields {
                let alone = format!("`{name}`");
                let listed = prose_and_code(page).1;
                let listed = listed
                    .iter()
                    .any(|c| c.starts_with('{') && occurrences(c, name).next().is_some());
                if !page.contains(&alone) && !listed {
                    missing.insert(name.clone());
                }
                // Their keys are registers, stages, and axioms.
                if !["state", "seconds", "parts"].contains(&name.as_str()) {
                    collect_undocumented(v, page, missing);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn retired_words_do_not_come_back() {
    let mut found = Vec::new();
    for (path, text) in pages() {
        let (prose, _) = prose_and_code(&text);
        let words: Vec<&str> = prose.split_whitespace().collect();
        let prose = words.join(" ").to_lowercase();
        for (word, instead) in retired_words() {
            for at in occurrences(&prose, word) {
                let from = prose[..at].char_indices().rev().nth(29).map_or(0, |c| c.0);
                let here = &prose[from..at + word.len()];
                found.push(format!("{}: …{here} (say: {instead})", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "retired words:\n{}", found.join("\n"));
}

#[test]
fn the_readme_begins_with_two_commands() {
    let readme = page("README.md");
    for command in [
        "cargo run --release --locked -- benchmarks/store_buffer.c --mm tso",
        "cargo test --release --locked",
    ] {
        assert!(readme.lines().any(|l| l == command), "no line `{command}`");
    }
    assert!(readme.lines().count() <= 150, "the README is short");
}

#[test]
fn texts_are_taken_apart() {
    let text = "# Ab `c`: d\n[x `y`](a.md#b) `src/z` two\nrounds\n```\nround\n```\n";
    assert_eq!(links(text), ["a.md#b"]);
    assert_eq!(prose_and_code(text).1, ["c", "y", "src/z"]);
    assert_eq!(
        anchors(text).into_iter().collect::<Vec<_>>(),
        ["ab-c-d"],
        "GitHub's way to name a heading"
    );
    assert_eq!(normal(Path::new("docs/../src/./mm")), Path::new("src/mm"));
    assert_eq!(occurrences("around a round, rounds", "round").count(), 1);
    let options = long_options("`--a-b N`, --c=1 |---| x--y ---z");
    assert_eq!(options.into_iter().collect::<Vec<_>>(), ["a-b", "c"]);
    assert_eq!(short_option("  -q, --quiet"), Some('q'));
    assert_eq!(short_option("--quiet"), None);
    assert_eq!(subcommands("x\nCommands:\n  a  b\n  help  c\n\n  d"), ["a"]);
}
