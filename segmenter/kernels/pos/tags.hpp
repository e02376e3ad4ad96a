// Tags the words of a text; see pos/pos.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

#include "interrupt.hpp"
#include "pos/decide.hpp"

namespace segmenter {

// Decides the tags of the words in `s`, all of which `known` has looked up.
//
// First what each word and its neighbours say by themselves; then, from left to right, the few that
// this leaves in doubt, each after the tags before it.
inline void pos_tags(const PosModel& m, const PosKnown& known, PosScratch& s) {
  PosDecider decider(m, known);
  const PosWord* const around = s.around();
  uint32_t* const open = s.open();
  uint8_t* const tags = s.tags();
  size_t n = 0;
  for (size_t j = 0; j < s.n_open(); ++j) {
    if (j % Interrupt::kEvery == 0) Interrupt::look();
    const uint32_t at = open[j];
    open[n] = at;
    n += !decider.first(around + at, tags[at]);
  }
  for (size_t j = 0; j < n; ++j) {
    if (j % Interrupt::kEvery == 0) Interrupt::look();
    const uint32_t at = open[j];
    tags[at] = decider.second(around + at, tags[at - 1], tags[at - 2]);
  }
}

}  // namespace segmenter
