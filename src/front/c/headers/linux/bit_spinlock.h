/* The Linux kernel's locks of one bit. */
#pragma once
#include <linux/bitops.h>

static inline void bit_spin_lock(int nr, unsigned long *addr) {
  while (test_and_set_bit_lock(nr, addr)) cpu_relax();
}
static inline int bit_spin_trylock(int nr, unsigned long *addr) { return !test_and_set_bit_lock(nr, addr); }
static inline void bit_spin_unlock(int nr, unsigned long *addr) { clear_bit_unlock(nr, addr); }
