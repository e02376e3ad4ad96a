// The linear tagger's scores of every character: records of pairs in a sliding window, words by a
// walk of the trie.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tagging/sums.hpp"

namespace segmenter {

class TagScores : public TagSums {
 protected:
  // Sums of a linear tagger of four tags into em_; fills nodes and longest words too.
  void score_linear(uint32_t s, uint32_t e) {
#if SEGMENTER_SSE4
    if (!portable_) m_->groups ? score_sse<true>(s, e - s) : score_sse<false>(s, e - s);
    else
#endif
      score_portable(s, e - s);
    walk(s, e - s);
    states_added_ = false;
    if (!m_->groups) return;
#if SEGMENTER_SSE4
    if (!portable_ && !bonuses_ && !m_->bilstm) return;  // viterbi_vector adds them
#endif
    add_states(e - s);
    states_added_ = true;
  }

  bool states_added_ = false;

  // Sums of characters and pairs into em_, nodes of pairs into node_, into list_ the positions
  // where a third character may follow, into longest_ the states of words of two characters.
  void score_portable(uint32_t s, uint32_t n) {
    const TaggerModel& m = *m_;
    int16_t* em = em_;
    std::memset(em - 4 * kTagLanes, 0, (size_t(n) + 8) * kTagLanes * sizeof(int16_t));
    const int8_t* pad = m.uni;
    for (uint32_t t = 0; t < 3; ++t) {
      em[t] = sat(pad[9 + t] + pad[6 + t]);
      em[4 + t] = pad[9 + t];
    }
    list_end_ = 0;
    if (m.groups) {
      reserve_states(n);
      std::memset(longest_.data(), 0, (size_t(n) + 1) * 16);
    }
    Interrupt::each(n, [&](size_t at) {
      const uint32_t j = uint32_t(at);
      const uint32_t id = ids_[s + j], next = ids_[s + j + 1], place = pair_place(m, id, next);
      const int8_t* r = m.pair + size_t(place) * kTagRecord;
      if ((record_key(r) & kPairKey) != pair_key(id, next)) r = m.uni + size_t(id) * kTagRecord;
      int16_t* to = em + (int64_t(j) - 1) * kTagLanes;
      for (uint32_t p = 0; p < 4; ++p)
        for (uint32_t t = 0; t < 3; ++t) to[4 * p + t] = sat(to[4 * p + t] + r[3 * p + t]);
      uint32_t key = record_key(r), groups = key >> 28 & 7;
      bool known = (key & kPairKey) == pair_key(id, next);
      node_[s - origin_ + j] = place | uint32_t(known) << 27 | (key >> 28) << 28;
      list_[list_end_] = j;
      list_end_ += key >> 31;
      if (m.groups)
        for (uint32_t g = 0; g < kTagGroups; ++g)
          if (groups >> g & 1) {
            longest_[size_t(j) * 16 + 4 * g] = 1;
            longest_[size_t(j + 1) * 16 + 4 * g + 2] = 1;
          }
    });
    for (uint32_t t = 0; t < 3; ++t) em[(n - 1) * 4 + t] = sat(em[(n - 1) * 4 + t] + pad[t]);
    uint32_t code = m.type_of[ids_[s]];
    Interrupt::each(n, [&](size_t j) {
      code = (code * 8 + (j + 1 < n ? m.type_of[ids_[s + j + 1]] : 0)) & 511;
      for (uint32_t t = 0; t < 3; ++t) em[j * 4 + t] = sat(em[j * 4 + t] + m.type[code * 4 + t]);
    });
  }

#if SEGMENTER_SSE4
  // What score_sse carries from one piece of a long stretch to the next.
  struct Window {
    __m128i near, far;  // sums of positions j-1, j and of j+1, j+2
    __m128i ended;      // states of words of two characters that end at j
    __m128i kinds;      // what the types add to position j-1
    size_t types;       // of positions j-2, j-1 and j, three bits each
    size_t listed;
  };

  static constexpr uint32_t kPiece = 16 * Interrupt::kEvery;  // characters between two looks

  // Bytes into the high halves of 16-bit lanes; zero into the lanes of S.
  static __m128i to_near() {
    return _mm_setr_epi8(-1, 0, -1, 1, -1, 2, -1, -1, -1, 3, -1, 4, -1, 5, -1, -1);
  }

  static __m128i to_far() {
    return _mm_setr_epi8(-1, 6, -1, 7, -1, 8, -1, -1, -1, 9, -1, 10, -1, 11, -1, -1);
  }
  static __m128i spread(__m128i v, __m128i to) {
    return _mm_srai_epi16(_mm_shuffle_epi8(v, to), 8);
  }

  template <bool kGroups>
  void score_sse(uint32_t s, uint32_t n) {
    if (kGroups) reserve_states(n);
    // All places first: the cache misses of a piece overlap, where the window would let only a few
    // be in flight (1.6 times faster).
    const __m128i pad = _mm_loadu_si128(reinterpret_cast<const __m128i*>(m_->uni));
    const __m128i pad0 = spread(pad, to_near()), pad1 = spread(pad, to_far());
    Window w;
    w.near = _mm_slli_si128(_mm_adds_epi16(_mm_srli_si128(pad1, 8), pad1), 8);
    w.far = _mm_srli_si128(pad1, 8);
    w.ended = w.kinds = _mm_setzero_si128();
    w.types = m_->type_of[ids_[s]];
    w.listed = 0;
    for (uint32_t j = 0; j < n; j += kPiece) {
      if (j) Interrupt::look();
      const uint32_t stop = std::min(n, j + kPiece);
      find_places(s, j, stop, w.listed);
      slide<kGroups>(w, s, j, stop, stop == n);
    }
    // after the last character: the sentence's end
    _mm_storel_epi64(reinterpret_cast<__m128i*>(em_ + (int64_t(n) - 1) * kTagLanes),
                     _mm_adds_epi16(_mm_adds_epi16(w.near, pad0), w.kinds));
    list_end_ = w.listed;
  }

  // Writes the places of the pairs that begin at [from, to) into node_. Pairs that are not in the
  // hot table are listed (in list_, from `room` on), looked up in the other, and prefetched.
  SEGMENTER_NOINLINE void find_places(uint32_t s, uint32_t from, uint32_t to, size_t room) {
    const PairHash hot = m_->hot, cold = m_->cold;
    const int8_t* __restrict pair = m_->pair;
    const uint16_t* __restrict ids = ids_ + s;
    uint32_t* __restrict node = node_.data() + (s - origin_);
    uint32_t* __restrict list = list_.data() + room;
    size_t m = 0;
    uint32_t first = ids[from];
    for (size_t j = from; j < to; ++j) {
      const uint32_t second = ids[j + 1], place = hot(first, second);
      const uint32_t key = record_key(pair + size_t(place) * kTagRecord);
      node[j] = place;
      list[m] = uint32_t(j);
      m += ((key ^ pair_key(first, second)) & kPairKey) != 0;
      first = second;
    }
    for (size_t i = 0; i < m; ++i) {
      uint32_t j = list[i], place = hot.n + cold(ids[j], ids[j + 1]);
      node[j] = place;
      _mm_prefetch(reinterpret_cast<const char*>(pair + size_t(place) * kTagRecord), _MM_HINT_T0);
    }
  }

  // Adds up the records of the pairs that begin at [from, to), in a window of four positions.
  template <bool kGroups>
  SEGMENTER_NOINLINE void slide(Window& w, uint32_t s, uint32_t from, uint32_t to, bool last) {
    const int8_t* __restrict uni = m_->uni;
    const int8_t* __restrict pair = m_->pair;
    const uint16_t* __restrict ids = ids_ + s;
    uint32_t* __restrict node = node_.data() + (s - origin_);
    uint32_t* __restrict list = list_.data();
    uint8_t* __restrict longest = longest_.data();
    const auto& pattern = patterns().of;
    const uint32_t* const longer = m_->longer;
    const int16_t* __restrict type = m_->type;
    const uint8_t* __restrict type_of = m_->type_of;
    int16_t* __restrict em = em_ - kTagLanes;
    const __m128i to0 = to_near(), to1 = to_far();
    __m128i near = w.near, far = w.far, ended = w.ended, kinds = w.kinds;
    size_t types = w.types, m = w.listed;
    uint32_t id = ids[from];
    auto step = [&](size_t j, uint32_t next, size_t next_type) {
      const uint32_t place = node[j];
      const int8_t* r = pair + size_t(place) * kTagRecord;
      const uint32_t other = (record_key(r) ^ pair_key(id, next)) & kPairKey;
      r = without_branch(other, uni + size_t(id) * kTagRecord, r);
      id = next;
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(r));
      near = _mm_adds_epi16(near, spread(v, to0));
      far = _mm_adds_epi16(far, spread(v, to1));
      // position j-1 is complete except for its types, which are added last: where sums saturate,
      // their order is part of the result
      _mm_storel_epi64(reinterpret_cast<__m128i*>(em + kTagLanes * j), _mm_adds_epi16(near, kinds));
      types = (types * 8 + next_type) & 511;
      kinds = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(type + kTagLanes * types));
      near = _mm_alignr_epi8(far, near, 8);
      far = _mm_srli_si128(far, 8);
      const uint32_t key = record_key(r), longer_ones = key >> 31;
      node[j] = place | uint32_t(other == 0) << 27 | (key & 0xF0000000u);
      // for walk()
      _mm_prefetch(reinterpret_cast<const char*>(longer + (place & (0 - longer_ones))),
                   _MM_HINT_T0);
      list[m] = uint32_t(j);
      m += longer_ones;
      if (kGroups) {
        const auto& of = pattern[key >> 28 & 7][1];
        const __m128i b = _mm_load_si128(reinterpret_cast<const __m128i*>(of[0]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(longest + 16 * j), _mm_or_si128(b, ended));
        ended = _mm_load_si128(reinterpret_cast<const __m128i*>(of[2]));
      }
    };
    const size_t stop = to - uint32_t(last);
    for (size_t j = from; j < stop; ++j) {
      const uint32_t next = ids[j + 1];
      step(j, next, type_of[next]);
    }
    if (last) step(stop, ids[stop + 1], 0);
    w.near = near;
    w.far = far;
    w.ended = ended;
    w.kinds = kinds;
    w.types = types;
    w.listed = m;
  }
#endif

  // Words of three or more characters: first all positions whose third character passes the guard,
  // with the slot where it must be, so that the loads of one loop are independent.
  SEGMENTER_NOINLINE void walk(uint32_t s, uint32_t n) {
    const Trie& trie = m_->lex->trie;
    const uint64_t* __restrict units = trie.units;
    const uint32_t* __restrict longer = m_->longer;
    const uint16_t* __restrict ids = ids_ + s;
    uint32_t* __restrict list = list_.data();
    uint32_t* __restrict slots = slots_.data();
    const uint32_t* __restrict node = node_.data() + (s - origin_);
    Found* __restrict found = longest_word_.data() + (s - origin_);
    size_t m = 0;
    Interrupt::each(list_end_, [&](size_t i) {
      uint32_t j = list[i], id = ids[j + 2], base = longer[node[j] & kPlace];
      found[j].length = 0;
      uint32_t slot = (base & 0xFFFFFF) + id;
      list[m] = j;
      slots[m] = slot;
      m += base >> (24 + (id & 7)) & 1;
#if SEGMENTER_SSE4
      _mm_prefetch(reinterpret_cast<const char*>(units + slot), _MM_HINT_T0);
#endif
    });
    steps_ += list_end_;
    Interrupt::each(m, [&](size_t i) {
      uint32_t slot = slots[i], j = list[i];
      uint64_t u = units[slot];
      if (unit_label(u) != ids[j + 2]) return;
      for (uint32_t k = j + 3;; ++k) {
        ++steps_;
        if (unit_cost(u) != kNoCost) {
          found[j] = Found{slot, k - j};
          add_match(j, k - j, unit_cost(u));
          if (m_->bilstm) note_class(s + j, k - j, m_->bilstm->word_class[m_->lex->word_id(slot)]);
        }
        if (!unit_guard(u, ids[k])) break;
        slot = unit_base(u) + ids[k];
        u = units[slot];
        if (unit_label(u) != ids[k]) break;
      }
    });
  }

  // The sums of six tags, except matches of three or more characters and states; places of the
  // records, words of two characters and their states come from score_portable().
  SEGMENTER_NOINLINE void score_wide(uint32_t s, uint32_t n) {
    constexpr uint32_t T = 6;
    const TaggerModel& m = *m_;
    wide_.assign((size_t(n) + 8) * T, 0);
    int32_t* at = wide_.data() + T;  // position -1 has a place too
    auto add = [&](int64_t j, const int16_t* r, uint32_t from, uint32_t to) {
      for (uint32_t p = from; p < to; ++p)
        for (uint32_t t = 0; t < T; ++t) at[(j - 1 + int64_t(p)) * T + t] += r[T * p + t];
    };
    add(-2, m.wide_uni, 3, 4);  // what precedes the sentence
    add(-1, m.wide_uni, 2, 4);
    uint32_t code = m.type_of[ids_[s]];
    Interrupt::each(n, [&](size_t position) {
      const uint32_t j = uint32_t(position);
      add(j,
          node_[s + j] & kKnown ? m.wide_pair + size_t(node_[s + j] & kPlace) * 4 * T
                                : m.wide_uni + size_t(ids_[s + j]) * 4 * T,
          j ? 0 : 1, 4);
      code = (code * 8 + (j + 1 < n ? m.type_of[ids_[s + j + 1]] : 0)) & 511;
      for (uint32_t t = 0; t < T; ++t) at[j * T + t] += m.type[code * T + t];
    });
    add(n, m.wide_uni, 0, 1);  // and what follows it
  }
};

}  // namespace segmenter
