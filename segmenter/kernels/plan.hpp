// What a call runs: the decoder, its lexicon and models, and what is found before decoding. Shared
// and never written.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "atoms/atoms.hpp"
#include "lattice/decoders.hpp"
#include "lattice/unigram.hpp"
#include "tagging/tagger.hpp"
#include "unknown.hpp"
#include "user/find.hpp"

namespace segmenter {

enum Skip : uint32_t { kSkipSpace = 1, kSkipPunct = 2 };

// Everything pointed to is shared and outlives the call.
struct Plan {
  const Lexicon* lex = nullptr;
  const NgramModel* model = nullptr;
  const TaggerModel* tagger = nullptr;  // decodes, if decoder says so
  // cuts what the lexicon leaves in single characters; null: nothing
  const TaggerModel* guesser = nullptr;
  const UnknownCutter* subwords = nullptr;  // cuts what lexicon or tagger do not know; null: nothing
  Decoder decoder = Decoder::kUnigram;
  bool keep_unknown = false;  // adjacent unknown Han characters stay one token
  uint32_t skip = 0;
  const UserDictionary* user = nullptr;  // null: the user has no words
  const AtomRules* atoms = nullptr;      // null: no atoms are looked for
  // the lexicon's map with these rules' characters marked; may be null
  const MarkedMap* marked = nullptr;
  bool portable = false;  // taggers without vector instructions, for tests
};

// Units of a tagger's score per nat, so that weights of the user's words can compete. Scores of an
// HMM are logarithms of probabilities; those of a perceptron have no scale, so the spread of the
// transitions, half a nat in HMMs of Chinese, gives one.
template <int T>
double nat_of(const TaggerModel& m) {
  double n = 0, sum = 0, squares = 0;
  for (int a = 0; a < T; ++a)
    for (int b = 0; b < T; ++b)
      if (Tags<T>::follows(a, b)) {
        double w = m.trans[T * a + b];
        n += 1;
        sum += w;
        squares += w * w;
      }
  return 2 * std::sqrt(squares / n - sum / n * (sum / n));
}
inline double nat_of(const TaggerModel& m) {
  if (m.bilstm) return m.scale;  // a CRF's scores are logarithms
  return m.tags == 4 ? nat_of<4>(m) : nat_of<6>(m);
}

// Whether reading many stretches together is faster than one after another.
inline bool reads_many(const Plan& plan) {
  return plan.decoder == Decoder::kTagged && plan.tagger->bilstm;
}

// Whether a word of the user contains a line end, so that lines cannot be cut together.
inline bool user_takes_line_ends(const Plan& plan) {
  if (plan.user)
    for (const UserLayer& layer : plan.user->layers)
      if (layer.line_ends) return true;
  return false;
}

inline bool is_punct(CharClass c) { return c == kPunct || (c >= kPoint && c <= kMinus); }

// One of the n best cuts: the spans of its words, and the cost that ranks it.
struct BestCut {
  int64_t cost;
  std::vector<uint32_t> starts, ends;
};

}  // namespace segmenter
