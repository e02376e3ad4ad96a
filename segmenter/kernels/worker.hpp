// A worker: cuts one text at a time, in four steps, and keeps the memory that calls work in.
//
// 1. What is needed: how much the tokens must tell (Want), of which the fewest callers need all.
// 2. Spans: from the text, the user's words and atoms; what no decoder may cut or cross, and edges that
//    compete with the lexicon's words (spans/spans.hpp gives UserEdits).
// 3. The decoder of the plan: from the text and the edits a path, as tokens or as ends alone
//    (tagging/tagger.hpp; lattice/decoder.hpp).
// 4. What becomes of the path: spans are put back, unknown text is cut again, tokens that the caller skips
//    are marked (post_edit.hpp).
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "request.hpp"
#include "result.hpp"
#include "text.hpp"

namespace segmenter {

class Worker {
 public:
  std::vector<Match> matches;  // for the caller to fill

  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // Cuts a text. The result is valid until the next call.
  const Decision* run(const Plan& plan, const Text& text, const Request& request);
  uint64_t steps() const;  // the amount of work of the last call

  // What the steps are made of; inspect.cpp asks them more.
  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  const std::unique_ptr<Parts> parts_;
};

}  // namespace segmenter
