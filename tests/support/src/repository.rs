//! Where things are: the repository, its sources, and the data beside it.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .nth(2)
        .expect("this crate is tests/support")
}

/// The files of a folder of the repository that have this extension, sorted.
pub fn files(folder: impl AsRef<Path>, extension: &str) -> Vec<PathBuf> {
    let folder = root().join(folder);
    let entries = std::fs::read_dir(&folder);
    let entries = entries.unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|e| e.expect("the folder is readable").path());
    let mut files: Vec<PathBuf> = paths
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    files
}

/// What users compile with their programs: no part of the program under test.
const OF_USERS: &str = "wmbmc-std";

/// The crates that the main one is made of, sorted.
pub fn crates() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("crates")).expect("it is readable");
    let names = entries.map(|e| e.expect("it is readable").file_name());
    let mut names: Vec<String> = names.map(|n| n.to_string_lossy().into_owned()).collect();
    names.retain(|name| name != OF_USERS);
    names.sort();
    names
}

/// The files below a folder that have one of these extensions, sorted.
pub fn files_below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder);
        for entry in entries.unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("the folder is readable").path();
            let has = |extension: &&str| path.extension().is_some_and(|e| e == *extension);
            if path.is_dir() {
                folders.push(path);
            } else if extensions.iter().any(has) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The sources of the crates, sorted.
pub fn sources() -> Vec<PathBuf> {
    let own = |name: &String| root().join("crates").join(name).join("src");
    let folders = crates()
        .iter()
        .map(own)
        .chain([root().join("src")])
        .collect::<Vec<_>>();
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|f| files_below(f, &["rs"]))
        .collect();
    files.sort();
    files
}

/// The data beside the repository: programs and verdicts of others.
pub fn data() -> PathBuf {
    root().join("../shared/data")
}
