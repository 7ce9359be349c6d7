//! x86 programs for any number of threads, on any text: it is refused, or translated to a system
//! that is right, and whose text parses back to the same text.
//!
//! `cargo +nightly fuzz run asm` in the root of the repository.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wmbmc::base::source::SourceMap;
use wmbmc::front::{asm, cub};
use wmbmc::lower::asm_system::translate;
use wmbmc::systems::system::{MemorySemantics, resolve};
use wmbmc::report;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::default();
    let file = sources.add("fuzz.asm", text);
    let program = match asm::parse(&sources, file) {
        Ok(program) => program,
        Err(diags) => {
            assert!(!diags.is_empty());
            return;
        }
    };
    let Ok(translation) = translate(&sources, &program) else {
        return;
    };
    if let Err(diags) = resolve(&translation.system, MemorySemantics::Buffered) {
        // More program points than a type has values, more threads than a formula has parameters,
        // larger numbers than are counted with: limits, and nothing else.
        for d in &diags {
            let is_limit = ["more than", "too large", "too many"].iter().any(|w| d.message.contains(w));
            assert!(is_limit, "{}", d.message);
        }
        return;
    }
    let printed = report::cub::system(&translation.system);
    let again = sources.add("fuzz.cub", printed.as_str());
    let parsed = cub::parse(&sources, again).expect("what is printed parses");
    assert_eq!(report::cub::system(&parsed), printed);
});
