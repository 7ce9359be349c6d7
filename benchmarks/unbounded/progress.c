// A thread reads through pointers to objects that main has made, and notes how far it has come; any number of others write
// what main has given them, under a lock. -DBOTH lets them write the same object.
//
// run: --check assert,memory,race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check assert --unwind 2 -DBOTH
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct file {
  int position;
};

struct file *input, *output;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void advance(struct file *file, int by) {
  int end = file->position;
  for (int i = 0; i < by && end < 1000; i++) end++;
  file->position = end;
  assert(file->position == end);
}

void *reader(void *arg) {
  advance(input, __VERIFIER_nondet_int());
  return 0;
}

void *writer(void *arg) {
  pthread_mutex_lock(&lock);
#ifdef BOTH
  advance(input, 1);
#else
  advance(output, 1);
#endif
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t thread;
  input = malloc(sizeof *input);
  output = malloc(sizeof *output);
  if (!input || !output) return 1;
  input->position = output->position = 0;
  pthread_create(&thread, 0, reader, 0);
  int writers = __VERIFIER_nondet_int();
  for (int i = 0; i < writers; i++) pthread_create(&thread, 0, writer, 0);
  return 0;
}
