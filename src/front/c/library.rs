//! Library functions that are given in C: the text, and adding it to a program.
//!
//! Everything else of the library is known to the lowering. These are loops over characters, which
//! C says best. A function that the program defines itself stays its own.

use super::ast::{Item, TranslationUnit};
use super::position::Positions;
use super::preprocess::Preprocessed;
use super::scan::{CTokenKind, scan};
use super::syntax;
use crate::base::diag::Diag;
use crate::base::source::SourceMap;
use std::collections::BTreeSet;

const TEXT: &str = include_str!("library.c");

/// What the names of these functions begin with in the tree, so that they clash with nothing.
pub const PREFIX: &str = "__wmbmc_";

/// True when a text calls a function that is given here.
pub fn is_wanted(text: &str) -> bool {
    let given: BTreeSet<&str> = called(TEXT);
    called(text).iter().any(|name| given.contains(name))
}

/// Names before an opening parenthesis.
fn called(text: &str) -> BTreeSet<&str> {
    let tokens = scan(text);
    let pairs = tokens.windows(2);
    let calls =
        pairs.filter(|t| t[0].kind == CTokenKind::Word && t[1].kind == CTokenKind::Punct(b'('));
    calls.map(|t| t[0].text(text)).collect()
}

/// Adds the functions, with [`PREFIX`].
///
/// # Errors
/// None, unless the parser's thread cannot be started.
pub fn add(
    unit: &mut TranslationUnit,
    sources: &mut SourceMap,
    pointer_width: u8,
) -> Result<(), Vec<Diag>> {
    let preprocessed = Preprocessed {
        text: TEXT.to_string(),
        positions: Positions::Direct(sources.add("<library>", TEXT)),
    };
    let library = syntax::parse(sources, preprocessed, pointer_width)?;
    for mut item in library.items {
        if let Item::Function(f) = &mut item {
            f.name.name.insert_str(0, PREFIX);
        }
        unit.items.push(item);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::is_wanted;

    #[test]
    fn only_programs_with_strings_get_it() {
        assert!(is_wanted("int main() { return strlen(x); }"));
        assert!(!is_wanted("int main() { return strength(x); }"));
    }
}
