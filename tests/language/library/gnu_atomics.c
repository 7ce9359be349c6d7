#include <stdbool.h>
#include <stddef.h>
#include "check.h"

#pragma case gnu_fetch_schar: __atomic_fetch_add __atomic_fetch_sub __atomic_add_fetch __atomic_sub_fetch __atomic_load_n
static void gnu_fetch_schar(void) {
  signed char a = 127;
  check(__atomic_fetch_add(&a, 1, __ATOMIC_SEQ_CST) == 127);
  check(__atomic_add_fetch(&a, 2, __ATOMIC_RELAXED) == -126);
  check(__atomic_sub_fetch(&a, 3, __ATOMIC_ACQUIRE) == 127);
  check(__atomic_fetch_sub(&a, 1, __ATOMIC_RELEASE) == 127);
  check(__atomic_load_n(&a, __ATOMIC_ACQUIRE) == 126);
}
#pragma case gnu_bits_schar: __atomic_fetch_or __atomic_fetch_and __atomic_fetch_xor __atomic_fetch_nand __atomic_or_fetch __atomic_and_fetch __atomic_xor_fetch __atomic_nand_fetch
static void gnu_bits_schar(void) {
  signed char a = 90;
  check(__atomic_fetch_or(&a, 0x33, __ATOMIC_SEQ_CST) == 90);
  check(__atomic_and_fetch(&a, 0x6a, __ATOMIC_SEQ_CST) == 106);
  check(__atomic_fetch_xor(&a, -1, __ATOMIC_SEQ_CST) == 106);
  check(__atomic_or_fetch(&a, 1, __ATOMIC_SEQ_CST) == -107);
  check(__atomic_fetch_and(&a, 0x1f, __ATOMIC_SEQ_CST) == -107);
  check(__atomic_xor_fetch(&a, 0x11, __ATOMIC_SEQ_CST) == 4);
  check(__atomic_fetch_nand(&a, 6, __ATOMIC_SEQ_CST) == 4);
  check(__atomic_nand_fetch(&a, 3, __ATOMIC_SEQ_CST) == -4);
}
#pragma case gnu_exchange_schar: __atomic_exchange_n __atomic_store_n __atomic_compare_exchange_n
static void gnu_exchange_schar(void) {
  signed char a = 1, e = -128;
  __atomic_store_n(&a, 127, __ATOMIC_RELEASE);
  check(__atomic_exchange_n(&a, -128, __ATOMIC_ACQ_REL) == 127);
  check(__atomic_compare_exchange_n(&a, &e, 5, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(!__atomic_compare_exchange_n(&a, &e, 6, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(e == 5 && a == 5);
}
#pragma case sync_schar: __sync_fetch_and_add __sync_fetch_and_sub __sync_add_and_fetch __sync_sub_and_fetch __sync_val_compare_and_swap __sync_bool_compare_and_swap
static void sync_schar(void) {
  signed char a = 127;
  check(__sync_fetch_and_add(&a, 1) == 127);
  check(__sync_sub_and_fetch(&a, 1) == 127);
  check(__sync_add_and_fetch(&a, 2) == -127);
  check(__sync_fetch_and_sub(&a, 1) == -127);
  check(__sync_val_compare_and_swap(&a, -128, 7) == -128);
  check(!__sync_bool_compare_and_swap(&a, 8, 9));
  check(__sync_bool_compare_and_swap(&a, 7, 9));
  check(a == 9);
}
#pragma case gnu_fetch_uchar: __atomic_fetch_add __atomic_fetch_sub __atomic_add_fetch __atomic_sub_fetch __atomic_load_n
static void gnu_fetch_uchar(void) {
  unsigned char a = 255;
  check(__atomic_fetch_add(&a, 1, __ATOMIC_SEQ_CST) == 255);
  check(__atomic_add_fetch(&a, 2, __ATOMIC_RELAXED) == 2);
  check(__atomic_sub_fetch(&a, 3, __ATOMIC_ACQUIRE) == 255);
  check(__atomic_fetch_sub(&a, 1, __ATOMIC_RELEASE) == 255);
  check(__atomic_load_n(&a, __ATOMIC_ACQUIRE) == 254);
}
#pragma case gnu_bits_uchar: __atomic_fetch_or __atomic_fetch_and __atomic_fetch_xor __atomic_fetch_nand __atomic_or_fetch __atomic_and_fetch __atomic_xor_fetch __atomic_nand_fetch
static void gnu_bits_uchar(void) {
  unsigned char a = 90;
  check(__atomic_fetch_or(&a, 0x33, __ATOMIC_SEQ_CST) == 90);
  check(__atomic_and_fetch(&a, 0x6a, __ATOMIC_SEQ_CST) == 106);
  check(__atomic_fetch_xor(&a, -1, __ATOMIC_SEQ_CST) == 106);
  check(__atomic_or_fetch(&a, 1, __ATOMIC_SEQ_CST) == 149);
  check(__atomic_fetch_and(&a, 0x1f, __ATOMIC_SEQ_CST) == 149);
  check(__atomic_xor_fetch(&a, 0x11, __ATOMIC_SEQ_CST) == 4);
  check(__atomic_fetch_nand(&a, 6, __ATOMIC_SEQ_CST) == 4);
  check(__atomic_nand_fetch(&a, 3, __ATOMIC_SEQ_CST) == 252);
}
#pragma case gnu_exchange_uchar: __atomic_exchange_n __atomic_store_n __atomic_compare_exchange_n
static void gnu_exchange_uchar(void) {
  unsigned char a = 1, e = 0;
  __atomic_store_n(&a, 255, __ATOMIC_RELEASE);
  check(__atomic_exchange_n(&a, 0, __ATOMIC_ACQ_REL) == 255);
  check(__atomic_compare_exchange_n(&a, &e, 5, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(!__atomic_compare_exchange_n(&a, &e, 6, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(e == 5 && a == 5);
}
#pragma case sync_uchar: __sync_fetch_and_add __sync_fetch_and_sub __sync_add_and_fetch __sync_sub_and_fetch __sync_val_compare_and_swap __sync_bool_compare_and_swap
static void sync_uchar(void) {
  unsigned char a = 255;
  check(__sync_fetch_and_add(&a, 1) == 255);
  check(__sync_sub_and_fetch(&a, 1) == 255);
  check(__sync_add_and_fetch(&a, 2) == 1);
  check(__sync_fetch_and_sub(&a, 1) == 1);
  check(__sync_val_compare_and_swap(&a, 0, 7) == 0);
  check(!__sync_bool_compare_and_swap(&a, 8, 9));
  check(__sync_bool_compare_and_swap(&a, 7, 9));
  check(a == 9);
}
#pragma case gnu_fetch_short: __atomic_fetch_add __atomic_fetch_sub __atomic_add_fetch __atomic_sub_fetch __atomic_load_n
static void gnu_fetch_short(void) {
  short a = 32767;
  check(__atomic_fetch_add(&a, 1, __ATOMIC_SEQ_CST) == 32767);
  check(__atomic_add_fetch(&a, 2, __ATOMIC_RELAXED) == -32766);
  check(__atomic_sub_fetch(&a, 3, __ATOMIC_ACQUIRE) == 32767);
  check(__atomic_fetch_sub(&a, 1, __ATOMIC_RELEASE) == 32767);
  check(__atomic_load_n(&a, __ATOMIC_ACQUIRE) == 32766);
}
#pragma case gnu_bits_short: __atomic_fetch_or __atomic_fetch_and __atomic_fetch_xor __atomic_fetch_nand __atomic_or_fetch __atomic_and_fetch __atomic_xor_fetch __atomic_nand_fetch
static void gnu_bits_short(void) {
  short a = 90;
  check(__atomic_fetch_or(&a, 0x33, __ATOMIC_SEQ_CST) == 90);
  check(__atomic_and_fetch(&a, 0x6a, __ATOMIC_SEQ_CST) == 106);
  check(__atomic_fetch_xor(&a, -1, __ATOMIC_SEQ_CST) == 106);
  check(__atomic_or_fetch(&a, 1, __ATOMIC_SEQ_CST) == -107);
  check(__atomic_fetch_and(&a, 0x1f, __ATOMIC_SEQ_CST) == -107);
  check(__atomic_xor_fetch(&a, 0x11, __ATOMIC_SEQ_CST) == 4);
  check(__atomic_fetch_nand(&a, 6, __ATOMIC_SEQ_CST) == 4);
  check(__atomic_nand_fetch(&a, 3, __ATOMIC_SEQ_CST) == -4);
}
#pragma case gnu_exchange_short: __atomic_exchange_n __atomic_store_n __atomic_compare_exchange_n
static void gnu_exchange_short(void) {
  short a = 1, e = -32768;
  __atomic_store_n(&a, 32767, __ATOMIC_RELEASE);
  check(__atomic_exchange_n(&a, -32768, __ATOMIC_ACQ_REL) == 32767);
  check(__atomic_compare_exchange_n(&a, &e, 5, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(!__atomic_compare_exchange_n(&a, &e, 6, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(e == 5 && a == 5);
}
#pragma case sync_short: __sync_fetch_and_add __sync_fetch_and_sub __sync_add_and_fetch __sync_sub_and_fetch __sync_val_compare_and_swap __sync_bool_compare_and_swap
static void sync_short(void) {
  short a = 32767;
  check(__sync_fetch_and_add(&a, 1) == 32767);
  check(__sync_sub_and_fetch(&a, 1) == 32767);
  check(__sync_add_and_fetch(&a, 2) == -32767);
  check(__sync_fetch_and_sub(&a, 1) == -32767);
  check(__sync_val_compare_and_swap(&a, -32768, 7) == -32768);
  check(!__sync_bool_compare_and_swap(&a, 8, 9));
  check(__sync_bool_compare_and_swap(&a, 7, 9));
  check(a == 9);
}
#pragma case gnu_fetch_ushort: __atomic_fetch_add __atomic_fetch_sub __atomic_add_fetch __atomic_sub_fetch __atomic_load_n
static void gnu_fetch_ushort(void) {
  unsigned short a = 65535;
  check(__atomic_fetch_add(&a, 1, __ATOMIC_SEQ_CST) == 65535);
  check(__atomic_add_fetch(&a, 2, __ATOMIC_RELAXED) == 2);
  check(__atomic_sub_fetch(&a, 3, __ATOMIC_ACQUIRE) == 65535);
  check(__atomic_fetch_sub(&a, 1, __ATOMIC_RELEASE) == 65535);
  check(__atomic_load_n(&a, __ATOMIC_ACQUIRE) == 65534);
}
#pragma case gnu_bits_ushort: __atomic_fetch_or __atomic_fetch_and __atomic_fetch_xor __atomic_fetch_nand __atomic_or_fetch __atomic_and_fetch __atomic_xor_fetch __atomic_nand_fetch
static void gnu_bits_ushort(void) {
  unsigned short a = 90;
  check(__atomic_fetch_or(&a, 0x33, __ATOMIC_SEQ_CST) == 90);
  check(__atomic_and_fetch(&a, 0x6a, __ATOMIC_SEQ_CST) == 106);
  check(__atomic_fetch_xor(&a, -1, __ATOMIC_SEQ_CST) == 106);
  check(__atomic_or_fetch(&a, 1, __ATOMIC_SEQ_CST) == 65429);
  check(__atomic_fetch_and(&a, 0x1f, __ATOMIC_SEQ_CST) == 65429);
  check(__atomic_xor_fetch(&a, 0x11, __ATOMIC_SEQ_CST) == 4);
  check(__atomic_fetch_nand(&a, 6, __ATOMIC_SEQ_CST) == 4);
  check(__atomic_nand_fetch(&a, 3, __ATOMIC_SEQ_CST) == 65532);
}
#pragma case gnu_exchange_ushort: __atomic_exchange_n __atomic_store_n __atomic_compare_exchange_n
static void gnu_exchange_ushort(void) {
  unsigned short a = 1, e = 0;
  __atomic_store_n(&a, 65535, __ATOMIC_RELEASE);
  check(__atomic_exchange_n(&a, 0, __ATOMIC_ACQ_REL) == 65535);
  check(__atomic_compare_exchange_n(&a, &e, 5, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(!__atomic_compare_exchange_n(&a, &e, 6, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(e == 5 && a == 5);
}
#pragma case sync_ushort: __sync_fetch_and_add __sync_fetch_and_sub __sync_add_and_fetch __sync_sub_and_fetch __sync_val_compare_and_swap __sync_bool_compare_and_swap
static void sync_ushort(void) {
  unsigned short a = 65535;
  check(__sync_fetch_and_add(&a, 1) == 65535);
  check(__sync_sub_and_fetch(&a, 1) == 65535);
  check(__sync_add_and_fetch(&a, 2) == 1);
  check(__sync_fetch_and_sub(&a, 1) == 1);
  check(__sync_val_compare_and_swap(&a, 0, 7) == 0);
  check(!__sync_bool_compare_and_swap(&a, 8, 9));
  check(__sync_bool_compare_and_swap(&a, 7, 9));
  check(a == 9);
}
#pragma case gnu_fetch_int: __atomic_fetch_add __atomic_fetch_sub __atomic_add_fetch __atomic_sub_fetch __atomic_load_n
static void gnu_fetch_int(void) {
  int a = 2147483647;
  check(__atomic_fetch_add(&a, 1, __ATOMIC_SEQ_CST) == 2147483647);
  check(__atomic_add_fetch(&a, 2, __ATOMIC_RELAXED) == -2147483646);
  check(__atomic_sub_fetch(&a, 3, __ATOMIC_ACQUIRE) == 2147483647);
  check(__atomic_fetch_sub(&a, 1, __ATOMIC_RELEASE) == 2147483647);
  check(__atomic_load_n(&a, __ATOMIC_ACQUIRE) == 2147483646);
}
#pragma case gnu_bits_int: __atomic_fetch_or __atomic_fetch_and __atomic_fetch_xor __atomic_fetch_nand __atomic_or_fetch __atomic_and_fetch __atomic_xor_fetch __atomic_nand_fetch
static void gnu_bits_int(void) {
  int a = 90;
  check(__atomic_fetch_or(&a, 0x33, __ATOMIC_SEQ_CST) == 90);
  check(__atomic_and_fetch(&a, 0x6a, __ATOMIC_SEQ_CST) == 106);
  check(__atomic_fetch_xor(&a, -1, __ATOMIC_SEQ_CST) == 106);
  check(__atomic_or_fetch(&a, 1, __ATOMIC_SEQ_CST) == -107);
  check(__atomic_fetch_and(&a, 0x1f, __ATOMIC_SEQ_CST) == -107);
  check(__atomic_xor_fetch(&a, 0x11, __ATOMIC_SEQ_CST) == 4);
  check(__atomic_fetch_nand(&a, 6, __ATOMIC_SEQ_CST) == 4);
  check(__atomic_nand_fetch(&a, 3, __ATOMIC_SEQ_CST) == -4);
}
#pragma case gnu_exchange_int: __atomic_exchange_n __atomic_store_n __atomic_compare_exchange_n
static void gnu_exchange_int(void) {
  int a = 1, e = (-2147483647 - 1);
  __atomic_store_n(&a, 2147483647, __ATOMIC_RELEASE);
  check(__atomic_exchange_n(&a, (-2147483647 - 1), __ATOMIC_ACQ_REL) == 2147483647);
  check(__atomic_compare_exchange_n(&a, &e, 5, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(!__atomic_compare_exchange_n(&a, &e, 6, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(e == 5 && a == 5);
}
#pragma case sync_int: __sync_fetch_and_add __sync_fetch_and_sub __sync_add_and_fetch __sync_sub_and_fetch __sync_val_compare_and_swap __sync_bool_compare_and_swap
static void sync_int(void) {
  int a = 2147483647;
  check(__sync_fetch_and_add(&a, 1) == 2147483647);
  check(__sync_sub_and_fetch(&a, 1) == 2147483647);
  check(__sync_add_and_fetch(&a, 2) == -2147483647);
  check(__sync_fetch_and_sub(&a, 1) == -2147483647);
  check(__sync_val_compare_and_swap(&a, (-2147483647 - 1), 7) == (-2147483647 - 1));
  check(!__sync_bool_compare_and_swap(&a, 8, 9));
  check(__sync_bool_compare_and_swap(&a, 7, 9));
  check(a == 9);
}
#pragma case gnu_fetch_uint: __atomic_fetch_add __atomic_fetch_sub __atomic_add_fetch __atomic_sub_fetch __atomic_load_n
static void gnu_fetch_uint(void) {
  unsigned a = 4294967295u;
  check(__atomic_fetch_add(&a, 1, __ATOMIC_SEQ_CST) == 4294967295u);
  check(__atomic_add_fetch(&a, 2, __ATOMIC_RELAXED) == 2u);
  check(__atomic_sub_fetch(&a, 3, __ATOMIC_ACQUIRE) == 4294967295u);
  check(__atomic_fetch_sub(&a, 1, __ATOMIC_RELEASE) == 4294967295u);
  check(__atomic_load_n(&a, __ATOMIC_ACQUIRE) == 4294967294u);
}
#pragma case gnu_bits_uint: __atomic_fetch_or __atomic_fetch_and __atomic_fetch_xor __atomic_fetch_nand __atomic_or_fetch __atomic_and_fetch __atomic_xor_fetch __atomic_nand_fetch
static void gnu_bits_uint(void) {
  unsigned a = 90u;
  check(__atomic_fetch_or(&a, 0x33, __ATOMIC_SEQ_CST) == 90u);
  check(__atomic_and_fetch(&a, 0x6a, __ATOMIC_SEQ_CST) == 106u);
  check(__atomic_fetch_xor(&a, -1, __ATOMIC_SEQ_CST) == 106u);
  check(__atomic_or_fetch(&a, 1, __ATOMIC_SEQ_CST) == 4294967189u);
  check(__atomic_fetch_and(&a, 0x1f, __ATOMIC_SEQ_CST) == 4294967189u);
  check(__atomic_xor_fetch(&a, 0x11, __ATOMIC_SEQ_CST) == 4u);
  check(__atomic_fetch_nand(&a, 6, __ATOMIC_SEQ_CST) == 4u);
  check(__atomic_nand_fetch(&a, 3, __ATOMIC_SEQ_CST) == 4294967292u);
}
#pragma case gnu_exchange_uint: __atomic_exchange_n __atomic_store_n __atomic_compare_exchange_n
static void gnu_exchange_uint(void) {
  unsigned a = 1, e = 0u;
  __atomic_store_n(&a, 4294967295u, __ATOMIC_RELEASE);
  check(__atomic_exchange_n(&a, 0u, __ATOMIC_ACQ_REL) == 4294967295u);
  check(__atomic_compare_exchange_n(&a, &e, 5, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(!__atomic_compare_exchange_n(&a, &e, 6, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(e == 5 && a == 5);
}
#pragma case sync_uint: __sync_fetch_and_add __sync_fetch_and_sub __sync_add_and_fetch __sync_sub_and_fetch __sync_val_compare_and_swap __sync_bool_compare_and_swap
static void sync_uint(void) {
  unsigned a = 4294967295u;
  check(__sync_fetch_and_add(&a, 1) == 4294967295u);
  check(__sync_sub_and_fetch(&a, 1) == 4294967295u);
  check(__sync_add_and_fetch(&a, 2) == 1u);
  check(__sync_fetch_and_sub(&a, 1) == 1u);
  check(__sync_val_compare_and_swap(&a, 0u, 7) == 0u);
  check(!__sync_bool_compare_and_swap(&a, 8, 9));
  check(__sync_bool_compare_and_swap(&a, 7, 9));
  check(a == 9);
}
#pragma case gnu_fetch_long: __atomic_fetch_add __atomic_fetch_sub __atomic_add_fetch __atomic_sub_fetch __atomic_load_n
static void gnu_fetch_long(void) {
  long a = 9223372036854775807L;
  check(__atomic_fetch_add(&a, 1, __ATOMIC_SEQ_CST) == 9223372036854775807L);
  check(__atomic_add_fetch(&a, 2, __ATOMIC_RELAXED) == -9223372036854775806L);
  check(__atomic_sub_fetch(&a, 3, __ATOMIC_ACQUIRE) == 9223372036854775807L);
  check(__atomic_fetch_sub(&a, 1, __ATOMIC_RELEASE) == 9223372036854775807L);
  check(__atomic_load_n(&a, __ATOMIC_ACQUIRE) == 9223372036854775806L);
}
#pragma case gnu_bits_long: __atomic_fetch_or __atomic_fetch_and __atomic_fetch_xor __atomic_fetch_nand __atomic_or_fetch __atomic_and_fetch __atomic_xor_fetch __atomic_nand_fetch
static void gnu_bits_long(void) {
  long a = 90L;
  check(__atomic_fetch_or(&a, 0x33, __ATOMIC_SEQ_CST) == 90L);
  check(__atomic_and_fetch(&a, 0x6a, __ATOMIC_SEQ_CST) == 106L);
  check(__atomic_fetch_xor(&a, -1, __ATOMIC_SEQ_CST) == 106L);
  check(__atomic_or_fetch(&a, 1, __ATOMIC_SEQ_CST) == -107L);
  check(__atomic_fetch_and(&a, 0x1f, __ATOMIC_SEQ_CST) == -107L);
  check(__atomic_xor_fetch(&a, 0x11, __ATOMIC_SEQ_CST) == 4L);
  check(__atomic_fetch_nand(&a, 6, __ATOMIC_SEQ_CST) == 4L);
  check(__atomic_nand_fetch(&a, 3, __ATOMIC_SEQ_CST) == -4L);
}
#pragma case gnu_exchange_long: __atomic_exchange_n __atomic_store_n __atomic_compare_exchange_n
static void gnu_exchange_long(void) {
  long a = 1, e = (-9223372036854775807L - 1);
  __atomic_store_n(&a, 9223372036854775807L, __ATOMIC_RELEASE);
  check(__atomic_exchange_n(&a, (-9223372036854775807L - 1), __ATOMIC_ACQ_REL) == 9223372036854775807L);
  check(__atomic_compare_exchange_n(&a, &e, 5, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(!__atomic_compare_exchange_n(&a, &e, 6, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(e == 5 && a == 5);
}
#pragma case sync_long: __sync_fetch_and_add __sync_fetch_and_sub __sync_add_and_fetch __sync_sub_and_fetch __sync_val_compare_and_swap __sync_bool_compare_and_swap
static void sync_long(void) {
  long a = 9223372036854775807L;
  check(__sync_fetch_and_add(&a, 1) == 9223372036854775807L);
  check(__sync_sub_and_fetch(&a, 1) == 9223372036854775807L);
  check(__sync_add_and_fetch(&a, 2) == -9223372036854775807L);
  check(__sync_fetch_and_sub(&a, 1) == -9223372036854775807L);
  check(__sync_val_compare_and_swap(&a, (-9223372036854775807L - 1), 7) == (-9223372036854775807L - 1));
  check(!__sync_bool_compare_and_swap(&a, 8, 9));
  check(__sync_bool_compare_and_swap(&a, 7, 9));
  check(a == 9);
}
#pragma case gnu_fetch_ulong: __atomic_fetch_add __atomic_fetch_sub __atomic_add_fetch __atomic_sub_fetch __atomic_load_n
static void gnu_fetch_ulong(void) {
  unsigned long a = 18446744073709551615uL;
  check(__atomic_fetch_add(&a, 1, __ATOMIC_SEQ_CST) == 18446744073709551615uL);
  check(__atomic_add_fetch(&a, 2, __ATOMIC_RELAXED) == 2uL);
  check(__atomic_sub_fetch(&a, 3, __ATOMIC_ACQUIRE) == 18446744073709551615uL);
  check(__atomic_fetch_sub(&a, 1, __ATOMIC_RELEASE) == 18446744073709551615uL);
  check(__atomic_load_n(&a, __ATOMIC_ACQUIRE) == 18446744073709551614uL);
}
#pragma case gnu_bits_ulong: __atomic_fetch_or __atomic_fetch_and __atomic_fetch_xor __atomic_fetch_nand __atomic_or_fetch __atomic_and_fetch __atomic_xor_fetch __atomic_nand_fetch
static void gnu_bits_ulong(void) {
  unsigned long a = 90uL;
  check(__atomic_fetch_or(&a, 0x33, __ATOMIC_SEQ_CST) == 90uL);
  check(__atomic_and_fetch(&a, 0x6a, __ATOMIC_SEQ_CST) == 106uL);
  check(__atomic_fetch_xor(&a, -1, __ATOMIC_SEQ_CST) == 106uL);
  check(__atomic_or_fetch(&a, 1, __ATOMIC_SEQ_CST) == 18446744073709551509uL);
  check(__atomic_fetch_and(&a, 0x1f, __ATOMIC_SEQ_CST) == 18446744073709551509uL);
  check(__atomic_xor_fetch(&a, 0x11, __ATOMIC_SEQ_CST) == 4uL);
  check(__atomic_fetch_nand(&a, 6, __ATOMIC_SEQ_CST) == 4uL);
  check(__atomic_nand_fetch(&a, 3, __ATOMIC_SEQ_CST) == 18446744073709551612uL);
}
#pragma case gnu_exchange_ulong: __atomic_exchange_n __atomic_store_n __atomic_compare_exchange_n
static void gnu_exchange_ulong(void) {
  unsigned long a = 1, e = 0uL;
  __atomic_store_n(&a, 18446744073709551615uL, __ATOMIC_RELEASE);
  check(__atomic_exchange_n(&a, 0uL, __ATOMIC_ACQ_REL) == 18446744073709551615uL);
  check(__atomic_compare_exchange_n(&a, &e, 5, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(!__atomic_compare_exchange_n(&a, &e, 6, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  check(e == 5 && a == 5);
}
#pragma case sync_ulong: __sync_fetch_and_add __sync_fetch_and_sub __sync_add_and_fetch __sync_sub_and_fetch __sync_val_compare_and_swap __sync_bool_compare_and_swap
static void sync_ulong(void) {
  unsigned long a = 18446744073709551615uL;
  check(__sync_fetch_and_add(&a, 1) == 18446744073709551615uL);
  check(__sync_sub_and_fetch(&a, 1) == 18446744073709551615uL);
  check(__sync_add_and_fetch(&a, 2) == 1uL);
  check(__sync_fetch_and_sub(&a, 1) == 1uL);
  check(__sync_val_compare_and_swap(&a, 0uL, 7) == 0uL);
  check(!__sync_bool_compare_and_swap(&a, 8, 9));
  check(__sync_bool_compare_and_swap(&a, 7, 9));
  check(a == 9);
}
#pragma case sync_bits: __sync_fetch_and_or __sync_fetch_and_and __sync_fetch_and_xor __sync_fetch_and_nand
static void sync_bits(void) {
  int a = 0x0f;
  check(__sync_fetch_and_or(&a, 0x30) == 0x0f);
  check(__sync_fetch_and_and(&a, 0x3c) == 0x3f);
  check(__sync_fetch_and_xor(&a, 0xff) == 0x3c);
  check(__sync_fetch_and_nand(&a, 0x0f) == 0xc3);
  check(a == ~3);
}
#pragma case sync_bits_after: __sync_or_and_fetch __sync_and_and_fetch __sync_xor_and_fetch __sync_nand_and_fetch
static void sync_bits_after(void) {
  unsigned char a = 0x0f;
  check(__sync_or_and_fetch(&a, 0x30) == 0x3f);
  check(__sync_and_and_fetch(&a, 0x3c) == 0x3c);
  check(__sync_xor_and_fetch(&a, 0xff) == 0xc3);
  check(__sync_nand_and_fetch(&a, 0x0f) == 0xfc);
}
#pragma case sync_lock: __sync_lock_test_and_set __sync_lock_release __sync_synchronize
static void sync_lock(void) {
  int a = 0;
  check(__sync_lock_test_and_set(&a, 3) == 0);
  check(__sync_lock_test_and_set(&a, 1) == 3);
  __sync_synchronize();
  __sync_lock_release(&a);
  check(a == 0);
}
#pragma case gnu_generic: __atomic_load __atomic_store __atomic_exchange __atomic_compare_exchange
static void gnu_generic(void) {
  int a = 1, b = 2, c;
  __atomic_load(&a, &c, __ATOMIC_SEQ_CST);
  check(c == 1);
  __atomic_store(&a, &b, __ATOMIC_SEQ_CST);
  check(a == 2);
  b = 3;
  __atomic_exchange(&a, &b, &c, __ATOMIC_SEQ_CST);
  check(c == 2 && a == 3);
  b = 9;
  check(__atomic_compare_exchange(&a, &b, &c, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) == 0);
  check(b == 3);
  check(__atomic_compare_exchange(&a, &b, &c, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  check(a == 2);
}
#pragma case gnu_flag: __atomic_test_and_set __atomic_clear
static void gnu_flag(void) {
  char f = 0;
  check(!__atomic_test_and_set(&f, __ATOMIC_ACQUIRE));
  check(__atomic_test_and_set(&f, __ATOMIC_ACQUIRE));
  __atomic_clear(&f, __ATOMIC_RELEASE);
  check(f == 0);
}
#pragma case gnu_fences: __atomic_thread_fence __atomic_signal_fence __atomic_always_lock_free __atomic_is_lock_free
static void gnu_fences(void) {
  int a = 2;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  check(__atomic_always_lock_free(sizeof a, 0));
  check(__atomic_is_lock_free(sizeof a, &a));
}
#pragma case gnu_pointer: __atomic_fetch_add __atomic_add_fetch
static void gnu_pointer(void) {
  static int x[3] = {1, 2, 3};
  int *p = x;
  check(__atomic_fetch_add(&p, sizeof(int), __ATOMIC_SEQ_CST) == x);
  check(__atomic_add_fetch(&p, sizeof(int), __ATOMIC_SEQ_CST) == x + 2);
  check(*p == 3);
}
#pragma case gnu_weak: __atomic_compare_exchange_n
static void gnu_weak(void) {
  int a = 1, e = 2;
  check(!__atomic_compare_exchange_n(&a, &e, 3, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  check(e == 1 && a == 1);
}
