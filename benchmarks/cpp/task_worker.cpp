// A worker thread that takes tasks (std::function) from a queue with a mutex and a condition variable. -DBROKEN
// stops by a flag that is set without the mutex and without a wake-up: the worker may sleep forever.
//
// run: --unwind 2
// expect: sc,rc11=BOUND
//
// run: -DBROKEN --check deadlock --unwind 2
// expect: sc,rc11=UNSAFE

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

class Worker {
  std::mutex mutex;
  std::condition_variable wake;
  std::function<void()> tasks[1];
  int put = 0, taken = 0;
  std::atomic<bool> stopping{false};
  std::thread worker;

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
  Worker() {
    worker = std::thread([this] { work(); });
  }
  void run(std::function<void()> task) {
    {
      std::lock_guard lock(mutex);
      tasks[put++] = std::move(task);
    }
    wake.notify_one();
  }
  ~Worker() {
#ifdef BROKEN
    stopping = true;
#else
    {
      std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_all();
#endif
    worker.join();
  }
};

int main() {
  int a = 0;
  {
    Worker worker;
    worker.run([&a] { a = 1; });
  }
  assert(a == 1);
}
