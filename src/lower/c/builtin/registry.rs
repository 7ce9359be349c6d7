//! What is known of the functions of the library, a row each ([`Row`]): what it returns, what becomes of
//! `errno`, what its caller has to see to, which text says so, and what a call does.
//!
//! [`find`] is the only place where the name of a called function is looked up. The rows are in
//! [`super::rows`]: by header those of the platforms' functions, which tests compare with the headers and
//! with programs, and by family those of compilers and of tools.

use super::row::Header;
pub use super::row::{Errno, Returns, Row};
use super::rows::{FAMILIES, HEADERS, PATTERNS};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The rows of functions that headers of the platforms declare, each with its header.
pub fn rows() -> impl Iterator<Item = (&'static str, &'static Row)> {
    let of_header = |(header, rows): &'static Header| rows.iter().map(|row| (*header, row));
    HEADERS.iter().flat_map(of_header)
}

/// The names of all functions that have one of their own.
pub fn names() -> impl Iterator<Item = &'static str> {
    let headers = HEADERS.iter().chain(FAMILIES);
    headers.flat_map(|(_, rows)| rows.iter().map(|row| row.name))
}

fn table() -> &'static BTreeMap<&'static str, (&'static str, &'static Row)> {
    static TABLE: OnceLock<BTreeMap<&str, (&str, &Row)>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let headers = HEADERS.iter().chain(FAMILIES);
        let rows = headers.flat_map(|(header, rows)| rows.iter().map(move |row| (*header, row)));
        rows.map(|(header, row)| (row.name, (header, row)))
            .collect()
    })
}

/// The header and the row of a function. They are looked for by its name; by that of the same function
/// without `__builtin_`, which gcc has of many; without clang's `__c11_`, C11's `_explicit` and the size
/// that gcc has behind `__sync_`; and at last in the patterns.
pub fn find(name: &str) -> Option<(&'static str, &'static Row)> {
    let find = |name: &str| table().get(name).copied();
    let generic = || {
        if name.starts_with("__sync_") {
            let sizes = ["_1", "_2", "_4", "_8", "_16"];
            return sizes.iter().find_map(|size| name.strip_suffix(size));
        }
        let plain = name.strip_prefix("__c11_").unwrap_or(name);
        let plain = plain.strip_suffix("_explicit").unwrap_or(plain);
        plain.starts_with("atomic_").then_some(plain)
    };
    let pattern = PATTERNS.iter().find(|row| matches(row.name, name));
    find(name)
        .or_else(|| find(name.strip_prefix("__builtin_")?))
        .or_else(|| find(generic()?))
        .or_else(|| pattern.map(|row| ("", row)))
}

/// Whether a function has a row of its own, or one of the patterns but the last says what it does.
pub fn is_known(name: &str) -> bool {
    find(name).is_some_and(|(_, row)| row.name != "*")
}

/// Whether a name has this form, in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            let mut ends = rest.char_indices().map(|(at, _)| &rest[at..]).chain([""]);
            ends.any(|end| matches(after, end))
        }),
        None => pattern == name,
    }
}
