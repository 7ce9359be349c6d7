// An account whose methods call each other under one recursive mutex. -DBROKEN has a plain mutex, which its owner may
// not lock again. -DNO_LOCK reads the balance without it.
//
// run:
// expect: sc,tso,rc11,aarch64=HOLDS
//
// run: -DBROKEN --check assert,misuse,deadlock
// expect: sc,rc11=UNSAFE
//
// run: -DNO_LOCK
// expect: sc,tso,rc11,aarch64=UNSAFE

#include <cassert>
#include <mutex>
#include <thread>

class Account {
#ifdef BROKEN
  std::mutex mutex;
#else
  std::recursive_mutex mutex;
#endif
  int balance = 2;

  int read() {
#ifndef NO_LOCK
    std::lock_guard lock(mutex);
#endif
    return balance;
  }

public:
  bool withdraw(int amount) {
#ifndef NO_LOCK
    std::lock_guard lock(mutex);
#endif
    int now = read();
    if (now < amount)
      return false;
    balance = now - amount;
    return true;
  }
  ~Account() { assert(balance == 0); }
};

int main() {
  bool done[2];
  {
    Account account;
    std::thread other([&] { done[1] = account.withdraw(2); });
    done[0] = account.withdraw(2);
    other.join();
  }
  assert(done[0] != done[1]);
}
