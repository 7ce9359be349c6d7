/* Accesses with a fence behind: behind none, every store (`-DFENCE_STORES`) or every access
   (`-DFENCE_ALL`). */
#ifndef FENCED_H
#define FENCED_H
#include <stdatomic.h>

#if defined(FENCE_ALL)
#define AFTER_STORE atomic_thread_fence(memory_order_seq_cst)
#define AFTER_LOAD atomic_thread_fence(memory_order_seq_cst)
#elif defined(FENCE_STORES)
#define AFTER_STORE __asm__ volatile("mfence" ::: "memory")
#define AFTER_LOAD
#else
#define AFTER_STORE
#define AFTER_LOAD
#endif

static int get(int *p) {
  int v = *p;
  AFTER_LOAD;
  return v;
}

static void put(int *p, int v) {
  *p = v;
  AFTER_STORE;
}
#endif
