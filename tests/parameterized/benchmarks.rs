//! The programs of `benchmarks/parameterized`: each says in its first line what is expected.

use std::path::Path;
use support::files;
use wmbmc::base::source::SourceMap;
use wmbmc::systems::answer::{Brab, SystemAnswer, answer, answer_on_events};
use wmbmc::systems::cub;
use wmbmc::systems::search::SearchOptions;
use wmbmc::systems::system::StoreOrder;
use wmbmc::systems::system::{MemorySemantics, resolve};

fn verdict(path: &Path, model: &str) -> &'static str {
    let mut sources = SourceMap::default();
    let id = sources.load(path).expect("the file is readable");
    let (memory, order) = match model {
        "sc" => (MemorySemantics::Flat, StoreOrder::Sc),
        "tso" => (MemorySemantics::Buffered, StoreOrder::Tso),
        "pso" => (MemorySemantics::Buffered, StoreOrder::Pso),
        other => panic!("{} names the model `{other}`", path.display()),
    };
    let file = cub::parse(&sources, id);
    let system = file.and_then(|f| resolve(&f, memory));
    let system = system.unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
    let options = SearchOptions {
        max_nodes: 2000,
        ..SearchOptions::default()
    };
    if order == StoreOrder::Pso {
        return match answer_on_events(&system, order, &options) {
            SystemAnswer::Safe(_) => "SAFE",
            SystemAnswer::Unsafe { .. } => "UNSAFE",
            SystemAnswer::Unknown(..) => "UNKNOWN",
        };
    }
    match answer(&system, order, &options, Brab::Late) {
        SystemAnswer::Safe(_) => "SAFE",
        SystemAnswer::Unsafe { .. } => "UNSAFE",
        SystemAnswer::Unknown(..) => "UNKNOWN",
    }
}

#[test]
fn every_program_is_as_it_says() {
    let files = files("benchmarks/parameterized", "cub");
    assert!(files.len() >= 20);
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the file is readable");
        let first = text.lines().next().unwrap_or_default();
        let expected = first
            .strip_prefix("(* expect: ")
            .and_then(|l| l.strip_suffix(" *)"))
            .unwrap_or_else(|| panic!("{} does not say what is expected", path.display()));
        for pair in expected.split(' ') {
            let (model, wanted) = pair.split_once('=').expect("`model=VERDICT`");
            assert_eq!(
                verdict(&path, model),
                wanted,
                "{} on {model}",
                path.display()
            );
        }
    }
}
