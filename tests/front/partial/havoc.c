// Functions without a body: unknown where they are called, any value with --havoc.
// run:
// expect: sc=UNKNOWN
// run: --havoc read_sensor
// expect: sc=UNKNOWN
// run: --havoc read_sensor,log_value,make
// expect: sc=SAFE
// run: --havoc read_sensor,log_value,make -DEXACT
// expect: sc=UNSAFE
// run: --havoc read_sensor,log_value,make -DPAIR
// expect: sc=UNSAFE
// run: --havoc read_sensor,log_value,make -DPOINTER
// expect: sc=UNSAFE
// run: --havoc read_sensor,log_value,make -DKEPT
// expect: sc=SAFE
#include <assert.h>
struct pair { int x, y; };
int read_sensor(void);
_Bool log_value(int *value);
struct pair make(int);
int main(void) {
  int value = read_sensor();
  int (*through)(void) = read_sensor;
  int other = through();
  _Bool logged = log_value(&value);
  assert(logged == 0 || logged == 1);
#ifdef EXACT
  assert(value == other);
#endif
#ifdef PAIR
  assert(make(1).x == 1);
#endif
#ifdef POINTER
  assert(through() != 3);
#endif
#ifdef KEPT
  int kept = 1;
  log_value(&kept);
  assert(kept == 1);
#endif
  (void)other;
  return make(2).y & 0;
}
