//! LLVM IR on any text: a module is read, or every error has a place within the text and a sentence.
//!
//! `cargo +nightly fuzz run llvm` in the root of the repository.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wmbmc::base::source::SourceMap;
use wmbmc::front::llvm::parse;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::default();
    let file = sources.add("fuzz.ll", text);
    match parse(&sources, file) {
        Ok(module) => {
            for function in &module.functions {
                for block in &function.blocks {
                    assert!(!block.instructions.is_empty());
                    let span = block.span;
                    assert!(span.start <= span.end && span.end as usize <= text.len());
                }
            }
        }
        Err(diags) => {
            assert!(!diags.is_empty());
            for d in diags {
                let (span, _) = d.labels[0];
                assert!(span.start <= span.end && span.end as usize <= text.len());
                assert!(!d.message.is_empty());
                assert!(!d.render(&sources, false).is_empty());
            }
        }
    }
});
