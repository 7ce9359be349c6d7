/* perfbook's Makefile makes api.h of these files. */
#ifndef __PERFBOOK_API_H__
#define __PERFBOOK_API_H__
#include "linux/common.h"
#include "arch-x86/arch-x86.h"
#include "api-pthreads/api-pthreads.h"
#include "api-pthreads/api-gcc.h"
#include "api-pthreads/api-linux.h"
#define _LGPL_SOURCE
#include <urcu/rculist.h>
#include <urcu/rcuhlist.h>
#include <urcu/pointer.h>
#endif
