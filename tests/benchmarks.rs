//! The benchmark programs answer what their head comments say, on every model.

mod common;

#[test]
fn every_benchmark_has_its_verdict() {
    common::check(&common::cases("benchmarks"), &["--timeout", "600"]);
}
