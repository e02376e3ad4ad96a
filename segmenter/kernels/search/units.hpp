// The units of a text: characters with their marks, and runs of letters or digits. They depend only
// on the characters of the text, not on its segmentation.
#pragma once
#include <cstddef>
#include <cstdint>

#include "lexicon/lexicon.hpp"

namespace segmenter {

// Reads units: `points` has code points by `[]`, `classes` the CharClass of each. `split`: each
// letter and digit is a unit.
template <class Points>
class UnitReader {
 public:
  UnitReader(const Points& points, const uint8_t* classes, size_t n, bool split)
      : points_(points), classes_(classes), n_(n), split_(split) {}

  // The end of the unit that begins at k.
  size_t end(size_t k) const {
    const uint8_t code = classes_[k];
    switch (code) {
      case kDigit:
        if (const size_t after = keycap(k)) return after;
        [[fallthrough]];
      case kLatin:
        k = marks(k + 1);
        while (!split_ && k < n_ && joins(k)) k = marks(k + 1);
        return k;
      case kLf:
      case kCr:  // line ends take no marks
        return k + 1;
      case kBlank:
      case kGreek:
      case kCyrillic:
      case kLetter:
        while (k < n_ && classes_[k] == code) ++k;
        return marks(k);
      default:
        return marks(k + 1);
    }
  }
  // The kind of the unit [start, end).
  EdgeKind kind(size_t start, size_t end) const {
    switch (classes_[start]) {
      case kDigit:
        for (size_t k = start; k < end; ++k)
          if (classes_[k] == kLatin) return kLatinRun;
        return kNumber;
      case kLatin:
        return kLatinRun;
      case kGreek:
      case kCyrillic:
      case kLetter:
        return kScriptRun;
      case kBlank:
      case kCr:
        return kBlankRun;
      case kLf:
        return kLineEnd;
      default:
        return kUnknown;
    }
  }

 private:
  const Points& points_;
  const uint8_t* const classes_;
  const size_t n_;
  const bool split_;

  size_t marks(size_t k) const {
    while (k < n_ && classes_[k] == kExtend) ++k;
    return k;
  }
  // The end of a keycap such as 1️⃣, a unit of its own, whose digit is at k; 0: no keycap.
  size_t keycap(size_t k) const {
    for (++k; k < n_ && classes_[k] == kExtend; ++k)
      if (points_[k] == 0x20E3) return marks(k);
    return 0;
  }
  bool joins(size_t k) const {
    return classes_[k] == kLatin || (classes_[k] == kDigit && !keycap(k));
  }
};

}  // namespace segmenter
