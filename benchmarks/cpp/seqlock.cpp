// A sequence lock around two relaxed atomics, a class. A reader tries once and says whether what it has
// read is of one moment. -DBROKEN has no fence before the second look at the sequence: the data may be read after it.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

class SeqLock {
  std::atomic<unsigned> sequence{0};
  std::atomic<int> first{0}, second{0};

public:
  void write(int a, int b) {
    const unsigned s = sequence.load(std::memory_order_relaxed);
    sequence.store(s + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    first.store(a, std::memory_order_relaxed);
    second.store(b, std::memory_order_relaxed);
    sequence.store(s + 2, std::memory_order_release);
  }
  bool read(int &a, int &b) const {
    const unsigned before = sequence.load(std::memory_order_acquire);
    if (before % 2)
      return false;
    a = first.load(std::memory_order_relaxed);
    b = second.load(std::memory_order_relaxed);
#ifndef BROKEN
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    return sequence.load(std::memory_order_relaxed) == before;
  }
};

SeqLock pair;

int main() {
  std::thread writer([] { pair.write(1, 1); });
  int a, b;
  if (pair.read(a, b))
    assert(a == b);
  writer.join();
}
