// cameron314/concurrentqueue
#include "harness.h"
#include <concurrentqueue.h>

struct Traits : moodycamel::ConcurrentQueueDefaultTraits {
  static const size_t BLOCK_SIZE = 2;
  static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 2;
  static const size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
};

int main() {
  moodycamel::ConcurrentQueue<int, Traits> queue(2);
  one_to_one(1, [&](int value) { return queue.enqueue(value); }, [&](int &value) { return queue.try_dequeue(value); });
}
