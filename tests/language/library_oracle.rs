//! The library against the platform: every modelled function in small programs.
//!
//! `tests/language/library/*.c` are tables of programs (`check.h` says how they are written). Each program is
//! compiled with the machine's compiler and run: its checks hold, and each of them fails when it is
//! negated. The same is asked of the checker: the program is `SAFE`, and with one check negated
//! `UNSAFE`. A function that has a meaning here and that no program covers is a failure.

use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::pipeline::{Subject, checking, looking_for};
use support::{builtin, root};
use wmbmc::base::source::SourceMap;
use wmbmc::check::outcome::Verdict;
use wmbmc::front::c::preprocess::preprocess;
use wmbmc::front::c::{self, ParseOptions};
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::{DataModel, PropertyKind};
use wmbmc::lower::c::lower_for;
use wmbmc::lower::c::registry::{self, Errno, Returns, Row};

const MARK: &str = "#pragma case ";

/// One program of a table.
struct Program {
    file: PathBuf,
    name: String,
    covers: Vec<String>,
    /// Its text, preprocessed.
    text: String,
    /// The lines of its checks.
    checks: Vec<u32>,
}

fn tables() -> Vec<PathBuf> {
    support::files("tests/language/library", "c")
}

fn compiler() -> String {
    std::env::var("CC").unwrap_or_else(|_| "cc".to_string())
}

fn has_compiler() -> bool {
    let found = Command::new(compiler()).arg("--version").output().is_ok();
    if !found {
        println!("skipped: there is no C compiler");
    }
    found
}

/// The programs of a table, as the checker's own headers have them.
fn programs(file: &Path) -> Vec<Program> {
    let mut sources = SourceMap::default();
    let text = preprocess(&mut sources, file, &ParseOptions::default());
    let text = text
        .unwrap_or_else(|e| panic!("{}: {e:?}", file.display()))
        .text;
    let (common, rest) = text.split_once(MARK).expect("a table has programs");
    let programs = rest.split(MARK).map(|part| {
        let (head, body) = part.split_once('\n').expect("a program follows");
        let (name, covers) = head.split_once(':').expect("NAME: FUNCTIONS");
        let ends = body
            .match_indices(" == WRONG_LINE")
            .map(|(at, _)| &body[..at]);
        let lines = ends.map(|before| {
            let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next();
            digits.unwrap_or("").parse().expect("the line of a check")
        });
        Program {
            file: file.to_path_buf(),
            name: name.to_string(),
            covers: covers.split_whitespace().map(str::to_string).collect(),
            checks: lines.collect(),
            text: format!("{common}\n{body}\nint main(void) {{ {name}(); return 0; }}\n"),
        }
    });
    programs.collect()
}

fn all_programs() -> Vec<Program> {
    let programs: Vec<Program> = tables().par_iter().flat_map(|f| programs(f)).collect();
    for program in &programs {
        assert!(
            !program.checks.is_empty(),
            "{} checks nothing",
            program.name
        );
    }
    programs
}

/// What the checker says of a program with the check of one line negated (line 0: none).
fn verdict(program: &Program, model: &str, wrong: u32) -> String {
    let text = program.text.replace("WRONG_LINE", &wrong.to_string());
    let mut sources = SourceMap::default();
    let unit = match c::parse_text(&mut sources, &program.name, &text, 64) {
        Ok(unit) => unit,
        Err(diags) => return format!("{diags:?}"),
    };
    let checks = [
        PropertyKind::Assertion,
        PropertyKind::Memory,
        PropertyKind::Misuse,
    ];
    let program = match lower_for(&sources, &unit, DataModel::Lp64, &looking_for(&checks)) {
        Ok(program) => program,
        Err(diags) => return format!("{diags:?}"),
    };
    let subject = Subject { sources, program };
    let model = builtin(model);
    let graph = subject.unroll_for(&model, Bounds::all(3), &checks);
    let outcome = subject.check(&graph, &model, &checking(&checks));
    match outcome.verdict {
        Verdict::Safe => "SAFE".to_string(),
        Verdict::Unsafe(found) => match found.property.kind {
            PropertyKind::Assertion => "UNSAFE".to_string(),
            _ => format!("UNSAFE: {}", found.property.text),
        },
        Verdict::SafeUpToBound(_) => "SAFE up to a bound".to_string(),
        Verdict::Unknown(reason) => format!("UNKNOWN: {reason:?}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn the_checker_agrees() {
    if !has_compiler() {
        return;
    }
    let programs = all_programs();
    assert!(programs.len() >= 250, "{} programs", programs.len());
    let right = programs
        .iter()
        .flat_map(|p| ["sc", "tso", "power"].map(|model| (p, model, 0)));
    let wrong = programs
        .iter()
        .flat_map(|p| p.checks.iter().map(move |line| (p, "sc", *line)));
    let runs: Vec<(&Program, &str, u32)> = right.chain(wrong).collect();
    let differ: Vec<String> = runs
        .par_iter()
        .filter_map(|(program, model, line)| {
            let expected = if *line == 0 { "SAFE" } else { "UNSAFE" };
            let verdict = verdict(program, model, *line);
            let at = format!("{}:{line} {}", program.file.display(), program.name);
            (verdict != expected).then(|| format!("{at} on {model}: {verdict}"))
        })
        .collect();
    println!("{} programs, {} verdicts", programs.len(), runs.len());
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// The text of a table with a `main` that runs each program, and each with each check negated, in
/// a process of its own, and prints how it ended.
fn native(file: &Path, programs: &[&Program]) -> String {
    let table = std::fs::read_to_string(file).expect("a table is UTF-8");
    let mut out = format!("#line 1 \"{}\"\n{table}", file.display());
    out += "\n#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
            int wrong_line;\n\
            void failed(void) { _exit(3); }\n\
            static void run_one(const char *name, void (*program)(void), int line) {\n\
            int status = 0;\n\
            fflush(stderr);\n\
            if (fork() == 0) { alarm(20); freopen(\"/dev/null\", \"w\", stdout);\n\
            freopen(\"/dev/null\", \"r\", stdin); wrong_line = line; program(); _exit(0); }\n\
            wait(&status);\n\
            fprintf(stderr, \"%s %d %d\\n\", name, line, status);\n\
            }\n\
            int main(void) {\n";
    for program in programs {
        for line in std::iter::once(&0).chain(&program.checks) {
            let name = &program.name;
            let _ = writeln!(out, "run_one(\"{name}\", {name}, {line});");
        }
    }
    out + "return 0;\n}\n"
}

/// The programs of a table that the platform has another opinion of.
fn disagreeing(file: &Path, programs: &[Program]) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    let (text, binary) = (dir.path().join("table.c"), dir.path().join("table"));
    let programs: Vec<&Program> = programs.iter().filter(|p| p.file == file).collect();
    std::fs::write(&text, native(file, &programs)).expect("it can be written");
    let mut command = Command::new(compiler());
    command.args(["-w", "-O0", "-std=gnu11", "-pthread", "-I"]);
    command.arg(root().join("tests/language/library"));
    let built = command
        .arg(&text)
        .arg("-o")
        .arg(&binary)
        .arg("-lm")
        .output();
    let built = built.expect("the compiler runs");
    let complaint = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{}: {complaint}", file.display());
    let ran = Command::new(&binary).output().expect("the table runs");
    let said = String::from_utf8_lossy(&ran.stderr);
    let mut ended: BTreeMap<(&str, u32), i32> = BTreeMap::new();
    for line in said.lines() {
        let mut words = line.split(' ');
        let (Some(name), Some(line), Some(status)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        if let (Ok(line), Ok(status)) = (line.parse(), status.parse()) {
            ended.insert((name, line), status);
        }
    }
    let mut out = Vec::new();
    for program in programs {
        for line in std::iter::once(&0).chain(&program.checks) {
            let expected = if *line == 0 { 0 } else { 3 << 8 };
            let found = ended.get(&(program.name.as_str(), *line));
            if found != Some(&expected) {
                let at = format!("{}:{line} {}", file.display(), program.name);
                out.push(format!("{at}: the process ends with {found:?}"));
            }
        }
    }
    out
}

#[test]
fn the_platform_agrees() {
    if !has_compiler() {
        return;
    }
    let programs = all_programs();
    let differ: Vec<String> = tables()
        .par_iter()
        .flat_map(|file| disagreeing(file, &programs))
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// Functions with a meaning that no program can cover, and why not.
const NOT_COVERED: [(&str, &[&str]); 7] = [
    ("the program ends with a signal", &["abort"]),
    ("it is called behind the program", &["atexit"]),
    ("it is refused", &["pthread_cancel", "fork", "vfork"]),
    ("its arguments are refused", &["vprintf", "vfprintf"]),
    ("it prints where the test looks", &["perror"]),
    (
        "its result is arbitrary",
        &[
            "access",
            "alarm",
            "chdir",
            "clearerr",
            "clock_getres",
            "close",
            "creat",
            "dup",
            "dup2",
            "epoll_create",
            "epoll_create1",
            "epoll_ctl",
            "eventfd",
            "fclose",
            "fdopen",
            "feof",
            "ferror",
            "fgetc",
            "fgets",
            "fileno",
            "flockfile",
            "fopen",
            "fread",
            "fscanf",
            "fseek",
            "fstat",
            "fsync",
            "fdatasync",
            "ftell",
            "ftruncate",
            "ftrylockfile",
            "funlockfile",
            "fwrite",
            "getc",
            "getchar",
            "getegid",
            "getenv",
            "geteuid",
            "getgid",
            "getline",
            "getpagesize",
            "getppid",
            "getrandom",
            "gettid",
            "getuid",
            "isatty",
            "lseek",
            "lstat",
            "mkdir",
            "mlock",
            "mlockall",
            "munlock",
            "munlockall",
            "open",
            "openat",
            "pipe",
            "poll",
            "pread",
            "pthread_atfork",
            "pthread_getaffinity_np",
            "pthread_getname_np",
            "pthread_setcanceltype",
            "pwrite",
            "read",
            "remove",
            "rename",
            "rewind",
            "rmdir",
            "sched_getaffinity",
            "setbuf",
            "setenv",
            "setvbuf",
            "sigaction",
            "signal",
            "stat",
            "sysconf",
            "ungetc",
            "unlink",
            "unsetenv",
            "write",
        ],
    ),
    (
        "it computes with floating-point numbers, which another test compares",
        &["difftime", "fegetround", "fesetround"],
    ),
];

/// The functions of C11 that have another one with memory orders.
fn has_explicit(name: &str) -> bool {
    let without = ["thread_fence", "signal_fence", "init", "is_lock_free"];
    let operation = name.strip_prefix("atomic_");
    operation.is_some_and(|operation| !without.contains(&operation))
}

/// The atomic functions, and those that count bits.
fn generic_functions() -> BTreeSet<String> {
    let begins = ["atomic_", "__atomic_", "__sync_"];
    let counts = ["popcount", "parity", "clz", "ctz", "ffs"];
    let is_generic = |name: &&str| {
        let builtin = name.strip_prefix("__builtin_").unwrap_or("");
        begins.iter().any(|b| name.starts_with(b)) || counts.iter().any(|c| builtin.starts_with(c))
    };
    // C11 has no such function.
    let names = registry::names().filter(|name| *name != "atomic_fetch_nand");
    let names: Vec<&str> = names.filter(is_generic).collect();
    let explicit = names.iter().filter(|name| has_explicit(name));
    let explicit = explicit.map(|name| format!("{name}_explicit"));
    explicit
        .chain(names.iter().map(|name| name.to_string()))
        .collect()
}

/// The word before an opening parenthesis, in each line that does not begin with a space.
fn declared(text: &str) -> BTreeSet<String> {
    let lines = text
        .lines()
        .filter(|l| l.starts_with(|c: char| c.is_ascii_alphabetic()));
    let names = lines
        .filter(|l| !l.starts_with("typedef"))
        .filter_map(|line| {
            let (before, _) = line.split_once('(')?;
            let name = before
                .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .next()?;
            (!name.is_empty()).then(|| name.to_string())
        });
    names.collect()
}

/// The functions that are given in C.
fn given() -> BTreeSet<String> {
    let given = root().join("src/front/c/library.c");
    let given = declared(&std::fs::read_to_string(given).expect("it is UTF-8"));
    given
        .into_iter()
        .filter(|name| !name.starts_with("__"))
        .collect()
}

/// Those that are given in C have a row in the registry; and each row says where its function is declared,
/// and keeps to that.
#[test]
fn every_function_has_a_row() {
    let rows: BTreeMap<&str, (&str, &Row)> = registry::rows()
        .map(|(h, row)| (row.name, (h, row)))
        .collect();
    let names: BTreeSet<&str> = registry::names().collect();
    let count = registry::names().count();
    assert_eq!(names.len(), count, "a function has two rows");
    let known = given();
    let missing: Vec<&String> = known
        .iter()
        .filter(|n| !rows.contains_key(n.as_str()))
        .collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
    println!("{} functions", rows.len());
    let folder = root().join("src/front/c/headers");
    for (name, (header, row)) in rows {
        let text = std::fs::read_to_string(folder.join(header)).expect("headers are UTF-8");
        let call = format!("{name}(");
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let at = text
            .match_indices(&call)
            .find(|(at, _)| !text[..*at].ends_with(is_name));
        let (at, _) = at.unwrap_or_else(|| panic!("<{header}> does not declare {name}"));
        let result = text[..at].rsplit('\n').next().unwrap_or("").trim();
        let without = matches!(row.returns, Returns::Nothing | Returns::Never);
        let numbered = [
            Returns::Error,
            Returns::Failure,
            Returns::Status,
            Returns::Truth,
        ];
        let right = match result {
            "void" => without,
            "void (*" => true,
            "int" => !without,
            _ => !without && !numbered.contains(&row.returns),
        };
        assert!(right, "{name} of <{header}>: {result}, {:?}", row.returns);
        let of_threads = ["pthread.h", "threads.h"].contains(&header);
        let by_page = row.source == "glibc";
        assert!(
            !of_threads || by_page || row.errno == Errno::Kept,
            "{name} returns its errors"
        );
        let failing = [Returns::Failure, Returns::Any];
        let page = row.source.split(' ').next().unwrap_or("");
        assert!(["C11", "POSIX", "glibc", "Linux"].contains(&page), "{name}");
        let sets = row.errno == Errno::Set && row.returns == Returns::Exact;
        assert!(
            sets || row.errno != Errno::Set || failing.contains(&row.returns),
            "{name}"
        );
    }
}

/// Every modelled function, and the atomic ones.
#[test]
fn every_function_is_covered() {
    if !has_compiler() {
        return;
    }
    let rows = registry::rows().map(|(_, row)| row.name.to_string());
    let known: BTreeSet<String> = rows.chain(generic_functions()).collect();
    let covered: BTreeSet<String> = all_programs().into_iter().flat_map(|p| p.covers).collect();
    let excused = NOT_COVERED.iter().flat_map(|(_, names)| *names);
    let excused: BTreeSet<&str> = excused.copied().collect();
    let missing = known.iter().filter(|name| !covered.contains(*name));
    let missing: Vec<&String> = missing
        .filter(|name| !excused.contains(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "no program covers {missing:?}");
}

/// The table of functions in the guide names functions that there are.
#[test]
fn the_guide_names_functions_that_are_known() {
    let guide = std::fs::read_to_string(root().join("docs/guide.md")).expect("it is UTF-8");
    let (_, section) = guide.split_once("## Library functions").expect("a section");
    let (section, _) = section.split_once("\n## ").expect("another follows");
    let columns = section
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let code: Vec<&str> = columns
        .flat_map(|c| c.split('`').skip(1).step_by(2))
        .collect();
    let names: Vec<&str> = registry::names().collect();
    let is_known = |text: &str| {
        let name = text
            .split('(')
            .next()
            .unwrap_or(text)
            .trim_start_matches("__c11_");
        let builtin = format!("__builtin_{name}");
        names.iter().any(|n| match name.strip_suffix('*') {
            Some(begin) => n.starts_with(begin),
            None => *n == name || n.starts_with(&builtin),
        })
    };
    // `unistd.h` has one in C, one is a rule of attributes, and others look like functions.
    let elsewhere = [
        "getopt",
        "PTHREAD_PRIO_PROTECT",
        "__builtin_choose_expr",
        "__builtin_types_compatible_p",
    ];
    let unknown = code
        .iter()
        .filter(|c| !elsewhere.contains(c) && !is_known(c));
    let unknown: Vec<_> = unknown.collect();
    assert!(
        code.len() > 100 && unknown.is_empty(),
        "no row for {unknown:?}"
    );
}
