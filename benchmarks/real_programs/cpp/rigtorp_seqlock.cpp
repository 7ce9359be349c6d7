// rigtorp/Seqlock: what is read was written at once.
#include "harness.h"
#include <rigtorp/Seqlock.h>

struct Pair {
  int first, second;
};

int main() {
  rigtorp::Seqlock<Pair> lock;
  lock.store({0, 0});
  std::thread writer([&] {
    lock.store({1, 1});
    lock.store({2, 2});
  });
  Pair pair = lock.load();
  assert(pair.first == pair.second);
  writer.join();
}
