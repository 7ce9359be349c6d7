// Floating-point numbers that are only declared, copied and printed do not matter.
//
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct sample {
  double value;
  float weight;
  int id;
} shared;
int ready;

void *other(void *arg) {
  struct sample s = {.value = 1.5, .weight = -2, .id = 7};
  shared = s;
  printf("%f %f\n", s.value, s.weight * 2.0);
  return 0;
}

int main(void) {
  double d = 0.5, copy = d;
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  pthread_join(t, 0);
  copy = shared.value;
  printf("%d %f\n", shared.id, copy);
  assert(shared.id == 7);
  return 0;
}
