// A stack of one element whose pop throws if it is empty, with a mutex. Two threads pop what main has put. It is never
// empty here. -DTHROWN: it is, and nothing catches what is thrown. -DCAUGHT: something does, which is not followed.
//
// run:
// expect: sc,rc11=HOLDS
//
// run: -DTHROWN
// expect: sc,rc11=UNSAFE
//
// run: -DTHROWN -DCAUGHT
// expect: sc,rc11=UNKNOWN

#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

class Stack {
  std::mutex mutex;
  int values[2];
  int size = 0;

public:
  void push(int value) {
    std::lock_guard lock(mutex);
    if (size == 2)
      throw std::length_error("the stack is full");
    values[size++] = value;
  }
  int pop() {
    std::lock_guard lock(mutex);
    if (size == 0)
      throw std::logic_error("the stack is empty");
    return values[--size];
  }
};

Stack stack;
int sum[2];

void work(int own) {
#ifdef CAUGHT
  try {
    sum[own] = stack.pop();
  } catch (const std::logic_error &) {
    sum[own] = 0;
  }
#else
  sum[own] = stack.pop();
#endif
}

int main() {
  stack.push(1);
#ifndef THROWN
  stack.push(2);
#endif
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  assert(sum[0] + sum[1] == 3);
}
