// Vyukov's bounded queue for many producers and consumers: each cell has a sequence number that says whose turn it is.
// One producer per value here, and main takes. -DBROKEN publishes the cell's number relaxed.
//
// run: --unwind 3
// expect: sc,tso,rc11=SAFE aarch64=SAFE
//
// run: --unwind 3 -DBROKEN
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <cstddef>
#include <thread>

#ifdef BROKEN
constexpr auto publish = std::memory_order_relaxed;
#else
constexpr auto publish = std::memory_order_release;
#endif

template <typename T, std::size_t N> class Queue {
  struct Cell {
    std::atomic<std::size_t> sequence;
    T data;
  };
  Cell cells[N];
  std::atomic<std::size_t> put{0}, taken{0};

public:
  Queue() {
    for (std::size_t i = 0; i < N; i++)
      cells[i].sequence.store(i, std::memory_order_relaxed);
  }
  bool push(T data) {
    for (;;) {
      std::size_t at = put.load(std::memory_order_relaxed);
      Cell &cell = cells[at % N];
      const std::size_t turn = cell.sequence.load(std::memory_order_acquire);
      if (turn < at)
        return false;
      if (turn == at && put.compare_exchange_strong(at, at + 1, std::memory_order_relaxed)) {
        cell.data = data;
        cell.sequence.store(at + 1, publish);
        return true;
      }
    }
  }
  bool pop(T &data) {
    for (;;) {
      std::size_t at = taken.load(std::memory_order_relaxed);
      Cell &cell = cells[at % N];
      const std::size_t turn = cell.sequence.load(std::memory_order_acquire);
      if (turn < at + 1)
        return false;
      if (turn == at + 1 && taken.compare_exchange_strong(at, at + 1, std::memory_order_relaxed)) {
        data = cell.data;
        cell.sequence.store(at + N, std::memory_order_release);
        return true;
      }
    }
  }
};

Queue<int, 2> queue;

int main() {
  std::thread a([] { assert(queue.push(1)); }), b([] { assert(queue.push(2)); });
  int got = 0;
  if (queue.pop(got))
    assert(got == 1 || got == 2);
  a.join();
  b.join();
}
