// max0x7ba/atomic_queue: -DSECOND for elements that need not be atomic.
#include "harness.h"
#include <atomic_queue/atomic_queue.h>

int main() {
#ifdef SECOND
  atomic_queue::AtomicQueue2<int, 2> queue;
#else
  atomic_queue::AtomicQueue<int, 2> queue;
#endif
#ifdef ONE
  one_to_one(2, [&](int value) { return queue.try_push(value); }, [&](int &value) { return queue.try_pop(value); });
#else
  many_to_many([&](int value) { return queue.try_push(value); }, [&](int &value) { return queue.try_pop(value); });
#endif
}
