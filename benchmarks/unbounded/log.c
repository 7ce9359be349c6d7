// Any number of threads append to a text of fixed length under a lock.
// -DLONG appends what has no room, -DLATE measures the room before the lock is held.
//
// run: --check race,memory,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory --unwind 3 -DLONG -DROOM=2
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check memory --unwind 3 -DLATE -DROOM=2
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>

extern char __VERIFIER_nondet_char(void);
extern int __VERIFIER_nondet_int(void);

#ifndef ROOM
#define ROOM 80
#endif

char text[ROOM];
int length;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void append(char c) {
#ifdef LATE
  int room = length < ROOM;
  pthread_mutex_lock(&lock);
#else
  pthread_mutex_lock(&lock);
#ifdef LONG
  int room = length <= ROOM;
#else
  int room = length < ROOM;
#endif
#endif
  if (room) text[length++] = c;
  pthread_mutex_unlock(&lock);
}

void *writer(void *arg) {
  char c;
  while ((c = __VERIFIER_nondet_char())) append(c);
  return 0;
}

int main(void) {
  pthread_t t;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, writer, 0);
  append('.');
  return 0;
}
