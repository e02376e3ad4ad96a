// Four positions of a path at a time: the table that trace_by_fours() in unigram.hpp reads.
#pragma once
#include <cstdint>

namespace segmenter {

// What a path does in four adjacent positions when it reaches the last: indexed by the marks of
// their lengths, the last position's highest.
struct Four {
  uint8_t back[4] = {};           // steps back to ends, ascending from the last byte
  uint8_t count = 0, length = 0;  // number of ends; steps back to the next position
  uint16_t unused = 0;            // pads to eight bytes
};
struct Fours {
  Four of[256];
  constexpr Fours() {
    for (uint32_t marks = 0; marks < 256; ++marks) {
      Four& four = of[marks];
      uint8_t k = 0;
      for (; k < 4; k = uint8_t(k + 4 - (marks >> (6 - 2 * k) & 3)))
        four.back[3 - four.count++] = k;
      four.length = k;
    }
  }
};
constexpr Fours kFours{};

}  // namespace segmenter
