// An eventcount: who finds a queue empty prepares to wait, looks again, and then sleeps until the count has changed.
// -DBROKEN does not look again: an event in between is missed, and the thread sleeps forever.
//
// run: --check assert,race,deadlock --unwind 2
// expect: sc,tso,rc11=HOLDS
//
// run: --check assert,race,deadlock --unwind 2 -DBROKEN
// expect: sc,tso,rc11=UNSAFE

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class EventCount {
  std::atomic<unsigned> count{0};
  std::atomic<int> waiters{0};
  std::mutex mutex;
  std::condition_variable changed;

public:
  unsigned prepare() {
    waiters.fetch_add(1);
    return count.load();
  }
  void cancel() { waiters.fetch_sub(1); }
  void wait(unsigned seen) {
    {
      std::unique_lock lock(mutex);
      while (count.load() == seen)
        changed.wait(lock);
    }
    waiters.fetch_sub(1);
  }
  void notify() {
    if (waiters.load() == 0)
      return;
    {
      std::lock_guard lock(mutex);
      count.fetch_add(1);
    }
    changed.notify_all();
  }
};

EventCount events;
std::atomic<int> item{0};

int take() {
  if (int found = item.load())
    return found;
  unsigned seen = events.prepare();
#ifndef BROKEN
  if (int found = item.load()) {
    events.cancel();
    return found;
  }
#endif
  events.wait(seen);
  return item.load();
}

int main() {
  std::thread producer([] {
    item.store(1);
    events.notify();
  });
  assert(take() == 1);
  producer.join();
}
