// The tokens of a text, one per word, and the edges of its word graph; their kinds.
#pragma once
#include <cstdint>

namespace segmenter {

// The kind of an edge or token.
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
// Kinds from kEdgeKinds on are atoms (atoms/atoms.hpp). Kinds from kUserWord on are user words, one
// kind per layer of the dictionary; their slot is the number of the entry. They have neither a cost
// nor an n-gram token of their own.
constexpr uint32_t kUserWord = 32;

// One word: its exclusive end in the text; label = slot | kind_bits(kind) | flags.
struct Token {
  uint32_t end, label;
};
constexpr uint32_t kNotCanonical = 1u << 31;  // the spelling differs from that of the lexicon
constexpr uint32_t kDropped = 1u << 30;       // the caller skips it
constexpr uint32_t kSlotBits = 0xFFFFFF;
constexpr uint32_t kKindShift = 24;
constexpr uint32_t kind_bits(uint32_t kind) { return kind << kKindShift; }
inline uint32_t token_slot(uint32_t label) { return label & kSlotBits; }
inline EdgeKind token_kind(uint32_t label) { return EdgeKind(label >> kKindShift & 0x3F); }

// The `label` of the edges inside a span, which is decided before decoding (spans/edits.hpp): an
// edge per character, at no cost, since there is no choice. N-gram models read an unknown character
// there.
constexpr uint32_t kInSpan = kind_bits(kUnknown) | kSlotBits;

// Marks of a character: about the boundary before it.
constexpr uint8_t kMarkCut = 1;   // a boundary is forced here
constexpr uint8_t kMarkJoin = 2;  // no boundary may be here

// An edge of the word DAG.
struct Edge {
  uint32_t start, end, cost, token_id, label;
};

}  // namespace segmenter
