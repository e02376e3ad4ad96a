// The interface of cutters of unknown words: the side of the engine for oov="bpe" and "unigram".
//
// The engine does not depend on subword models: an implementation in another extension is passed in
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
  // Appends the exclusive ends of the parts of a span, ascending; the last is span.n. `call`: the
  // part of this thread in the call, since another extension has its own thread-locals.
  virtual void cut(const Text& span, Interrupt::Share call, Memory& memory,
                   std::vector<uint32_t>& ends) const = 0;
};

}  // namespace segmenter
