// A pool of two threads that take tasks (std::function) from a list until it is empty. -DBROKEN takes without the mutex,
// and -DEARLY reads the results before the threads have ended.
//
// run: --unwind 3
// expect: sc,tso,rc11=HOLDS
//
// run: --unwind 3 -DBROKEN
// expect: sc,rc11=UNSAFE
//
// run: --unwind 3 -DEARLY
// expect: rc11=UNSAFE

#include <cassert>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

class Pool {
  struct Task {
    std::function<void()> run;
    std::unique_ptr<Task> next;
  };
  std::mutex mutex;
  std::unique_ptr<Task> first;
  std::thread threads[2];

  std::unique_ptr<Task> take() {
#ifndef BROKEN
    std::lock_guard lock(mutex);
#endif
    std::unique_ptr<Task> task = std::move(first);
    if (task)
      first = std::move(task->next);
    return task;
  }

public:
  void submit(std::function<void()> run) {
    auto task = std::make_unique<Task>();
    task->run = std::move(run);
    task->next = std::move(first);
    first = std::move(task);
  }
  void start() {
    for (std::thread &thread : threads) {
      thread = std::thread([this] {
        while (auto task = take())
          task->run();
      });
    }
  }
  void finish() {
    for (std::thread &thread : threads)
      thread.join();
  }
};

int results[2];

int main() {
  Pool pool;
  pool.submit([] { results[0] = 1; });
  pool.submit([] { results[1] = 2; });
  pool.start();
#ifndef EARLY
  pool.finish();
#endif
  assert(results[0] == 1 && results[1] == 2);
#ifdef EARLY
  pool.finish();
#endif
}
