//! Tests that need what is not everywhere.

use crate::data;

/// What a test may lack.
#[derive(Clone, Copy, Debug)]
pub enum Missing<'a> {
    /// A folder or file of the data beside the repository.
    Data(&'a str),
    /// A program that `.ci/run` installs.
    Tool(&'a str),
    /// Something that is not installed for the tests.
    Extra(&'a str),
}

/// Says that nothing is tested here, and why. In CI (`CI=true`) that is a failure where it need not
/// be so: the data are there but for this, or the tool should have been installed and
/// `WMBMC_WITHOUT`, a list with commas, does not name it.
pub fn skipped(missing: Missing) {
    let set = |name: &str| std::env::var(name).unwrap_or_default();
    let (what, excused) = match missing {
        Missing::Data(name) => (format!("../shared/data/{name}"), !data().is_dir()),
        Missing::Tool(name) => {
            let excused = set("WMBMC_WITHOUT").split(',').any(|n| n == name);
            (name.to_string(), excused)
        }
        Missing::Extra(name) => (name.to_string(), true),
    };
    println!("skipped: {what} is missing");
    assert!(
        excused || set("CI") != "true",
        "{what} is missing, and CI skips nothing"
    );
}
