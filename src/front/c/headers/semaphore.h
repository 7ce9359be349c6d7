#pragma once
#include <time.h>
typedef struct { int __value; } sem_t;
int sem_init(sem_t *sem, int shared, unsigned int value);
int sem_destroy(sem_t *sem);
int sem_wait(sem_t *sem);
int sem_trywait(sem_t *sem);
int sem_timedwait(sem_t *sem, const struct timespec *time);
int sem_post(sem_t *sem);
int sem_getvalue(sem_t *sem, int *value);
