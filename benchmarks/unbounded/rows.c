// A table of as many rows as an input says; each thread fills one.
// -DTURNED takes the number of rows for that of columns.
//
// run: --check memory,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory --unwind 6 -DTURNED -DCOLUMNS=1
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

#ifndef COLUMNS
#define COLUMNS 64
#endif

unsigned rows;
int (*table)[COLUMNS];

void *fill(void *arg) {
  int *row = arg;
#ifdef TURNED
  for (unsigned i = 0; i < rows; i++) row[i] = i;
#else
  for (unsigned i = 0; i < COLUMNS; i++) row[i] = i;
#endif
  return 0;
}

int main(void) {
  rows = __VERIFIER_nondet_uint() % 1000 + 1;
  table = calloc(rows, sizeof *table);
  if (!table) return 0;
  pthread_t *threads = calloc(rows, sizeof *threads);
  if (!threads) return 0;
  for (unsigned i = 0; i < rows; i++) pthread_create(&threads[i], 0, fill, table[i]);
  for (unsigned i = 0; i < rows; i++) pthread_join(threads[i], 0);
  return table[0][0];
}
