// A ticket lock: threads draw numbers and wait until theirs is served. -DBROKEN waits by relaxed loads, so that the
// critical section may read what was there before its predecessor's.
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
#include <vector>

#ifdef BROKEN
constexpr auto waiting = std::memory_order_relaxed;
#else
constexpr auto waiting = std::memory_order_acquire;
#endif

class TicketLock {
  std::atomic<unsigned> next{0};
  std::atomic<unsigned> serving{0};

public:
  void lock() {
    const unsigned mine = next.fetch_add(1, std::memory_order_relaxed);
    while (serving.load(waiting) != mine) {
    }
  }
  void unlock() {
    const unsigned mine = serving.load(std::memory_order_relaxed);
    serving.store(mine + 1, std::memory_order_release);
  }
};

TicketLock lock;
int counter;

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; i++) {
    threads.emplace_back([] {
      std::lock_guard<TicketLock> guard(lock);
      counter = counter + 1;
    });
  }
  for (auto &t : threads)
    t.join();
  assert(counter == 2);
}
