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

}  // namespace segmenter
