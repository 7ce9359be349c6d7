#pragma once
#include <bits/wmbmc_features.h>
#include <stddef.h>
#include <time.h>
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_BATCH 3
#define SCHED_ISO 4
#define SCHED_IDLE 5
#define SCHED_DEADLINE 6
#define SCHED_RESET_ON_FORK 0x40000000
struct sched_param { int sched_priority; };
/* Sets of processors: 1024 bits. */
#define CPU_SETSIZE 1024
#define __CPU_BITS (8 * sizeof(unsigned long))
#define __CPU_WORDS (CPU_SETSIZE / __CPU_BITS)
typedef struct { unsigned long __bits[__CPU_WORDS]; } cpu_set_t;
static inline void __wmbmc_cpu_zero(cpu_set_t *set) {
  for (size_t i = 0; i < __CPU_WORDS; i++) set->__bits[i] = 0;
}
static inline int __wmbmc_cpu_count(const cpu_set_t *set) {
  int count = 0;
  for (size_t i = 0; i < __CPU_WORDS; i++) count += __builtin_popcountl(set->__bits[i]);
  return count;
}
static inline int __wmbmc_cpu_equal(const cpu_set_t *a, const cpu_set_t *b) {
  int equal = 1;
  for (size_t i = 0; i < __CPU_WORDS; i++) equal &= a->__bits[i] == b->__bits[i];
  return equal;
}
static inline void __wmbmc_cpu_set(size_t cpu, cpu_set_t *set) {
  if (cpu < CPU_SETSIZE) set->__bits[cpu / __CPU_BITS] |= 1ul << cpu % __CPU_BITS;
}
static inline void __wmbmc_cpu_clear(size_t cpu, cpu_set_t *set) {
  if (cpu < CPU_SETSIZE) set->__bits[cpu / __CPU_BITS] &= ~(1ul << cpu % __CPU_BITS);
}
static inline int __wmbmc_cpu_isset(size_t cpu, const cpu_set_t *set) {
  if (cpu >= CPU_SETSIZE) return 0;
  return (set->__bits[cpu / __CPU_BITS] >> cpu % __CPU_BITS & 1) != 0;
}
#define CPU_ZERO(set) __wmbmc_cpu_zero(set)
#define CPU_SET(cpu, set) __wmbmc_cpu_set(cpu, set)
#define CPU_CLR(cpu, set) __wmbmc_cpu_clear(cpu, set)
#define CPU_ISSET(cpu, set) __wmbmc_cpu_isset(cpu, set)
#define CPU_COUNT(set) __wmbmc_cpu_count(set)
#define CPU_EQUAL(a, b) __wmbmc_cpu_equal(a, b)
int sched_yield(void);
int sched_getcpu(void);
int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);
int sched_setscheduler(pid_t process, int policy, const struct sched_param *param);
int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set);
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set);
