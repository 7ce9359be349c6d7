// The deque of Chase and Lev, in the form for weak memory by Le, Pop, Cohen and Zappa Nardelli, with room for two: the
// owner takes the last element while a thief steals the first. -DBROKEN has no fence between the owner's write of the
// bottom and its read of the top: both may get the same element.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc=SAFE tso,rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

class Deque {
  std::atomic<int> top{0}, bottom{0};
  std::atomic<int> items[2];

public:
  void push(int item) {
    const int b = bottom.load(std::memory_order_relaxed);
    items[b % 2].store(item, std::memory_order_relaxed);
    bottom.store(b + 1, std::memory_order_release);
  }
  int take() {
    const int b = bottom.load(std::memory_order_relaxed) - 1;
    bottom.store(b, std::memory_order_relaxed);
#ifndef BROKEN
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    int t = top.load(std::memory_order_relaxed);
    if (t > b) {
      bottom.store(b + 1, std::memory_order_relaxed);
      return 0;
    }
    int item = items[b % 2].load(std::memory_order_relaxed);
    if (t == b) {
      if (!top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
        item = 0;
      bottom.store(b + 1, std::memory_order_relaxed);
    }
    return item;
  }
  int steal() {
    int t = top.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const int b = bottom.load(std::memory_order_acquire);
    if (t >= b)
      return 0;
    const int item = items[t % 2].load(std::memory_order_relaxed);
    if (!top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
      return 0;
    return item;
  }
};

Deque deque;

int main() {
  deque.push(1);
  deque.push(2);
  int stolen = 0, again = 0;
  std::thread thief([&] {
    stolen = deque.steal();
    again = deque.steal();
  });
  const int taken = deque.take();
  thief.join();
  assert(taken == 0 || (taken != stolen && taken != again));
}
