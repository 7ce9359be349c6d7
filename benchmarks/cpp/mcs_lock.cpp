// The lock of Mellor-Crummey and Scott: each waiting thread spins on its own node. -DBROKEN links the node to its
// predecessor by a relaxed store, and so what the node says may be seen late. -DNO_RELEASE hands the lock over relaxed.
//
// run: --unwind 2
// expect: sc,tso,rc11,aarch64=HOLDS
//
// run: --unwind 2 -DNO_RELEASE
// expect: sc,tso=HOLDS rc11,aarch64=UNSAFE
//
// run: --unwind 2 -DBROKEN
// expect: sc,tso=HOLDS rc11=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

#ifdef BROKEN
constexpr auto link_order = std::memory_order_relaxed;
#else
constexpr auto link_order = std::memory_order_release;
#endif
#ifdef NO_RELEASE
constexpr auto hand_over = std::memory_order_relaxed;
#else
constexpr auto hand_over = std::memory_order_release;
#endif

class McsLock {
  struct Node {
    std::atomic<Node *> next{nullptr};
    std::atomic<bool> waits{true};
  };
  std::atomic<Node *> last{nullptr};

public:
  class Guard {
    McsLock &lock;
    Node own;

  public:
    explicit Guard(McsLock &lock) : lock(lock) {
      Node *before = lock.last.exchange(&own, std::memory_order_acq_rel);
      if (!before)
        return;
      before->next.store(&own, link_order);
      while (own.waits.load(std::memory_order_acquire))
        ;
    }
    ~Guard() {
      Node *expected = &own;
      if (lock.last.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel))
        return;
      Node *next;
      while (!(next = own.next.load(std::memory_order_acquire)))
        ;
      next->waits.store(false, hand_over);
    }
  };
};

McsLock lock;
int counter;

void add() {
  McsLock::Guard guard(lock);
  counter++;
}

int main() {
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(counter == 2);
}
