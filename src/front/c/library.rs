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

const ADDRESSES: &str = include_str!("library_addresses.c");

/// What the names of these functions begin with in the tree, so that they clash with nothing.
pub const PREFIX: &str = "__wmbmc_";
/// What the names of those begin with whose addresses are taken.
pub const ADDRESS_PREFIX: &str = "__wmbmc_address_";

/// A text with functions of the library, which a program gets as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Functions,
    Math,
    AtExit,
    Printing,
    /// It calls the functions of [`Part::Printing`].
    PrintingLists,
    Robust,
    Signals,
    Lines,
}

impl Part {
    const ALL: [Part; 8] = [
        Part::Functions,
        Part::Math,
        Part::AtExit,
        Part::Printing,
        Part::PrintingLists,
        Part::Robust,
        Part::Signals,
        Part::Lines,
    ];

    /// The name of the text, and the text.
    fn source(self) -> (&'static str, &'static str) {
        match self {
            Part::Functions => ("<library>", include_str!("library.c")),
            Part::Math => ("<library mathematics>", include_str!("library_math.c")),
            Part::AtExit => ("<library at exit>", include_str!("library_at_exit.c")),
            Part::Printing => ("<library printing>", include_str!("library_print.c")),
            Part::PrintingLists => (
                "<library printing of lists>",
                include_str!("library_print_list.c"),
            ),
            Part::Robust => ("<library robust mutexes>", include_str!("library_robust.c")),
            Part::Signals => ("<library signals>", include_str!("library_signals.c")),
            Part::Lines => ("<library lines>", include_str!("library_lines.c")),
        }
    }

    /// A program with this text needs it.
    fn is_wanted(self, text: &Mentioned) -> bool {
        let calls = |names: &[&str]| {
            let is_called = |name: &str| text.called.contains(name);
            let builtin = |name: &str| is_called(&format!("__builtin_{name}"));
            names.iter().any(|name| is_called(name) || builtin(name))
        };
        match self {
            Part::Functions => {
                let (given, _) = mentioned(self.source().1);
                let mut names = text.calls.union(&text.others);
                let calls_system =
                    text.calls.contains("syscall") || text.all.contains("\"syscall\"");
                calls_system || names.any(|name| given.contains(name))
            }
            Part::Math => calls(&[
                "fmod",
                "fmodf",
                "remainder",
                "ldexp",
                "scalbn",
                "frexp",
                "modf",
                "pow",
            ]),
            Part::AtExit => text.called.contains("atexit"),
            Part::Printing => {
                calls(&["sprintf", "snprintf"]) || Part::PrintingLists.is_wanted(text)
            }
            Part::PrintingLists => calls(&["vsprintf", "vsnprintf", "vasprintf", "asprintf"]),
            Part::Robust => text.calls.contains("pthread_mutexattr_setrobust"),
            Part::Signals => calls(&["pthread_kill"]),
            Part::Lines => calls(&["getline"]),
        }
    }
}

/// The names in a text.
struct Mentioned<'a> {
    all: &'a str,
    /// Those of functions that are called or declared.
    calls: BTreeSet<&'a str>,
    /// Those of functions that are called.
    called: BTreeSet<&'a str>,
    /// Those without an opening parenthesis behind them.
    others: BTreeSet<&'a str>,
}

/// What a program needs of the library that is given in C.
#[derive(Debug, Default)]
pub struct Wanted {
    parts: BTreeSet<Part>,
    /// Functions whose addresses are taken.
    addresses: BTreeSet<String>,
}

/// What a text needs.
pub fn wanted(text: &str) -> Wanted {
    let called = called(text);
    let (calls, others) = mentioned(text);
    let names = Mentioned {
        all: text,
        calls,
        called,
        others,
    };
    let (known, _) = mentioned(ADDRESSES);
    let addresses = known.intersection(&names.others);
    Wanted {
        parts: Part::ALL
            .into_iter()
            .filter(|p| p.is_wanted(&names))
            .collect(),
        addresses: addresses.map(|n| n.to_string()).collect(),
    }
}

/// Names before an opening parenthesis that are those of calls: no word stands before them, as the type does in
/// a declaration, but one that begins a statement or an operator.
fn called(text: &str) -> BTreeSet<&str> {
    const BEFORE_CALLS: [&str; 6] = [
        "return",
        "else",
        "do",
        "sizeof",
        "_Alignof",
        "__extension__",
    ];
    let tokens = scan(text);
    let calls = tokens.windows(3).filter(|t| {
        let is_call = t[1].kind == CTokenKind::Word && t[2].kind == CTokenKind::Punct(b'(');
        let is_declared = t[0].kind == CTokenKind::Word && !BEFORE_CALLS.contains(&t[0].text(text));
        is_call && !is_declared
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
    let parts = wanted.parts.iter().map(|part| part.source());
    let addresses = ("<library addresses>", ADDRESSES);
    let addresses = (!wanted.addresses.is_empty()).then_some(addresses);
    for (name, text) in parts.chain(addresses) {
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
    use super::{Part, wanted};

    #[test]
    fn only_programs_with_strings_get_it() {
        let has = |text: &str, part| wanted(text).parts.contains(&part);
        assert!(has("int main() { return strlen(x); }", Part::Functions));
        assert!(!has("int main() { return strength(x); }", Part::Functions));
        let declared =
            "double pow(double x, double y); int atexit(void (*f)(void)); int vsprintf();";
        for part in [Part::Math, Part::AtExit, Part::PrintingLists] {
            assert!(!has(declared, part), "{part:?}");
        }
        // A program gets functions by what it calls, not by the headers that it includes.
        let headers = [
            include_str!("headers/stdio.h"),
            include_str!("headers/stdlib.h"),
            include_str!("headers/math.h"),
            include_str!("headers/signal.h"),
        ];
        let by_declarations = [Part::Functions, Part::Robust];
        for part in Part::ALL
            .into_iter()
            .filter(|p| !by_declarations.contains(p))
        {
            assert!(!headers.iter().any(|text| has(text, part)), "{part:?}");
        }
        assert!(has(
            "long f(void) { return getline(a, b, c); }",
            Part::Lines
        ));
        let called = "double f(double x) { return 2 * pow(x, 3); }";
        assert!(has(called, Part::Math) && !has(called, Part::AtExit));
        let printed = "int f(char *x) { return vsprintf(x, y, z); }";
        assert!(has(printed, Part::Printing) && has(printed, Part::PrintingLists));
        let address = wanted("void (*release)(void *) = free; int main() { }");
        assert!(address.addresses.contains("free"));
        assert!(wanted("int main() { free(p); }").addresses.is_empty());
    }
}
