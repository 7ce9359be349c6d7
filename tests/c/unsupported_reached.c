// What is not supported does no harm where no execution comes.
//
// expect: all=SAFE
//
// run: -DJUMP
// expect: all=UNKNOWN
//
// run: -DLABELS
// expect: all=UNKNOWN
//
// run: -DWIDE
// expect: all=UNKNOWN
//
// run: -DCONDITION
// expect: all=UNKNOWN
//
// run: -DPROCESS
// expect: all=UNKNOWN
//
// run: -DASSEMBLY
// expect: all=UNKNOWN
//
// run: -DCANCEL
// expect: all=UNKNOWN
//
// run: -DSWITCH
// expect: all=UNKNOWN
//
// run: -DPARAMETER
// expect: all=UNKNOWN
//
// run: -DCHOICE
// expect: all=UNKNOWN
//
// run: -DMATRIX
// expect: all=UNKNOWN

#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <unistd.h>

#ifndef JUMP
#define JUMP 0
#endif
#ifndef LABELS
#define LABELS 0
#endif
#ifndef WIDE
#define WIDE 0
#endif
#ifndef CONDITION
#define CONDITION 0
#endif
#ifndef PROCESS
#define PROCESS 0
#endif
#ifndef ASSEMBLY
#define ASSEMBLY 0
#endif
#ifndef CANCEL
#define CANCEL 0
#endif
#ifndef SWITCH
#define SWITCH 0
#endif
#ifndef PARAMETER
#define PARAMETER 0
#endif
#ifndef CHOICE
#define CHOICE 0
#endif
#ifndef MATRIX
#define MATRIX 0
#endif

static jmp_buf env;
static _Complex float wide;
static int x;

static int labels(int n) {
  static void *table[] = {&&a, &&b};
  goto *table[n];
a:
  return 1;
b:
  return 2;
}

static int parameter(_Complex float value) { return x; }

int main(void) {
  int answer = 0;
  if (JUMP && setjmp(env)) answer = 1;
  if (JUMP) longjmp(env, 1);
  if (LABELS) answer = labels(1);
  if (WIDE) {
    _Complex float local = 3, other;
    other = local;
    wide = other;
  }
  if (CONDITION) {
    while (x < 3 && wide) {
      if (answer) goto out;
      x++;
    }
  }
  if (PROCESS) answer = fork();
  if (ASSEMBLY) {
    __asm__ volatile("cpuid" : : : "eax", "ebx", "ecx", "edx");
    answer = 1;
  }
  if (CANCEL) pthread_cancel(pthread_self());
  if (SWITCH) {
    switch ((int)wide) {
    case 0:
      answer = 1;
      break;
    default:
      goto out;
    }
  }
  if (PARAMETER) {
    int (*through)(_Complex float) = parameter;
    answer = through(1);
  }
  answer += CHOICE ? fork() : 0;
  if (MATRIX) {
    int n = 2, matrix[n][n];
    matrix[1][1] = 0;
    answer = matrix[1][1];
  }
out:
  assert(x == 0 && answer == 0);
  return 0;
}
