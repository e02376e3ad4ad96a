// A linear tagger from the sections of a file, checked (validate.hpp).
#pragma once
#include <cstdint>

#include "files/sections.hpp"
#include "lexicon/open.hpp"
#include "tagging/model.hpp"
#include "validate.hpp"

namespace segmenter {

// Whether these can be the pilots of a perfect hash, whose number is a power of two.
inline bool are_pilots(const Cells<uint16_t>& pilots) {
  return pilots.n >= 2 && !(pilots.n & (pilots.n - 1));
}

// `lex`, `most_cost`: what open_lexicon() made of the same sections.
inline void open_tagger(const Sections& held, Lexicon& lex, uint32_t most_cost, TaggerModel& m) {
  const std::ptrdiff_t n_ids = lex.trie.n_ids;
  const uint32_t tags = held.has("tagger.widepair") ? 6 : 4;
  const int32_t* const params = held.exactly<int32_t>("tagger.params", 5 + tags + tags * tags);
  const Cells<uint16_t> hot = held.of<uint16_t>("tagger.hot");
  const Cells<uint16_t> cold = held.of<uint16_t>("tagger.cold");
  const int32_t n_hot = params[4 + tags + tags * tags];
  if (!are_pilots(hot) || !are_pilots(cold) || n_hot <= 0 || n_hot >= params[2] ||
      n_ids > kTagMaxIds || params[0] < 0 || params[0] > int32_t(kTagGroups))
    held.refuse();
  m.set_params(params, tags);
  m.hot.attach(hot.data, size_t(hot.n), uint32_t(n_hot));
  m.cold.attach(cold.data, size_t(cold.n), m.n_pairs - uint32_t(n_hot));
  const std::ptrdiff_t n_pairs = m.n_pairs, n_matches = std::ptrdiff_t(m.n_matches) + 1;
  m.uni = held.exactly<int8_t>("tagger.uni", kTagRecord * n_ids);
  m.pair = held.exactly<int8_t>("tagger.pair", kTagRecord * n_pairs);
  m.longer = held.exactly<uint32_t>("tagger.longer", n_pairs);
  m.match = held.exactly<int16_t>("tagger.match", 4 * tags * n_matches);
  m.groups_of = held.exactly<uint8_t>("tagger.groups", n_matches);
  m.state = held.exactly<int16_t>("tagger.state", kTagStates * tags * (m.groups + 1));
  m.type = held.exactly<int16_t>("tagger.types", 512 * tags);
  m.type_of = held.exactly<uint8_t>("tagger.typeof", n_ids);
  if (tags == 6) {
    m.wide_pair = held.exactly<int16_t>("tagger.widepair", 24 * n_pairs);
    m.wide_uni = held.exactly<int16_t>("tagger.wideuni", 24 * n_ids);
  }
  lex.mark_signs();
  m.lex = &lex;
  check(tagger_fault(m, most_cost));
}

}  // namespace segmenter
