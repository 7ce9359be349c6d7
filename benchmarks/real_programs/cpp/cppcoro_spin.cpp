// lewissbaker/cppcoro, the spin lock of its library.
#include "harness.h"
#include <lib/spin_mutex.hpp>
#include <lib/spin_mutex.cpp>
#include <lib/spin_wait.cpp>

int main() {
  cppcoro::spin_mutex mutex;
  excludes(mutex);
}
