//! What reads, and what is said of what does not.

use super::parse;
use base::source::SourceMap;

fn errors(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("t.cub", text);
    match parse(&sources, file) {
        Ok(_) => Vec::new(),
        Err(diags) => diags.into_iter().map(|d| d.message).collect(),
    }
}

#[test]
fn minus_is_an_operator() {
    let text = "weak var X : int init () { X = -1 } unsafe (p) { p@X-1 = 3 || p@X -1 = 2*Y }";
    assert_eq!(errors(text), Vec::<String>::new());
}

#[test]
fn the_next_declaration_is_read_after_an_error() {
    let text = "var : int\ninit { X = }\ntransition t (p) { X := 1 }\nunsafe { X ! 1 }";
    assert_eq!(
        errors(text),
        [
            "`!` is no part of the language",
            "expected a name that begins with a capital, found `:`",
            "expected a term, found `}`",
            "expected a comparison, found `1`",
        ]
    );
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let text = format!("init {{ {} true }}", "(".repeat(100_000));
    assert_eq!(errors(&text), ["nested more than 200 levels deep"]);
    let text = format!("init {{ {} true }}", "not ".repeat(100_000));
    assert_eq!(errors(&text), ["nested more than 200 levels deep"]);
}

#[test]
fn comments_nest_and_must_end() {
    assert!(errors("(* a (* b *) c *)").is_empty());
    assert_eq!(errors("(* a (* b *)"), ["this comment is never closed"]);
}
