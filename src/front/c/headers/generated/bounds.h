#pragma once
#define SPINLOCK_SIZE 4
