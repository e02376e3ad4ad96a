// A lexicon and its n-grams from the sections of a file, checked (validate.hpp).
#pragma once
#include <cstdint>
#include <memory>

#include "files/sections.hpp"
#include "lattice/ngram.hpp"
#include "lexicon/lexicon.hpp"
#include "validate.hpp"

namespace segmenter {

inline void check(const char* fault) {
  if (fault) throw std::invalid_argument(fault);
}

// Points a map at its sections; returns the size of `charmap.blocks`.
inline size_t open_map(const Sections& held, CharMap& map) {
  const Cells<uint16_t> blocks = held.of<uint16_t>("charmap.blocks");
  if (!blocks.n) held.refuse();
  map.bmp = held.exactly<uint16_t>("charmap.bmp", 65536);
  map.astral_page = held.exactly<uint16_t>("charmap.pages", 4096);
  map.astral_block = blocks.data;
  return size_t(blocks.n);
}

// `variants`: what to fold in look-ups, null: nothing; `own` gets their map. `outside`: the words
// are in another trie. most_cost: the greatest cost of a word of two and more characters.
inline void open_lexicon(const Sections& held, const VariantTable* variants, bool outside,
                         Lexicon& lex, std::unique_ptr<Variants>& own, uint32_t& most_cost) {
  const uint32_t* const params = held.exactly<uint32_t>("params", 45);
  const Cells<uint64_t> units = held.of<uint64_t>("trie.units");
  const Cells<uint64_t> terminal = held.of<uint64_t>("words.terminal");
  if (held.has("trie.filter")) {  // taggers have none: they never look up single pairs
    const Cells<uint32_t> pairs = held.of<uint32_t>("trie.filter");
    if (!pairs.n || !lex.trie.pairs.attach(pairs.data, size_t(pairs.n)))
      throw std::invalid_argument("the filter of pairs is no table of 2**k words");
  }
  if (!units.n || units.n >= 1 << 25 || !terminal.n) held.refuse();
  const size_t n_blocks = open_map(held, lex.map);
  lex.trie.units = units.data;
  lex.trie.n_units = uint32_t(units.n);
  lex.set_params(params);
  lex.id_class = held.exactly<uint8_t>("charmap.classes", params[0]);
  for (uint32_t cost : lex.kind_cost)
    if (cost > 0xFFFE) throw std::invalid_argument("the cost of a kind of runs is out of range");
  if (lex.unknown_cost > 0xFFFE)
    throw std::invalid_argument("the cost of an unknown character is out of range");
  lex.terminal = terminal.data;
  lex.rank = held.exactly<uint32_t>("words.rank", terminal.n);
  check(lexicon_fault(lex, n_blocks, size_t(terminal.n), outside, most_cost));
  lex.spelling = lex.map;
  if (variants && lex.numbers && !own) {
    own = std::make_unique<Variants>(*variants, lex.map);
    lex.variants = own.get();
    lex.map = own->map;
  }
  lex.prepare();
}

// The n-gram model compiled with a lexicon of n_words.
inline void open_ngrams(const Sections& held, uint32_t n_words, NgramModel& model,
                        std::unique_ptr<SeenKeys>& seen) {
  model = NgramModel();
  model.n_words = n_words;
  model.weights = held.exactly<uint16_t>("ngram.weights", std::ptrdiff_t(n_words) + 10);
  model.boundary_cost = held.exactly<uint32_t>("ngram.params", 4)[0];
  auto table = [&](NgramTable& to, const char* name) {
    const Cells<uint64_t> records = held.of<uint64_t>(name);
    to.records = records.n ? records.data : nullptr;
    to.capacity = uint32_t(records.n);
  };
  table(model.bigrams, "ngram.bigrams");
  table(model.trigrams, "ngram.trigrams");
  if (!model.bigrams.capacity) held.refuse();
  if (!has_empty(model.bigrams) || !has_empty(model.trigrams))
    throw std::invalid_argument("an n-gram table is full: look-ups in it would never end");
  seen = std::make_unique<SeenKeys>(model.bigrams);
  model.seen = seen.get();
}

}  // namespace segmenter
