//! Names of functions and variables as programs write them: those that compilers of C++ and Rust have for the
//! linker are read back.
//!
//! The name in C is that of the program, without the types of parameters where that is one function's alone; the
//! linker knows it by the symbol.

use crate::front::llvm::ast::Module;
use cpp_demangle::{DemangleOptions, Symbol};
use std::collections::BTreeMap;

/// The names in C of the functions and globals of a module whose symbols are encoded ones.
pub(super) fn names(
    module: &Module,
    is_library: &dyn Fn(&str) -> bool,
) -> BTreeMap<String, String> {
    let functions = module.functions.iter().map(|f| f.name.as_str());
    let globals = module.globals.iter().map(|g| g.name.as_str());
    let symbols = functions.chain(globals).filter(|s| !is_library(s));
    let symbols: Vec<&str> = symbols.collect();
    let forms: Vec<Vec<String>> = symbols.iter().map(|s| forms(s)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (symbol, forms) in symbols.iter().zip(&forms) {
        *counts.entry(symbol).or_default() += 1;
        for form in forms {
            *counts.entry(form).or_default() += 1;
        }
    }
    let mut names = BTreeMap::new();
    for (symbol, forms) in symbols.iter().zip(&forms) {
        let own = forms.iter().find(|form| counts[form.as_str()] == 1);
        let last = || forms.last().map(|form| format!("{form} [{symbol}]"));
        if let Some(name) = own.cloned().or_else(last) {
            names.insert(symbol.to_string(), name);
        }
    }
    names
}

/// The closure that is all that a function of a library calls: what a thread begins with, and a test.
fn closure(name: &str) -> Option<&str> {
    if let Some(arguments) = name.strip_prefix("wmbmc_std::thread::start::run::<") {
        let mut depth = 0;
        let end = arguments.find(|c| {
            match c {
                '<' | '(' | '[' | '{' => depth += 1,
                '>' | ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        });
        return end.map(|end| &arguments[..end]);
    }
    let (closure, call) = name
        .strip_prefix('<')?
        .split_once(" as core::ops::function::FnOnce<")?;
    let is_test = call == "()>>::call_once" && !closure.contains('<');
    closure.strip_suffix("::{closure#0}").filter(|_| is_test)
}

/// What a symbol says, the shortest first; nothing if it is a name as it is.
fn forms(symbol: &str) -> Vec<String> {
    if let Ok(decoded) = rustc_demangle::try_demangle(symbol) {
        let plain = format!("{decoded:#}");
        let closure = closure(&plain).map(str::to_string);
        let mut forms: Vec<String> = closure.into_iter().collect();
        forms.extend([plain, decoded.to_string()]);
        forms.dedup();
        return forms;
    }
    let Ok(decoded) = Symbol::new(symbol) else {
        return Vec::new();
    };
    if !symbol.starts_with("_Z") {
        return Vec::new();
    }
    let options = [
        DemangleOptions::new().no_params().no_return_type(),
        DemangleOptions::new().no_return_type(),
    ];
    let forms = options.iter().map(|o| decoded.demangle_with_options(o));
    let mut forms: Vec<String> = forms.filter_map(Result::ok).collect();
    forms.dedup();
    forms
}

#[cfg(test)]
mod tests {
    use super::closure;

    #[test]
    fn threads_and_tests_are_named_by_what_they_do() {
        let rows = [
            (
                "wmbmc_std::thread::start::run::<user::f::{closure#1}, (u32, u8)>",
                Some("user::f::{closure#1}"),
            ),
            (
                "wmbmc_std::thread::start::run::<user::f::{closure#1}, u8>",
                Some("user::f::{closure#1}"),
            ),
            (
                "<user::test::{closure#0} as core::ops::function::FnOnce<()>>::call_once",
                Some("user::test"),
            ),
            (
                "<user::test::{closure#0} as core::ops::function::FnOnce<(u8,)>>::call_once",
                None,
            ),
            ("user::f::{closure#1}", None),
        ];
        for (name, wanted) in rows {
            assert_eq!(closure(name), wanted, "{name}");
        }
    }
}
