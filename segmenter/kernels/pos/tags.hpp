// Tags the words of a text; see pos/pos.hpp.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "pos/group.hpp"

namespace segmenter {

// Tags scratch.words, which `known` has looked up; `given` is empty or has a tag or kNoTag for each
// word. Blanks and line ends take the tag of their class.
inline void pos_tags(const PosModel& m, const PosKnown& known, PosScratch& s,
                     const std::vector<uint8_t>& given, std::vector<uint8_t>& tags) {
  s.arrange(known.unknown());
  const size_t n = s.around.size();
  s.tags.resize(n);
  s.open.resize(n);
  // First the words without a choice; branch-free, as which words those are is unpredictable.
  size_t n_open = 0;
  for (size_t k = 0; k < n; ++k) {
    const uint32_t i = s.where[k];
    uint32_t tag = m.n_tags;  // the boundary
    if (i != PosScratch::kNowhere) {
      tag = given.empty() ? kNoTag : given[i];
      if (tag == kNoTag) tag = m.single(s.around[k].cls);
    }
    s.tags[k] = uint8_t(tag);
    s.open[n_open] = uint32_t(k);
    n_open += tag == kNoTag;
  }
  PosGroup group;
  for (size_t j = 0; j < n_open; j += PosGroup::kWords) {
    if (j % Interrupt::kEvery == 0) Interrupt::look();
    const uint32_t size = uint32_t(std::min<size_t>(n_open - j, PosGroup::kWords));
    group.run(m, known, s.around.data(), &s.open[j], size, s.tags.data());
  }
  tags.resize(s.words.size());
  for (size_t i = 0; i < s.words.size(); ++i)
    if (s.words[i].cls <= kShapeLine) tags[i] = uint8_t(m.single(s.words[i].cls));
  for (size_t k = 0; k < n; ++k)
    if (s.where[k] != PosScratch::kNowhere) tags[s.where[k]] = s.tags[k];
}

}  // namespace segmenter
