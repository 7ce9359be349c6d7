// rigtorp/MPMCQueue
#include "harness.h"
#include <rigtorp/MPMCQueue.h>

int main() {
  rigtorp::MPMCQueue<int> queue(2);
  many_to_many([&](int value) { return queue.try_push(value); }, [&](int &value) { return queue.try_pop(value); });
}
