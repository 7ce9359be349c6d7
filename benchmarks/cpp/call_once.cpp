// std::call_once: one call makes the value, the others wait until it is there. -DBROKEN asks a plain flag before: a
// data race with the initialisation.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN --check race
// expect: sc,tso,rc11=UNSAFE

#include <cassert>
#include <mutex>
#include <thread>

std::once_flag once;
int value, times;
bool made;

int get() {
#ifdef BROKEN
  if (made)
    return value;
#endif
  std::call_once(once, [] {
    value = 42;
    times++;
    made = true;
  });
  return value;
}

int main() {
  std::thread a([] { assert(get() == 42); });
  std::thread b([] { assert(get() == 42); });
  a.join();
  b.join();
  assert(times == 1);
}
