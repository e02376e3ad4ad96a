// A Plan has the models and options that all calls use; a Request has the arguments of one call.
#pragma once
#include <cstdint>
#include <vector>

#include "text.hpp"

namespace segmenter {

// How much the tokens tell. Few callers need all of it, and each level costs some loads per word.
enum class Want {
  kEndsOnly,  // ends; the unigram lattice makes no tokens where nothing needs them, see Decision
  kEnds,      // ends, and kinds of class edges; no words
  kWords,     // also slots and spellings; a character that the lexicon lacks looks like a word
  kKinds,     // all kinds
};

// What the user's words and atoms do to a text, see spans/edits.hpp.
struct UserEdits;

// A word found by a matcher outside the kernels.
struct Match {
  uint32_t start, end, cost, slot;
};
// Such a matcher: it finds all words of the lexicon in a text, by start, then by end.
class WordMatcher {
 public:
  virtual void find(const Text& text, std::vector<Match>& words) const = 0;

 protected:
  ~WordMatcher() = default;
};

// What one call asks for.
struct Request {
  Want want = Want::kWords;  // for the unigram lattice and taggers; others tell all
  bool by_lines = false;     // the user's words contain no line end
  bool numbers = true;       // which of the user words the spans are; otherwise they have number 0
  bool spans = true;         // the spans of the user's words; otherwise their marks suffice
  bool margins = false;      // taggers: by how much each token is decided
  bool boundaries = false;   // taggers: by how much each boundary is decided
  bool again = false;        // taggers: the text is that of the last call; do not read it again
  bool read = false;         // taggers: the text is that of the last call of triggers()
  bool measures = false;     // numerals and measure words are parted
  // taggers: forced and forbidden boundaries, one byte per character
  const uint8_t* marks = nullptr;
  // used instead of the trie's words; by start, then by end
  const std::vector<Match>* matches = nullptr;
  // what the caller will read of each word, by slot: pointers, read under the caller's lock and asked
  // for ahead if the text is short (tagging/prefetch.hpp); null: nothing
  const void* const* shared = nullptr;
  const UserEdits* edits = nullptr;  // what the user's words do to the text; null: nothing
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

// Everything pointed to is shared and outlives the call.
struct Plan {
  const Lexicon* lex = nullptr;
  const WordMatcher* matcher = nullptr;  // finds the words of a lattice; null: the lexicon's trie
  const NgramModel* model = nullptr;
  const TaggerModel* tagger = nullptr;  // decodes; null: `decoder` does, over a lattice
  Decoder decoder{};
  // cuts what the lexicon leaves in single characters; null: nothing
  const TaggerModel* unknown_tagger = nullptr;
  // cuts what lexicon or tagger do not know; null: nothing
  const UnknownCutter* subwords = nullptr;
  bool keep_unknown = false;  // adjacent unknown Han characters stay one token
  uint32_t skip = 0;
  const UserDictionary* user = nullptr;  // null: the user has no words
  const AtomRules* atoms = nullptr;      // null: no atoms are looked for
  // the lexicon's map with these rules' characters marked; may be null
  const MarkedMap* marked = nullptr;
  bool marks_atoms = false;  // the tagger's map marks them
  bool measures = false;     // numerals and measure words are parted, 三/本
};

}  // namespace segmenter
