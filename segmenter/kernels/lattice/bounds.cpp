// The implementation of bounds.hpp and ngram.hpp. Branch-free where possible: the contents of
// records are unpredictable.
#include "lattice/bounds.hpp"

#include <algorithm>

namespace segmenter {

void NgramTable::fill(const uint64_t* keys, const uint16_t* costs, const uint8_t* weights, size_t n,
                      uint32_t capacity, uint64_t* records, uint32_t* places) {
  for (size_t i = 0; i < n; ++i) {
    const size_t index = probe(home(keys[i], capacity), capacity - 1,
                               [&](size_t k) { return records[k] == kEmpty; });
    records[index] = keys[i] << 24 | uint64_t(costs[i]) << 8 | weights[i];
    places[i] = uint32_t(index);
  }
}

SeenKeys::SeenKeys(const NgramTable& table) {
  size_t n = 0;
  for (uint32_t i = 0; i < table.capacity; ++i) n += table.records[i] != NgramTable::kEmpty;
  uint32_t log = 6;
  while (log < 28 && size_t(1) << log < n * kPerKey) ++log;
  shift_ = 32 - log;
  bits_.assign(size_t(1) << (log - 6), 0);
  for (uint32_t i = 0; i < table.capacity; ++i) {
    const uint64_t record = table.records[i];
    const uint32_t bit = hash(uint32_t(record >> 44), uint32_t(record >> 24) & 0xFFFFF) >> shift_;
    bits_[bit >> 6] |= uint64_t(record != NgramTable::kEmpty) << (bit & 63);  // no branch
  }
}

namespace {

uint8_t steps(int64_t x) {
  return uint8_t(std::min<int64_t>(std::max<int64_t>(x, 0) / GainBounds::kStep, 255));
}
void raise(uint8_t& bound, uint8_t value) { bound = std::max(bound, value); }
// Whether a token is in none of our files: a run of a kind that only foreign files count.
bool is_foreign(uint32_t token_id, const NgramModel& model) {
  return token_id == model.n_words ||
         (token_id > model.n_words + kLatinRun && token_id < model.boundary());
}

// The first character of the word at a slot.
uint32_t initial(const Lexicon& lex, const Parents& parents, uint32_t slot) {
  for (uint32_t depth = 0; slot >= lex.trie.n_ids && depth < lex.max_word; ++depth)
    slot = parents.of(slot);
  return std::min(slot, lex.trie.n_ids - 1);
}

}  // namespace

GainBounds::GainBounds(const Lexicon& lex, const NgramModel& model)
    : characters_(lex.trie.n_ids),
      before_(kPlaces, 0),
      after_(kPlaces, 0),
      margins_(model.n_words, 0) {
  const uint32_t n = model.n_words, n_ids = lex.trie.n_ids;
  std::vector<Word> words;  // by number
  words.reserve(n);
  for_each_word(lex, [&](uint32_t slot) {
    const uint64_t unit = lex.trie.units[slot];
    const uint32_t last = slot < n_ids ? slot : std::min(unit_label(unit), slot);
    words.push_back(Word{slot, uint16_t(unit_cost(unit)), uint16_t(last)});
  });
  valid_ = words.size() == n;  // else another matcher finds the words
  if (!valid_) return;
  const Parents parents(lex.trie);
  set_bounds(lex, model, words, parents);
  set_margins(lex, model, words, parents);
}

void GainBounds::set_bounds(const Lexicon& lex, const NgramModel& model,
                            const std::vector<Word>& words, const Parents& parents) {
  const uint32_t n = model.n_words, n_ids = lex.trie.n_ids;
  const NgramTable& table = model.bigrams;
  std::vector<uint32_t> filled(table.capacity + 1);
  uint32_t n_filled = 0;
  for (uint32_t i = 0; i < table.capacity; ++i) {
    filled[n_filled] = i;
    n_filled += table.records[i] != NgramTable::kEmpty;
  }
  std::vector<uint8_t> before(n + kEdgeKinds + 1, 0), after(n + kEdgeKinds + 1, 0);
  for (uint32_t k = 0; k < n_filled; ++k) {
    const uint64_t record = table.records[filled[k]];
    const uint32_t first_token = uint32_t(record >> 44),
                   second_token = uint32_t(record >> 24) & 0xFFFFF;
    if (first_token > model.boundary() || second_token > model.boundary())
      continue;  // no decoder looks it up
    const uint32_t lower = second_token < n                   ? words[second_token].cost
                           : second_token == model.boundary() ? model.boundary_cost
                                                              : lex.kind_cost[second_token - n];
    const int64_t gain = int64_t(model.weights[first_token]) + lower - table.cost(filled[k]);
    valid_ &= gain >= 0;
    const uint8_t bound = steps(gain + kStep - 1);
    raise(before[second_token], bound);
    raise(after[first_token], bound);
    if (first_token >= n || second_token >= n) {
      valid_ &= !is_foreign(first_token, model) && !is_foreign(second_token, model);
      continue;
    }
    const uint32_t first_slot = words[first_token].slot, second_slot = words[second_token].slot;
    const uint32_t is_character = second_slot < n_ids;
    raise(before_[place(words[first_token].last, is_character ? second_slot : 0)],
          uint8_t(bound & (0 - is_character)));
    if (first_slot < n_ids)
      raise(after_[place(first_slot, initial(lex, parents, second_slot))], bound);
  }
  for (uint32_t id = 0; id < n_ids; ++id) {
    const uint32_t token_id = lex.is_word(id) ? lex.word_id(id) : n + kUnknown;
    const CharClass c = lex.char_class(id);
    const bool is_word = lex.is_word(id) && (c == kHan || c == kPunct || c == kOther);
    characters_[id] =
        Character{token_id, before[token_id], after[token_id], uint8_t(is_word ? 0 : 255)};
  }
  const RuleIds& rules = lex.rules;
  for (uint32_t id :
       {rules.nian, rules.yue, rules.fen_month, rules.ri, rules.shi, rules.fen, rules.di})
    if (id) characters_[id].unbounded = 255;
}

void GainBounds::set_margins(const Lexicon& lex, const NgramModel& model,
                             const std::vector<Word>& words, const Parents& parents) {
  const uint32_t n = model.n_words, n_ids = lex.trie.n_ids;
  const SeenKeys::Bits seen = model.seen->bits();
  std::vector<uint32_t> two_character_words(n + 1);
  uint32_t n_words = 0;
  for (uint32_t number = 0; number < n; ++number) {
    two_character_words[n_words] = number;
    const uint32_t slot = words[number].slot, a = parents.of(slot);
    n_words += uint32_t(slot >= n_ids) & uint32_t(a - 1 < n_ids - 1);
  }
  for (uint32_t k = 0; k < n_words; ++k) {
    const Word& word = words[two_character_words[k]];
    const uint32_t b = word.last, a = parents.of(word.slot);
    const uint32_t v = characters_[a].token_id, w = characters_[b].token_id,
                   lower = lex.singles[b].cost >> 2;
    int64_t split_cost =
        int64_t(lex.singles[a].cost >> 2) + model.weights[v] + lower + model.weights[w];
    if (seen.may_hold(SeenKeys::hash(v, w))) split_cost -= model.gain(v, w, lower);
    const int64_t margin = split_cost - word.cost - model.weights[two_character_words[k]];
    margins_[two_character_words[k]] = margin < 0 ? 0 : steps(margin + kStep);
  }
}

}  // namespace segmenter
