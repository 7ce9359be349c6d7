// std::atomic_ref: plain variables that are accessed atomically while threads run. -DBROKEN: one thread adds to the
// variable as it is.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,tso,rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

struct Statistics {
  long hits = 0;
  int misses = 0;
};

int main() {
  Statistics s;
  std::thread t([&s] {
    std::atomic_ref(s.hits).fetch_add(2, std::memory_order_relaxed);
    std::atomic_ref(s.misses).store(1, std::memory_order_relaxed);
  });
#ifdef BROKEN
  s.hits += 3;
#else
  std::atomic_ref<long> hits(s.hits);
  hits += 3;
#endif
  t.join();
  assert(s.hits == 5 && s.misses == 1);
}
