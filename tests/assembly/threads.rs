//! x86 programs for a fixed number of threads: verdicts of known programs on each model by both
//! engines, values computed by hand, and random programs against litmus tests of the same columns.
//!
//! `WMBMC_RANDOM_CASES=2000` runs longer.

use std::fmt::Write;
use support::Random;
use support::random::random_cases;
use wmbmc::check::outcome::{MachineAction, MachineRun};
use wmbmc::ir::bounds::Bounds;
use wmbmc::{Engine, Error, Input, Limits, Outcome, Session, SessionOptions, Verdict};

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// A program of these sections.
fn program(shared: &str, private: &str, code: &str, property: &str) -> String {
    format!(
        "begin shared_data\n{shared}\nend shared_data\nbegin thread_data\n{private}\nend thread_data\n\
         begin thread_code\n{code}\nend thread_code\nbegin unsafe_prop\n{property}\nend unsafe_prop\n"
    )
}

fn options(threads: u32, unwind: u32, engine: Engine) -> SessionOptions {
    let mut options = SessionOptions::default();
    options.program.threads = Some(threads);
    options.program.bounded.bounds = Bounds::all(unwind);
    options.program.bounded.engine = engine;
    options
}

/// Seconds that an enumeration may take.
const PATIENCE: f64 = 1.0;

fn verdict(text: &str, model: &str, options: &SessionOptions) -> Verdict {
    let limits = match options.program.bounded.engine {
        Engine::Enumerate => Limits::seconds(PATIENCE),
        _ => Limits::default(),
    };
    let model = wmbmc::model(model).expect("it is built in");
    let input = Input::text("program.asm", text);
    match wmbmc::driver::check(&input, &model, options, limits) {
        Ok(Outcome::Program(outcome)) => outcome.result.verdict,
        Ok(_) => panic!("the outcome is of another kind"),
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// What a verdict says, in a word. On these models every execution is a run of a machine with store
/// buffers.
fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Safe => "safe",
        Verdict::SafeUpToBound(_) => "bound",
        Verdict::Unsafe(found) => {
            let trace = found.trace.iter();
            assert!(trace.into_iter().all(|t| t.machine.is_some()), "{found:?}");
            "unsafe"
        }
        _ => "unknown",
    }
}

/// Whether the solver finds a violation; the enumeration has to agree.
fn is_unsafe(text: &str, model: &str, threads: u32) -> bool {
    let found = word(&verdict(text, model, &options(threads, 2, Engine::Sat)));
    let other = word(&verdict(
        text,
        model,
        &options(threads, 2, Engine::Enumerate),
    ));
    match (found, other) {
        ("safe" | "bound", "safe" | "unknown") => false,
        ("unsafe", "unsafe" | "unknown") => true,
        _ => panic!("{found} and {other} on {model}:\n{text}"),
    }
}

/// Threads take one of two ways by the order in which they come.
const STORE_BUFFERING: &str = "
    mov ebx, 1
    lock xadd [turn], ebx
    cmp ebx, 0
    jne second
first: mov dword [X], 1
    FENCE
    mov eax, [Y]
done1: jmp fin
second: mov [Y], 1
    FENCE
    mov eax, [X]
done2: nop
fin:";

const MUTEX: &str = "
acquire: mov eax, 1
    xchg eax, [L]
    test eax, eax
    jne acquire
cs: nop
    mov dword [L], 0
    jmp acquire";

/// Fig. 3 of the paper, once through.
const SPINLOCK: &str = "
acquire: lock dec dword [Lock]
    jns cs
spin: cmp dword [Lock], 0
    jle spin
    jmp acquire
cs:
exit: mov dword [Lock], 1";

/// Fig. 4 of the paper.
const BARRIER: &str = "
    mov esi, 0
entr: not esi
    lock dec dword [count]
    jne spin
last: mov dword [count], N
    mov dword [sense], esi
    jmp end
spin: cmp dword [sense], esi
    jne spin
end: nop";

const IN_CS: &str = "eip[$t1] = cs && eip[$t2] = cs";

#[test]
fn store_buffering_needs_fences() {
    let property = "eip[$a] = done1 && eip[$b] = done2 && eax[$a] = 0 && eax[$b] = 0";
    let shared = "X dd 0\nY dd 0\nturn dd 0";
    for (fence, expected) in [("nop", [false, true, true]), ("mfence", [false; 3])] {
        let text = program(
            shared,
            "",
            &STORE_BUFFERING.replace("FENCE", fence),
            property,
        );
        for (model, expected) in MODELS.into_iter().zip(expected) {
            assert_eq!(is_unsafe(&text, model, 2), expected, "{fence} on {model}");
        }
    }
}

#[test]
fn a_third_thread_may_be_anywhere() {
    // One thread takes a way of its own and never comes to an end.
    let code = "
    mov ebx, 1
    lock xadd [turn], ebx
    cmp ebx, 0
    jne other
wait: mov ecx, [flag]
    cmp ecx, 7
    jne wait
other: cmp ebx, 2
    jne here
    mov dword [flag], 1
here: nop";
    let text = program(
        "turn dd 0\nflag dd 0",
        "",
        code,
        "eip[$a] = here && eip[$b] = here",
    );
    for model in MODELS {
        assert_eq!(
            word(&verdict(&text, model, &options(2, 3, Engine::Sat))),
            "safe"
        );
        assert_eq!(
            word(&verdict(&text, model, &options(3, 3, Engine::Sat))),
            "unsafe"
        );
    }
}

#[test]
fn an_exchange_makes_a_mutex() {
    let naive = "
acquire: mov eax, [L]
    test eax, eax
    jne acquire
    mov dword [L], 1
cs: nop";
    for model in MODELS {
        for threads in [2, 3] {
            let text = program("L dd 0", "", MUTEX, IN_CS);
            let options = options(threads, 1, Engine::Sat);
            assert_eq!(word(&verdict(&text, model, &options)), "bound", "{model}");
        }
        let text = program("L dd 0", "", naive, IN_CS);
        assert!(is_unsafe(&text, model, 2), "{model}");
    }
}

#[test]
fn the_spinlock_needs_its_lock_prefix() {
    for model in MODELS {
        let text = program("Lock dd 1", "", SPINLOCK, IN_CS);
        let found = verdict(&text, model, &options(2, 2, Engine::Sat));
        assert_eq!(word(&found), "safe", "{model}");
        let text = text.replace("lock dec", "dec");
        let found = verdict(&text, model, &options(2, 2, Engine::Sat));
        assert_eq!(word(&found), "unsafe", "{model}");
    }
}

#[test]
fn the_barrier_holds_threads_back() {
    let shared = "sense dd 0\ncount dd N ! as counter";
    let property = "eip[$t1] = entr && eip[$t2] = end";
    for model in MODELS {
        for threads in [2, 3] {
            let text = program(shared, "", BARRIER, property);
            assert!(!is_unsafe(&text, model, threads), "{threads} on {model}");
            // Without waiting for the last one.
            let text = program(
                shared,
                "",
                &BARRIER.replace("jne spin\nlast", "\nlast"),
                property,
            );
            assert!(is_unsafe(&text, model, threads), "{threads} on {model}");
        }
    }
}

#[test]
fn a_counter_does_not_leave_its_range() {
    let property = "eip[$t] = never && eip[$t] = end";
    for (initial, code, violated) in [
        ("N", "lock dec [c]", None),
        (
            "N",
            "lock dec [c]\nlock dec [c]",
            Some("the counter `c` underflows"),
        ),
        ("0", "lock inc [c]", None),
        ("0", "inc [c]", None),
        ("N", "inc [c]", Some("the counter `c` overflows")),
        (
            "0",
            "lock dec [c]\nlock inc [c]",
            Some("the counter `c` underflows"),
        ),
        ("0", "lock inc [c]\nlock dec [c]", None),
        (
            "0",
            "mov [c], N\nlock inc [c]",
            Some("the counter `c` overflows"),
        ),
    ] {
        let code = format!("{code}\nnever: nop\nend:");
        let text = program(&format!("c dd {initial} ! as counter"), "", &code, property);
        for model in MODELS {
            match (
                verdict(&text, model, &options(2, 1, Engine::Both)),
                violated,
            ) {
                (Verdict::Safe, None) => {}
                (Verdict::Unsafe(found), Some(violated)) => {
                    assert_eq!(found.property.text, violated);
                }
                (found, _) => panic!("{} on {model}:\n{text}", word(&found)),
            }
        }
    }
}

/// Registers and variables of one thread behind some code, computed by hand.
#[test]
fn values_are_those_of_the_machine() {
    for (code, holds) in [
        (
            "mov eax, 5\nmov ebx, eax\nadd ebx, 3\nsub eax, ebx",
            "eax[$t] = -3 && ebx[$t] = 8",
        ),
        ("mov eax, -1\nnot eax\ninc eax", "eax[$t] = 1"),
        (
            "mov [x], 7\ninc dword [x]\nnot [x]\nmov eax, [x]",
            "eax[$t] = -9",
        ),
        (
            "mov eax, 2\nmov [x], 3\nxchg [x], eax\nmov ebx, [x]",
            "eax[$t] = 3 && ebx[$t] = 2",
        ),
        (
            "mov eax, 2\nmov [x], 3\nxadd [x], eax\nmov ebx, [x]",
            "eax[$t] = 3 && ebx[$t] = 5",
        ),
        (
            "mov eax, 2\nmov ebx, 9\nxchg eax, ebx",
            "eax[$t] = 9 && ebx[$t] = 2",
        ),
        // The comparison fails: EAX has what was found, and memory keeps it.
        (
            "mov eax, 2\nmov ebx, 9\nmov [x], 3\nlock cmpxchg [x], ebx\nmov ecx, [x]",
            "eax[$t] = 3 && ecx[$t] = 3",
        ),
        (
            "mov eax, 3\nmov ebx, 9\nmov [x], 3\ncmpxchg [x], ebx\nmov ecx, [x]",
            "eax[$t] = 3 && ecx[$t] = 9",
        ),
        // Data of threads.
        (
            "mov [p], 4\ndec [p]\nlock inc dword [p]\nadd [p + $t], 10",
            "p[$t] = 14",
        ),
        ("mov eax, [q]", "eax[$t] = 42 && q[$t] = 42"),
        // Conditions: 3 is below -1 as an unsigned number, and above it as a signed one.
        (
            "mov eax, 3\ncmp eax, -1\nja no\nmov ebx, 1\nno:",
            "ebx[$t] = 1",
        ),
        (
            "mov ebx, 0\nmov eax, 3\ncmp eax, -1\njg yes\nmov ebx, 1\nyes:",
            "ebx[$t] = 0",
        ),
        (
            "mov ebx, 0\nmov eax, 2147483647\ninc eax\njo yes\nmov ebx, 1\nyes:",
            "ebx[$t] = 0",
        ),
        (
            "mov ebx, 0\nmov eax, -1\nadd eax, 1\njc yes\nmov ebx, 1\nyes:",
            "ebx[$t] = 0",
        ),
        (
            "mov ebx, 0\nmov eax, 5\ntest eax, eax\njns yes\nmov ebx, 1\nyes:",
            "ebx[$t] = 0",
        ),
    ] {
        let code = format!("{code}\nstop:");
        let at_end = format!("eip[$t] = stop && {holds}");
        let text = program("x dd 0", "p dd 1\nq dd 42", &code, &at_end);
        for model in MODELS {
            assert!(is_unsafe(&text, model, 1), "{model}:\n{text}");
        }
        for conjunct in holds.split(" && ") {
            let other = format!("eip[$t] = stop && {}", conjunct.replace(" = ", " <> "));
            let text = program("x dd 0", "p dd 1\nq dd 42", &code, &other);
            assert!(!is_unsafe(&text, "tso", 1), "{text}");
        }
    }
}

#[test]
fn registers_are_arbitrary_at_first() {
    let text = |property: &str| program("", "", "inc eax\nend:", property);
    for (property, expected) in [
        ("eip[$t] = end && eax[$t] = 12345", true),
        ("ebx[$t] = 77", true),
        ("eax[$t] < eax[$u] && ebx[$u] = 3", true),
        ("eax[$t] <> eax[$t]", false),
    ] {
        let found = verdict(&text(property), "tso", &options(2, 1, Engine::Sat));
        assert_eq!(word(&found) == "unsafe", expected, "{property}");
    }
}

#[test]
fn a_property_without_places_holds_anywhere() {
    let code = "
    mov ebx, 1
    lock xadd [x], ebx
    mov [p], 1
again: cmp ebx, [y]
    jne again
    mov [p], 7";
    for (property, expected) in [
        ("p[$a] = 1 && p[$b] = 1", true),
        ("p[$a] = 0 && p[$b] = 1", true),
        // Only the first one leaves its loop.
        ("p[$a] = 7 && p[$b] = 7", false),
        ("p[$a] = 7 && p[$b] = 1", true),
        ("p[$a] = 7 && ebx[$a] = 1", false),
        ("ebx[$a] = ebx[$b]", true),
        ("p[$a] = 1 && p[$b] = 1 && ebx[$a] = ebx[$b]", false),
        ("p[$a] = 1 && p[$b] = 1 && ebx[$a] > ebx[$b]", true),
        ("p[$a] < p[$b] && ebx[$a] = 0 && ebx[$b] = 0", true),
        ("eip[$a] <> again && p[$a] = 7", true),
    ] {
        let text = program("x dd 0\ny dd 0", "p dd 0", code, property);
        for model in MODELS {
            let found = verdict(&text, model, &options(2, 2, Engine::Sat));
            assert_eq!(word(&found) == "unsafe", expected, "{property} on {model}");
        }
    }
}

#[test]
fn a_loop_that_is_cut_hides_no_violation() {
    // The waiting thread never leaves its loop, and the other one is behind it only then.
    let code = "
    mov ebx, 1
    lock xadd [turn], ebx
    cmp ebx, 0
    jne second
spin: lock inc [beat]
    cmp [stop], 1
    jne spin
    jmp end
second: mov [seen], 1
there: nop
end: nop";
    let shared = "turn dd 0\nbeat dd 0\nstop dd 0\nseen dd 0";
    let text = program(shared, "", code, "eip[$a] = spin && eip[$b] = there");
    for model in MODELS {
        for unwind in [0, 1, 3] {
            let found = verdict(&text, model, &options(2, unwind, Engine::Sat));
            assert_eq!(word(&found), "unsafe", "{model}, {unwind}");
        }
        let text = program(shared, "", code, "eip[$a] = end && eip[$b] = there");
        let found = verdict(&text, model, &options(2, 1, Engine::Sat));
        assert_eq!(word(&found), "bound", "{model}");
    }
}

/// The programs of the paper and others, whose first line says what to expect of any number of
/// threads. The violations are within reach of two threads that take each loop twice.
#[test]
fn the_benchmarks_have_their_verdicts() {
    let folder = support::root().join("benchmarks/x86");
    let mut programs = 0;
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("it is UTF-8");
        let first = text.lines().next().unwrap_or_default();
        for (model, said) in first.split_whitespace().filter_map(|w| w.split_once('=')) {
            let bad = said.starts_with("UNSAFE");
            let unwind = if bad { 2 } else { 1 };
            let found = word(&verdict(&text, model, &options(2, unwind, Engine::Sat)));
            assert_eq!(
                found == "unsafe",
                bad,
                "{} on {model}: {found}",
                path.display()
            );
            programs += 1;
        }
    }
    assert!(programs > 20, "{programs}");
}

/// What threads see of shared memory, all at one moment.
#[test]
fn views_are_those_of_one_moment() {
    // The first thread to come goes one way, all others the other one.
    let split = |first: &str, other: &str| {
        let turn = "mov ebx, 1\nlock xadd [turn], ebx\ncmp ebx, 0\njne other";
        format!(
            "{turn}\nfirst: {first}\nnop\ndone: nop\njmp end\nother: {other}\nnop\nthere: nop\nend:"
        )
    };
    let at = |first: &str, other: &str| format!("eip[$a] = {first} && eip[$b] = {other}");
    let (done, begun) = (at("done", "there"), at("first", "there"));
    let one = "mov [x], 1";
    let fenced = "mov [x], 1\nmfence";
    let two = "mov [x], 1\nmov [x], 2";
    let both = "mov [x], 1\nmov [y], 1";
    for (first, other, property, expected) in [
        (
            one,
            "",
            format!("{done} && $a:x = 1 && $b:x = 0"),
            [false, true, true],
        ),
        (one, "", format!("{done} && $a:x = 0"), [false; 3]),
        (one, "", format!("{done} && $a:x = $b:x"), [true; 3]),
        (
            one,
            "",
            format!("{done} && $a:x <> $b:x"),
            [false, true, true],
        ),
        (fenced, "", format!("{done} && $b:x = 0"), [false; 3]),
        (fenced, "", format!("{done} && $b:x = 1"), [true; 3]),
        // Before it is written no one sees it.
        (one, "", format!("{begun} && $b:x = 1"), [false; 3]),
        (
            one,
            "",
            "$b:x = 1 && eip[$a] = first".to_string(),
            [false; 3],
        ),
        (
            two,
            "",
            format!("{done} && $a:x = 2 && $b:x = 1"),
            [false, true, true],
        ),
        (
            two,
            "",
            format!("{done} && $a:x = 1 && $b:x = 2"),
            [false; 3],
        ),
        (
            two,
            "",
            "$a:x = 1 && $b:x = 2".to_string(),
            [false, true, true],
        ),
        (
            both,
            "",
            format!("{done} && $b:x = 0 && $b:y = 1"),
            [false, false, true],
        ),
        (
            both,
            "",
            format!("{done} && $b:x = 1 && $b:y = 0"),
            [false, true, true],
        ),
        // Both stores are buffered.
        (
            "mov [x], 1",
            "mov [y], 1",
            format!("{done} && $a:y = 0 && $b:x = 0"),
            [false, true, true],
        ),
        (
            fenced,
            "mov [y], 1\nmfence",
            format!("{done} && $a:y = 0"),
            [false; 3],
        ),
        // A locked instruction is seen by all at once.
        (
            "mov eax, 1\nxchg eax, [x]",
            "mov ecx, [x]",
            format!("{done} && ecx[$b] = 1 && $a:x = 0"),
            [false; 3],
        ),
        // Who has seen it knows that it is in memory.
        (
            one,
            "mov ecx, [x]",
            format!("{done} && ecx[$b] = 1 && $b:x = 0"),
            [false; 3],
        ),
        (
            one,
            "mov ecx, [x]",
            format!("{done} && ecx[$b] = 0 && $b:x = 1"),
            [true; 3],
        ),
    ] {
        let text = program(
            "x dd 0\ny dd 0\nturn dd 0",
            "",
            &split(first, other),
            &property,
        );
        for (model, expected) in MODELS.into_iter().zip(expected) {
            for threads in [2, 3] {
                let found = match threads {
                    2 => is_unsafe(&text, model, 2),
                    _ => word(&verdict(&text, model, &options(3, 1, Engine::Sat))) == "unsafe",
                };
                // A third thread goes the other way, too, but it stores the same.
                assert_eq!(found, expected, "{property} on {model}, {threads}:\n{text}");
            }
        }
    }
    let text = program(
        "x dd 0",
        "",
        "mov [x], 1\nend:",
        "$a:x = 1 && eip[$a] = end",
    );
    let model = wmbmc::model("rmo").expect("it is built in");
    let input = Input::text("p.asm", text);
    let checked = wmbmc::driver::check(
        &input,
        &model,
        &options(1, 1, Engine::Sat),
        Limits::default(),
    );
    let error = checked.expect_err("there is no such moment").to_string();
    assert!(error.contains("`$t:x`"), "{error}");
}

#[test]
fn a_view_is_shown_at_its_moment() {
    let code = "mov ebx, 1\nlock xadd [turn], ebx\ncmp ebx, 0\njne other\nfirst: mov [x], 1\ndone: nop\njmp end\nother: mov [y], 1\nthere: nop\nend:";
    let property = "eip[$a] = done && eip[$b] = there && $a:y = 0 && $b:x = 0";
    let run = machine(
        &program("x dd 0\ny dd 0\nturn dd 0", "", code, property),
        "tso",
    );
    let last = |thread: usize| {
        let mut all = run.steps.iter().rev();
        all.find(|s| s.thread == thread).expect("it moves")
    };
    for (thread, own, other) in [(1, "x", "y"), (2, "y", "x")] {
        let step = last(thread);
        assert_eq!(step.pending[0].name, own, "{run:?}");
        let MachineAction::Instruction { reads, .. } = &step.action else {
            panic!("{step:?}");
        };
        assert_eq!(
            (reads[0].name.as_str(), reads[0].value),
            (other, 0),
            "{run:?}"
        );
    }
}

fn machine(text: &str, model: &str) -> MachineRun {
    match verdict(text, model, &options(2, 1, Engine::Sat)) {
        Verdict::Unsafe(found) => {
            let trace = found.trace.expect("the solver keeps executions");
            trace
                .machine
                .expect("the model is that of a machine with store buffers")
        }
        other => panic!("{}", word(&other)),
    }
}

#[test]
fn the_run_shows_registers_and_buffers() {
    let property = "eip[$a] = done1 && eip[$b] = done2 && eax[$a] = 0 && eax[$b] = 0";
    let shared = "X dd 0\nY dd 0\nturn dd 0";
    let text = program(
        shared,
        "",
        &STORE_BUFFERING.replace("FENCE", "nop"),
        property,
    );
    for model in ["tso", "pso"] {
        let run = machine(&text, model);
        assert!(run.buffered);
        let loads = run.steps.iter().filter(|s| {
            let MachineAction::Instruction { reads, sets, .. } = &s.action else {
                return false;
            };
            let zero = sets.iter().any(|r| r.name == "EAX" && r.value == 0);
            zero && reads.iter().any(|r| r.name == "X" || r.name == "Y")
        });
        let pending: Vec<usize> = loads.map(|s| s.pending.len()).collect();
        assert_eq!(pending.len(), 2);
        // The first one to read has its own store in its buffer.
        assert_eq!(pending[0], 1, "{run:?}");
    }
    let naive = "mov eax, [L]\nadd eax, 1\nmov [L], eax\ncs: nop";
    let property = "eip[$a] = cs && eip[$b] = cs && eax[$a] = eax[$b]";
    let run = machine(&program("L dd 5", "", naive, property), "sc");
    assert!(!run.buffered);
    assert!(run.steps.iter().all(|s| s.pending.is_empty()), "{run:?}");
    let stops = run.steps.iter().filter(|s| match &s.action {
        MachineAction::Instruction { span, .. } => span.start == span.end,
        _ => false,
    });
    assert_eq!(stops.count(), 2);
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let property = "eax[$a] = eax[$b] && ebx[$a] = ebx[$b] && ecx[$a] = ecx[$b]";
    let text = program("", "", "nop", property);
    let read = Session::read(&Input::text("p.asm", text), &options(2, 1, Engine::Sat));
    match read {
        Err(Error::Refused(refused)) => {
            assert!(refused.diags[0].message.contains("`$a`"), "{refused:?}");
        }
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it is read"),
    }
}

/// An instruction that both dialects have.
fn instruction(random: &mut Random) -> String {
    let (a, b) = (random.pick(&["eax", "ebx"]), random.pick(&["eax", "ebx"]));
    let x = random.pick(&["x", "y"]);
    let lock = random.pick(&["", "lock "]);
    match random.below(16) {
        0..=2 => format!("mov [{x}], {}", 1 + random.below(2)),
        3 => format!("mov [{x}], {a}"),
        4..=6 => format!("mov {a}, [{x}]"),
        7 => format!("xchg {a}, [{x}]"),
        8 => format!("{lock}xadd [{x}], {a}"),
        9 => format!("{lock}{} dword [{x}]", random.pick(&["inc", "dec", "not"])),
        10 => format!("{lock}add [{x}], {a}"),
        11 => format!("{lock}cmpxchg [{x}], ebx"),
        12 => "mfence".to_string(),
        13 => format!("{} {a}, {b}", random.pick(&["add", "sub", "mov"])),
        14 => format!("add {a}, [{x}]"),
        _ => {
            let jump = random.pick(&["je", "jne", "js", "jg", "jle", "jb", "jae"]);
            format!("cmp {a}, [{x}]\n{jump} out")
        }
    }
}

/// Both ways from the same columns to a verdict: as a litmus test whose registers are asked for at
/// the end, and as a program whose threads may stop there.
#[test]
fn random_programs_agree_with_litmus_tests() {
    let mut random = Random::new(1);
    let mut reached = 0;
    for case in 0..random_cases(200) {
        let mut lines = vec!["mov eax, 0".to_string(), "mov ebx, 1".to_string()];
        for _ in 0..2 + random.below(3) {
            lines.extend(instruction(&mut random).lines().map(str::to_string));
        }
        lines.extend(["out: nop".to_string()]);
        let mut values = Vec::new();
        for _ in 0..1 + random.below(2) {
            let (thread, register) = (random.below(2), random.pick(&["eax", "ebx"]));
            values.push((thread, register, random.below(3)));
        }
        let mut property = "eip[$t0] = end && eip[$t1] = end".to_string();
        let mut condition = "true".to_string();
        for (thread, register, value) in &values {
            let _ = write!(property, " && {register}[$t{thread}] = {value}");
            let _ = write!(
                condition,
                " /\\ {thread}:{}={value}",
                register.to_uppercase()
            );
        }
        let text = program(
            "x dd 0\ny dd 0",
            "",
            &(lines.join("\n") + "\nend:"),
            &property,
        );
        let mut litmus = "X86 random\n{ x=0; y=0; }\n P0 | P1 ;\n".to_string();
        for line in &lines {
            let parts: Vec<&str> = match line.split_once(": ") {
                Some((label, rest)) => vec![label, rest],
                None => vec![line],
            };
            for (i, part) in parts.iter().enumerate() {
                let colon = if parts.len() == 2 && i == 0 { ":" } else { "" };
                let _ = writeln!(litmus, " {part}{colon} | {part}{colon} ;");
            }
        }
        let _ = writeln!(litmus, "exists ({condition})");
        for model in MODELS {
            let found = match case % 3 {
                0 => is_unsafe(&text, model, 2),
                _ => word(&verdict(&text, model, &options(2, 2, Engine::Sat))) == "unsafe",
            };
            let expected = holds(&litmus, model);
            assert_eq!(found, expected, "case {case} on {model}:\n{text}\n{litmus}");
            reached += usize::from(found);
        }
    }
    assert!(reached > 100, "only {reached} conditions are reached");
}

/// Whether the condition of a litmus test is reached.
fn holds(text: &str, model: &str) -> bool {
    let model = wmbmc::model(model).expect("it is built in");
    let input = Input::text("random.litmus", text);
    let options = SessionOptions::default();
    match wmbmc::driver::check(&input, &model, &options, Limits::default()) {
        Ok(Outcome::Litmus(outcome)) => outcome.answers[0].0.holds,
        Ok(_) => panic!("the outcome is of another kind"),
        Err(error) => panic!("{error}\n{text}"),
    }
}
