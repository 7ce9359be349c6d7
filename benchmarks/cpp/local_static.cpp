// A variable in a function that is initialised when a thread first gets there: once, and others wait. -DBROKEN has a
// variable of its own for "is there one" (a plain bool), as programs had before C++11.
//
// run: --unwind 2
// expect: sc,tso,rc11,aarch64=BOUND
//
// run: -DBROKEN
// expect: sc,tso,rc11,aarch64=UNSAFE

#include <cassert>
#include <new>
#include <thread>

int made;

struct Service {
  int port;
  Service() : port(80) { made++; }
};

#ifdef BROKEN
alignas(Service) unsigned char room[sizeof(Service)];
bool there;

Service &service() {
  if (!there) {
    new (room) Service;
    there = true;
  }
  return *reinterpret_cast<Service *>(room);
}
#else
Service &service() {
  static Service only;
  return only;
}
#endif

int main() {
  std::thread t([] { assert(service().port == 80); });
  assert(service().port == 80);
  t.join();
  assert(made == 1);
}
