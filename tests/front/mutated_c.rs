//! Broken C: programs with tokens removed, doubled, exchanged or replaced, and soups of tokens. The
//! front end and the lowering have to refuse them or to make a valid program of them; they never
//! panic. More of them: `WMBMC_MUTATIONS=100000 cargo test --release --test front mutated_c::`.

use proptest::prelude::*;
use std::sync::OnceLock;
use support::random::properties;
use wmbmc::base::source::SourceMap;
use wmbmc::front::c::scan::{CTokenKind, scan};
use wmbmc::front::c::{ParseOptions, parse_text, preprocess::preprocess};
use wmbmc::ir::program::DataModel;
use wmbmc::ir::validate;
use wmbmc::lower::c::lower;

/// Tokens that mutations put in.
const SOUP: &[&str] = &[
    "int",
    "unsigned",
    "long",
    "char",
    "short",
    "void",
    "_Bool",
    "double",
    "float",
    "struct",
    "union",
    "enum",
    "s",
    "t",
    "f",
    "x",
    "y",
    "p",
    "main",
    "typedef",
    "static",
    "extern",
    "const",
    "volatile",
    "_Atomic",
    "_Thread_local",
    "inline",
    "if",
    "else",
    "while",
    "for",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "goto",
    "sizeof",
    "_Alignof",
    "_Generic",
    "typeof",
    "__auto_type",
    "_Static_assert",
    "__int128",
    "asm",
    "volatile",
    "__attribute__",
    "((packed))",
    "pthread_create",
    "pthread_mutex_lock",
    "__atomic_fetch_add",
    "__sync_synchronize",
    "malloc",
    "memcpy",
    "memset",
    "strcmp",
    "realloc",
    "assert",
    "__VERIFIER_nondet_int",
    "__builtin_clz",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ":",
    "?",
    "=",
    "+=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "&&",
    "|",
    "||",
    "^",
    "~",
    "!",
    "<",
    ">",
    "<=",
    "==",
    "<<",
    ">>",
    "++",
    "--",
    ".",
    "->",
    "...",
    "0",
    "1",
    "-1",
    "3",
    "64",
    "255",
    "0x7fffffff",
    "18446744073709551615",
    "1.5",
    "'a'",
    "'\\xff'",
    "\"text\"",
    "\"%0\"",
    "\"=m\"",
    "\"lock; xaddl %0, %1\"",
    "L'x'",
    "__func__",
    "&&l",
    "l:",
    "({",
    "})",
    "?:",
];

/// What is done to a program, by position in thousandths.
#[derive(Clone, Debug)]
enum Change {
    Remove(u32, usize),
    Double(u32, usize),
    Swap(u32, u32),
    Put(u32, usize),
    Replace(u32, usize),
    /// A piece of the program comes here from another place.
    Graft(u32, u32, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = || 0..100_000u32;
    prop_oneof![
        (at(), 1..4usize).prop_map(|(a, n)| Change::Remove(a, n)),
        (at(), 1..6usize).prop_map(|(a, n)| Change::Double(a, n)),
        (at(), at()).prop_map(|(a, b)| Change::Swap(a, b)),
        (at(), 0..SOUP.len()).prop_map(|(a, t)| Change::Put(a, t)),
        (at(), 0..SOUP.len()).prop_map(|(a, t)| Change::Replace(a, t)),
        (at(), at(), 1..12usize).prop_map(|(a, b, n)| Change::Graft(a, b, n)),
    ]
}

/// A program: declarations that stay as they are, and the tokens of the rest.
struct Seed {
    head: String,
    tokens: Vec<String>,
}

/// The programs of the tests, preprocessed; none without a compiler.
fn seeds() -> &'static [Seed] {
    static SEEDS: OnceLock<Vec<Seed>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let folders = ["tests/c", "tests/front/c/run", "benchmarks"];
        let files = folders.map(|folder| support::files(folder, "c")).concat();
        files.iter().filter_map(|f| seed(f)).collect()
    })
}

fn seed(path: &std::path::Path) -> Option<Seed> {
    let mut sources = SourceMap::default();
    let text = preprocess(&mut sources, path, &ParseOptions::default())
        .ok()?
        .text;
    // The last line marker that enters the file itself ends its headers.
    let name = path.to_string_lossy();
    let own = text
        .match_indices("\n# ")
        .filter(|(at, _)| {
            text[at + 1..]
                .lines()
                .next()
                .is_some_and(|l| l.contains(&*name))
        })
        .last()
        .map_or(0, |(at, _)| at);
    let tokens = scan(&text[own..]).into_iter();
    let tokens = tokens.filter(|t| !matches!(t.kind, CTokenKind::Comment | CTokenKind::Directive));
    let tokens = tokens.map(|t| t.text(&text[own..]).to_string());
    Some(Seed {
        head: text[..own].to_string(),
        tokens: tokens.collect(),
    })
}

fn mutate(tokens: &mut Vec<String>, change: &Change) {
    if tokens.is_empty() {
        return;
    }
    let n = tokens.len();
    let place = |at: &u32| *at as usize * n / 100_000;
    match change {
        Change::Remove(a, count) => {
            let end = (place(a) + count).min(n);
            tokens.drain(place(a)..end);
        }
        Change::Double(a, count) => {
            let piece = tokens[place(a)..(place(a) + count).min(n)].to_vec();
            tokens.splice(place(a)..place(a), piece);
        }
        Change::Swap(a, b) => tokens.swap(place(a), place(b)),
        Change::Put(a, token) => tokens.insert(place(a), SOUP[*token].to_string()),
        Change::Replace(a, token) => tokens[place(a)] = SOUP[*token].to_string(),
        Change::Graft(a, b, count) => {
            let piece = tokens[place(b)..(place(b) + count).min(n)].to_vec();
            tokens.splice(place(a)..place(a), piece);
        }
    }
}

/// Reads and lowers a text; what comes out is valid.
fn survives(text: &str) {
    let mut sources = SourceMap::default();
    let unit = match parse_text(&mut sources, "mutated.i", text, 64) {
        Ok(unit) => unit,
        Err(diags) => {
            for diag in &diags {
                assert!(!diag.message.contains("the C parser failed"), "{text}");
                diag.render(&sources, false);
            }
            return;
        }
    };
    match lower(&sources, &unit, DataModel::Lp64) {
        Ok(program) => {
            if let Err(reason) = validate::check(&program) {
                panic!("not valid: {reason}\n{text}");
            }
        }
        Err(diags) => assert!(diags.iter().all(|d| !d.render(&sources, false).is_empty())),
    }
}

fn mutations() -> u64 {
    let number = std::env::var("WMBMC_MUTATIONS").ok();
    number.and_then(|n| n.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 500, ..properties(mutations()) })]

    #[test]
    fn mutated_programs(which: prop::sample::Index, changes in prop::collection::vec(change(), 1..4)) {
        if seeds().is_empty() {
            support::skipped(support::Missing::Tool("cc"));
            return Ok(());
        }
        let seed = which.get(seeds());
        let mut tokens = seed.tokens.clone();
        changes.iter().for_each(|c| mutate(&mut tokens, c));
        survives(&format!("{}\n{}", seed.head, tokens.join(" ")));
    }

    #[test]
    fn soups_of_tokens(words in prop::collection::vec(0..SOUP.len(), 0..40), inside: bool) {
        let soup = words.iter().map(|w| SOUP[*w]).collect::<Vec<_>>().join(" ");
        survives(&match inside {
            true => format!("struct s {{ int x : 3; int y; }}; typedef int t; int f(int a) {{ return a; }} int main() {{ int x, y[3], *p = &x; struct s s; l: ; {soup} }}"),
            false => soup,
        });
    }

    #[test]
    fn expressions(words in prop::collection::vec(0..SOUP.len(), 1..8), types in 0..6usize) {
        let soup = words.iter().map(|w| SOUP[*w]).collect::<Vec<_>>().join(" ");
        let ty = ["int", "unsigned char", "_Bool", "struct s", "int *", "_Atomic long"][types];
        survives(&format!("struct s {{ int x : 3; int y; }}; typedef int t; int f(int a) {{ return a; }} int main() {{ int y[3]; struct s s; {ty} x, *p = &x; x = ({soup}); }}"));
    }
}
