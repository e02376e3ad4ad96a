// The pairs of characters of a stretch: their records, and the positions where longer words may
// begin.
#pragma once
#include <cstddef>
#include <cstdint>

#include "tagging/prefetch.hpp"
#include "tagging/lexicon_states.hpp"
#include "tagging/model.hpp"

namespace segmenter {

struct Pairs {
  const TaggerModel& m;
  const uint16_t* ids;  // of the stretch's characters
  uint32_t n;
  // [n]: the record that counts for the pair: its own or, if it has none, that of its first character
  const int8_t** records;
  uint32_t* candidates;  // positions where words may go on after a pair
  size_t n_candidates;
  LexiconStates& states;  // of words of two characters
  WordPrefetch& prefetch;
};

}  // namespace segmenter
