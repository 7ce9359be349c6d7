/* The Linux kernel's operations on bits, of the operations that its generic ones are made of. */
#pragma once
#include <kernel.h>

/* Those without a result order nothing, the others are full barriers. */
#define BITS_PER_LONG (8 * (int)sizeof(long))
#define BIT_WORD(nr) ((nr) / BITS_PER_LONG)
#define BIT_MASK(nr) (1UL << ((nr) % BITS_PER_LONG))
#define __wmbmc_word(nr, addr) ((atomic_long_t *)(addr) + BIT_WORD(nr))
static inline int test_bit(long nr, const volatile unsigned long *addr) {
  return (READ_ONCE(((const unsigned long *)addr)[BIT_WORD(nr)]) & BIT_MASK(nr)) != 0;
}
static inline void set_bit(long nr, volatile unsigned long *addr) {
  atomic_long_or(BIT_MASK(nr), __wmbmc_word(nr, addr));
}
static inline void clear_bit(long nr, volatile unsigned long *addr) {
  atomic_long_and(~BIT_MASK(nr), __wmbmc_word(nr, addr));
}
static inline void change_bit(long nr, volatile unsigned long *addr) {
  atomic_long_xor(BIT_MASK(nr), __wmbmc_word(nr, addr));
}
static inline int test_and_set_bit(long nr, volatile unsigned long *addr) {
  return (atomic_long_fetch_or(BIT_MASK(nr), __wmbmc_word(nr, addr)) & BIT_MASK(nr)) != 0;
}
static inline int test_and_clear_bit(long nr, volatile unsigned long *addr) {
  return (atomic_long_fetch_and(~BIT_MASK(nr), __wmbmc_word(nr, addr)) & BIT_MASK(nr)) != 0;
}
static inline int test_and_change_bit(long nr, volatile unsigned long *addr) {
  return (atomic_long_fetch_xor(BIT_MASK(nr), __wmbmc_word(nr, addr)) & BIT_MASK(nr)) != 0;
}
/* Bits as locks: setting one that was clear acquires, clearing one releases. */
static inline int test_and_set_bit_lock(long nr, volatile unsigned long *addr) {
  if (test_bit(nr, addr)) return 1;
  return (atomic_long_fetch_or_acquire(BIT_MASK(nr), __wmbmc_word(nr, addr)) & BIT_MASK(nr)) != 0;
}
static inline void clear_bit_unlock(long nr, volatile unsigned long *addr) {
  atomic_long_fetch_and_release(~BIT_MASK(nr), __wmbmc_word(nr, addr));
}
