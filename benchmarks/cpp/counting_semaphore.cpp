// A ring with two counting semaphores: slots that are free, and elements. -DBROKEN takes without waiting for an element
// (a call of try_acquire whose result is not looked at).
//
// run: --unwind 1
// expect: sc,rc11=HOLDS
//
// run: -DBROKEN --unwind 1
// expect: sc,rc11=UNSAFE

#include <cassert>
#include <semaphore>
#include <thread>

constexpr int size = 1;
std::counting_semaphore<size> room(size), elements(0);
int ring[size];

int main() {
  std::thread producer([] {
    for (int i = 0; i < 2; i++) {
      room.acquire();
      ring[i % size] = i + 1;
      elements.release();
    }
  });
  for (int i = 0; i < 2; i++) {
#ifdef BROKEN
    (void)elements.try_acquire();
#else
    elements.acquire();
#endif
    assert(ring[i % size] == i + 1);
    room.release();
  }
  producer.join();
}
