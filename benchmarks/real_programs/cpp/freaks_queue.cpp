// pramalhe/ConcurrencyFreaks: QUEUE is a queue of pointers, HEADER its file.
#include "harness.h"
#include <cstddef>
#include <iostream>
#include <stdexcept>
#include <vector>
#include HEADER

int main() {
  QUEUE<int> queue(2);
  int values[3] = {0, 1, 2};
  bool seen[3] = {};
  std::thread other([&] { queue.enqueue(&values[1], 1); });
  queue.enqueue(&values[2], 0);
  int *first = queue.dequeue(0);
  assert(first);
  other.join();
  int *second = queue.dequeue(0);
  assert(second && first != second && *first + *second == 3);
  assert(!queue.dequeue(0));
}
