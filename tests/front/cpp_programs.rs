//! Programs of C++ (`benchmarks/cpp`), as clang compiles them.

use super::clang::has_clang;
use support::{cases_of_kind, wmbmc};

#[test]
fn programs_of_cpp_have_their_verdicts() {
    if has_clang() {
        support::check_on_one_model(
            &cases_of_kind("benchmarks/cpp", "cpp"),
            &["--timeout", "300"],
        );
    }
}

/// The first line of the answer about files, by their names and texts, of which the first ones are programs.
fn answer(programs: usize, files: &[(&str, &str)], options: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut args: Vec<String> = options.iter().map(|o| o.to_string()).collect();
    for (i, (name, text)) in files.iter().enumerate() {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("the folder is writable");
        if i < programs {
            args.push(path.display().to_string());
        }
    }
    args.extend(["-I".to_string(), folder.path().display().to_string()]);
    let output = wmbmc(&args);
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    text.lines().next().unwrap_or_default().to_string()
}

#[test]
fn files_of_cpp_are_linked() {
    if !has_clang() {
        return;
    }
    let counter = "#include <mutex>\n\
        int &count() { static int own = 0; return own; }\n\
        static std::mutex mutex;\n\
        void add() { std::lock_guard lock(mutex); count()++; }\n";
    let main = "#include <cassert>\n\
        #include <thread>\n\
        int &count();\n\
        void add();\n\
        int main() { std::thread other(add); add(); other.join(); assert(count() == WANTED); }\n";
    let files = [("main.cpp", main), ("counter.cpp", counter)];
    assert_eq!(answer(2, &files, &["--link", "-DWANTED=2"]), "SAFE");
    assert_eq!(answer(2, &files, &["--link", "-DWANTED=1"]), "UNSAFE");
}

/// Of linked files one catches what another one throws.
#[test]
fn what_another_file_may_catch_is_not_known() {
    if !has_clang() {
        return;
    }
    let thrower = "#include <functional>\nvoid call() { std::function<void()> none; none(); }\n";
    let catches = "void call();\nint main() { try { call(); } catch (...) {} }\n";
    let passes = "void call();\nint main() { call(); }\n";
    let both = |main| [("main.cpp", main), ("thrower.cpp", thrower)];
    assert_eq!(answer(2, &both(passes), &["--link"]), "UNSAFE");
    let caught = answer(2, &both(catches), &["--link"]);
    assert!(
        caught.starts_with("UNKNOWN: call of `__llvm_exception"),
        "{caught}"
    );
}

/// The first member has the address of the whole, and is copied as what it is.
#[test]
fn a_first_member_is_copied_by_its_type() {
    if !has_clang() {
        return;
    }
    let text = "#include <cassert>\n\
        struct Inner { int *p; };\n\
        struct Outer { Inner inner; unsigned char c; };\n\
        int x = 7;\n\
        int main() { Inner inner; inner.p = &x; Outer a{inner, 3}; Outer b = a;\n\
        assert(*b.inner.p + b.c == WANTED); }\n";
    let files = [("main.cpp", text)];
    assert_eq!(answer(1, &files, &["-DWANTED=10"]), "SAFE");
    assert_eq!(answer(1, &files, &["-DWANTED=9"]), "UNSAFE");
}

/// Headers and macros of the program do not reach the runtime, which is in C.
#[test]
fn options_of_the_preprocessor_are_about_the_program() {
    if !has_clang() {
        return;
    }
    let header = "template <class T> T twice(T t) { return t + t; }\n";
    let text = "#include <cassert>\n\
        #include <thread>\n\
        int main() { std::thread([] {}).join(); assert(twice(watched) == 4); }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let own = folder.path().join("own.hpp");
    std::fs::write(&own, header).expect("the folder is writable");
    let own = own.display().to_string();
    let found = answer(
        1,
        &[("main.cpp", text)],
        &["--include", &own, "-Dwatched=2"],
    );
    assert_eq!(found, "SAFE");
}
