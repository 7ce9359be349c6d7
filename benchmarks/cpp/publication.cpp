// A table that is replaced as a whole: a writer copies it, changes the copy and publishes it; readers see the old or
// the new one. Old tables are freed when the readers have ended. -DBROKEN publishes relaxed, -DEARLY frees the old
// table at once.
//
// run: --check assert,memory,race,leak
// expect: sc,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE
//
// run: -DEARLY
// expect: sc,tso,rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <cassert>
#include <memory>
#include <thread>

#ifdef BROKEN
constexpr auto publishing = std::memory_order_relaxed;
#else
constexpr auto publishing = std::memory_order_release;
#endif

struct Table {
  int size, sum;
  Table(int n, int s) : size(n), sum(s) {}
};

std::atomic<Table *> current;

int main() {
  current.store(new Table(1, 10), std::memory_order_relaxed);
  std::thread reader([] {
    const Table *table = current.load(std::memory_order_acquire);
    const int size = table->size;
    assert(table->sum == 10 * size);
  });
  std::unique_ptr<Table> old(current.load(std::memory_order_relaxed));
  auto copy = std::make_unique<Table>(old->size + 1, old->sum + 10);
  current.store(copy.release(), publishing);
#ifdef EARLY
  old.reset();
#endif
  reader.join();
  delete current.load(std::memory_order_relaxed);
}
