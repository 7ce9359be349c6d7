//! A litmus test as a C program that runs it many times on the machine at hand, and counts what it sees.
//!
//! As litmus7 does (Alglave, Maranget, Sarkar, Sewell: Litmus, TACAS 2011): each thread of the test is a thread that
//! stays, and meets the others before each run at a barrier that spins; many copies of the locations are used one after the
//! other, in an order that changes, so that caches are in all states; threads move from processor to processor and wait a
//! little, by chance. Each line of the output is a number of runs and then the values of all observables.

use super::expression::name;
use super::objects::{Language, Object};
use super::{Thread, declaration, initial, observed, result};
use base::diag::Diag;
use base::idx::IdVec;
use ir::litmus::{Condition, LitmusTest, Operand};
use ir::program::*;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The program. Its argument is the number of runs.
///
/// # Errors
/// The test is for another machine than `host` (as Rust names it), observes addresses, or has an instruction that C cannot
/// express.
pub fn program(test: &LitmusTest, host: &str) -> Result<String, Diag> {
    let language = Language::of(test);
    let span = test.final_condition.span;
    let refused = |message: String| Diag::unsupported(span, message);
    let suits = match (language, test.machine.as_str()) {
        (Language::Kernel, _) => {
            return Err(refused(
                "a test of the kernel runs in the kernel alone".to_string(),
            ));
        }
        (Language::C11, _) => true,
        (Language::Assembly, machine) => {
            matches!((machine, host), ("X86" | "X86_64", "x86" | "x86_64"))
        }
    };
    if !suits {
        let machine = &test.machine;
        return Err(refused(format!(
            "a test for {machine} does not run on this machine ({host})"
        )));
    }
    if shows_addresses(test) {
        return Err(refused(
            "a test whose final states have addresses does not run".to_string(),
        ));
    }
    let objects = Object::of(test, language);
    let threads = test.program.procs.iter_enumerated();
    let threads: Vec<&Proc> = threads
        .filter(|(id, _)| Some(*id) != test.program.main)
        .map(|(_, proc)| proc)
        .collect();
    let mut out = PROLOGUE.replace("NUMBER_OF_THREADS", &threads.len().to_string());
    if language == Language::C11 {
        out.insert_str(out.find("\n\n").unwrap_or(0), "\n#include <stdatomic.h>");
    }
    out += "\nstruct instance {\n";
    for id in test.program.globals.ids() {
        let place = declaration(test, id, (language, objects[id]));
        let _ = writeln!(out, "  _Alignas(64) {place};");
    }
    for (id, observable) in test.program.observables.iter_enumerated() {
        if let Observable::Register { width, .. } = observable {
            let _ = writeln!(out, "  _Alignas(64) uint{width}_t {};", result(id));
        }
    }
    out += "  _Alignas(64) unsigned ready;\n};\nstatic struct instance all[SIZE];\n";
    out += "static const struct instance first = {\n";
    for (id, global) in test.program.globals.iter_enumerated() {
        let value = initial(test, global, (language, objects[id]))?;
        let _ = writeln!(out, "  .{} = {value},", name(&test.program, id));
    }
    out += "};\n#define HERE (all[(uintptr_t)unused])\n";
    out += &macros(test);
    for proc in &threads {
        let thread = Thread {
            test,
            proc,
            language,
            objects: &objects,
        };
        out += &thread.text()?.replacen("void *", "static void *", 1);
    }
    let values: Vec<String> = values(test, language, &objects);
    let _ = write!(
        out,
        "\nenum {{ VALUES = {} }};\nstatic void look(void *unused, uint64_t *seen) {{\n",
        values.len().max(1)
    );
    for (i, value) in values.iter().enumerate() {
        let _ = writeln!(out, "  seen[{i}] = {value};");
    }
    out += "}\nstatic void *(*const code[])(void *) = {";
    let names: Vec<&str> = threads.iter().map(|proc| proc.name.as_str()).collect();
    let _ = writeln!(out, "{}}};", names.join(", "));
    Ok(out + EPILOGUE)
}

/// What the locations and results of an instance are called in the functions.
fn macros(test: &LitmusTest) -> String {
    let places = test.program.globals.ids().map(|id| name(&test.program, id));
    let results = test.program.observables.iter_enumerated();
    let results = results.filter_map(|(id, o)| match o {
        Observable::Register { .. } => Some(result(id)),
        Observable::Memory { .. } => None,
    });
    let all = places.chain(results);
    all.map(|name| format!("#define {name} (HERE.{name})\n"))
        .collect()
}

fn values(test: &LitmusTest, language: Language, objects: &IdVec<GlobalId, Object>) -> Vec<String> {
    let ids = test.program.observables.ids();
    ids.map(|id| observed(test, id, (language, objects)))
        .collect()
}

/// Whether a final state may have an address: where an observed register may hold one, or one is stored.
fn shows_addresses(test: &LitmusTest) -> bool {
    let conditions = [
        Some(&test.final_condition.condition),
        test.final_condition.filter.as_ref(),
    ];
    test.program.procs.iter().any(shows_addresses_of)
        || conditions.into_iter().flatten().any(asks_for_addresses)
}

fn asks_for_addresses(condition: &Condition) -> bool {
    match condition {
        Condition::Constant(_) => false,
        Condition::Equal(_, operand) => matches!(operand, Operand::Address(..)),
        Condition::Not(c) => asks_for_addresses(c),
        Condition::And(all) | Condition::Or(all) => all.iter().any(asks_for_addresses),
        Condition::Implies(a, b) => asks_for_addresses(a) || asks_for_addresses(b),
    }
}

/// Whether an expression may be an address, where these registers may hold some.
fn may_be_address(e: &Expr, holding: &BTreeSet<LocalId>) -> bool {
    let sub = |e: &Expr| may_be_address(e, holding);
    match e {
        Expr::Global(_) => true,
        Expr::Local(local) => holding.contains(local),
        Expr::Const { .. } | Expr::Proc(_) => false,
        Expr::Unary(_, a) | Expr::Cast(_, _, a) => sub(a),
        Expr::Binary(_, a, b) => sub(a) || sub(b),
        Expr::Ite(_, a, b) => sub(a) || sub(b),
    }
}

fn shows_addresses_of(proc: &Proc) -> bool {
    let mut holding: BTreeSet<LocalId> = BTreeSet::new();
    loop {
        let before = holding.len();
        for instr in &proc.body {
            if let Op::Assign { dst, value } = &instr.op
                && may_be_address(value, &holding)
            {
                holding.insert(*dst);
            }
        }
        if holding.len() == before {
            break;
        }
    }
    proc.body.iter().any(|instr| match &instr.op {
        Op::Store { value, .. } | Op::Observe { value, .. } => may_be_address(value, &holding),
        Op::Rmw { operand, .. } => may_be_address(operand, &holding),
        Op::Cas { desired, .. } => may_be_address(desired, &holding),
        _ => false,
    })
}

const PROLOGUE: &str = r"#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = NUMBER_OF_THREADS, SIZE = 1024, STATES = 4096 };
";

const EPILOGUE: &str = r#"
static unsigned order[SIZE];
static pthread_barrier_t round_begins, round_ends;
static volatile int over;

static uint32_t draw(uint32_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  *seed ^= *seed << 5;
  return *seed;
}

static void meet(unsigned *ready) {
  unsigned turns = 0;
  __atomic_fetch_add(ready, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n(ready, __ATOMIC_ACQUIRE) < THREADS)
    if (++turns % 4096 == 0) sched_yield();
}

static void *work(void *argument) {
  unsigned number = (uintptr_t)argument, round = 0;
  uint32_t seed = 2463534242u + 977 * number;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  for (;; round++) {
#ifdef __linux__
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((number + round) % (processors > 0 ? processors : 1), &set);
    sched_setaffinity(0, sizeof set, &set);
#endif
    pthread_barrier_wait(&round_begins);
    if (over) return 0;
    unsigned most = 1u << draw(&seed) % 7;
    for (unsigned i = 0; i < SIZE; i++) {
      unsigned delay = draw(&seed) % most;
      meet(&all[order[i]].ready);
      while (delay--) __asm__ __volatile__("" : : : "memory");
      code[number]((void *)(uintptr_t)order[i]);
    }
    pthread_barrier_wait(&round_ends);
  }
}

static struct { unsigned long count; uint64_t values[VALUES]; } states[STATES];
static unsigned known;

int main(int argc, char **argv) {
  unsigned long runs = argc > 1 ? strtoul(argv[1], 0, 10) : 1000000;
  pthread_t threads[THREADS];
  uint32_t seed = 88675123;
  pthread_barrier_init(&round_begins, 0, THREADS + 1);
  pthread_barrier_init(&round_ends, 0, THREADS + 1);
  for (unsigned i = 0; i < SIZE; i++) order[i] = i;
  for (uintptr_t t = 0; t < THREADS; t++) pthread_create(&threads[t], 0, work, (void *)t);
  for (unsigned long done = 0; done < runs; done += SIZE) {
    for (unsigned i = 0; i < SIZE; i++) {
      memcpy((void *)&all[i], (const void *)&first, sizeof first);
      unsigned other = draw(&seed) % (i + 1), kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
    pthread_barrier_wait(&round_begins);
    pthread_barrier_wait(&round_ends);
    for (unsigned long i = 0; i < SIZE && done + i < runs; i++) {
      uint64_t seen[VALUES] = {0};
      unsigned s = 0;
      look((void *)i, seen);
      while (s < known && memcmp(states[s].values, seen, sizeof seen)) s++;
      if (s == STATES) return 3;
      if (s == known) memcpy(states[known++].values, seen, sizeof seen);
      states[s].count++;
    }
  }
  over = 1;
  pthread_barrier_wait(&round_begins);
  for (unsigned t = 0; t < THREADS; t++) pthread_join(threads[t], 0);
  for (unsigned s = 0; s < known; s++) {
    printf("%lu", states[s].count);
    for (unsigned v = 0; v < VALUES; v++) printf(" %llu", (unsigned long long)states[s].values[v]);
    puts("");
  }
  return 0;
}
"#;
