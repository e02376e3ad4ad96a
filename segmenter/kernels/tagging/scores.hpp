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
      auto make = [&](auto& column, size_t items) {  // zeros for a long line take their time
        column.resize(items);
        Interrupt::look(size);
      };
      make(candidates_, size);
      make(slots_, size);
      make(longest_, size);
      make(sums_, (size + 8) * kTags);
      make(records_, size);
    });
  }

  // Of a short text, before it is scored: looks up its pairs, so that their records arrive while its
  // marks are set, and asks for what the caller will read of its words.
  void look_ahead(const TaggerModel& m, TaggerInput& text, const void* const* shared) {
    const bool is_short = text.n <= WordPrefetch::kCharacters;
    prefetch_.begin(is_short ? shared : nullptr);
#if SEGMENTER_SSE4
    looked_up_ = is_short ? text.n : 0;
    if (!looked_up_) return;
    const Pairs pairs = pairs_of(m, text, 0, text.n);
    VectorPairs::ask(pairs);
    VectorPairs::find_records(pairs, 0, text.n, 0);
#endif
  }

  // Scores the stretch [s, e). The scores are valid until the next call. `words`, unless null, gets
  // all words of three and more characters that the lexicon has here.
  Emissions score(const TaggerModel& m, TaggerInput& text, uint32_t s, uint32_t e,
                  std::vector<Word>* words = nullptr) {
    const TaggerInput::SentenceEnd end(text, e);
    Pairs pairs = pairs_of(m, text, s, e);
    Emissions out;
    out.n = pairs.n;
    out.marks = text.marks.data() + s;
    out.sums = sums_.data() + kFirst;
#if SEGMENTER_SSE4
    const bool looked_up = looked_up_ == pairs.n && s == 0;
    m.groups ? VectorPairs::add<true>(pairs, out.sums, looked_up)
             : VectorPairs::add<false>(pairs, out.sums, looked_up);
    add_words(pairs, s, VectorSums{out.sums}, words);
    if (m.groups) out.states = states_.data();
#else
    std::memset(sums_.data(), 0, (size_t(pairs.n) + 8) * kTags * sizeof(int16_t));
    const PlainSums sums{out.sums};
    find_pairs(pairs);
    add_pairs(pairs, sums);
    add_words(pairs, s, sums, words);
    if (m.groups) add_states(pairs, sums);
#endif
    return out;
  }

#if SEGMENTER_SSE4
  // Scores stretches that follow one another, fewer than VectorPairs::kPart characters: what all of them
  // need of memory is asked for before it is used. scores_of() then gives the scores of each, valid until the
  // next call.
  void score_each(const TaggerModel& m, TaggerInput& text, const std::vector<Stretch>& all) {
    const uint32_t s = all.front().start;
    uint16_t* const ids = text.ids;
    saved_ids_.clear();
    for (const Stretch& one : all) {
      saved_ids_.push_back(ids[one.end]);
      ids[one.end] = 0;  // as by SentenceEnd
    }
    Pairs pairs = pairs_of(m, text, s, all.back().end);
    batch_ = Emissions();
    batch_.marks = text.marks.data() + s;
    batch_.sums = sums_.data() + kFirst;
    auto stretch = [&](size_t k, uint32_t& from, uint32_t& to) {
      if (k == all.size()) return false;
      from = all[k].start - s;
      to = all[k].end - s;
      return true;
    };
    m.groups ? VectorPairs::add_each<true>(pairs, batch_.sums, stretch)
             : VectorPairs::add_each<false>(pairs, batch_.sums, stretch);
    add_words(pairs, s, VectorSums{batch_.sums}, nullptr);
    if (m.groups) batch_.states = states_.data();
    for (size_t k = 0; k < all.size(); ++k) ids[all[k].end] = saved_ids_[k];
    batch_first_ = s;
  }
  Emissions scores_of(const Stretch& stretch) const {
    return batch_.part(stretch.start - batch_first_, stretch.end - stretch.start);
  }
#endif

  // The record that counts for the pair at a scored position of the text: the pair's own or, if it
  // has none, that of its first character. If it says that words go on (kPairLonger), the longest
  // word of three or more characters from there; length 0: none.
  const int8_t* record(uint32_t k) const { return records_[k - origin_]; }
  const int8_t* const* records_from(uint32_t k) const { return records_.data() + (k - origin_); }
  const LongestWord& longest(uint32_t k) const { return longest_[k - origin_]; }

 private:
  Pairs pairs_of(const TaggerModel& m, const TaggerInput& text, uint32_t s, uint32_t e) {
    return {m, text.ids + s, e - s,    records_.data() + (s - origin_), candidates_.data(),
            0, states_,      prefetch_};
  }

  static constexpr size_t kFirst = 4 * kTags;  // sums before it: positions before the first

  uint32_t batch_first_ = 0;            // of score_each(): the first position,
  Emissions batch_;                     // the scores from there on,
  std::vector<uint16_t> saved_ids_;     // and the ids after the stretches
  WordPrefetch prefetch_;               // of the text
  uint32_t looked_up_ = 0;              // characters of the text whose pairs look_ahead() found
  uint32_t origin_ = 0;                 // the text's position that records_ and longest_ begin with
  Capacity capacity_;                   // of the columns that reserve() names
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
      Interrupt::each(in.n,
                      [&](size_t j) { sums.add(j, model.alone + kTags * size_t(in.ids[j])); });
    if (in.prefetch.any()) ask_pairs(in);
    const uint64_t* __restrict units = trie.units;
    const uint32_t* __restrict longer = model.longer;
    const uint16_t* __restrict ids = in.ids;
    uint32_t* __restrict candidates = in.candidates;
    uint32_t* __restrict slots = slots_.data();
    const int8_t* const* __restrict records = in.records;
    LongestWord* __restrict longest = longest_.data() + (s - origin_);
    size_t n = 0;
    Interrupt::each(in.n_candidates, [&](size_t i) {
      uint32_t j = candidates[i], id = ids[j + 2], base = longer[model.place(records[j])];
      longest[j].length = 0;
      const uint32_t slot = (base & 0xFFFFFF) + id, passes = base >> (24 + (id & 7)) & 1;
      candidates[n] = j;
      slots[n] = slot;
      n += passes;
#if SEGMENTER_SSE4
      _mm_prefetch(reinterpret_cast<const char*>(units + (slot & (0 - passes))), _MM_HINT_T0);
#endif
    });
    steps += in.n_candidates;
    if (in.prefetch.any()) in.prefetch.fetch_objects();
    size_t m = 0;  // whether the third character is there is unpredictable: no branch
    Interrupt::each(n, [&](size_t i) {
      const uint32_t slot = slots[i], j = candidates[i];
      const uint64_t u = units[slot];
      candidates[m] = j;
      slots[m] = slot;
      const uint32_t there = unit_label(u) == ids[j + 2];
      m += there;
#if SEGMENTER_SSE4
      const uint32_t goes_on = 0 - (there & unit_guard(u, ids[j + 3]));
      _mm_prefetch(reinterpret_cast<const char*>(units + ((unit_base(u) + ids[j + 3]) & goes_on)),
                   _MM_HINT_T0);
#endif
    });
    Interrupt::each(m, [&](size_t i) {
      uint32_t slot = slots[i], j = candidates[i];
      uint64_t u = units[slot];
      for (uint32_t k = j + 3;; ++k) {
        ++steps;
        if (unit_cost(u) != kNoCost) {
          longest[j] = LongestWord{slot, k - j};
          if (in.prefetch.any()) in.prefetch.note_longer(slot);
          add_word(model, sums, j, k - j, unit_cost(u));
          if (words) words->push_back(Word{s + j, k - j, slot});
        }
        if (!unit_guard(u, ids[k])) break;
        slot = unit_base(u) + ids[k];
        u = units[slot];
        if (unit_label(u) != ids[k]) break;
      }
    });
    if (in.prefetch.any()) in.prefetch.fetch_objects();
  }

  // Notes the pairs that are words.
  static void ask_pairs(const Pairs& in) {
    const TaggerModel& m = in.m;
    in.prefetch.begin_stretch();
    for (size_t j = 0; j < in.n; ++j) {
      const int8_t* const pair = in.records[j];
      const bool word = m.has(pair) & ((record_key(pair) >> 28 & 7) != 0);
      in.prefetch.note(word, m.lex->trie.n_units + m.place(pair));
    }
  }

  // The weights and states of a word of three or more characters.
  template <class Sums>
  void add_word(const TaggerModel& m, const Sums& sums, uint32_t j, uint32_t len, uint32_t match) {
    if (m.groups) states_.note(j, len, m.groups_of[match]);
    const int16_t* const row = m.match + size_t(match) * 4 * kTags;
    sums.add(j, row);
    sums.add(j + 1, row + kTags);
    for (uint32_t k = 2; k + 1 < len; ++k) sums.add(j + k, row + 2 * kTags);
    sums.add(j + len - 1, row + 3 * kTags);
  }

  SEGMENTER_NOINLINE void add_states(const Pairs& in, const PlainSums sums) {
    Interrupt::each(in.n, [&](size_t j) {
      for (uint32_t g = 0; g < in.m.groups; ++g) {
        const uint32_t code = LexiconStates::code(states_.at(j) + 4 * g);
        sums.add(j, in.m.state + (size_t(g) * kTagStates + code) * kTags);
      }
    });
  }
};

}  // namespace segmenter
