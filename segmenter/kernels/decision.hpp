// A call: what it runs and what it asks for, what it decides, tokens of a text, one per word; and the
// worker that serves it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "text.hpp"

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

// How much the tokens tell. Few callers need all of it, and each level costs some loads per word.
enum class Want {
  kBare,   // ends; the unigram lattice makes no tokens where nothing needs them, see Decision
  kEnds,   // ends, and kinds of class edges; no words
  kWords,  // also slots and spellings; a character that the lexicon lacks looks like a word
  kKinds,  // all kinds
};

// What the user's words and atoms do to a text, see user/edits.hpp.
struct UserEdits;

// A word found by a matcher outside the kernels.
struct Match {
  uint32_t start, end, cost, slot;
};

// What one call asks for.
struct Request {
  Want want = Want::kWords;  // for the unigram lattice and taggers; others tell all
  bool by_lines = false;     // the user's words contain no line end
  bool margins = false;      // taggers: by how much each token is decided
  bool boundaries = false;   // taggers: by how much each boundary is decided
  bool again = false;        // taggers: the text is that of the last call; do not read it again
  bool portable = false;     // taggers: without vector instructions, for tests
  // taggers: forced and forbidden boundaries, one byte per character
  const uint8_t* marks = nullptr;
  // used instead of the trie's words; by start, then by end
  const std::vector<Match>* found = nullptr;
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
  const NgramModel* model = nullptr;
  const TaggerModel* tagger = nullptr;  // decodes; null: `decoder` does, over a lattice
  Decoder decoder{};
  // cuts what the lexicon leaves in single characters; null: nothing
  const TaggerModel* guesser = nullptr;
  // cuts what lexicon or tagger do not know; null: nothing
  const UnknownCutter* subwords = nullptr;
  bool keep_unknown = false;  // adjacent unknown Han characters stay one token
  uint32_t skip = 0;
  const UserDictionary* user = nullptr;  // null: the user has no words
  const AtomRules* atoms = nullptr;      // null: no atoms are looked for
  // the lexicon's map with these rules' characters marked; may be null
  const MarkedMap* marked = nullptr;
  bool portable = false;  // taggers without vector instructions, for tests
};

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

// An edge of the word DAG.
struct Edge {
  uint32_t start, end, cost, token_id, what;
};

// A column of exclusive ends; first is null if there is none.
struct Ends {
  const uint32_t* first = nullptr;
  size_t n = 0;
};

// What a call decided.
struct Decision {
  std::vector<Token> tokens;
  Ends column;                      // instead of tokens, for Want::kBare where nothing needs tokens
  size_t dropped = 0;               // how many tokens are kDropped
  std::vector<float> margins;       // one per token, if asked for
  std::vector<int32_t> boundaries;  // one per character, if asked for: of a boundary after it

  void clear() {
    tokens.clear();
    margins.clear();
    boundaries.clear();
    dropped = 0;
    column = Ends{};
  }
};

// Serves one call at a time, and keeps the memory that calls work in. worker.cpp implements it, so
// that a change of a decoder compiles that unit alone.
class Worker {
 public:
  std::vector<Match> matches;  // for the caller to fill

  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // Cuts a text. The result is valid until the next call.
  const Decision* run(const Plan& plan, const Text& text, const Request& request);
  uint64_t steps() const;  // the amount of work of the last call
  struct Parts;            // worker.hpp
  Parts& parts() { return *parts_; }

 private:
  const std::unique_ptr<Parts> parts_;
};

}  // namespace segmenter
