// The queue of Michael and Scott as a class template; nodes are kept. One thread puts, two take,
// and no value is taken twice. -DBROKEN links a node by a relaxed compare-exchange, before what is in it.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>
#include <utility>

#ifdef BROKEN
constexpr auto link_order = std::memory_order_relaxed;
#else
constexpr auto link_order = std::memory_order_release;
#endif

template <typename T> class Queue {
  struct Node {
    T value{};
    std::atomic<Node *> next{nullptr};
  };
  std::atomic<Node *> head, tail;

public:
  Queue() {
    Node *first = new Node;
    head.store(first, std::memory_order_relaxed);
    tail.store(first, std::memory_order_relaxed);
  }
  void put(T value) {
    Node *node = new Node{std::move(value)};
    for (;;) {
      Node *last = tail.load(std::memory_order_acquire);
      Node *next = last->next.load(std::memory_order_acquire);
      if (next) {
        tail.compare_exchange_strong(last, next, std::memory_order_acq_rel, std::memory_order_relaxed);
        continue;
      }
      if (last->next.compare_exchange_strong(next, node, link_order, std::memory_order_relaxed)) {
        tail.compare_exchange_strong(last, node, std::memory_order_acq_rel, std::memory_order_relaxed);
        return;
      }
    }
  }
  bool take(T &value) {
    for (;;) {
      Node *first = head.load(std::memory_order_acquire);
      Node *next = first->next.load(std::memory_order_acquire);
      if (!next)
        return false;
      T found = next->value;
      if (head.compare_exchange_strong(first, next, std::memory_order_acq_rel, std::memory_order_relaxed)) {
        value = found;
        return true;
      }
    }
  }
};

Queue<int> queue;

int main() {
  std::thread producer([] {
    queue.put(1);
    queue.put(2);
  });
  int a = 0, b = 0;
  std::thread consumer([&] { queue.take(a); });
  queue.take(b);
  producer.join();
  consumer.join();
  assert(a == 0 || a != b);
}
