// What is asked of a call, and what it decides: pieces of a text, one per word.
#pragma once
#include <cstdint>
#include <vector>

namespace segmenter {

// What an edge is when it is no word of the lexicon.
enum EdgeKind : uint8_t {
  kWord = 0,   // a word of the lexicon (or of the user)
  kUnknown,    // one character that no lexicon knows
  kNumber,     // 3.14  50%  三千五百  第一
  kDate,       // 1998年  12月  三十一日
  kLatinRun,   // iphone15
  kBlankRun,
  kLineEnd,    // \n  \r\n
  kScriptRun,  // кириллица, カタカナ, …
  kCluster,    // a character with its combining marks
  kEdgeKinds
};
// Kinds of pieces between these are atoms (atoms/atoms.hpp), and from kUserWord on the user's words, one kind
// a layer of the dictionary; the slot is the entry's number there.  They have neither a cost nor an
// n-gram token of their own.
constexpr uint32_t kUserWord = 32;

// What the pieces are to tell.  Few ask for more than they need, and each step costs some looks a word.
enum class Want {
  kBare,   // ends; of the unigram lattice without pieces where none are needed, see Worker::column
  kEnds,   // ends, and the kinds of class edges; no words
  kWords,  // slots and spellings as well; a character that no lexicon has looks like a word
  kKinds,  // all kinds
};

// One decided word: exclusive end in the text; what = slot | kind << 24 | flags.
struct Piece {
  uint32_t end, what;
};
constexpr uint32_t kNotCanonical = 1u << 31;  // the text differs from the lexicon's own spelling
constexpr uint32_t kDropped = 1u << 30;       // the caller asked not to see it
inline uint32_t piece_slot(uint32_t what) { return what & 0xFFFFFF; }
inline EdgeKind piece_kind(uint32_t what) { return EdgeKind(what >> 24 & 0x3F); }

}  // namespace segmenter
