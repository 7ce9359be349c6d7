// The same with C11 threads, the lock and its condition in a structure behind a pointer.
// -DWRONG waits for another flag than the one that is raised last.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DWRONG
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <threads.h>

struct gate {
  mtx_t lock;
  cnd_t changed;
  int begun, done, data;
};

int open_gate(void *arg) {
  struct gate *g = arg;
  mtx_lock(&g->lock);
  g->begun = 1;
  cnd_broadcast(&g->changed);
  mtx_unlock(&g->lock);
  mtx_lock(&g->lock);
  g->data = 7;
  g->done = 1;
  cnd_broadcast(&g->changed);
  mtx_unlock(&g->lock);
  return 0;
}

struct gate gate;

int main(void) {
  thrd_t t;
  mtx_init(&gate.lock, mtx_plain);
  cnd_init(&gate.changed);
  thrd_create(&t, open_gate, &gate);
  mtx_lock(&gate.lock);
#ifdef WRONG
  while (!gate.begun)
#else
  while (!gate.done)
#endif
    cnd_wait(&gate.changed, &gate.lock);
  assert(gate.data == 7);
  mtx_unlock(&gate.lock);
  thrd_join(t, 0);
  return 0;
}
