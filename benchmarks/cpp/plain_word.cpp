// A word with a fixed layout that is claimed by a compare-exchange through std::atomic_ref, with what it guards; only
// some of its accesses are atomic. -DBROKEN: the word is given back without release.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

#ifdef BROKEN
constexpr auto give_back = std::memory_order_relaxed;
#else
constexpr auto give_back = std::memory_order_release;
#endif

struct Header {
  std::uint32_t word;
  std::uint32_t count;
};
static Header header{0, 0};

// Adds one, if nobody else has the word.
static bool add() {
  std::atomic_ref<std::uint32_t> word{header.word};
  std::uint32_t free = 0;
  if (!word.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed))
    return false;
  header.count++;
  std::uint32_t mine = 1;
  return word.compare_exchange_strong(mine, 0, give_back, std::memory_order_relaxed);
}

int main() {
  header.word = 0;
  bool other = false;
  std::thread t([&other] { other = add(); });
  bool own = add();
  t.join();
  assert(header.count == unsigned(own) + unsigned(other));
}
