//! The one source of random numbers: the same ones for the same seed, on every machine.
//!
//! `WMBMC_RANDOM_CASES` asks for another number of random cases than a test usually has, `WMBMC_RANDOM_SEED`
//! for others.

use std::ops::Range;

use proptest::test_runner::{Config, RngSeed};
use wmbmc::ir::bounds::Bounds;

/// Numbers that look random (Marsaglia's xorshift).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `n`, of any type of integer.
    pub fn below<N: TryFrom<u64> + TryInto<u64>>(&mut self, n: N) -> N {
        let n: u64 = n.try_into().ok().expect("a bound is positive");
        let below = (self.bits() >> 33) % n;
        below
            .try_into()
            .ok()
            .expect("it is smaller than a number of the type")
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of some.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

/// How many random cases a test looks at: `WMBMC_RANDOM_CASES`, if that is set.
pub fn random_cases(usual: u64) -> u64 {
    number("WMBMC_RANDOM_CASES").unwrap_or(usual)
}

fn first_seed() -> u64 {
    number("WMBMC_RANDOM_SEED").unwrap_or(1)
}

/// What proptest generates: so many cases, the same ones for the same seed.
pub fn properties(cases: u64) -> Config {
    Config {
        cases: u32::try_from(cases).expect("so many are never generated"),
        rng_seed: RngSeed::Fixed(first_seed()),
        failure_persistence: None,
        ..Config::default()
    }
}

/// The seeds of a test's random cases, which it prints: usually so many from 1 on.
pub fn seeds(usual: u64) -> Range<u64> {
    let first = first_seed();
    let cases = random_cases(usual);
    println!("random cases with WMBMC_RANDOM_SEED={first} WMBMC_RANDOM_CASES={cases}");
    first..first + cases
}

/// How far loops are unwound: for two iterations, and for four where a thousand cases or more are asked for.
pub fn bound_of_loops() -> Bounds {
    Bounds::all(match random_cases(0) {
        1000.. => 5,
        _ => 3,
    })
}
