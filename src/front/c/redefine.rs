//! Macros of `-D` that a file defines again.
//!
//! A compiler takes the later definition, which is the file's; so a size that is written in the file could
//! not be changed from the command line. Where [`ParseOptions::redefine`] says so, `-D` counts, and the
//! file's definition is left out. Only a plain definition of the file itself is: those of headers, macros
//! with parameters, and what the file undefines stay as they are.

use super::options::ParseOptions;
use super::scan::{CTokenKind, scan};
use std::ops::Range;

/// The definitions of a text that macros of `-D` replace by others, in order.
pub fn replaced(text: &str, options: &ParseOptions) -> Vec<Range<usize>> {
    if !options.redefine {
        return Vec::new();
    }
    // Words and values of the directives: `define`, `N`, `100`.
    let directives = scan(text).into_iter();
    let directives = directives.filter(|t| t.kind == CTokenKind::Directive);
    let directives: Vec<(Range<usize>, Vec<String>)> = directives
        .map(|t| (t.start..t.end, words(t.text(text).trim_start_matches('#'))))
        .collect();
    let is = |words: &[String], kind: &str, name: &str| {
        words.len() > 1 && words[0] == kind && words[1] == name
    };
    let mut found = Vec::new();
    for (i, (range, directive)) in directives.iter().enumerate() {
        let [kind, name, value @ ..] = &directive[..] else {
            continue;
        };
        let typed = options.defines.iter().rev().map(|d| macro_of(d));
        let typed = typed.filter(|(n, _)| *n == name).map(|(_, v)| v).next();
        let has_parameters = text[range.clone()].contains(&format!("{name}("));
        let is_undefined = directives.iter().any(|(_, d)| is(d, "undef", name));
        // A definition that is only made where there is none is not reached.
        let is_default = i > 0 && is(&directives[i - 1].1, "ifndef", name);
        if kind == "define"
            && typed.is_some_and(|v| words(v) != value)
            && !has_parameters
            && !is_undefined
            && !is_default
        {
            found.push(range.clone());
        }
    }
    found
}

/// Of `NAME=VALUE` or `NAME` the name and the value.
pub(super) fn macro_of(define: &str) -> (&str, &str) {
    define.split_once('=').unwrap_or((define, "1"))
}

fn words(text: &str) -> Vec<String> {
    let tokens = scan(text).into_iter();
    let tokens = tokens.filter(|t| t.kind != CTokenKind::Comment);
    tokens.map(|t| t.text(text).to_string()).collect()
}

/// A text with blanks instead of some parts: everything else stays where it is.
pub fn blanked(text: &str, parts: &[Range<usize>]) -> String {
    let inside = |at: usize| parts.iter().any(|p| p.contains(&at));
    let blank = |(at, c): (usize, char)| match inside(at) && c != '\n' {
        true => " ".repeat(c.len_utf8()),
        false => c.to_string(),
    };
    text.char_indices().map(blank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str, defines: &[&str]) -> Vec<String> {
        let options = ParseOptions {
            defines: defines.iter().map(|d| d.to_string()).collect(),
            redefine: true,
            ..ParseOptions::default()
        };
        let found = replaced(text, &options);
        found.into_iter().map(|r| text[r].to_string()).collect()
    }

    #[test]
    fn plain_definitions_are_replaced() {
        let text = "#define N 100 // items\n# define M (N * 2)\nint a[N];\n";
        assert_eq!(left(text, &["N=3"]), ["#define N 100 // items"]);
        assert_eq!(left(text, &["M=1", "N=3"]).len(), 2);
        assert!(left(text, &["N=100", "M=(N*2)", "K"]).is_empty());
    }

    #[test]
    fn others_stay() {
        let guarded = "#ifndef N\n#define N 100\n#endif\n";
        assert!(left(guarded, &["N=3"]).is_empty());
        let undefined = "#undef N\n#define N 100\n";
        assert!(left(undefined, &["N=3"]).is_empty());
        assert!(left("#define N(x) x\n", &["N=3"]).is_empty());
    }

    #[test]
    fn lines_and_columns_stay() {
        let text = "/* ä */ int x;\n#define N 1 + \\\n  2\nint y;\n";
        let start = text.find('#').expect("a directive");
        let end = text.find("\nint y").expect("a line behind it");
        let part = start..end;
        let blank = blanked(text, std::slice::from_ref(&part));
        assert_eq!(blank.len(), text.len());
        assert_eq!(blank.lines().count(), 4);
        assert!(blank.starts_with("/* ä */ int x;\n   ") && blank.ends_with("\nint y;\n"));
    }
}
