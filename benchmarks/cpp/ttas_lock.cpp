// A lock that looks before it tries (test and test-and-set), as a template over the order of its acquisition, with
// try_lock for std::unique_lock. -DBROKEN: the exchange that takes the lock is relaxed, and the acquire load before it
// reads only what some holder has written, which the exchange need not read from.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

template <std::memory_order Acquire> class TtasLock {
  std::atomic<bool> taken{false};

public:
  bool try_lock() { return !taken.load(std::memory_order_acquire) && !taken.exchange(true, Acquire); }
  void lock() {
    for (;;) {
      while (taken.load(std::memory_order_acquire)) {
      }
      if (!taken.exchange(true, Acquire))
        return;
    }
  }
  void unlock() { taken.store(false, std::memory_order_release); }
};

#ifdef BROKEN
using Lock = TtasLock<std::memory_order_relaxed>;
#else
using Lock = TtasLock<std::memory_order_acquire>;
#endif

Lock lock;
int counter, skipped;

int main() {
  std::thread a([] {
    std::lock_guard guard(lock);
    counter++;
  });
  std::thread b([] {
    std::unique_lock guard(lock, std::try_to_lock);
    if (guard.owns_lock())
      counter++;
    else
      skipped = 1;
  });
  a.join();
  b.join();
  assert(counter + skipped == 2);
}
