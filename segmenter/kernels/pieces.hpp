// What is asked of a call, and what it decides: pieces of a text, one per word.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace segmenter {

// What an edge is that is not a word of the lexicon.
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
  kBare,   // ends; of the unigram lattice without pieces where none are needed, see Decision
  kEnds,   // ends, and the kinds of class edges; no words
  kWords,  // slots and spellings as well; a character that no lexicon has looks like a word
  kKinds,  // all kinds
};

// The user's words and atoms in a text, see user/edits.hpp.
struct UserEdits;

// A word that a matcher outside the kernels has found.
struct Match {
  uint32_t start, end, cost, slot;
};

// What is wanted of one call.
struct Request {
  Want want = Want::kWords;                    // of the unigram lattice and of taggers; the others tell everything
  bool by_lines = false;                       // the user's words take in no line end
  bool margins = false;                        // of a tagger: by how much each piece is decided
  bool boundaries = false;                     // and each boundary
  bool again = false;                          // of a tagger: the text is that of its last call, read once is enough
  bool portable = false;                       // of a tagger: without vector instructions, for tests
  const uint8_t* marks = nullptr;              // of a tagger: forced and forbidden boundaries, a byte a character
  const std::vector<Match>* found = nullptr;   // by start, then by end: instead of the trie's words
  const UserEdits* edits = nullptr;            // what the user's words do to the text; null: nothing
};

// One decided word: exclusive end in the text; what = slot | kind << 24 | flags.
struct Piece {
  uint32_t end, what;
};
constexpr uint32_t kNotCanonical = 1u << 31;  // the text differs from the lexicon's own spelling
constexpr uint32_t kDropped = 1u << 30;       // the caller asked not to see it
inline uint32_t piece_slot(uint32_t what) { return what & 0xFFFFFF; }
inline EdgeKind piece_kind(uint32_t what) { return EdgeKind(what >> 24 & 0x3F); }

// A column of exclusive ends; first is null where there is none.
struct Ends {
  const uint32_t* first = nullptr;
  size_t n = 0;
};

// What a call decides.
struct Decision {
  std::vector<Piece> pieces;
  Ends column;                      // instead of pieces, where Want::kBare was asked for and nothing needs them
  size_t dropped = 0;               // pieces that are kDropped
  std::vector<float> margins;       // one per piece, where asked for
  std::vector<int32_t> boundaries;  // one per character, where asked for: is one behind it?

  void clear() {
    pieces.clear();
    margins.clear();
    boundaries.clear();
    dropped = 0;
    column = Ends{};
  }
};

}  // namespace segmenter
