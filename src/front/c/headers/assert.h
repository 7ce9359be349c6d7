/* assert(): a call that keeps the text of its condition. No include guard: NDEBUG may change. */
#include <bits/wmbmc_features.h>
#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) __wmbmc_assert((__VA_ARGS__), #__VA_ARGS__)
#endif
#undef static_assert
#define static_assert _Static_assert
