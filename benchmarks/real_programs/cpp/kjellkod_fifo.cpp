// KjellKod/lock-free-wait-free-circularfifo
#include "harness.h"
#include <circularfifo_memory_relaxed_aquire_release.hpp>

int main() {
  memory_relaxed_aquire_release::CircularFifo<int, 2> fifo;
  one_to_one(3, [&](int value) { return fifo.push(value); }, [&](int &value) { return fifo.pop(value); });
}
