// A barrier that can be used again: the last thread that arrives turns the sense, which the others wait for. -DBROKEN
// turns it before the count is set back, and threads may then wait forever. -DRELAXED turns it by a relaxed store.
//
// run: --unwind 3
// expect: sc,tso,rc11,aarch64=HOLDS
//
// run: --unwind 3 -DBROKEN --check termination
// expect: sc,rc11=UNSAFE
//
// run: --unwind 3 -DRELAXED
// expect: sc,tso=HOLDS rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

#ifdef RELAXED
constexpr auto turn = std::memory_order_relaxed;
#else
constexpr auto turn = std::memory_order_release;
#endif

constexpr int threads = 2;

class Barrier {
  std::atomic<int> missing{threads};
  std::atomic<bool> sense{false};

public:
  void arrive_and_wait() {
    bool old = sense.load(std::memory_order_relaxed);
    if (missing.fetch_sub(1, std::memory_order_acq_rel) == 1) {
#ifdef BROKEN
      sense.store(!old, turn);
      missing.store(threads, std::memory_order_relaxed);
#else
      missing.store(threads, std::memory_order_relaxed);
      sense.store(!old, turn);
#endif
    } else {
      while (sense.load(std::memory_order_acquire) == old)
        ;
    }
  }
};

Barrier barrier;
int cells[threads];
int sums[threads];

void work(int own) {
  cells[own] = own + 1;
  barrier.arrive_and_wait();
  sums[own] = cells[0] + cells[1];
  barrier.arrive_and_wait();
  cells[own] = 0;
}

int main() {
  std::thread other(work, 1);
  work(0);
  other.join();
  assert(sums[0] == 3 && sums[1] == 3);
}
