// The work-stealing deque of Chase and Lev (SPAA 2005) with the orders of Le, Pop, Cohen and Zappa
// Nardelli (PPoPP 2013): the owner pushes and takes at the bottom, thieves steal at the top; only the
// last task is fought for by compare-and-swap. The array does not grow.
//
// Checked: every task is run exactly once, and a thief sees what the owner wrote into it.
// Taking lowers the bottom and then looks at the top, stealing looks at the top and then at the
// bottom: without the two seq_cst fences (-DNO_FENCE) the owner does not see that the thief was
// there, and both run a task that is not the last: store buffering, wrong from TSO on.
// -DWEAK keeps them and leaves out the release fence and the acquiring reads.
//
// run: --unwind 2
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DNO_FENCE --unwind 2
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DWEAK --unwind 2
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: --check race --unwind 2
// expect: sc,tso,pso,rmo,alpha,power=SAFE
//
// run: --check race -DNO_FENCE --unwind 2
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE

#include "orders.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef NO_FENCE
#define full_fence() ((void)0)
#else
#define full_fence() atomic_thread_fence(memory_order_seq_cst)
#endif
#ifdef WEAK
#define release_fence() ((void)0)
#else
#define release_fence() atomic_thread_fence(memory_order_release)
#endif

#define SIZE 4
#ifndef TASKS
#define TASKS 2
#endif

struct task {
  int number;
  int runs;
};

struct {
  atomic_size_t top, bottom;
  _Atomic(struct task *) buffer[SIZE];
} deque;

static void push(struct task *task) {
  size_t b = atomic_load_explicit(&deque.bottom, memory_order_relaxed);
  size_t t = atomic_load_explicit(&deque.top, ACQUIRE);
  assert(b - t < SIZE);
  atomic_store_explicit(&deque.buffer[b % SIZE], task, memory_order_relaxed);
  release_fence();
  atomic_store_explicit(&deque.bottom, b + 1, memory_order_relaxed);
}

static struct task *take(void) {
  size_t b = atomic_load_explicit(&deque.bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&deque.bottom, b, memory_order_relaxed);
  full_fence();
  size_t t = atomic_load_explicit(&deque.top, memory_order_relaxed);
  struct task *task = NULL;
  if ((ptrdiff_t)(b - t) >= 0) {
    task = atomic_load_explicit(&deque.buffer[b % SIZE], memory_order_relaxed);
    if (t == b) {
      if (!atomic_compare_exchange_strong_explicit(&deque.top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed)) {
        task = NULL;
      }
      atomic_store_explicit(&deque.bottom, b + 1, memory_order_relaxed);
    }
  } else {
    atomic_store_explicit(&deque.bottom, b + 1, memory_order_relaxed);
  }
  return task;
}

static struct task *steal(void) {
  size_t t = atomic_load_explicit(&deque.top, ACQUIRE);
  full_fence();
  size_t b = atomic_load_explicit(&deque.bottom, ACQUIRE);
  struct task *task = NULL;
  if ((ptrdiff_t)(b - t) > 0) {
    task = atomic_load_explicit(&deque.buffer[t % SIZE], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&deque.top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed)) {
      return NULL;
    }
  }
  return task;
}

struct task tasks[TASKS];

static void run(struct task *task) {
  assert(task->number == task - tasks + 1);
  int before = task->runs++;
  assert(before == 0);
}

void *thief(void *arg) {
  for (int i = 0; i < TASKS; i++) {
    struct task *task = steal();
    if (task) {
      run(task);
    }
  }
  return 0;
}

#ifndef THIEVES
#define THIEVES 1
#endif

int main(void) {
  pthread_t t[THIEVES];
  for (int i = 0; i < THIEVES; i++) {
    pthread_create(&t[i], 0, thief, 0);
  }
  for (int i = 0; i < TASKS; i++) {
    tasks[i].number = i + 1;
    push(&tasks[i]);
  }
  for (int i = 0; i < TASKS; i++) {
    struct task *task = take();
    if (task) {
      run(task);
    }
  }
  for (int i = 0; i < THIEVES; i++) {
    pthread_join(t[i], 0);
  }
  for (int i = 0; i < TASKS; i++) {
    assert(tasks[i].runs == 1);
  }
  return 0;
}
