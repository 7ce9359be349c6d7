// std::atomic::wait and notify: main waits until a thread has written. -DRELAXED: what was
// written before the store is not visible.
//
// run: --check assert,memory,race --unwind 1
// expect: rc11=HOLDS
//
// run: --check assert,memory --unwind 1
// expect: sc,tso,aarch64=HOLDS
//
// run: -DRELAXED --unwind 1
// expect: rc11,aarch64=UNSAFE

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
    ready.store(1, publish);
    ready.notify_one();
  });
  ready.wait(0, std::memory_order_acquire);
  assert(data == 42);
  writer.join();
}
