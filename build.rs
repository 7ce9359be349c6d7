//! The commit that `wmbmc --version` prints: what the variable `WMBMC_COMMIT` says, or, in a published
//! crate, what cargo has noted in it. Of a working tree it is not looked up: that would compile
//! everything again after every commit, and the tree may have changes.

use std::path::Path;

const NOTED: &str = ".cargo_vcs_info.json";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=WMBMC_COMMIT");
    if !Path::new(NOTED).exists() || std::env::var_os("WMBMC_COMMIT").is_some() {
        return;
    }
    println!("cargo:rerun-if-changed={NOTED}");
    // `{"git": {"sha1": "…"}, …}`, and `"dirty": true` where the tree had changes.
    let noted = std::fs::read_to_string(NOTED).unwrap_or_default();
    let sha1 = noted
        .split("\"sha1\"")
        .nth(1)
        .and_then(|rest| rest.split('"').nth(1));
    if let Some(sha1) = sha1 {
        let dirty = if noted.contains("\"dirty\": true") {
            ", with changes"
        } else {
            ""
        };
        println!("cargo:rustc-env=WMBMC_COMMIT={sha1}{dirty}");
    }
}
