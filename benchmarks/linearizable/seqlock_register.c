// Two words under a sequence lock (Boehm, Can Seqlocks Get Along with Programming Language Memory Models?, MSPC
// 2012). A read returns 100 and the digits of the words. -DNO_CHECK does not look whether a writer was there.
// -DNO_FENCE may look before it has read the words. -DNO_RELEASE may write the words before the number is odd.
//
// run: --linearizable --parallel write(1,2),read;write(3,4),read
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel write(1,2),read;write(3,4),read;read,read
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel write(1,2);read -DNO_CHECK
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --parallel write(1,2);read -DNO_FENCE
// expect: sc=SAFE rc11=UNSAFE
//
// run: --linearizable --parallel write(1,2);read -DNO_RELEASE
// expect: sc=SAFE rc11=UNSAFE

#include <stdatomic.h>

atomic_uint sequence;
atomic_int first, second;

void write(int a, int b) {
  unsigned s;
  do
    s = atomic_load_explicit(&sequence, memory_order_relaxed);
  while (s & 1
         || !atomic_compare_exchange_strong_explicit(&sequence, &s, s + 1, memory_order_acquire,
                                                     memory_order_relaxed));
#ifndef NO_RELEASE
  atomic_thread_fence(memory_order_release);
#endif
  atomic_store_explicit(&first, a, memory_order_relaxed);
  atomic_store_explicit(&second, b, memory_order_relaxed);
  atomic_store_explicit(&sequence, s + 2, memory_order_release);
}

int read(void) {
  unsigned s;
  int a, b;
  do {
    s = atomic_load_explicit(&sequence, memory_order_acquire);
    a = atomic_load_explicit(&first, memory_order_relaxed);
    b = atomic_load_explicit(&second, memory_order_relaxed);
#ifndef NO_FENCE
    atomic_thread_fence(memory_order_acquire);
#endif
#ifdef NO_CHECK
  } while (s & 1);
#else
  } while (s & 1 || atomic_load_explicit(&sequence, memory_order_relaxed) != s);
#endif
  return 100 + 10 * a + b;
}
