//! Systems that are nearly right: tokens of the benchmarks dropped, doubled, exchanged. Whatever
//! comes out is refused with a place, or explored; nothing panics.

use std::time::{Duration, Instant};
use support::{Random, files};
use wmbmc::base::source::SourceMap;
use wmbmc::systems::cub;
use wmbmc::systems::search::{SearchOptions, search};
use wmbmc::systems::system::{MemorySemantics, resolve};

/// Words and signs, with the blanks after them.
fn pieces(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut word = false;
    for c in text.chars() {
        let part_of_word = c.is_alphanumeric() || c == '_';
        match all.last_mut() {
            Some(last) if c.is_whitespace() || (word && part_of_word) => last.push(c),
            _ => all.push(c.to_string()),
        }
        word = part_of_word;
    }
    all
}

#[test]
fn mutated_systems_are_refused_or_explored() {
    let mut random = Random::new(0x5eed_cafe);
    let (mut refused, mut explored) = (0, 0);
    for path in files("benchmarks/parameterized", "cub") {
        let text = std::fs::read_to_string(&path).expect("the file is readable");
        let whole = pieces(&text);
        for _ in 0..60 {
            let mut now = whole.clone();
            for _ in 0..1 + random.below(2) {
                let (i, j) = (random.below(now.len()), random.below(now.len()));
                match random.below(4) {
                    0 => drop(now.remove(i)),
                    1 => now.insert(i, now[j].clone()),
                    2 => now.swap(i, j),
                    _ => now[i] = now[j].clone(),
                }
            }
            let mut sources = SourceMap::default();
            let file = sources.add("mutated.cub", now.concat());
            for memory in [MemorySemantics::Flat, MemorySemantics::Buffered] {
                match cub::parse(&sources, file).and_then(|f| resolve(&f, memory)) {
                    Ok(system) => {
                        explored += 1;
                        let options = SearchOptions {
                            max_nodes: 30,
                            until: Some(Instant::now() + Duration::from_millis(200)),
                            ..SearchOptions::default()
                        };
                        search(&system, &options);
                    }
                    Err(diags) => {
                        refused += 1;
                        assert!(!diags.is_empty());
                        for d in diags {
                            assert!(!d.render(&sources, false).is_empty());
                        }
                    }
                }
            }
        }
    }
    println!("{refused} refused, {explored} explored");
    assert!(refused > 500 && explored > 100, "{refused} {explored}");
}
