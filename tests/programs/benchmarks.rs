//! The benchmark programs answer what their head comments say, on every model.

#[test]
fn every_benchmark_has_its_verdict() {
    support::check(&support::cases("benchmarks"), &["--timeout", "600"]);
}

#[test]
fn every_system_has_its_verdict() {
    support::check(&support::cases("benchmarks/systems"), &["--timeout", "600"]);
}

#[test]
fn races_are_told_from_their_absence() {
    support::check(&support::cases("benchmarks/races"), &["--timeout", "600"]);
}

#[test]
fn any_number_of_threads_is_told_from_too_many() {
    support::check(
        &support::cases("benchmarks/unbounded"),
        &["--timeout", "600"],
    );
}

#[test]
fn deadlocks_are_told_from_their_absence() {
    support::check(
        &support::cases("benchmarks/deadlocks"),
        &["--timeout", "600"],
    );
}

#[test]
fn loops_that_end_are_told_from_others() {
    support::check(
        &support::cases("benchmarks/termination"),
        &["--timeout", "600"],
    );
}

#[test]
fn structures_that_are_linearizable_are_told_from_others() {
    support::check(
        &support::cases("benchmarks/linearizable"),
        &["--timeout", "600"],
    );
}

#[test]
fn the_textbook_is_proved() {
    support::check(
        &support::cases("benchmarks/textbook"),
        &["--timeout", "600"],
    );
}

#[test]
fn fibonacci_is_exact_with_clocks_too() {
    let mut cases = support::cases("benchmarks");
    cases.retain(|c| c.name().contains("fibonacci"));
    assert_eq!(cases.len(), 4);
    support::check(&cases, &["--timeout", "600", "--order", "clocks"]);
}
