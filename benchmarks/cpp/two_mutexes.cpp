// Transfers between two accounts, each with a mutex. std::scoped_lock takes both without a deadlock. -DBROKEN takes
// one after the other, in the order of the arguments: two transfers in opposite directions wait for each other.
// -DORDERED takes them one after the other in one order for all. std::scoped_lock tries and gives up as often as it
// has to, which is followed up to a bound.
//
// run: --check assert,memory,deadlock,misuse -DORDERED
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --check deadlock -DBROKEN
// expect: sc,tso,rc11,aarch64=UNSAFE
//
// run: --check assert,memory,race --unwind 3
// expect: sc,rc11=BOUND

#include <cassert>
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 10;
};

Account accounts[2];

void transfer(int from, int to, int amount) {
  Account &source = accounts[from], &target = accounts[to];
#if defined BROKEN
  std::lock_guard first(source.mutex);
  std::lock_guard second(target.mutex);
#elif defined ORDERED
  std::lock_guard first(accounts[0].mutex);
  std::lock_guard second(accounts[1].mutex);
#else
  std::scoped_lock both(source.mutex, target.mutex);
#endif
  source.balance -= amount;
  target.balance += amount;
}

int main() {
  std::thread t(transfer, 0, 1, 3);
  std::thread u(transfer, 1, 0, 5);
  t.join();
  u.join();
  assert(accounts[0].balance == 12 && accounts[1].balance == 8);
}
