// jnk0le/Ring-Buffer
#include "harness.h"
#include <ringbuffer.hpp>

int main() {
  jnk0le::Ringbuffer<int, 2> ring;
  one_to_one(3, [&](int value) { return ring.insert(value); }, [&](int &value) { return ring.remove(value); });
}
