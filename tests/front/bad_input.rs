//! Wrong inputs are refused by name and place, with exit 1 (the command line) or 2 (the input);
//! none makes the program panic.

use std::path::Path;
use std::process::Command;

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

/// The answer is `UNKNOWN`, with this place and these words.
fn unsupported(text: &str, place: &str, words: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("bad.c"), text).expect("writable");
    let mut command = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    let output = command
        .current_dir(folder.path())
        .arg("bad.c")
        .output()
        .expect("it runs");
    let answer = String::from_utf8_lossy(&output.stdout).to_lowercase();
    assert!(answer.starts_with("unknown"), "{text}\n{answer}");
    let place = format!("bad.c:{place}");
    assert!(answer.contains(&place), "no {place} in:\n{answer}");
    assert!(answer.contains(words), "no `{words}` in:\n{answer}");
}

#[test]
fn syntax() {
    refused("int main(void) { return 0 }\n", "1:", "");
    refused("int main(void) {\n  int x = ;\n}\n", "2:", "");
    refused("int main(void) {\n", "", "");
    refused("int main(void) { if }\n", "1:", "");
    // The parser would try every way to read them.
    let signs = "+".repeat(60);
    refused(
        &format!("int main(void) {{\n  {signs}x;\n}}\n"),
        "2:6",
        "signs",
    );
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
    unsupported(
        "int main(void) {\n  _Float16 i = 1;\n  return i > 1;\n}\n",
        "2:",
        "floating-point type of this width",
    );
    unsupported(
        "int main(void) {\n  __asm__ volatile(\"cpuid\");\n  return 0;\n}\n",
        "2:",
        "cpuid",
    );
}

/// Every one is wrong or refused: the text, the place, and what is said about it.
const REFUSED: &[(&str, &str, &str)] = &[
    ("int main(void) {\n  int 3x;\n}\n", "2:7", "unexpected `3x`"),
    ("int main(void) {\n  x = = 1;\n}\n", "2:7", "unexpected `=`"),
    (
        "int main(void) {\n  switch (1) { case: ; }\n}\n",
        "2:20",
        "unexpected `:`",
    ),
    (
        "int main(void)\n{\n  do { } while (1)\n}\n",
        "4:1",
        "unexpected `}`",
    ),
    (
        "struct s { int a }\nint main(void) { return 0; }\n",
        "1:18",
        "unexpected `}`",
    ),
    (
        "int f(int, );\nint main(void) { return 0; }\n",
        "1:12",
        "unexpected `)`",
    ),
    (
        "int main(void) {\n  foo_t *p;\n}\n",
        "2:3",
        "`foo_t` is not a type that is known here; is a header missing?",
    ),
    (
        "int main(void) {\n  return (1;\n}\n",
        "2:12",
        "unexpected `;`",
    ),
    (
        "#define F(x) x\nint main(void) {\n  return F(1;\n}\n",
        "4:2",
        "unterminated argument list invoking macro \"f\"",
    ),
    (
        "#error nothing\nint main(void) { return 0; }\n",
        "1:2",
        "#error nothing",
    ),
    (
        "int main(void) {\n  int a[2];\n  a = 0;\n}\n",
        "3:3",
        "`int[2]` cannot be assigned",
    ),
    (
        "int main(void) {\n  3 = 4;\n}\n",
        "2:3",
        "this is not something that can be assigned or have an address",
    ),
    (
        "int main(void) {\n  int x;\n  x();\n}\n",
        "3:3",
        "`int` cannot be called",
    ),
    (
        "void f(void);\nint main(void) {\n  int x = f();\n}\n",
        "3:11",
        "this expression has no value",
    ),
    (
        "struct s { int a; } s;\nint main(void) {\n  return s + 1;\n}\n",
        "3:10",
        "a number or pointer is needed here, not `struct s`",
    ),
    (
        "struct s { int a; } s;\nint main(void) {\n  if (s) return 1;\n}\n",
        "3:7",
        "a number or pointer is needed here, not `struct s`",
    ),
    (
        "int main(void) {\n  int *p = 0;\n  return p * 2;\n}\n",
        "3:10",
        "this operator does not apply to pointers",
    ),
    (
        "int main(void) {\n  void *p = 0;\n  return *p;\n}\n",
        "3:11",
        "a `void *` points to nothing of a known type",
    ),
    (
        "union u { int a; } v;\nint main(void) {\n  return v->a;\n}\n",
        "3:10",
        "a pointer is needed here, not `union u`",
    ),
    (
        "int main(void) {\n  _Static_assert(0, \"never\");\n}\n",
        "2:18",
        "static assertion failed: never",
    ),
    (
        "int main(void) {\n  return _Generic(1, char: 1);\n}\n",
        "2:19",
        "no case of `_generic` is for `int`",
    ),
    (
        "int n;\nint a[n];\nint main(void) { return a[0]; }\n",
        "2:7",
        "the size of this array is not a constant",
    ),
    (
        "int a[-1];\nint main(void) { return 0; }\n",
        "1:7",
        "an array cannot have -1 elements",
    ),
    (
        "struct { int a : 40; } b;\nint main(void) { return 0; }\n",
        "1:18",
        "a bit-field of type `int` cannot have 40 bits",
    ),
    (
        "struct { int a : 0; } b;\nint main(void) { return 0; }\n",
        "1:18",
        "a bit-field of type `int` cannot have 0 bits",
    ),
    (
        "struct { char *a : 3; } b;\nint main(void) { return 0; }\n",
        "1:20",
        "a bit-field cannot have type `char *`",
    ),
    (
        "struct { int a : 3; } b;\nint main(void) {\n  int *p = &b.a;\n}\n",
        "3:12",
        "a bit-field has no address",
    ),
    (
        "int main(void) {\n  int x;\n  int x2 = x.y;\n}\n",
        "3:14",
        "there is no member `y` in a number",
    ),
    (
        "int main(void) {\n  continue;\n}\n",
        "2:3",
        "`continue` outside of a loop",
    ),
    (
        "int main(void) {\n  case 1: return 0;\n}\n",
        "2:3",
        "`case` outside of a `switch`",
    ),
    (
        "enum e { A = -1, B = 0xFFFFFFFFFFFFFFFF };\nint main(void) { return A; }\n",
        "1:18",
        "no integer type holds the enumeration constant 18446744073709551615",
    ),
    (
        "int main(void) {\nl: ;\nl: return 0;\n}\n",
        "3:1",
        "the label `l` is placed twice",
    ),
    (
        "int main(void) { int i; switch (1) { case i: ; } }\n",
        "1:43",
        "a constant is needed here",
    ),
    (
        "int x = 1;\nint x = 2;\nint main(void) { return x; }\n",
        "2:9",
        "`x` has an initial value already",
    ),
    (
        "#pragma weak x\nextern int x;\nint main(void) { return &x == 0; }\n",
        "1:1",
        "`#pragma weak` is not supported",
    ),
    (
        "extern int x; int deep;\nint main(void) { return deep++ < 1 ? main() : x; }\n",
        "2:38",
        "a call of `main` is not supported beside an object that no file defines",
    ),
    (
        "extern volatile int x;\nint main(void) { return x; }\n",
        "2:25",
        "`x` is declared `extern`, and no definition is here",
    ),
    (
        "int f(void) { return 1; }\nint f(void) { return 2; }\nint main(void) { return f(); }\n",
        "2:5",
        "`f` is defined twice",
    ),
    (
        "typedef int t;\nint main(void) {\n  return t;\n}\n",
        "3:10",
        "`t` is a type, not a value",
    ),
    (
        "int a[2] = {1, 2, 3};\nint main(void) { return a[0]; }\n",
        "1:19",
        "there are more values than members here",
    ),
    (
        "int a[2] = {[5] = 1};\nint main(void) { return a[0]; }\n",
        "1:10",
        "element 5 is beyond the end of the array",
    ),
    (
        "struct { int x; } s = {.y = 1};\nint main(void) { return s.x; }\n",
        "1:25",
        "`struct (unnamed)` has no member `y`",
    ),
    (
        "int f(void);\nint x = f();\nint main(void) { return x; }\n",
        "2:9",
        "the initial value of this variable has to be a constant",
    ),
    (
        "int main(void) {\n  __auto_type x;\n}\n",
        "2:15",
        "`__auto_type` needs an initial value",
    ),
    (
        "__asm__(\"nop\");\nint main(void) { return 0; }\n",
        "1:1",
        "assembly at file scope is not supported",
    ),
    (
        "__attribute__((constructor)) void f(int n) {}\nint main(void) { return 0; }\n",
        "1:35",
        "parameters with the attribute `constructor` are not supported",
    ),
    (
        "void *f(void *a, void *b);\n#include <pthread.h>\nint main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n}\n",
        "5:25",
        "a start routine takes one parameter",
    ),
    (
        "#include <pthread.h>\nint main(void) {\n  pthread_mutex_lock();\n}\n",
        "3:3",
        "`pthread_mutex_lock` is called with too few arguments",
    ),
    (
        "int main(void) {\n  char s[3] = 5;\n  return s[0];\n}\n",
        "2:15",
        "an array needs a list of values",
    ),
    (
        "int main(void) {\n  return sizeof(struct nothing);\n}\n",
        "2:10",
        "the size of `struct nothing` is not known here",
    ),
    (
        "int main(void) {\n  double d = 1.5;\n  d = d % 2;\n}\n",
        "3:7",
        "this operator needs integers",
    ),
    (
        "float f;\nint main(void) {\n  return ~f;\n}\n",
        "3:10",
        "this operator needs an integer",
    ),
    (
        "float f;\nint main(void) {\n  switch (f) {}\n}\n",
        "3:11",
        "an integer is needed here, not `float`",
    ),
    (
        "double d;\nint main(void) {\n  __atomic_fetch_add(&d, 1, 5);\n}\n",
        "3:22",
        "`__atomic_fetch_add` needs an integer",
    ),
    (
        "double d;\nint main(void) {\n  int *x = d;\n}\n",
        "3:12",
        "a value of type `double` cannot become `int *`",
    ),
    (
        "int *x;\nint main(void) {\n  double d = x;\n}\n",
        "3:14",
        "a value of type `int *` cannot become `double`",
    ),
    (
        "double d;\nint main(void) {\n  int a[2] = {0};\n  return a[d];\n}\n",
        "4:10",
        "an index has to be an integer",
    ),
    (
        "int f(double x) { return x >> 1; }\nint main(void) {\n  return f(1);\n}\n",
        "1:26",
        "this operator needs integers",
    ),
];

/// None of these is supported where it is reached.
const UNSUPPORTED: &[(&str, &str, &str)] = &[
    (
        "__int128 x;\nint main(void) {\n  x = x / 3;\n}\n",
        "3:7",
        "a division of `__int128` is not supported",
    ),
    (
        "_Complex double c;\nint main(void) {\n  c = 1;\n}\n",
        "1:17",
        "a complex number is not supported",
    ),
    (
        "_Decimal32 x;\nint main(void) {\n  x = 1;\n}\n",
        "1:12",
        "a decimal floating-point type is not supported",
    ),
    (
        "struct s { int x; } a;\nint main(void) {\n  struct { struct s s; } b = { .s = a, .s.x = 3 };\n}\n",
        "3:28",
        "an initial value of a part of a structure that an expression has initialised is not supported",
    ),
    (
        "int main(void) {\n  void *p = &&l;\nl:\n  return 0;\n}\n",
        "2:13",
        "the address of a label (computed `goto`) is not supported",
    ),
    (
        "int main(void) {\n  void *p = 0;\n  goto *p;\n}\n",
        "3:3",
        "computed `goto` is not supported",
    ),
    (
        "int main(void) {\n  __asm__ goto(\"jmp %l0\" : : : : l);\nl:\n  return 0;\n}\n",
        "2:3",
        "`asm goto` is not supported",
    ),
    (
        "int main(void) {\n  int x;\n  __asm__(\"cpuid\" : \"=a\"(x));\n}\n",
        "3:3",
        "the assembly instruction `cpuid` is not supported",
    ),
    (
        "int main(void) {\n  int x = 1;\n  __asm__(\"addl %1, %0, %1\" : \"+r\"(x) : \"r\"(2));\n}\n",
        "3:3",
        "the assembly instruction `addl %1, %0, %1` is not supported",
    ),
    (
        "int main(void) {\n  int x;\n  __asm__(\"nop\" : \"=@cco\"(x));\n}\n",
        "3:3",
        "the flag `o` of this statement is not supported",
    ),
    (
        "int main(void) {\n  int x = 1;\n  __asm__(\"lock; cmpxchg16b %0\" : \"+r\"(x));\n}\n",
        "3:3",
        "the assembly instruction `cmpxchg16b %0` is not supported",
    ),
    (
        "int main(void) {\n  __asm__(\"jmp nowhere\");\n}\n",
        "2:3",
        "the assembly instruction `jmp nowhere` is not supported",
    ),
    (
        "int main(void) {\n  int x = 1;\n  __asm__(\"jc 1b; 1: incl %0\" : \"+r\"(x));\n}\n",
        "3:3",
        "the assembly instruction `jc 1b` is not supported",
    ),
    (
        "struct s { char a; int b; } v;\nint main(void) {\n  struct s w;\n  __atomic_load(&v, &w, 5);\n}\n",
        "4:17",
        "an atomic access to a structure that is not declared `_atomic` and has padding",
    ),
    (
        "#include <pthread.h>\nint main(void) {\n  pthread_cancel(pthread_self());\n}\n",
        "3:3",
        "`pthread_cancel` is not supported",
    ),
    (
        "#include <setjmp.h>\njmp_buf b;\nint main(void) {\n  return setjmp(b);\n}\n",
        "4:3",
        "`_setjmp` is not supported",
    ),
    (
        "typedef int v4 __attribute__((vector_size(16)));\nv4 v;\nint main(void) {\n  v4 w = v;\n}\n",
        "4:6",
        "a vector type is not supported",
    ),
    (
        "int main(void) {\n  return __builtin_frame_address(0) != 0;\n}\n",
        "2:10",
        "the builtin `__builtin_frame_address` is not supported",
    ),
    (
        "int main(void) {\n  register int x;\n  return 99999999999999999999;\n}\n",
        "3:10",
        "an integer constant of more than 64 bits is not supported",
    ),
    (
        "int main(void) {\n  int x = 5;\n  return __builtin_add_overflow(1L, 2L, &x);\n}\n",
        "3:10",
        "`__builtin_add_overflow` of more than 32 bits is not supported",
    ),
];

/// More shapes of assembly that would be guessed at.
#[test]
fn assembly_is_not_guessed() {
    for line in [
        "mov %0, %1",
        "movl (%1,%0,4), %0",
        "ldr %w0, [%1], #4",
        "fnstsw %0",
        "addl %0",
        "call f",
        "lock; movl %1, %0",
        "lwarx %0,0,%9",
        "addl $0, (%%rsp)",
        "mov %w1, %w0",
        "movl %%al, %0",
        "movl %h1, %0",
        "rep stosl",
        "addl $010, %0",
        "jp 1f; 1:",
        "xadd %0, %2",
        "membar #Everything",
        "dmb none",
        "dmb nsh",
        "fence rw",
        "fence.i",
        "blr",
        "b nowhere",
        "sync 2",
        "add %1, %0, %0",
    ] {
        let text = format!(
            "int main(void) {{\n  int x = 0, y = 1;\n  __asm__(\"{line}\" : \"=r\"(x) : \"r\"(y));\n}}\n"
        );
        unsupported(&text, "3:3", "the assembly instruction");
    }
}

#[test]
fn each_is_refused_by_name_and_place() {
    for (text, place, words) in REFUSED {
        refused(text, place, words);
    }
}

#[test]
fn each_is_unknown_by_name_and_place() {
    for (text, place, words) in UNSUPPORTED {
        unsupported(text, place, words);
    }
}

/// The type is named, not what stands behind it, and the header where that is known.
#[test]
fn missing_types_are_named() {
    let cases = [
        ("foo_t *f(void);", "1:1", "foo_t"),
        ("int f(int a, const foo_t *x);", "1:20", "foo_t"),
        ("int f(foo_t **, int);", "1:7", "foo_t"),
        ("struct s {\n  foo_t *p;\n};", "2:3", "foo_t"),
        ("static foo_t *x;", "1:8", "foo_t"),
        ("extern const foo_t f(int);", "1:14", "foo_t"),
        ("struct s { uint32_t x; };", "1:12", "<stdint.h>"),
        ("int f(int a, pthread_mutex_t *m);", "1:14", "<pthread.h>"),
    ];
    for (text, place, words) in cases {
        let text = format!("{text}\nint main(void) {{ return 0; }}\n");
        refused(&text, place, words);
        refused(&text, place, "is not a type that is known here");
    }
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

#[test]
fn comments_and_strings_may_have_any_bytes() {
    let text: &[u8] = b"#include <assert.h>\n/* caf\xe9 */\nint main(void) { // \xfc\n  \
        char *s = \"\xe9\"; assert((unsigned char)s[0] == 0xe9 && s[1] == 0); return 0;\n}\n";
    let (code, errors) = run("latin.c", text, &[]);
    assert_eq!(code, 0, "{errors}");
    let (code, errors) = run("latin.c", b"/* \xe9 */ int main(void) { return 0; }\n", &[]);
    assert_eq!(code, 0, "{errors}");
    let wrong: &[u8] = b"/* \xe9 */\nint x\xff;\nint main(void) { return 0; }\n";
    let (code, errors) = run("latin.c", wrong, &[]);
    assert_eq!((code, errors.contains("latin.c:2")), (2, true), "{errors}");
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
