#pragma once
#include <bits/wmbmc_features.h>
#include <sys/types.h>
#include <time.h>
typedef struct { int __value; } sem_t;
#define SEM_FAILED ((sem_t *)0)
int sem_init(sem_t *sem, int shared, unsigned int value);
int sem_destroy(sem_t *sem);
int sem_wait(sem_t *sem);
int sem_trywait(sem_t *sem);
int sem_timedwait(sem_t *sem, const struct timespec *time);
int sem_post(sem_t *sem);
int sem_getvalue(sem_t *sem, int *value);
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *sem);
int sem_unlink(const char *name);
int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *time);
