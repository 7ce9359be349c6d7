//! Random programs on which the solver and the enumeration must agree.

use rayon::prelude::*;
use std::path::Path;
use support::random::seeds;
use support::{some_models, wmbmc};

/// Asks both engines about so many random programs, each on five models in turn.
/// What the enumeration does not answer counts for neither.
pub fn engines_agree(name: &str, programs: u64, checks: &str, program: fn(u64) -> String) {
    let seeds = seeds(programs);
    let programs = seeds.end - seeds.start;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for programs");
    let found = |seed: u64| {
        let text = program(seed);
        let file = folder.join(format!("{seed}.c"));
        std::fs::write(&file, &text).expect("a program");
        let file = file.to_str().expect("a name");
        let mut found = [0, 0];
        for model in some_models(seed as usize, 5) {
            let answer = |engine| {
                let asked = ["--mm", model, "--check", checks, "--engine", engine, "-q"];
                wmbmc([&[file], &asked[..]].concat()).status.code()
            };
            let (solved, enumerated) = (answer("sat"), answer("enumerate"));
            if enumerated != Some(5) {
                assert_eq!(solved, enumerated, "{model}\n{text}");
                found[usize::from(solved == Some(10))] += 1;
            }
        }
        found
    };
    let add = |[a, b]: [usize; 2], [c, d]: [usize; 2]| [a + c, b + d];
    let verdicts = seeds.into_par_iter().map(found);
    let [safe, unsafe_] = verdicts.reduce(|| [0, 0], add);
    println!("{programs} programs: {safe} answers SAFE, {unsafe_} UNSAFE");
    assert!(safe > 0 && unsafe_ > 0, "one answer alone shows nothing");
}
