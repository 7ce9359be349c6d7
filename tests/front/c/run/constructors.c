// Functions that run before main and after it, in the order of their priorities.
#include <assert.h>

int at;

static void first(void) __attribute__((constructor(101)));

__attribute__((constructor)) static void last(void) {
  assert(at == 2);
  at = 3;
}
static void __attribute__((__constructor__(100 + 2), used)) second(void) {
  assert(at == 1);
  at = 2;
}
static void first(void) {
  assert(at == 0);
  at = 1;
}
__attribute__((constructor)) void last_of_all(void) {
  assert(at == 3);
  at = 4;
}
__attribute__((destructor(101))) static void end(void) {
  assert(at == 8);
}
__attribute__((destructor)) static void begin_of_end(void) {
  assert(at == 6);
  at = 7;
}
__attribute__((destructor)) static void very_begin(void) {
  assert(at == 5);
  at = 6;
}
__attribute__((destructor(102))) static void middle(void) {
  assert(at == 7);
  at = 8;
}
int main(void) {
  assert(at == 4);
  at = 5;
  return 0;
}
