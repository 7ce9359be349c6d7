#pragma once
#include <sys/types.h>
/* Handlers never run here: a program that installs one gets no verdict. */
typedef int sig_atomic_t;
typedef struct { unsigned long __bits; } sigset_t;
#define SIGINT 2
#define SIGABRT 6
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
void (*signal(int number, void (*handler)(int)))(int);
int raise(int number);
int kill(pid_t process, int number);
