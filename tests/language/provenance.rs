//! An oracle for pointers that leave their object: random walks of a pointer in several steps, some of them as
//! long as the distance between the addresses of two objects, against arithmetic on the exact offset in the
//! object that the pointer was made from (C11 6.5.6p8).
//!
//! 1. Where the place that is accessed at the end is outside of that object the program is not `SAFE`, whatever
//!    lies at the address.
//! 2. Where no step leaves the object the program is not `UNSAFE`.
//!
//! Between the two C calls a program undefined that does what was meant on machines: any answer will do. How
//! many runs are undecided is printed, and is few.
//! `WMBMC_RANDOM_CASES=2000` looks at more walks, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use std::fmt::Write;
use support::random::seeds;
use support::{Random, wmbmc};

/// The data models with the bits of a pointer, and bits of distances that objects may have.
const MODELS: [(&str, u32, [u32; 2]); 2] = [("LP64", 64, [31, 32]), ("ILP32", 32, [19, 20])];

/// The types of indices, their bits (0: those of a pointer) and whether they are signed.
const TYPES: [(&str, u32, bool); 5] = [
    ("int", 32, true),
    ("unsigned", 32, false),
    ("long", 0, true),
    ("unsigned long", 0, false),
    ("short", 16, true),
];

struct Walk {
    text: String,
    /// Whether each step stays in the object or comes to its end.
    stays: bool,
    /// Whether the place at the end is an element of the object.
    inside: bool,
}

impl Walk {
    fn new(seed: u64, (_, pointer, distances): (&str, u32, [u32; 2])) -> Walk {
        let mut random = Random::new(seed);
        random.below(2);
        let count = 2 + random.below(6) as i128;
        let object = match random.below(3) {
            0 => format!("int *p = malloc({count} * sizeof(int)); if (!p) return 0;"),
            1 => "int *p = local;".into(),
            _ => "int *p = global;".into(),
        };
        let mut body = String::new();
        let (mut at, mut stays) = (0_i128, true);
        for step in 0..1 + random.below(4) {
            let (ty, bits, signed) = random.pick(&TYPES);
            let bits = if bits == 0 { pointer } else { bits };
            let minus = random.below(3) == 0;
            let near = random.below(count as usize) as i128 - at * i128::from(!minus);
            let far = (1_i128 << random.pick(&distances)) / 4 * random.pick(&[1, 2, 3, 4, -1, -4]);
            let index = match random.below(3) {
                0 => far + near,
                1 => random.pick(&[1, -1, 100, -100]) + near,
                _ => near,
            };
            // What the type makes of the number, and the pointer of that.
            let kept = index & ((1 << bits) - 1);
            let is_negative = (signed || bits >= pointer) && kept >> (bits - 1) == 1;
            let value = kept - (i128::from(is_negative) << bits);
            at += if minus { -value } else { value };
            stays &= (0..=count).contains(&at);
            let op = if minus { "-" } else { "+" };
            let literal = match random.below(2) {
                0 => format!("{ty} i{step} = ({ty}){kept}ULL;"),
                _ => format!(
                    "{ty} i{step} = ({ty})__VERIFIER_nondet_long(); if (i{step} != ({ty}){kept}ULL) return 0;"
                ),
            };
            let _ = writeln!(body, "  {literal} p = p {op} i{step};");
        }
        let access = match random.below(2) {
            0 => "*p = 1;",
            _ => "x[0] = *p;",
        };
        let text = format!(
            "#include <stdlib.h>\nextern long __VERIFIER_nondet_long(void);\n\
             int before[4], global[{count}], x[4], y[8];\n\
             int main(void) {{\n  int local[{count}] = {{0}}; local[0] = x[1] + y[0] + before[0];\n  {object}\n\
             {body}  {access}\n  return 0;\n}}\n"
        );
        Walk {
            text,
            stays,
            inside: (0..count).contains(&at),
        }
    }
}

#[test]
fn no_pointer_comes_to_another_object() {
    let walks: Vec<(&str, Walk)> = seeds(60)
        .flat_map(|seed| MODELS.map(|model| (model.0, Walk::new(seed, model))))
        .collect();
    let answers: Vec<[Option<i32>; 2]> = walks
        .par_iter()
        .enumerate()
        .map(|(n, (model, walk))| {
            let name = format!("wmbmc-provenance-{}-{n}.c", std::process::id());
            let file = std::env::temp_dir().join(name);
            std::fs::write(&file, &walk.text).expect("the folder for temporary files is writable");
            let path = file.display().to_string();
            let codes = ["sat", "explore"].map(|engine| {
                let options = [
                    "--check",
                    "memory",
                    "--data-model",
                    model,
                    "--engine",
                    engine,
                ];
                wmbmc(options.into_iter().chain([path.as_str()]))
                    .status
                    .code()
            });
            let _ = std::fs::remove_file(&file);
            codes
        })
        .collect();
    let mut wrong = Vec::new();
    let (mut counts, mut undecided) = ([0; 3], 0);
    for ((model, walk), codes) in walks.iter().zip(answers) {
        let decided = codes
            .iter()
            .flatten()
            .filter(|code| [0, 10].contains(*code));
        undecided += codes.len() - decided.clone().count();
        let right = match (walk.inside, walk.stays) {
            (false, _) => decided.clone().all(|code| *code == 10),
            (true, true) => decided.clone().all(|code| *code == 0),
            (true, false) => true,
        };
        let kind = usize::from(walk.inside) + usize::from(walk.inside && walk.stays);
        counts[kind] += 1;
        if !right {
            wrong.push(format!("{model}, exit codes {codes:?}:\n{}", walk.text));
        }
    }
    let [outside, back, within] = counts;
    println!(
        "{outside} walks end outside of their object, {back} leave it and come back, {within} stay in it; \
         {undecided} of {} runs are undecided",
        2 * walks.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(4 * outside > walks.len() && 8 * within > walks.len());
    assert!(5 * undecided < 2 * walks.len());
}
