// Numbers of threads and formats of numbers, by their macros.
//
// run:
// expect: all=SAFE
//
// run: -DFIRST
// expect: all=UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  long id = syscall(SYS_gettid);
  printf("%" PRIx16 " %" PRIu64 "\n", (uint16_t)id, (uint64_t)id);
  assert(id > 0);
#ifdef FIRST
  assert(id == 1);
#endif
}
