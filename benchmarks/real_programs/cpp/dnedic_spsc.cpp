// DNedic/lockfree, the queue for one producer and one consumer.
#include "harness.h"
#include <lockfree.hpp>

int main() {
  lockfree::spsc::Queue<int, 3> queue;
  one_to_one(3, [&](int value) { return queue.Push(value); }, [&](int &value) { return queue.Pop(value); });
}
