//! Random concurrent C programs, for the checker and for the machine.
//!
//! Two or three threads work on two atomic variables and on a plain one that a mutex protects, with
//! C11 atomics of all orders and fences; in some programs a thread waits for another one, at a
//! semaphore, a condition variable or a barrier. What a thread saw is stored in plain variables of
//! its own at its end. No program can block forever: a thread waits for one with a smaller number,
//! which never waits, or all of them come to the barrier once.
//!
//! Other programs allocate: two threads have two pointers each, which they free, reallocate, compare,
//! put into an atomic variable as integers, and compare with what is there and exchange; no pointer is
//! used to look at what it has been freed of.
//!
//! Other programs ([`Concurrent::racy`]) may race: their threads access a plain variable and a volatile one without a
//! lock, behind flags that are released and acquired or are not, and atomic ones as if they were not.
//!
//! A program is printed twice: as a program of its own, and as functions of a larger one that runs
//! each many times on the machine and prints the final states it has seen.

use crate::Random;
use std::fmt::Write;

const LOAD: [&str; 4] = ["relaxed", "acquire", "consume", "seq_cst"];
const STORE: [&str; 3] = ["relaxed", "release", "seq_cst"];
const UPDATE: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];

/// How threads wait for each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meeting {
    OutOfBounds,
    Semaphore,
    Condition,
    Barrier,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Concurrent {
    /// Statements of each thread; `@x` stands for the variable `x`.
    threads: Vec<Vec<String>>,
    meeting: Meeting,
    /// It allocates.
    heap: bool,
    /// It has variables that no lock protects.
    racy: bool,
}

/// Registers of a thread.
const REGISTERS: [&str; 2] = ["a", "b"];

impl Concurrent {
    /// The program of a seed.
    pub fn new(seed: u64) -> Concurrent {
        Concurrent::of(seed, false)
    }

    /// The program of a seed that may have data races.
    pub fn racy(seed: u64) -> Concurrent {
        Concurrent::of(seed, true)
    }

    fn of(seed: u64, racy: bool) -> Concurrent {
        let mut random = Random::new(seed);
        let count = if random.below(4) == 0 { 3 } else { 2 };
        let meeting = match random.below(8) {
            0 => Meeting::Semaphore,
            1 => Meeting::Condition,
            2 => Meeting::Barrier,
            _ => Meeting::OutOfBounds,
        };
        // What the library does counts as several accesses.
        let most = if count == 3 { 2 } else { 3 };
        let longest = if meeting == Meeting::OutOfBounds {
            most
        } else {
            2
        };
        let mut locks = 2;
        let mut threads = Vec::new();
        for thread in 0..count {
            let length = 1 + random.below(longest);
            let mut body: Vec<String> = (0..length)
                .map(|_| match racy && random.below(4) > 0 {
                    true => racy_statement(&mut random),
                    false => statement(&mut random, &mut locks),
                })
                .collect();
            let place = random.below(length + 1);
            let meet = match (meeting, thread) {
                (Meeting::Semaphore, 0) => "sem_post(&@s);",
                (Meeting::Semaphore, 1) => "sem_wait(&@s);",
                (Meeting::Condition, 0) => {
                    "pthread_mutex_lock(&@m); @ready = 1; pthread_cond_signal(&@c); \
                     pthread_mutex_unlock(&@m);"
                }
                (Meeting::Condition, 1) => {
                    "pthread_mutex_lock(&@m); while (!@ready) pthread_cond_wait(&@c, &@m); \
                     pthread_mutex_unlock(&@m);"
                }
                (Meeting::Barrier, _) => "pthread_barrier_wait(&@meet);",
                _ => "",
            };
            if !meet.is_empty() {
                body.insert(place, meet.to_string());
            }
            threads.push(body);
        }
        Concurrent {
            threads,
            meeting,
            heap: false,
            racy,
        }
    }

    /// The program of a seed that allocates.
    pub fn with_heap(seed: u64) -> Concurrent {
        let mut random = Random::new(seed ^ 0x5eed_0fa1);
        let (first, second) = match random.below(3) {
            0 => (7, 0),
            1 => (5, 2),
            _ => (4, 3),
        };
        let mut body = |length| {
            let mut has = [false; 2];
            (0..length)
                .map(|_| heap_statement(&mut random, &mut has))
                .collect::<Vec<String>>()
        };
        let threads = [first, second].map(&mut body);
        let threads = threads.into_iter().filter(|t| !t.is_empty()).collect();
        Concurrent {
            threads,
            meeting: Meeting::OutOfBounds,
            heap: true,
            racy: false,
        }
    }

    /// Threads.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The variables whose final values are the final state; all are `int`.
    pub fn observed(&self) -> Vec<String> {
        let mut all = vec!["x".to_string(), "y".to_string(), "p".to_string()];
        for thread in 0..self.threads.len() {
            all.extend(REGISTERS.map(|r| format!("{r}{thread}")));
        }
        all
    }

    fn declarations(&self, prefix: &str) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "static atomic_int {prefix}x, {prefix}y;");
        let _ = writeln!(out, "static _Atomic uintptr_t {prefix}h;");
        let _ = writeln!(out, "static int {prefix}p, {prefix}ready;");
        if self.racy {
            let _ = writeln!(out, "static volatile int {prefix}v;\nstatic int {prefix}q;");
        }
        for thread in 0..self.threads.len() {
            for r in REGISTERS {
                let _ = writeln!(out, "static int {prefix}{r}{thread};");
            }
        }
        let _ = writeln!(
            out,
            "static pthread_mutex_t {prefix}m = PTHREAD_MUTEX_INITIALIZER; static atomic_int {prefix}l;"
        );
        let other = match self.meeting {
            Meeting::OutOfBounds => return out,
            Meeting::Semaphore => "static sem_t @s;",
            Meeting::Condition => "static pthread_cond_t @c = PTHREAD_COND_INITIALIZER;",
            Meeting::Barrier => "static pthread_barrier_t @meet;",
        };
        out + &other.replace('@', prefix) + "\n"
    }

    fn bodies(&self, prefix: &str) -> String {
        let mut out = String::new();
        for (thread, body) in self.threads.iter().enumerate() {
            let _ = writeln!(out, "static void {prefix}t{thread}(void)\n{{");
            let _ = writeln!(out, "    int a = 0, b = 0;");
            if self.heap {
                let _ = writeln!(out, "    int *v0 = 0, *v1 = 0;\n    uintptr_t u = 0;");
            }
            for statement in body {
                let _ = writeln!(out, "    {}", statement.replace('@', prefix));
            }
            let _ = writeln!(
                out,
                "    {prefix}a{thread} = a;\n    {prefix}b{thread} = b;\n}}"
            );
        }
        out
    }

    fn prepare(&self, prefix: &str) -> String {
        let threads = self.threads.len();
        match self.meeting {
            Meeting::Semaphore => format!("sem_init(&{prefix}s, 0, 0);"),
            Meeting::Barrier => format!("pthread_barrier_init(&{prefix}meet, 0, {threads});"),
            _ => String::new(),
        }
    }

    /// As a program of its own.
    pub fn program(&self) -> String {
        let mut out = HEAD.to_string() + &self.declarations("") + &self.bodies("");
        let all: Vec<usize> = (0..self.threads.len()).collect();
        for t in &all {
            let _ = writeln!(
                out,
                "static void *run{t}(void *arg) {{ t{t}(); return arg; }}"
            );
        }
        let _ = writeln!(out, "int main(void)\n{{");
        let _ = writeln!(
            out,
            "    pthread_t h[{}];\n    {}",
            all.len(),
            self.prepare("")
        );
        for t in &all {
            let _ = writeln!(out, "    pthread_create(&h[{t}], 0, run{t}, 0);");
        }
        out + "    return 0;\n}\n"
    }
}

/// A statement of a thread that allocates; `has` says which of its pointers leads to an object.
fn heap_statement(random: &mut Random, has: &mut [bool; 2]) -> String {
    let v = random.below(2);
    let n = 1 + random.below(2);
    let r = random.pick(&REGISTERS);
    let w = random.below(2);
    let order = random.pick(&["relaxed", "acq_rel", "seq_cst"]);
    match random.below(16) {
        0..=3 if !has[v] => {
            has[v] = true;
            format!("v{v} = malloc({}); *v{v} = {n};", 4 * n)
        }
        0 if has[v] => format!("v{v} = realloc(v{v}, {}); {r} = *v{v};", 4 * n),
        1..=4 if has[v] => {
            has[v] = false;
            format!("u = (uintptr_t)v{v}; free(v{v});")
        }
        5 => format!("{r} += v0 == v1 ? 2 : 4;"),
        6 => format!("{r} += (uintptr_t)v{v} == u ? 1 : 8;"),
        7 => format!(
            "{r} += ((uintptr_t)v{v} < u) + (u < (uintptr_t)v{v}) + (u == (uintptr_t)v{w});"
        ),
        8 => format!("atomic_store(&@h, (uintptr_t)v{v});"),
        9 => "u = atomic_load(&@h);".to_string(),
        10 => format!(
            "{{ uintptr_t e = u; {r} += atomic_compare_exchange_strong_explicit(&@h, &e, \
             (uintptr_t)v{v}, memory_order_{order}, memory_order_relaxed); b += e == u; }}"
        ),
        // Which of two objects comes first in memory.
        11 => format!("{r} += ((v0 < v1) + 2 * (v1 <= v0)) << 4;"),
        12 => format!("{r} += ((v{v} < (int *)u) + 2 * ((int *)u <= v{w})) << 6;"),
        13 => {
            format!("{r} += (((void *)&@x < (void *)&@y) + 2 * ((void *)v{v} < (void *)&@x)) << 8;")
        }
        14 => "a += ((&@p + 1 <= (int *)&@l) + 2 * (&@p + 1 == (int *)&@l)) << 10;".to_string(),
        _ => format!("{r} += atomic_exchange(&@h, u) == (uintptr_t)v{v};"),
    }
}

/// A statement of a thread; `locks` is how many critical sections there may still be.
fn statement(random: &mut Random, locks: &mut usize) -> String {
    let (r, v) = (random.pick(&REGISTERS), random.pick(&["x", "y"]));
    let n = 1 + random.below(2);
    match random.below(14) {
        0..=2 => format!("{r} = get(&@{v}, memory_order_{});", random.pick(&LOAD)),
        3..=5 => {
            let order = random.pick(&STORE);
            format!("atomic_store_explicit(&@{v}, {n}, memory_order_{order});")
        }
        6 => {
            let order = random.pick(&UPDATE);
            format!("{r} = atomic_exchange_explicit(&@{v}, {n}, memory_order_{order});")
        }
        7 => {
            let (op, order) = (
                random.pick(&["add", "sub", "or", "xor", "and"]),
                random.pick(&UPDATE),
            );
            format!("{r} = atomic_fetch_{op}_explicit(&@{v}, {n}, memory_order_{order});")
        }
        8 | 9 => {
            let kind = random.pick(&["weak", "strong"]);
            let (success, failure) = (random.pick(&UPDATE), random.pick(&LOAD));
            let e = random.below(2);
            format!(
                "{{ int e = {e}; b = atomic_compare_exchange_{kind}_explicit(&@{v}, &e, {n}, \
                 memory_order_{success}, memory_order_{failure}); a = e; }}"
            )
        }
        10 => format!(
            "atomic_thread_fence(memory_order_{});",
            random.pick(&UPDATE)
        ),
        11 => {
            let (yes, no) = (random.pick(&STORE), random.pick(&STORE));
            format!(
                "atomic_store_explicit(&@{v}, {n}, {r} ? memory_order_{yes} : memory_order_{no});"
            )
        }
        12 if *locks > 0 => {
            *locks -= 1;
            format!(
                "pthread_mutex_lock(&@m); @p = 2 * @p + {n}; {r} = @p; pthread_mutex_unlock(&@m);"
            )
        }
        13 if *locks > 0 => {
            *locks -= 1;
            format!(
                "if (!pthread_mutex_trylock(&@m)) {{ @p = @p + {n}; pthread_mutex_unlock(&@m); \
                 {r} = 1; }}"
            )
        }
        _ => format!("if ({r}) atomic_store_explicit(&@{v}, {n}, memory_order_relaxed);"),
    }
}

/// A statement that may race: what it hands over in `q` is announced by an atomic variable, or not at all.
fn racy_statement(random: &mut Random) -> String {
    let (r, flag) = (random.pick(&REGISTERS), random.pick(&["x", "y"]));
    let n = 1 + random.below(2);
    let (load, store, update) = (
        random.pick(&LOAD),
        random.pick(&STORE),
        random.pick(&UPDATE),
    );
    let publish = format!("@q = {n}; atomic_store_explicit(&@{flag}, {n}, memory_order_{store});");
    match random.below(20) {
        0 | 1 => publish,
        2 => format!(
            "{publish} atomic_store_explicit(&@{flag}, {}, memory_order_relaxed);",
            n + 1
        ),
        3 => format!(
            "@q = {n}; atomic_thread_fence(memory_order_{update}); \
             atomic_store_explicit(&@{flag}, {n}, memory_order_relaxed);"
        ),
        4 => format!("@q = {n}; atomic_fetch_add_explicit(&@{flag}, 1, memory_order_{update});"),
        5..=7 => format!("if (get(&@{flag}, memory_order_{load}) == {n}) {r} = @q;"),
        8 => format!("if (get(&@{flag}, memory_order_{load}) == {n}) @q = 3;"),
        9 => format!(
            "if (get(&@{flag}, memory_order_relaxed)) {{ atomic_thread_fence(memory_order_{update}); \
             {r} = @q; }}"
        ),
        10 => format!(
            "if (atomic_exchange_explicit(&@{flag}, 0, memory_order_{update}) == {n}) {r} = @q;"
        ),
        11 => format!("pthread_mutex_lock(&@m); @q = {n}; pthread_mutex_unlock(&@m);"),
        12 => format!("@v = {n};"),
        13 => format!("{r} = @v;"),
        14 => {
            let kind = random.pick(&["int", "volatile int"]);
            format!("{r} = *({kind} *)&@{flag};")
        }
        15 => format!("__atomic_store_n(&@v, {n}, __ATOMIC_RELEASE);"),
        16 => format!("pthread_mutex_lock(&@m); {r} = @q; pthread_mutex_unlock(&@m);"),
        17 => format!("pthread_mutex_lock(&@m); @v = {n}; pthread_mutex_unlock(&@m);"),
        lock => {
            let inside = match lock {
                18 => format!("@q = {n};"),
                _ => format!("{r} = @q;"),
            };
            let (take, give) = (random.pick(&UPDATE), random.pick(&["relaxed", "release"]));
            format!(
                "if (!atomic_exchange_explicit(&@l, 1, memory_order_{take})) {{ {inside} \
                 atomic_store_explicit(&@l, 0, memory_order_{give}); }}"
            )
        }
    }
}

const HEAD: &str = "\
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
static inline int get(atomic_int *p, memory_order order)
{
    return atomic_load_explicit(p, order);
}
";

/// A program for the machine that runs each of some others `rounds` times. It prints a line for
/// each final state seen: the number of the program and the values in the order of
/// [`Concurrent::observed`].
pub fn native(programs: &[Concurrent], rounds: usize) -> String {
    let mut out = "#include <sched.h>\n#include <stdio.h>\n#include <string.h>\n".to_string();
    out += HEAD;
    let (mut prepare, mut table) = (String::new(), String::new());
    for (i, program) in programs.iter().enumerate() {
        let prefix = format!("g{i}_");
        out += &program.declarations(&prefix);
        out += &program.bodies(&prefix);
        let names = program.observed();
        let _ = writeln!(out, "static void {prefix}reset(void)\n{{");
        for name in names.iter().map(String::as_str).chain(["ready", "h"]) {
            let _ = writeln!(out, "    {prefix}{name} = 0;");
        }
        let _ = writeln!(out, "}}\nstatic void {prefix}look(int *out)\n{{");
        for (k, name) in names.iter().enumerate() {
            let _ = writeln!(out, "    out[{k}] = {prefix}{name};");
        }
        let _ = writeln!(out, "}}");
        let _ = writeln!(prepare, "    {}", program.prepare(&prefix));
        let bodies: Vec<String> = (0..program.threads())
            .map(|t| format!("{prefix}t{t}"))
            .collect();
        let _ = writeln!(
            table,
            "    {{ {}, {}, {prefix}reset, {prefix}look, {{ {} }} }},",
            program.threads(),
            names.len(),
            bodies.join(", ")
        );
    }
    let _ = write!(
        out,
        "{}",
        HARNESS
            .replace("@TABLE", &table)
            .replace("@PREPARE", &prepare)
            .replace("@COUNT", &programs.len().to_string())
            .replace("@ROUNDS", &rounds.to_string())
    );
    out
}

const HARNESS: &str = "\
static struct program {
    int threads, values;
    void (*reset)(void);
    void (*look)(int *);
    void (*body[3])(void);
} programs[] = {
@TABLE};
#define STATES 256
static int seen[STATES][16], count;
static atomic_int arrived, turn;
static void meet(int n)
{
    int now = atomic_load(&turn);
    if (atomic_fetch_add(&arrived, 1) == n - 1) {
        atomic_store(&arrived, 0);
        atomic_store(&turn, now + 1);
        return;
    }
    for (int spins = 0; atomic_load(&turn) == now; spins++)
        if (spins > 200)
            sched_yield();
}
static void note(int i, struct program *p)
{
    int state[16] = { 0 };
    p->look(state);
    for (int k = 0; k < count; k++)
        if (!memcmp(seen[k], state, sizeof state))
            return;
    if (count == STATES)
        return;
    memcpy(seen[count++], state, sizeof state);
    printf(\"%d\", i);
    for (int k = 0; k < p->values; k++)
        printf(\" %d\", state[k]);
    printf(\"\\n\");
}
static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < @COUNT; i++) {
        struct program *p = &programs[i];
        if (me == 0)
            count = 0;
        for (int round = 0; round < @ROUNDS; round++) {
            if (me == 0)
                p->reset();
            meet(3);
            if (me < p->threads)
                p->body[me]();
            meet(3);
            if (me == 0)
                note(i, p);
        }
    }
    return 0;
}
int main(void)
{
@PREPARE
    pthread_t others[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&others[i], 0, worker, (void *)(i + 1));
    worker(0);
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], 0);
    return 0;
}
";
