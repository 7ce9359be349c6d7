// What queues and locks have to do, for the harnesses of this folder.
#pragma once
#include <cassert>
#include <thread>

// One thread puts 1, 2, ... and another one takes: values come in order, and none is lost. `put` and `take` say
// whether they did it.
template <class Put, class Take> void one_to_one(int count, Put put, Take take) {
  int stored = 0, taken = 0, value = 0;
  std::thread producer([&] {
    while (stored < count && put(stored + 1))
      stored++;
  });
  for (int i = 0; i < count; i++) {
    if (take(value)) {
      taken++;
      assert(value == taken);
    }
  }
  producer.join();
  for (; taken < stored; taken++) {
    assert(take(value));
    assert(value == taken + 1);
  }
  assert(!take(value));
}

// Two threads put a value each, and two take one: each value comes as often as it was put.
template <class Put, class Take> void many_to_many(Put put, Take take) {
  bool stored[2] = {};
  int values[2] = {};
  int counts[3] = {};
  std::thread first([&] { stored[0] = put(1); });
  std::thread second([&] { stored[1] = put(2); });
  std::thread other([&] { take(values[0]); });
  take(values[1]);
  first.join();
  second.join();
  other.join();
  for (int value : values)
    counts[value]++;
  for (int value = 0; take(value); value = 0)
    counts[value]++;
  assert(counts[1] == stored[0] && counts[2] == stored[1]);
}

// Two threads add to a counter that a lock protects, the second of them twice.
template <class Lock> void excludes(Lock &lock) {
  int counter = 0;
  auto add = [&] {
    lock.lock();
    counter++;
    lock.unlock();
  };
  std::thread one(add);
  add();
  add();
  one.join();
  assert(counter == 3);
}
