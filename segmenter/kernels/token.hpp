// The tokens of a text, one per word, and the edges of its word graph, with their kinds.
#pragma once
#include <cstdint>

namespace segmenter {

// What an edge or token is.
enum EdgeKind : uint8_t {
  kWord = 0,  // a word of the lexicon or of the user
  kUnknown,   // one character that the lexicon lacks
  kNumber,    // 3.14  50%  三千五百  第一
  kDate,      // 1998年  12月  三十一日
  kLatinRun,  // iphone15
  kBlankRun,
  kLineEnd,    // \n  \r\n
  kScriptRun,  // кириллица, カタカナ, …
  kCluster,    // a character with its combining marks
  kEdgeKinds
};
// Kinds from kEdgeKinds on are atoms (atoms/atoms.hpp), kinds from kUserWord on are words of the
// user, one kind per layer of the dictionary; their slot is the entry's number. They have neither a
// cost nor an n-gram token of their own.
constexpr uint32_t kUserWord = 32;

// One word: its exclusive end in the text; what = slot | kind_bits(kind) | flags.
struct Token {
  uint32_t end, what;
};
constexpr uint32_t kNotCanonical = 1u << 31;  // the spelling differs from the lexicon's
constexpr uint32_t kDropped = 1u << 30;       // the caller asked to skip it
constexpr uint32_t kSlotBits = 0xFFFFFF;
constexpr uint32_t kKindShift = 24;
constexpr uint32_t kind_bits(uint32_t kind) { return kind << kKindShift; }
inline uint32_t token_slot(uint32_t what) { return what & kSlotBits; }
inline EdgeKind token_kind(uint32_t what) { return EdgeKind(what >> kKindShift & 0x3F); }

// `what` of the edges of a span that is decided before decoding (spans/edits.hpp), a character each: no choice, so
// no cost.  N-gram models see an unknown character before what follows.
constexpr uint32_t kInSpan = kind_bits(kUnknown) | kSlotBits;

// Marks before a character.
constexpr uint8_t kMarkCut = 1;   // a boundary is forced here
constexpr uint8_t kMarkJoin = 2;  // no boundary may be here

// An edge of the word DAG.
struct Edge {
  uint32_t start, end, cost, token_id, what;
};

}  // namespace segmenter
