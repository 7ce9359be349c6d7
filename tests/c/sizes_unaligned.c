// A word that is not aligned, read while another thread writes its bytes: in which order its parts are
// read is not known. Aligned, it is one access.
//
// run:
// expect: all=UNKNOWN
// run: -DALIGNED
// expect: all=SAFE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifdef ALIGNED
#define PACKED
#else
#define PACKED __attribute__((packed))
#endif

struct PACKED {
  uint8_t tag;
  union PACKED {
    uint32_t value;
    uint16_t half[2];
  } u;
} s;

void *writer(void *arg) {
  s.u.half[0] = 1;
  __sync_synchronize();
  s.u.half[1] = 1;
  return 0;
}

int main(void) {
  pthread_t w;
  pthread_create(&w, 0, writer, 0);
  uint32_t seen = s.u.value;
  assert(seen != 0x00010000);
  pthread_join(w, 0);
  return 0;
}
