// std::barrier with a completion function, which runs once per phase, when all have come. -DBROKEN: a thread drops out
// of the phase before it has written.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,rc11=UNSAFE

#include <barrier>
#include <cassert>
#include <thread>

int parts[2], sum;

struct AddUp {
  void operator()() noexcept { sum = parts[0] + parts[1]; }
};

std::barrier<AddUp> barrier(2, AddUp{});

void work(int i) {
#ifdef BROKEN
  barrier.arrive_and_drop();
  parts[i] = i + 1;
#else
  parts[i] = i + 1;
  barrier.arrive_and_wait();
  assert(sum == 3);
#endif
}

int main() {
  std::thread t(work, 1);
  parts[0] = 1;
  barrier.arrive_and_wait();
  assert(sum == 3);
  t.join();
}
