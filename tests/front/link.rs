//! Programs of several files: linking, `@FILE`, `compile_commands.json`, and a compiler's flags.

use std::path::Path;
use std::process::{Command, Output};

/// A program of tests/front/link/programs.txt, which says what the lines mean.
#[derive(Default)]
struct Program {
    name: String,
    expect: Option<String>,
    refused: Option<String>,
    places: Vec<String>,
    options: Vec<String>,
    machine: String,
    trace: Option<String>,
    files: Vec<(String, String)>,
}

fn programs() -> Vec<Program> {
    let path = support::root().join("tests/front/link/programs.txt");
    let text = std::fs::read_to_string(path).expect("it is in the repository");
    text.split("\n=== ").skip(1).map(program).collect()
}

fn program(text: &str) -> Program {
    let mut parts = text.split("\n--- ");
    let mut lines = parts.next().unwrap_or_default().lines();
    let mut program = Program {
        name: lines.next().unwrap_or_default().to_string(),
        ..Program::default()
    };
    for line in lines {
        let (key, value) = line.split_once(": ").expect("key: value");
        let words = || value.split_whitespace().map(str::to_string).collect();
        match key {
            "expect" => program.expect = Some(value.to_string()),
            "refused" => program.refused = Some(value.to_string()),
            "at" => program.places = words(),
            "options" => program.options = words(),
            "machine" => program.machine = value.to_string(),
            "trace" => program.trace = Some(value.to_string()),
            other => panic!("{}: `{other}` is no key", program.name),
        }
    }
    for part in parts {
        let (name, body) = part.split_once('\n').expect("a file has a name and a text");
        program.files.push((name.to_string(), format!("{body}\n")));
    }
    program
}

impl Program {
    fn write(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        for (name, text) in &self.files {
            write(folder.path(), name, text);
        }
        folder
    }

    fn c_files(&self) -> Vec<&str> {
        let names = self.files.iter().map(|(name, _)| name.as_str());
        names.filter(|n| n.ends_with(".c")).collect()
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    let parent = path.parent().expect("it is in a folder");
    std::fs::create_dir_all(parent).expect("temporary files can be written");
    std::fs::write(path, text).expect("temporary files can be written");
}

fn wmbmc(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    let command = command.current_dir(folder).args(args).env("NO_COLOR", "1");
    command.output().expect("cargo has built it")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

#[test]
fn programs_of_several_files_have_their_verdicts() {
    let all = programs();
    assert!(all.len() >= 20, "{}", all.len());
    for program in all {
        let folder = program.write();
        let mut args = program.c_files();
        args.extend(["--link", "--engine", "both"]);
        args.extend(program.options.iter().map(String::as_str));
        let output = wmbmc(folder.path(), &args);
        let said = text(&output);
        let name = &program.name;
        let expected = match (&program.expect, &program.refused) {
            (Some(verdict), None) if verdict == "SAFE" => 0,
            (Some(verdict), None) if verdict == "UNSAFE" => 10,
            (Some(verdict), None) if verdict == "UNKNOWN" => 5,
            (None, Some(_)) => 2,
            _ => panic!("{name}: expect is SAFE, UNSAFE or UNKNOWN, or it is refused"),
        };
        assert_eq!(code(&output), Some(expected), "{name}\n{said}");
        for words in program.refused.iter().chain(&program.trace) {
            assert!(
                said.contains(words),
                "{name}: `{words}` is missing in\n{said}"
            );
        }
        for place in &program.places {
            let (file, line) = place.split_once(':').expect("FILE:LINE");
            let pointed = said.contains(&format!("{place}:"))
                || said.contains(&format!("{file}:")) && said.contains(&format!("\n{line} |"));
            assert!(pointed, "{name}: {place} is not pointed to in\n{said}");
        }
    }
}

/// Each file alone is another program: the order of the files does not matter.
#[test]
fn the_order_of_the_files_does_not_matter() {
    for program in programs().iter().filter(|p| p.expect.is_some()) {
        let folder = program.write();
        let mut args = program.c_files();
        args.reverse();
        args.extend(["--link"]);
        args.extend(program.options.iter().map(String::as_str));
        let output = wmbmc(folder.path(), &args);
        let expected = match program.expect.as_deref() {
            Some("SAFE") => 0,
            Some("UNKNOWN") => 5,
            _ => 10,
        };
        assert_eq!(
            code(&output),
            Some(expected),
            "{}\n{}",
            program.name,
            text(&output)
        );
    }
}

#[test]
fn the_machine_agrees() {
    if Command::new("cc").arg("--version").output().is_err() {
        support::skipped(support::Missing::Tool("cc"));
        return;
    }
    for program in programs() {
        let folder = program.write();
        let mut cc = Command::new("cc");
        let cc = cc
            .current_dir(folder.path())
            .args(["-w", "-fcommon", "-pthread", "-o", "program"]);
        let built = cc.args(program.c_files()).output().expect("cc runs");
        let ran = || {
            let run = Command::new(folder.path().join("program")).output();
            run.expect("it has been built").status.success()
        };
        let outcome = match built.status.success() {
            false => "does not link",
            true if program.machine == "differs" => "differs",
            true if ran() => "passes",
            true => "fails",
        };
        let said = String::from_utf8_lossy(&built.stderr);
        let accepted = program.machine == "differs" || outcome == program.machine;
        assert!(accepted, "{}: {outcome}\n{said}", program.name);
    }
}

const MAIN: &str =
    "#include <assert.h>\nint f(void);\nint main(void) { assert(f() == N); return 0; }\n";

#[test]
fn files_without_link_are_inputs_of_their_own() {
    let folder = tempfile::tempdir().expect("there is room");
    write(folder.path(), "a.c", "int main(void) { return 0; }\n");
    write(folder.path(), "b.c", "int f(void) { return 0; }\n");
    let output = wmbmc(folder.path(), &["a.c", "b.c"]);
    assert_eq!(code(&output), Some(2));
    let said = text(&output);
    assert!(said.contains("this file has no function `main`"), "{said}");
    assert!(said.contains("--link"), "{said}");
    assert!(
        said.contains("a.c on sc: SAFE") || said.contains("SAFE"),
        "{said}"
    );
    let twice = wmbmc(folder.path(), &["a.c", "a.c", "--link"]);
    assert_eq!(code(&twice), Some(2));
    assert!(text(&twice).contains("named twice"));
}

#[test]
fn arguments_come_from_a_file() {
    let folder = tempfile::tempdir().expect("there is room");
    write(folder.path(), "src/a.c", MAIN);
    write(folder.path(), "src/b.c", "int f(void) { return 3; }\n");
    let list = "# the files\nsrc/a.c\n  src/b.c\n\n--link\n-DN=3\n";
    write(folder.path(), "files.txt", list);
    let output = wmbmc(folder.path(), &["@files.txt", "--mm", "sc,tso"]);
    assert_eq!(code(&output), Some(0), "{}", text(&output));
    let missing = wmbmc(folder.path(), &["@none.txt"]);
    assert_eq!(code(&missing), Some(1));
    assert!(text(&missing).contains("cannot read none.txt"));
}

#[test]
fn a_compile_line_can_be_pasted() {
    let folder = tempfile::tempdir().expect("there is room");
    write(folder.path(), "a.c", MAIN);
    write(
        folder.path(),
        "lib/b.c",
        "#include <limit.h>\n#include \"own.h\"\nint f(void) { return LIMIT + OWN; }\n",
    );
    write(folder.path(), "sys/limit.h", "#define LIMIT 3\n");
    write(
        folder.path(),
        "quoted/own.h",
        "#ifdef WRONG\n#error wrong\n#endif\n#define OWN FROM\n",
    );
    write(folder.path(), "all.h", "#define FROM 4\n");
    let line = "-std=c11 -O2 -Wall -g -pthread -fPIC -DN=7 -DWRONG -UWRONG -isystem sys -iquote quoted \
                -include all.h a.c lib/b.c -o prog -lm --link";
    let args: Vec<&str> = line.split_whitespace().collect();
    let output = wmbmc(folder.path(), &args);
    let said = text(&output);
    assert_eq!(code(&output), Some(0), "{said}");
    assert!(
        said.contains("-O2, -Wall, -g, -pthread, -fPIC, -o prog, -lm"),
        "{said}"
    );
    // Without a flag it is another program.
    let args: Vec<&str> = args.iter().filter(|a| **a != "-UWRONG").copied().collect();
    assert_eq!(code(&wmbmc(folder.path(), &args)), Some(2));
    let refused = wmbmc(folder.path(), &["-fopenmp", "a.c"]);
    assert_eq!(code(&refused), Some(1));
    assert!(text(&refused).contains("-fopenmp"));
}

#[test]
fn a_macro_of_the_command_line_counts() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let at = folder.path();
    std::fs::create_dir(at.join("sub")).expect("there is room for a folder");
    write(at, "sub/kernel.h", "#define FROM_HERE 1\n");
    let main = "#include <assert.h>\n#include \"kernel.h\"\n#define N 100 /* items */\n\
        #ifndef M\n#define M 7\n#endif\nint main(void) {\n  assert(FROM_HERE && N == 100 && M == 7);\n}\n";
    write(at, "sub/main.c", main);
    let safe = wmbmc(at, &["sub/main.c"]);
    assert_eq!(
        (code(&safe), text(&safe).contains("left out")),
        (Some(0), false)
    );
    let replaced = wmbmc(at, &["sub/main.c", "-D", "N=3"]);
    assert_eq!(code(&replaced), Some(10), "{}", text(&replaced));
    // Lines are those of the file.
    assert!(
        text(&replaced).contains("sub/main.c:8"),
        "{}",
        text(&replaced)
    );
    let note = String::from_utf8_lossy(&replaced.stderr).to_string();
    assert!(
        note.contains("sub/main.c:3:1") && note.contains("W0004"),
        "{note}"
    );
    // The file itself asks whether there is a definition.
    let default = wmbmc(at, &["sub/main.c", "-D", "M=2"]);
    assert_eq!(code(&default), Some(10), "{}", text(&default));
    assert!(!String::from_utf8_lossy(&default.stderr).contains("left out"));
}

#[test]
fn the_standard_and_the_data_model_are_obeyed() {
    let folder = tempfile::tempdir().expect("there is room");
    let program = "#include <assert.h>\nint main(void) { assert(sizeof(long) == SIZE); \
                   assert(__STDC_VERSION__ == VERSION); return 0; }\n";
    write(folder.path(), "a.c", program);
    let verdict = |args: &[&str]| code(&wmbmc(folder.path(), &[args, &["a.c"]].concat()));
    let (v99, v11) = ("-DVERSION=199901L", "-DVERSION=201112L");
    assert_eq!(verdict(&["-DSIZE=8", v11]), Some(0));
    assert_eq!(verdict(&["-m32", "-DSIZE=4", v11]), Some(0));
    assert_eq!(verdict(&["-m32", "-DSIZE=8", v11]), Some(10));
    assert_eq!(verdict(&["-m64", "-std=c99", "-DSIZE=8", v99]), Some(0));
    assert_eq!(verdict(&["-m32", "--data-model", "lp64", v11]), Some(1));
}

/// A project of four files; `other.c` is another program, `unused.c` is of no use.
fn project(folder: &Path) {
    write(
        folder,
        "src/main.c",
        "#include <assert.h>\n#include \"f.h\"\nint main(void) { assert(f() == WANTED); return 0; }\n",
    );
    write(folder, "inc/f.h", "int f(void);\n");
    write(
        folder,
        "src/f.c",
        "#include \"f.h\"\nextern int base;\nint f(void) { return base + STEP; }\n",
    );
    write(folder, "src/data.c", "int base = 5;\n");
    write(
        folder,
        "src/other.c",
        "int base = 6;\nint f(void) { return 0; }\nint main(void) { return 0; }\n",
    );
    write(folder, "src/unused.c", "int unused(void) { return 0; }\n");
    let entry = |file: &str, flags: &str| {
        format!(
            r#"{{"directory": "{0}/build", "file": "../src/{file}", "command": "cc {flags} -I../inc -O2 -c ../src/{file} -o {file}.o"}}"#,
            folder.display()
        )
    };
    let entries = [
        entry("main.c", "-DWANTED=7"),
        entry("f.c", "-DSTEP=2"),
        entry("data.c", ""),
        entry("other.c", ""),
        entry("unused.c", ""),
    ];
    write(
        folder,
        "build/compile_commands.json",
        &format!("[{}]", entries.join(",\n")),
    );
}

#[test]
fn a_program_is_found_among_compile_commands() {
    let folder = tempfile::tempdir().expect("there is room");
    let root = folder.path().canonicalize().expect("it exists");
    project(&root);
    write(
        &root,
        "src/unused.c",
        "int unused(void) { return f() + ; }\n",
    );
    let commands = [
        "--compile-commands",
        "build/compile_commands.json",
        "--entry",
        "src/main.c",
    ];
    let output = wmbmc(&root, &commands);
    assert_eq!(code(&output), Some(0), "{}", text(&output));
    // What the user defines goes last.
    let output = wmbmc(&root, &[&commands[..], &["-DWANTED=8"]].concat());
    assert_eq!(code(&output), Some(10), "{}", text(&output));
    let missing = [
        "--compile-commands",
        "build/compile_commands.json",
        "--entry",
        "none.c",
    ];
    let missing = wmbmc(&root, &missing);
    assert_eq!(code(&missing), Some(2));
    assert!(text(&missing).contains("no command of build/compile_commands.json compiles none.c"));
    // Two files that define what is needed are both linked, and are one too many.
    write(&root, "src/unused.c", "int base = 9;\n");
    let twice = wmbmc(&root, &commands);
    assert_eq!(code(&twice), Some(2), "{}", text(&twice));
    assert!(text(&twice).contains("`base` is defined twice"));
}
