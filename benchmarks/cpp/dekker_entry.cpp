// The entry of Dekker's lock by try_lock: who sees that the other one wants to enter gives up. -DBROKEN reads by an
// acquire load and writes by an exchange with acq_rel: enough on x86, where an exchange is a full fence, and on ARM,
// where an acquire load waits for release stores, but not in C++.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,tso,aarch64=SAFE rc11=UNSAFE

#include <atomic>
#include <cassert>
#include <functional>
#include <mutex>
#include <thread>

class Side {
  std::atomic<int> &mine, &other;

public:
  Side(std::atomic<int> &a, std::atomic<int> &b) : mine(a), other(b) {}
  bool try_lock() {
#ifdef BROKEN
    mine.exchange(1, std::memory_order_acq_rel);
    const bool alone = other.load(std::memory_order_acquire) == 0;
#else
    mine.store(1);
    const bool alone = other.load() == 0;
#endif
    if (!alone)
      mine.store(0, std::memory_order_release);
    return alone;
  }
  void lock() {
    while (!try_lock())
      std::this_thread::yield();
  }
  void unlock() { mine.store(0, std::memory_order_release); }
};

std::atomic<int> left{0}, right{0};
std::atomic<int> inside{0};

void enter(std::atomic<int> &mine, std::atomic<int> &other) {
  Side side(mine, other);
  std::unique_lock lock(side, std::try_to_lock);
  if (lock) {
    assert(inside.fetch_add(1, std::memory_order_relaxed) == 0);
    inside.fetch_sub(1, std::memory_order_relaxed);
  }
}

int main() {
  std::thread t(enter, std::ref(left), std::ref(right));
  enter(right, left);
  t.join();
}
