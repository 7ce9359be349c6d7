// Memory of mmap is zero, is as large as its pages, and is gone behind munmap. A part of it cannot be unmapped, and no
// file mapped.
//
// run: --check assert,memory,race
// expect: all=SAFE
//
// run: -DAFTERWARDS --check memory
// expect: all=UNSAFE
//
// run: -DTOO_FAR --check memory
// expect: all=UNSAFE
//
// run: -DPART
// expect: all=UNKNOWN
//
// run: -DOF_FILE
// expect: all=UNKNOWN

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

struct ring { int head, tail, items[6]; };
struct ring *ring;

void *worker(void *unused) {
  ring->items[0] = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef OF_FILE
  flags = MAP_SHARED;
#endif
  ring = mmap(0, sizeof *ring, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (ring == MAP_FAILED) return 1;
  assert(ring->head == 0 && ring->items[5] == 0);
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, 0);
  assert(ring->items[0] == 1);
#ifdef TOO_FAR
  ((char *)ring)[4096] = 1;
#endif
#ifdef PART
  struct ring *two = mmap(0, 8192, PROT_READ | PROT_WRITE, flags, -1, 0);
  munmap((char *)two + 4096, 4096);
#endif
  munmap(ring, sizeof *ring);
#ifdef AFTERWARDS
  ring->tail = 1;
#endif
  return 0;
}
