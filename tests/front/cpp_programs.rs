//! Programs of C++ (`benchmarks/cpp`), as clang compiles them.

use super::clang::has_clang;
use support::cases_of_kind;

#[test]
fn programs_of_cpp_have_their_verdicts() {
    if has_clang() {
        support::check(
            &cases_of_kind("benchmarks/cpp", "cpp"),
            &["--timeout", "300"],
        );
    }
}
