#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "check.h"

#pragma case fetch_schar: atomic_fetch_add atomic_fetch_sub atomic_load
static void fetch_schar(void) {
  _Atomic(signed char) a = 127;
  check(atomic_fetch_add(&a, 1) == 127);
  check(atomic_load(&a) == -128);
  check(atomic_fetch_add(&a, -1) == -128);
  check(atomic_fetch_sub(&a, 3) == 127);
  check(a == 124);
}
#pragma case bits_schar: atomic_fetch_or atomic_fetch_and atomic_fetch_xor
static void bits_schar(void) {
  _Atomic(signed char) a = 90;
  check(atomic_fetch_or(&a, 0x33) == 90);
  check(atomic_fetch_and(&a, 0x6a) == 123);
  check(atomic_fetch_xor(&a, -1) == 106);
  check(atomic_load(&a) == -107);
}
#pragma case exchange_schar: atomic_exchange atomic_store atomic_compare_exchange_strong
static void exchange_schar(void) {
  _Atomic(signed char) a;
  signed char e = -128;
  atomic_store(&a, 127);
  check(atomic_exchange(&a, -128) == 127);
  check(atomic_compare_exchange_strong(&a, &e, 5));
  check(e == -128);
  check(!atomic_compare_exchange_strong(&a, &e, 6));
  check(e == 5);
  check(a == 5);
}
#pragma case fetch_uchar: atomic_fetch_add atomic_fetch_sub atomic_load
static void fetch_uchar(void) {
  _Atomic(unsigned char) a = 255;
  check(atomic_fetch_add(&a, 1) == 255);
  check(atomic_load(&a) == 0);
  check(atomic_fetch_add(&a, -1) == 0);
  check(atomic_fetch_sub(&a, 3) == 255);
  check(a == 252);
}
#pragma case bits_uchar: atomic_fetch_or atomic_fetch_and atomic_fetch_xor
static void bits_uchar(void) {
  _Atomic(unsigned char) a = 90;
  check(atomic_fetch_or(&a, 0x33) == 90);
  check(atomic_fetch_and(&a, 0x6a) == 123);
  check(atomic_fetch_xor(&a, -1) == 106);
  check(atomic_load(&a) == 149);
}
#pragma case exchange_uchar: atomic_exchange atomic_store atomic_compare_exchange_strong
static void exchange_uchar(void) {
  _Atomic(unsigned char) a;
  unsigned char e = 0;
  atomic_store(&a, 255);
  check(atomic_exchange(&a, 0) == 255);
  check(atomic_compare_exchange_strong(&a, &e, 5));
  check(e == 0);
  check(!atomic_compare_exchange_strong(&a, &e, 6));
  check(e == 5);
  check(a == 5);
}
#pragma case fetch_short: atomic_fetch_add atomic_fetch_sub atomic_load
static void fetch_short(void) {
  _Atomic(short) a = 32767;
  check(atomic_fetch_add(&a, 1) == 32767);
  check(atomic_load(&a) == -32768);
  check(atomic_fetch_add(&a, -1) == -32768);
  check(atomic_fetch_sub(&a, 3) == 32767);
  check(a == 32764);
}
#pragma case bits_short: atomic_fetch_or atomic_fetch_and atomic_fetch_xor
static void bits_short(void) {
  _Atomic(short) a = 90;
  check(atomic_fetch_or(&a, 0x33) == 90);
  check(atomic_fetch_and(&a, 0x6a) == 123);
  check(atomic_fetch_xor(&a, -1) == 106);
  check(atomic_load(&a) == -107);
}
#pragma case exchange_short: atomic_exchange atomic_store atomic_compare_exchange_strong
static void exchange_short(void) {
  _Atomic(short) a;
  short e = -32768;
  atomic_store(&a, 32767);
  check(atomic_exchange(&a, -32768) == 32767);
  check(atomic_compare_exchange_strong(&a, &e, 5));
  check(e == -32768);
  check(!atomic_compare_exchange_strong(&a, &e, 6));
  check(e == 5);
  check(a == 5);
}
#pragma case fetch_ushort: atomic_fetch_add atomic_fetch_sub atomic_load
static void fetch_ushort(void) {
  _Atomic(unsigned short) a = 65535;
  check(atomic_fetch_add(&a, 1) == 65535);
  check(atomic_load(&a) == 0);
  check(atomic_fetch_add(&a, -1) == 0);
  check(atomic_fetch_sub(&a, 3) == 65535);
  check(a == 65532);
}
#pragma case bits_ushort: atomic_fetch_or atomic_fetch_and atomic_fetch_xor
static void bits_ushort(void) {
  _Atomic(unsigned short) a = 90;
  check(atomic_fetch_or(&a, 0x33) == 90);
  check(atomic_fetch_and(&a, 0x6a) == 123);
  check(atomic_fetch_xor(&a, -1) == 106);
  check(atomic_load(&a) == 65429);
}
#pragma case exchange_ushort: atomic_exchange atomic_store atomic_compare_exchange_strong
static void exchange_ushort(void) {
  _Atomic(unsigned short) a;
  unsigned short e = 0;
  atomic_store(&a, 65535);
  check(atomic_exchange(&a, 0) == 65535);
  check(atomic_compare_exchange_strong(&a, &e, 5));
  check(e == 0);
  check(!atomic_compare_exchange_strong(&a, &e, 6));
  check(e == 5);
  check(a == 5);
}
#pragma case fetch_int: atomic_fetch_add atomic_fetch_sub atomic_load
static void fetch_int(void) {
  _Atomic(int) a = 2147483647;
  check(atomic_fetch_add(&a, 1) == 2147483647);
  check(atomic_load(&a) == (-2147483647 - 1));
  check(atomic_fetch_add(&a, -1) == (-2147483647 - 1));
  check(atomic_fetch_sub(&a, 3) == 2147483647);
  check(a == 2147483644);
}
#pragma case bits_int: atomic_fetch_or atomic_fetch_and atomic_fetch_xor
static void bits_int(void) {
  _Atomic(int) a = 90;
  check(atomic_fetch_or(&a, 0x33) == 90);
  check(atomic_fetch_and(&a, 0x6a) == 123);
  check(atomic_fetch_xor(&a, -1) == 106);
  check(atomic_load(&a) == -107);
}
#pragma case exchange_int: atomic_exchange atomic_store atomic_compare_exchange_strong
static void exchange_int(void) {
  _Atomic(int) a;
  int e = (-2147483647 - 1);
  atomic_store(&a, 2147483647);
  check(atomic_exchange(&a, (-2147483647 - 1)) == 2147483647);
  check(atomic_compare_exchange_strong(&a, &e, 5));
  check(e == (-2147483647 - 1));
  check(!atomic_compare_exchange_strong(&a, &e, 6));
  check(e == 5);
  check(a == 5);
}
#pragma case fetch_uint: atomic_fetch_add atomic_fetch_sub atomic_load
static void fetch_uint(void) {
  _Atomic(unsigned) a = 4294967295u;
  check(atomic_fetch_add(&a, 1) == 4294967295u);
  check(atomic_load(&a) == 0u);
  check(atomic_fetch_add(&a, -1) == 0u);
  check(atomic_fetch_sub(&a, 3) == 4294967295u);
  check(a == 4294967292u);
}
#pragma case bits_uint: atomic_fetch_or atomic_fetch_and atomic_fetch_xor
static void bits_uint(void) {
  _Atomic(unsigned) a = 90u;
  check(atomic_fetch_or(&a, 0x33) == 90u);
  check(atomic_fetch_and(&a, 0x6a) == 123u);
  check(atomic_fetch_xor(&a, -1) == 106u);
  check(atomic_load(&a) == 4294967189u);
}
#pragma case exchange_uint: atomic_exchange atomic_store atomic_compare_exchange_strong
static void exchange_uint(void) {
  _Atomic(unsigned) a;
  unsigned e = 0u;
  atomic_store(&a, 4294967295u);
  check(atomic_exchange(&a, 0u) == 4294967295u);
  check(atomic_compare_exchange_strong(&a, &e, 5));
  check(e == 0u);
  check(!atomic_compare_exchange_strong(&a, &e, 6));
  check(e == 5);
  check(a == 5);
}
#pragma case fetch_long: atomic_fetch_add atomic_fetch_sub atomic_load
static void fetch_long(void) {
  _Atomic(long) a = 9223372036854775807L;
  check(atomic_fetch_add(&a, 1) == 9223372036854775807L);
  check(atomic_load(&a) == (-9223372036854775807L - 1));
  check(atomic_fetch_add(&a, -1) == (-9223372036854775807L - 1));
  check(atomic_fetch_sub(&a, 3) == 9223372036854775807L);
  check(a == 9223372036854775804L);
}
#pragma case bits_long: atomic_fetch_or atomic_fetch_and atomic_fetch_xor
static void bits_long(void) {
  _Atomic(long) a = 90L;
  check(atomic_fetch_or(&a, 0x33) == 90L);
  check(atomic_fetch_and(&a, 0x6a) == 123L);
  check(atomic_fetch_xor(&a, -1) == 106L);
  check(atomic_load(&a) == -107L);
}
#pragma case exchange_long: atomic_exchange atomic_store atomic_compare_exchange_strong
static void exchange_long(void) {
  _Atomic(long) a;
  long e = (-9223372036854775807L - 1);
  atomic_store(&a, 9223372036854775807L);
  check(atomic_exchange(&a, (-9223372036854775807L - 1)) == 9223372036854775807L);
  check(atomic_compare_exchange_strong(&a, &e, 5));
  check(e == (-9223372036854775807L - 1));
  check(!atomic_compare_exchange_strong(&a, &e, 6));
  check(e == 5);
  check(a == 5);
}
#pragma case fetch_ulong: atomic_fetch_add atomic_fetch_sub atomic_load
static void fetch_ulong(void) {
  _Atomic(unsigned long) a = 18446744073709551615uL;
  check(atomic_fetch_add(&a, 1) == 18446744073709551615uL);
  check(atomic_load(&a) == 0uL);
  check(atomic_fetch_add(&a, -1) == 0uL);
  check(atomic_fetch_sub(&a, 3) == 18446744073709551615uL);
  check(a == 18446744073709551612uL);
}
#pragma case bits_ulong: atomic_fetch_or atomic_fetch_and atomic_fetch_xor
static void bits_ulong(void) {
  _Atomic(unsigned long) a = 90uL;
  check(atomic_fetch_or(&a, 0x33) == 90uL);
  check(atomic_fetch_and(&a, 0x6a) == 123uL);
  check(atomic_fetch_xor(&a, -1) == 106uL);
  check(atomic_load(&a) == 18446744073709551509uL);
}
#pragma case exchange_ulong: atomic_exchange atomic_store atomic_compare_exchange_strong
static void exchange_ulong(void) {
  _Atomic(unsigned long) a;
  unsigned long e = 0uL;
  atomic_store(&a, 18446744073709551615uL);
  check(atomic_exchange(&a, 0uL) == 18446744073709551615uL);
  check(atomic_compare_exchange_strong(&a, &e, 5));
  check(e == 0uL);
  check(!atomic_compare_exchange_strong(&a, &e, 6));
  check(e == 5);
  check(a == 5);
}
#pragma case explicit_orders: atomic_load_explicit atomic_store_explicit atomic_exchange_explicit
static void explicit_orders(void) {
  atomic_int a = 1;
  check(atomic_load_explicit(&a, memory_order_acquire) == 1);
  atomic_store_explicit(&a, 2, memory_order_release);
  check(atomic_exchange_explicit(&a, 3, memory_order_acq_rel) == 2);
  check(atomic_load_explicit(&a, memory_order_relaxed) == 3);
}
#pragma case explicit_fetches: atomic_fetch_add_explicit atomic_fetch_sub_explicit atomic_fetch_or_explicit atomic_fetch_and_explicit atomic_fetch_xor_explicit
static void explicit_fetches(void) {
  atomic_uint a = 1;
  check(atomic_fetch_add_explicit(&a, 4, memory_order_relaxed) == 1);
  check(atomic_fetch_sub_explicit(&a, 2, memory_order_relaxed) == 5);
  check(atomic_fetch_or_explicit(&a, 8, memory_order_release) == 3);
  check(atomic_fetch_and_explicit(&a, 10, memory_order_acquire) == 11);
  check(atomic_fetch_xor_explicit(&a, 6, memory_order_seq_cst) == 10);
  check(a == 12);
}
#pragma case explicit_compare: atomic_compare_exchange_strong_explicit
static void explicit_compare(void) {
  atomic_long a = 7;
  long e = 7;
  check(atomic_compare_exchange_strong_explicit(&a, &e, 8, memory_order_acq_rel, memory_order_acquire));
  check(!atomic_compare_exchange_strong_explicit(&a, &e, 9, memory_order_seq_cst, memory_order_relaxed));
  check(e == 8);
}
#pragma case weak_compare: atomic_compare_exchange_weak atomic_compare_exchange_weak_explicit
static void weak_compare(void) {
  atomic_int a = 1;
  int e = 2;
  check(!atomic_compare_exchange_weak(&a, &e, 3));
  check(e == 1);
  e = 4;
  check(!atomic_compare_exchange_weak_explicit(&a, &e, 3, memory_order_relaxed, memory_order_relaxed));
  check(e == 1 && a == 1);
}
#pragma case flag: atomic_flag_test_and_set atomic_flag_clear
static void flag(void) {
  static atomic_flag f = ATOMIC_FLAG_INIT;
  check(!atomic_flag_test_and_set(&f));
  check(atomic_flag_test_and_set(&f));
  atomic_flag_clear(&f);
  check(!atomic_flag_test_and_set(&f));
}
#pragma case flag_explicit: atomic_flag_test_and_set_explicit atomic_flag_clear_explicit
static void flag_explicit(void) {
  static atomic_flag f = ATOMIC_FLAG_INIT;
  check(!atomic_flag_test_and_set_explicit(&f, memory_order_acquire));
  atomic_flag_clear_explicit(&f, memory_order_release);
  check(!atomic_flag_test_and_set_explicit(&f, memory_order_relaxed));
}
#pragma case initialises: atomic_init atomic_is_lock_free
static void initialises(void) {
  atomic_int a;
  atomic_init(&a, 5);
  check(atomic_load(&a) == 5);
  check(atomic_is_lock_free(&a));
}
#pragma case fences: atomic_thread_fence atomic_signal_fence
static void fences(void) {
  atomic_int a = 1;
  atomic_thread_fence(memory_order_seq_cst);
  atomic_signal_fence(memory_order_acquire);
  check(a == 1);
}
#pragma case pointers: atomic_exchange
static void pointers(void) {
  static int x[4] = {1, 2, 3, 4};
  _Atomic(int *) p = x;
  atomic_store(&p, x + 2);
  check(atomic_load(&p) == x + 2);
  check(*atomic_exchange(&p, x + 3) == 3);
  check(*p == 4);
}
#pragma case pointer_compare: atomic_compare_exchange_strong
static void pointer_compare(void) {
  static int x, y;
  _Atomic(int *) p = &x;
  int *e = &y;
  check(!atomic_compare_exchange_strong(&p, &e, NULL));
  check(e == &x);
  check(atomic_compare_exchange_strong(&p, &e, NULL));
  check(p == NULL);
}
#pragma case booleans: atomic_exchange atomic_load
static void booleans(void) {
  atomic_bool b = false;
  check(!atomic_exchange(&b, 2));
  check(atomic_load(&b) == 1);
  b = 0;
  check(!b);
}
#pragma case operators: atomic_load
static void operators(void) {
  atomic_uchar a = 255;
  check(++a == 0);
  check(a-- == 0);
  check((a += 3) == 2);
  check((a |= 4) == 6);
  check((a ^= 255) == 249);
}
#pragma case dependency: atomic_load_explicit
static void dependency(void) {
  static int x = 3;
  _Atomic(int *) p = &x;
  check(*atomic_load_explicit(&p, memory_order_consume) == 3);
  check(kill_dependency(x) == 3);
}
