// drogalis/SPSC-Queue
#include "harness.h"
#include <dro/spsc-queue.hpp>

int main() {
  dro::SPSCQueue<int, 2> queue;
  one_to_one(2, [&](int value) { return queue.try_push(value); }, [&](int &value) { return queue.try_pop(value); });
}
