// The word at an offset of a text, the next word and the previous word, read from the lines around
// it alone.
//
// No rule of the engine reads across a line feed. A line feed is a token of its own: every decoder
// ends before it, and every decoder, tagger and rule begins after it as at the start of a text
// (tests/promises.py tests all of them). In general this does not hold for the end of a sentence,
// since a tagger scores the characters after 。 by the characters before it. In a long line a
// linear tagger tests at which ends of sentences it holds: where 。 is a word of its own on every
// best path, whatever is around it, no boundary on one side depends on the other side.
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

// The places after marks of sentence ends at which a linear tagger starts anew, whatever is before
// or after the text: the mark is a word of its own on every best path. A place closer to an end of
// the text than anew_reach() is not found, because what is beyond that end could decide there. For
// other plans there are no such places.
void anew_places(Worker& worker, const Plan& plan, const Text& text, std::vector<uint32_t>& places);
// How many characters on either side decide about a place; 0: the plan has no such places.
uint32_t anew_reach(const Plan& plan);

// Which word to find, numbered as segmenter_place in C.
enum class WordPlace : int {
  kAt,       // the word of the character at the offset
  kNext,     // the first word that begins after the offset and is not blank
  kPrevious  // the last word that begins before the offset and is not blank
};

// Finds a word. next() sets the cells to cut, a line or less; the caller cuts them and passes the
// result to find(), until find() has found the word or next() returns false:
//
//   if (std::string fault = finder.start(...); !fault.empty()) …;
//   while (finder.next(worker, plan))
//     if (finder.find(*cut(finder.first, finder.last))) return …;
class WordFinder {
 public:
  // The cells to cut.
  size_t first = 0, last = 0;
  // The word that was found: its row among the tokens that are not dropped, and its offsets in
  // units.
  size_t row = 0;
  uint64_t start_offset = 0, end_offset = 0;

  // `text`: code points or, if `utf8`, bytes of UTF-8, of which only those that are cut are
  // checked. `offset` is in units; an offset inside a character means this character. Returns the
  // fault of the offset, or "".
  std::string start(const Plan& plan, const Text& text, bool utf8, size_t offset, OffsetUnit unit,
                    WordPlace place);
  bool next(Worker& worker, const Plan& plan);
  bool find(const Decision& decision);

 private:
  Text text_;
  bool utf8_ = false;
  bool cut_whole_ = false;  // cut the whole text: words of the user may contain line feeds
  OffsetUnit unit_ = OffsetUnit::kCodePoints;
  WordPlace place_ = WordPlace::kAt;
  size_t origin_ = 0;           // the cell where the character at the offset begins
  uint64_t origin_offset_ = 0;  // origin_ in units
  size_t cursor_ = 0;           // the text is searched up to this cell
  // the engine starts anew at both cells, so tokens between them are those of the whole text
  size_t certain_begin_ = 0, certain_end_ = 0;
  Utf8Text decoded_;
  std::vector<uint32_t> places_;

  void choose(Worker& worker, const Plan& plan, size_t cell);
  bool choose_sentences(Worker& worker, const Plan& plan, size_t cell, size_t line_begin,
                        size_t line_end);
  size_t find_line_begin(size_t cell, size_t lower_bound) const;
  size_t find_line_end(size_t cell, size_t upper_bound) const;
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
