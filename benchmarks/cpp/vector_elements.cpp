// Threads that each write an element of a std::vector of their own. -DBROKEN: one of them shortens the vector, while
// the other one looks for its last element. -DSAME: both write the same element.
//
// run: --check assert,memory,race
// expect: sc,tso,rc11=SAFE
//
// run: -DBROKEN --check memory,race
// expect: sc,rc11=UNSAFE
//
// run: -DSAME --check race
// expect: sc,tso,rc11=UNSAFE

#include <cassert>
#include <thread>
#include <vector>

int main() {
  std::vector<int> values(2);
  std::thread t([&values] {
#if defined BROKEN
    values.pop_back();
#elif defined SAME
    values[1] = 1;
#else
    values[0] = 1;
#endif
  });
#ifdef BROKEN
  values.back() = 2;
#else
  values[1] = 2;
#endif
  t.join();
#if !defined BROKEN && !defined SAME
  assert(values[0] + values[1] == 3);
#endif
}
