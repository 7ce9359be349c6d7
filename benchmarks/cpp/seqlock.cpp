// A sequence lock around two relaxed atomics, as a class template. A reader tries once and says whether what it has
// read is of one moment. -DBROKEN has no fence before the second look at the sequence: the data may be read after it.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <optional>
#include <thread>
#include <utility>

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
  std::optional<std::pair<int, int>> read() const {
    const unsigned before = sequence.load(std::memory_order_acquire);
    if (before % 2)
      return std::nullopt;
    const int a = first.load(std::memory_order_relaxed);
    const int b = second.load(std::memory_order_relaxed);
#ifndef BROKEN
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    if (sequence.load(std::memory_order_relaxed) != before)
      return std::nullopt;
    return std::pair(a, b);
  }
};

SeqLock pair;

int main() {
  std::thread writer([] { pair.write(1, 1); });
  if (const auto got = pair.read())
    assert(got->first == got->second);
  writer.join();
}
