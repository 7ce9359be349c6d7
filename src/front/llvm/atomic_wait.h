// Waits for a change of an atomic object (C++20, [atomics.wait]), in the place of libstdc++'s <bits/atomic_wait.h>.
//
// A wait may end for no reason and then looks at the value again, so what it does is a loop until the value has
// changed. libstdc++ has a table of waiting threads, which is found by the number of an address.

#ifndef _GLIBCXX_ATOMIC_WAIT_H
#include <bits/c++config.h>

#if _GLIBCXX_RELEASE < 11 || _GLIBCXX_RELEASE > 14
#include_next <bits/atomic_wait.h>
#else
#define _GLIBCXX_ATOMIC_WAIT_H 1
#define _GLIBCXX_ATOMIC_TIMED_WAIT_H 1
#ifndef __cpp_lib_atomic_wait
#define __cpp_lib_atomic_wait 201907L
#endif
#define _GLIBCXX_HAVE_PLATFORM_WAIT 1

#include <bits/chrono.h>
#include <bits/functional_hash.h>
#include <bits/gthr.h>
#include <bits/std_mutex.h>
#include <bits/this_thread_sleep.h>
#include <ext/numeric_traits.h>

namespace std {
namespace __detail {
extern "C" int __VERIFIER_nondet_int(void);

using __platform_wait_t = int;
static constexpr size_t __platform_wait_alignment = 4;

inline void __thread_yield() noexcept {}
inline void __thread_relax() noexcept {}

struct __default_spin_policy {
  bool operator()() const noexcept { return false; }
};

// Tries a few times in libstdc++, and so may end without success.
template <class _Pred, class _Spin = __default_spin_policy>
bool __atomic_spin(_Pred &__pred, _Spin = _Spin{}) noexcept {
  return __pred();
}

template <class _Tp> bool __wait_is_over(const _Tp &__old, const _Tp &__now) {
  return __builtin_memcmp(&__old, &__now, sizeof(_Tp)) != 0;
}
} // namespace __detail

template <class _Tp>
inline constexpr bool __platform_wait_uses_type = is_scalar_v<_Tp> && sizeof(_Tp) == 4;

template <class _Tp, class _ValFn>
void __atomic_wait_address_v(const _Tp *, _Tp __old, _ValFn __load) noexcept {
  if constexpr (is_scalar_v<_Tp> && !is_floating_point_v<_Tp>) {
    while (__load() == __old)
      ;
  } else {
    while (!__detail::__wait_is_over<_Tp>(__old, __load()))
      ;
  }
}

template <class _Tp, class _Pred>
void __atomic_wait_address(const _Tp *, _Pred __pred) noexcept {
  while (!__pred())
    ;
}

template <class _Pred>
void __atomic_wait_address_bare(const __detail::__platform_wait_t *, _Pred __pred) noexcept {
  while (!__pred())
    ;
}

// A wait with a limit may end at any time.
template <class _Pred, class _Limit>
bool __atomic_wait_address_until_bare(const __detail::__platform_wait_t *, _Pred __pred, const _Limit &) noexcept {
  if (__detail::__VERIFIER_nondet_int())
    return __pred();
  while (!__pred())
    ;
  return true;
}

template <class _Pred, class _Limit>
bool __atomic_wait_address_for_bare(const __detail::__platform_wait_t *__addr, _Pred __pred,
                                    const _Limit &__limit) noexcept {
  return __atomic_wait_address_until_bare(__addr, __pred, __limit);
}

template <class _Tp, class _Pred, class _Limit>
bool __atomic_wait_address_until(const _Tp *, _Pred __pred, const _Limit &__limit) noexcept {
  return __atomic_wait_address_until_bare(nullptr, __pred, __limit);
}

template <class _Tp, class _Pred, class _Limit>
bool __atomic_wait_address_for(const _Tp *, _Pred __pred, const _Limit &__limit) noexcept {
  return __atomic_wait_address_until_bare(nullptr, __pred, __limit);
}

template <class _Tp> void __atomic_notify_address(const _Tp *, bool) noexcept {}
inline void __atomic_notify_address_bare(const __detail::__platform_wait_t *, bool) noexcept {}
} // namespace std
#endif
#endif
