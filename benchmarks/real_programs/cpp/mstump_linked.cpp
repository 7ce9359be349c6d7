// mstump/queues, the linked queue for one producer and one consumer.
#include "harness.h"
#include <cstddef>
#include <cstdint>
#include <spsc-queue.hpp>

int main() {
  spsc_queue_t<int> queue;
  auto put = [&](int value) {
    queue.enqueue(value);
    return true;
  };
  one_to_one(2, put, [&](int &value) { return queue.dequeue(value); });
}
