// Double-checked locking by hand: an atomic pointer, a mutex for its first use. -DBROKEN publishes the pointer by a
// relaxed store, -DPLAIN has a plain pointer.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE
//
// run: -DPLAIN --check race
// expect: sc,rc11=UNSAFE

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Config {
  int level = 3;
  static std::mutex making;
#ifdef PLAIN
  static Config *instance;
#else
  static std::atomic<Config *> instance;
#endif

public:
  int get_level() const { return level; }
  static Config &get();
};

std::mutex Config::making;

#ifdef PLAIN
Config *Config::instance;

Config &Config::get() {
  if (!instance) {
    std::lock_guard guard(making);
    if (!instance)
      instance = new Config;
  }
  return *instance;
}
#else
std::atomic<Config *> Config::instance{nullptr};

#ifdef BROKEN
constexpr auto publish = std::memory_order_relaxed;
#else
constexpr auto publish = std::memory_order_release;
#endif

Config &Config::get() {
  Config *found = instance.load(std::memory_order_acquire);
  if (!found) {
    std::lock_guard guard(making);
    found = instance.load(std::memory_order_relaxed);
    if (!found) {
      found = new Config;
      instance.store(found, publish);
    }
  }
  return *found;
}
#endif

int main() {
  const Config *first, *second;
  std::thread a([&] { first = &Config::get(); assert(first->get_level() == 3); });
  std::thread b([&] { second = &Config::get(); assert(second->get_level() == 3); });
  a.join();
  b.join();
  assert(first == second);
}
