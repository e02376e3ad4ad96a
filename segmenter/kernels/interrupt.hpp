// Ends a long call early: from time to time the call asks its caller whether to continue; if not,
// all threads of the call stop.
//
// A call that may take long creates an Interrupt. Its loops call Interrupt::poll(), which throws
// Interrupted when the call should end, and does nothing if the thread has no Interrupt. Reading
// the clock takes as long as ten characters, so loops over short stretches pass their length, and
// the clock is read once per kEvery characters.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

namespace segmenter {

struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

class Interrupt {
 public:
  using Ask = bool (*)();  // true: end the call
  static constexpr uint32_t kEvery = 1 << 12;

  explicit Interrupt(Ask ask) : ask_(ask), outer_(current()) { current() = this; }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt() {
    current() = outer_;
    of_last_call() = covered_;
  }

  static Interrupt* of_this_thread() { return current(); }
  static void poll(size_t characters = kEvery) {
    if (Interrupt* call = current()) call->check(characters);
  }
  // Calls step(k) for every k < n, and poll() once per kEvery steps: for loops of any length.
  template <class Step>
  static void for_each(size_t n, const Step& step) {
    for (size_t k = 0; k < n;) {
      if (k) poll();
      for (const size_t stop = n - k > kEvery ? k + kEvery : n; k < stop; ++k) step(k);
    }
  }
  // For tests: the number of characters that the last call of this thread passed to poll(). A text
  // that a call reads five times counts five times.
  static uint64_t& of_last_call() {
    static thread_local uint64_t characters = 0;
    return characters;
  }
  // Throws Interrupted if the call should end.
  void check(size_t characters = kEvery) {
    if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
    if (helping()) return;  // only the caller's thread reads the clock and asks
    since_poll_ += characters;
    covered_ += characters;
    if (since_poll_ < kEvery) return;
    since_poll_ = 0;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_poll_ < std::chrono::milliseconds(20)) return;
    last_poll_ = now;
    if (!ask_()) return;
    stop_.store(true, std::memory_order_relaxed);
    throw Interrupted();
  }

  // The part of a thread in a call: the caller's own thread, or a thread that helps.
  struct Share {
    Interrupt* call;
    bool helping;
  };
  static Share share() { return Share{current(), helping()}; }
  // Lets this thread, or code of another extension in it, take part in a call until the scope ends.
  class Join {
   public:
    explicit Join(Share joined) : outer_(share()) { set(joined); }
    Join(const Join&) = delete;
    Join& operator=(const Join&) = delete;
    ~Join() { set(outer_); }

   private:
    static void set(Share share) {
      current() = share.call;
      helping() = share.helping;
    }
    const Share outer_;
  };

 private:
  const Ask ask_;
  Interrupt* const outer_;
  std::atomic<bool> stop_{false};
  size_t since_poll_ = 0;
  uint64_t covered_ = 0;
  std::chrono::steady_clock::time_point last_poll_ = std::chrono::steady_clock::now();

  static Interrupt*& current() {
    static thread_local Interrupt* call = nullptr;
    return call;
  }
  static bool& helping() {
    static thread_local bool helps = false;
    return helps;
  }
};

// The Interrupt of a function: from begin() to the end of the function.
class LongCall {
 public:
  void begin(Interrupt::Ask ask) { call_.emplace(ask); }

 private:
  std::optional<Interrupt> call_;
};

}  // namespace segmenter
