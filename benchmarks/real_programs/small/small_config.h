/* What cmake makes of small_config.h.cmake on Linux. */
#pragma once
#define TARANTOOL_SMALL_HAVE_MAP_ANONYMOUS 1
#define TARANTOOL_SMALL_USE_MADVISE 1
