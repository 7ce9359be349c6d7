// The kernel's atomic operations: those that return a value order fully, the others not at all.
//
// run: -DXCHG
// expect: all=SAFE
//
// run: -DCMPXCHG
// expect: all=SAFE
//
// run: -DRETURN
// expect: all=SAFE
//
// run: -DVOID
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DVOID -DAFTER
// expect: all=SAFE

#include <kernel.h>
#include <pthread.h>

int x, y, r1, r2;
atomic_t a, b;

static void store_and_order(int *p, atomic_t *v) {
#if defined XCHG
  xchg(p, 1);
#elif defined CMPXCHG
  BUG_ON(cmpxchg(p, 0, 1) != 0);
#elif defined RETURN
  WRITE_ONCE(*p, 1);
  atomic_inc_return(v);
#else
  WRITE_ONCE(*p, 1);
  atomic_inc(v);
#ifdef AFTER
  smp_mb__after_atomic();
#endif
#endif
}

void *other(void *arg) {
  store_and_order(&y, &b);
  r2 = READ_ONCE(x);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  store_and_order(&x, &a);
  r1 = READ_ONCE(y);
  pthread_join(t, 0);
  BUG_ON(r1 == 0 && r2 == 0);
  return 0;
}
