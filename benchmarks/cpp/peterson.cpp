// Peterson's lock for two threads, a class. -DBROKEN has acquire loads and release stores: each thread may read the
// other's flag before its own is visible, in C++ and on x86. On ARM a load of that kind (ldar) waits for such stores
// (stlr).
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,aarch64=SAFE tso,rc11=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>

#ifdef BROKEN
constexpr auto writing = std::memory_order_release;
constexpr auto reading = std::memory_order_acquire;
#else
constexpr auto writing = std::memory_order_seq_cst;
constexpr auto reading = std::memory_order_seq_cst;
#endif

class Peterson {
  std::atomic<bool> wants[2];
  std::atomic<int> last;

public:
  void lock(int me) {
    wants[me].store(true, writing);
    last.store(me, writing);
    while (wants[1 - me].load(reading) && last.load(reading) == me)
      std::this_thread::yield();
  }
  void unlock(int me) { wants[me].store(false, writing); }
};

Peterson lock;
int counter;

int main() {
  auto work = [](int me) {
    lock.lock(me);
    counter++;
    lock.unlock(me);
  };
  std::thread t(work, 0), u(work, 1);
  t.join();
  u.join();
  assert(counter == 2);
}
