//! The crate `test` of a crate whose tests wmbmc checks, in place of the standard library's: what `#[test]` expands to
//! names its items. A program of tests calls one of them where wmbmc reads it, and lists them all where it is run.

pub use TestFn::StaticTestFn;
pub use TestName::StaticTestName;

/// What a test expects of a panic.
#[derive(Clone, Copy)]
pub enum ShouldPanic {
    No,
    Yes,
    YesWithMessage(&'static str),
}

/// The name of a test, with its modules.
#[derive(Clone, Copy)]
pub enum TestName {
    StaticTestName(&'static str),
}

/// Where a test is from.
pub enum TestType {
    UnitTest,
    IntegrationTest,
    DocTest,
    Unknown,
}

/// What a test does.
#[derive(Clone, Copy)]
pub enum TestFn {
    StaticTestFn(fn()),
}

/// What the attributes of a test say.
pub struct TestDesc {
    pub name: TestName,
    pub ignore: bool,
    pub ignore_message: Option<&'static str>,
    pub source_file: &'static str,
    pub start_line: usize,
    pub start_col: usize,
    pub end_line: usize,
    pub end_col: usize,
    pub should_panic: ShouldPanic,
    pub compile_fail: bool,
    pub no_run: bool,
    pub test_type: TestType,
}

/// A test.
pub struct TestDescAndFn {
    pub desc: TestDesc,
    pub testfn: TestFn,
}

unsafe extern "C" {
    /// Which test is checked; `usize::MAX` where the program is run.
    safe fn wmbmc_chosen_test() -> usize;
}

/// A test that returns an error has failed.
#[inline]
pub fn assert_test_result<T: std::process::Termination>(result: T) {
    let is_success = result.report() == std::process::ExitCode::SUCCESS;
    assert!(is_success, "the test returns no error");
}

/// What `main` calls.
#[inline]
pub fn test_main_static(tests: &[&TestDescAndFn]) {
    match wmbmc_chosen_test() {
        usize::MAX => list(tests),
        index => {
            let StaticTestFn(test) = tests[index].testfn;
            test();
        }
    }
}

/// Prints a line for each test: how it is to be treated, and its name.
#[inline(never)]
fn list(tests: &[&TestDescAndFn]) {
    for test in tests {
        let StaticTestName(name) = test.desc.name;
        let kind = match (test.desc.ignore, test.desc.should_panic) {
            (true, _) => "ignored",
            (false, ShouldPanic::No) => "test",
            (false, ShouldPanic::Yes | ShouldPanic::YesWithMessage(_)) => "should_panic",
        };
        println!("{kind} {name}");
    }
}
