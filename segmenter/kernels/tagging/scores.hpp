// The linear tagger: emission scores of the tags at every character of a stretch, from records of pairs,
// words found in the trie, and lexicon states. The pairs and longest words found here are kept and later
// give the word numbers of the path.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "capacity.hpp"
#include "compiler.hpp"
#include "interrupt.hpp"
#include "tagging/emissions.hpp"
#include "tagging/lexicon_states.hpp"
#include "tagging/model.hpp"
#include "tagging/pairs.hpp"
#include "tagging/plain_sums.hpp"
#include "tagging/text.hpp"
#include "tagging/vector_sums.hpp"

namespace segmenter {

// Characters of a text without a blank or line end among them.
struct Stretch {
  uint32_t start, end;
};

class LinearScores {
 public:
  struct LongestWord {
    uint32_t slot, length;
  };
  struct Word {
    uint32_t start, length, slot;
  };

  uint64_t steps = 0;

  // Makes room for the positions [origin, origin + n) of a text.
  void reserve(uint32_t origin, size_t n) {
    origin_ = origin;
    const size_t cap = n + 24;
    capacity_.grow(cap, cap + cap / 2, [&](size_t size) {
      auto make = [&](auto& column, size_t items) {  // zeroing takes long for a long line
        column.resize(items);
        Interrupt::poll(size);
      };
      make(candidates_, size);
      make(slots_, size);
      make(longest_, size);
      make(sums_, (size + 8) * kTags);
      make(records_, size);
    });
  }

  // Prepares the scoring of a short text: looks up its pairs, so that their records arrive while
  // its marks are set, and prefetches what the caller reads of its words.
  void look_ahead(const TaggerModel& m, TaggerInput& text, const void* const* shared) {
    const bool is_short = text.n <= WordPrefetch::kCharacters;
    prefetch_.begin(is_short ? shared : nullptr);
#if SEGMENTER_SSE4
    looked_up_ = is_short ? text.n : 0;
    if (!looked_up_) return;
    const Pairs pairs = pairs_of(m, text, 0, text.n);
    VectorPairs::prefetch_tables(pairs);
    VectorPairs::find_records(pairs, 0, text.n, 0);
#endif
  }

  // Scores the stretch [s, e). The scores are valid until the next call. `words`, unless null, gets
  // all words of three and more characters that the lexicon has here.
  Emissions score(const TaggerModel& m, TaggerInput& text, uint32_t s, uint32_t e,
                  std::vector<Word>* words = nullptr) {
    const TaggerInput::SentenceEnd end(text, e);
    Pairs pairs = pairs_of(m, text, s, e);
    Emissions emissions;
    emissions.n = pairs.n;
    emissions.marks = text.marks.data() + s;
    emissions.sums = sums_.data() + kFirst;
#if SEGMENTER_SSE4
    const bool looked_up = looked_up_ == pairs.n && s == 0;
    m.groups ? VectorPairs::add<true>(pairs, emissions.sums, looked_up)
             : VectorPairs::add<false>(pairs, emissions.sums, looked_up);
    add_words(pairs, s, VectorSums{emissions.sums}, words);
    if (m.groups) emissions.states = states_.data();
#else
    std::memset(sums_.data(), 0, (size_t(pairs.n) + 8) * kTags * sizeof(int16_t));
    const PlainSums sums{emissions.sums};
    find_pairs(pairs);
    add_pairs(pairs, sums);
    add_words(pairs, s, sums, words);
    if (m.groups) add_states(pairs, sums);
#endif
    return emissions;
  }

#if SEGMENTER_SSE4
  // Scores consecutive stretches of fewer than VectorPairs::kPart characters in all, prefetching
  // the memory of all of them before it is used. scores_of() then returns the scores of each,
  // valid until the next call.
  void score_each(const TaggerModel& m, TaggerInput& text, const std::vector<Stretch>& stretches) {
    const uint32_t s = stretches.front().start;
    uint16_t* const ids = text.ids;
    saved_ids_.clear();
    for (const Stretch& stretch : stretches) {
      saved_ids_.push_back(ids[stretch.end]);
      ids[stretch.end] = 0;  // as by SentenceEnd
    }
    Pairs pairs = pairs_of(m, text, s, stretches.back().end);
    batch_ = Emissions();
    batch_.marks = text.marks.data() + s;
    batch_.sums = sums_.data() + kFirst;
    auto next_stretch = [&](size_t index, uint32_t& start, uint32_t& stop) {
      if (index == stretches.size()) return false;
      start = stretches[index].start - s;
      stop = stretches[index].end - s;
      return true;
    };
    m.groups ? VectorPairs::add_each<true>(pairs, batch_.sums, next_stretch)
             : VectorPairs::add_each<false>(pairs, batch_.sums, next_stretch);
    add_words(pairs, s, VectorSums{batch_.sums}, nullptr);
    if (m.groups) batch_.states = states_.data();
    for (size_t index = 0; index < stretches.size(); ++index)
      ids[stretches[index].end] = saved_ids_[index];
    batch_first_ = s;
  }
  Emissions scores_of(const Stretch& stretch) const {
    return batch_.part(stretch.start - batch_first_, stretch.end - stretch.start);
  }
#endif

  // The record used for the pair at a scored position: the pair's own or, if it has none, that of
  // its first character. If the record has kPairLonger, longest() is the longest word of three or
  // more characters from there; length 0: none.
  const int8_t* record(uint32_t k) const { return records_[k - origin_]; }
  const int8_t* const* records_from(uint32_t k) const { return records_.data() + (k - origin_); }
  const LongestWord& longest(uint32_t k) const { return longest_[k - origin_]; }

 private:
  Pairs pairs_of(const TaggerModel& m, const TaggerInput& text, uint32_t s, uint32_t e) {
    return {m, text.ids + s, e - s,    records_.data() + (s - origin_), candidates_.data(),
            0, states_,      prefetch_};
  }

  static constexpr size_t kFirst = 4 * kTags;  // sums before it: positions before the first

  uint32_t batch_first_ = 0;         // of score_each(): position of the first character,
  Emissions batch_;                  // scores of all characters,
  std::vector<uint16_t> saved_ids_;  // ids after the stretches
  WordPrefetch prefetch_;            // of the text
  uint32_t looked_up_ = 0;           // characters of the text whose pairs look_ahead() found
  uint32_t origin_ = 0;  // the position in the text at which records_ and longest_ begin
  Capacity capacity_;    // of the columns that reserve() names
  std::vector<const int8_t*> records_;  // see record()
  std::vector<LongestWord> longest_;
  std::vector<int16_t> sums_;         // of the stretch, [4 + n][4]
  LexiconStates states_;              // of the stretch
  std::vector<uint32_t> candidates_;  // positions where words may go on after a pair
  std::vector<uint32_t> slots_;       // where the trie has their third characters

  // Words of three or more characters: first all positions whose third character passes the guard,
  // with the slot where it must be, so that the loads of one loop are independent.
  template <class Sums>
  SEGMENTER_NOINLINE void add_words(const Pairs& in, uint32_t s, const Sums sums,
                                    std::vector<Word>* words) {
    const TaggerModel& model = in.m;
    const Trie& trie = model.lex->trie;
    if (model.alone)
      Interrupt::for_each(in.n,
                          [&](size_t j) { sums.add(j, model.alone + kTags * size_t(in.ids[j])); });
    if (in.prefetch.active()) prefetch_pair_words(in);
    const uint64_t* __restrict units = trie.units;
    const uint32_t* __restrict longer = model.longer;
    const uint16_t* __restrict ids = in.ids;
    uint32_t* __restrict candidates = in.candidates;
    uint32_t* __restrict slots = slots_.data();
    const int8_t* const* __restrict records = in.records;
    LongestWord* __restrict longest = longest_.data() + (s - origin_);
    size_t n_guarded = 0;
    Interrupt::for_each(in.n_candidates, [&](size_t i) {
      uint32_t j = candidates[i], id = ids[j + 2], base = longer[model.place(records[j])];
      longest[j].length = 0;
      const uint32_t slot = (base & 0xFFFFFF) + id, passes = base >> (24 + (id & 7)) & 1;
      candidates[n_guarded] = j;
      slots[n_guarded] = slot;
      n_guarded += passes;
#if SEGMENTER_SSE4
      _mm_prefetch(reinterpret_cast<const char*>(units + (slot & (0 - passes))), _MM_HINT_T0);
#endif
    });
    steps += in.n_candidates;
    if (in.prefetch.active()) in.prefetch.fetch_objects();
    size_t n_found = 0;  // whether the third character is there is unpredictable: no branch
    Interrupt::for_each(n_guarded, [&](size_t i) {
      const uint32_t slot = slots[i], j = candidates[i];
      const uint64_t u = units[slot];
      candidates[n_found] = j;
      slots[n_found] = slot;
      const uint32_t matches = unit_label(u) == ids[j + 2];
      n_found += matches;
#if SEGMENTER_SSE4
      const uint32_t child_mask = 0 - (matches & unit_guard(u, ids[j + 3]));
      _mm_prefetch(
          reinterpret_cast<const char*>(units + ((unit_base(u) + ids[j + 3]) & child_mask)),
          _MM_HINT_T0);
#endif
    });
    Interrupt::for_each(n_found, [&](size_t i) {
      uint32_t slot = slots[i], j = candidates[i];
      uint64_t u = units[slot];
      for (uint32_t k = j + 3;; ++k) {
        ++steps;
        if (unit_cost(u) != kNoCost) {
          longest[j] = LongestWord{slot, k - j};
          if (in.prefetch.active()) in.prefetch.add_longer(slot);
          add_word(model, sums, j, k - j, unit_cost(u));
          if (words) words->push_back(Word{s + j, k - j, slot});
        }
        if (!unit_guard(u, ids[k])) break;
        slot = unit_base(u) + ids[k];
        u = units[slot];
        if (unit_label(u) != ids[k]) break;
      }
    });
    if (in.prefetch.active()) in.prefetch.fetch_objects();
  }

  // Notes the pairs that are words, for prefetching.
  static void prefetch_pair_words(const Pairs& in) {
    const TaggerModel& m = in.m;
    in.prefetch.begin_stretch();
    for (size_t j = 0; j < in.n; ++j) {
      const int8_t* const pair = in.records[j];
      const bool word = m.has(pair) & ((record_key(pair) >> 28 & 7) != 0);
      in.prefetch.add_pair(word, m.lex->trie.n_units + m.place(pair));
    }
  }

  // The weights and states of a word of three or more characters.
  template <class Sums>
  void add_word(const TaggerModel& m, const Sums& sums, uint32_t j, uint32_t len, uint32_t match) {
    if (m.groups) states_.add_word(j, len, m.groups_of[match]);
    const int16_t* const row = m.match + size_t(match) * 4 * kTags;
    sums.add(j, row);
    sums.add(j + 1, row + kTags);
    for (uint32_t k = 2; k + 1 < len; ++k) sums.add(j + k, row + 2 * kTags);
    sums.add(j + len - 1, row + 3 * kTags);
  }

  SEGMENTER_NOINLINE void add_states(const Pairs& in, const PlainSums sums) {
    Interrupt::for_each(in.n, [&](size_t j) {
      for (uint32_t g = 0; g < in.m.groups; ++g) {
        const uint32_t code = LexiconStates::code(states_.position(j) + 4 * g);
        sums.add(j, in.m.state + (size_t(g) * kTagStates + code) * kTags);
      }
    });
  }
};

}  // namespace segmenter
