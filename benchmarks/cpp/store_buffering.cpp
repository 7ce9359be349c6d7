// Store buffering: each thread writes its variable and reads the other's; with seq_cst one of them sees the other.
// -DBROKEN has release stores and acquire loads: too little in C++ and on x86, while ARM's instructions for them (stlr,
// ldar) stay in order. -DRELAXED has relaxed accesses, -DFENCES relaxed ones with a fence between them.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,aarch64=SAFE tso,rc11=UNSAFE
//
// run: -DRELAXED
// expect: sc=SAFE tso,rc11,aarch64=UNSAFE
//
// run: -DFENCES
// expect: sc,tso,rc11,aarch64=SAFE

#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x{0}, y{0};

int meet(std::atomic<int> &mine, std::atomic<int> &other) {
#if defined BROKEN
  mine.store(1, std::memory_order_release);
  return other.load(std::memory_order_acquire);
#elif defined RELAXED
  mine.store(1, std::memory_order_relaxed);
  return other.load(std::memory_order_relaxed);
#elif defined FENCES
  mine.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return other.load(std::memory_order_relaxed);
#else
  mine = 1;
  return other;
#endif
}

int main() {
  int a = 0, b = 0;
  std::thread t([&] { a = meet(x, y); });
  std::thread u([&] { b = meet(y, x); });
  t.join();
  u.join();
  assert(a || b);
}
