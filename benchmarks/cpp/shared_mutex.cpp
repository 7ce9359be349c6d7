// std::shared_mutex: readers together, writers alone. -DBROKEN writes under the shared lock.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,tso,rc11,aarch64=UNSAFE

#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

class Account {
  mutable std::shared_mutex mutex;
  int left = 10, right = 0;

public:
  void move() {
#ifdef BROKEN
    std::shared_lock lock(mutex);
#else
    std::unique_lock lock(mutex);
#endif
    left--;
    right++;
  }
  int total() const {
    std::shared_lock lock(mutex);
    return left + right;
  }
};

Account account;

int main() {
  std::thread writer([] { account.move(); });
  std::thread other([] { account.move(); });
  assert(account.total() == 10);
  writer.join();
  other.join();
  assert(account.total() == 10);
}
