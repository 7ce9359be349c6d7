//! The C front end on any text: it is refused, or lowered to a valid program.
//!
//! `cargo +nightly fuzz run c` in the root of the repository.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wmbmc::front::c::parse_text;
use wmbmc::base::source::SourceMap;
use wmbmc::lower::c::lower;
use wmbmc::ir::program::DataModel;
use wmbmc::ir::validate;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::default();
    match parse_text(&mut sources, "fuzz.i", text, 64) {
        Ok(unit) => {
            if let Ok(program) = lower(&sources, &unit, DataModel::Lp64) {
                validate::check(&program).expect("a lowered program is valid");
            }
        }
        Err(diags) => assert!(
            diags
                .iter()
                .all(|d| !d.message.contains("the C parser failed"))
        ),
    }
});
