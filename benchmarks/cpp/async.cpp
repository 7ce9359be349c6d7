// std::async with a thread of its own (std::launch::async), and the result through the future. -DBROKEN changes what
// the task reads before the task has ended.
//
// run: --check assert,memory,race
// expect: sc,rc11=SAFE
//
// run: -DBROKEN --check race
// expect: sc,rc11=UNSAFE

#include <cassert>
#include <future>

int main() {
  int input = 20;
  auto task = std::async(std::launch::async, [&input] { return input + 1; });
#ifdef BROKEN
  input = 0;
#endif
  const int result = task.get();
  input = 0;
  assert(result == 21);
}
