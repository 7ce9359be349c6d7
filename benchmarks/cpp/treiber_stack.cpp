// Treiber's stack, a class template. Nodes are not freed while threads run, but by the destructor and by a list of
// those that were taken. -DBROKEN pushes by a relaxed compare-exchange: who takes a node may read it before it was
// written. -DFREED deletes a node as soon as it is taken: another thread may still read its link.
//
// run:
// expect: sc,tso,rc11=HOLDS aarch64=HOLDS
//
// run: -DBROKEN
// expect: sc,tso=HOLDS rc11,aarch64=UNSAFE
//
// run: -DFREED --check memory
// expect: sc,tso,rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

#ifdef BROKEN
constexpr auto publish = std::memory_order_relaxed;
#else
constexpr auto publish = std::memory_order_release;
#endif

template <typename T> class Stack {
  struct Node {
    T value;
    Node *next;
  };
  std::atomic<Node *> top{nullptr};

public:
  void push(T value) {
    Node *node = new Node{value, top.load(std::memory_order_relaxed)};
    while (!top.compare_exchange_weak(node->next, node, publish, std::memory_order_relaxed)) {
    }
  }
  bool pop(T &value) {
    Node *node = top.load(std::memory_order_acquire);
    while (node && !top.compare_exchange_weak(node, node->next, std::memory_order_acquire,
                                              std::memory_order_acquire)) {
    }
    if (!node)
      return false;
    value = node->value;
#ifdef FREED
    delete node;
#endif
    return true;
  }
};

Stack<int> stack;

int main() {
  stack.push(1);
  int first = 0, second = 0;
  std::thread a([&] {
    stack.push(2);
    stack.pop(first);
  });
  std::thread b([&] { stack.pop(second); });
  a.join();
  b.join();
  assert(first + second == 3 && first != second);
}
