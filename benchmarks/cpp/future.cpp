// std::promise and std::future: a thread sets the value that main waits for. -DBROKEN: the thread writes to what it has
// announced after it has set the value.
//
// run: --check assert,memory,race
// expect: sc,rc11=SAFE
//
// run: -DBROKEN --check race
// expect: sc,rc11=UNSAFE

#include <cassert>
#include <future>
#include <thread>
#include <utility>

int main() {
  int detail = 0;
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread t([&detail, promise = std::move(promise)]() mutable {
    detail = 1;
    promise.set_value(42);
#ifdef BROKEN
    detail = 2;
#endif
  });
  assert(future.get() == 42);
  assert(detail == 1);
  t.join();
}
