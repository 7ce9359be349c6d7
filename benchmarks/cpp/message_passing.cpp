// A message is written, then a flag; who sees the flag reads the message. -DBROKEN writes the flag relaxed, -DFENCE
// writes it relaxed behind a release fence, -DCONSUMED reads it relaxed.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DFENCE
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE
//
// run: -DCONSUMED
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

struct Message {
  int from, text;
};

Message message;
std::atomic<bool> sent{false};

#if defined BROKEN || defined FENCE
constexpr auto sending = std::memory_order_relaxed;
#else
constexpr auto sending = std::memory_order_release;
#endif
#ifdef CONSUMED
constexpr auto receiving = std::memory_order_relaxed;
#else
constexpr auto receiving = std::memory_order_acquire;
#endif

int main() {
  std::thread sender([] {
    message = {1, 42};
#ifdef FENCE
    std::atomic_thread_fence(std::memory_order_release);
#endif
    sent.store(true, sending);
  });
  std::thread receiver([] {
    if (sent.load(receiving))
      assert(message.from == 1 && message.text == 42);
  });
  sender.join();
  receiver.join();
}
