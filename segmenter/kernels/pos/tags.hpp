// Tags the words of a text; see pos/pos.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

#include "interrupt.hpp"
#include "pos/decide.hpp"

namespace segmenter {

// Decides the tags of the words in `scratch`, all of which `cache` has looked up.
//
// First by what each word and its neighbours say alone; then, from left to right, the few tags
// that this leaves in doubt, each after the tags before it.
inline void pos_tags(const PosModel& m, const PosKnown& cache, PosScratch& scratch) {
  PosDecider decider(m, cache);
  const PosWord* const words = scratch.words();
  uint32_t* const undecided = scratch.undecided();
  uint8_t* const tags = scratch.tags();
  size_t n_doubtful = 0;
  for (size_t j = 0; j < scratch.n_undecided(); ++j) {
    if (j % Interrupt::kEvery == 0) Interrupt::poll();
    const uint32_t place = undecided[j];
    undecided[n_doubtful] = place;
    n_doubtful += !decider.decide_alone(words + place, tags[place]);
  }
  for (size_t j = 0; j < n_doubtful; ++j) {
    if (j % Interrupt::kEvery == 0) Interrupt::poll();
    const uint32_t place = undecided[j];
    tags[place] = decider.decide_in_context(words + place, tags[place - 1], tags[place - 2]);
  }
}

}  // namespace segmenter
