use super::ast::{Comparison, Initial, Program};
use super::parse;
use crate::front::litmus::ast::x86::Op;
use base::source::SourceMap;

fn read(text: &str) -> Result<Program, Vec<String>> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.asm".to_string(), text);
    parse(&sources, file).map_err(|all| {
        let line = |d: &base::diag::Diag| {
            let at = d
                .labels
                .first()
                .map(|(s, _)| sources.line_col(s.file, s.start));
            let at = at.map_or("-".into(), |at| format!("{}:{}", at.line, at.col));
            format!("{at} {}", d.message)
        };
        all.iter().map(line).collect()
    })
}

/// Fig. 4 of the paper.
const BARRIER: &str = "
begin shared_data
    sense dd 0
    count dd N ! as counter
end shared_data
begin unsafe_prop
    eip[$t1] = entr &&
    eip[$t2] = end
end unsafe_prop
begin init_code
    start_threads
end init_code
begin thread_code
    mov esi, 0 ; esi = local sense
entr: not esi
    lock dec dword [count]
    jne spin
last: mov dword [count], N
    mov dword [sense], esi
    jmp end
spin: cmp dword [sense], esi
    jne spin
end: nop
end thread_code
";

#[test]
fn the_barrier_of_the_paper() {
    let program = read(BARRIER).expect("it is right");
    assert_eq!(program.code.len(), 10);
    assert_eq!(program.target("spin"), Some(7));
    assert!(program.code[2].instr.lock);
    assert!(matches!(program.shared[1].initial, Initial::ThreadCount(_)));
    assert_eq!(program.property_threads(), ["t1", "t2"]);
    assert!(
        matches!(&program.property[1], Comparison::Location { label, .. } if label.text == "end")
    );
    assert!(matches!(&program.code[6].instr.op, Op::Jump(None, l) if l.text == "end"));
}

#[test]
fn labels_may_stand_alone_and_at_the_end() {
    let code = "begin thread_code\na:\nb: nop\n\nc:\nend thread_code\n";
    let text = format!("{code}begin unsafe_prop\neip[$t] = c\nend unsafe_prop\n");
    let program = read(&text).expect("it is right");
    assert_eq!(program.target("a"), Some(0));
    assert_eq!(program.target("b"), Some(0));
    assert_eq!(program.target("c"), Some(1));
}

#[test]
fn assignments_before_the_threads_start_are_initial_values() {
    let data = "begin shared_data\nx dd 1\nend shared_data\nbegin init_code\nmov dword [x], -7\nstart_threads\nend init_code\n";
    let rest =
        "begin thread_code\nnop\nend thread_code\nbegin unsafe_prop\n$t:x = 0\nend unsafe_prop\n";
    let program = read(&format!("{data}{rest}")).expect("it is right");
    assert!(matches!(program.shared[0].initial, Initial::Number(n) if n.to_string() == "-7"));
}

/// A line of code, in a program with a shared `x`, a counter `c` and a `p` of each thread.
fn code(line: &str) -> Vec<String> {
    let text = format!(
        "begin shared_data\nx dd 0\nc dd 0 ! as counter\nend shared_data\nbegin thread_data\np dd 0\nend thread_data\nbegin thread_code\n{line}\nend thread_code\nbegin unsafe_prop\n$t:x = 1\nend unsafe_prop\n"
    );
    read(&text).err().unwrap_or_default()
}

#[test]
fn what_is_outside_of_the_fragment_is_refused_by_name() {
    let cases = [
        ("push eax", "9:1 the instruction `push` is not supported"),
        ("jp a", "9:1 the instruction `jp` is not supported"),
        ("mov ax, 1", "9:5 the register `ax` is not supported"),
        (
            "mov byte [x], 1",
            "9:5 accesses of size `byte` are not supported",
        ),
        (
            "mov [eax], 1",
            "9:6 addresses in registers are not supported: memory is named",
        ),
        ("mov [x], [x]", "9:10 only one operand can be in memory"),
        ("mov 1, eax", "9:5 expected a register or memory"),
        ("xchg eax, 1", "9:11 expected a register or memory"),
        ("xadd [x], 1", "9:11 expected a register"),
        (
            "lock mov [x], 1",
            "9:1 `lock` cannot stand before `mov` here",
        ),
        ("lock inc eax", "9:1 `lock` cannot stand before `inc` here"),
        (
            "mov eax, 0x1ffffffff",
            "9:10 `8589934591` does not fit 32 bits",
        ),
        ("mov eax", "9:8 expected `,`, found the end of the line"),
        (
            "mov eax, 1 2",
            "9:12 expected the end of the line, found `2`",
        ),
        ("mov eax, y", "9:10 `y` is no register"),
        ("mov eax, [y]", "9:11 there is no variable `y`"),
        ("jmp nowhere", "9:5 there is no label `nowhere`"),
        (
            "mov eax, N",
            "9:10 `N`, the number of threads, is used with counters only",
        ),
        (
            "mov eax, [c]",
            "9:1 the counter `c` cannot be used like this",
        ),
        (
            "cmp dword [c], 1",
            "9:1 the counter `c` cannot be used like this",
        ),
        (
            "lock add dword [c], 1",
            "9:1 the counter `c` cannot be used like this",
        ),
        (
            "mov dword [p + $t], 1\nmov eax, [p + $o]",
            "10:15 the cell of another thread (`$o`) is not supported",
        ),
        (
            "mov eax, [x + $t]",
            "9:15 `x` is one variable, without cells",
        ),
        ("a: nop\na: nop", "10:1 the label `a` stands here twice"),
        ("mov eax, 1 ? 2", "9:12 unexpected character `?`"),
    ];
    for (line, message) in cases {
        assert_eq!(
            code(line).first().map(String::as_str),
            Some(message),
            "{line}"
        );
    }
    for line in [
        "mov eax, [p + $t]",
        "lock xchg [x], eax",
        "PAUSE",
        "cmp dword [c], N",
    ] {
        assert_eq!(code(line), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn every_wrong_line_is_reported() {
    assert_eq!(code("push eax\nnop\npop eax").len(), 2);
}

#[test]
fn sections_are_complete() {
    let only = read("begin thread_code\nnop\nend thread_code\n").unwrap_err();
    assert_eq!(only, ["4:1 there is no section `unsafe_prop`"]);
    let open = read("begin thread_code\nnop\n").unwrap_err();
    assert_eq!(open, ["1:1 the section `thread_code` is never ended"]);
    let unknown = read("begin code\n").unwrap_err();
    assert_eq!(unknown, ["1:7 `code` is no section"]);
}

#[test]
fn properties_are_about_values_that_exist() {
    let property = |atom: &str| {
        let text = format!(
            "begin shared_data\nx dd 0\nc dd 0 ! as counter\nend shared_data\nbegin thread_code\na: nop\nend thread_code\nbegin unsafe_prop\n{atom}\nend unsafe_prop\n"
        );
        read(&text).err().unwrap_or_default()
    };
    assert_eq!(property("eip[$t] = b"), ["9:11 there is no label `b`"]);
    assert_eq!(
        property("eip[$t] < a"),
        ["9:1 `eip` is compared by `=` or `<>`"]
    );
    assert_eq!(property("x[$t] = 1"), ["9:1 `x` is shared"]);
    assert_eq!(property("$t:y = 1"), ["9:4 there is no variable `y`"]);
    assert_eq!(
        property("$t:c = 1"),
        ["9:4 the counter `c` cannot stand in a property"]
    );
    assert_eq!(property("a = 1"), ["9:1 `a` is no value"]);
    assert_eq!(
        property("eax[$t]"),
        ["9:8 expected a comparison (`=`, `<>`, `<`, `<=`, `>`, `>=`), found the end of the line"]
    );
    assert_eq!(property("eax[$t] >= -1 && $u:x <> 3"), Vec::<String>::new());
}
