//! The generator against the tests that others generated, and against the project's own folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use support::wmbmc;
use wmbmc::generate;
use wmbmc::generate::arch::{Arch, ppc::Ppc, x86::X86};
use wmbmc::generate::parse;

fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files = BTreeMap::new();
    for entry in entries {
        let path = entry.expect("the folder is readable").path();
        let name = path.file_name().expect("a file").to_string_lossy();
        // A few tests of the literature are not in UTF-8.
        let bytes = std::fs::read(&path).expect("the file is readable");
        files.insert(
            name.to_string(),
            String::from_utf8_lossy(&bytes).to_string(),
        );
    }
    files
}

#[test]
fn the_folder_is_what_the_generator_writes() {
    for arch in ["x86", "ppc"] {
        let written = tempfile::tempdir().expect("a temporary folder");
        let out = written.path().to_str().expect("UTF-8");
        let output = wmbmc([
            "generate", "--arch", arch, "--suite", "classic", "--out", out,
        ]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let kept = files(&support::root().join("litmus").join(arch));
        let fresh = files(written.path());
        assert_eq!(
            kept.keys().collect::<Vec<_>>(),
            fresh.keys().collect::<Vec<_>>(),
            "regenerate litmus/{arch}"
        );
        for (name, text) in fresh {
            assert_eq!(kept[&name], text, "regenerate litmus/{arch}/{name}");
        }
    }
}

#[test]
fn errors_name_the_edge() {
    let output = wmbmc(["generate", "--arch", "ppc", "Podrw Rfe"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        error,
        "error: unknown edge `Podrw`; did you mean `PodRW`?\n"
    );
    let output = wmbmc(["generate", "--arch", "ppc", "PodRW Rfe"]);
    assert_eq!(output.status.code(), Some(1));
    let output = wmbmc(["generate", "--arch", "ppc"]);
    assert_eq!(output.status.code(), Some(1));
}

/// A test that names its cycle.
struct Published {
    file: PathBuf,
    name: String,
    cycle: String,
    /// What it says, see [`meaning`].
    meaning: Option<String>,
}

fn published(folder: &Path) -> Vec<Published> {
    files(folder)
        .into_iter()
        .filter_map(|(file, text)| {
            let line = |key: &str| text.lines().find_map(|l| l.strip_prefix(key));
            let cycle = line("Orig=").or_else(|| line("Cycle="))?;
            Some(Published {
                file: folder.join(&file),
                name: file.trim_end_matches(".litmus").to_string(),
                cycle: cycle.to_string(),
                meaning: meaning(&text),
            })
        })
        .collect()
}

/// A test without layout, names of locations and the number of its first thread: threads with
/// locations in the place of the registers that hold their addresses, then the conjuncts of the
/// condition. `None` unless the condition is a conjunction that may hold.
fn meaning(text: &str) -> Option<String> {
    let (head, body) = text.split_once("}\n")?;
    let (program, condition) = body.split_once("exists")?;
    if program.trim_end().ends_with('~') {
        return None;
    }
    let condition = condition.split("(*").next()?;
    let condition = condition.replace(['(', ')', '\n', ' '], "");
    let threads = columns(program, &addresses(head));
    let atoms: Vec<&str> = condition.split("/\\").collect();
    (0..threads.len())
        .map(|first| rotated(&threads, &atoms, first))
        .min()
}

/// `0:r2=x;` of the initial state as `0:r2` and `[x]`.
fn addresses(head: &str) -> BTreeMap<String, String> {
    let state = head.split_once('{').map_or("", |(_, state)| state);
    state
        .split(';')
        .filter_map(|binding| binding.trim().split_once('='))
        .map(|(register, location)| (register.to_string(), format!("[{location}]")))
        .collect()
}

/// The instructions of each thread, locations as `[x]`, labels without numbers.
fn columns(program: &str, addresses: &BTreeMap<String, String>) -> Vec<Vec<String>> {
    let mut threads: Vec<Vec<String>> = Vec::new();
    let rows = program.lines().filter(|l| l.trim_end().ends_with(';'));
    for row in rows.skip(1) {
        for (i, cell) in row.trim_end().trim_end_matches(';').split('|').enumerate() {
            if threads.len() <= i {
                threads.push(Vec::new());
            }
            let words: Vec<&str> = cell.split_whitespace().collect();
            if words.is_empty() {
                continue;
            }
            let mut line = String::new();
            for token in words.join(" ").split_inclusive([' ', ',', '(', ')', ':']) {
                let name = token.trim_end_matches([' ', ',', '(', ')', ':']);
                match addresses.get(&format!("{i}:{name}")) {
                    Some(location) => line.push_str(&token.replace(name, location)),
                    None if name.starts_with("LC") => line.push_str("LC"),
                    None => line.push_str(token),
                }
            }
            threads[i].push(line);
        }
    }
    threads
}

/// The meaning, told from a thread on; locations are named as they come up.
fn rotated(threads: &[Vec<String>], atoms: &[&str], first: usize) -> String {
    let count = threads.len();
    let mut text: String = (0..count)
        .map(|i| threads[(first + i) % count].join("; ") + " | ")
        .collect();
    let mut atoms: Vec<String> = atoms
        .iter()
        .filter_map(|atom| match atom.split_once(':') {
            Some((thread, rest)) => {
                let thread: usize = thread.parse().ok()?;
                Some(format!("{}:{rest}", (thread + count - first) % count))
            }
            None => final_value(threads, atom),
        })
        .collect();
    let mut names = BTreeMap::new();
    for (at, _) in text.match_indices('[') {
        let name = text[at..].split_inclusive(']').next().unwrap_or_default();
        let fresh = format!("[L{}]", names.len());
        names.entry(name.to_string()).or_insert(fresh);
    }
    for (name, fresh) in &names {
        text = text.replace(name, fresh);
        for atom in &mut atoms {
            *atom = atom.replace(name, fresh);
        }
    }
    atoms.sort_unstable();
    text + &atoms.join(" ")
}

/// `x=2` as `[x]=2`, unless the only write to `x` leaves no other value.
fn final_value(threads: &[Vec<String>], atom: &str) -> Option<String> {
    let (location, value) = atom.split_once('=')?;
    let location = format!("[{location}]");
    let is_write = |l: &&String| ["MOV [", "XCHG [", "stw"].iter().any(|w| l.starts_with(w));
    let writes = threads.iter().flatten().filter(is_write);
    (writes.filter(|l| l.contains(&location)).count() > 1).then(|| format!("{location}={value}"))
}

/// Of names after a family how many come out the same, and of tests how many mean the same.
fn agreement(arch: &dyn Arch, folder: &Path) -> [usize; 4] {
    let [mut names, mut same_names, mut tests, mut same_tests] = [0; 4];
    for published in published(folder) {
        if parse::cycle(arch, &published.cycle).is_err() {
            continue;
        }
        let numbered = published.name.ends_with(|c: char| c.is_ascii_digit());
        let Ok(test) = generate::one(arch, &published.cycle) else {
            continue;
        };
        let expected = published.name.replace("wsi", "coi");
        if published.name.contains('+') && !numbered {
            names += 1;
            same_names += usize::from(test.name == expected);
            if test.name != expected {
                println!("{}: {} is called {}", arch.name(), expected, test.name);
            }
        }
        if let Some(meaning) = published.meaning {
            tests += 1;
            let same = self::meaning(&test.text()).as_ref() == Some(&meaning);
            same_tests += usize::from(same);
            if !same {
                println!("{} differs:\n{}", published.file.display(), test.text());
            }
        }
    }
    [names, same_names, tests, same_tests]
}

/// Published tests come from many versions of `diy`, and some from other tools. They differ in the
/// order of fences in names, and show more or fewer values that nothing could change.
#[test]
fn names_and_programs_are_those_of_published_tests() {
    let data = support::data().join("litmus");
    if !data.is_dir() {
        support::skipped(support::Missing::Data("litmus"));
        return;
    }
    let folders: [(&dyn Arch, &str); 3] = [(&X86, "x86"), (&Ppc, "ppc"), (&Ppc, "ppc-campaign")];
    let mut poor = Vec::new();
    for (arch, folder) in folders {
        let [names, same_names, tests, same_tests] = agreement(arch, &data.join(folder));
        let line =
            format!("{folder}: {same_names} of {names} names, {same_tests} of {tests} tests");
        println!("{line}");
        if 10 * same_names < 9 * names || 5 * same_tests < 4 * tests {
            poor.push(line);
        }
    }
    assert!(poor.is_empty(), "too many differ: {poor:?}");
}
