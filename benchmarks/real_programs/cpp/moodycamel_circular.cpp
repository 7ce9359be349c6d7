// cameron314/readerwriterqueue, the blocking circular buffer.
#include "harness.h"
#include <readerwritercircularbuffer.h>

int main() {
  moodycamel::BlockingReaderWriterCircularBuffer<int> buffer(1);
  one_to_one(2, [&](int value) { return buffer.try_enqueue(value); }, [&](int &value) { return buffer.try_dequeue(value); });
}
