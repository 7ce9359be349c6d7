// DNedic/lockfree, the queue for many producers and consumers.
#include "harness.h"
#include <lockfree.hpp>

int main() {
  lockfree::mpmc::Queue<int, 4> queue;
  many_to_many([&](int value) { return queue.Push(value); }, [&](int &value) { return queue.Pop(value); });
}
