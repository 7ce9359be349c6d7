#pragma once
/* The platform's own where it has them: its other headers are written in these words. */
#if !defined __WMBMC_ILP32__ && defined __has_include_next
#if __has_include_next(<sys/cdefs.h>)
#include_next <sys/cdefs.h>
#endif
#endif
#ifndef __BEGIN_DECLS
#define __BEGIN_DECLS
#define __END_DECLS
#endif
#ifndef __P
#define __P(args) args
#endif
#ifndef __CONCAT
#define __CONCAT(a, b) a##b
#define __STRING(a) #a
#endif
#ifndef __THROW
#define __THROW
#endif
