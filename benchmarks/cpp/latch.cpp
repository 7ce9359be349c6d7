// std::latch: main waits until two threads have counted down. -DBROKEN: a thread writes after it has counted down.
//
// run:
// expect: sc,tso,rc11,aarch64=HOLDS
//
// run: -DBROKEN
// expect: sc,tso,rc11,aarch64=UNSAFE

#include <cassert>
#include <latch>
#include <thread>

std::latch done(2);
int results[2];

void work(int i) {
#ifdef BROKEN
  done.count_down();
  results[i] = i + 1;
#else
  results[i] = i + 1;
  done.count_down();
#endif
}

int main() {
  std::thread a(work, 0), b(work, 1);
  done.wait();
  assert(results[0] == 1 && results[1] == 2);
  a.join();
  b.join();
}
