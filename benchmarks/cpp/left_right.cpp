// Left-Right (Ramalhete and Correia): a reader reads one of two instances, and a writer writes the other one, lets
// readers go there, and waits until the readers of the first one have left. -DBROKEN does not wait. -DRELAXED announces
// a reader by relaxed accesses.
//
// run: --unwind 2
// expect: sc,tso,rc11,aarch64=HOLDS
//
// run: --unwind 2 -DBROKEN
// expect: sc,rc11=UNSAFE
//
// run: --unwind 2 -DRELAXED
// expect: sc=HOLDS rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

#ifdef RELAXED
constexpr auto announce = std::memory_order_relaxed;
#else
constexpr auto announce = std::memory_order_seq_cst;
#endif

struct Pair {
  int first = 0, second = 0;
};

class LeftRight {
  Pair instances[2];
  std::atomic<int> readers{0};
  std::atomic<int> shown{0};

public:
  template <class F> auto read(F f) {
    readers.fetch_add(1, announce);
    auto result = f(instances[shown.load(announce)]);
    readers.fetch_sub(1, std::memory_order_release);
    return result;
  }
  template <class F> void write(F f) {
    int now = shown.load(std::memory_order_relaxed);
    f(instances[1 - now]);
    shown.store(1 - now);
#ifndef BROKEN
    while (readers.load() != 0)
      ;
#endif
    f(instances[now]);
  }
};

int main() {
  LeftRight pairs;
  std::thread writer([&] { pairs.write([](Pair &pair) { pair.first++, pair.second++; }); });
  bool same = pairs.read([](Pair &pair) { return pair.first == pair.second; });
  assert(same);
  writer.join();
}
