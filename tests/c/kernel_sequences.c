// The kernel's sequence locks, reader-writer locks, bit locks, reference counts and completions.
//
// run: -DSEQLOCK --check assert,race --unwind 3
// expect: lkmm=SAFE
//
// run: -DSEQLOCK -DNO_RETRY --unwind 3
// expect: lkmm=UNSAFE
//
// run: -DRWLOCK --check assert,race --unwind 3
// expect: lkmm=SAFE
//
// run: -DBITLOCK --check assert,race --unwind 3
// expect: lkmm=SAFE
//
// run: -DBITLOCK -DNO_LOCK
// expect: lkmm=UNSAFE
//
// run: -DKREF --check assert,memory
// expect: lkmm=SAFE aarch64=SAFE power=SAFE
//
// run: -DKREF -DTWICE --check assert,memory
// expect: lkmm=UNSAFE aarch64=UNSAFE power=UNSAFE
//
// A reference that is given up without an order.
// run: -DKREF -DRELAXED --check assert,memory
// expect: lkmm=UNSAFE aarch64=UNSAFE power=UNSAFE
//
// run: -DCOMPLETION --check assert,race,deadlock
// expect: lkmm=SAFE
//
// run: -DCOMPLETION -DFORGOTTEN --check termination
// expect: lkmm=UNSAFE

#include <assert.h>
#include <linux/bit_spinlock.h>
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/rwlock.h>
#include <linux/seqlock.h>
#include <pthread.h>
#include <stdlib.h>

#if defined(SEQLOCK)
static DEFINE_SEQLOCK(lock);
static int x, y;
static void *other(void *unused) {
  write_seqlock(&lock);
  WRITE_ONCE(x, 1);
  WRITE_ONCE(y, 1);
  write_sequnlock(&lock);
  return unused;
}
static void use(void) {
  unsigned seq;
  int a, b;
  do {
    seq = read_seqbegin(&lock);
    a = READ_ONCE(x);
    b = READ_ONCE(y);
#ifdef NO_RETRY
    break;
#endif
  } while (read_seqretry(&lock, seq));
  assert(a == b);
}
#elif defined(RWLOCK)
static DEFINE_RWLOCK(lock);
static int x, y;
static void *other(void *unused) {
  write_lock(&lock);
  x = 1;
  y = 1;
  write_unlock(&lock);
  return unused;
}
static void use(void) {
  read_lock(&lock);
  assert(x == y);
  read_unlock(&lock);
}
#elif defined(BITLOCK)
static unsigned long flags;
static int count;
static void add(void) {
#ifdef NO_LOCK
  WRITE_ONCE(count, READ_ONCE(count) + 1);
#else
  bit_spin_lock(3, &flags);
  count++;
  bit_spin_unlock(3, &flags);
#endif
}
static void *other(void *unused) {
  add();
  return unused;
}
static void use(void) { add(); }
#elif defined(KREF)
struct object { int value; struct kref references; };
static void release(struct kref *k) { free(container_of(k, struct object, references)); }
static struct object *object;
#ifdef RELAXED
static void put(void) {
  if (atomic_fetch_sub_relaxed(1, &object->references.refcount.refs) == 1) release(&object->references);
}
#else
static void put(void) { kref_put(&object->references, release); }
#endif
static void *other(void *unused) {
  object->value = 3;
  put();
#ifdef TWICE
  kref_put(&object->references, release);
#endif
  return unused;
}
static void use(void) { put(); }
#elif defined(COMPLETION)
static DECLARE_COMPLETION(done);
static int x;
static void *other(void *unused) {
  x = 5;
#ifndef FORGOTTEN
  complete(&done);
#endif
  return unused;
}
static void use(void) {
  wait_for_completion(&done);
  assert(x == 5);
}
#endif

int main(void) {
  pthread_t thread;
#ifdef KREF
  object = malloc(sizeof *object);
  kref_init(&object->references);
  kref_get(&object->references);
#endif
  pthread_create(&thread, 0, other, 0);
  use();
  pthread_join(thread, 0);
#if defined(BITLOCK)
  assert(count == 2 && !test_bit(3, &flags));
#endif
  return 0;
}
