//! The words of the code: identifiers and messages use the terms of the field (docs/glossary.md), and
//! words that once were private to this project do not come back.

use std::collections::BTreeMap;
use std::path::Path;
use support::sources;
use syn::visit::{self, Visit};

/// Words that no identifier is made of, each with the term to use. `SlotId` is made of `slot` and `id`.
const IDENTIFIERS: &[(&str, &str)] = &[
    ("asked", "enabled, query"),
    ("board", "execution skeleton"),
    ("cuts", "loops at their bound"),
    ("draws", "nondeterministic choices"),
    ("drawn", "nondeterministic choice"),
    ("duty", "proof obligation"),
    ("endless", "non-terminating"),
    ("everybody", "every thread, every process"),
    ("firing", "transition instance"),
    ("foresee", "trip-count analysis"),
    ("foreseen", "known trip count"),
    ("gap", "unsupported construct; incompleteness"),
    ("gaps", "unsupported constructs; incompleteness"),
    ("happening", "trace event"),
    ("manner", "query options"),
    ("myself", "thread self"),
    ("nobody", "no thread, no process"),
    ("opinion", "consistency check"),
    ("recall", "history variable; note of a thread"),
    ("rehearsal", "trip-count analysis"),
    ("rehearse", "trip-count analysis"),
    ("somebody", "a thread, a process"),
    ("stray", "unresolved access"),
    ("strays", "unresolved accesses"),
    ("told", "report"),
    ("widened", "generalized, extended"),
    ("wild", "fresh process"),
    ("worlds", "transition instances"),
];

/// Words that alone name no type, because they would name several: each type says which.
const QUALIFIED: [&str; 8] = [
    "Answer", "Kind", "Memory", "Options", "Order", "Question", "Task", "Value",
];

/// The file where one of them is the name: the answer of the program, which every format prints.
const NAMED: (&str, &str) = ("src/report/answer.rs", "Answer");

/// Phrases that no message has, each with the term to use.
const PHRASES: &[(&str, &str)] = &[
    ("wait for ever", "no thread can make progress"),
    ("for ever", "forever"),
    ("the time is up", "timeout"),
    ("for nothing", "vacuously"),
    ("jump back", "back edge"),
    ("without meaning", "unsupported"),
    ("has no meaning", "is not supported"),
    ("stray", "unresolved access"),
    ("nobody", "no thread, no process"),
    ("somebody", "a thread, a process"),
    ("everybody", "every thread, every process"),
    ("cuts", "loops at their bound"),
    ("recall", "read a history variable"),
    ("wild", "fresh"),
];

/// The words that an identifier is made of: `SlotId` and `slot_id` give `slot` and `id`.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        if c == '_' || c.is_uppercase() && before.is_lowercase() {
            parts.push(String::new());
        }
        if c != '_' {
            parts
                .last_mut()
                .expect("there is one")
                .extend(c.to_lowercase());
        }
        before = c;
    }
    parts.retain(|p| !p.is_empty());
    parts
}

/// True when a text has these words, one after the other.
fn says(text: &str, phrase: &str) -> bool {
    let text = text.to_lowercase();
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !is_word(before) && !is_word(after)
    })
}

/// What a file says: identifiers and strings, each with how often, and the types it defines.
#[derive(Default)]
struct Said {
    identifiers: BTreeMap<String, usize>,
    strings: BTreeMap<String, usize>,
    types: Vec<String>,
}

impl Said {
    fn text(&mut self, text: String) {
        *self.strings.entry(text).or_default() += 1;
    }

    fn tokens(&mut self, tokens: proc_macro2::TokenStream) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Group(g) => self.tokens(g.stream()),
                proc_macro2::TokenTree::Ident(i) => self.visit_ident(&i),
                proc_macro2::TokenTree::Literal(l) => {
                    if let Ok(syn::Lit::Str(s)) = syn::parse_str(&l.to_string()) {
                        self.text(s.value());
                    }
                }
                proc_macro2::TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Said {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let name = match item {
            syn::Item::Enum(i) => Some(&i.ident),
            syn::Item::Struct(i) => Some(&i.ident),
            syn::Item::Trait(i) => Some(&i.ident),
            syn::Item::Type(i) => Some(&i.ident),
            _ => None,
        };
        self.types.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }

    fn visit_ident(&mut self, ident: &'ast proc_macro2::Ident) {
        *self.identifiers.entry(ident.to_string()).or_default() += 1;
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.text(text.value());
    }

    /// What `clap` prints stands in attributes, too. Keys of JSON (`serde`) are no text to read.
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta
            && !list.path.is_ident("serde")
        {
            self.tokens(list.tokens.clone());
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.tokens(mac.tokens.clone());
        visit::visit_macro(self, mac);
    }
}

fn said(file: &Path) -> Said {
    let text = std::fs::read_to_string(file).expect("sources are UTF-8");
    let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let mut said = Said::default();
    said.visit_file(&parsed);
    if file.iter().any(|folder| folder == "cli") {
        doc_comments(&text)
            .into_iter()
            .for_each(|text| said.text(text));
    }
    said
}

/// The doc comments of items, each as one text: those of the command line are what `--help` prints.
fn doc_comments(source: &str) -> Vec<String> {
    let lines: Vec<Option<&str>> = source
        .lines()
        .map(|l| l.trim_start().strip_prefix("///").map(str::trim))
        .collect();
    let comments = lines.split(Option::is_none).filter(|c| !c.is_empty());
    let texts = comments.map(|c| c.iter().flatten().copied().collect::<Vec<_>>().join(" "));
    texts.collect()
}

#[test]
fn identifiers_use_the_terms_of_the_field() {
    let mut found = Vec::new();
    for file in sources() {
        for (name, times) in said(&file).identifiers {
            for part in parts(&name) {
                if let Some((_, term)) = IDENTIFIERS.iter().find(|(word, _)| *word == part) {
                    let file = file.display();
                    found.push(format!("{file}: `{name}`, {times} times (use: {term})"));
                }
            }
        }
    }
    assert!(found.is_empty(), "retired words:\n{}", found.join("\n"));
}

#[test]
fn types_are_named_by_what_they_are() {
    let mut found = Vec::new();
    for file in sources() {
        for name in said(&file).types {
            let is_named = file.ends_with(NAMED.0) && name == NAMED.1;
            if QUALIFIED.contains(&name.as_str()) && !is_named {
                found.push(format!("{}: `{name}`", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "say which:\n{}", found.join("\n"));
}

#[test]
fn messages_use_the_terms_of_the_field() {
    let mut found = Vec::new();
    for file in sources() {
        for text in said(&file).strings.keys() {
            for (phrase, term) in PHRASES {
                if says(text, phrase) {
                    found.push(format!("{}: {text:?} (say: {term})", file.display()));
                }
            }
        }
    }
    assert!(found.is_empty(), "retired words:\n{}", found.join("\n"));
}

#[test]
fn words_are_taken_apart() {
    assert_eq!(parts("SlotId"), ["slot", "id"]);
    assert_eq!(parts("_of_Gaps2"), ["of", "gaps2"]);
    assert_eq!(parts("TAKE"), ["take"]);
    assert!(says("a gap.", "gap"));
    assert!(!says("gaps", "gap"));
    assert!(says("They wait for ever", "for ever"));
    let mut said = Said::default();
    let code = "struct T; impl S for T { type Value = u8; } fn f() { g!(\"a {}\", h(\"b\")); let stray = \"c\"; }";
    said.visit_file(&syn::parse_file(code).expect("it is code"));
    assert_eq!(said.strings.keys().collect::<Vec<_>>(), ["a {}", "b", "c"]);
    assert_eq!(said.types, ["T"]);
    assert!(said.identifiers.contains_key("stray"));
    let code = "/// It waits for\n/// ever.\n#[arg(help = \"d\")]\nstruct A;\n\n/// B\nstruct B;";
    let comments = doc_comments(code);
    assert_eq!(comments, ["It waits for ever.", "B"]);
    let mut said = Said::default();
    said.visit_file(&syn::parse_file(code).expect("it is code"));
    assert_eq!(said.strings.keys().collect::<Vec<_>>(), ["d"]);
}
