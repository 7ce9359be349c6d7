// std::atomic::wait and notify: main waits until a thread has written. -DBROKEN notifies before the store, so that main
// may look before the store and wait after the notification. -DRELAXED: what was written before the store is not
// visible.
//
// run: --check assert,memory,race
// expect: rc11=SAFE
//
// run: --check assert,memory
// expect: sc,tso,aarch64=SAFE
//
// run: -DBROKEN --check deadlock
// expect: sc,rc11=UNSAFE
//
// run: -DRELAXED
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

#ifdef RELAXED
constexpr auto publish = std::memory_order_relaxed;
#else
constexpr auto publish = std::memory_order_release;
#endif

std::atomic<int> ready{0};
int data;

int main() {
  std::thread writer([] {
    data = 42;
#ifdef BROKEN
    ready.notify_one();
    ready.store(1, publish);
#else
    ready.store(1, publish);
    ready.notify_one();
#endif
  });
  ready.wait(0, std::memory_order_acquire);
  assert(data == 42);
  writer.join();
}
