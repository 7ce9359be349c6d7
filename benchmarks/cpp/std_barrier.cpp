// std::barrier with a function that runs when all have arrived. -DBROKEN has a barrier for one thread, at which no thread
// waits for the other.
//
// run: --unwind 2
// expect: sc,rc11=HOLDS
//
// run: --unwind 2 -DBROKEN
// expect: sc,rc11=UNSAFE

#include <barrier>
#include <cassert>
#include <thread>

#ifdef BROKEN
constexpr int expected = 1;
#else
constexpr int expected = 2;
#endif

int cells[2];
int sum;

int main() {
  std::barrier barrier(expected, []() noexcept { sum = cells[0] + cells[1]; });
  std::thread other([&] {
    cells[1] = 2;
    barrier.arrive_and_wait();
  });
  cells[0] = 1;
  barrier.arrive_and_wait();
  assert(sum == 3);
  other.join();
}
