#pragma once
#include <bits/wmbmc_features.h>
#define POLLIN 1
#define POLLPRI 2
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32
#define POLLRDNORM 64
#define POLLRDBAND 128
#define POLLWRNORM 256
#define POLLWRBAND 512
#define POLLMSG 1024
#define POLLREMOVE 4096
#define POLLRDHUP 8192
typedef unsigned long nfds_t;
struct pollfd { int fd; short events; short revents; };
int poll(struct pollfd *files, nfds_t count, int milliseconds);
