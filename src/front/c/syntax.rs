//! Runs the parser, and says in a sentence what it found wrong.
//!
//! lang-c is a recursive parser without error recovery: it yields one error, with the set of
//! tokens it would have taken. The set is rarely of help to a person, so the sentence is made of
//! the token found and of the few cases that have a usual cause. Parsing runs on a thread with a
//! large stack; [`super::rewrite`] has bounded the nesting before.

use super::adapt;
use super::ast::TranslationUnit;
use super::preprocess::Preprocessed;
use super::rewrite::{Refusal, Rewritten, rewrite};
use super::scan::{CTokenKind, Token, scan, with_characters};
use base::code::Code;
use base::diag::{Diag, specifically};
use base::source::{SourceMap, Span};
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};

/// Bytes of stack for the parser; pages that are not touched cost nothing.
const STACK: usize = 1 << 28;

/// Parses preprocessed text into our own tree.
///
/// # Errors
/// The first syntax error, or every construct that has to be refused.
pub fn parse(
    sources: &SourceMap,
    preprocessed: Preprocessed,
    pointer_width: u8,
) -> Result<TranslationUnit, Vec<Diag>> {
    std::thread::scope(|scope| {
        let body = || parse_here(sources, preprocessed, pointer_width);
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, body);
        let thread = thread.map_err(|e| {
            vec![Diag::bare(format!(
                "cannot start a thread for the parser: {e}"
            ))]
        })?;
        thread
            .join()
            .unwrap_or_else(|_| Err(vec![Diag::bare("the C parser failed on this file")]))
            .map_err(specifically(Code::Syntax))
    })
}

fn parse_here(
    sources: &SourceMap,
    preprocessed: Preprocessed,
    pointer_width: u8,
) -> Result<TranslationUnit, Vec<Diag>> {
    let Preprocessed {
        text, positions, ..
    } = preprocessed;
    let place = |start: usize, end: usize| positions.span(sources, &text, start, end);
    let rewritten = rewrite(&text).map_err(|refusals| {
        let diag = |r: Refusal| Diag::error(place(r.start, r.end), r.message).with_code(r.code);
        refusals.into_iter().map(diag).collect::<Vec<_>>()
    })?;
    let config = Config {
        cpp_command: String::new(),
        cpp_options: Vec::new(),
        flavor: Flavor::GnuC11,
    };
    match parse_preprocessed(&config, rewritten.text.clone()) {
        Ok(parse) => {
            let span = |start: usize, end: usize| {
                let body = rewritten.text.get(start..end).unwrap_or("");
                let end = start + body.trim_end().len().max(1);
                place(rewritten.original(start), rewritten.original(end - 1) + 1)
            };
            let whole = Span {
                file: positions.main(),
                start: 0,
                end: 0,
            };
            adapt::translation_unit(&parse.unit, &span, whole, pointer_width)
        }
        Err(error) => Err(vec![explain(&error, &rewritten, &text, &place)]),
    }
}

fn explain(
    error: &SyntaxError,
    rewritten: &Rewritten,
    text: &str,
    place: &dyn Fn(usize, usize) -> Span,
) -> Diag {
    let offset = rewritten.original(error.offset);
    let tokens: Vec<Token> = scan(text)
        .into_iter()
        .filter(|t| !matches!(t.kind, CTokenKind::Comment | CTokenKind::Directive))
        .collect();
    let at = tokens.partition_point(|t| t.end <= offset);
    let before = at.checked_sub(1).map(|i| tokens[i]);
    let Some(token) = tokens.get(at) else {
        let end = before.map_or(0, |t| t.end);
        let missing = if tokens.is_empty() {
            "the file is empty"
        } else {
            "unexpected end of file"
        };
        return Diag::error(place(end.saturating_sub(1), end), missing);
    };
    if let Some(unknown) = unknown_type(&tokens, at, text) {
        let name = with_characters(unknown.text(text));
        return missing_type(&name, place(unknown.start, unknown.end));
    }
    let found = with_characters(token.text(text));
    let diag = Diag::error(
        place(token.start, token.end),
        format!("unexpected `{found}`"),
    );
    match expected(error) {
        Some(label) => diag.label(label),
        None => diag,
    }
}

/// The name that would have to be a type for the parser to go on behind the token at `at`: the first
/// of two names in a row, a name before `*` in a declaration, and one in the brackets of a cast.
fn unknown_type(tokens: &[Token], at: usize, text: &str) -> Option<Token> {
    let get = |i: Option<usize>| i.and_then(|i| tokens.get(i));
    let back = |n: usize| get(at.checked_sub(n));
    let is_word = |t: &&Token| t.kind == CTokenKind::Word;
    let is_name = |t: &&Token| t.kind == CTokenKind::Word && !is_keyword(t.text(text));
    let is = |t: Option<&Token>, p: u8| t.is_some_and(|t| t.kind == CTokenKind::Punct(p));
    // Behind another name, or behind a type, a name is what is declared.
    let begins = |before: Option<&Token>| match before.filter(|t| is_word(t)) {
        Some(t) => is_specifier(t.text(text)),
        None => true,
    };
    let token = &tokens[at];
    if let Some(name) = back(1).filter(is_name)
        && (token.kind == CTokenKind::Word || is(Some(token), b'*'))
        && begins(back(2))
    {
        return Some(*name);
    }
    let pair = is_name(&token) && tokens.get(at + 1).is_some_and(|t| is_name(&t));
    if pair && begins(back(1)) {
        return Some(*token);
    }
    // `name *x`, `name *)`, `name **,`, behind what may stand before a type.
    let first = |before: Option<&Token>| match before.map(|t| t.kind) {
        Some(CTokenKind::Word) => begins(before),
        Some(CTokenKind::Punct(p)) => b"(){};,".contains(&p),
        Some(_) => false,
        None => true,
    };
    let ahead = |n: usize| get(at.checked_add(n));
    let behind = (1..).find(|n| !is(ahead(*n), b'*')).unwrap_or(1);
    let declared = ahead(behind).is_some_and(|t| is_name(&t) || is_specifier(t.text(text)))
        || [b')', b',', b'('].iter().any(|p| is(ahead(behind), *p));
    if is_name(&token) && behind > 1 && declared && first(back(1)) {
        return Some(*token);
    }
    let stars = |from: usize| (from..).take_while(|n| is(back(*n), b'*')).count();
    let in_cast = |n: usize| {
        let opens = is(back(n + 1), b'(') && back(n + 2).filter(is_name).is_none();
        back(n).filter(is_name).filter(|_| opens).copied()
    };
    match token.kind {
        // `(name *) …`
        CTokenKind::Punct(b')') if stars(1) > 0 => in_cast(1 + stars(1)),
        // `(name) operand`
        CTokenKind::Word | CTokenKind::Number | CTokenKind::Quoted if is(back(1), b')') => {
            in_cast(2)
        }
        _ => None,
    }
}

/// Says that a name is no type, and which header makes it one.
pub fn missing_type(name: &str, place: Span) -> Diag {
    let message = format!("`{name}` is not a type that is known here; is a header missing?");
    let diag = Diag::error(place, message);
    match header_of(name) {
        Some(header) => diag.note(format!("`#include <{header}>` declares it")),
        None => diag,
    }
}

/// The header that C or POSIX declares a type in.
fn header_of(name: &str) -> Option<&'static str> {
    const INTEGERS: [&str; 4] = ["int", "uint", "intptr", "uintptr"];
    let stem = name.strip_suffix("_t").unwrap_or("");
    let digits = stem.trim_start_matches(|c: char| !c.is_ascii_digit());
    let kind = stem.strip_suffix(digits).unwrap_or(stem);
    let kind = kind
        .strip_suffix("_least")
        .or(kind.strip_suffix("_fast"))
        .unwrap_or(kind);
    let sized = ["8", "16", "32", "64"].contains(&digits) || kind.ends_with("ptr");
    if (sized && INTEGERS.contains(&kind)) || ["intmax", "uintmax"].contains(&stem) {
        return Some("stdint.h");
    }
    Some(match name {
        "bool" => "stdbool.h",
        "size_t" | "ptrdiff_t" | "wchar_t" | "max_align_t" => "stddef.h",
        "ssize_t" | "off_t" | "pid_t" | "uid_t" | "gid_t" | "mode_t" | "dev_t" | "ino_t"
        | "useconds_t" | "suseconds_t" => "sys/types.h",
        "time_t" | "clock_t" | "clockid_t" | "timer_t" => "time.h",
        "FILE" => "stdio.h",
        "va_list" => "stdarg.h",
        "jmp_buf" | "sigjmp_buf" => "setjmp.h",
        "sigset_t" | "siginfo_t" | "sig_atomic_t" | "stack_t" => "signal.h",
        "sem_t" => "semaphore.h",
        "cpu_set_t" => "sched.h",
        "thrd_t" | "mtx_t" | "cnd_t" | "tss_t" | "once_flag" => "threads.h",
        "memory_order" => "stdatomic.h",
        _ if name.starts_with("pthread_") && name.ends_with("_t") => "pthread.h",
        _ if name.starts_with("atomic_") => "stdatomic.h",
        _ => return None,
    })
}

/// Words that may stand before the type of a declaration.
fn is_specifier(word: &str) -> bool {
    const WORDS: [&str; 12] = [
        "auto",
        "const",
        "else",
        "extern",
        "inline",
        "do",
        "register",
        "restrict",
        "static",
        "typedef",
        "volatile",
        "_Thread_local",
    ];
    WORDS.contains(&word)
}

/// What the parser wanted, when that is one clear thing.
fn expected(error: &SyntaxError) -> Option<String> {
    let wanted = |t: &str| error.expected.iter().any(|e| e.trim_matches('"') == t);
    [";", ")", "}", "]", ":"]
        .iter()
        .find(|t| wanted(t))
        .map(|t| format!("expected `{t}` here or before"))
}

/// True for a word that C keeps for itself.
pub fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 36] = [
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
        "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
        "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
        "union", "unsigned", "void", "volatile", "while", "_Bool", "_Atomic",
    ];
    WORDS.contains(&word)
}
