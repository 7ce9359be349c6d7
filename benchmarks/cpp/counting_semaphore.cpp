// A ring with two counting semaphores: slots that are free, and elements. -DBROKEN takes without waiting for an element
// (a call of try_acquire whose result is not looked at).
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,rc11=UNSAFE

#include <cassert>
#include <semaphore>
#include <thread>

constexpr int size = 2;
std::counting_semaphore<size> room(size), elements(0);
int ring[size];

int main() {
  std::thread producer([] {
    for (int i = 0; i < 3; i++) {
      room.acquire();
      ring[i % size] = i + 1;
      elements.release();
    }
  });
  for (int i = 0; i < 3; i++) {
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
