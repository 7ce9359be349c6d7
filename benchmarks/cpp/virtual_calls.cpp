// Threads that call virtual functions through a base class. Main joins them before it deletes the objects. -DBROKEN:
// the destructor of the base class joins, when the derived part has ended already, so that the thread may call the base
// class's function. -DNOT_JOINED: nothing joins, and the destructor of a thread that has not been joined calls
// std::terminate.
//
// run: --check assert,memory,race
// expect: sc,tso,rc11=SAFE
//
// run: --check assert,race -DBROKEN
// expect: sc,tso,rc11=UNSAFE
//
// run: -DNOT_JOINED
// expect: sc,rc11=UNSAFE

#include <cassert>
#include <thread>

struct Task {
  std::thread thread;
  void start() {
    thread = std::thread([this] { assert(result() == 2); });
  }
  void finish() {
    if (thread.joinable())
      thread.join();
  }
  virtual int result() { return 1; }
  virtual ~Task() {
#ifdef BROKEN
    finish();
#endif
  }
};

struct Derived : Task {
  int value = 2;
  int result() override { return value; }
};

int main() {
  Task *tasks[2] = {new Derived, new Derived};
  for (Task *t : tasks)
    t->start();
  for (Task *t : tasks) {
#if !defined BROKEN && !defined NOT_JOINED
    t->finish();
#endif
    delete t;
  }
}
