// std::shared_ptr: its counts are atomic, what it points to is not. -DBROKEN: both threads write the object through
// copies of the pointer. -DSAME: both threads assign to one pointer, which is no atomic object.
//
// run: --check assert,memory,race,leak
// expect: rc11=SAFE
//
// run: --check assert,memory,leak
// expect: sc,tso,aarch64=SAFE
//
// run: --check race -DBROKEN
// expect: sc,rc11=UNSAFE
//
// run: --check race -DSAME
// expect: sc,rc11=UNSAFE

#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Log {
  std::atomic<int> lines{0};
  int last = 0;
};

std::shared_ptr<Log> current;

int main() {
  current = std::make_shared<Log>();
  std::thread t([log = current]() mutable {
    log->lines.fetch_add(1, std::memory_order_relaxed);
#ifdef BROKEN
    log->last = 1;
#endif
#ifdef SAME
    current.reset();
#endif
    log.reset();
  });
  {
    std::shared_ptr<Log> mine = current;
    mine->lines.fetch_add(1, std::memory_order_relaxed);
    mine->last = 2;
  }
  t.join();
#ifndef SAME
  assert(current->lines == 2 && current.use_count() == 1);
#endif
  current = nullptr;
}
