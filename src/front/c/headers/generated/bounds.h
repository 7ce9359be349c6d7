#pragma once
/* What a build of the kernel computes: the size of its spin locks here. */
#define SPINLOCK_SIZE 4
