// mstump/queues, the bounded queue for one producer and one consumer.
#include "harness.h"
#include <cstddef>
#include <cstdint>
#include <spsc-bounded-queue.hpp>

int main() {
  spsc_bounded_queue_t<int> queue(2);
  one_to_one(3, [&](int value) { return queue.enqueue(value); }, [&](int &value) { return queue.dequeue(value); });
}
