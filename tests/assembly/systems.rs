//! x86 programs for any number of threads: the translation to systems of PMCx86, what its
//! ambiguities are resolved to, and what is refused.

use std::path::PathBuf;
use support::wmbmc;
use wmbmc::base::source::SourceMap;
use wmbmc::driver::outcome::{SystemOutcome, SystemVerdict};
use wmbmc::report::answer::system::SystemAnswer;
use wmbmc::{Error, Input, Limits, ModelName, Outcome, Session, SessionOptions};

fn programs() -> Vec<PathBuf> {
    support::files("benchmarks/x86", "asm")
}

fn check(input: &Input, model: &str) -> Result<SystemOutcome, Error> {
    // Long past what each of these takes, so that none goes on without an end.
    check_within(input, model, 60.0)
}

fn check_within(input: &Input, model: &str, seconds: f64) -> Result<SystemOutcome, Error> {
    let mut session = Session::read(input, &SessionOptions::default())?;
    let model = session.load_model(&ModelName::BuiltIn(model.to_string()))?;
    match session.check(&model, Limits::seconds(seconds))? {
        Outcome::System(outcome) => Ok(*outcome),
        _ => panic!("a program for any number of threads is checked as a system"),
    }
}

fn word(verdict: &SystemVerdict) -> &'static str {
    match verdict {
        SystemVerdict::Safe => "SAFE",
        SystemVerdict::Unsafe(_) => "UNSAFE",
        _ => "UNKNOWN",
    }
}

/// Each program says in its first line what is expected on which model; the number is the length of
/// the paper's counterexample, and no shorter run is one.
#[test]
fn every_benchmark_is_as_it_says() {
    let files = programs();
    assert!(files.len() >= 15);
    for path in files {
        let text = std::fs::read_to_string(&path).expect("it is readable");
        let expected = text
            .lines()
            .next()
            .and_then(|l| l.strip_prefix("; expect:"));
        let expected = expected.unwrap_or_else(|| panic!("{} expects nothing", path.display()));
        for pair in expected.split_whitespace() {
            let (model, wanted) = pair.split_once('=').expect("`model=VERDICT`");
            let (wanted, most) = match wanted.split_once(':') {
                Some((word, length)) => (word, length.parse().expect("a length")),
                None => (wanted, usize::MAX),
            };
            let outcome = check(&Input::file(&path), model).expect("it is right");
            assert_eq!(
                word(&outcome.verdict),
                wanted,
                "{} on {model}",
                path.display()
            );
            if let SystemVerdict::Unsafe(run) = &outcome.verdict {
                assert!(
                    run.transitions <= most,
                    "{}: {}",
                    path.display(),
                    run.transitions
                );
            }
        }
    }
}

/// The system that is written has the same answer as the program.
#[test]
fn the_system_that_is_written_is_the_one_that_is_checked() {
    for path in programs() {
        let text = std::fs::read_to_string(&path).expect("it is readable");
        if !text.lines().next().is_some_and(|l| l.contains("tso=")) {
            continue;
        }
        let system = written(&Input::file(&path));
        let program = check(&Input::file(&path), "tso").expect("it is right");
        let written = check(&Input::text("t.cub", system.as_str()), "tso").expect("it is right");
        assert_eq!(word(&program.verdict), word(&written.verdict), "{system}");
        assert_eq!(program.visited, written.visited, "{}", path.display());
    }
}

/// A program with a shared `x` and `y`, a counter `c` that begins at 0, a full one `n`, and a
/// variable `p` of each thread.
fn program(code: &str, property: &str) -> Input {
    let text = format!(
        "begin shared_data\nx dd 0\ny dd 0\nc dd 0 ! as counter\nn dd N ! as counter\nend shared_data\nbegin thread_data\np dd 5\nend thread_data\nbegin init_code\nstart_threads\nend init_code\nbegin thread_code\n{code}\nend thread_code\nbegin unsafe_prop\n{property}\nend unsafe_prop\n"
    );
    Input::text("t.asm", text)
}

/// The system that a program is translated to.
fn written(input: &Input) -> String {
    let session = Session::read(input, &SessionOptions::default()).expect("it is right");
    wmbmc::report::cub::system(session.system().expect("it is a system"))
}

fn verdict(code: &str, property: &str) -> &'static str {
    let outcome = check(&program(code, property), "tso");
    word(&outcome.unwrap_or_else(|e| panic!("{code}: {e}")).verdict)
}

/// Is this value possible at the end of the code?
fn possible(code: &str, property: &str) -> bool {
    let code = format!("{code}\nend_of_it: nop");
    let property = format!("eip[$a] = end_of_it && {property}");
    match verdict(&code, &property) {
        "UNSAFE" => true,
        "SAFE" => false,
        other => panic!("{code}: {other}"),
    }
}

#[test]
fn instructions_compute_what_they_should() {
    let cases = [
        ("mov eax, 3\nadd eax, 4", "eax[$a] <> 7"),
        ("mov eax, 3\nsub eax, 4", "eax[$a] <> -1"),
        ("mov eax, 0xffffffff", "eax[$a] <> -1"),
        (
            "mov eax, 3\nmov ebx, eax\ninc eax\ndec ebx\nsub eax, ebx",
            "eax[$a] <> 2",
        ),
        ("mov eax, 5\nnot eax", "eax[$a] <> -6"),
        ("mov eax, 1\nmov ebx, 2\nxchg eax, ebx", "eax[$a] <> 2"),
        ("mov eax, 1\nmov ebx, 2\nxadd eax, ebx", "eax[$a] <> 3"),
        ("mov eax, 1\nmov ebx, 2\nxadd eax, ebx", "ebx[$a] <> 1"),
        ("mov eax, 2\nxadd eax, eax", "eax[$a] <> 4"),
        (
            "mov eax, 1\nmov ebx, 7\nmov ecx, 1\ncmpxchg ecx, ebx",
            "ecx[$a] <> 7",
        ),
        (
            "mov eax, 1\nmov ebx, 7\nmov ecx, 2\ncmpxchg ecx, ebx",
            "eax[$a] <> 2",
        ),
        ("mov eax, [p + $t]\nadd eax, [p]", "eax[$a] <> 10"),
        (
            "inc dword [p]\nmov eax, [p]\nlock inc dword [p]",
            "p[$a] <> 7",
        ),
        ("mov eax, 9\nxchg eax, [p]", "eax[$a] <> 5"),
        ("mov dword [x], 4\nmov eax, [x]", "eax[$a] <> 4"),
        ("nop\npause\nmfence\nmov eax, 1", "eax[$a] <> 1"),
    ];
    for (code, property) in cases {
        assert!(!possible(code, property), "{code}: {property}");
    }
    // One thread alone: what it has stored is what it sees, whatever the instruction.
    for (code, property) in [
        ("mov dword [x], 4\nadd dword [x], 3", "$a:x = 7"),
        (
            "mov dword [x], 4\nlock sub [x], eax",
            "eax[$a] = 1 && $a:x = 3",
        ),
        ("mov eax, 2\nlock xadd [x], eax", "$a:x = 2"),
        ("mov eax, 0\nmov ebx, 8\nlock cmpxchg [x], ebx", "$a:x = 8"),
        ("not dword [x]", "$a:x = -1"),
    ] {
        assert!(possible(code, property), "{code}: {property}");
    }
}

#[test]
fn jumps_ask_what_they_should() {
    // Values of `cmp eax, ebx` and the jumps that are taken; among integers, and where both registers
    // hold one of two constants, by the code behind.
    let taken = |a: i32, b: i32, jump: &str| {
        let code = format!(
            "mov eax, {a}\nmov ebx, {b}\ncmp eax, ebx\n{jump} yes\nmov ecx, 0\njmp end_of_it\nyes: mov ecx, 1"
        );
        let by_cases = format!("{code}\njmp end_of_it\nmov eax, 8\nmov ebx, 9");
        for (code, is_enumeration) in [(&code, false), (&by_cases, true)] {
            let system = written(&program(&format!("{code}\nend_of_it: nop"), "ecx[$a] = 1"));
            assert_eq!(
                system.contains("type ebx_value"),
                is_enumeration,
                "{system}"
            );
        }
        let answer = possible(&code, "ecx[$a] = 1");
        assert_eq!(possible(&by_cases, "ecx[$a] = 1"), answer, "{by_cases}");
        answer
    };
    for (a, b) in [(1, 1), (1, 2), (2, 1), (-1, 1), (1, -1), (-2, -1)] {
        for (jump, is_taken) in [
            ("je", a == b),
            ("jnz", a != b),
            ("jl", a < b),
            ("jnl", a >= b),
            ("jle", a <= b),
            ("jg", a > b),
            ("js", a - b < 0),
            ("jns", a - b >= 0),
        ] {
            assert_eq!(taken(a, b, jump), is_taken, "{jump} after cmp {a}, {b}");
        }
        if a >= 0 && b >= 0 {
            for (jump, is_taken) in [
                ("jb", a < b),
                ("jae", a >= b),
                ("jbe", a <= b),
                ("ja", a > b),
                ("jc", a < b),
                ("jnc", a >= b),
                ("jo", false),
                ("jno", true),
            ] {
                assert_eq!(taken(a, b, jump), is_taken, "{jump} after cmp {a}, {b}");
            }
        }
    }
}

/// Variables that hold few constants are enumerations, unless something else is computed of them.
#[test]
fn few_constants_are_an_enumeration() {
    // Dead code says what else a register may hold.
    let swapped = "mov eax, 0\nmov ebx, 8\nlock cmpxchg [x], ebx\njmp end_of_it\nmov ebx, 0";
    let noted = "mov dword [x], 3\nmov eax, [x]\nnot eax\nmov [y], eax\njmp end_of_it\nmov eax, 0";
    for (code, property, is_possible) in [
        (swapped, "$a:x = 8", true),
        (swapped, "$a:x <> 8", false),
        (swapped, "$a:x < 8", false),
        (swapped, "$a:x >= 8", true),
        (swapped, "$a:x > $b:x && eip[$b] = end_of_it", false),
        (noted, "$a:y = -4", true),
        (noted, "$a:y > -1", false),
        ("not dword [x]\nnot dword [x]", "$a:x = 0", true),
        ("lock not dword [x]", "$a:x = -1", true),
        ("lock not dword [x]", "$a:x <> 0 && $a:x <> -1", false),
        // Data of a thread are its own.
        (
            "mov dword [p], 1\nmov esi, [p]\nmov [x], esi\njmp end_of_it\nmov dword [p], 0",
            "$a:x <> 1",
            false,
        ),
    ] {
        let whole = format!("{code}\nend_of_it: nop");
        let system = written(&program(&whole, "eip[$a] = end_of_it"));
        assert!(system.contains("_value"), "{system}");
        assert_eq!(
            possible(code, property),
            is_possible,
            "{code}: {property}\n{system}"
        );
    }
    // What is read before it is set, looked at by the property, or counted is an integer.
    for code in ["mov [x], eax", "inc dword [x]", "mov eax, 1\nadd [x], eax"] {
        let system = written(&program(code, "$a:x = 1"));
        assert!(system.contains("weak var X : int"), "{system}");
    }
    let looked_at = written(&program("mov eax, 0\nmov eax, 1", "eax[$a] = 7"));
    assert!(looked_at.contains("EAX[proc] : int"), "{looked_at}");
    assert!(possible(
        "nop\njmp end_of_it\nmov eax, 0\nmov eax, 1",
        "eax[$a] = 7"
    ));
}

/// Its flags are Booleans: with integers the search has no end on TSO.
#[test]
fn peterson_is_proved_on_tso() {
    let path = support::root().join("benchmarks/x86/peterson.asm");
    let outcome = check_within(&Input::file(path), "tso", 300.0).expect("it is right");
    assert_eq!(word(&outcome.verdict), "SAFE");
}

#[test]
fn registers_are_arbitrary_until_they_are_set() {
    assert!(possible("nop", "eax[$a] = 42"));
    assert!(possible("mov ebx, eax", "ebx[$a] = -7"));
}

/// Store buffering: nothing but an empty buffer forbids that both see the old values.
#[test]
fn locked_instructions_wait_for_the_buffer() {
    let both = |fence: &str| {
        let code = format!(
            "mov eax, 1\nxchg eax, [y]\ncmp eax, 0\njne two\nmov dword [x], 1\n{fence}\nmov ebx, [p]\nmov ecx, [c2]\none: nop\njmp over\ntwo: mov dword [c2], 1\n{fence}\nmov edx, [x]\nthree: nop\nover: nop"
        );
        let text = format!(
            "begin shared_data\nx dd 0\ny dd 0\nz dd 0\nc2 dd 0\nend shared_data\nbegin thread_data\np dd 0\nend thread_data\nbegin thread_code\n{code}\nend thread_code\nbegin unsafe_prop\neip[$a] = one && eip[$b] = three && ecx[$a] = 0 && edx[$b] = 0\nend unsafe_prop\n"
        );
        word(
            &check(&Input::text("t.asm", text), "tso")
                .expect("it is right")
                .verdict,
        )
    };
    assert_eq!(both("nop"), "UNSAFE");
    for fence in [
        "mfence",
        "xchg esi, [z]",
        "mov esi, 1\nxchg esi, [z]",
        "lock inc dword [z]",
        "lock add dword [z], 0",
        "lock not dword [z]",
        "lock xadd [z], esi",
        "mov eax, 0\nlock cmpxchg [z], eax",
        "xchg esi, [p]",
        "lock dec dword [p]",
        "mov eax, 0\nlock cmpxchg [p], eax",
    ] {
        assert_eq!(both(fence), "SAFE", "{fence}");
    }
    for none in [
        "inc dword [z]",
        "xadd [z], esi",
        "inc dword [p]",
        "xchg esi, edi",
    ] {
        assert_eq!(both(none), "UNSAFE", "{none}");
    }
}

/// Without `lock` one of two additions may be lost; with it, whoever adds first is alone to see 1.
#[test]
fn an_unlocked_addition_is_a_read_and_a_write() {
    for add in [
        "inc dword [x]",
        "add dword [x], 1",
        "mov eax, 1\nxadd [x], eax",
    ] {
        let code = format!("{add}\nmfence\nlast: nop");
        let lost = "eip[$a] = last && eip[$b] = last && $a:x = 1";
        assert_eq!(verdict(&code, lost), "UNSAFE", "{add}");
    }
    let first = |dec: &str| {
        let code = format!("again: {dec} dword [x]\njns again\nlast: nop");
        verdict(&code, "eip[$a] = last && $a:x >= 0")
    };
    assert_eq!(first("lock dec"), "SAFE");
    assert_eq!(first("dec"), "SAFE");
}

#[test]
fn counters_count_threads() {
    // All have come: then none is before its `inc`.
    let all = "start: lock inc dword [c]\nwait: cmp dword [c], N\njne wait\nover: nop";
    assert_eq!(verdict(all, "eip[$a] = over && eip[$b] = start"), "SAFE");
    assert_eq!(verdict(all, "eip[$a] = over && eip[$b] = wait"), "UNSAFE");
    // The last one to leave, and only it, sees 0.
    let last = "start: lock dec dword [n]\nje zero\njmp other\nzero: jmp zero\nother: nop";
    assert_eq!(verdict(last, "eip[$a] = zero && eip[$b] = zero"), "SAFE");
    assert_eq!(verdict(last, "eip[$a] = zero && eip[$b] = start"), "SAFE");
    assert_eq!(verdict(last, "eip[$a] = zero && eip[$b] = other"), "UNSAFE");
    // A counter below N compares as less, one above 0 as greater.
    let signs = "cmp dword [c], N\njl less\nnot_less: jmp not_less\nless: nop";
    assert_eq!(verdict(signs, "eip[$a] = not_less"), "SAFE");
    let signs = "cmp dword [n], 0\njg more\nnot_more: jmp not_more\nmore: nop";
    assert_eq!(verdict(signs, "eip[$a] = not_more"), "SAFE");
}

#[test]
fn a_counter_that_leaves_its_range_is_a_violation() {
    for code in ["again: lock inc dword [c]\njmp again", "lock dec dword [c]"] {
        let outcome = check(&program(code, "eax[$a] < eax[$a]"), "tso").expect("it is right");
        let SystemVerdict::Unsafe(run) = outcome.verdict else {
            panic!("{code}: {:?}", outcome.verdict);
        };
        assert_eq!(run.property, "counter_out_of_range");
    }
    let once = "lock inc dword [c]\nnop";
    assert_eq!(verdict(once, "eax[$a] < eax[$a]"), "SAFE");
}

/// The machine buffers the value, not the difference: a late store undoes what others have counted.
#[test]
fn an_unlocked_counter_loses_what_others_count() {
    let code = |inc: &str| {
        format!("{inc}\nmfence\nlast: cmp dword [c], 0\nje none\nsome: jmp some\nnone: nop")
    };
    let lost = code("inc dword [c]\nmfence\nlock dec dword [c]");
    let kept = code("lock inc dword [c]\nmfence\nlock dec dword [c]");
    let out = |code: &str| {
        let outcome = check(&program(code, "eax[$a] < eax[$a]"), "tso").expect("it is right");
        word(&outcome.verdict)
    };
    // A count that is lost makes a later `dec` leave the range.
    assert_eq!(out(&lost), "UNSAFE");
    assert_eq!(out(&kept), "SAFE");
}

/// An outcome as text.
fn shown(outcome: &SystemOutcome) -> String {
    let answer = SystemAnswer::new(&SourceMap::default(), "t.asm", outcome, 0);
    wmbmc::report::system::text(&answer, wmbmc::report::text::Style::default())
}

#[test]
fn traces_speak_of_the_program() {
    let lock = [
        "dec dword [Lock]",
        "jns cs",
        "eip[#1]",
        "Lock = 0",
        "2 threads",
    ];
    let dekker = ["buffered by #1: flag0 = 1", "eip[#1]", "2 threads"];
    for (name, parts) in [("spinlock_unsafe", &lock[..]), ("dekker_unsafe", &dekker)] {
        let path = support::root().join(format!("benchmarks/x86/{name}.asm"));
        let outcome = check(&Input::file(path), "tso").expect("it is right");
        let text = shown(&outcome);
        for part in parts {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
}

/// Values are integers without bounds, which the answer says.
#[test]
fn answers_say_that_integers_have_no_bounds() {
    let answer = |code: &str, property: &str| {
        let outcome = check(&program(code, property), "tso").expect("it is right");
        shown(&outcome)
    };
    let sum = "cmp eax, 0\njl out\ncmp ebx, 0\njl out\nadd eax, ebx\nlast: nop\nout: nop";
    assert_eq!(
        answer(sum, "eip[$a] = last && eax[$a] < 0"),
        "SAFE for any number of threads and integers without bounds\n"
    );
    // No run of the machine, whose values have 32 bits.
    let twice = "mov eax, 0x40000000\nadd eax, eax\nlast: nop";
    let beyond = answer(twice, "eip[$a] = last && eax[$a] > 0");
    assert!(
        beyond.contains("thread, with integers beyond 32 bits\n"),
        "{beyond}"
    );
    let within = answer(
        "mov eax, 0x7fffffff\nlast: nop",
        "eip[$a] = last && eax[$a] > 0",
    );
    assert!(within.contains("1 thread\n"), "{within}");
}

#[test]
fn certificates_of_programs_check() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "benchmarks/x86/cmpxchg_mutex.asm";
    let certificate = folder.path().join("proof");
    let certificate = certificate.to_str().expect("the path is UTF-8");
    let made = wmbmc(["--mm", "tso", "--certificate", certificate, program]);
    assert!(made.status.success(), "{made:?}");
    let checked = wmbmc(["check-certificate", program, certificate, "--mm", "tso"]);
    assert!(checked.status.success(), "{checked:?}");
}

/// With fewer threads than the property names nothing would be checked.
#[test]
fn a_property_of_more_threads_than_run_is_refused() {
    let checked = |threads: u32, property: &str| {
        let mut options = SessionOptions::default();
        options.program.threads = Some(threads);
        let mut session = Session::read(&program("last: nop", property), &options)?;
        let model = session.load_model(&ModelName::BuiltIn("tso".to_string()))?;
        let outcome = session.check(&model, Limits::default())?;
        Ok::<String, Error>(wmbmc::report::render(&session, &outcome))
    };
    let both = "eip[$a] = last && eip[$b] = last && eax[$a] < eax[$a]";
    match checked(1, both) {
        Err(Error::Refused(refused)) => {
            let text = refused.to_string();
            assert!(
                text.contains("the property names 2 threads, more than --threads 1"),
                "{text}"
            );
            assert!(text.contains("t.asm:"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    assert!(checked(2, both).is_ok_and(|text| text.contains("for 2 threads\n")));
    let one = "eip[$a] = last && eax[$a] < eax[$a]";
    assert!(checked(1, one).is_ok_and(|text| text.contains("for 1 thread\n")));
}

/// What is wrong is refused with its place and a sentence, and exit code 2.
#[test]
fn broken_programs_are_refused() {
    let cases = [
        ("push eax", "the instruction `push` is not supported"),
        ("and eax, 1", "the instruction `and` is not supported"),
        ("jp a", "the instruction `jp` is not supported"),
        ("mov al, 1", "the register `al` is not supported"),
        ("mov rax, 1", "the register `rax` is not supported"),
        (
            "mov word [x], 1",
            "accesses of size `word` are not supported",
        ),
        ("mov [eax], 1", "addresses in registers are not supported"),
        ("mov [x], [y]", "only one operand can be in memory"),
        ("mov 1, eax", "expected a register or memory"),
        ("xadd [x], 1", "expected a register"),
        ("lock mov [x], eax", "`lock` cannot stand before `mov`"),
        ("lock inc eax", "`lock` cannot stand before `inc`"),
        ("lock cmp [x], eax", "`lock` cannot stand before `cmp`"),
        ("mov eax, 99999999999", "does not fit 32 bits"),
        ("mov eax", "expected `,`"),
        ("mov eax, z", "`z` is no register"),
        ("mov eax, [z]", "there is no variable `z`"),
        ("jmp nowhere", "there is no label `nowhere`"),
        ("mov eax, N", "is used with counters only"),
        ("mov eax, [c]", "the counter `c` cannot be used like this"),
        (
            "cmp dword [c], 1",
            "the counter `c` cannot be used like this",
        ),
        ("a: nop\na: nop", "the label `a` stands here twice"),
        ("jne 5", "expected a label"),
        ("a: jne a", "no instruction has set the flags"),
        (
            "add eax, ebx\na: jc a",
            "an unsigned comparison of values that may be negative",
        ),
        (
            "cmp eax, 1\na: jb a",
            "an unsigned comparison of values that may be negative",
        ),
        (
            "mov eax, 1\ncmp eax, 1\ndec ebx\na: jb a",
            "the carry at this jump is older",
        ),
        (
            "inc eax\na: jo a",
            "the overflow of values that may be negative",
        ),
        (
            "test eax, ebx\na: je a",
            "`test` is supported of a register with itself",
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (code, message) in cases {
        let input = program(code, "$t:x = 1");
        let path = folder.path().join("broken.asm");
        std::fs::write(&path, input.text.unwrap_or_default()).expect("it is writable");
        let output = wmbmc(["--mm", "tso", path.to_str().expect("the path is UTF-8")]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{code}: {errors}");
        assert!(errors.contains(message), "{code}: {errors}");
        assert!(errors.contains("broken.asm:"), "{code}: {errors}");
    }
}
