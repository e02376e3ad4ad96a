// A worker segments one text at a time, in four steps, and owns the working memory of its calls.
//
// 1. Need: which fields of tokens the call needs (Want); few callers need all of them.
// 2. Spans: user words and atoms in the text, which no decoder may cut or cross, and user edges,
//    which compete with the words of the lexicon (spans/spans.hpp gives UserEdits).
// 3. Decoding: the decoder of the plan computes a path from text and edits, as tokens or as ends
//    alone (tagging/tagger.hpp; lattice/decoder.hpp).
// 4. Finishing: spans are inserted, unknown text is cut, tokens that the caller skips are marked
//    (post_edit.hpp).
#pragma once
#include <cstdint>
#include <memory>

#include "request.hpp"
#include "result.hpp"
#include "text.hpp"

namespace segmenter {

class Worker {
 public:
  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // Cuts a text. The result is valid until the next call.
  const Decision* run(const Plan& plan, const Text& text, const Request& request);
  uint64_t steps() const;  // the work of the last call

  // The parts that do the steps; analysis.cpp uses them directly.
  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  const std::unique_ptr<Parts> parts_;
};

}  // namespace segmenter
