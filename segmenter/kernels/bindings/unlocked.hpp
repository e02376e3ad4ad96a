// Releases the GIL while a text is decoded, so that threads decode in parallel.
//
// Releasing and taking it costs some 0.1 µs if no other thread wants it. Otherwise a thread that
// finds the GIL taken sleeps, and waking it takes longer than cutting a short text. The other
// threads hold the GIL only briefly, to make a list: so a thread checks for a few microseconds
// whether the GIL is free again, before it sleeps.
#pragma once
#include "bindings/tagged.hpp"

#include <atomic>

#include "batch.hpp"
#include "compiler.hpp"
#include "lattice/decoder.hpp"
#include "worker.hpp"

namespace segmenter {

class Unlocked {
 public:
  Unlocked() {
    lock_taken().store(false, std::memory_order_release);
    state_ = PyEval_SaveThread();
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    for (int k = 0; k < kLooks && lock_taken().load(std::memory_order_acquire); ++k) pause();
    PyEval_RestoreThread(state_);
    lock_taken().store(true, std::memory_order_relaxed);
  }

 private:
  static constexpr int kLooks = 100;  // of 20 to 45 ns each
  PyThreadState* state_;

  // Whether one of these calls took the lock last and has not given it away in another.
  static std::atomic<bool>& lock_taken() {
    static std::atomic<bool> taken{false};
    return taken;
  }
  static void pause() {
#if SEGMENTER_SSE && defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__) && !defined(_MSC_VER)
    asm volatile("yield");
#endif
  }
};

// From how many characters on giving the lock away costs at most 2% of the time of decoding them,
// that is from 5 µs on.
inline size_t worth_unlocking(const Plan& plan) {
  if (plan.tagger) return reads_many(plan) ? 16 : 128;
  return plan.decoder == Decoder::kUnigram ? 192 : 64;
}

// Worker::run without the lock.
inline const Decision* run_unlocked(Worker& worker, const Plan& plan, const Text& text,
                                    const Request& request) {
  Unlocked scope;
  return worker.run(plan, text, request);
}

// decide_tags() without the lock.
inline void tags_unlocked(const PosModel& m, const PosKnown& known, PosScratch& s) {
  Unlocked scope;
  decide_tags(m, known, s);
}

}  // namespace segmenter
