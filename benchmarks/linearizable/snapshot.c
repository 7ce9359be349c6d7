// A snapshot of two registers (Afek, Attiya, Dolev, Gafni, Merritt, Shavit, JACM 1993, without the helping): a
// register is written by one thread, with a version; a scan reads both until it has read the same twice, and
// returns 1 and the digits of their values. -DSINGLE_COLLECT reads them once. -DNO_VERSION does not see that a
// value has changed and come back. -DRELEASED uses release and acquire: each of two scans may then miss the update
// of the other thread.
//
// run: --linearizable --parallel update(0,1);update(1,1);scan;scan
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel update(0,1),update(0,2);update(1,1),scan;scan,scan
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel update(0,1),update(1,1);scan -DSINGLE_COLLECT
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --parallel update(0,1),update(1,1),update(1,0),update(0,0),update(0,1),update(1,1);scan -DNO_VERSION
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --parallel update(0,1),scan;update(1,1),scan -DRELEASED
// expect: sc=SAFE tso,rc11=UNSAFE

#include <stdatomic.h>

#define REGISTERS 2
#define VALUES 10

#ifdef RELEASED
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#else
#define ACQUIRE memory_order_seq_cst
#define RELEASE memory_order_seq_cst
#endif

#ifdef NO_VERSION
#define VERSION 0
#else
#define VERSION VALUES
#endif

// VALUES * version + value.
atomic_int registers[REGISTERS];

void update(int i, int value) {
  int old = atomic_load_explicit(&registers[i], memory_order_relaxed);
  atomic_store_explicit(&registers[i], old / VALUES * VALUES + VERSION + value, RELEASE);
}

int scan(void) {
  int first, second;
#ifdef SINGLE_COLLECT
  first = atomic_load_explicit(&registers[0], ACQUIRE);
  second = atomic_load_explicit(&registers[1], ACQUIRE);
#else
  do {
    first = atomic_load_explicit(&registers[0], ACQUIRE);
    second = atomic_load_explicit(&registers[1], ACQUIRE);
  } while (atomic_load_explicit(&registers[0], ACQUIRE) != first
           || atomic_load_explicit(&registers[1], ACQUIRE) != second);
#endif
  return 100 + 10 * (first % VALUES) + second % VALUES;
}
