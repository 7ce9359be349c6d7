// A shared pointer with a reference count: the last owner destroys the object. A decrement releases what its thread has
// done with the object and acquires what the others have. -DBROKEN decrements relaxed: the object may be destroyed
// before another thread has done with it. On x86 each read-modify-write is a full fence.
//
// run: --check assert,memory,race,leak
// expect: rc11=SAFE
//
// run: --check assert,memory,leak
// expect: sc,tso,aarch64=SAFE
//
// run: -DBROKEN
// expect: sc,tso=SAFE rc11=UNSAFE

#include <atomic>
#include <cassert>
#include <thread>
#include <utility>

#ifdef BROKEN
constexpr auto last = std::memory_order_relaxed;
#else
constexpr auto last = std::memory_order_acq_rel;
#endif

template <typename T> class Shared {
  struct Block {
    std::atomic<int> owners;
    T object;
  };
  Block *block;

  void drop() {
    if (block && block->owners.fetch_sub(1, last) == 1)
      delete block;
  }

public:
  explicit Shared(const T &object) : block(new Block{1, object}) {}
  Shared(const Shared &other) : block(other.block) { block->owners.fetch_add(1, std::memory_order_relaxed); }
  Shared(Shared &&other) noexcept : block(std::exchange(other.block, nullptr)) {}
  Shared &operator=(Shared other) noexcept {
    std::swap(block, other.block);
    return *this;
  }
  ~Shared() { drop(); }
  T *operator->() const { return &block->object; }
};

struct Pair {
  int a, b;
};

int main() {
  Shared<Pair> pair(Pair{0, 0});
  std::thread first([pair] { pair->a = 1; });
  std::thread second([pair] { pair->b = 2; });
  pair = Shared<Pair>(Pair{7, 7});
  assert(pair->a == 7);
  first.join();
  second.join();
}
