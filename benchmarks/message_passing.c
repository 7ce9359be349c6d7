// Message passing: a record of two fields and a flag, with the fence of each architecture.
//
// run:
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DWRITER=mfence -DREADER=mfence
// expect: all=SAFE
//
// run: -DWRITER=sync -DREADER=sync
// expect: all=SAFE
//
// run: -DWRITER=lwsync -DREADER=lwsync
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DWRITER=eieio -DREADER=lwsync
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DWRITER=release -DREADER=acquire
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DWRITER=seq_cst -DREADER=seq_cst
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define FENCE_none
#define FENCE_mfence __asm__ volatile("mfence" ::: "memory")
#define FENCE_sync __asm__ volatile("sync" ::: "memory")
#define FENCE_lwsync __asm__ volatile("lwsync" ::: "memory")
#define FENCE_eieio __asm__ volatile("eieio" ::: "memory")
#define FENCE_release atomic_thread_fence(memory_order_release)
#define FENCE_acquire atomic_thread_fence(memory_order_acquire)
#define FENCE_seq_cst atomic_thread_fence(memory_order_seq_cst)
#define FENCE_(name) FENCE_##name
#define FENCE(name) FENCE_(name)

#ifndef WRITER
#define WRITER none
#define READER none
#endif

struct message {
  int code, length;
};

struct message box;
int ready;

void *writer(void *arg) {
  box.code = 7;
  box.length = 3;
  FENCE(WRITER);
  ready = 1;
  return 0;
}

void *reader(void *arg) {
  if (ready) {
    FENCE(READER);
    int code = box.code;
    int length = box.length;
    assert(code == 7 && length == 3);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
