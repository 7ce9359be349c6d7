//! Library functions that are given in C: the text, and adding it to a program.
//!
//! Everything else of the library is known to the lowering. These are loops over characters, which
//! C says best. A function that the program defines itself stays its own.

use super::ast::{Item, TranslationUnit};
use super::position::Positions;
use super::preprocess::Preprocessed;
use super::scan::{CTokenKind, Token, scan};
use super::syntax;
use base::diag::Diag;
use base::source::SourceMap;
use std::collections::BTreeSet;

const TEXT: &str = include_str!("library.c");
const MATH: &str = include_str!("library_math.c");
const AT_EXIT: &str = include_str!("library_at_exit.c");
const PRINTING: &str = include_str!("library_print.c");
const ROBUST: &str = include_str!("library_robust.c");
const ADDRESSES: &str = include_str!("library_addresses.c");

/// What the names of these functions begin with in the tree, so that they clash with nothing.
pub const PREFIX: &str = "__wmbmc_";
/// What the names of those begin with whose addresses are taken.
pub const ADDRESS_PREFIX: &str = "__wmbmc_address_";

/// What prints into memory.
const PRINTERS: [&str; 4] = [
    "sprintf",
    "snprintf",
    "__builtin_sprintf",
    "__builtin_snprintf",
];

/// What a program needs of the library that is given in C.
#[derive(Debug, Default)]
pub struct Wanted {
    /// The functions of `library.c`.
    functions: bool,
    /// The functions of `library_math.c`.
    math: bool,
    /// The functions of `library_at_exit.c`.
    at_exit: bool,
    /// The functions of `library_print.c`.
    printing: bool,
    /// The functions of `library_robust.c`.
    robust: bool,
    /// Functions whose addresses are taken.
    addresses: BTreeSet<String>,
}

/// What a text needs.
pub fn wanted(text: &str) -> Wanted {
    let (calls, addresses) = mentioned(text);
    let called = called(text);
    let (given, _) = mentioned(TEXT);
    let math = [
        "fmod",
        "fmodf",
        "remainder",
        "ldexp",
        "scalbn",
        "frexp",
        "modf",
        "pow",
    ];
    let math = math.map(|name| [name.to_string(), format!("__builtin_{name}")]);
    let (known, _) = mentioned(ADDRESSES);
    Wanted {
        functions: calls.union(&addresses).any(|name| given.contains(name))
            || calls.contains("syscall"),
        math: math
            .iter()
            .flatten()
            .any(|name| called.contains(name.as_str())),
        at_exit: called.contains("atexit"),
        printing: PRINTERS.iter().any(|name| calls.contains(name)),
        robust: calls.contains("pthread_mutexattr_setrobust"),
        addresses: known
            .intersection(&addresses)
            .map(|n| n.to_string())
            .collect(),
    }
}

/// Names before an opening parenthesis that no type stands before: those of calls, not of declarations.
fn called(text: &str) -> BTreeSet<&str> {
    const TYPES: [&str; 3] = ["double", "float", "int"];
    let tokens = scan(text);
    let calls = tokens.windows(3).filter(|t| {
        let is_call = t[1].kind == CTokenKind::Word && t[2].kind == CTokenKind::Punct(b'(');
        is_call && !TYPES.contains(&t[0].text(text))
    });
    calls.map(|t| t[1].text(text)).collect()
}

/// Names before an opening parenthesis, and all others.
fn mentioned(text: &str) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let tokens = scan(text);
    let is_name = |t: &Token| t.kind == CTokenKind::Word && !syntax::is_keyword(t.text(text));
    let words = tokens.windows(2).filter(|t| is_name(&t[0]));
    let (calls, others): (Vec<_>, Vec<_>) =
        words.partition(|t| t[1].kind == CTokenKind::Punct(b'('));
    let names = |found: Vec<&[Token]>| found.iter().map(|t| t[0].text(text)).collect();
    (names(calls), names(others))
}

/// Adds what is wanted, with [`PREFIX`] or [`ADDRESS_PREFIX`].
///
/// # Errors
/// None, unless the parser's thread cannot be started.
pub fn add(
    wanted: &Wanted,
    unit: &mut TranslationUnit,
    sources: &mut SourceMap,
    pointer_width: u8,
) -> Result<(), Vec<Diag>> {
    let texts = [
        (wanted.functions, "<library>", TEXT),
        (wanted.math, "<library mathematics>", MATH),
        (wanted.at_exit, "<library at exit>", AT_EXIT),
        (wanted.printing, "<library printing>", PRINTING),
        (wanted.robust, "<library robust mutexes>", ROBUST),
        (
            !wanted.addresses.is_empty(),
            "<library addresses>",
            ADDRESSES,
        ),
    ];
    for (_, name, text) in texts.into_iter().filter(|(needed, ..)| *needed) {
        let preprocessed = Preprocessed {
            text: text.to_string(),
            positions: Positions::Direct(sources.add(name, text)),
            kept: Vec::new(),
        };
        let library = syntax::parse(sources, preprocessed, pointer_width)?;
        for mut item in library.items {
            if let Item::Function(f) = &mut item {
                let address = text == ADDRESSES;
                if address && !wanted.addresses.contains(&f.name.name) {
                    continue;
                }
                let prefix = if address { ADDRESS_PREFIX } else { PREFIX };
                f.name.name.insert_str(0, prefix);
            }
            unit.items.push(item);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::wanted;

    #[test]
    fn only_programs_with_strings_get_it() {
        assert!(wanted("int main() { return strlen(x); }").functions);
        assert!(!wanted("int main() { return strength(x); }").functions);
        let declared = "double pow(double x, double y); int atexit(void (*f)(void));";
        assert!(!wanted(declared).math && !wanted(declared).at_exit);
        let called = wanted("double f(double x) { return 2 * pow(x, 3); }");
        assert!(called.math && !called.at_exit);
        let address = wanted("void (*release)(void *) = free; int main() { }");
        assert!(address.addresses.contains("free"));
        assert!(wanted("int main() { free(p); }").addresses.is_empty());
    }
}
