// What modules of Rust call in the standard library, in C. Of several modules each has it: all is weak, so that one of
// them counts.
#include <pthread.h>
#include <stdlib.h>

__attribute__((weak)) long __rust_start(void *closure, void *table);
__attribute__((weak)) void *__rust_zeroed(unsigned long size);
__attribute__((weak)) void __wmbmc_park(void);
__attribute__((weak)) void __wmbmc_unpark(unsigned long thread);

// `std::rt::lang_start_internal`: the program is a closure, a trait object whose table has `call` behind the size, the
// alignment, and three other functions.
long __rust_start(void *closure, void *table) {
  unsigned (**functions)(void *) = (unsigned (**)(void *))table;
  return functions[5](closure);
}

void *__rust_zeroed(unsigned long size) { return calloc(1, size); }

// --- What `wmbmc_std::thread` calls: a token for each thread, which is there or not.

__attribute__((weak)) pthread_mutex_t __rust_tokens_lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((weak)) pthread_cond_t __rust_tokens_given = PTHREAD_COND_INITIALIZER;
__attribute__((weak)) int __rust_tokens[16] = {0};

void __wmbmc_park(void) {
  unsigned long self = pthread_self();
  pthread_mutex_lock(&__rust_tokens_lock);
  while (!__rust_tokens[self])
    pthread_cond_wait(&__rust_tokens_given, &__rust_tokens_lock);
  __rust_tokens[self] = 0;
  pthread_mutex_unlock(&__rust_tokens_lock);
}
void __wmbmc_unpark(unsigned long thread) {
  pthread_mutex_lock(&__rust_tokens_lock);
  __rust_tokens[thread] = 1;
  pthread_cond_broadcast(&__rust_tokens_given);
  pthread_mutex_unlock(&__rust_tokens_lock);
}
