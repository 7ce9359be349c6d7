#pragma once
/* The functions of the platform's library that only fail: that of another machine than this one is mostly not there, and
 * <features.h> includes it for the machine that a program is read for. */
