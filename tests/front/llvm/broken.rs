//! Texts that are refused: where, and with which sentence.

use super::read;

/// The only error of a text.
fn error(text: &str) -> String {
    let mut errors = read(text).expect_err(text);
    assert_eq!(errors.len(), 1, "{text}\n{}", errors.join("\n"));
    errors.remove(0)
}

/// The only error of a function with these lines, which begin on the second line of the text.
fn in_function(lines: &str) -> String {
    error(&format!("define void @f(i32 %x, ptr %p) {{\n{lines}\n}}\n"))
}

#[test]
fn broken_modules() {
    let other = "is no value of the type that is written before it, but of";
    let table = [
        (
            "foo\n",
            "1:1 expected an entity of a module, found `foo`".to_string(),
        ),
        (
            "@x = global\n",
            "2:1 expected a type, found the end of the file".into(),
        ),
        (
            "@x = i32 0\n",
            "1:6 expected `global` or `constant`, found `i32`".into(),
        ),
        (
            "@x = global foo 0\n",
            "1:13 expected a type, found `foo`".into(),
        ),
        (
            "@x = global i32\n",
            "2:1 expected a value, found the end of the file".into(),
        ),
        (
            "@x = global i32 @\n",
            "1:17 expected a value, found `@`".into(),
        ),
        (
            "@x = global i32 é\n",
            "1:17 expected a value, found `é`".into(),
        ),
        (
            "@x = global i32 0, align 3\n",
            "1:26 an alignment is a power of two".into(),
        ),
        (
            "@x = global i32 0, foo\n",
            "1:20 expected a property of a global variable, found `foo`".into(),
        ),
        (
            "@x = global void 0\n",
            "1:13 only functions have the type `void`".into(),
        ),
        (
            "@x = global i0 0\n",
            "1:13 an integer has from 1 to 8388608 bits".into(),
        ),
        (
            "@x = global void* null\n",
            "1:13 there is no pointer to `void`".into(),
        ),
        (
            "@x = global ptr* null\n",
            "1:16 expected no `*` behind `ptr`, found `*`".into(),
        ),
        (
            "@x = global i32 1.0\n",
            format!("1:17 a floating number {other} a floating type"),
        ),
        (
            "@x = global float 1\n",
            format!("1:19 a whole number {other} an integer type"),
        ),
        (
            "@x = global i32 null\n",
            format!("1:17 `null` {other} a pointer"),
        ),
        (
            "@x = global i32 { i32 1 }\n",
            format!("1:17 `{{` {other} a structure"),
        ),
        (
            "@x = global float 0.1\n",
            "1:19 `float` has no number 1e-1".into(),
        ),
        (
            "@x = global fp128 1.0\n",
            "1:19 a number of type `fp128` is written as its hexadecimal digits".into(),
        ),
        (
            "@x = global double 0xH3C00\n",
            "1:20 `0xH3C00` is no number of type `double`".into(),
        ),
        (
            "@x = global half 0xH13C00\n",
            "1:18 `0xH13C00` has too many digits".into(),
        ),
        (
            "@x = global i256 340282366920938463463374607431768211456\n",
            "1:18 integers of more than 128 bits are not supported".into(),
        ),
        (
            "@x = global [2 x i8] [i8 1]\n",
            "1:22 its type does not have 1 elements".into(),
        ),
        (
            "@x = global [2 x i8] c\"abc\"\n",
            "1:22 this string has 3 bytes, its type 2".into(),
        ),
        (
            "@x = global ptr @y\n",
            "1:17 `@y` is not declared in this module".into(),
        ),
        (
            "@x = global %t zeroinitializer\n",
            "1:13 the type `%t` is not defined in this module".into(),
        ),
        (
            "@x = global ptr %y\n",
            "1:17 `%y` is used outside of a function".into(),
        ),
        (
            "@x = global i32 0\n@x = global i32 1\n",
            "2:1 `@x` is defined already in this module".into(),
        ),
        (
            "%t = type i32\n%t = type i32\n",
            "2:1 the type `%t` is defined already in this module".into(),
        ),
        (
            "%t = type { %t }\n",
            "1:13 the type `%t` has itself as a part, or parts nested more than 100 levels deep"
                .into(),
        ),
        (
            "%t = type [2 x %t]\n",
            "1:11 `%t` is used before it, and is no structure".into(),
        ),
        (
            "!0 = !{}\n!0 = !{}\n",
            "2:1 `!0` is defined already in this module".into(),
        ),
        (
            "!0 = !DILocation(line: )\n",
            "1:24 expected the value of a field, found `)`".into(),
        ),
        (
            "!99999999999999999999 = !{}\n",
            "1:2 expected the number of a node, found `99999999999999999999`".into(),
        ),
        (
            "source_filename = \"a\n",
            "1:19 this quote is never closed".into(),
        ),
        (
            "attributes #0 = { nounwind\n",
            "1:17 `{` is never closed".into(),
        ),
        (
            "attributes #0 = { ( }\n",
            "1:21 expected `)`, found `}`".into(),
        ),
        (
            "target foo = \"x\"\n",
            "1:8 expected `triple` or `datalayout`, found `foo`".into(),
        ),
        (
            "declare void @f(i32 foo)\n",
            "1:21 expected `,` or `)`, found `foo`".into(),
        ),
        (
            "declare void @f(..., i32)\n",
            "1:20 expected `)`, found `,`".into(),
        ),
        (
            "declare void @f(ptr inalloca(i32))\n",
            "1:21 the attribute `inalloca` is not supported".into(),
        ),
        (
            "declare void @f(ptr preallocated(i32))\n",
            "1:21 the attribute `preallocated` is not supported".into(),
        ),
        (
            "declare void @f(ptr byval)\n",
            "1:26 expected `(` and the type that is copied, found `)`".into(),
        ),
        (
            "define void @f()\n",
            "2:1 expected `{`, found the end of the file".into(),
        ),
        (
            "define void @f() {\n}\n",
            "1:13 a function with a body has a block".into(),
        ),
        (
            "define void @f() {\n",
            "2:1 expected an instruction, found the end of the file".into(),
        ),
        (
            "define void @f() foo {\n  ret void\n}\n",
            "1:18 expected `{`, found `foo`".into(),
        ),
        (
            "define void @f(i32 %a, i32 %a) {\n  ret void\n}\n",
            "1:28 a value named `%a` is defined already in this function".into(),
        ),
        (
            "define void @f(i32 %1) {\n  ret void\n}\n",
            "1:20 the number of this value is 0, not 1".into(),
        ),
    ];
    for (text, expected) in table {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn broken_functions() {
    let table = [
        ("  foo i32 1", "2:3 `foo` is no instruction of LLVM IR"),
        (
            "  %y = add i32 %x, 1",
            "3:1 a function ends without a terminator",
        ),
        (
            "a:\n  fence seq_cst\nb:\n  ret void",
            "4:1 the block `%a` ends without a terminator",
        ),
        ("  ret", "3:1 expected a type, found `}`"),
        (
            "  %y = add i32 %x\n  ret void",
            "3:3 expected `,`, found `ret`",
        ),
        (
            "  %y = add i32 %x, %z\n  ret void",
            "2:20 `%z` is not defined in this function",
        ),
        (
            "  br label %z",
            "2:12 there is no block `%z` in this function",
        ),
        ("  br label %x", "2:12 `%x` is a value, not a block"),
        ("a:\n  ret i32 %a", "3:11 `%a` is a block, not a value"),
        (
            "a:\n  br label %a\na:\n  ret void",
            "4:1 a block named `%a` is defined already in this function",
        ),
        (
            "  %x = add i32 1, 2\n  ret void",
            "2:3 a value named `%x` is defined already in this function",
        ),
        (
            "  %5 = add i32 1, 2\n  ret void",
            "2:3 the number of this value is 1, not 5",
        ),
        (
            "  br label %2\n2:\n  ret void",
            "3:1 the number of this block is 1, not 2",
        ),
        (
            "  %y = fence seq_cst\n  ret void",
            "2:3 `%y` names the value of `fence`, which has none here",
        ),
        (
            "  %y = call void %p()\n  ret void",
            "2:3 `%y` names the value of `call`, which has none here",
        ),
        (
            "  %y add i32 1, 2\n  ret void",
            "2:6 expected `=`, found `add`",
        ),
        (
            "  fence foo\n  ret void",
            "2:9 expected a memory order, found `foo`",
        ),
        (
            "  load atomic i32, ptr %p, align 4\n  ret void",
            "2:26 expected a memory order, found `,`",
        ),
        (
            "  cmpxchg ptr %p, i32 0, i32 1 seq_cst\n  ret void",
            "3:3 expected a memory order, found `ret`",
        ),
        (
            "  atomicrmw foo ptr %p, i32 1 seq_cst\n  ret void",
            "2:13 expected an operation of `atomicrmw`, found `foo`",
        ),
        (
            "  icmp foo i32 %x, 1\n  ret void",
            "2:8 expected a predicate of `icmp`, found `foo`",
        ),
        (
            "  fcmp slt double 1.0, 2.0\n  ret void",
            "2:8 expected a predicate of `fcmp`, found `slt`",
        ),
        (
            "  extractvalue { i32 } undef\n  ret void",
            "3:3 expected `,` and an index, found `ret`",
        ),
        (
            "  switch i32 %x, label %y [ i32 1 ]",
            "2:35 expected `,`, found `]`",
        ),
        (
            "  phi i32 [ 1, 2 ]\n  ret void",
            "2:16 expected the name of a block, found `2`",
        ),
        (
            "  call void %p(...)\n  ret void",
            "2:16 a call that passes on variable arguments is not supported",
        ),
        (
            "  call void (i32) %p()\n  ret void",
            "2:21 this call has 0 arguments, its type 1",
        ),
        (
            "  call void %p(i32 foo 1)\n  ret void",
            "2:20 expected a value, found `foo`",
        ),
        (
            "  call void @f(i32 bitcast (float 1.0 to i64))\n  ret void",
            "2:20 this constant expression does not have the type that is written before it",
        ),
        (
            "  invoke void %p() to label %a\na:\n  ret void",
            "3:1 expected `unwind`, found `a:`",
        ),
        (
            "  fence seq_cst, dbg\n  ret void",
            "2:18 expected an attachment, found `dbg`",
        ),
        (
            "    #dbg_foo(i32 %x)\n  ret void",
            "2:6 expected the name of a debug record, found `dbg_foo`",
        ),
        ("  ret i32 1", "2:3 this function returns another type"),
        ("  tail ret void", "2:8 expected `call`, found `ret`"),
    ];
    for (lines, expected) in table {
        assert_eq!(in_function(lines), expected, "{lines}");
    }
}

#[test]
fn nesting_has_a_limit() {
    let deep = |open: &str, close: &str, n: usize| {
        format!(
            "@x = external global {}i8{}\n",
            open.repeat(n),
            close.repeat(n)
        )
    };
    for (open, close) in [("[1 x ", "]"), ("{", "}"), ("", "*"), ("", "()*")] {
        assert!(read(&deep(open, close, 45)).is_ok());
        for n in [300, 100_000] {
            let error = error(&deep(open, close, n));
            assert!(
                error.ends_with("nested more than 100 levels deep"),
                "{error}"
            );
        }
    }
    let constant = format!(
        "@x = global i32 {}0{}\n",
        "add (i32 ".repeat(1000),
        ", i32 0)".repeat(1000)
    );
    assert!(error(&constant).ends_with("nested more than 100 levels deep"));
    let chain: String = (0..1000)
        .map(|i| format!("%t{i} = type {{ %t{} }}\n", i + 1))
        .collect();
    assert!(error(&format!("{chain}%t1000 = type {{ i8 }}\n")).contains("nested more than"));
}

#[test]
fn no_prefix_of_a_module_is_a_panic() {
    let text = "%t = type { i32, ptr }
@s = private constant [3 x i8] c\"a\\00\\FF\", align 1
define i32 @f(ptr byval(%t) %p, i32 %x) personality ptr @g !dbg !0 {
  %1 = getelementptr inbounds nuw %t, ptr %p, i64 0, i32 1
  %2 = call i32 (ptr, ...) @g(ptr @s, double 0x7FF8000000000000, metadata !\"é\")
    #dbg_value(i32 %2, !0, !DIExpression(), !DILocation(line: 1, scope: !0))
  switch i32 %2, label %3 [ i32 -1, label %3 ]
3:
  ret i32 add (i32 1, i32 s0xFF)
}
declare i32 @g(ptr, ...) memory(none)
!0 = distinct !DISubprogram(name: \"f\", flags: A | B, value: i32 7)
^0 = gv: (name: \"f\")
";
    assert!(read(text).is_ok());
    for (at, _) in text.char_indices() {
        drop(read(&text[..at]));
        drop(read(&text[at..]));
        // What is at a place is missing, or is there twice.
        let rest: String = text[at..].chars().skip(1).collect();
        drop(read(&format!("{}{rest}", &text[..at])));
        drop(read(&format!(
            "{}{}{}",
            &text[..at],
            &text[at..].chars().next().unwrap_or(' '),
            &text[at..]
        )));
    }
}
