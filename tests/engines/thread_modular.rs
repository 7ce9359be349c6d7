//! The proof of race freedom thread by thread against the solver: random programs that start threads in a loop and
//! hand each a number, an element of an array, an object or the same one, with locks of several kinds, objects with
//! locks of their own, joins of all threads, some or none. What is proved for any number of threads must not race with
//! up to three.
//!
//! The same of the random programs with two or three threads that other tests have.
//!
//! `WMBMC_RANDOM_CASES=10000` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::concurrent::Concurrent;
use support::pipeline::{Subject, checking, looking_for};
use support::random::seeds;
use support::{Random, builtin, wmbmc};
use wmbmc::check::outcome::Verdict;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;
use wmbmc::modular::{Analysis, race_freedom};

const CHECKS: [PropertyKind; 1] = [PropertyKind::Race];

const HEAD: &str = "#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
struct node { pthread_mutex_t lock; int v, w; struct node *next; };
int n, g, h, next, *numbers;
atomic_int tickets;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, l = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t locks[4];
sem_t s;
atomic_int spin;
atomic_flag flag = ATOMIC_FLAG_INIT;
struct node nodes[4], *shared;
_Thread_local int own;
";

/// An access, of a thread with a number `i` and a pointer to an object `p`.
fn access(random: &mut Random) -> String {
    let place = random.pick(&[
        "g",
        "g",
        "h",
        "numbers[i]",
        "numbers[i]",
        "numbers[i + 1]",
        "numbers[0]",
        "p->v",
        "p->v",
        "p->w",
        "shared->v",
        "shared[i].v",
        "nodes[i].v",
        "nodes[i].w",
        "own",
        "local",
    ]);
    match random.below(60) {
        0 | 1 => return "shared = p;".to_string(),
        2 => return "next = 0;".to_string(),
        3 => return "tickets--;".to_string(),
        _ => {}
    }
    match random.below(4) {
        0 => format!("own = {place};"),
        1 => format!("{place}++;"),
        2 => format!("if ({place} > 1) {place} = 0;"),
        _ => format!("{place} = 1;"),
    }
}

/// Accesses with a lock, or none.
fn section(random: &mut Random) -> String {
    let accesses: Vec<String> = (0..1 + random.below(2)).map(|_| access(random)).collect();
    let accesses = accesses.join(" ");
    match random.below(19) {
        0..=3 => format!("pthread_mutex_lock(&m); {accesses} pthread_mutex_unlock(&m);"),
        4 => format!("pthread_mutex_lock(&l); {accesses} pthread_mutex_unlock(&l);"),
        5 => format!("pthread_mutex_lock(&p->lock); {accesses} pthread_mutex_unlock(&p->lock);"),
        6 => format!("pthread_mutex_lock(&locks[i]); {accesses} pthread_mutex_unlock(&locks[i]);"),
        7 => format!("if (!pthread_mutex_trylock(&m)) {{ {accesses} pthread_mutex_unlock(&m); }}"),
        8 => format!("sem_wait(&s); {accesses} sem_post(&s);"),
        9 => format!("while (atomic_exchange(&spin, 1)) {{}} {accesses} atomic_store(&spin, 0);"),
        10 => format!(
            "while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire)) {{}} {accesses} \
             atomic_flag_clear_explicit(&flag, memory_order_release);"
        ),
        11 => {
            let order = random.pick(&["seq_cst", "release", "relaxed"]);
            format!(
                "int e = 0; if (atomic_compare_exchange_strong(&spin, &e, 1)) {{ {accesses} \
                 atomic_store_explicit(&spin, 0, memory_order_{order}); }}"
            )
        }
        15 | 16 => format!(
            "pthread_mutex_lock(&shared->lock); {accesses} pthread_mutex_unlock(&shared->lock);"
        ),
        14 => format!("__VERIFIER_atomic_begin(); {accesses} __VERIFIER_atomic_end();"),
        12 => format!(
            "pthread_mutex_lock(&m); if (h) {{ pthread_mutex_unlock(&m); {accesses} }} else pthread_mutex_unlock(&m);"
        ),
        13 => format!(
            "for (int k = 0; k < 2; k++) {{ pthread_mutex_lock(&m); {accesses} pthread_mutex_unlock(&m); }}"
        ),
        _ => accesses,
    }
}

fn sections(random: &mut Random, most: usize) -> String {
    let all: Vec<String> = (0..random.below(most + 1))
        .map(|_| format!("{{ {} }}", section(random)))
        .collect();
    all.join("\n    ")
}

/// Threads with records of their own, with their handles in them.
fn team(seed: u64) -> String {
    let mut random = Random::new(seed);
    random.below(2);
    let made = random.pick(&[
        "struct member *q = malloc(sizeof *q);",
        "struct member *q = malloc(sizeof *q);",
        "struct member *q = calloc(1, sizeof *q);",
        "struct member *q = i == 1 ? all[0] : malloc(sizeof *q);",
        "if (i == 0) first = malloc(sizeof *first); struct member *q = first;",
        "struct member *q = &records[i];",
    ]);
    let given = random.pick(&["q", "q", "q", "all[0]", "&q->v", "records"]);
    let handle = random.pick(&[
        "q->id",
        "q->id",
        "q->id",
        "all[i]->id",
        "all[0]->id",
        "q->other",
    ]);
    let touch = |random: &mut Random, of: &str| {
        let part = random.pick(&["v", "v", "w", "id", "other"]);
        match random.below(4) {
            0 => format!("sink = {of}->{part};"),
            1 => format!("{of}->{part} = 1;"),
            2 => "sink = 1;".to_string(),
            _ => String::new(),
        }
    };
    let work = touch(&mut random, "p");
    let more = touch(&mut random, "p");
    let (before, during) = (touch(&mut random, "q"), touch(&mut random, "q"));
    let joined = random.pick(&[
        "pthread_join(all[i]->id, 0);",
        "pthread_join(all[i]->id, 0);",
        "pthread_join(all[i]->id, 0);",
        "struct member *one = all[i]; pthread_join(one->id, 0);",
        "pthread_join(all[n - 1 - i]->id, 0);",
        "pthread_join(all[i]->other, 0);",
        "if (sink) pthread_join(all[i]->id, 0);",
        "pthread_t id = all[i]->id; all[i] = all[0]; pthread_join(id, 0);",
    ]);
    let (early, late) = (touch(&mut random, "all[i]"), touch(&mut random, "all[i]"));
    let end = random.pick(&["free(all[i]);", "free(all[i]);", "all[i]->w = 2;", ""]);
    format!(
        "#include <pthread.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\n\
         struct member {{ pthread_t id, other; long v, w; }};\n\
         struct member *all[4], records[4], *first;\n_Thread_local long sink;\n\
         void *work(void *x) {{ struct member *p = x; {work} {more} return 0; }}\n\
         int main(void) {{\n    int n = __VERIFIER_nondet_int(); if (n < 0 || n > 3) return 0;\n\
         \x20   for (int i = 0; i < n; i++) {{ {made} all[i] = q; {before} pthread_create(&{handle}, 0, work, {given}); {during} }}\n\
         \x20   for (int i = 0; i < n; i++) {{ {early} {joined} {late} {end} }}\n    return 0;\n}}\n"
    )
}

/// The program, and whether it hands threads objects of their own.
fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    random.below(2);
    let argument = random.pick(&[
        "&nodes[i]",
        "&nodes[i]",
        "&nodes[0]",
        "&nodes[i / 2]",
        "malloc(sizeof(struct node))",
        "shared",
        "q",
        "&nodes[(n - 1) - i]",
        "i > 0 ? q : &nodes[i]",
        "nodes + d",
    ]);
    let number = random.pick(&[
        "__VERIFIER_nondet_int() & 1",
        "p - nodes",
        "p - nodes",
        "p->w",
        "0",
        "atomic_fetch_add(&tickets, 1)",
        "atomic_fetch_add(&tickets, 1)",
        "atomic_fetch_add(&tickets, 1) / 2",
        "tickets++",
        "take()",
        "take()",
        "take()",
    ]);
    let raise = random.pick(&[
        "i = next; next++;",
        "i = next; next = i + 1;",
        "i = next++;",
        "i = next; if (h) next++;",
        "i = next; if (h) { next++; pthread_mutex_unlock(&m); return i; } next++;",
        "i = next; pthread_mutex_unlock(&m); pthread_mutex_lock(&m); next++;",
        "i = next; pthread_mutex_unlock(&m); pthread_mutex_lock(&m); next = i + 1;",
        "next = next + 1; i = next; next = i + 1;",
        "i = next; next = i + 2; next = i + 1;",
        "int j = next; next = j + 2; i = next; next = j + 1;",
        "i = next; next = i - 1;",
        "i = next;",
    ]);
    let take = format!(
        "int take(void) {{\n    int i;\n    pthread_mutex_lock(&m); {raise} pthread_mutex_unlock(&m);\n    return i;\n}}\n"
    );
    let body = sections(&mut random, 3);
    let worker = format!(
        "void *worker(void *x) {{\n    struct node *p = x; int i = {number}, local = 0;\n    {}\n    {body}\n    return 0;\n}}\n",
        random.pick(&[
            "",
            "struct node mine; p = h ? p : &mine;",
            "p = malloc(sizeof *p); p->v = 0;",
            "if (i < 0 || i > 2) i = 0;"
        ])
    );
    let (before, during, after) = (
        sections(&mut random, 1),
        sections(&mut random, 1),
        sections(&mut random, 1),
    );
    let started = random.pick(&["i < n", "i < n", "i < n && i < 3", "i != n"]);
    let joined = random.pick(&[
        "for (int i = 0; i < n; i++) pthread_join(t[i], 0);",
        "for (int i = 0; i < n; i++) pthread_join(t[i], 0);",
        "for (int i = 0; i != n; i++) pthread_join(t[i], 0);",
        "for (int i = 1; i < n; i++) pthread_join(t[i], 0);",
        "for (int i = 0; i < n; i++) { if (g == 7) break; pthread_join(t[i], 0); }",
        "for (int i = 0; i < n - 1; i++) pthread_join(t[i], 0);",
        "int i = 0; while (i < n) pthread_join(t[i++], 0);",
        "if (n > 0) pthread_join(t[0], 0);",
        "",
    ]);
    let again =
        format!("if (i == 0) {{ pthread_t u; pthread_create(&u, 0, worker, {argument}); }}");
    let inner = random.pick(&[
        "",
        "",
        "",
        &again,
        "pthread_join(t[i], 0);",
        "if (i == 1) continue;",
        "if (i == 1) break;",
    ]);
    let last = {
        let accesses = access(&mut random);
        random
            .pick(&[
                accesses.as_str(),
                "free(numbers);",
                "free(shared);",
                "pthread_mutex_destroy(&m);",
                "",
            ])
            .to_string()
    };
    format!(
        "{HEAD}{take}{worker}int main(void) {{\n    n = __VERIFIER_nondet_int(); if (n < 0 || n > 3) return 0;\n\
         \x20   pthread_t t[4]; numbers = calloc(8, sizeof(int)); shared = calloc(1, sizeof *shared);\n\
         \x20   struct node *p = shared; int local = 0; sem_init(&s, 0, {});\n\
         \x20   for (int i = 0; i < 4; i++) {{ pthread_mutex_init(&locks[i], 0); pthread_mutex_init(&nodes[i].lock, 0); }}\n\
         \x20   for (int i = 0; {started}; i++) {{\n    struct node *q = calloc(1, sizeof *q); pthread_mutex_init(&q->lock, 0); int d = tickets++;\n\
         \x20   {before}\n    {}pthread_create(&t[i], 0, worker, {argument});\n    {during}\n    {inner}\n    }}\n\
         \x20   {{ int i = 0; {after} }}\n    {{ {joined} }}\n    {{ int i = 1; {last} }}\n    return 0;\n}}\n",
        random.pick(&["1", "1", "1", "0", "2"]),
        random.pick(&["", "", "", "if (h != 3) "]),
    )
}

/// Whether the solver finds a race on a model, for the threads and iterations that it looks at.
fn races(subject: &Subject, model: &str) -> bool {
    let model = builtin(model);
    let graph = subject.unroll_for(&model, Bounds::all(5), &CHECKS);
    let result = subject.check(&graph, &model, &checking(&CHECKS));
    matches!(result.verdict, Verdict::Unsafe(_))
}

/// How many programs are proved, and how many of the others race.
fn compare(texts: &[String]) -> [usize; 2] {
    let all: Vec<(bool, bool)> = texts
        .par_iter()
        .enumerate()
        .map(|(i, text)| {
            let subject = Subject::c(text, &looking_for(&CHECKS));
            let (program, never) = (&subject.program, &|| false);
            let analysis = Analysis::new(program, never);
            let proved = analysis.is_ok_and(|a| race_freedom(program, &a, never).is_ok());
            if !proved && i % 5 != 0 {
                return (false, false);
            }
            let model = ["sc", "rc11"]
                .into_iter()
                .find(|model| races(&subject, model));
            if let Some(model) = model.filter(|_| proved) {
                panic!("proved to be free of races, and has one on {model}:\n{text}");
            }
            (proved, model.is_some())
        })
        .collect();
    let proved = all.iter().filter(|(proved, _)| *proved).count();
    [proved, all.iter().filter(|(_, races)| *races).count()]
}

#[test]
fn proofs_for_any_number_of_threads_hold_for_three() {
    let texts: Vec<String> = seeds(200).map(program).collect();
    let [proved, racy] = compare(&texts);
    println!(
        "{proved} of {} programs are proved; one in five of the others was checked: {racy} race",
        texts.len()
    );
    assert!(20 * proved > texts.len() && 100 * racy > texts.len());
}

#[test]
fn proofs_of_teams_hold_for_three() {
    let texts: Vec<String> = seeds(150).map(team).collect();
    let [proved, racy] = compare(&texts);
    println!(
        "{proved} of {} programs are proved; one in five of the others was checked: {racy} race",
        texts.len()
    );
    assert!(20 * proved > texts.len() && 50 * racy > texts.len());
}

#[test]
fn proofs_thread_by_thread_hold_of_random_programs() {
    let all = seeds(200).map(|seed| match seed % 2 {
        0 => Concurrent::racy(seed),
        _ => Concurrent::with_heap(seed),
    });
    let texts: Vec<String> = all.map(|p| p.program()).collect();
    let [proved, racy] = compare(&texts);
    println!(
        "{proved} of {} programs are proved; one in five of the others was checked: {racy} race",
        texts.len()
    );
    assert!(proved > 0 && racy > 0);
}

/// C programs of the repository, and of those beside it one in ten, or with `WMBMC_CASES=all` all.
fn programs() -> Vec<PathBuf> {
    let folders = [
        "tests/c",
        "benchmarks",
        "benchmarks/races",
        "benchmarks/textbook",
        "benchmarks/systems",
    ];
    let mut all: Vec<PathBuf> = folders
        .iter()
        .flat_map(|f| support::files(f, "c"))
        .collect();
    let folder = support::data().join("c");
    match std::fs::read_to_string(folder.join("verdicts.csv")) {
        Ok(table) => {
            let paths = table
                .lines()
                .skip(1)
                .filter_map(|line| line.split(',').next());
            let paths: BTreeSet<PathBuf> = paths.map(|path| folder.join(path)).collect();
            all.extend(support::some(paths, 10));
        }
        Err(_) => support::skipped(support::Missing::Data("c")),
    }
    all
}

#[test]
fn programs_that_are_proved_do_not_race() {
    let files = programs();
    let run = |file: &Path, words: &[&str]| {
        let file = file.display().to_string();
        let common = [file.as_str(), "--check", "race", "--format", "json"];
        let run = wmbmc(common.iter().chain(words));
        let answer: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap_or_default();
        (run.status.code(), answer["any_number"] == true)
    };
    let answers: Vec<Option<i32>> = files
        .par_iter()
        .map(
            |file| match run(file, &["--incremental", "--timeout", "1"]) {
                (Some(0), true) => {
                    run(
                        file,
                        &["--engine", "sat", "--unwind", "3", "--timeout", "10"],
                    )
                    .0
                }
                _ => None,
            },
        )
        .collect();
    let wrong: Vec<&PathBuf> = files
        .iter()
        .zip(&answers)
        .filter(|(_, answer)| **answer == Some(10))
        .map(|(file, _)| file)
        .collect();
    let proved = answers.iter().flatten().count();
    println!("{proved} of {} programs are proved", files.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(8 * proved > files.len());
}
