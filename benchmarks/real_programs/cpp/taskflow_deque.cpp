// taskflow/work-stealing-queue: each value is taken once, by its owner or by a thief.
#include "harness.h"
#include <cstdint>
#include <wsq.hpp>

int main() {
  WorkStealingQueue<int> deque(2);
  int counts[3] = {};
  int stolen = 0;
  deque.push(1);
  std::thread thief([&] { stolen = deque.steal().value_or(0); });
  deque.push(2);
  counts[deque.pop().value_or(0)]++;
  counts[deque.pop().value_or(0)]++;
  thief.join();
  counts[stolen]++;
  assert(counts[1] == 1 && counts[2] == 1 && counts[0] == 1);
}
