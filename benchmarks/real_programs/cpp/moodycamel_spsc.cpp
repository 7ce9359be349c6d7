// cameron314/readerwriterqueue: a queue of blocks, of two elements here.
#include "harness.h"
#include <readerwriterqueue.h>

int main() {
  moodycamel::ReaderWriterQueue<int, 2> queue(1);
#ifdef GROWS
  one_to_one(2, [&](int value) { return queue.enqueue(value); }, [&](int &value) { return queue.try_dequeue(value); });
#else
  one_to_one(2, [&](int value) { return queue.try_enqueue(value); }, [&](int &value) { return queue.try_dequeue(value); });
#endif
}
