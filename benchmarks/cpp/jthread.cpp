// std::jthread: it joins at the end of its scope. -DBROKEN: the result is read in the scope, before that.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,rc11=UNSAFE

#include <cassert>
#include <thread>

int main() {
  int result = 0;
  {
    std::jthread t([&result] { result = 42; });
#ifdef BROKEN
    assert(result == 42);
#endif
  }
  assert(result == 42);
}
