// khizmax/libcds, the spin lock.
#include "harness.h"
#include <cds/sync/spinlock.h>

int main() {
  cds::sync::spin mutex;
  excludes(mutex);
}
