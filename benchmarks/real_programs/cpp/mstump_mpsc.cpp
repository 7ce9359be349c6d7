// mstump/queues, the linked queue for many producers and one consumer.
#include "harness.h"
#include <cstddef>
#include <cstdint>
#include <mpsc-queue.hpp>

int main() {
  mpsc_queue_t<int> queue;
  int counts[3] = {};
  std::thread first([&] { queue.enqueue(1); }), second([&] { queue.enqueue(2); });
  int value = 0;
  queue.dequeue(value);
  counts[value]++;
  first.join();
  second.join();
  for (value = 0; queue.dequeue(value);)
    counts[value]++;
  assert(counts[1] == 1 && counts[2] == 1);
}
