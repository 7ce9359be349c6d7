#pragma once
#include <bits/wmbmc_features.h>
#include <time.h>
/* The state of every object is in its first word; all zero is the initial state. */
typedef unsigned long thrd_t;
typedef int (*thrd_start_t)(void *);
typedef struct { int __state; int __kind; int __again; } mtx_t;
typedef struct { int __state; int __bound; } cnd_t;
typedef int once_flag;
typedef unsigned int tss_t;
typedef void (*tss_dtor_t)(void *);
#define thread_local _Thread_local
#define ONCE_FLAG_INIT 0
enum { mtx_plain = 0, mtx_timed = 2 };
#define mtx_recursive __wmbmc_mutex_kind(1)
enum { thrd_success = 0, thrd_busy = 1, thrd_error = 2, thrd_nomem = 3, thrd_timedout = 4 };
int thrd_create(thrd_t *thread, thrd_start_t start, void *arg);
int thrd_join(thrd_t thread, int *result);
int thrd_detach(thrd_t thread);
int thrd_equal(thrd_t a, thrd_t b);
thrd_t thrd_current(void);
void thrd_exit(int result);
void thrd_yield(void);
int thrd_sleep(const struct timespec *duration, struct timespec *rest);
int mtx_init(mtx_t *mutex, int type);
void mtx_destroy(mtx_t *mutex);
int mtx_lock(mtx_t *mutex);
int mtx_trylock(mtx_t *mutex);
int mtx_timedlock(mtx_t *mutex, const struct timespec *time);
int mtx_unlock(mtx_t *mutex);
int cnd_init(cnd_t *cond);
void cnd_destroy(cnd_t *cond);
int cnd_wait(cnd_t *cond, mtx_t *mutex);
int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *time);
int cnd_signal(cnd_t *cond);
int cnd_broadcast(cnd_t *cond);
void call_once(once_flag *flag, void (*function)(void));
int tss_create(tss_t *key, tss_dtor_t destructor);
void tss_delete(tss_t key);
void *tss_get(tss_t key);
int tss_set(tss_t key, void *value);
