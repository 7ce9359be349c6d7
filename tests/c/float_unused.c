// A floating-point number that measures time and is printed: no property depends on it.
//
// expect: all=SAFE

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static int count;

static void *increase(void *arg) {
  count++;
  return 0;
}

int main(void) {
  pthread_t t;
  clock_t begin = clock();
  time_t start = time(0);
  pthread_create(&t, 0, increase, 0);
  pthread_join(t, 0);
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  double rate = count / seconds, root = sqrt(seconds);
  if (difftime(time(0), start) > 1.5)
    puts("slow");
  printf("%f %.2lf %g\n", seconds, rate, root);
  assert(count == 1);
  return 0;
}
