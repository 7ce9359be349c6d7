#pragma once
#include <bits/wmbmc_features.h>
#include <stddef.h>
#include <stdint.h>
/* Headers of the platform use its own names for these types. */
#if !defined __WMBMC_ILP32__ && defined __has_include
#if __has_include(<bits/types.h>)
#include <bits/types.h>
#endif
#endif
#ifndef BYTE_ORDER
#define LITTLE_ENDIAN 1234
#define BIG_ENDIAN 4321
#define PDP_ENDIAN 3412
#define BYTE_ORDER LITTLE_ENDIAN
#endif
typedef long ssize_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int id_t;
typedef unsigned int mode_t;
typedef unsigned int useconds_t;
typedef long suseconds_t;
typedef unsigned int socklen_t;
typedef int key_t;
typedef int daddr_t;
typedef char *caddr_t;
typedef long off_t;
typedef long long loff_t;
#ifdef __WMBMC_ILP32__
typedef long long off64_t;
typedef long long quad_t;
typedef unsigned long long u_quad_t;
typedef unsigned long long dev_t;
typedef unsigned long long u_int64_t;
#else
typedef long off64_t;
typedef long quad_t;
typedef unsigned long u_quad_t;
typedef unsigned long dev_t;
typedef unsigned long u_int64_t;
#endif
typedef unsigned long ino_t;
typedef unsigned long nlink_t;
typedef long blksize_t;
typedef long blkcnt_t;
typedef unsigned long fsblkcnt_t;
typedef unsigned long fsfilcnt_t;
typedef struct { int __val[2]; } fsid_t;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned int u_int32_t;
typedef long register_t;
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
typedef void *timer_t;
#include <bits/wmbmc_signals.h>
#include <bits/wmbmc_time.h>
/* Sets of files, for select(). */
#if !defined __WMBMC_ILP32__ && defined __has_include
#if __has_include(<sys/select.h>)
#include <sys/select.h>
#endif
#endif
#ifndef FD_SETSIZE
#define FD_SETSIZE 1024
typedef struct { long __fds_bits[FD_SETSIZE / (8 * sizeof(long))]; } fd_set;
#endif
