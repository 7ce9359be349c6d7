//! Which programs look at addresses as numbers, so that an answer says what it takes for granted.

use support::pipeline::{Subject, looking_for};
use wmbmc::ir::addresses::are_seen_as_numbers;
use wmbmc::ir::program::PropertyKind;

const HEAD: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
struct node { int v; long count; struct node *next; };
struct node a, b, *shared, *table[8];
_Atomic uintptr_t tagged;
uintptr_t word;
long number;
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
static uintptr_t of(struct node *n) { return (uintptr_t)n; }
static void *worker(void *arg) { long i = (long)arg; number = i * 3; assert(i < 5000); return 0; }
";

#[track_caller]
fn expect(looks: bool, body: &str) {
    let text = format!("{HEAD}int main(void) {{ {body} return 0; }}\n");
    let checks = [
        PropertyKind::Assertion,
        PropertyKind::Memory,
        PropertyKind::Misuse,
        PropertyKind::Overflow,
    ];
    let subject = Subject::c(&text, &looking_for(&checks));
    assert_eq!(are_seen_as_numbers(&subject.program), looks, "{body}");
}

#[test]
fn programs_that_compute_with_addresses_are_known() {
    for body in [
        "assert((uintptr_t)&a < 5000);",
        "assert(of(&a) != 0x10000);",
        "number = (uintptr_t)&a >> 4;",
        "number = of(&a) % 7;",
        "number = (int)(uintptr_t)&a;",
        "uintptr_t i = of(&a) ^ 0x9e3779b9; number = table[i & 7] != 0;",
        "word = (uintptr_t)&a; if (word * 31 > 5) number = 1;",
        "shared = &a; if ((uintptr_t)shared > (uintptr_t)__VERIFIER_nondet_long()) number = 1;",
        "tagged = (uintptr_t)&a | 1; if (atomic_load(&tagged) / 2) number = 1;",
        "pthread_t t; pthread_create(&t, 0, worker, &a);",
        "struct node *n = malloc(sizeof *n); number = (uintptr_t)n / 16;",
        "number = (uintptr_t)&a & 0xff0;",
    ] {
        expect(true, body);
    }
}

#[test]
fn programs_that_move_and_compare_addresses_do_not_look_at_their_numbers() {
    for body in [
        "assert(&a != &b);",
        "assert((uintptr_t)&a != 0);",
        "shared = &a; if (shared == &b) number = 1;",
        "if ((uintptr_t)&a < (uintptr_t)&b) number = 1;",
        "assert((unsigned long)&a < -4095UL);",
        "tagged = (uintptr_t)&a | 1; struct node *n = (struct node *)(tagged & ~(uintptr_t)1); n->v = 1;",
        "assert((uintptr_t)&a % 8 == 0); assert(((uintptr_t)&a & 7) == 0);",
        "pthread_t t; for (long i = 0; i < 3; i++) pthread_create(&t, 0, worker, (void *)i);",
        "int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 8) table[i] = &a;",
        "struct node *n = malloc(sizeof *n); n->next = shared; shared = n; n->v = 70000; assert(n->v > 5000);",
        "char *p = (char *)&a; p += sizeof(int); struct node *n = (struct node *)(p - sizeof(int)); n->v = 1;",
        "number = (char *)&a.count - (char *)&a;",
    ] {
        expect(false, body);
    }
}
