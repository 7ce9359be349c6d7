// khizmax/libcds, the ring for one producer and one consumer.
#include "harness.h"
#include <cds/container/weak_ringbuffer.h>

struct Traits : cds::container::weak_ringbuffer::traits {
  typedef cds::opt::v::uninitialized_static_buffer<int, 2> buffer;
};

int main() {
  cds::container::WeakRingBuffer<int, Traits> ring(2);
  one_to_one(3, [&](int value) { return ring.enqueue(value); }, [&](int &value) { return ring.dequeue(value); });
}
