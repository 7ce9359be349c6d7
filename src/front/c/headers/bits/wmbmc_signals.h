#pragma once
/* The platform's headers look for these names before they define the types. */
#ifndef ____sigset_t_defined
#define ____sigset_t_defined
typedef struct { unsigned long __val[1024 / (8 * sizeof(unsigned long))]; } __sigset_t;
#endif
#ifndef __sigset_t_defined
#define __sigset_t_defined 1
typedef __sigset_t sigset_t;
#endif
#ifndef ____sigval_t_defined
#define ____sigval_t_defined
union sigval { int sival_int; void *sival_ptr; };
typedef union sigval __sigval_t;
#endif
#ifndef __sigval_t_defined
#define __sigval_t_defined
typedef __sigval_t sigval_t;
#endif
#ifndef __stack_t_defined
#define __stack_t_defined 1
typedef struct { void *ss_sp; int ss_flags; __SIZE_TYPE__ ss_size; } stack_t;
#endif
#ifndef __siginfo_t_defined
#define __siginfo_t_defined 1
typedef struct {
  int si_signo;
  int si_errno;
  int si_code;
  int __padding;
  int si_pid;
  unsigned int si_uid;
  sigval_t si_value;
  void *si_addr;
  int si_status;
  int __more[21];
} siginfo_t;
#endif
