// Threads of one call.
#pragma once
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "interrupt.hpp"

namespace segmenter {

#if defined(__wasm__) && !defined(_REENTRANT)
// WebAssembly without shared memory has one thread: there is nothing to lock and nothing to wait
// for.
struct Mutex {
  void lock() {}
  void unlock() {}
};
struct Condition {
  void notify_one() {}
  template <class Lock, class Time>
  void wait_for(Lock&, Time) {}
};
template <class Work>
void in_threads(int n, Work&& work) {
  for (int i = 0; i < n; ++i) work(i);
}
#else
using Mutex = std::mutex;
using Condition = std::condition_variable;

// Runs work(i) for i in [0, n) on n threads, one of them the caller's; the first exception wins.
// The Interrupt of the caller ends all of them; it is asked even after the caller's own share is
// done.
template <class Work>
void in_threads(int n, Work&& work) {
  std::vector<std::exception_ptr> exceptions(static_cast<size_t>(n));
  Interrupt* const call = Interrupt::of_this_thread();
  Mutex mutex;
  Condition ended;
  int running = 0;
  auto run_guarded = [&](int i) {
    try {
      work(i);
    } catch (...) { exceptions[size_t(i)] = std::current_exception(); }
  };
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(n));
  int started = 1;
  try {
    for (; started < n; ++started) {
      threads.emplace_back([&, i = started] {
        const Interrupt::Join join({call, true});
        run_guarded(i);
        const std::lock_guard<Mutex> lock(mutex);
        --running;
        ended.notify_one();
      });
      const std::lock_guard<Mutex> lock(mutex);
      ++running;
    }
    // the system gives no further thread or no memory for it: the caller does the rest
  } catch (const std::exception&) {}
  run_guarded(0);
  for (int i = started; i < n; ++i) run_guarded(i);
  if (call) {
    std::unique_lock<Mutex> lock(mutex);
    while (running > 0) {
      ended.wait_for(lock, std::chrono::milliseconds(50));
      lock.unlock();  // check() may run Python code
      try {
        if (!exceptions[0]) call->check();
      } catch (...) { exceptions[0] = std::current_exception(); }
      lock.lock();
    }
  }
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& e : exceptions)
    if (e) std::rethrow_exception(e);
}
#endif

}  // namespace segmenter
