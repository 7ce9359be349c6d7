//! From LLVM IR to C's syntax tree, which [`super::c`] lowers.
//!
//! What a compiler has made of a program is read as a program of C with few constructs: registers are variables,
//! blocks are labels, accesses of memory go through pointers of the access's type, atomic instructions are the
//! builtins of compilers. So modules of C, C++ and Rust have the library, the harnesses, the properties and the
//! evidence of C programs, while the language itself is read by its compiler: types and their layout, conversions,
//! evaluation order, initialisation, constructors, templates, virtual calls.
//!
//! [`types`] has layouts and C's types, [`value`] constants and operators, [`function`] blocks and phis, [`order`] the
//! order of blocks, [`stack`] the objects of a function, [`instruction`], [`call`], [`exchange`], [`composed`], [`intrinsic`] and [`assembly`] what instructions do, [`module`] globals, [`debug`] places in the source, [`runtime`] what is called and not defined, [`rust`] and [`rust_call`] that of Rust.
//!
//! What is undefined in LLVM and where that is seen: overflow of operators with `nsw`, division by zero, shifts, accesses
//! and lifetimes as in C; an undefined value (`undef`, `poison`) is any value, another one at each use; promises of
//! attributes (`noundef`, `nonnull`, `noalias`) and the other flags are not looked at.

mod assembly;
mod build;
mod call;
mod composed;
mod debug;
mod exchange;
mod function;
mod inline;
mod instruction;
mod intrinsic;
mod module;
mod names;
mod order;
mod registers;
mod runtime;
mod rust;
mod rust_call;
mod stack;
mod types;
mod value;

use crate::front::c::ast::{Item, TranslationUnit};
use crate::front::llvm::ast::{Linkage, Module};
use base::diag::Diag;
use base::source::SourceMap;
use debug::DebugInfo;
use ir::program::Width;
use module::ModuleTranslation;
pub use runtime::prelude;
use std::collections::BTreeSet;

/// A module as a translation unit of C. It continues the unit that the text of [`prelude`] is read to.
///
/// # Errors
/// What of the module is not supported as a whole; a construct that is not supported is refused where it is
/// reached.
pub fn translate(
    module: &Module,
    mut prelude: TranslationUnit,
    pointer_width: Width,
    sources: &mut SourceMap,
) -> Result<TranslationUnit, Vec<Diag>> {
    if pointer_width != 64 || module.data_layout.contains("p:32:32") {
        let message = "a module with pointers of 32 bits is not supported";
        return Err(vec![Diag::unsupported(module.span, message)]);
    }
    if module.data_layout.starts_with('E') {
        let message = "a module for a big-endian machine is not supported";
        return Err(vec![Diag::unsupported(module.span, message)]);
    }
    if let Some((_, span)) = module.assembly.first() {
        return Err(vec![Diag::unsupported(
            *span,
            "`module asm` is not supported",
        )]);
    }
    // What the module defines itself counts.
    let own = module.functions.iter().filter(|f| {
        let is_own = matches!(f.linkage, Linkage::External | Linkage::Internal);
        is_own && !f.blocks.is_empty()
    });
    let own: BTreeSet<&str> = own.map(|f| f.name.as_str()).collect();
    prelude.items.retain(|item| match item {
        Item::Function(f) => !own.contains(f.name.name.as_str()),
        _ => true,
    });
    runtime::weaken(&mut prelude);
    let debug = DebugInfo::read(module, sources);
    let items = items(module, &prelude, &debug);
    prelude.items.extend(items);
    prelude.span = module.span;
    Ok(prelude)
}

/// The items of a module in C: types, then declarations, then definitions.
fn items(module: &Module, prelude: &TranslationUnit, debug: &DebugInfo) -> Vec<Item> {
    let mut translation = ModuleTranslation::new(module, prelude, debug);
    let names = names::names(module, &|name| translation.is_of_runtime(name));
    translation.names = names;
    let small = module.functions.iter().filter(|f| inline::is_small(f));
    let of_library = small.filter(|f| debug.is_of_the_system(f));
    translation.inlined = of_library.map(|f| f.name.as_str()).collect();
    let (mut declarations, mut definitions) = (Vec::new(), Vec::new());
    for global in &module.globals {
        if global.name.starts_with("llvm.") || translation.is_given(global) {
            continue;
        }
        let (declared, defined) = translation.variable(global);
        declarations.push(declared);
        definitions.extend(defined);
    }
    for f in &module.functions {
        if translation.is_library(&f.name) {
            continue;
        }
        declarations.extend(translation.prototype(f));
        if !f.blocks.is_empty() {
            definitions.push(function::definition(&mut translation, f));
        }
    }
    let types = translation.types.items();
    types.chain(declarations).chain(definitions).collect()
}
