// pramalhe/ConcurrencyFreaks, a lock for readers and writers by fetch-and-add.
#include "harness.h"
#include <FAARWLock.h>
#include <FAARWLock.cpp>

FAARWLock lock;
int values[2];

int main() {
  std::thread reader([] {
    lock.sharedLock();
    assert(values[0] == values[1]);
    lock.sharedUnlock();
  });
  for (int i = 1; i <= 2; i++) {
    lock.exclusiveLock();
    values[0] = i;
    values[1] = i;
    lock.exclusiveUnlock();
  }
  reader.join();
}
