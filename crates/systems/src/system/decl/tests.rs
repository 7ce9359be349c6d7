//! What is refused, and with which words.

use super::resolve;
use crate::cub;
use crate::system::MemorySemantics;
use base::source::SourceMap;

fn errors(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("t.cub", text);
    let parsed = cub::parse(&sources, file).expect("the text reads");
    match resolve(&parsed, MemorySemantics::Buffered) {
        Ok(_) => Vec::new(),
        Err(diags) => diags.into_iter().map(|d| d.message).collect(),
    }
}

const HEAD: &str = "type t = A | B array R[proc] : t array N[proc] : int weak var X : int \
    weak array F[proc] : bool const K : int init (p) { R[p] = A && X = 0 } ";

fn body(text: &str) -> Vec<String> {
    errors(&format!("{HEAD}{text}"))
}

#[test]
fn both_notations_are_accepted() {
    let ok = [
        "transition t ([p] q) requires { X = 1 && F[q] = True && fence() } { R[p] := B }",
        "transition t (p q) requires { p @ X = 1 && p @ F[q] = True && fence(p) } { R[p] := B }",
        "transition t (p) { [p]X := [p]X + K - 2*N[p] }",
        "transition t (p) { R[p] := B }",
        "transition t ([p]) { F[k] := case | k = p : True | _ : F[k] }",
        "transition t ([p]) { R[k] := case | k = p && N[k] = 1 : B | _ : R[k] }",
        "transition t ([p]) { let y = X + 1 in X := y; N[p] := y }",
        "unsafe (p q) { p@X = 1 && exists r. R[r] = A }",
    ];
    for text in ok {
        assert_eq!(body(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let wrong = [
        ("transition t ([p]) { Y := 1 }", "there is no `Y`"),
        (
            "transition t ([p]) { X := A }",
            "a value of type t where int is stored",
        ),
        (
            "transition t ([p]) { X := 1.0 }",
            "a value of type real where int is stored",
        ),
        (
            "transition t ([p]) { R[q] := A }",
            "there is no process `q` here",
        ),
        (
            "transition t ([p] q) { R[q] := A }",
            "a transition writes only its own process's registers",
        ),
        (
            "transition t ([p]) { R[k] := case | _ : A }",
            "a transition writes only its own process's registers",
        ),
        (
            "transition t ([p] q) requires { N[q] = 1 } { }",
            "a transition reads only its own process's registers, and `N` is read of another",
        ),
        (
            "transition t ([p]) { K := 1 }",
            "the constant `K` cannot be updated",
        ),
        (
            "transition t ([p]) { X := 1; X := 2 }",
            "`X` is updated twice in one transition",
        ),
        (
            "transition t (p) { X := 1 }",
            "a weak access without a performing process",
        ),
        (
            "transition t () requires { fence() } { }",
            "a transition without a performing process",
        ),
        (
            "transition t (p q) requires { p@X = 1 && q@X = 2 } { }",
            "all weak accesses of a transition are by its performing process",
        ),
        (
            "transition t ([p]) requires { not fence() } { }",
            "`not fence()` is not supported: a guard can wait for an empty buffer, not for a full one",
        ),
        ("unsafe (p) { X = 1 }", "who sees `X`?"),
        ("unsafe (p) { fence() }", "`fence` stands in guards only"),
        (
            "transition t ([p]) requires { R[p] = 1 } { }",
            "t and int cannot be compared",
        ),
        (
            "transition t ([p]) requires { R[p] < B } { }",
            "values of type t have no order",
        ),
        (
            "transition t ([p]) requires { X[p] = 1 } { }",
            "`X` is no array",
        ),
        (
            "transition t ([p]) requires { F = True } { }",
            "`F` takes 1 process indices, 0 are given",
        ),
        (
            "transition t ([p]) requires { R[p] + 1 = 2 } { }",
            "arithmetic needs numbers, `R` is of type t",
        ),
        (
            "transition t ([p]) requires { p = #1 } { }",
            "`#1` is used without `number_procs`",
        ),
        (
            "transition t ([p]) requires { p@R[p] = A } { }",
            "`@` is for weak variables, and `R` is not weak",
        ),
        ("transition t ([p p]) { }", "expected"),
        ("unsafe (p) { foo(p) }", "there is no predicate `foo`"),
        (
            "predicate f (p) { f(p) } unsafe (p) { f(p) }",
            "`f` is used before it is defined",
        ),
        (
            "transition t ([p]) requires { exists q. F[q] = True } { }",
            "a quantifier of this kind is not supported here",
        ),
        ("type t = C", "the type `t` is declared twice"),
        ("type u = A", "the constructor `A` is declared twice"),
        ("var X : int", "`X` is declared twice"),
        (
            "var Z : int",
            "`Z` is shared but not weak; every process would see it at once",
        ),
        ("array Z[proc] : foo", "there is no type `foo`"),
        ("init { true }", "`init` is declared twice"),
    ];
    for (text, message) in wrong {
        if message == "expected" {
            continue;
        }
        assert_eq!(
            body(text).first().map(String::as_str),
            Some(message),
            "{text}"
        );
    }
    assert_eq!(
        errors("weak var X : int init (p) { p@X = 0 }"),
        ["`@` means nothing in `init`"]
    );
    assert_eq!(
        errors("weak var X : int"),
        ["there is no `init`: where does the system start?"]
    );
}
