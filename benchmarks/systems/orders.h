/* The orders a program is checked with: as it is meant, all relaxed (`-DWEAK`) or all sequentially
   consistent (`-DSTRONG`). power2010 has no global reads-from, so there release and acquire do not
   order what they do elsewhere, and only the last helps. */
#ifndef ORDERS_H
#define ORDERS_H
#if defined WEAK
#define RELAXED __ATOMIC_RELAXED
#define ACQUIRE __ATOMIC_RELAXED
#define RELEASE __ATOMIC_RELAXED
#define ACQ_REL __ATOMIC_RELAXED
#elif defined STRONG
#define RELAXED __ATOMIC_SEQ_CST
#define ACQUIRE __ATOMIC_SEQ_CST
#define RELEASE __ATOMIC_SEQ_CST
#define ACQ_REL __ATOMIC_SEQ_CST
#else
#define RELAXED __ATOMIC_RELAXED
#define ACQUIRE __ATOMIC_ACQUIRE
#define RELEASE __ATOMIC_RELEASE
#define ACQ_REL __ATOMIC_ACQ_REL
#endif
#endif
