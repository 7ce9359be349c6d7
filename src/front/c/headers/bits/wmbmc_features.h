#pragma once
/* What a program asks of its platform by macros: that of the machine where it has some, which its other headers ask
 * for, too. */
#if !defined __WMBMC_ILP32__ && defined __has_include
#if __has_include(<features.h>)
#include <features.h>
#endif
#endif
#ifndef __GLIBC__
#define __GLIBC__ 2
#define __GLIBC_MINOR__ 31
#define __GLIBC_PREREQ(major, minor) ((__GLIBC__ << 16) + __GLIBC_MINOR__ >= ((major) << 16) + (minor))
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif
#ifndef _POSIX_SOURCE
#define _POSIX_SOURCE 1
#endif
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#endif
