//! Systems of any number of processes, on any text: it is refused, or typed for both kinds of
//! memory; then a few nodes are explored backwards, a proof is checked again, and the machine with
//! buffers takes a few steps and must not contradict it.
//!
//! `cargo +nightly fuzz run cub` in the root of the repository.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::time::{Duration, Instant};
use wmbmc::systems::cub::parse;
use wmbmc::base::source::SourceMap;
use wmbmc::systems::certificate;
use wmbmc::systems::search::{SearchOptions, SearchVerdict, search};
use wmbmc::systems::concrete::{ExplorationLimits, Machine, ExplorationResult, explore};
use wmbmc::systems::system::StoreOrder;
use wmbmc::systems::system::{MemorySemantics, resolve};

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::default();
    let file = sources.add("fuzz.cub", text);
    let Ok(parsed) = parse(&sources, file) else {
        return;
    };
    for (memory, order) in [(MemorySemantics::Flat, StoreOrder::Sc), (MemorySemantics::Buffered, StoreOrder::Tso)] {
        let system = match resolve(&parsed, memory) {
            Ok(system) => system,
            Err(diags) => {
                assert!(!diags.is_empty());
                continue;
            }
        };
        let until = Some(Instant::now() + Duration::from_millis(200));
        let options = SearchOptions {
            max_nodes: 30,
            max_procs: 4,
            until,
            ..SearchOptions::default()
        };
        let found = search(&system, &options);
        if found.verdict != SearchVerdict::Safe {
            continue;
        }
        let cubes: Vec<_> = found.certificate().into_iter().cloned().collect();
        assert_ne!(certificate::write(&system, "tso", &cubes), "");
        let procs = system.procs.unwrap_or(2);
        if procs > 3 {
            continue;
        }
        let limits = ExplorationLimits {
            states: 300,
            queue: 3,
            until,
        };
        let machine = Machine::new(&system, procs, order, &[]);
        let run = explore(&machine, limits);
        assert!(!matches!(run, ExplorationResult::Unsafe(_)), "it is proved safe");
    }
});
