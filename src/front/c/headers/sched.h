#pragma once
#include <time.h>
struct sched_param { int sched_priority; };
int sched_yield(void);
