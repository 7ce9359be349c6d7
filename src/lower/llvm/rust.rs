//! What modules of Rust call in the standard library and do not define: allocation, the start of the program, panics.
//!
//! A panic is a violated assertion, and ends the program. Functions are known by their paths, which mangled names have
//! (rustc's symbol mangling, RFC 2603, and the older one, which is that of C++).

use crate::front::llvm::ast::Module;

/// The functions of C that stand for functions of the standard library.
pub(super) const TEXT: &str = include_str!("rust.c");

/// What a function of the standard library does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// What a function of C does with some of the arguments.
    Calls(&'static str, &'static [usize]),
    /// Nothing that a program can see: it writes text.
    Nothing,
    /// It ends the program with an error.
    Panics(Message),
}

/// Where the text of a panic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// This one.
    Fixed(&'static str),
    /// A string: its address and its length are the first arguments.
    Text,
    /// The address of a template and that of its arguments.
    Template,
    /// Which comparison has failed.
    Comparison,
}

use Known::{Calls, Nothing, Panics};
use Message::{Comparison, Fixed, Template, Text};

/// Functions by their paths.
const FUNCTIONS: [(&str, Known); 54] = [
    ("__rustc::__rust_alloc", Calls("malloc", &[0])),
    ("__rustc::__rust_alloc_zeroed", Calls("__rust_zeroed", &[0])),
    ("__rustc::__rust_dealloc", Calls("free", &[0])),
    ("__rustc::__rust_realloc", Calls("realloc", &[0, 3])),
    ("__rustc::__rust_no_alloc_shim_is_unstable_v2", Nothing),
    ("__rustc::__rust_no_alloc_shim_is_unstable", Nothing),
    (
        "std::rt::lang_start_internal",
        Calls("__rust_start", &[0, 1]),
    ),
    ("std::process::abort", Calls("abort", &[])),
    ("std::process::exit", Calls("exit", &[0])),
    ("std::thread::yield_now", Calls("sched_yield", &[])),
    (
        "std::thread::functions::yield_now",
        Calls("sched_yield", &[]),
    ),
    ("std::io::stdio::_print", Nothing),
    ("std::io::stdio::_eprint", Nothing),
    ("std::io::stdio::attempt_print_to_stderr", Nothing),
    (
        "alloc::alloc::handle_alloc_error",
        Panics(Fixed("memory allocation failed")),
    ),
    (
        "alloc::raw_vec::handle_error",
        Panics(Fixed("the capacity fits")),
    ),
    (
        "alloc::raw_vec::capacity_overflow",
        Panics(Fixed("the capacity fits")),
    ),
    ("core::panicking::panic", Panics(Text)),
    ("core::panicking::panic_fmt", Panics(Template)),
    ("core::panicking::panic_nounwind", Panics(Text)),
    ("core::panicking::panic_nounwind_fmt", Panics(Template)),
    ("core::panicking::panic_nounwind_nobacktrace", Panics(Text)),
    (
        "core::panicking::panic_explicit",
        Panics(Fixed("explicit panic")),
    ),
    ("core::panicking::panic_str_2015", Panics(Text)),
    (
        "core::panicking::unreachable_display",
        Panics(Fixed("entered unreachable code")),
    ),
    (
        "core::panicking::panic_display",
        Panics(Fixed("explicit panic")),
    ),
    (
        "core::panicking::panic_bounds_check",
        Panics(Fixed("index out of bounds")),
    ),
    (
        "core::panicking::panic_misaligned_pointer_dereference",
        Panics(Fixed("misaligned pointer dereference")),
    ),
    (
        "core::panicking::panic_null_pointer_dereference",
        Panics(Fixed("null pointer dereference occurred")),
    ),
    (
        "core::panicking::panic_invalid_enum_construction",
        Panics(Fixed("trying to construct an enum from an invalid value")),
    ),
    (
        "core::panicking::panic_cannot_unwind",
        Panics(Fixed("panic in a function that cannot unwind")),
    ),
    (
        "core::panicking::panic_in_cleanup",
        Panics(Fixed("panic in a destructor during cleanup")),
    ),
    ("core::panicking::assert_failed", Panics(Comparison)),
    ("core::panicking::assert_failed_inner", Panics(Comparison)),
    (
        "core::panicking::panic_const::panic_const_add_overflow",
        Panics(Fixed("attempt to add with overflow")),
    ),
    (
        "core::panicking::panic_const::panic_const_sub_overflow",
        Panics(Fixed("attempt to subtract with overflow")),
    ),
    (
        "core::panicking::panic_const::panic_const_mul_overflow",
        Panics(Fixed("attempt to multiply with overflow")),
    ),
    (
        "core::panicking::panic_const::panic_const_div_overflow",
        Panics(Fixed("attempt to divide with overflow")),
    ),
    (
        "core::panicking::panic_const::panic_const_rem_overflow",
        Panics(Fixed("attempt to calculate the remainder with overflow")),
    ),
    (
        "core::panicking::panic_const::panic_const_neg_overflow",
        Panics(Fixed("attempt to negate with overflow")),
    ),
    (
        "core::panicking::panic_const::panic_const_shl_overflow",
        Panics(Fixed("attempt to shift left with overflow")),
    ),
    (
        "core::panicking::panic_const::panic_const_shr_overflow",
        Panics(Fixed("attempt to shift right with overflow")),
    ),
    (
        "core::panicking::panic_const::panic_const_div_by_zero",
        Panics(Fixed("attempt to divide by zero")),
    ),
    (
        "core::panicking::panic_const::panic_const_rem_by_zero",
        Panics(Fixed(
            "attempt to calculate the remainder with a divisor of zero",
        )),
    ),
    (
        "core::option::unwrap_failed",
        Panics(Fixed("called `Option::unwrap()` on a `None` value")),
    ),
    ("core::option::expect_failed", Panics(Text)),
    ("core::result::unwrap_failed", Panics(Text)),
    (
        "core::cell::panic_already_borrowed",
        Panics(Fixed("RefCell already borrowed")),
    ),
    (
        "core::cell::panic_already_mutably_borrowed",
        Panics(Fixed("RefCell already mutably borrowed")),
    ),
    (
        "core::slice::index::slice_start_index_len_fail",
        Panics(Fixed("range start index out of range for slice")),
    ),
    (
        "core::slice::index::slice_end_index_len_fail",
        Panics(Fixed("range end index out of range for slice")),
    ),
    (
        "core::slice::index::slice_index_order_fail",
        Panics(Fixed("slice index starts behind its end")),
    ),
    (
        "core::slice::index::slice_index_fail",
        Panics(Fixed("range out of range for slice")),
    ),
    (
        "alloc::vec::remove::assert_failed",
        Panics(Fixed("removal index is below the length")),
    ),
];

/// What is known of a function.
pub(super) fn known(name: &str) -> Option<Known> {
    let path = path(name)?;
    let found = FUNCTIONS.iter().find(|(known, _)| *known == path);
    found.map(|(_, known)| *known)
}

/// Whether a symbol is one of Rust.
pub(super) fn is_symbol(name: &str) -> bool {
    name.starts_with("_R")
}

/// Whether something is known of a function of the standard library.
pub(super) fn is_known(name: &str) -> bool {
    known(name).is_some()
}

/// The function of C's library that a function of Rust calls.
pub(super) fn function(name: &str) -> Option<&'static str> {
    match known(name)? {
        Calls(function, _) => Some(function),
        Nothing | Panics(_) => None,
    }
}

/// Whether a module is a program of Rust, whose arguments the standard library alone sees.
pub(super) fn is_program(module: &Module) -> bool {
    let mut functions = module.functions.iter();
    functions.any(|f| function(&f.name) == Some("__rust_start"))
}

/// Whether a module needs functions of [`TEXT`].
pub(super) fn needs_text(module: &Module) -> bool {
    let declared = || module.functions.iter().filter(|f| f.blocks.is_empty());
    declared().any(|f| function(&f.name).is_some() || f.name.starts_with("__wmbmc_"))
}

/// The path of a function that is no method, such as `core::panicking::panic`, without arguments of types.
fn path(name: &str) -> Option<String> {
    if let Some(rest) = name.strip_prefix("_R") {
        let mut words = Vec::new();
        path_of_symbol(rest, &mut words, MAX_DEPTH)?;
        return Some(words.join("::"));
    }
    let mut rest = name.strip_prefix("_ZN")?;
    let mut words = Vec::new();
    while !rest.starts_with('E') {
        let (count, behind) = length(rest)?;
        let (word, behind) = behind.split_at_checked(count)?;
        words.push(word);
        rest = behind;
    }
    // The last one is a hash.
    words.pop()?;
    Some(words.join("::"))
}

/// How deep a path may nest.
const MAX_DEPTH: u32 = 32;

/// Reads a path, and returns what follows it; the arguments of a generic one are not read.
fn path_of_symbol<'s>(symbol: &'s str, words: &mut Vec<&'s str>, depth: u32) -> Option<&'s str> {
    let depth = depth.checked_sub(1)?;
    let (tag, rest) = symbol.split_at_checked(1)?;
    match tag {
        "C" => {
            let (word, rest) = identifier(disambiguated(rest))?;
            words.push(word);
            Some(rest)
        }
        "N" => {
            let (_, rest) = rest.split_at_checked(1)?;
            let rest = path_of_symbol(rest, words, depth)?;
            let (word, rest) = identifier(disambiguated(rest))?;
            words.push(word);
            Some(rest)
        }
        "I" => path_of_symbol(rest, words, depth),
        _ => None,
    }
}

/// What follows a disambiguator, if there is one.
fn disambiguated(symbol: &str) -> &str {
    let number = symbol
        .strip_prefix('s')
        .and_then(|rest| rest.split_once('_'));
    number.map_or(symbol, |(_, rest)| rest)
}

/// `5panic`, `12___rust_alloc`: an underscore parts the length from a name that begins with one.
fn identifier(symbol: &str) -> Option<(&str, &str)> {
    let (length, rest) = length(symbol)?;
    let rest = rest.strip_prefix('_').unwrap_or(rest);
    rest.split_at_checked(length)
}

/// The number that a name begins with.
fn length(symbol: &str) -> Option<(usize, &str)> {
    let digits = symbol.bytes().take_while(u8::is_ascii_digit).count();
    let (length, rest) = symbol.split_at(digits);
    Some((length.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn paths_are_read_off_mangled_names() {
        let paths = [
            (
                "_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc",
                "__rustc::__rust_alloc",
            ),
            (
                "_RNvNtCsgEmfK2I1SDS_4core9panicking5panic",
                "core::panicking::panic",
            ),
            (
                "_RINvNtCsgEmfK2I1SDS_4core9panicking13assert_failedjjEB4_",
                "core::panicking::assert_failed",
            ),
            (
                "_RNvNtNtCsjrHSEGnQ3l9_3std2io5stdio6__print",
                "std::io::stdio::_print",
            ),
            (
                "_ZN4core9panicking5panic17h0123456789abcdefE",
                "core::panicking::panic",
            ),
            (
                "_ZN3std2io5stdio6_print17h0123456789abcdefE",
                "std::io::stdio::_print",
            ),
        ];
        for (name, wanted) in paths {
            assert_eq!(path(name).as_deref(), Some(wanted), "{name}");
        }
        assert_eq!(
            path("_RNvMs4_NtCslNYArtu3iFV_5alloc7raw_vecNtB5_11RawVecInner10deallocate"),
            None
        );
        assert_eq!(path("pthread_create"), None);
    }
}
