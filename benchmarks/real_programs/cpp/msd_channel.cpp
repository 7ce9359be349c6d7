// andreiavrammsd/cpp-channel: a channel of one element, which is closed.
#include "harness.h"
#include <msd/static_channel.hpp>

int main() {
  msd::static_channel<int, 1> channel;
  std::thread producer([&] {
    channel.write(1);
    channel.write(2);
    channel.close();
  });
  int value = 0, taken = 0;
  while (channel.read(value))
    assert(value == ++taken);
  assert(taken == 2);
  producer.join();
}
