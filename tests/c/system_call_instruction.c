// The instruction `syscall` of x86-64: a futex by hand, as libraries of C have it. The result is below 0 where
// it fails, errno stays as it is, and variables may be declared to be in the registers of arguments.
//
// run: --unwind 3
// expect: all=SAFE
//
// run: -DNEVER_WAITS
// expect: all=UNSAFE
//
// run: -DOTHER
// expect: all=UNKNOWN

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static long call(long number, long a, long b, long c, long d) {
  unsigned long result;
  register long r10 __asm__("r10") = d;
  __asm__ __volatile__("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                       : "rcx", "r11", "memory");
  return result;
}

atomic_int word;
int data;

void *waker(void *unused) {
  data = 1;
  atomic_store(&word, 1);
  call(202, (long)&word, 1, 1, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  errno = 7;
#ifdef OTHER
  assert(call(39, 0, 0, 0, 0) > 0);
#endif
  assert(call(202, (long)&word, 0, 5, 0) == -EAGAIN && errno == 7);
  long limit[2] = {0, -1};
  assert(call(202, (long)&word, 0, 0, (long)limit) == -EINVAL);
  pthread_create(&thread, 0, waker, 0);
#ifdef NEVER_WAITS
  call(202, (long)&word, 0, 0, 0);
#else
  while (atomic_load(&word) == 0) {
    long result = call(202, (long)&word, 0, 0, 0);
    assert(result == 0 || result == -EAGAIN || result == -EINTR);
  }
#endif
  assert(data == 1);
  pthread_join(thread, 0);
  return 0;
}
