// A sequence lock whose data are written as two integers and read as one word.
//
// run: --unwind 3
// expect: sc,tso,pso,rmo,alpha,power=HOLDS power2010=UNSAFE
// run: --unwind 3 -DRELAXED
// expect: sc,tso=HOLDS pso,rmo,alpha,power,power2010=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef RELAXED
#define FENCE(order)
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define FENCE(order) atomic_thread_fence(order)
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#endif

atomic_uint sequence;
union {
  struct {
    uint32_t a, b;
  } pair;
  uint64_t word;
} data;

void *writer(void *arg) {
  atomic_store_explicit(&sequence, 1, memory_order_relaxed);
  FENCE(memory_order_release);
  data.pair.a = 7;
  data.pair.b = 7;
  atomic_store_explicit(&sequence, 2, RELEASE);
  return 0;
}

int main(void) {
  pthread_t w;
  pthread_create(&w, 0, writer, 0);
  unsigned start, end;
  uint64_t word;
  do {
    start = atomic_load_explicit(&sequence, ACQUIRE);
    word = data.word;
    FENCE(memory_order_acquire);
    end = atomic_load_explicit(&sequence, memory_order_relaxed);
  } while (start != end || start % 2);
  assert(word >> 32 == (word & 0xffffffff));
  pthread_join(w, 0);
  return 0;
}
