// khizmax/libcds, the bounded queue of Vyukov.
#include "harness.h"
#include <cds/container/vyukov_mpmc_cycle_queue.h>

struct Traits : cds::container::vyukov_queue::traits {
  typedef cds::opt::v::uninitialized_static_buffer<int, 2> buffer;
};

int main() {
  cds::container::VyukovMPMCCycleQueue<int, Traits> queue(2);
  many_to_many([&](int value) { return queue.enqueue(value); }, [&](int &value) { return queue.dequeue(value); });
}
