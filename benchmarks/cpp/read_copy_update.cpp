// Read-copy-update with a counter of readers for each of two phases: a writer publishes a new version, waits until readers
// of the old phase have left, and frees the old one. -DBROKEN frees it at once. -DRELAXED publishes by a relaxed store.
//
// run: --unwind 2
// expect: sc,tso,rc11=HOLDS
//
// run: --unwind 2 -DBROKEN
// expect: sc,tso,rc11=UNSAFE
//
// run: --unwind 2 -DRELAXED
// expect: rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

#ifdef RELAXED
constexpr auto publish = std::memory_order_relaxed;
#else
constexpr auto publish = std::memory_order_seq_cst;
#endif

struct Version {
  int value;
};

class Rcu {
  std::atomic<int> readers[2] = {0, 0};
  std::atomic<int> phase{0};

public:
  int enter() {
    for (;;) {
      int own = phase.load();
      readers[own].fetch_add(1);
      if (phase.load() == own)
        return own;
      readers[own].fetch_sub(1);
    }
  }
  void leave(int own) { readers[own].fetch_sub(1, std::memory_order_release); }
  void synchronize() {
    int old = phase.load(std::memory_order_relaxed);
    phase.store(1 - old);
    while (readers[old].load() != 0)
      ;
  }
};

Rcu rcu;
std::atomic<Version *> current{new Version{1}};

int main() {
  std::thread writer([] {
    Version *old = current.load(std::memory_order_relaxed);
    current.store(new Version{2}, publish);
#ifndef BROKEN
    rcu.synchronize();
#endif
    delete old;
  });
  int phase = rcu.enter();
  int value = current.load(std::memory_order_acquire)->value;
  rcu.leave(phase);
  assert(value == 1 || value == 2);
  writer.join();
  delete current.load(std::memory_order_relaxed);
}
