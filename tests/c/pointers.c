// Pointers to functions, to objects of another thread's stack, to the heap; arrays with computed
// indices in two dimensions; comparing and subtracting pointers.
//
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct job {
  int (*run)(int);
  int argument, result;
  struct job *next;
};

static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
int grid[2][3];

void *worker(void *arg) {
  for (struct job *j = arg; j; j = j->next) j->result = j->run(j->argument);
  int row = ((struct job *)arg)->argument - 3;
  grid[row][row + 1] = 7;
  return 0;
}

int main(void) {
  struct job second = {square, 5, 0, NULL}, *first = malloc(sizeof *first);
  *first = (struct job){.next = &second, .run = twice, .argument = 4};
  pthread_t t;
  pthread_create(&t, 0, worker, first);
  pthread_join(t, 0);
  assert(first->result == 8 && second.result == 25 && grid[1][2] == 7);
  int *p = &grid[1][2], *q = grid[0];
  assert(p - q == 5 && p > q && (char *)p - (char *)q == 5 * sizeof(int) && &second != first);
  free(first);
  return 0;
}
