//! The models that tests ask about, as the tool lists them.

use wmbmc::cat;
use wmbmc::cat::model::Model;

/// The built-in models that `all` names in what is expected of a program.
pub const MODELS: [&str; 7] = ["sc", "tso", "pso", "rmo", "alpha", "power2010", "power"];

/// The built-in models that two ways to an answer are compared on: all but that of the kernel, which gives no
/// meaning to C11's atomics.
pub fn models() -> Vec<&'static str> {
    let names = cat::names().map(|(name, _)| name);
    names.filter(|name| *name != "lkmm").collect()
}

/// `count` of [`models`]: each in turn, from one number to the next.
pub fn some_models(number: usize, count: usize) -> impl Iterator<Item = &'static str> {
    let models = models();
    let first = number * count;
    (first..first + count).map(move |i| models[i % models.len()])
}

/// A built-in model.
pub fn builtin(name: &str) -> Model {
    cat::builtin(name).unwrap_or_else(|| panic!("{name} is not built in"))
}
