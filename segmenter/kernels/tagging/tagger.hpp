// The linear character tagger as a predictor (tagging/model.hpp), as a worker calls it; tagging.hpp and
// tagger.cpp implement this.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "request.hpp"
#include "result.hpp"
#include "text.hpp"

namespace segmenter {

class Tagging;

struct TagPath {  // one of the n best
  int64_t score;
  std::vector<uint32_t> ends;
};

// Working memory of one call at a time.
class Tagger {
 public:
  Tagger();
  ~Tagger();
  uint64_t steps() const;  // of the last call

  // Reads a text ahead of a call whose Request has `read_ahead`. Returns the positions at which
  // atoms of the default rules may begin or end; null if they are unknown.
  const std::vector<uint32_t>* triggers(const TaggerModel& m, const Text& text);

  // Decodes a text and appends its words to the decision's tokens.
  void run(const TaggerModel& m, const Text& text, const Request& request, Decision& decision);

  // The n best segmentations, best first; ties in the order of the tags from the right.
  void nbest(const TaggerModel& m, const Text& text, const Request& request, size_t count,
             std::vector<TagPath>& out);

  // Token::label of [s, e) in the text read last.
  uint32_t label_of(const TaggerModel& m, uint32_t s, uint32_t e) const;

  // The scores that decide the path, four per position: kTagNever where marks or runs forbid a
  // tag. Blanks and line ends have the tags of one word at no cost.
  void scores(const TaggerModel& m, const Text& text, const Request& request,
              std::vector<int32_t>& out);

  // The scores of the tags by a model with a network, [n][4], relative to tag S: for tests.
  void emissions(const TaggerModel& m, const Text& text, std::vector<int16_t>& out);

 private:
  const std::unique_ptr<Tagging> tagging_;
};

}  // namespace segmenter
