// A ring for one producer and one consumer, as a class template. -DBROKEN publishes the tail by a relaxed store: the
// consumer may see the tail before the slot. -DNO_ACQUIRE: the producer reads the head relaxed, so that a slot may be
// written while it is read.
//
// run: --unwind 4
// expect: sc,tso,rc11=HOLDS aarch64=HOLDS
//
// run: --unwind 4 -DBROKEN
// expect: sc,tso=HOLDS rc11,aarch64=UNSAFE
//
// run: --unwind 4 -DNO_ACQUIRE
// expect: sc,tso=HOLDS rc11=UNSAFE

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <optional>
#include <thread>

#ifdef BROKEN
constexpr auto publish = std::memory_order_relaxed;
#else
constexpr auto publish = std::memory_order_release;
#endif
#ifdef NO_ACQUIRE
constexpr auto reuse = std::memory_order_relaxed;
#else
constexpr auto reuse = std::memory_order_acquire;
#endif

template <typename T, std::size_t N> class Ring {
  std::array<T, N> slots{};
  std::atomic<std::size_t> head{0}, tail{0};

public:
  bool push(const T &value) {
    const auto t = tail.load(std::memory_order_relaxed);
    if (t - head.load(reuse) == N)
      return false;
    slots[t % N] = value;
    tail.store(t + 1, publish);
    return true;
  }
  std::optional<T> pop() {
    const auto h = head.load(std::memory_order_relaxed);
    if (h == tail.load(std::memory_order_acquire))
      return std::nullopt;
    T value = slots[h % N];
    head.store(h + 1, std::memory_order_release);
    return value;
  }
};

Ring<int, 2> ring;

int main() {
  std::thread producer([] {
    for (int i = 1; i <= 3; i++)
      while (!ring.push(i)) {
      }
  });
  for (int i = 1; i <= 3; i++) {
    std::optional<int> got;
    while (!(got = ring.pop())) {
    }
    assert(*got == i);
  }
  producer.join();
}
