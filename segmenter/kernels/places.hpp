// The word at an offset of a text, the next and the previous word, read from the lines around it alone.
//
// No rule of the engine looks across a line feed. A line feed is a token of its own: every decoder ends
// before it, and every decoder, tagger and rule begins after it as at the start of a text
// (tests/promises.py tests all of them). The end of a sentence does not have this property in general,
// since a tagger scores the characters after 。 by the characters before it. In a long line a linear
// tagger tests which ends of sentences do have it: where 。 is a word of its own on every best path,
// whatever is around it, no boundary on one side depends on the other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "request.hpp"
#include "result.hpp"
#include "text.hpp"
#include "offsets.hpp"
#include "utf8_text.hpp"
#include "worker.hpp"

namespace segmenter {

// The places after marks of sentences' ends at which a linear tagger starts anew, whatever stands before
// or after the text: the mark is a word of its own on every best path. Places closer to the text's ends
// than anew_reach() are not among them, because what is beyond decides there. None for other plans.
void anew_places(Worker& worker, const Plan& plan, const Text& text, std::vector<uint32_t>& places);
// How many characters on either side decide about a place; 0: the plan has none.
uint32_t anew_reach(const Plan& plan);

// Which word is looked for, numbered as segmenter_place of C.
enum class WordPlace : int {
  kAt,       // the one that the character at the offset is in
  kNext,     // the first that begins after the offset and is not blank
  kPrevious  // the last that begins before the offset and is not blank
};

// Finds a word. The caller cuts what next() gives, a line or less, and hands the result to find(), until
// find() finds the word or next() gives no more:
//
//   if (std::string fault = finder.start(...); !fault.empty()) …;
//   while (finder.next(worker, plan))
//     if (finder.find(*cut(finder.first, finder.last))) return …;
class WordFinder {
 public:
  // What is to be cut: from one cell of the text to another.
  size_t first = 0, last = 0;
  // The word that was found: which token of those that are not dropped, and its offsets in units.
  size_t row = 0;
  uint64_t start_offset = 0, end_offset = 0;

  // `text`: code points, or, if `utf8`, bytes of UTF-8, of which only those that are cut are checked.
  // `offset`: counts units, and inside a character means this character. Returns why there is no such
  // place; "": there is.
  std::string start(const Plan& plan, const Text& text, bool utf8, size_t offset, OffsetUnit unit,
                    WordPlace place);
  bool next(Worker& worker, const Plan& plan);
  bool find(const Decision& decision);

 private:
  Text text_;
  bool utf8_ = false;
  bool cut_whole_ = false;  // words may contain line feeds: the whole text is cut
  OffsetUnit unit_ = OffsetUnit::kCodePoints;
  WordPlace place_ = WordPlace::kAt;
  size_t origin_ = 0;           // the cell at which the character at the offset begins
  uint64_t origin_offset_ = 0;  // the same in units
  size_t cursor_ = 0;           // the cell up to which the text was searched
  // the tokens between these cells, where the engine starts anew, are those of the whole text
  size_t sure_first_ = 0, sure_last_ = 0;
  Utf8Text decoded_;
  std::vector<uint32_t> places_;

  void choose(Worker& worker, const Plan& plan, size_t cell);
  bool choose_sentences(Worker& worker, const Plan& plan, size_t cell, size_t line_first,
                        size_t line_last);
  size_t after_feed_before(size_t cell, size_t least) const;
  size_t after_feed_from(size_t cell, size_t most) const;
  bool inside_character(size_t cell) const;
  size_t step_back(size_t cell, size_t characters) const;
  size_t step_ahead(size_t cell, size_t characters) const;
  size_t advance(size_t cell, size_t characters) const;
  bool units_are_cells() const {
    return unit_ == (utf8_ ? OffsetUnit::kUtf8 : OffsetUnit::kCodePoints);
  }
  uint64_t units(size_t begin, size_t end) const;
  uint64_t set_origin(size_t offset);
};

}  // namespace segmenter
