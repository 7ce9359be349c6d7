// Accesses that are aligned are read whole, and written whole, whatever pieces others look at.
//
// run: --check assert
// expect: sc,tso,pso,rmo,alpha,power,aarch64,riscv,rc11=SAFE
//
// run: -DTWO --check assert
// expect: sc,tso,rmo,power,aarch64,riscv,rc11=SAFE
//
// run: -DHALVES --check assert
// expect: sc,tso,rc11,power=UNSAFE
//
// Who has seen one half and then, in order, looks at the other one, does not find an older access there.
// run: -DAPART --check assert
// expect: sc,tso,pso,rmo,alpha,power,aarch64,riscv=SAFE
//
// run: -DAPART -DHALVES --check assert
// expect: tso=SAFE power,aarch64=UNSAFE
//
// run: -DKERNEL --check assert
// expect: lkmm=SAFE
//
// run: -DKERNEL -DTWO --check assert
// expect: lkmm=SAFE
//
// run: -DKERNEL -DHALVES --check assert
// expect: lkmm=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#if defined(KERNEL)
#include <kernel.h>
#define load(place) READ_ONCE(place)
#define store(place, value) WRITE_ONCE(place, value)
#else
#define load(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define store(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELAXED)
#endif

union words { uint64_t whole; uint32_t half[2]; };
static union words place __attribute__((aligned(8)));

static void write(uint32_t number) {
#if defined(HALVES)
  store(place.half[0], number);
  store(place.half[1], number);
#else
  store(place.whole, (uint64_t)number << 32 | number);
#endif
}
static void *one(void *arg) { write(1); return arg; }
static void *two(void *arg) { write(2); return arg; }
static void *looks(void *arg) { (void)load(place.half[1]); return arg; }

int main(void) {
  pthread_t s, t, u;
  pthread_create(&s, 0, one, 0);
  pthread_create(&u, 0, looks, 0);
#if defined(TWO)
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
#endif
#if defined(APART)
  uint32_t high = __atomic_load_n(&place.half[1], __ATOMIC_ACQUIRE), low = load(place.half[0]);
  assert(high != 1 || low == 1);
#else
  uint64_t seen = load(place.whole);
  assert((uint32_t)seen == (uint32_t)(seen >> 32));
#endif
  return 0;
}
