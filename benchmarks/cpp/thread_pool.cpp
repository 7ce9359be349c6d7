// A pool of two threads that take tasks (std::function) from a queue with a mutex and a condition variable. -DBROKEN
// stops by a flag that is set without the mutex and without a wake-up: a worker may sleep forever.
//
// run: --unwind 2
// expect: sc,rc11=BOUND
//
// run: -DBROKEN --check deadlock
// expect: sc,rc11=UNSAFE

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

class Pool {
  std::mutex mutex;
  std::condition_variable wake;
  std::function<void()> tasks[2];
  int put = 0, taken = 0;
  std::atomic<bool> stopping{false};
  std::thread workers[2];

  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [this] { return taken < put || stopping; });
        if (taken == put)
          return;
        task = std::move(tasks[taken++]);
      }
      task();
    }
  }

public:
  Pool() {
    for (auto &w : workers)
      w = std::thread([this] { work(); });
  }
  void run(std::function<void()> task) {
    {
      std::lock_guard lock(mutex);
      tasks[put++] = std::move(task);
    }
    wake.notify_one();
  }
  ~Pool() {
#ifdef BROKEN
    stopping = true;
#else
    {
      std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_all();
#endif
    for (auto &w : workers)
      w.join();
  }
};

int main() {
  int a = 0, b = 0;
  {
    Pool pool;
    pool.run([&a] { a = 1; });
    pool.run([&b] { b = 2; });
  }
  assert(a + b == 3);
}
