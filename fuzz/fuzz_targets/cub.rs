//! The front end of `.cub` files on any text: it is refused, or resolved for both kinds of memory.
//!
//! `cargo +nightly fuzz run cub` in the root of the repository.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wmbmc::front::cub::parse;
use wmbmc::front::source::SourceMap;
use wmbmc::param::system::{Memory, resolve};

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::default();
    let file = sources.add("fuzz.cub", text);
    if let Ok(parsed) = parse(&sources, file) {
        for memory in [Memory::Flat, Memory::Buffered] {
            if let Err(diags) = resolve(&parsed, memory) {
                assert!(!diags.is_empty());
            }
        }
    }
});
