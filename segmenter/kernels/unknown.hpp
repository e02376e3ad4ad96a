// The interface of cutters of unknown words: the engine's side of oov="bpe" and "unigram".
//
// The engine does not depend on subword models. An implementation in another extension is passed in
// as a capsule.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "interrupt.hpp"
#include "text.hpp"

namespace segmenter {

class UnknownCutter {
 public:
  static constexpr const char* kCapsule = "segmenter.UnknownCutter";

  struct Memory {  // of one thread
    virtual ~Memory() = default;
  };

  virtual ~UnknownCutter() = default;
  virtual std::unique_ptr<Memory> memory() const = 0;
  // Appends the exclusive ends of the parts of a span, ascending; the last is span.n. `call` is the
  // Interrupt to look at: another extension has thread-locals of its own.
  virtual void cut(const Text& span, Interrupt::Share call, Memory& memory,
                   std::vector<uint32_t>& ends) const = 0;
};

}  // namespace segmenter
