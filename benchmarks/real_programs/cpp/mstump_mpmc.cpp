// mstump/queues, the bounded queue for many producers and consumers.
#include "harness.h"
#include <cstddef>
#include <cstdint>
#include <mpmc-bounded-queue.hpp>

int main() {
  mpmc_bounded_queue_t<int> queue(2);
  many_to_many([&](int value) { return queue.enqueue(value); }, [&](int &value) { return queue.dequeue(value); });
}
