// A Plan has the models and options that calls share; a Request has the arguments of one call.
#pragma once
#include <cstdint>
#include <vector>

#include "text.hpp"

namespace segmenter {

// Which fields of tokens are set. Few callers need all of them, and each level costs some loads per
// word.
enum class Want {
  kEndsOnly,  // ends; the unigram lattice makes no tokens if nothing needs them: Decision::column
  kEnds,      // ends, and kinds of class edges; no words
  kWords,     // also slots and spellings; an unknown character looks like a word
  kKinds,     // all kinds
};

// The effects of user words and atoms on a text: spans/edits.hpp.
struct UserEdits;

// A word that a matcher outside the kernels has found.
struct Match {
  uint32_t start, end, cost, slot;
};
// A matcher finds all words of the lexicon in a text, by start, then by end.
class WordMatcher {
 public:
  virtual void find(const Text& text, std::vector<Match>& words) const = 0;

 protected:
  ~WordMatcher() = default;
};

// The arguments of one call.
struct Request {
  Want want = Want::kWords;  // for the unigram lattice and taggers; others set all fields
  bool by_lines = false;     // words of the user contain no line end
  bool numbers = true;       // spans have the numbers of their user words; else 0
  bool spans = true;         // user words as spans; else their marks suffice
  bool margins = false;      // taggers: the margin of each token
  bool boundaries = false;   // taggers: the margin of each boundary
  bool same_text = false;    // taggers: the text is that of the last call
  bool read_ahead = false;   // taggers: triggers() has read the text
  bool measures = false;     // boundaries between numerals and measure words
  // taggers: forced and forbidden boundaries, one byte per character
  const uint8_t* marks = nullptr;
  // words to use instead of those of the trie; by start, then by end
  const std::vector<Match>* matches = nullptr;
  // by slot: pointers that the caller will read for each word, under its lock. The tagger
  // prefetches them if the text is short (tagging/prefetch.hpp). Null: nothing
  const void* const* shared = nullptr;
  const UserEdits* edits = nullptr;  // null: no effects
};

struct AtomRules;
struct Lexicon;
class MarkedMap;
struct NgramModel;
struct TaggerModel;
class UnknownCutter;
struct UserDictionary;

enum class Decoder : int;  // of a lattice: lattice/decoders.hpp
enum Skip : uint32_t { kSkipSpace = 1, kSkipPunct = 2 };

// The objects that a plan points to are shared and outlive the call.
struct Plan {
  const Lexicon* lex = nullptr;
  const WordMatcher* matcher = nullptr;  // finds the words of a lattice; null: the trie does
  const NgramModel* model = nullptr;
  const TaggerModel* tagger = nullptr;  // null: `decoder`, over a lattice
  Decoder decoder{};
  // cuts what the lexicon leaves as single characters; null: nothing does
  const TaggerModel* unknown_tagger = nullptr;
  // cuts what lexicon or tagger do not know; null: nothing does
  const UnknownCutter* subwords = nullptr;
  bool keep_unknown = false;  // adjacent unknown Han characters stay one token
  uint32_t skip = 0;
  const UserDictionary* user = nullptr;  // null: the user has no words
  const AtomRules* atoms = nullptr;      // null: no atoms
  // the map of the lexicon with the characters of these rules marked; may be null
  const MarkedMap* marked = nullptr;
  bool marks_atoms = false;  // whether the map of the tagger marks atoms
  bool measures = false;     // boundaries between numerals and measure words, 三/本
};

}  // namespace segmenter
