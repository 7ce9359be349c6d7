// A hazard pointer: a reader announces the node that it looks at and looks again whether the node is still the current
// one; the writer frees a node only when it is not announced. -DBROKEN announces by a release store, which may become
// visible after the second look.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc=SAFE tso,rc11=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

#ifdef BROKEN
constexpr auto announcing = std::memory_order_release;
#else
constexpr auto announcing = std::memory_order_seq_cst;
#endif

struct Node {
  int value;
};

std::atomic<Node *> current, hazard{nullptr};

void look() {
  Node *node = current.load();
  hazard.store(node, announcing);
  if (current.load() == node)
    assert(node->value == 1 || node->value == 2);
  hazard.store(nullptr, std::memory_order_release);
}

void replace() {
  Node *old = current.exchange(new Node{2});
  if (hazard.load() != old)
    delete old;
}

int main() {
  current.store(new Node{1});
  std::thread reader(look), writer(replace);
  reader.join();
  writer.join();
}
