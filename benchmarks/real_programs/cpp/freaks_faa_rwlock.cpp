// pramalhe/ConcurrencyFreaks, a lock for readers and writers by fetch-and-add.
#include "harness.h"
#include <FAARWLock.h>

FAARWLock lock;
int data[2];

int main() {
  std::thread reader([] {
    lock.sharedLock();
    assert(data[0] == data[1]);
    lock.sharedUnlock();
  });
  for (int i = 1; i <= 2; i++) {
    lock.exclusiveLock();
    data[0] = i;
    data[1] = i;
    lock.exclusiveUnlock();
  }
  reader.join();
}
