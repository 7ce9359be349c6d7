//! Programs that once went wrong somewhere in this field, and the classic shapes of weak memory,
//! each with its verdict on every model (`tests/c`).

/// Seconds after which a regression program counts as undecided.
const LIMIT: [&str; 2] = ["--timeout", "120"];

#[test]
fn every_program_has_its_verdict() {
    support::check(&support::cases("tests/c"), &LIMIT);
}

/// One in three programs; `WMBMC_CASES=all` takes all of them.
#[test]
fn the_other_order_encoding_agrees() {
    let [flag, seconds] = LIMIT;
    let cases = support::some(support::cases("tests/c"), 3);
    assert!(cases.len() > 50);
    support::check(&cases, &["--order", "clocks", flag, seconds]);
}

/// What a stronger model allows, a weaker one allows too.
#[test]
fn the_expectations_are_monotonic() {
    let stronger_weaker = [
        ("sc", "tso"),
        ("tso", "pso"),
        ("pso", "rmo"),
        ("sc", "alpha"),
        ("sc", "power2010"),
        ("sc", "power"),
    ];
    for case in support::cases("tests/c")
        .iter()
        .chain(&support::cases("benchmarks"))
    {
        for (strong, weak) in stronger_weaker {
            let verdict = |model: &str| case.expect.get(model).map(String::as_str);
            if verdict(strong) == Some("UNSAFE") {
                assert!(
                    matches!(verdict(weak), None | Some("UNSAFE")),
                    "{}: {strong}, {weak}",
                    case.name()
                );
            }
        }
    }
}
