#ifndef WMBMC_GENMC_H
#define WMBMC_GENMC_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* What programs for GenMC take from its header. */

void __VERIFIER_assume(int condition);
int __VERIFIER_nondet_int(void);

/* Threads. That one is symmetric to another one is found anyway. */
typedef pthread_t __VERIFIER_thread_t;

static inline __VERIFIER_thread_t __VERIFIER_spawn(void *(*run)(void *), void *argument) {
  pthread_t made;
  pthread_create(&made, 0, run, argument);
  return made;
}

static inline __VERIFIER_thread_t __VERIFIER_spawn_symmetric(void *(*run)(void *), void *argument,
                                                             __VERIFIER_thread_t other) {
  return __VERIFIER_spawn(run, argument);
}

static inline void *__VERIFIER_join(__VERIFIER_thread_t thread) {
  void *result;
  pthread_join(thread, &result);
  return result;
}

static inline void __VERIFIER_join_symmetric(__VERIFIER_thread_t thread) {
  pthread_join(thread, 0);
}

/* Marks of loops that wait. */
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int again);

/* Marks of accesses, which are the accesses. */
#define __VERIFIER_local_write(statement) do { statement; } while (0)
#define __VERIFIER_final_write(statement) do { statement; } while (0)
#define __VERIFIER_helped_CAS(exchange) do { exchange; } while (0)
#define __VERIFIER_helping_CAS(exchange) do { exchange; } while (0)
#define __VERIFIER_speculative_read(read) (read)
#define __VERIFIER_confirming_read(read) (read)
#define __VERIFIER_confirming_CAS(exchange) (exchange)
#define __VERIFIER_final_CAS(exchange) (exchange)

/* What no verdict depends on; it is executed all the same. */
#define __VERIFIER_optional(statement) do { statement; } while (0)

/* Hazard pointers are declared, and not supported where they are called. */
typedef struct { void *pointer; } __VERIFIER_hp_t;
__VERIFIER_hp_t *__VERIFIER_hp_alloc(void);
void *__VERIFIER_hp_protect(void *hazard, void *place);
void __VERIFIER_hp_clear(void *hazard);
void __VERIFIER_hp_free(void *hazard);
void __VERIFIER_hp_retire(void *object);

#endif
