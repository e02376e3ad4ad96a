// The sums that a tagger decides by, and what words of its lexicon and of the user add to them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bilstm/reader.hpp"
#include "interrupt.hpp"
#include "pieces.hpp"
#include "tagging/text.hpp"
#include "user/edits.hpp"

namespace segmenter {

class TagSums : public TagText {
 protected:
  // Longer texts are decoded in parts of this many characters if only words are asked for, so that
  // memory for scores does not grow with the text.
  static constexpr uint32_t kPart = 1 << 16;

  bool portable_ = false;
  // by start: words that gain `cost` units of the score
  const std::vector<UserEdge>* bonuses_ = nullptr;
  std::vector<uint8_t> back_;
  std::vector<uint32_t> node_, list_, slots_;
  std::vector<int16_t> whole_;  // scores of a text by a BiLSTM, [n][4]
  std::vector<Piece> ends_;     // of the last stretch: n_ends_ entries before ends_stop_
  std::vector<int16_t> em_store_;
  std::vector<uint8_t> longest_;

  struct Found {
    uint32_t slot, length;
  };

  std::vector<Found> longest_word_;  // of three or more characters, where the pair has kPairLonger
  std::vector<int32_t> wide_;        // sums of six tags per position
  int16_t* em_ = nullptr;
  bool in_parts_ = false;  // the text is decoded in parts
  uint32_t origin_ = 0;    // where node_ and longest_word_ begin in the text
  size_t skipped_ = 0;     // positions in longest_ before those being decoded

  void begin(const TaggerModel& m, const Text& text, const Request& request, bool parts = false) {
    portable_ = request.portable;
    bonuses_ = request.edits && !request.edits->edges.empty() ? &request.edits->edges : nullptr;
    next_bonus_ = 0;
    in_parts_ = parts && text.n > kPart && m.tags == 4 && !m.bilstm && !bonuses_ &&
                m.lex->max_word < kPart / 4;
    origin_ = 0;
    if (!in_parts_) reserve(text.n);
    open(m, text, request.marks, in_parts_);
  }

  // Makes room for the scores of n characters and for what they are summed from.
  void reserve(size_t n) {
    size_t cap = n + 24;
    if (node_.size() < cap) {
      cap += cap / 2;
      auto make = [&](auto& column, size_t size) {  // zeros for a long line take their time
        column.resize(size);
        Interrupt::look(cap);
      };
      make(list_, cap);
      make(slots_, cap);
      make(ends_, cap);
      make(back_, cap);
      make(longest_word_, cap);
      make(em_store_, (cap + 8) * kTagLanes);
      node_.resize(cap);  // last: its size says that all of them have room
    }
    em_ = em_store_.data() + 4 * kTagLanes;  // room for the positions before the first
  }

  static int16_t sat(int32_t v) { return int16_t(v < -32768 ? -32768 : v > 32767 ? 32767 : v); }
  bilstm::Reader reader_;

  // Notes a word of the lexicon for the BiLSTM's inputs (SLOTS in segmenter/tagging/bilstm_crf).
  void note_class(uint32_t j, uint32_t len, uint8_t cls) {
    if (!cls) return;
    const uint32_t kind = std::min(len, 5u) - 2;
    const uint16_t value = uint16_t(std::min(len, 7u) << 8 | cls);
    auto note = [&](uint32_t at, uint32_t slot) {
      uint16_t& v = reader_.numbers[size_t(at) * bilstm::kLexiconSlots + slot];
      v = std::max(v, value);
    };
    note(j, kind);
    note(j + len - 1, 4 + kind);
    for (uint32_t k = 1; k + 1 < len; ++k) note(j + k, len == 3 ? 8 : 9);
  }

  void reserve_states(uint32_t n) {
    if (longest_.size() < (size_t(n) + 2) * 16) longest_.resize((size_t(n) + n / 2 + 16) * 16);
  }

  // An entry of node_: place | kKnown if the pair has a record | its flags << 28.
  static constexpr uint32_t kKnown = 1u << 27, kPlace = kKnown - 1;

  size_t list_end_ = 0;

#if SEGMENTER_SSE4
  // The state bytes of a match: [groups][step][role] of 16 bytes.
  struct StatePatterns {
    alignas(16) uint8_t of[8][6][3][16];
    StatePatterns() {
      std::memset(of, 0, sizeof of);
      for (uint32_t mask = 0; mask < 8; ++mask)
        for (uint32_t step = 0; step < 6; ++step)
          for (uint32_t role = 0; role < 3; ++role)
            for (uint32_t g = 0; g < kTagGroups; ++g)
              if (mask >> g & 1) of[mask][step][role][4 * g + role] = uint8_t(step);
    }
  };

  static const StatePatterns& patterns() {
    static const StatePatterns table;
    return table;
  }
#endif

  void add_match(uint32_t j, uint32_t len, uint32_t row) {
    if (m_->groups) note_match(j, len, row);
    if (m_->tags == 6) return add_roles<6>(j, len, row);
#if SEGMENTER_SSE4
    if (!portable_) {
      const int16_t* r = m_->match + size_t(row) * kTagRow;
      int16_t* em = em_ + size_t(j) * kTagLanes;
      auto add = [](int16_t* to, const int16_t* what) {
        __m128i* at = reinterpret_cast<__m128i*>(to);
        _mm_storel_epi64(at,
                         _mm_adds_epi16(_mm_loadl_epi64(at),
                                        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(what))));
      };
      add(em, r);
      add(em + 4, r + 4);
      for (uint32_t k = 2; k + 1 < len; ++k) add(em + 4 * k, r + 8);
      return add(em + 4 * (len - 1), r + 12);
    }
#endif
    add_roles<4>(j, len, row);
  }

  // Adds a row of weights to the sums of position j, in plain C++.
  template <uint32_t T>
  void add_row(uint32_t j, const int16_t* w) {
    int16_t* const em = em_ + size_t(j) * kTagLanes;
    for (uint32_t t = 0; t < T; ++t) {
      if constexpr (T == 6) wide_at(j)[t] += w[t];
      else em[t] = sat(em[t] + w[t]);
    }
  }

  template <uint32_t T>
  void add_roles(uint32_t j, uint32_t len, uint32_t row) {
    const int16_t* const w = m_->match + size_t(row) * 4 * T;
    for (uint32_t k = 0; k < len; ++k)
      add_row<T>(j + k, w + T * (k + 1 == len ? 3 : std::min(k, 2u)));
  }

  template <uint32_t T>
  void add_states_at(uint32_t j) {
    for (uint32_t g = 0; g < m_->groups; ++g) {
      const uint8_t* x = &longest_[16 * size_t(j) + 4 * g];
      const uint32_t code = (x[0] * 6u + x[1]) * 6u + x[2];
      add_row<T>(j, m_->state + (size_t(g) * kTagStates + code) * T);
    }
  }

  void note_match(uint32_t p, uint32_t len, uint32_t row) {  // p: from the start of the stretch
    uint32_t groups = m_->groups_of[row], step = std::min(len, 6u) - 1;
    if (!groups) return;
    uint8_t* at = longest_.data() + size_t(p) * 16;
#if SEGMENTER_SSE4
    if (!portable_) {
      const auto& of = patterns().of[groups][step];
      for (uint32_t k = 0; k < len; ++k, at += 16) {
        const uint8_t* what = of[k == 0 ? 0 : k + 1 == len ? 2 : 1];
        __m128i* to = reinterpret_cast<__m128i*>(at);
        _mm_storeu_si128(to, _mm_max_epu8(_mm_loadu_si128(to),
                                          _mm_load_si128(reinterpret_cast<const __m128i*>(what))));
      }
      return;
    }
#endif
    for (uint32_t g = 0; g < kTagGroups; ++g) {
      if (!(groups >> g & 1)) continue;
      for (uint32_t k = 0; k < len; ++k) {
        uint8_t& v = at[16 * k + 4 * g + (k == 0 ? 0 : k + 1 == len ? 2 : 1)];
        v = std::max(v, uint8_t(step));
      }
    }
  }

  int32_t* wide_at(uint32_t j) { return wide_.data() + (size_t(j) + 1) * 6; }

#if SEGMENTER_SSE4
  // Adds the states `v` of one position, [groups][4] bytes, to its four sums.
  template <int G>
  static __m128i with_states(__m128i sum, __m128i v, const int16_t* state) {
    const __m128i codes =
        _mm_madd_epi16(_mm_maddubs_epi16(v, _mm_set1_epi32(0x00010624)), _mm_set1_epi16(1));
    auto row = [&](uint64_t code, uint32_t g) {
      return _mm_loadl_epi64(
          reinterpret_cast<const __m128i*>(state + (g * size_t(kTagStates) + code) * 4));
    };
    const uint64_t two = uint64_t(_mm_cvtsi128_si64(codes));
    sum = _mm_adds_epi16(sum, row(two & 0xFFFFFFFF, 0));
    if constexpr (G > 1) sum = _mm_adds_epi16(sum, row(two >> 32, 1));
    if constexpr (G > 2) sum = _mm_adds_epi16(sum, row(uint32_t(_mm_extract_epi32(codes, 2)), 2));
    return sum;
  }
#endif

  SEGMENTER_NOINLINE void add_states(uint32_t n) {
    Interrupt::each(n, [&](size_t position) {
      const uint32_t j = uint32_t(position);
      if (m_->tags == 6) return add_states_at<6>(j);
#if SEGMENTER_SSE4
      if (!portable_) {
        const __m128i v =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(&longest_[16 * size_t(j)]));
        __m128i* to = reinterpret_cast<__m128i*>(em_ + 4 * size_t(j));
        __m128i sum = _mm_loadl_epi64(to);
        if (m_->groups == 1) sum = with_states<1>(sum, v, m_->state);
        else if (m_->groups == 2) sum = with_states<2>(sum, v, m_->state);
        else sum = with_states<3>(sum, v, m_->state);
        return _mm_storel_epi64(to, sum);
      }
#endif
      add_states_at<4>(j);
    });
  }

  // A weighted word of the user counts like a word of the tagger's lexicon: its tags gain, in equal
  // shares.
  void add_bonuses(uint32_t s, uint32_t e) {
    for (; next_bonus_ < bonuses_->size() && (*bonuses_)[next_bonus_].start < e; ++next_bonus_) {
      const UserEdge& b = (*bonuses_)[next_bonus_];
      uint32_t len = b.end - b.start;
      if (b.start < s || b.end > e) continue;
      int32_t share = int32_t((b.cost + len - 1) / len);
      for (uint32_t k = 0; k < len; ++k) {
        uint32_t last = m_->tags - 1, inner = std::min(k, last - 2);  // B M E S, or B B2 B3 M E S
        uint32_t tag = len == 1 ? last : k + 1 == len ? last - 1 : inner;
        if (m_->tags == 6) {
          wide_at(b.start - s + k)[tag] += share;
        } else {
          int16_t& em = em_[size_t(b.start - s + k) * kTagLanes + tag];
          em = sat(em + share);
        }
      }
      steps_ += len;
    }
  }

  size_t next_bonus_ = 0;
};

}  // namespace segmenter
