//! SV-COMP's way of asking: property files, answers, witnesses, and BenchExec's task definitions.

use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;
use wmbmc::base::source::SourceMap;
use wmbmc::front::prp;

const HEAD: &str = "\
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
void reach_error(void) { assert(0); }
";

/// The verification task of a program and formulas, with further options.
fn task(program: &str, formulas: &[&str], options: &[&str]) -> (Output, TempDir) {
    let folder = TempDir::new().expect("there is room for a folder");
    let file = folder.path().join("task.c");
    std::fs::write(&file, program).expect("written");
    let lines = formulas
        .iter()
        .map(|f| format!("CHECK( init(main()), LTL({f}) )\n"));
    let property = folder.path().join("task.prp");
    std::fs::write(&property, lines.collect::<String>()).expect("written");
    let path = |p: &Path| p.to_str().expect("UTF-8").to_string();
    let mut args = vec![path(&file), "--svcomp".to_string()];
    args.extend(["--property".to_string(), path(&property)]);
    args.extend(
        ["--unwind", "8"]
            .iter()
            .chain(options)
            .map(|o| o.to_string()),
    );
    (support::wmbmc(args), folder)
}

fn last_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().last().unwrap_or_default().to_string()
}

fn answers(cases: &[(&str, &[&str], &str)]) {
    let wrong: Vec<String> = cases
        .par_iter()
        .filter_map(|(body, formulas, expected)| {
            let (output, _folder) = task(&format!("{HEAD}{body}\n"), formulas, &[]);
            let code = match *expected {
                "TRUE" => 0,
                "UNKNOWN" => 5,
                _ => 10,
            };
            let answer = last_line(&output);
            let right = answer == *expected && output.status.code() == Some(code);
            (!right).then(|| format!("{body}\n  {formulas:?}: {answer}, {output:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const ID_WRITTEN: &str = "#include <pthread.h>\npthread_t tid, copy;\n\
    void *t(void *a) { copy = tid; return 0; }\n\
    int main(void) { pthread_create(&tid, 0, t, 0); pthread_join(tid, 0); }\n";
const UNREACH: &[&str] = &["G ! call(reach_error())"];
const MEMORY: &[&str] = &["G valid-free", "G valid-deref", "G valid-memtrack"];
const CLEANUP: &[&str] = &["G valid-memcleanup"];
const OVERFLOW: &[&str] = &["G ! overflow"];

#[test]
fn calls_labels_and_assertions_are_told_apart() {
    let loops = "int main(void) { int i = 0; while (__VERIFIER_nondet_int()) i++; \
                 if (i < 0) reach_error(); return 0; }";
    answers(&[
        (
            "int main(void) { if (__VERIFIER_nondet_int() == 7) reach_error(); }",
            UNREACH,
            "FALSE(unreach-call)",
        ),
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x < 7); if (x == 7) reach_error(); }",
            UNREACH,
            "TRUE",
        ),
        ("int main(void) { assert(0); }", UNREACH, "TRUE"),
        (
            "int main(void) { assert(0); }",
            &["G assert"],
            "FALSE(assert)",
        ),
        (
            "int main(void) { assert(0); reach_error(); }",
            UNREACH,
            "TRUE",
        ),
        (
            "extern void __VERIFIER_assert(int); int main(void) { __VERIFIER_assert(0); }",
            UNREACH,
            "FALSE(unreach-call)",
        ),
        (
            "void stop(void); int main(void) { stop(); }",
            &["G ! call(stop())"],
            "FALSE(unreach-call)",
        ),
        (
            "int main(void) { goto ERROR; ERROR: return 0; }",
            &["G ! label(ERROR)"],
            "FALSE(unreach-label)",
        ),
        (
            "int main(void) { if (0) { ERROR: return 1; } return 0; }",
            &["G ! label(ERROR)"],
            "TRUE",
        ),
        (
            "int main(void) { reach_error(); }",
            &["G ! label(ERROR)"],
            "TRUE",
        ),
        (loops, UNREACH, "UNKNOWN"),
        (
            "void unknown(void); int main(void) { unknown(); }",
            UNREACH,
            "UNKNOWN",
        ),
    ]);
}

#[test]
fn what_is_wrong_with_memory_is_told_apart() {
    answers(&[
        (
            "int main(void) { int *p = 0; return *p; }",
            MEMORY,
            "FALSE(valid-deref)",
        ),
        (
            "int main(void) { int *p = malloc(4); free(p); return *p; }",
            MEMORY,
            "FALSE(valid-deref)",
        ),
        (
            "int main(void) { int *p = malloc(4); free(p); free(p); return 0; }",
            MEMORY,
            "FALSE(valid-free)",
        ),
        (
            "int main(void) { int x; free(&x); return 0; }",
            MEMORY,
            "FALSE(valid-free)",
        ),
        (
            "int main(void) { int *p = malloc(4); *p = 1; free(p); return 0; }",
            MEMORY,
            "TRUE",
        ),
        (
            "int main(void) { malloc(4); return 0; }",
            MEMORY,
            "FALSE(valid-memtrack)",
        ),
        (
            "int main(void) { malloc(4); return 0; }",
            CLEANUP,
            "FALSE(valid-memcleanup)",
        ),
        // What is pointed to is tracked.
        (
            "int *p; int main(void) { p = malloc(4); return 0; }",
            MEMORY,
            "UNKNOWN",
        ),
        (
            "int *p; int main(void) { p = malloc(4); return 0; }",
            CLEANUP,
            "FALSE(valid-memcleanup)",
        ),
        // What is left when the process is ended is not looked at.
        (
            "int main(void) { int *p = malloc(4); if (__VERIFIER_nondet_int()) exit(1); free(p); return 0; }",
            CLEANUP,
            "UNKNOWN",
        ),
        // Main may be left before the thread has freed it.
        (
            "void *run(void *a) { int *p = malloc(4); free(p); return 0; } \
             int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); return 0; }",
            CLEANUP,
            "UNKNOWN",
        ),
        (
            "int main(void) { int *p = malloc(4); free(p); free(p); return 0; }",
            &["G valid-deref"],
            "UNKNOWN",
        ),
        (
            "int *p; void *run(void *a) { free(p); return 0; } int main(void) { pthread_t t; p = malloc(4); \
          pthread_create(&t, 0, run, 0); *p = 1; pthread_join(t, 0); return 0; }",
            MEMORY,
            "FALSE(valid-deref)",
        ),
    ]);
}

#[test]
fn arithmetic_and_races_have_answers() {
    let threads = |access: &str| {
        format!(
            "int x; pthread_mutex_t m; void *run(void *a) {{ {access} return 0; }} \
             int main(void) {{ pthread_t t; pthread_create(&t, 0, run, 0); {access} \
             pthread_join(t, 0); return 0; }}"
        )
    };
    let (racing, locked) = (
        threads("x = 1;"),
        threads("pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);"),
    );
    answers(&[
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); return x + 1; }",
            OVERFLOW,
            "FALSE(no-overflow)",
        ),
        (
            "int main(void) { unsigned x = __VERIFIER_nondet_int(); return (x + 1) & 1; }",
            OVERFLOW,
            "TRUE",
        ),
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x >= 0 && x < 3); return x << 29; }",
            OVERFLOW,
            "TRUE",
        ),
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x >= 0 && x < 5); return x << 29; }",
            OVERFLOW,
            "FALSE(no-overflow)",
        ),
        // Undefined, but no overflow.
        (
            "int main(void) { unsigned x = 1; return x << 32 & 1; }",
            OVERFLOW,
            "UNKNOWN",
        ),
        (&racing, &["G ! data-race"], "FALSE(no-data-race)"),
        (&locked, &["G ! data-race"], "TRUE"),
        // POSIX lets the id be written later; glibc writes it before the thread runs.
        (ID_WRITTEN, &["G ! data-race"], "TRUE"),
        (&racing, UNREACH, "TRUE"),
    ]);
}

#[test]
fn functions_without_a_body_may_return_what_violates() {
    let race = "G ! data-race";
    let object = "struct s { pthread_mutex_t lock; int v; }; extern struct s *get(void); \
        void *w(void *x) { struct s *p = get(); LOCK p->v = 1; UNLOCK return 0; } \
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); struct s *p = get(); \
        LOCK p->v = 2; UNLOCK return 0; }";
    let with = |lock: &str, unlock: &str| {
        format!("#define LOCK {lock}\n#define UNLOCK {unlock}\n{object}")
    };
    let locked = with(
        "pthread_mutex_lock(&p->lock);",
        "pthread_mutex_unlock(&p->lock);",
    );
    let number =
        "extern int number(void); int main(void) { if (number() == 7) reach_error(); return 0; }";
    let other = "extern void other(int *); int main(void) { int x = 0; other(&x); if (x) reach_error(); return 0; }";
    let assumed = "extern void assume_abort_if_not(int); int main(void) { int x = __VERIFIER_nondet_int(); \
        assume_abort_if_not(x > 3); if (x == 3) reach_error(); return 0; }";
    let joined = "extern void __goblint_assume_join(pthread_t); int g; void *w(void *x) { g = 1; return 0; } \
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); __goblint_assume_join(t); g = 2; return 0; }";
    answers(&[
        (&with("", ""), &[race], "FALSE(no-data-race)"),
        // Nothing is known of what else it does.
        (&locked, &[race], "UNKNOWN"),
        (number, &["G ! call(reach_error())"], "FALSE(unreach-call)"),
        (other, &["G ! call(reach_error())"], "UNKNOWN"),
        (assumed, &["G ! call(reach_error())"], "TRUE"),
        (joined, &[race], "TRUE"),
    ]);
}

#[test]
fn functions_without_a_body_may_know_objects_of_the_program() {
    let race = "G ! data-race";
    let two = |before: &str, first: &str, second: &str| {
        format!(
            "struct s {{ int a, b; }}; struct t {{ int tag; struct s s; }}; \
             extern struct s *get_s(void); extern struct t *get_t(void); {before} \
             void *w(void *x) {{ {first}; return 0; }} \
             int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); {second}; return 0; }}"
        )
    };
    let part = two("", "get_s()->a = 1", "get_t()->s.a = 2");
    let other_member = two("", "get_s()->a = 1", "get_t()->s.b = 2");
    let other_place = two("", "get_s()->a = 1", "get_t()->tag = 2");
    let variable = two("struct t known[2];", "get_s()->a = 1", "known[0].s.a = 2");
    let hidden = two("static struct s own;", "get_s()->a = 1", "own.a = 2");
    answers(&[
        (&part, &[race], "FALSE(no-data-race)"),
        (&other_member, &[race], "UNKNOWN"),
        (&other_place, &[race], "UNKNOWN"),
        (&variable, &[race], "FALSE(no-data-race)"),
        (&hidden, &[race], "UNKNOWN"),
    ]);
}

#[test]
fn functions_without_a_body_may_call_what_they_are_given() {
    let race = "G ! data-race";
    let reach = "G ! call(reach_error())";
    let counted = |main: &str| {
        format!(
            "int g; int count(int by) {{ g += by; return g; }} struct ops {{ long tag; int (*f)(int); }}; \
             extern void call(int (*f)(int)); extern void enter(struct ops *); \
             void *w(void *x) {{ g = 1; return 0; }} \
             int main(void) {{ pthread_t t; {main} return 0; }}"
        )
    };
    let direct = counted("pthread_create(&t, 0, w, 0); call(count);");
    let within = counted("struct ops o = {1, count}; pthread_create(&t, 0, w, 0); enter(&o);");
    let none = counted("struct ops o = {1, 0}; pthread_create(&t, 0, w, 0); enter(&o);");
    let before = counted("call(count); pthread_create(&t, 0, w, 0);");
    let value = counted("call(count); if (g == 77) reach_error();");
    let thread = "extern void *other(void *); int main(void) { int x = 0; pthread_t t; \
        pthread_create(&t, 0, other, &x); if (x != 0) reach_error(); return 0; }";
    let pointer = |how: &str| {
        format!(
            "struct s {{ pthread_mutex_t lock; int v; }}; struct s known; int g; \
             void *w(void *x) {{ struct s *p; {how} g = 1; return 0; }} \
             int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); g = 2; return 0; }}"
        )
    };
    let wrong = pointer("known.v = 0; p->v = 5; if (known.v == 5) reach_error();");
    let apart = pointer("struct s *q; p->v = 1; q->v = 2; if (p->v == 1) reach_error();");
    let same = pointer("p = &known; p->v = 1; if (p->v != 1) reach_error();");
    answers(&[
        (&wrong, &[reach], "FALSE(unreach-call)"),
        (&apart, &[reach], "FALSE(unreach-call)"),
        (&same, &[reach], "TRUE"),
        (&direct, &[race], "FALSE(no-data-race)"),
        (&within, &[race], "FALSE(no-data-race)"),
        (&none, &[race], "UNKNOWN"),
        (&before, &[race], "UNKNOWN"),
        (&value, &[reach], "FALSE(unreach-call)"),
        (thread, &[reach], "FALSE(unreach-call)"),
    ]);
}

#[test]
fn data_models_are_spelled_as_tasks_spell_them() {
    let program = format!("{HEAD}int main(void) {{ if (sizeof(long) == 4) reach_error(); }}\n");
    for (model, expected) in [("ILP32", "FALSE(unreach-call)"), ("LP64", "TRUE")] {
        let (output, _folder) = task(&program, UNREACH, &["--data-model", model]);
        assert_eq!(last_line(&output), expected, "{output:?}");
    }
}

#[test]
fn values_of_all_types_of_the_rules_are_known() {
    let types = [
        ("_Bool", "bool"),
        ("char", "char"),
        ("int", "int"),
        ("long long", "loff_t"),
        ("long", "long"),
        ("long long", "longlong"),
        ("char *", "pchar"),
        ("void *", "pointer"),
        ("unsigned long", "pthread_t"),
        ("unsigned long", "sector_t"),
        ("short", "short"),
        ("unsigned long", "size_t"),
        ("unsigned char", "u8"),
        ("unsigned short", "u16"),
        ("unsigned int", "u32"),
        ("unsigned char", "uchar"),
        ("unsigned int", "uint"),
        ("unsigned long", "ulong"),
        ("unsigned long long", "ulonglong"),
        ("unsigned int", "unsigned"),
        ("unsigned short", "ushort"),
    ];
    let declared = types.map(|(ty, name)| format!("extern {ty} __VERIFIER_nondet_{name}(void);\n"));
    let used =
        types.map(|(ty, name)| format!("{{ {ty} v = __VERIFIER_nondet_{name}(); (void)v; }}\n"));
    let program = format!(
        "{HEAD}{}int main(void) {{\n{}return 0; }}\n",
        declared.concat(),
        used.concat()
    );
    let (output, _folder) = task(&program, UNREACH, &[]);
    assert_eq!(last_line(&output), "TRUE", "{output:?}");
    let float = "extern void reach_error(void); extern float __VERIFIER_nondet_float(void); \
                 int main(void) { float f = __VERIFIER_nondet_float(); \
                 if (f > 1 BAD f < 0.5f) reach_error(); return 0; }\n";
    let (output, _folder) = task(&float.replace("BAD", "&&"), UNREACH, &[]);
    assert_eq!(last_line(&output), "TRUE", "{output:?}");
    let (output, _folder) = task(&float.replace("BAD", "||"), UNREACH, &[]);
    assert_eq!(last_line(&output), "FALSE(unreach-call)", "{output:?}");
    let wide = "extern __int128 __VERIFIER_nondet_int128(void); \
                int main(void) { return __VERIFIER_nondet_int128() / 2 > 1; }\n";
    let (output, _folder) = task(wide, UNREACH, &[]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(said.contains("`__int128`"), "{said}");
    assert_eq!(last_line(&output), "UNKNOWN");
}

#[test]
fn wrong_property_files_are_refused_with_their_place() {
    let program = "int main(void) { return 0; }\n";
    for (formulas, place, message) in [
        (
            &["F end"][..],
            "task.prp:1:26",
            "termination is not decided",
        ),
        (
            &["G assert", "G ! races"],
            "task.prp:2:26",
            "this formula is not supported",
        ),
        (
            &["G ! call(reach_error(x))"],
            "task.prp:1:47",
            "`)` is expected, but there is `x`",
        ),
        (&[], "task.prp:1:1", "the property file asks nothing"),
    ] {
        let (output, _folder) = task(program, formulas, &[]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{formulas:?} {output:?}");
        assert!(errors.contains(place), "{formulas:?} {errors}");
        assert!(errors.contains(message), "{formulas:?} {errors}");
        assert_eq!(last_line(&output), "UNKNOWN");
    }
}

#[test]
fn damaged_property_files_are_refused_with_a_place_in_them() {
    let folder = support::root().join("benchmarks/properties");
    let entries = std::fs::read_dir(folder).expect("it is there");
    for entry in entries {
        let text = std::fs::read_to_string(entry.expect("readable").path()).expect("readable");
        let prefixes = (0..text.len()).map(|at| text[..at].to_string());
        let without = (0..text.len()).map(|at| text[..at].to_string() + &text[at + 1..]);
        let other = (0..text.len()).map(|at| format!("{}é{}", &text[..at], &text[at + 1..]));
        for damaged in prefixes.chain(without).chain(other) {
            let mut sources = SourceMap::default();
            let file = sources.add("damaged.prp", damaged.as_str());
            if let Err(diag) = prp::parse(&sources, file) {
                let (span, _) = diag.labels.first().expect("a place");
                assert!(span.start <= span.end && span.end as usize <= damaged.len());
                assert!(damaged.is_char_boundary(span.start as usize), "{damaged}");
            }
        }
    }
}

#[test]
fn options_that_make_no_sense_together_are_refused() {
    let (output, _folder) = task("int main(void) {}\n", UNREACH, &["--mm", "sc,tso"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let (output, _folder) = task("int main(void) {}\n", UNREACH, &["--check", "race"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let output = support::wmbmc(["benchmarks/store_buffer.c", "--svcomp"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let args = [
        "litmus/x86/SB.litmus",
        "--property",
        "benchmarks/properties/assert.prp",
    ];
    assert_eq!(support::wmbmc(args).status.code(), Some(1));
}

const MESSAGE: &str = "\
int data, flag;
void *writer(void *arg) {
  data = 3;
  flag = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  if (flag == 1)
    reach_error();
  return 0;
}
";

fn witness(program: &str, formulas: &[&str]) -> (String, String) {
    let folder = TempDir::new().expect("there is room for a folder");
    let path = folder.path().join("witness.yml");
    let path_text = path.to_str().expect("UTF-8");
    let (output, task) = task(program, formulas, &["--witness", path_text]);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let place = task.path().to_str().expect("UTF-8").to_string();
    (last_line(&output), text.replace(&place, "DIR"))
}

#[test]
fn a_violation_has_a_witness_with_its_schedule() {
    let (answer, text) = witness(&format!("{HEAD}{MESSAGE}"), UNREACH);
    assert_eq!(answer, "FALSE(unreach-call)");
    let expected = [
        "- entry_type: 'violation_sequence'",
        "  metadata:",
        "    format_version: '2.2'",
        "    uuid: '",
        "    creation_time: '",
        "    producer:",
        "      name: 'wmbmc'",
        "    task:",
        "      input_files:",
        "      - 'DIR/task.c'",
        "      input_file_hashes:",
        "        DIR/task.c: '",
        "      specification: 'CHECK( init(main()), LTL(G ! call(reach_error())) )'",
        "      data_model: 'LP64'",
        "      language: 'C'",
        "  content:",
        "type: 'function_enter'",
        "thread_id: 0",
        "line: 16",
        "type: 'assumption'",
        "thread_id: 0",
        "value: 'flag == 1'",
        "line: 17",
        "type: 'target'",
        "thread_id: 0",
        "line: 18",
        "column: 5",
    ];
    let mut rest = text.as_str();
    for line in expected {
        let at = rest.find(line);
        let at = at.unwrap_or_else(|| panic!("`{line}` is missing in its place:\n{text}"));
        rest = &rest[at + line.len()..];
    }
}

#[test]
fn arbitrary_values_stand_in_the_witness() {
    let program = "\
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int main(void) {
  unsigned char c = __VERIFIER_nondet_uchar();
  int i = __VERIFIER_nondet_int();
  if (c == 200 && i == -3)
    reach_error();
}
";
    let (answer, text) = witness(program, UNREACH);
    assert_eq!(answer, "FALSE(unreach-call)");
    assert!(text.contains("format_version: '2.0'"), "{text}");
    assert!(!text.contains("thread_id"), "{text}");
    let returned = text.split("type: 'function_return'").skip(1);
    let returned: Vec<String> = returned
        .map(|w| w.lines().map(str::trim).collect())
        .collect();
    assert_eq!(returned.len(), 2, "{text}");
    for (waypoint, value, place) in [
        (&returned[0], 200, "line: 5column: 45"),
        (&returned[1], -3, "line: 6column: 33"),
    ] {
        let constraint = format!("value: \"\\\\result == {value}\"format: 'acsl_expression'");
        assert!(waypoint.contains(&constraint), "{text}");
        assert!(waypoint.contains(place), "{text}");
    }
}

#[test]
fn a_race_has_two_targets_in_its_last_segment() {
    let (answer, text) = witness(&format!("{HEAD}{MESSAGE}"), &["G ! data-race"]);
    assert_eq!(answer, "FALSE(no-data-race)");
    let last = text.rsplit("- segment:").next().unwrap_or_default();
    assert_eq!(last.matches("type: 'target'").count(), 2, "{text}");
    assert!(
        last.contains("thread_id: 0") && last.contains("thread_id: 1"),
        "{text}"
    );
}

#[test]
fn a_proof_has_a_witness_and_no_answer_has_none() {
    let safe = "int main(void) { return 0; }\n";
    let (answer, text) = witness(safe, UNREACH);
    assert_eq!(answer, "TRUE");
    assert!(
        text.starts_with("- entry_type: 'invariant_set'\n"),
        "{text}"
    );
    assert!(text.ends_with("  content: []\n"), "{text}");
    let (answer, text) = witness("void f(void); int main(void) { f(); }\n", UNREACH);
    assert_eq!((answer.as_str(), text.as_str()), ("UNKNOWN", ""));
}

/// A task definition, as far as ours say anything.
struct Definition {
    path: PathBuf,
    program: PathBuf,
    data_model: String,
    /// Property file, and the answer.
    properties: Vec<(PathBuf, String)>,
}

fn definition(path: &Path) -> Definition {
    let text = std::fs::read_to_string(path).expect("readable");
    let shown = path.display();
    let field = |line: &str, name: &str| {
        let line = line.trim().trim_start_matches("- ");
        let value = line.strip_prefix(name)?.strip_prefix(": ")?;
        Some(value.trim_matches(['\'', '"']).to_string())
    };
    let only = |name: &str| {
        let mut found = text.lines().filter_map(|l| field(l, name));
        found
            .next()
            .unwrap_or_else(|| panic!("{shown}: no `{name}`"))
    };
    assert_eq!(only("format_version"), "2.0", "{shown}");
    assert_eq!(only("language"), "C", "{shown}");
    let folder = path.parent().expect("it is in a folder");
    let mut properties: Vec<(PathBuf, String)> = Vec::new();
    for line in text.lines() {
        if let Some(file) = field(line, "property_file") {
            properties.push((folder.join(file), String::new()));
        }
        let Some((file, answer)) = properties.last_mut() else {
            continue;
        };
        if let Some(verdict) = field(line, "expected_verdict") {
            let name = file.file_stem().expect("a name").to_string_lossy();
            *answer = match verdict.as_str() {
                "true" => "TRUE".to_string(),
                "false" => format!("FALSE({name})"),
                other => panic!("{shown}: no verdict: {other}"),
            };
        }
        if let Some(name) = field(line, "subproperty") {
            *answer = format!("FALSE({name})");
        }
    }
    assert!(!properties.is_empty(), "{shown}: no property");
    Definition {
        path: path.to_path_buf(),
        program: folder.join(only("input_files")),
        data_model: only("data_model"),
        properties,
    }
}

#[test]
fn every_task_definition_has_the_answer_it_expects() {
    let entries = std::fs::read_dir(support::root().join("benchmarks")).expect("it is there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "yml"));
    paths.sort();
    assert!(paths.len() >= 20, "{paths:?}");
    let definitions: Vec<Definition> = paths.iter().map(|p| definition(p)).collect();
    let runs: Vec<(&Definition, &(PathBuf, String))> = definitions
        .iter()
        .flat_map(|d| d.properties.iter().map(move |p| (d, p)))
        .collect();
    let wrong: Vec<String> = runs
        .par_iter()
        .filter_map(|(task, (property, expected))| {
            assert!(task.program.is_file(), "{}", task.program.display());
            assert!(property.is_file(), "{}", property.display());
            let path = |p: &Path| p.to_str().expect("UTF-8").to_string();
            let output = support::wmbmc([
                &path(&task.program),
                "--svcomp",
                "--property",
                &path(property),
                "--data-model",
                &task.data_model,
                "--timeout",
                "300",
            ]);
            let answer = last_line(&output);
            let property = property.display();
            (answer != *expected).then(|| {
                let errors = String::from_utf8_lossy(&output.stderr);
                format!(
                    "{}: {property}: {answer}, not {expected} {errors}",
                    task.path.display()
                )
            })
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// BenchExec's own test of a tool-info module, where Python has BenchExec. `WMBMC_PYTHON` names the
/// Python to take.
#[test]
fn benchexec_accepts_the_tool_info_module() {
    let python = std::env::var("WMBMC_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(&python);
        command
            .current_dir(support::root())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .args(args);
        command.output().ok()
    };
    if !run(&["-c", "import benchexec"]).is_some_and(|o| o.status.success()) {
        support::skipped(support::Missing::Extra("the Python module benchexec"));
        return;
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_wmbmc"));
    let folder = binary.parent().and_then(Path::to_str).expect("UTF-8");
    let output = run(&[
        "-m",
        "benchexec.test_tool_info",
        "scripts.benchexec.wmbmc",
        "--no-container",
        "--tool-directory",
        folder,
        "--task-definition",
        "benchmarks/peterson.yml",
        "benchmarks/memory_shared.yml",
    ]);
    let output = output.expect("it has just run");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let version = format!("Version: \u{201c}{}\u{201d}", env!("CARGO_PKG_VERSION"));
    for line in [
        &version,
        "--property', 'benchmarks/properties/no-data-race.prp'",
    ] {
        assert!(said.contains(line), "`{line}` is missing:\n{said}");
    }
    // One path is absolute here, and tasks are single files: nothing else is to be warned of.
    let mut warnings = said.lines().filter(|l| l.contains("WARNING"));
    let known = |l: &str| l.contains("absolute") || l.contains("multiple input files");
    assert!(warnings.all(known), "{said}");
}
