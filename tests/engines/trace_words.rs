//! A counterexample speaks as the program does: calls of the library by what they are for, pointers by
//! what they point to, a wrong access by its cause, and nothing behind the violation.

use std::path::PathBuf;

/// The lines of what is printed of a program.
fn printed(name: &str, text: &str, options: &[&str]) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trace_words");
    std::fs::create_dir_all(&folder).expect("the folder is made");
    let file = folder.join(name);
    std::fs::write(&file, text).expect("the program is written");
    let mut args = vec![file.to_string_lossy().to_string()];
    args.extend(options.iter().map(|o| o.to_string()));
    let output = support::wmbmc(&args);
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("output is UTF-8");
    text.lines().map(str::to_string).collect()
}

fn find<'a>(lines: &'a [String], what: &str) -> &'a str {
    let mut found = lines.iter().filter(|l| l.contains(what));
    let line = found
        .next()
        .unwrap_or_else(|| panic!("no {what}: {lines:#?}"));
    assert!(found.next().is_none(), "more than one {what}: {lines:#?}");
    line
}

const DEADLOCK: &str = "\
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *one(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return 0;
}
";

#[test]
fn a_call_of_the_library_is_one_step() {
    let lines = printed("deadlock.c", DEADLOCK, &["--check", "deadlock"]);
    for step in [
        "4  lock a ",
        "5  lock b: waits",
        "11  lock b ",
        "12  lock a: waits",
    ] {
        find(&lines, step);
    }
    assert!(lines.iter().all(|l| !l.contains("__")), "{lines:#?}");
    let verbose = printed("deadlock_v.c", DEADLOCK, &["--check", "deadlock", "-v"]);
    assert!(
        verbose.iter().any(|l| l.contains("a.__state := 1")),
        "{verbose:#?}"
    );
}

const WAIT: &str = "\
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;
void *producer(void *arg) {
  pthread_mutex_lock(&m);
  ready++;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, 0, producer, 0);
  while (!ready) pthread_cond_wait(&c, &m);
  assert(ready == 2);
}
";

#[test]
fn a_wait_unlocks_and_locks_again() {
    let lines = printed("wait.c", WAIT, &[]);
    let at = |what: &str| lines.iter().position(|l| l.contains(what));
    let order = [
        "17  unlock m",
        "7  lock m",
        "8  ready := 1",
        "10  unlock m",
        "17  lock m",
    ]
    .map(at);
    assert!(
        order.is_sorted() && order[0].is_some(),
        "{order:?}: {lines:#?}"
    );
}

const NULL: &str = "\
#include <pthread.h>
struct task { int pid; struct task *next; } first, *tasks = &first;
void *clear(void *arg) {
  tasks = 0;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, clear, 0);
  int pid = 0;
  if (tasks)
    pid = tasks->pid;
  pthread_join(t, 0);
  return pid == 7;
}
";

#[test]
fn pointers_have_names_and_null_is_the_cause() {
    let lines = printed("null.c", NULL, &["--check", "memory"]);
    let cause = find(&lines, "null pointer dereferenced: `tasks->pid` at ");
    assert!(cause.ends_with("null.c:12 in main"), "{cause}");
    find(&lines, "11  tasks = &first  from the initial value");
    find(&lines, "4  tasks := NULL");
    let row = find(&lines, "12  null pointer dereferenced  <- violated");
    let last = lines.iter().rposition(|l| l.contains(" | "));
    assert_eq!(last.map(|l| &lines[l][..]), Some(row), "{lines:#?}");
}

#[test]
fn the_line_of_the_program_stands_beside() {
    let lines = printed("beside.c", NULL, &["--check", "memory"]);
    assert!(
        find(&lines, "4  tasks := NULL").ends_with("| tasks = 0;"),
        "{lines:#?}"
    );
    assert!(
        find(&lines, "11  tasks =").ends_with("| if (tasks)"),
        "{lines:#?}"
    );
}

#[test]
fn an_access_behind_the_end_names_the_object() {
    let text =
        "#include <stdlib.h>\nint main(void) { int *a = malloc(8); if (a) a[2] = 1; return 0; }\n";
    let lines = printed("behind.c", text, &[]);
    let cause = find(&lines, "byte 8 of 8: `a[2] = 1` at ");
    let object = cause.starts_with("access behind the end of `main:heap#0`: ");
    assert!(object && cause.ends_with("behind.c:2 in main"), "{cause}");
}

#[test]
fn arbitrary_values_are_shown() {
    let text = "#include <assert.h>\nint __VERIFIER_nondet_int(void);\n\
        int below(int x, int most) {\n  assert(x != 5 || most != 4);\n  return x < most;\n}\n\
        int main(void) {\n  int x = __VERIFIER_nondet_int();\n  assert(x != 3);\n}\n";
    let lines = printed("arbitrary.c", text, &[]);
    find(&lines, "8  __VERIFIER_nondet_int() = 3 ");
    let lines = printed("arguments.c", text, &["--function", "below"]);
    find(&lines, "3  int x = 5 ");
    find(&lines, "3  int most = 4 ");
}

#[test]
fn both_accesses_of_a_race_are_marked() {
    let text = "#include <pthread.h>\nint x;\nvoid *f(void *a) {\n  x = 1;\n  return 0;\n}\n\
        int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n  return x;\n}\n";
    let lines = printed("race.c", text, &["--check", "race"]);
    let marked = lines.iter().filter(|l| l.contains("<- violated"));
    assert_eq!(marked.count(), 2, "{lines:#?}");
}

/// Whatever the model: no name of the library's own objects, and what is violated is the last step.
#[test]
fn all_models_speak_alike() {
    for model in support::models() {
        for (name, text, checks) in [
            ("deadlock", DEADLOCK, "deadlock"),
            ("wait", WAIT, "assert"),
            ("null", NULL, "memory"),
        ] {
            let file = format!("{name}-{model}.c");
            let lines = printed(&file, text, &["--mm", model, "--check", checks]);
            assert!(lines.iter().all(|l| !l.contains("__")), "{lines:#?}");
            let steps: Vec<&String> = lines.iter().filter(|l| l.contains(" | ")).collect();
            let last = steps.last().expect("an execution has steps");
            assert!(
                checks == "deadlock" || last.contains("<- violated"),
                "{model}: {lines:#?}"
            );
        }
    }
}

/// Neither by the search for executions nor by the formula.
#[test]
fn nothing_behind_the_violation_is_shown() {
    let text = "\
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
int x;
void *f(void *arg) { x = 1; return 0; }
int main(void) {
  pthread_t t;
  int before = printf(\"before\\n\");
  pthread_create(&t, 0, f, 0);
  assert(x == 0);
  int behind = printf(\"behind\\n\");
  return before + behind;
}
";
    for engine in ["explore", "sat"] {
        let options = ["--check", "assert", "--engine", engine];
        let lines = printed("behind.c", text, &options);
        find(&lines, "8  printf(");
        assert!(
            !lines.iter().any(|l| l.contains("11  printf(")),
            "{lines:#?}"
        );
    }
}
