#pragma once
#include <stddef.h>
typedef long ssize_t;
typedef int pid_t;
typedef unsigned int useconds_t;
unsigned int sleep(unsigned int seconds);
int usleep(useconds_t duration);
pid_t getpid(void);
void _exit(int status);
ssize_t read(int file, void *to, size_t size);
ssize_t write(int file, const void *from, size_t size);
int close(int file);
long sysconf(int name);
#define _SC_NPROCESSORS_ONLN 84
