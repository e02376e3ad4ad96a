// What a call runs: the decoder, its lexicon and models, and what is found before decoding. Shared
// and never written.
#pragma once
#include <cstdint>

namespace segmenter {

struct AtomRules;
struct Lexicon;
class MarkedMap;
struct NgramModel;
struct TaggerModel;
class UnknownCutter;
struct UserDictionary;

// Named in segmenter/choices.py (LATTICE), in this order.
enum class Decoder : int {
  kUnigram = 0,
  kForwardMax,
  kBackwardMax,
  kBidirectionalMax,
  kShortest,
  kNShortest,
  kBigram,
  kTrigram,
  kTagged,  // none of the lattice: a tagger decides
};
enum Skip : uint32_t { kSkipSpace = 1, kSkipPunct = 2 };

// Everything pointed to is shared and outlives the call.
struct Plan {
  const Lexicon* lex = nullptr;
  const NgramModel* model = nullptr;
  const TaggerModel* tagger = nullptr;  // decodes, if decoder says so
  // cuts what the lexicon leaves in single characters; null: nothing
  const TaggerModel* guesser = nullptr;
  const UnknownCutter* subwords =
      nullptr;  // cuts what lexicon or tagger do not know; null: nothing
  Decoder decoder = Decoder::kUnigram;
  bool keep_unknown = false;  // adjacent unknown Han characters stay one token
  uint32_t skip = 0;
  const UserDictionary* user = nullptr;  // null: the user has no words
  const AtomRules* atoms = nullptr;      // null: no atoms are looked for
  // the lexicon's map with these rules' characters marked; may be null
  const MarkedMap* marked = nullptr;
  bool portable = false;  // taggers without vector instructions, for tests
};

}  // namespace segmenter
