/* PostgreSQL's latches (src/backend/port/unix_latch.c, 9.1): a flag in shared memory that a process
   sleeps on. `-DFENCE=lwsync` or `-DFENCE=sync` puts a barrier where the two comments of 9.1 said
   that there ought to be one: at the head of SetLatch and at the end of ResetLatch. */
#ifndef PGSQL_LATCH_H
#define PGSQL_LATCH_H
#include <assert.h>
#include <signal.h>
#include <stdbool.h>

#define TEXT(instruction) #instruction
#define ASM(instruction) __asm__ volatile(TEXT(instruction) ::: "memory")
#ifdef FENCE
#define pg_memory_barrier() ASM(FENCE)
#else
#define pg_memory_barrier() ((void)0)
#endif

typedef struct Latch {
  volatile sig_atomic_t is_set;
  bool is_shared;
  volatile int owner_pid; /* 0: nobody may wait */
} Latch;

static void InitSharedLatch(Latch *latch) {
  latch->is_set = false;
  latch->is_shared = true;
  latch->owner_pid = 0;
}

static void OwnLatch(Latch *latch, int pid) {
  assert(latch->is_shared && latch->owner_pid == 0);
  latch->owner_pid = pid;
}

/* Only the owner resets a latch, and looks for work afterwards. */
static void ResetLatch(Latch *latch, int pid) {
  assert(latch->owner_pid == pid);
  latch->is_set = false;
  pg_memory_barrier();
}
#endif
