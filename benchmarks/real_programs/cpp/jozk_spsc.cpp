// joz-k/LockFreeSpscQueue: scopes in which elements are written and read.
#include "harness.h"
#include <array>
#include <LockFreeSpscQueue.h>

int main() {
  std::array<int, 2> storage{};
  LockFreeSpscQueue<int> queue(storage);
  one_to_one(
      2, [&](int value) { return queue.try_write(1, [&](auto first, auto) { first[0] = value; }) == 1; },
      [&](int &value) { return queue.try_read(1, [&](auto first, auto) { value = first[0]; }) == 1; });
}
