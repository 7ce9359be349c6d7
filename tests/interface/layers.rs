//! The rules of the house that a reader relies on, read off the code itself: a stage uses only the
//! stages before it, the files of a stage import each other without cycles, paths are written from
//! the root, the map names every module, and no file is longer than one can keep in mind.
//!
//! Sources are parsed with `syn`. A crate of the workspace is a stage like the folders of the main one. An import
//! is every path that names a module of the crate or of another one, in a `use` or anywhere else, tests apart. A re-export by a folder's `mod.rs` is followed to the file
//! that defines the name; handing on names of its own files is no import.

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use support::{crates, root, sources};
use syn::visit::{self, Visit};
use syn::{Item, UseTree, Visibility};

/// The stages, left to right.
const STAGES: [&str; 24] = [
    "base",
    "ir",
    "cat",
    "proof",
    "enumerate",
    "linearizable",
    "modular",
    "smt",
    "systems",
    "front",
    "lower",
    "compile",
    "strengthen",
    "unroll",
    "relations",
    "encode",
    "check",
    "commands",
    "predabs",
    "parameterize",
    "driver",
    "report",
    "cli",
    "main",
];

/// Stands beside the pipeline: it uses the syntax of litmus tests, and only the command line uses it.
const BESIDE: &str = "generate";

/// What it uses.
const BESIDE_USES: [&str; 2] = ["base", "front"];

/// What a stage may use, where that is less than every stage before it; with the reason.
const NARROW: [(&str, &[&str], &str); 10] = [
    (
        "compile",
        &["base", "front", "ir"],
        "a compiled test is text, which the front end reads like any other",
    ),
    (
        "strengthen",
        &["base", "front", "ir"],
        "a test that orders more is text, which the front end reads like any other",
    ),
    (
        "enumerate",
        &["base", "ir", "cat"],
        "the second engine shares nothing with the first but the program and the model",
    ),
    (
        "modular",
        &["base", "ir"],
        "what threads do is read off the program alone, and bounded checking judges it",
    ),
    (
        "systems",
        &["base", "smt"],
        "systems know nothing of C and of event graphs",
    ),
    (
        "commands",
        &["base", "ir", "smt"],
        "commands know nothing of unwinding and of event graphs",
    ),
    (
        "predabs",
        &["base", "ir", "smt", "commands"],
        "abstraction knows nothing of unwinding and of event graphs",
    ),
    (
        "parameterize",
        &["base", "ir", "commands", "systems"],
        "a system is made of commands alone, and bounded checking of the program judges it",
    ),
    (
        "proof",
        &["base", "cat"],
        "whoever checks a proof trusts nothing of what has made it",
    ),
    (
        "smt",
        &["base"],
        "formulas know nothing of programs, and solvers nothing of what clauses mean",
    ),
];

/// A folder that may use one more stage than its own stage may, and of its own stage these folders
/// only; with the reason.
const ASIDE: (&str, &str, [&str; 2], &str) = (
    "systems/instance",
    "ir",
    ["systems/system", "systems/cub"],
    "bounded model checking of instances judges the search, and shares only the typed system and its syntax with it",
);

/// Import cycles that are left, by folder and entries; with the reason.
const CYCLES: &[(&str, &[&str], &str)] = &[];

/// The most cycles that may be listed.
const MOST_CYCLES: usize = 3;

/// Lines of the longest file, its tests apart.
const LONGEST: usize = 800;

/// A path below the main crate's root, or a crate's name and the path below its root.
type ModPath = Vec<String>;

/// A file of a crate.
struct File {
    /// Below the root of all stages, with slashes.
    name: String,
    path: ModPath,
    /// Modules declared in it.
    children: BTreeSet<String>,
    /// Names that it hands on, and what they are.
    handed_on: BTreeMap<String, ModPath>,
    /// What it names in the crate; handing on its own files' names is not counted.
    uses: BTreeSet<ModPath>,
    /// Paths with `super::super`.
    climbs: Vec<String>,
    /// Re-exports, as they are written.
    exports: Vec<ModPath>,
}

/// Reads the imports of one file.
struct Reader {
    /// The crates beside the main one.
    crates: Vec<String>,
    /// The root of the file's own crate.
    root: ModPath,
    at: ModPath,
    file: File,
}

fn is_test(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|a| {
        let text = format!("{:?}", a.meta);
        a.path().is_ident("test") || a.path().is_ident("cfg") && text.contains("test")
    })
}

impl Reader {
    /// A path as written, from the root of all stages; `None` when it leads out of the workspace.
    fn absolute(&self, names: &[String]) -> Option<ModPath> {
        let first = names.first()?;
        let mut base = self.at.clone();
        let rest = match first.as_str() {
            "crate" => {
                base = self.root.clone();
                &names[1..]
            }
            "self" => &names[1..],
            "super" => {
                let up = names.iter().take_while(|n| *n == "super").count();
                base.truncate(self.at.len().checked_sub(up)?);
                &names[up..]
            }
            child if self.at == self.file.path && self.file.children.contains(child) => names,
            name if self.crates.iter().any(|c| c == name) => {
                base.clear();
                names
            }
            _ => return None,
        };
        base.extend(rest.iter().cloned());
        Some(base)
    }

    fn note(&mut self, names: &[String]) {
        if names.len() > 2 && names[0] == "super" && names[1] == "super" {
            self.file.climbs.push(names.join("::"));
        }
        if let Some(path) = self.absolute(names) {
            self.file.uses.insert(path);
        }
    }

    fn tree(&mut self, tree: &UseTree, before: &[String], public: bool) {
        let mut names = before.to_vec();
        match tree {
            UseTree::Path(p) => {
                names.push(p.ident.to_string());
                self.tree(&p.tree, &names, public);
            }
            UseTree::Group(g) => g.items.iter().for_each(|t| self.tree(t, before, public)),
            UseTree::Name(n) => {
                let name = n.ident.to_string();
                if name != "self" {
                    names.push(name.clone());
                }
                self.leaf(&names, &name, public);
            }
            UseTree::Rename(r) => {
                names.push(r.ident.to_string());
                self.leaf(&names, &r.rename.to_string(), public);
            }
            UseTree::Glob(_) => self.leaf(&names, "*", public),
        }
    }

    fn leaf(&mut self, names: &[String], name: &str, public: bool) {
        if let Some(path) = self.absolute(names) {
            // Files below may name what this one imports.
            self.file.handed_on.insert(name.to_string(), path.clone());
            if public {
                self.file.exports.push(path.clone());
                if path.starts_with(&self.file.path) {
                    return;
                }
            }
        }
        self.note(names);
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        let attrs = match item {
            Item::Mod(m) => &m.attrs,
            Item::Fn(f) => &f.attrs,
            Item::Use(u) => &u.attrs,
            Item::Impl(i) => &i.attrs,
            _ => &Vec::new(),
        };
        if !is_test(attrs) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.content.is_some() {
            self.at.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
            self.at.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let public = !matches!(item.vis, Visibility::Inherited);
        self.tree(&item.tree, &[], public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        if names.len() > 1 {
            self.note(&names);
        }
        visit::visit_path(self, path);
    }

    /// `syn` leaves what stands in a macro's brackets as tokens.
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let text = mac.tokens.to_string().replace(" :: ", "::");
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
            let names: Vec<String> = word.split("::").map(str::to_string).collect();
            if names.len() > 1 && !names.iter().any(String::is_empty) {
                self.note(&names);
            }
        }
    }
}

fn read(file: &Path, crates: &[String]) -> File {
    let text = std::fs::read_to_string(file).expect("sources are UTF-8");
    let below = file.strip_prefix(root()).expect("below the root");
    let below = below.with_extension("");
    let names = below.iter().map(|n| n.to_str().expect("names are UTF-8"));
    let names: Vec<String> = names.map(str::to_string).collect();
    let (crate_root, inside) = match &names[..] {
        [folder, name, _, inside @ ..] if folder == "crates" => (vec![name.clone()], inside),
        [_, inside @ ..] => (Vec::new(), inside),
        [] => unreachable!("a file has a name"),
    };
    let mut path: ModPath = [&crate_root[..], inside].concat();
    let name = format!("{}.rs", path.join("/"));
    if path.last().is_some_and(|n| n == "mod" || n == "lib") {
        path.pop();
    }
    let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let children = parsed.items.iter().filter_map(|item| match item {
        Item::Mod(m) if m.content.is_none() => Some(m.ident.to_string()),
        _ => None,
    });
    let mut reader = Reader {
        crates: crates.to_vec(),
        root: crate_root,
        at: path.clone(),
        file: File {
            name,
            path,
            children: children.collect(),
            handed_on: BTreeMap::new(),
            uses: BTreeSet::new(),
            climbs: Vec::new(),
            exports: Vec::new(),
        },
    };
    reader.visit_file(&parsed);
    reader.file
}

/// The crates: their files, and which imports which.
struct House {
    files: Vec<File>,
    by_path: BTreeMap<ModPath, usize>,
}

impl House {
    fn new() -> House {
        let files: Vec<File> = sources()
            .iter()
            .filter(|f| !f.ends_with("tests.rs"))
            .map(|f| read(f, &crates()))
            .collect();
        let by_path = files.iter().enumerate().map(|(i, f)| (f.path.clone(), i));
        House {
            by_path: by_path.collect(),
            files,
        }
    }

    /// The file that defines what a path names.
    fn definition(&self, path: &ModPath) -> Option<usize> {
        let mut path = path.clone();
        for _ in 0..8 {
            let known = (0..=path.len())
                .rev()
                .find(|n| self.by_path.contains_key(&path[..*n]))?;
            let file = self.by_path[&path[..known]];
            let Some(name) = path.get(known) else {
                return Some(file);
            };
            let f = &self.files[file];
            match f.handed_on.get(name) {
                Some(to) => {
                    let rest = path[known + 1..].to_vec();
                    path = to.clone();
                    path.extend(rest);
                }
                None => return Some(file),
            }
        }
        None
    }

    /// The files that a file imports.
    fn imports(&self, file: usize) -> BTreeSet<usize> {
        let uses = self.files[file].uses.iter();
        let mut found: BTreeSet<usize> = uses.filter_map(|p| self.definition(p)).collect();
        found.remove(&file);
        found
    }

    fn stage(&self, file: usize) -> &str {
        self.files[file].path.first().map_or("", String::as_str)
    }

    /// Entries of a folder that import each other in a circle: files, folders, and the folder's own
    /// file as `.`.
    fn cycles(&self) -> Vec<(String, Vec<String>)> {
        let mut edges: BTreeMap<ModPath, BTreeSet<(String, String)>> = BTreeMap::new();
        for (from, file) in self.files.iter().enumerate() {
            for to in self.imports(from) {
                let (a, b) = (&file.path, &self.files[to].path);
                let common = a.iter().zip(b).take_while(|(x, y)| x == y).count();
                if common == 0 {
                    continue;
                }
                let entry = |p: &ModPath| p.get(common).map_or(".", String::as_str).to_string();
                let folder = edges.entry(a[..common].to_vec()).or_default();
                folder.insert((entry(a), entry(b)));
            }
        }
        let mut cycles = Vec::new();
        for (folder, edges) in &edges {
            let edges = edges.iter().map(|(a, b)| (a.as_str(), b.as_str()));
            let graph: DiGraphMap<&str, ()> = DiGraphMap::from_edges(edges);
            for mut circle in tarjan_scc(&graph).into_iter().filter(|c| c.len() > 1) {
                circle.sort_unstable();
                let entries = circle.iter().map(|e| e.to_string()).collect();
                cycles.push((folder.join("/"), entries));
            }
        }
        cycles
    }
}

#[test]
fn a_stage_uses_only_the_stages_before_it() {
    let house = House::new();
    let place = |s: &str| STAGES.iter().position(|t| *t == s);
    let mut wrong = Vec::new();
    for (i, file) in house.files.iter().enumerate() {
        let stage = house.stage(i);
        let aside = file.name.starts_with(ASIDE.0);
        for to in house.imports(i) {
            let used = house.stage(to);
            let name = &house.files[to].name;
            let own =
                name.starts_with(ASIDE.0) || ASIDE.2.iter().any(|shared| name.starts_with(shared));
            if aside && (used == ASIDE.1 || used == stage && own) {
                continue;
            }
            if aside && used == stage {
                wrong.push(format!("{} uses {name}", file.name));
            }
            let narrow = NARROW.iter().find(|(s, ..)| *s == stage);
            let allowed = match (place(stage), place(used)) {
                _ if stage == used || used.is_empty() || stage.is_empty() => true,
                _ if used == BESIDE => stage == "cli",
                _ if stage == BESIDE => BESIDE_USES.contains(&used),
                (Some(a), Some(b)) => {
                    b < a && narrow.is_none_or(|(_, only, _)| only.contains(&used))
                }
                _ => false,
            };
            if !allowed {
                wrong.push(format!("{} uses {}", file.name, house.files[to].name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whoever checks a proof needs no solver, and what is not in the program cannot be wrong in it.
#[test]
fn the_checker_of_proofs_is_made_of_little() {
    let text =
        std::fs::read_to_string(root().join("Cargo.lock")).expect("it is part of the project");
    let packages: BTreeMap<&str, Vec<&str>> = text
        .split("[[package]]")
        .filter_map(|package| {
            let name = package.split("name = \"").nth(1)?.split('"').next()?;
            let listed = package.split("dependencies = [").nth(1).unwrap_or_default();
            let listed = listed.split(']').next().unwrap_or_default().split('"');
            let names = listed.skip(1).step_by(2);
            Some((name, names.filter_map(|n| n.split(' ').next()).collect()))
        })
        .collect();
    let (mut needed, mut work) = (BTreeSet::new(), vec!["wmbmc-proof"]);
    while let Some(name) = work.pop() {
        if needed.insert(name) {
            work.extend(&packages[name]);
        }
    }
    let refused: Vec<_> = ["cadical-sys", "clap", "lang-c", "wmbmc"]
        .into_iter()
        .filter(|name| needed.contains(name))
        .collect();
    assert!(needed.contains("wmbmc-cat") && packages.contains_key("cadical-sys"));
    assert!(refused.is_empty(), "{refused:?}");
}

/// A file that no other one declares is not compiled, and tests in it do not run.
#[test]
fn every_file_is_a_module() {
    let house = House::new();
    let tests = sources().into_iter().filter(|f| f.ends_with("tests.rs"));
    let tests: Vec<File> = tests.map(|f| read(&f, &crates())).collect();
    let mut orphans = Vec::new();
    for file in tests.iter().chain(&house.files) {
        let Some((own, parent)) = file.path.split_last() else {
            continue;
        };
        let is_root = own == "main" || parent.is_empty() && crates().contains(own);
        let declares = |parent: &usize| house.files[*parent].children.contains(own);
        if !is_root && !house.by_path.get(parent).is_some_and(declares) {
            orphans.push(&file.name);
        }
    }
    assert!(orphans.is_empty(), "{orphans:?}");
}

#[test]
fn nothing_is_handed_on_across_stages() {
    let house = House::new();
    let mut wrong = Vec::new();
    for (i, file) in house.files.iter().enumerate() {
        let foreign = |p: &&ModPath| {
            house
                .definition(p)
                .is_some_and(|to| house.stage(to) != house.stage(i))
        };
        // The crate's root is the library's face.
        for path in file
            .exports
            .iter()
            .filter(foreign)
            .filter(|_| !file.path.is_empty())
        {
            wrong.push(format!("{} hands on {}", file.name, path.join("::")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paths_climb_one_step_at_most() {
    let house = House::new();
    let climbs = house
        .files
        .iter()
        .flat_map(|f| f.climbs.iter().map(|c| (&f.name, c)));
    let wrong: Vec<String> = climbs.map(|(f, c)| format!("{f}: {c}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_import_each_other_without_cycles() {
    assert!(CYCLES.len() <= MOST_CYCLES);
    let cycles = House::new().cycles();
    let listed = |folder: &str, entries: &[String]| {
        let mut all = CYCLES.iter();
        all.any(|(f, e, _)| *f == folder && e.iter().eq(entries.iter()))
    };
    let new: Vec<String> = cycles
        .iter()
        .filter(|(folder, entries)| !listed(folder, entries))
        .map(|(folder, entries)| format!("src/{folder}: {}", entries.join(", ")))
        .collect();
    assert!(
        new.is_empty(),
        "cycles that are not listed:\n{}",
        new.join("\n")
    );
    let gone = CYCLES.iter().filter(|(f, e, _)| {
        !cycles
            .iter()
            .any(|(folder, entries)| folder == f && e.iter().eq(entries.iter()))
    });
    let gone: Vec<_> = gone.collect();
    assert!(gone.is_empty(), "listed, but no cycle: {gone:?}");
}

#[test]
fn the_map_names_every_module() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the map exists");
    let house = House::new();
    let library = &house.files[house.by_path[&Vec::new()]];
    assert!(!library.children.is_empty());
    for module in library.children.iter().chain(&crates()) {
        assert!(
            map.contains(&format!("| `{module}` |")),
            "ARCHITECTURE.md has no row for `{module}`"
        );
        assert!(
            STAGES.contains(&module.as_str()) || module == BESIDE,
            "`{module}` has no place among the stages"
        );
    }
    assert!(
        map.contains(&STAGES[..STAGES.len() - 1].join(" → ")),
        "ARCHITECTURE.md states another order of the stages"
    );
}

#[test]
fn no_file_is_too_long() {
    let lines = |f: &PathBuf| {
        let text = std::fs::read_to_string(f).expect("sources are UTF-8");
        text.lines().take_while(|l| *l != "#[cfg(test)]").count()
    };
    let is_test = |f: &PathBuf| {
        f.file_name()
            .is_some_and(|n| n.to_string_lossy().contains("tests"))
    };
    let long: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|f| !is_test(f) && lines(f) > LONGEST)
        .collect();
    assert!(long.is_empty(), "longer than {LONGEST} lines: {long:?}");
}

#[test]
fn imports_are_read() {
    let house = House::new();
    let at = |name: &str| {
        let found = house.files.iter().position(|f| f.name == name);
        found.unwrap_or_else(|| panic!("no file {name}"))
    };
    let imports = |a: &str, b: &str| house.imports(at(a)).contains(&at(b));
    // By `use`, through a re-export, and by a path in a body.
    assert!(imports("smt/sat/cadical.rs", "smt/sat/cnf.rs"));
    assert!(imports("check/bmc.rs", "smt/sat/cadical.rs"));
    assert!(imports("cli/failure.rs", "report/answer.rs"));
    assert!(!imports("base/idx.rs", "base/source.rs"));
}
