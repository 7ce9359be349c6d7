// A std::unique_ptr that is handed over through an atomic pointer. The one who takes it owns it. -DBROKEN hands it over
// relaxed: what is in the object is not visible, and deleting it races with its making. -DLATE: the giver looks at the
// object after it has given it away. -DKEPT: the giver forgets to give up its own pointer.
//
// run: --check assert,memory,race,leak
// expect: sc,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE
//
// run: -DLATE
// expect: sc,tso,rc11,aarch64=UNSAFE
//
// run: -DKEPT --check memory
// expect: sc,tso,rc11,aarch64=UNSAFE

#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

#ifdef BROKEN
constexpr auto giving = std::memory_order_relaxed;
#else
constexpr auto giving = std::memory_order_release;
#endif

struct Job {
  int input;
  std::unique_ptr<int> output;
};

std::atomic<Job *> given{nullptr};

int main() {
  std::thread taker([] {
    std::unique_ptr<Job> job(given.exchange(nullptr, std::memory_order_acquire));
    if (job) {
      job->output = std::make_unique<int>(job->input + 1);
      assert(*job->output == 6);
    }
  });
  auto job = std::make_unique<Job>(Job{5, nullptr});
#ifdef KEPT
  given.store(job.get(), giving);
#elif defined LATE
  Job *look = job.get();
  given.store(job.release(), giving);
  assert(look->input == 5);
#else
  given.store(job.release(), giving);
#endif
  taker.join();
  delete given.load(std::memory_order_relaxed);
}
