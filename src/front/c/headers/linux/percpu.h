/* The Linux kernel's variables of processors. */
#pragma once
#include <bits/wmbmc_linux.h>
#include <pthread.h>

/* Each thread is a processor of its own: the first one is 0, the others have the order of their creation.
 * More than NR_CPUS threads that ask for their number have no verdict. */
#ifndef NR_CPUS
#define NR_CPUS 4
#endif
#define nr_cpu_ids NR_CPUS
int __wmbmc_more_threads_than_NR_CPUS(void);
static inline int __wmbmc_processor(void) {
  unsigned long id = (unsigned long)pthread_self() - 1;
  return id < NR_CPUS ? (int)id : __wmbmc_more_threads_than_NR_CPUS();
}
#define smp_processor_id() __wmbmc_processor()
#define raw_smp_processor_id() __wmbmc_processor()
#define get_cpu() ({ preempt_disable(); __wmbmc_processor(); })
#define put_cpu() preempt_enable()
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < NR_CPUS; (cpu)++)
#define for_each_online_cpu(cpu) for_each_possible_cpu(cpu)

/* A variable is an array of one element for each processor. Its address is that of the array, and the
 * address of memory from alloc_percpu() is that of the first element. */
#define DECLARE_PER_CPU(type, name) extern type name[NR_CPUS]
/* The name of the structure refuses arrays of such variables, as `name[4]`. */
#define DEFINE_PER_CPU(type, name) type name[NR_CPUS]; struct __wmbmc_of_processors_##name
#define DEFINE_PER_CPU_ALIGNED(type, name) DEFINE_PER_CPU(type, name)
#define DEFINE_PER_CPU_SHARED_ALIGNED(type, name) DEFINE_PER_CPU(type, name)
#define DEFINE_PER_CPU_READ_MOSTLY(type, name) DEFINE_PER_CPU(type, name)
#define alloc_percpu(type) ((type *)calloc(NR_CPUS, sizeof(type)))
#define free_percpu(p) free(p)
#define __wmbmc_is_array(x) (!__builtin_types_compatible_p(__typeof__(x), __typeof__((0, (x)))))
#define per_cpu_ptr(p, cpu) (__builtin_choose_expr(__wmbmc_is_array(*(p)), *(p), (p)) + (cpu))
#define per_cpu(x, cpu) (*per_cpu_ptr(&(x), cpu))
#define this_cpu_ptr(p) per_cpu_ptr(p, smp_processor_id())
#define raw_cpu_ptr(p) this_cpu_ptr(p)
#define get_cpu_ptr(p) ({ preempt_disable(); this_cpu_ptr(p); })
#define put_cpu_ptr(p) preempt_enable()
#define get_cpu_var(x) (*get_cpu_ptr(&(x)))
#define put_cpu_var(x) preempt_enable()

/* One step for its own processor, and of no order and not atomic for others. */
#define this_cpu_read(x) READ_ONCE(*this_cpu_ptr(&(x)))
#define this_cpu_write(x, v) WRITE_ONCE(*this_cpu_ptr(&(x)), v)
#define this_cpu_add_return(x, n) \
  ({ __auto_type __own = this_cpu_ptr(&(x)); \
     __typeof__(*__own + 0) __sum = READ_ONCE(*__own) + (n); \
     WRITE_ONCE(*__own, __sum); \
     __sum; })
#define this_cpu_add(x, n) ((void)this_cpu_add_return(x, n))
#define this_cpu_sub(x, n) this_cpu_add(x, -(n))
#define this_cpu_inc(x) this_cpu_add(x, 1)
#define this_cpu_dec(x) this_cpu_add(x, -1)
#define this_cpu_inc_return(x) this_cpu_add_return(x, 1)
#define this_cpu_dec_return(x) this_cpu_add_return(x, -1)
#define this_cpu_xchg(x, n) \
  ({ __auto_type __own = this_cpu_ptr(&(x)); \
     __typeof__(*__own + 0) __was = READ_ONCE(*__own); \
     WRITE_ONCE(*__own, n); \
     __was; })
#define this_cpu_cmpxchg(x, o, n) \
  ({ __auto_type __own = this_cpu_ptr(&(x)); \
     __typeof__(*__own + 0) __was = READ_ONCE(*__own); \
     if (__was == (o)) WRITE_ONCE(*__own, n); \
     __was; })
#define __this_cpu_read(x) (*this_cpu_ptr(&(x)))
#define __this_cpu_write(x, v) ((void)(*this_cpu_ptr(&(x)) = (v)))
#define __this_cpu_add(x, n) ((void)(*this_cpu_ptr(&(x)) += (n)))
#define __this_cpu_sub(x, n) ((void)(*this_cpu_ptr(&(x)) -= (n)))
#define __this_cpu_inc(x) __this_cpu_add(x, 1)
#define __this_cpu_dec(x) __this_cpu_sub(x, 1)
