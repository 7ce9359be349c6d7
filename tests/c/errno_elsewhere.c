// errno by the names that libraries have for its place: musl's, Android's and newlib's, BSD's.
//
// run: -DLOCATION=___errno_location
// expect: all=SAFE
//
// run: -DLOCATION=__errno
// expect: all=SAFE
//
// run: -DLOCATION=__error
// expect: all=SAFE
//
// run: -DLOCATION=__error -DKEPT
// expect: all=UNSAFE

#include <assert.h>
#include <semaphore.h>

int *LOCATION(void);

int main(void) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  *LOCATION() = 1;
  int result = sem_trywait(&semaphore);
#ifdef KEPT
  assert(*LOCATION() == 1);
#else
  assert(result == -1 && *LOCATION() == 11);
#endif
  return 0;
}
