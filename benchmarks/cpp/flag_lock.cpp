// A test-and-set lock made of std::atomic_flag, taken by std::lock_guard. -DBROKEN unlocks by a relaxed store, which
// does not publish what the critical section has written: a data race in C++, and a lost increment on ARM. On x86
// each store is a release store.
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

#ifdef BROKEN
constexpr auto unlocking = std::memory_order_relaxed;
#else
constexpr auto unlocking = std::memory_order_release;
#endif

class FlagLock {
  std::atomic_flag taken;

public:
  void lock() {
    while (taken.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { taken.clear(unlocking); }
};

FlagLock lock;
int counter;

void work() {
  std::lock_guard guard(lock);
  counter++;
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(counter == 2);
}
