//! Names of the system: those of the program, as far as the language of systems has them.

use std::collections::BTreeSet;

/// Names that are taken.
pub struct Names {
    taken: BTreeSet<String>,
}

/// What has a meaning of its own.
const RESERVED: [&str; 2] = ["True", "False"];

impl Names {
    /// Those of the language.
    pub fn new() -> Names {
        Names {
            taken: RESERVED.map(str::to_string).into(),
        }
    }

    /// A name that begins with a capital letter, which nothing else has.
    pub fn capital(&mut self, name: &str) -> String {
        let mut chars = words(name).chars().collect::<Vec<_>>();
        match chars.first_mut() {
            Some(c) if c.is_ascii_alphabetic() => c.make_ascii_uppercase(),
            _ => chars.insert(0, 'V'),
        }
        self.fresh(chars.into_iter().collect())
    }

    /// A name that begins with a small letter, which nothing else has.
    pub fn small(&mut self, name: &str) -> String {
        let mut chars = words(name).chars().collect::<Vec<_>>();
        match chars.first_mut() {
            Some(c) if c.is_ascii_alphabetic() => c.make_ascii_lowercase(),
            _ => chars.insert(0, 'v'),
        }
        self.fresh(chars.into_iter().collect())
    }

    fn fresh(&mut self, name: String) -> String {
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let free = names.find(|n| !self.taken.contains(n));
        let free = free.unwrap_or(name);
        self.taken.insert(free.clone());
        free
    }
}

/// Letters, digits and underscores.
fn words(name: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let text: String = name.chars().map(word).collect();
    let parts = text.split('_').filter(|p| !p.is_empty());
    parts.collect::<Vec<_>>().join("_")
}
