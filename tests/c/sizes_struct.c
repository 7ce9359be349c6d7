// A structure of two integers and the word that they are: copied member by member it tears, as a word it
// does not.
//
// run: -DMEMBERS
// expect: all=UNSAFE
// run: -DWORD
// expect: all=SAFE
// run: -DCOPY
// expect: all=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

struct pair {
  uint32_t a, b;
};

union {
  struct pair pair;
  uint64_t word;
} x;

void *writer(void *arg) {
#ifdef COPY
  struct pair both = {1, 1};
  x.pair = both;
#else
  x.word = 0x0000000100000001;
#endif
  return 0;
}

int main(void) {
  pthread_t w;
  pthread_create(&w, 0, writer, 0);
#ifdef MEMBERS
  struct pair seen = x.pair;
#else
  uint64_t word = x.word;
  struct pair seen;
  memcpy(&seen, &word, sizeof seen);
#endif
  assert(seen.a == seen.b);
  pthread_join(w, 0);
  return 0;
}
