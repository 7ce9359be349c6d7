//! Iterations that change nothing are left out: random small programs that wait in loops have the
//! same violations as without that, when their loops are merely unwound.
//!
//! What is violated within two rounds must be violated where rounds are left out, and what is violated
//! there within some more rounds.

use proptest::prelude::*;
use support::exploration::violated_by_executions;
use support::pipeline::{self, Subject, checking, looking_for};
use support::random::{properties, random_cases};
use support::{builtin, models, some_models};
use wmbmc::cat::model::Model;
use wmbmc::check::outcome::Verdict;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::PropertyKind;
use wmbmc::relations::dependencies::unwinding;
use wmbmc::relations::idle::awaits;
use wmbmc::unroll::{Awaits, UnrollOptions};

/// What threads do, a statement each.
const STATEMENTS: [&str; 57] = [
    "pthread_mutex_lock(&m); x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); x++; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); while (!x) pthread_cond_wait(&c, &m); y++; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); y++; while (x < 1) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); if (!x) pthread_cond_wait(&c, &m); y++; pthread_mutex_unlock(&m);",
    "x = 1; pthread_cond_signal(&c);",
    "pthread_mutex_lock(&m); while (!x) { int r = y; pthread_cond_wait(&c, &m); } pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); y = 2; x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
    "pthread_mutex_init(&m, 0);",
    "while (atomic_exchange_explicit(&l, 1, memory_order_acquire)) ; y++; \
     atomic_store_explicit(&l, 0, memory_order_release);",
    "while (atomic_exchange_explicit(&l, 1, memory_order_relaxed)) ; y++; \
     atomic_store_explicit(&l, 0, memory_order_relaxed);",
    "while (atomic_exchange(&l, 1)) while (l) ; y++; l = 0;",
    "while (atomic_fetch_or(&l, 1) & 1) ; y++; atomic_fetch_and(&l, ~1);",
    "while (!atomic_load_explicit(&z, memory_order_relaxed)) { int r = y; if (r == 3) x = 7; }",
    "while (!atomic_load_explicit(&z, memory_order_acquire)) assert(l < 2);",
    "atomic_store_explicit(&z, 1, memory_order_release);",
    "atomic_store_explicit(&z, 1, memory_order_relaxed);",
    "if (!pthread_mutex_trylock(&m)) { x = 1; pthread_mutex_unlock(&m); } else y++;",
    "{ int old = z; while (!atomic_compare_exchange_strong(&z, &old, old + 1)) ; }",
    "if (atomic_load_explicit(&z, memory_order_relaxed)) y = 1;",
    "l = 2;",
    "{ struct node *n = malloc(sizeof *n), *old; n->value = 1; \
     do { old = atomic_load_explicit(&top, memory_order_relaxed); \
     atomic_store_explicit(&n->next, old, memory_order_relaxed); } while \
     (!atomic_compare_exchange_strong_explicit(&top, &old, n, memory_order_release, memory_order_relaxed)); }",
    "{ struct node *n = malloc(sizeof *n), *old; n->value = 2; \
     do { old = atomic_load_explicit(&top, memory_order_relaxed); \
     atomic_store_explicit(&n->next, old, memory_order_relaxed); } while \
     (!atomic_compare_exchange_strong_explicit(&top, &old, n, memory_order_relaxed, memory_order_relaxed)); }",
    "{ struct node *n = atomic_load_explicit(&top, memory_order_acquire); if (n) { y += n->value; \
     if (atomic_load_explicit(&n->next, memory_order_relaxed)) y++; } }",
    "{ struct node *n = atomic_load_explicit(&top, memory_order_relaxed); \
     if (n && !atomic_load_explicit(&n->next, memory_order_relaxed)) y++; }",
    "while (!atomic_load_explicit(&z, memory_order_relaxed)) { int old = 1; \
     atomic_compare_exchange_strong_explicit(&l, &old, 3, memory_order_relaxed, memory_order_relaxed); }",
    "while (!atomic_load_explicit(&z, memory_order_acquire)) if (l == 2) l = 3;",
    "atomic_store_explicit(&top, 0, memory_order_relaxed);",
    "while (!atomic_load_explicit(&z, memory_order_relaxed)) { int r = *q; if (r == 3) x = 7; }",
    "atomic_store_explicit(&l, 2, memory_order_relaxed);",
    "if (atomic_load_explicit(&l, memory_order_acquire) == 2) { *q = 2; free(q); }",
    "{ _Bool done = 0; while (!done) { if (l == 2) ; else { int old = 0; done = \
     atomic_compare_exchange_strong_explicit(&l, &old, 1, memory_order_acquire, memory_order_relaxed); } } \
     y++; atomic_store_explicit(&l, 0, memory_order_release); }",
    "{ int r; do r = atomic_load_explicit(&z, memory_order_relaxed); while (!r); y = r; }",
    "{ int old = 0; while (!atomic_compare_exchange_weak_explicit(&l, &old, 1, memory_order_acquire, \
     memory_order_relaxed)) old = 0; y++; atomic_store_explicit(&l, 0, memory_order_release); }",
    "{ struct node *n = malloc(sizeof *n), *old = atomic_load_explicit(&top, memory_order_relaxed); \
     n->value = 1; do n->plain = old; while \
     (!atomic_compare_exchange_strong_explicit(&top, &old, n, memory_order_release, memory_order_relaxed)); }",
    "{ struct node *n = atomic_load_explicit(&top, memory_order_acquire); if (n) { y += n->value; \
     if (n->plain) y++; } }",
    "while (atomic_fetch_or_explicit(&l, 1, memory_order_relaxed) & 1) ; \
     y++; atomic_store_explicit(&l, 0, memory_order_relaxed);",
    "{ int old = atomic_load_explicit(&z, memory_order_relaxed); while \
     (!atomic_compare_exchange_weak_explicit(&z, &old, old + 1, memory_order_acq_rel, \
     memory_order_relaxed)) ; y++; }",
    "{ int old = atomic_load_explicit(&l, memory_order_acquire); while \
     (!atomic_compare_exchange_strong_explicit(&l, &old, old + 1, memory_order_release, \
     memory_order_relaxed)) ; if (old == 2) y = 3; }",
    "{ int old = atomic_load_explicit(&z, memory_order_relaxed); while (old != 1 && \
     !atomic_compare_exchange_strong_explicit(&z, &old, old + 1, memory_order_relaxed, \
     memory_order_acquire)) ; y += old; }",
    "{ int old = z; if (old == 1) x = 7; while (!atomic_compare_exchange_strong(&z, &old, old + 2)) ; }",
    "{ int old = atomic_load(&l), first = old; do if (old == 2) x = first; while \
     (!atomic_compare_exchange_weak(&l, &old, 1)) ; y = old; }",
    "{ int old = l; while (!atomic_compare_exchange_strong(&l, &old, z + 1)) assert(old != 2); }",
    "{ int old = 0; while (!atomic_compare_exchange_strong_explicit(&l, &old, 4, memory_order_relaxed, \
     memory_order_relaxed)) ; y = x; }",
    "l = 1; l = 0;",
    "{ int old = 0; do if (!old) atomic_fetch_add_explicit(&z, 1, memory_order_relaxed); while \
     (!atomic_compare_exchange_strong_explicit(&l, &old, 4, memory_order_relaxed, memory_order_relaxed)) ; \
     y = z; }",
    "atomic_fetch_add_explicit(&z, 1, memory_order_release);",
    "{ struct node *n = malloc(sizeof *n); n->value = 2; \
     n->plain = atomic_load_explicit(&top, memory_order_relaxed); while \
     (!atomic_compare_exchange_weak_explicit(&top, &n->plain, n, memory_order_release, memory_order_relaxed)) ; }",
    "{ struct node *old = atomic_load_explicit(&top, memory_order_relaxed); while (old && \
     !atomic_compare_exchange_strong_explicit(&top, &old, 0, memory_order_relaxed, memory_order_relaxed)) ; \
     if (old) y += old->value; }",
    "{ int seen = 0; while (!seen) { pthread_mutex_lock(&m); seen = x; pthread_mutex_unlock(&m); } y++; }",
    "while (1) { pthread_mutex_lock(&m); if (x == 1) { y++; pthread_mutex_unlock(&m); break; } \
     int r = l; pthread_mutex_unlock(&m); if (r == 2) x = 1; }",
    "__VERIFIER_atomic_begin(); x = 1; l = 1; __VERIFIER_atomic_end();",
    "__VERIFIER_atomic_begin(); if (l == 1) y += x; __VERIFIER_atomic_end();",
    "{ struct node *n = &nodes[0]; n->plain = atomic_load_explicit(&top, memory_order_relaxed); while \
     (!atomic_compare_exchange_weak_explicit(&top, &n->plain, n, memory_order_release, memory_order_relaxed)) ; }",
    "{ struct node *n = &nodes[1]; n->plain = atomic_load_explicit(&top, memory_order_acquire); while \
     (!atomic_compare_exchange_strong_explicit(&top, &n->plain, n, memory_order_relaxed, memory_order_relaxed)) ; }",
    "{ struct node *n = &nodes[1], *old; do { old = atomic_load_explicit(&top, memory_order_relaxed); \
     n->value = old != 0; n->plain = old; } while \
     (!atomic_compare_exchange_strong_explicit(&top, &old, n, memory_order_release, memory_order_relaxed)); }",
    "if (nodes[1].value) y = 2;",
];

/// The kernel's model, and those of machines that it runs on.
const KERNEL_MODELS: [&str; 5] = ["lkmm", "tso", "power", "aarch64", "riscv"];

/// What threads of the kernel do.
const KERNEL_STATEMENTS: [&str; 27] = [
    "while (atomic_xchg_acquire(&l, 1)) ; y++; atomic_set_release(&l, 0);",
    "while (atomic_xchg_acquire(&l, 1)) ; WRITE_ONCE(y, READ_ONCE(y) + 1); atomic_set(&l, 0);",
    "while (atomic_xchg_relaxed(&l, 1)) ; WRITE_ONCE(y, READ_ONCE(y) + 1); atomic_set(&l, 0);",
    "while (atomic_xchg(&l, 1)) ; y++; atomic_set_release(&l, 0);",
    "while (atomic_xchg_release(&l, 1)) WRITE_ONCE(x, 2); WRITE_ONCE(y, 1);",
    "do { while (atomic_read(&l)) ; } while (atomic_xchg_acquire(&l, 1)); y++; atomic_set_release(&l, 0);",
    "while (atomic_fetch_or_acquire(1, &l) & 1) ; y++; atomic_fetch_andnot_release(1, &l);",
    "while (atomic_fetch_or_relaxed(1, &l) & 1) WRITE_ONCE(x, 1); smp_mb(); WRITE_ONCE(y, READ_ONCE(x));",
    "while (atomic_cmpxchg_acquire(&l, 0, 1)) ; y++; atomic_set_release(&l, 0);",
    "{ int o = atomic_read(&z); while (!atomic_try_cmpxchg_relaxed(&z, &o, o + 1)) ; WRITE_ONCE(y, o); }",
    "{ int o = atomic_read(&z); while (!atomic_try_cmpxchg(&z, &o, o + 1)) ; }",
    "while (!atomic_read_acquire(&z)) ; y++;",
    "{ int r; while (!(r = atomic_read(&z))) ; WRITE_ONCE(y, r); }",
    "smp_store_release(&z.counter, 1);",
    "WRITE_ONCE(x, 1); smp_wmb(); atomic_set(&z, 1);",
    "atomic_set(&l, READ_ONCE(x));",
    "{ int r = atomic_read(&l); WRITE_ONCE(*(&x + r - r), 3); }",
    "{ int r = atomic_read(&l); smp_rmb(); if (r == 1) WRITE_ONCE(y, READ_ONCE(x)); }",
    "{ int r = l.counter; if (r) WRITE_ONCE(y, 2); }",
    "l.counter = READ_ONCE(x);",
    "spin_lock(&s); x++; spin_unlock(&s);",
    "{ int r = atomic_xchg_relaxed(&l, 2); if (r == 1) WRITE_ONCE(y, 3); }",
    "rcu_read_lock(); WRITE_ONCE(x, 1); WRITE_ONCE(y, atomic_read(&l)); rcu_read_unlock();",
    "atomic_inc(&l); smp_mb__after_atomic(); WRITE_ONCE(y, READ_ONCE(x));",
    "smp_mb();",
    "WRITE_ONCE(x, 1); atomic_set_release(&l, 1);",
    "{ int a, b; do { a = atomic_read_acquire(&l); b = READ_ONCE(x); } while \
     (atomic_xchg_relaxed(&l, 1) && !a); if (a && !b) WRITE_ONCE(y, 3); }",
];

fn kernel_text(first: &[usize], second: &[usize], last: u8) -> String {
    let body = |all: &[usize]| -> String { all.iter().map(|i| KERNEL_STATEMENTS[*i]).collect() };
    format!(
        "#include <kernel.h>\n#include <assert.h>\n#include <pthread.h>\n\
         atomic_t l, z;\nint x, y;\nDEFINE_SPINLOCK(s);\n\
         void *other(void *a) {{ {} return 0; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, other, 0); {}\n\
         pthread_join(t, 0); assert(y != {last}); return 0; }}\n",
        body(first),
        body(second),
    )
}

fn text(first: &[usize], second: &[usize], last: u8) -> String {
    let body = |all: &[usize]| -> String { all.iter().map(|i| STATEMENTS[*i]).collect() };
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         struct node {{ int value; _Atomic(struct node *) next; struct node *plain; }};\n\
         _Atomic(struct node *) top;\nstruct node nodes[2];\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
         atomic_int l, z;\nint x, y, *q;\n\
         void *other(void *a) {{ {} return 0; }}\n\
         int main(void) {{ pthread_t t; q = malloc(sizeof *q); *q = 1;\n\
         pthread_create(&t, 0, other, 0); {}\n\
         pthread_join(t, 0); if (nodes[0].plain == &nodes[1]) y++; y += nodes[1].value;\n\
         assert(y != {last}); return 0; }}\n",
        body(first),
        body(second),
    )
}

fn lowered(text: &str, kinds: &[PropertyKind]) -> Subject {
    Subject::c(text, &looking_for(kinds))
}

/// Which kinds are violated within some bounds.
fn violated(
    subject: &Subject,
    model: &Model,
    kinds: &[PropertyKind],
    awaits: Awaits,
    bounds: Bounds,
) -> Vec<bool> {
    let unrolling = UnrollOptions {
        awaits,
        ..unwinding(bounds, [model], kinds)
    };
    pipeline::violated(&subject.check_within(model, kinds, unrolling))
}

fn agree(models: &[&str], text: &str, kinds: &[PropertyKind]) -> Result<(), TestCaseError> {
    let subject = lowered(text, kinds);
    for name in models {
        let model = builtin(name);
        let reduced = awaits(&[&model], kinds);
        let bare = Awaits::default();
        // Of a program with a race nothing else is known there.
        let race = [PropertyKind::Race];
        let undefined = model.leaves_races_undefined() && *kinds != race;
        if undefined && violated(&subject, &model, &race, bare, Bounds::all(3)) == [true] {
            continue;
        }
        let left_out = violated(&subject, &model, kinds, reduced, Bounds::all(2));
        let unwound = violated(&subject, &model, kinds, bare, Bounds::all(2));
        for (kind, (left_out, unwound)) in kinds.iter().zip(left_out.iter().zip(&unwound)) {
            prop_assert!(
                *left_out || !unwound,
                "{kind:?} is missed on {name}:\n{text}"
            );
        }
        if let Some(explored) = violated_by_executions(&subject.program, &model, kinds) {
            for (kind, (explored, left_out)) in kinds.iter().zip(explored.iter().zip(&left_out)) {
                prop_assert!(
                    *explored || !left_out,
                    "no execution violates {kind:?} on {name}:\n{text}"
                );
            }
            if explored != left_out {
                let further = violated(&subject, &model, kinds, bare, Bounds::all(5));
                prop_assert_eq!(&explored, &further, "on {}:\n{}", name, text);
            }
        }
        // That a thread spins is seen where its iterations are left out.
        if left_out != unwound && *kinds != [PropertyKind::Deadlock] {
            let further = violated(&subject, &model, kinds, bare, Bounds::all(5));
            prop_assert_eq!(&left_out, &further, "on {}:\n{}", name, text);
        }
    }
    Ok(())
}

/// A thread pushes a node onto a stack, in rounds, and another one looks at it. `before` is done to the
/// node before the first round, `store` in each one; `release` is the order in which it is published.
fn push(before: &str, store: &str, release: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         struct node {{ int value; _Atomic(struct node *) next; }};\n\
         _Atomic(struct node *) top, side; struct node first;\n\
         void *pusher(void *a) {{\n\
           struct node *n = malloc(sizeof *n), *old;\n\
           atomic_store_explicit(&n->next, 0, memory_order_relaxed); {before}\n\
           while (1) {{ old = atomic_load_explicit(&top, memory_order_relaxed); {store}\n\
             if (atomic_compare_exchange_strong_explicit(&top, &old, n, memory_order_{release}, \
                 memory_order_relaxed)) break; }}\n\
           return 0; }}\n\
         void *other(void *a) {{\n\
           atomic_store_explicit(&top, &first, memory_order_relaxed);\n\
           struct node *n = atomic_load_explicit(&side, memory_order_relaxed);\n\
           if (!n) n = atomic_load_explicit(&top, memory_order_relaxed);\n\
           if (n != &first) assert(atomic_load_explicit(&n->next, memory_order_relaxed) == &first);\n\
           return 0; }}\n\
         int main(void) {{ pthread_t t, u; pthread_create(&t, 0, pusher, 0);\n\
           pthread_create(&u, 0, other, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }}\n"
    )
}

const STORE: &str = "atomic_store_explicit(&n->next, old, memory_order_relaxed);";

/// Whether the node may be seen with something else than the top that it was pushed onto, and whether
/// the loop ends without a bound.
fn pushed(text: &str, model: &str) -> (bool, bool) {
    let subject = lowered(text, &[PropertyKind::Assertion]);
    let model = builtin(model);
    let options = unwinding(Bounds::all(2), [&model], &[PropertyKind::Assertion]);
    let graph = subject.unroll(&options);
    let kinds = [PropertyKind::Assertion];
    let left_out = violated(&subject, &model, &kinds, options.awaits, Bounds::all(2));
    let unwound = violated(&subject, &model, &kinds, Awaits::default(), Bounds::all(2));
    assert_eq!(left_out, unwound, "on {}:\n{text}", model.name);
    (left_out[0], graph.bounds_reached.is_empty())
}

#[test]
fn a_round_of_a_push_is_left_out_where_its_store_is_not_seen() {
    for model in ["sc", "tso"] {
        let plain = push("", STORE, "relaxed");
        assert_eq!(pushed(&plain, model), (false, true), "{model}");
    }
    let fenced = push("", STORE, "release");
    assert_eq!(pushed(&fenced, "power"), (false, true));
}

#[test]
fn a_round_is_followed_where_its_store_may_be_seen() {
    // Without a fence the address may come before what was stored last.
    let unfenced = push("", STORE, "relaxed");
    assert_eq!(pushed(&unfenced, "power"), (true, false));
    for model in ["sc", "tso", "power"] {
        let known = push(
            "atomic_store_explicit(&side, n, memory_order_release);",
            STORE,
            "release",
        );
        assert_eq!(
            pushed(&known, model),
            (true, false),
            "{model}: published before"
        );
        let sometimes = push("", &format!("if (old) {STORE}"), "release");
        assert!(!pushed(&sometimes, model).1, "{model}: not overwritten");
        let look = "if (atomic_load_explicit(&n->next, memory_order_relaxed)) old = 0;";
        let read = push("", &format!("{look} {STORE}"), "release");
        assert!(!pushed(&read, model).1, "{model}: read before");
    }
}

#[test]
fn who_joins_sees_what_was_not_initialised() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         struct node { atomic_int value; }; _Atomic(struct node *) top; atomic_int flag;\n\
         void *maker(void *a) { struct node *n = malloc(sizeof *n);\n\
           if (atomic_load(&flag)) { atomic_store(&n->value, 1); atomic_store(&top, n); }\n\
           return n; }\n\
         void *other(void *a) { atomic_store(&flag, 1); struct node *n = atomic_load(&top);\n\
           if (n) atomic_store(&n->value, 1); return 0; }\n\
         int main(void) { pthread_t t, u; void *p; pthread_create(&t, 0, maker, 0);\n\
           pthread_create(&u, 0, other, 0); pthread_join(t, &p);\n\
           struct node *n = p; assert(atomic_load(&n->value) == 1); return 0; }\n";
    for model in ["sc", "tso", "power"] {
        assert!(pushed(text, model).0, "{model}");
    }
}

#[test]
fn a_round_that_goes_wrong_is_followed_where_what_comes_later_matters() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         atomic_int flag, done; int *q;\n\
         void *owner(void *a) { atomic_store_explicit(&flag, 1, memory_order_relaxed);\n\
           if (atomic_load_explicit(&done, memory_order_acquire)) free(q); return 0; }\n\
         int main(void) { pthread_t t; q = malloc(sizeof *q); *q = 1;\n\
           pthread_create(&t, 0, owner, 0);\n\
           while (!atomic_load_explicit(&flag, memory_order_relaxed)) { int seen = *q; }\n\
           atomic_store_explicit(&done, 1, memory_order_relaxed); pthread_join(t, 0); return 0; }\n";
    // To C11 the end of an object is a write that races with the access.
    let (memory, race) = (PropertyKind::Memory, PropertyKind::Race);
    for (name, kind, late) in [
        ("sc", memory, false),
        ("tso", memory, false),
        ("rmo", memory, true),
        ("power", memory, true),
        ("aarch64", memory, true),
        ("riscv", memory, true),
        ("rc11", race, true),
        ("sc", race, true),
    ] {
        let kinds = [kind];
        let subject = lowered(text, &kinds);
        let model = builtin(name);
        let reduced = awaits(&[&model], &kinds);
        let left_out = violated(&subject, &model, &kinds, reduced, Bounds::all(1));
        assert_eq!(left_out, [late], "{name}");
    }
}

#[test]
fn what_a_failed_round_did_before_it_failed_is_not_lost() {
    // A round that expects 0 counts; the one behind it does not, and fails as the 0 is back. Together they
    // end where they began, but for the counter.
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         atomic_int l, c;\n\
         void *other(void *a) { l = 1; l = 0; if (l == 5) c = 7; return 0; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); int old = 0;\n\
           do { if (old == 0) c = c + 1; } while (!atomic_compare_exchange_strong_explicit(&l, &old, 9, \
             memory_order_relaxed, memory_order_relaxed));\n\
           pthread_join(t, 0); int n = c; assert(n != 2); return 0; }\n";
    let kinds = [PropertyKind::Assertion];
    let subject = lowered(text, &kinds);
    for name in models() {
        let model = builtin(name);
        for awaits in [awaits(&[&model], &kinds), Awaits::default()] {
            let found = violated(&subject, &model, &kinds, awaits, Bounds::all(2));
            assert_eq!(found, [true], "{name}");
        }
    }
}

#[test]
fn a_read_of_what_its_thread_wrote_back_is_no_read_of_the_source() {
    // A round that writes 1 back does not acquire, and the one behind it reads that 1. It may see less than
    // if it had read what the round has read.
    let text = |xchg: &str| {
        format!(
            "#include <kernel.h>\n#include <assert.h>\n#include <pthread.h>\n\
             atomic_t l; int x;\n\
             void *other(void *v) {{ WRITE_ONCE(x, 1); atomic_set_release(&l, 1); return 0; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, other, 0); int a, b;\n\
               do {{ a = atomic_read_acquire(&l); b = READ_ONCE(x); }} while ({xchg}(&l, 1) && !a);\n\
               assert(!a || b); pthread_join(t, 0); return 0; }}\n"
        )
    };
    let kinds = [PropertyKind::Assertion];
    // ARMv8 orders a read-modify-write before an acquiring read of what it wrote.
    for (xchg, name, late) in [
        ("atomic_xchg_relaxed", "lkmm", true),
        ("atomic_xchg_acquire", "lkmm", false),
        ("atomic_xchg_relaxed", "aarch64", false),
    ] {
        let subject = lowered(&text(xchg), &kinds);
        let model = builtin(name);
        for awaits in [awaits(&[&model], &kinds), Awaits::default()] {
            let found = violated(&subject, &model, &kinds, awaits, Bounds::all(2));
            assert_eq!(found, [late], "{xchg} on {name}");
        }
    }
}

#[test]
fn a_round_that_helps_another_thread_is_followed_only_when_it_does() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         atomic_int turn, help;\n\
         void *other(void *a) { atomic_store(&help, 1); int old = 1;\n\
           atomic_compare_exchange_strong(&help, &old, 2); atomic_store(&turn, 1); return 0; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, other, 0);\n\
           while (!atomic_load(&turn)) { int old = 1;\n\
             atomic_compare_exchange_strong(&help, &old, 2); }\n\
           assert(help == 2); pthread_join(t, 0); return 0; }\n";
    let checks = [PropertyKind::Assertion];
    let subject = lowered(text, &checks);
    for name in ["sc", "tso", "pso"] {
        let model = builtin(name);
        let graph = subject.unroll_for(&model, Bounds::all(2), &checks);
        let outcome = subject.check(&graph, &model, &checking(&checks));
        assert!(matches!(outcome.verdict, Verdict::Safe), "{name}");
    }
}

proptest! {
    #![proptest_config(properties(random_cases(40)))]

    #[test]
    fn nothing_is_missed(
        first in prop::collection::vec(0..STATEMENTS.len(), 1..3),
        second in prop::collection::vec(0..STATEMENTS.len(), 1..3),
        last in 0u8..4,
    ) {
        let text = text(&first, &second, last);
        let number = first.iter().chain(&second).sum();
        let models: Vec<&str> = some_models(number, 5).collect();
        agree(&models, &text, &[PropertyKind::Race])?;
        agree(&models, &text, &[PropertyKind::Assertion, PropertyKind::Race])?;
        agree(&models, &text, &[PropertyKind::Deadlock])?;
        agree(&models, &text, &[PropertyKind::Memory])?;
    }

    #[test]
    fn nothing_is_missed_in_the_kernel(
        first in prop::collection::vec(0..KERNEL_STATEMENTS.len(), 1..3),
        second in prop::collection::vec(0..KERNEL_STATEMENTS.len(), 1..3),
        last in 0u8..4,
    ) {
        let text = kernel_text(&first, &second, last);
        agree(&KERNEL_MODELS, &text, &[PropertyKind::Assertion])?;
        agree(&KERNEL_MODELS, &text, &[PropertyKind::Race])?;
    }
}
