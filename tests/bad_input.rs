//! Wrong inputs are refused by name and place, with exit 1 (the command line) or 2 (the input);
//! none makes the program panic.

use assert_cmd::Command;
use std::path::Path;

/// Runs the program on a file with this text and returns its exit code and standard error.
fn run(name: &str, text: &[u8], args: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join(name), text).expect("writable");
    run_in(folder.path(), &[&[name], args].concat())
}

fn run_in(folder: &Path, args: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    let output = command
        .current_dir(folder)
        .args(args)
        .output()
        .expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !errors.contains("internal error") && !errors.contains("panicked"),
        "{args:?}: {errors}"
    );
    (output.status.code().expect("no signal"), errors)
}

/// The program is refused with exit 2, at this place, and the message has these words.
fn refused(text: &str, place: &str, words: &str) {
    let (code, errors) = run("bad.c", text.as_bytes(), &[]);
    assert_eq!(code, 2, "{text}\n{errors}");
    let place = if place.is_empty() {
        "bad.c".to_string()
    } else {
        format!("bad.c:{place}")
    };
    assert!(errors.contains(&place), "no {place} in:\n{errors}");
    assert!(
        errors.to_lowercase().contains(words),
        "no `{words}` in:\n{errors}"
    );
}

#[test]
fn syntax() {
    refused("int main(void) { return 0 }\n", "1:", "");
    refused("int main(void) {\n  int x = ;\n}\n", "2:", "");
    refused("int main(void) {\n", "", "");
    refused("int main(void) { if }\n", "1:", "");
    refused("int x = 08;\nint main(void) { return x; }\n", "", "");
    refused("int main(void) { char *s = \"no end; }\n", "1:", "");
    refused("/* no end\nint main(void) { return 0; }\n", "", "");
    refused(
        "#include \"no_such_header.h\"\nint main(void) { return 0; }\n",
        "1:",
        "no_such_header.h",
    );
    refused("#if 1\nint main(void) { return 0; }\n", "", "");
}

#[test]
fn names_and_types() {
    refused("int main(void) {\n  return y;\n}\n", "2:", "y");
    refused(
        "struct s { int a; };\nstruct s v;\nint main(void) {\n  return v.b;\n}\n",
        "4:",
        "b",
    );
    refused(
        "int main(void) {\n  int x = 1;\n  return *x;\n}\n",
        "3:",
        "",
    );
    refused(
        "struct s;\nstruct s v;\nint main(void) { return &v != 0; }\n",
        "",
        "",
    );
    refused(
        "int f(int a, int b) { return a + b; }\nint main(void) {\n  return f(1);\n}\n",
        "3:",
        "",
    );
    refused("int main(void) {\n  goto nowhere;\n}\n", "2:", "nowhere");
    refused("int main(void) {\n  break;\n}\n", "2:", "break");
    refused("int x;\nvoid f(void) { x = 1; }\n", "", "main");
}

#[test]
fn unsupported_constructs() {
    refused(
        "int main(void) {\n  double d = 1.5;\n  return d > 1;\n}\n",
        "2:",
        "",
    );
    refused(
        "int main(void) {\n  __asm__ volatile(\"cpuid\");\n  return 0;\n}\n",
        "2:",
        "cpuid",
    );
    refused(
        "struct { int a : 3; } b;\nint main(void) { return b.a; }\n",
        "2:27",
        "bit-field",
    );
}

#[test]
fn nesting_is_no_way_to_crash() {
    let deep = format!(
        "int main(void) {{ return {}1{}; }}\n",
        "(".repeat(20_000),
        ")".repeat(20_000)
    );
    let (code, _) = run("bad.c", deep.as_bytes(), &["--timeout", "20"]);
    assert!([0, 2, 5].contains(&code), "{code}");
    let blocks = format!(
        "int main(void) {{ {} {} }}\n",
        "{".repeat(20_000),
        "}".repeat(20_000)
    );
    let (code, _) = run("bad.c", blocks.as_bytes(), &["--timeout", "20"]);
    assert!([0, 2, 5].contains(&code), "{code}");
}

#[test]
fn files_that_are_no_programs() {
    let (code, errors) = run("empty.c", b"", &[]);
    assert_eq!((code, errors.contains("main")), (2, true), "{errors}");
    let (code, errors) = run("bad.c", b"int x\xff;\n", &[]);
    assert_eq!((code, errors.contains("UTF-8")), (2, true), "{errors}");
    let (code, errors) = run("bad.c", b"\x7fELF\x02\x01\x01\0\0", &[]);
    assert_eq!(code, 2, "{errors}");
    let (code, errors) = run("other.c", b"", &["missing.c"]);
    assert_eq!(
        (code, errors.contains("no such file")),
        (2, true),
        "{errors}"
    );
    let (code, errors) = run("other.c", b"", &["."]);
    assert_eq!(code, 2, "{errors}");
    for name in ["t.litmus", "t.cub", "t.asm", "t.rs", "t"] {
        let (code, errors) = run(name, b"", &[]);
        assert_eq!((code, errors.contains(name)), (2, true), "{errors}");
    }
}

const GOOD: &[u8] = b"int main(void) { return 0; }\n";

#[test]
fn models() {
    let (code, errors) = run("good.c", GOOD, &["--mm", "tos"]);
    assert_eq!(
        (code, errors.contains("did you mean `tso`?")),
        (1, true),
        "{errors}"
    );
    let (code, errors) = run("good.c", GOOD, &["--mm", "sc,vax"]);
    assert_eq!((code, errors.contains("power2010")), (1, true), "{errors}");
    let (code, errors) = run("good.c", GOOD, &["--mm", "missing.cat"]);
    assert_eq!(
        (code, errors.contains("missing.cat")),
        (2, true),
        "{errors}"
    );
    for (text, place) in [
        ("\"bad\"\nacyclic po |\n", "own.cat:"),
        (
            "\"bad\"\nlet x = nosuchrelation\nacyclic x\n",
            "own.cat:2:9",
        ),
        ("\"bad\"\nacyclic (po | rf\n", "own.cat:"),
        ("\"bad\"\nlet x = R; po\nacyclic x\n", "own.cat:2:"),
        ("\"bad\"\ninclude \"no_such.cat\"\n", "own.cat:2:"),
        ("(* no end", "own.cat:1:"),
        ("\"bad\"\n$ %\n", "own.cat:2:1"),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("own.cat"), text).expect("writable");
        std::fs::write(folder.path().join("good.c"), GOOD).expect("writable");
        let (code, errors) = run_in(folder.path(), &["good.c", "--mm", "own.cat"]);
        assert_eq!(
            (code, errors.contains(place)),
            (2, true),
            "{text}\n{errors}"
        );
    }
}

#[test]
fn options() {
    for args in [
        &["--no-such-option"][..],
        &["--unwind", "many"],
        &["--unwind", "-1"],
        &["--unwindset", "main.0"],
        &["--timeout", "0"],
        &["--timeout", "nan"],
        &["--memory", "0"],
        &["--check", "everything"],
        &["--format", "xml"],
        &["--dump", "after:lunch"],
        &["--data-model", "ip16"],
        &["-v", "-q"],
    ] {
        let (code, errors) = run("good.c", GOOD, args);
        assert_eq!(
            (code, errors.contains("error:")),
            (1, true),
            "{args:?}: {errors}"
        );
    }
    let (code, errors) = run_in(Path::new("."), &[]);
    assert_eq!((code, errors.contains("<FILE>")), (1, true), "{errors}");
}
