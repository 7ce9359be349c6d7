// A register with copies for its readers, made of registers for one reader each (Lamport, On Interprocess
// Communication, Distributed Computing 1986; Herlihy and Shavit, The Art of Multiprocessor Programming, 2008,
// chapter 4): a reader tells the others what it returns. -DNO_HELP does not: then a reader may return the old
// value although another one has already returned the new one, which is sequentially consistent, but not
// linearizable.
//
// run: --linearizable --parallel write(1),write(2);read(0);read(1)
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel write(1),write(2);read(0),read(0);read(1),read(1)
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel write(1);read(0);read(1) -DNO_HELP
// expect: sc,rc11=UNSAFE
//
// run: --check sequential --parallel write(1),write(2);read(0),read(0);read(1),read(1) -DNO_HELP
// expect: sc,rc11=SAFE
//
// run: --check quiescent --parallel write(1);read(0);read(1) -DNO_HELP
// expect: sc,rc11=SAFE

#include <stdatomic.h>

#define READERS 2
#define VALUES 10

// By the thread that reads and the one that writes, of which the last one is the writer: VALUES * time + value.
atomic_int copies[READERS][READERS + 1];
int now;

void write(int value) {
  now++;
  for (int i = 0; i < READERS; i++)
    atomic_store_explicit(&copies[i][READERS], VALUES * now + value, memory_order_release);
}

int read(int reader) {
  int last = 0;
  for (int i = 0; i <= READERS; i++) {
    int copy = atomic_load_explicit(&copies[reader][i], memory_order_acquire);
    if (copy > last)
      last = copy;
  }
#ifndef NO_HELP
  for (int i = 0; i < READERS; i++)
    atomic_store_explicit(&copies[i][reader], last, memory_order_release);
#endif
  return last % VALUES;
}
