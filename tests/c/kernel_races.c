// The kernel's data races: plain accesses that its model does not order.
//
// run: --check race
// expect: lkmm=UNSAFE
//
// run: --check race -DORDERED
// expect: lkmm=SAFE
//
// Marked accesses do not race.
// run: --check race -DMARKED
// expect: lkmm=SAFE
//
// run: --check race -DLOCKED
// expect: lkmm=SAFE

#include <kernel.h>
#include <pthread.h>

int data, flag;
DEFINE_SPINLOCK(lock);

#if defined LOCKED
#define WRITES() do { spin_lock(&lock); data = 1; spin_unlock(&lock); } while (0)
#define READS() do { spin_lock(&lock); data; spin_unlock(&lock); } while (0)
#elif defined ORDERED
#define WRITES() do { data = 1; smp_store_release(&flag, 1); } while (0)
#define READS() do { if (smp_load_acquire(&flag)) data; } while (0)
#elif defined MARKED
#define WRITES() WRITE_ONCE(data, 1)
#define READS() READ_ONCE(data)
#else
#define WRITES() do { data = 1; WRITE_ONCE(flag, 1); } while (0)
#define READS() do { if (READ_ONCE(flag)) data; } while (0)
#endif

void *writer(void *unused) { WRITES(); return 0; }
void *reader(void *unused) { READS(); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
