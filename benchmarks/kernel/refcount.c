// The last reference frees the object, and whoever frees it does so after all accesses of the others
// (lib/refcount.c, include/linux/refcount.h).
//
// LOCK:    the last reference is given up with the lock of a table in which the object is found
// TWICE:   a thread gives up a reference that it does not have
// NO_REF:  the object is used behind the reference
#include "include/linux/refcount.h"
#include "lib/refcount.c"
#include <linux/slab.h>
#include <pthread.h>

struct object {
  refcount_t references;
  int value;
};
static struct object *table;
static DEFINE_SPINLOCK(table_lock);

static void put(struct object *o) {
#ifdef LOCK
  if (!refcount_dec_and_lock(&o->references, &table_lock)) return;
  table = 0;
  spin_unlock(&table_lock);
#else
  if (!refcount_dec_and_test(&o->references)) return;
#endif
  kfree(o);
}

static void *use(void *data) {
  struct object *o = data;
#ifdef LOCK
  spin_lock(&table_lock);
  o = table;
  if (o) refcount_inc(&o->references);
  spin_unlock(&table_lock);
  if (!o) return 0;
#endif
  (void)READ_ONCE(o->value);
  put(o);
#ifdef TWICE
  put(o);
#endif
#ifdef NO_REF
  (void)READ_ONCE(o->value);
#endif
  return 0;
}

int main(void) {
  pthread_t thread;
  struct object *o = kzalloc(sizeof *o, GFP_KERNEL);
  refcount_set(&o->references, 1);
  table = o;
#ifndef LOCK
  refcount_inc(&o->references);
#endif
  pthread_create(&thread, 0, use, o);
  WRITE_ONCE(o->value, 3);
  put(o);
  pthread_join(thread, 0);
  return 0;
}
