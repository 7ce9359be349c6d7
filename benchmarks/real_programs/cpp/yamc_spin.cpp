// yohhoy/yamc: MUTEX is the type of the lock.
#include "harness.h"
#include <fair_mutex.hpp>
#include <naive_spin_mutex.hpp>
#include <ttas_spin_mutex.hpp>

int main() {
  MUTEX mutex;
  excludes(mutex);
}
