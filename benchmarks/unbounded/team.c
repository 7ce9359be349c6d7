// Each member of a team has a record of its own, with its thread and its result in it; main allocates the records one by
// one, joins the members and adds up. -DEARLY reads a result before it joins, -DOTHER joins them in the other order,
// -DSHARED gives two members one record.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 2 -DEARLY
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race --unwind 3 -DOTHER -DMOST=2
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race --unwind 2 -DSHARED
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#ifndef MOST
#define MOST 1000
#endif

struct member {
  pthread_t thread;
  int from, to, sum;
};

void *work(void *arg) {
  struct member *me = arg;
  for (int i = me->from; i < me->to; i++) me->sum++;
  return 0;
}

int main(void) {
  int members = __VERIFIER_nondet_int(), sum = 0;
  if (members < 1 || members > MOST) return 0;
  struct member **team = malloc(members * sizeof *team);
  for (int i = 0; i < members; i++) {
    struct member *one = malloc(sizeof *one);
    team[i] = one;
    one->from = i;
    one->to = i + 2;
    one->sum = 0;
    pthread_create(&one->thread, 0, work, one);
#ifdef SHARED
    pthread_create(&one->thread, 0, work, one);
#endif
  }
  for (int i = 0; i < members; i++) {
#ifdef EARLY
    sum += team[i]->sum;
#endif
#ifdef OTHER
    pthread_join(team[members - 1 - i]->thread, 0);
#else
    pthread_join(team[i]->thread, 0);
#endif
    sum += team[i]->sum;
#ifndef OTHER
    free(team[i]);
#endif
  }
  free(team);
  return sum;
}
