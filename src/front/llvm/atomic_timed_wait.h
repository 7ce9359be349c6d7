// Waits with a limit: ours are with those without one.

#include <bits/atomic_wait.h>

#ifndef _GLIBCXX_ATOMIC_TIMED_WAIT_H
#include_next <bits/atomic_timed_wait.h>
#endif
