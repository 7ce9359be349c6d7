// A bounded queue with a mutex and two condition variables, as a class template. -DBROKEN looks once whether there is
// room or an element, and not again after it was woken: a wake-up needs no reason. -DLOST: `put` does not wake who
// waits for an element, and main waits forever.
//
// run: --unwind 1
// expect: sc,tso,rc11,aarch64=BOUND
//
// run: -DBROKEN
// expect: sc,rc11=UNSAFE
//
// run: -DLOST --check deadlock
// expect: sc,rc11=UNSAFE

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

template <typename T> class Channel {
  std::mutex mutex;
  std::condition_variable not_empty, not_full;
  T slot{};
  bool full = false;

public:
  void put(T value) {
    std::unique_lock lock(mutex);
#ifdef BROKEN
    if (full)
      not_full.wait(lock);
    assert(!full);
#else
    not_full.wait(lock, [this] { return !full; });
#endif
    slot = value;
    full = true;
#ifndef LOST
    not_empty.notify_one();
#endif
  }
  T take() {
    std::unique_lock lock(mutex);
#ifdef BROKEN
    if (!full)
      not_empty.wait(lock);
    assert(full);
#else
    not_empty.wait(lock, [this] { return full; });
#endif
    T value = slot;
    full = false;
    not_full.notify_one();
    return value;
  }
};

Channel<int> channel;

int main() {
  std::thread producer([] {
    channel.put(1);
    channel.put(2);
  });
  assert(channel.take() == 1);
  assert(channel.take() == 2);
  producer.join();
}
