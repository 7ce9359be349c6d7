// A thread that works until it is told to stop (std::jthread and std::stop_token), and then publishes its result.
// -DBROKEN looks at the result without joining the thread.
//
// run: --unwind 2
// expect: sc,rc11=HOLDS
//
// run: --unwind 2 -DBROKEN
// expect: sc,rc11=UNSAFE

#include <cassert>
#include <stop_token>
#include <thread>

int result;

int main() {
  std::jthread worker([](std::stop_token stop) {
    int steps = 0;
    while (!stop.stop_requested())
      steps++;
    result = 1 + steps;
  });
  worker.request_stop();
#ifndef BROKEN
  worker.join();
#endif
  assert(result >= 1);
}
