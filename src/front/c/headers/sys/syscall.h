#pragma once
/* The platform's own where it has them; the numbers below are those of x86-64. */
#if !defined __WMBMC_ILP32__ && defined __has_include_next
#if __has_include_next(<sys/syscall.h>)
#include_next <sys/syscall.h>
#endif
#endif
#ifndef SYS_futex
#define SYS_futex 202
#define SYS_gettid 186
#define SYS_getcpu 309
#define SYS_membarrier 324
#define __NR_futex SYS_futex
#define __NR_gettid SYS_gettid
#define __NR_getcpu SYS_getcpu
#define __NR_membarrier SYS_membarrier
#endif
