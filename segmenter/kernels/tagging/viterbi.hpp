// The best tags of a stretch (Viterbi 1967), in parts if it is long, and by how much each boundary
// is decided.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tagging/scores.hpp"

namespace segmenter {

class TagViterbi : public TagScores {
 protected:
  std::vector<int32_t> margin_;
  std::vector<int32_t> ahead_;      // scores of the best paths to each tag, four per position
  std::vector<uint8_t> wide_back_;  // six tags: the tag before each, six per position
  int32_t last_[4] = {};            // scores of the tags of the last position
  size_t n_ends_ = 0, ends_stop_ = 0;

  void decode(uint32_t s, uint32_t e) {
    last_start_ = s;
    uint16_t keep = ids_[e];
    ids_[e] = 0;  // the sentence ends here, for pairs and walks
    if (m_->tags == 6) {
      score_portable(s, e - s);
      score_wide(s, e - s);
      walk(s, e - s);
      if (m_->groups) add_states(e - s);
      if (bonuses_) add_bonuses(s, e);
      viterbi_six(s, e - s);
    } else {
      if (m_->bilstm)
        std::memcpy(em_, whole_.data() + size_t(s) * kTagLanes,
                    size_t(e - s) * kTagLanes * sizeof(int16_t));
      else score_linear(s, e);
      if (bonuses_) add_bonuses(s, e);
      viterbi_four(s, e - s, m_->start);
      trace(s, e - s, last_[3] > last_[2]);
    }
    ids_[e] = keep;
    steps_ += e - s;
  }

  // Decodes [s, e) in parts and calls emit(from, to) for each. The scores of a position depend on
  // two characters on either side and on the words that include it, so a part is scored with that
  // much context. A part ends after a word end that the best paths to all tags of its last position
  // share: the best path of the whole passes there, and beyond it is the best from that tag on,
  // ties included. If they share none, the part is doubled.
  template <class Emit>
  void decode_parts(uint32_t s, uint32_t e, const Emit& emit) {
    const uint32_t around = m_->lex->max_word + 2;
    const int32_t* start = m_->start;
    uint32_t size = kPart;
    for (uint32_t at = s; at < e;) {
      Interrupt::look();
      const uint32_t to = e - at > size ? at + size : e;
      const uint32_t first = at - s > around ? at - around : s,
                     stop = e - to > around ? to + around : e;
      reserve(stop - first);
      origin_ = first;
      const uint16_t keep = ids_[stop];
      ids_[stop] = 0;
      score_linear(first, stop);
      skipped_ = at - first;
      em_ += skipped_ * kTagLanes;
      viterbi_four(at, to - at, start);
      skipped_ = 0;
      ids_[stop] = keep;
      steps_ += stop - first;
      uint32_t n = to - at;
      bool single = last_[3] > last_[2];
      if (to < e && !(n = common_end(n, single))) {
        size *= 2;
        continue;
      }
      trace(at, n, single);
      emit(at, at + n);
      at += n;
      start = m_->trans + 4 * (single ? 3 : 2);
      size = kPart;
    }
    origin_ = 0;
  }

  // The longest prefix of n characters that ends after a word in the best paths to all tags of the
  // last one; 0: none. `single`: whether that word has one character.
  uint32_t common_end(uint32_t n, bool& single) {
    uint32_t tags = 0xF;  // one bit per tag
    for (uint32_t j = n; j-- > 1;) {
      const uint32_t back = back_[j];
      uint32_t before = 0;
      if (tags & 1) before |= back & 1 ? 8 : 4;  // B and S follow E or S, M and E follow B or M
      if (tags & 2) before |= back & 2 ? 2 : 1;
      if (tags & 4) before |= back & 4 ? 2 : 1;
      if (tags & 8) before |= back & 8 ? 8 : 4;
      tags = before;
      if (tags == 4 || tags == 8) {
        single = tags == 8;
        return j;
      }
    }
    return 0;
  }

  // `start`: the scores of the tags B and S of the first character.
  void viterbi_four(uint32_t s, uint32_t n, const int32_t* start) {
#if SEGMENTER_SSE4
    if (!portable_) {
      switch (states_added_ || m_->bilstm ? 0 : m_->groups) {
        case 0:
          return viterbi_vector<0>(s, n, start);
        case 1:
          return viterbi_vector<1>(s, n, start);
        case 2:
          return viterbi_vector<2>(s, n, start);
        default:
          return viterbi_vector<3>(s, n, start);
      }
    }
#endif
    viterbi_plain<4>(s, n, start, last_);
  }

#if SEGMENTER_SSE4
  // What the tags of a character lose, by the marks before it.
  alignas(16) static constexpr int32_t kPenalty[4][4] = {{0, 0, 0, 0},
                                                         {0, kTagNever, kTagNever, 0},
                                                         {kTagNever, 0, 0, kTagNever},
                                                         {0, kTagNever, kTagNever, 0}};

  // The recursion with one lane per tag. Each tag has two predecessors: E or S for B and S, B or M
  // for M and E.
  struct Lanes {
    __m128i from_first, from_second;
    explicit Lanes(const int32_t* w)
        : from_first(_mm_setr_epi32(w[8], w[1], w[2], w[11])),
          from_second(_mm_setr_epi32(w[12], w[5], w[6], w[15])) {}
    __m128i first(__m128i v, __m128i e) const {
      return _mm_add_epi32(_mm_shuffle_epi32(v, _MM_SHUFFLE(2, 0, 0, 2)),
                           _mm_add_epi32(from_first, e));
    }
    __m128i second(__m128i v, __m128i e) const {
      return _mm_add_epi32(_mm_shuffle_epi32(v, _MM_SHUFFLE(3, 1, 1, 3)),
                           _mm_add_epi32(from_second, e));
    }
  };
  static __m128i level(__m128i v) {  // prevents overflow
    return _mm_max_epi32(_mm_sub_epi32(v, _mm_shuffle_epi32(v, _MM_SHUFFLE(2, 2, 2, 2))),
                         _mm_set1_epi32(kTagNever));
  }

  // With G groups of states, added here because a step spends time waiting for the one before.
  template <int G>
  SEGMENTER_NOINLINE void viterbi_vector(uint32_t s, uint32_t n, const int32_t* start) {
    const uint8_t* __restrict marks = marks_store_.data() + s;
    uint8_t* __restrict back = back_.data();
    int16_t* __restrict em = em_;
    const int32_t* w = m_->trans;
    const int16_t* __restrict state = m_->state;
    const uint8_t* __restrict longest = longest_.data() + 16 * skipped_;
    auto sums = [&](uint32_t j) {
      __m128i* const at = reinterpret_cast<__m128i*>(em + 4 * size_t(j));
      __m128i sum = _mm_loadl_epi64(at);
      if constexpr (G > 0) {
        const __m128i v =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(longest + 16 * size_t(j)));
        sum = with_states<G>(sum, v, state);
        _mm_storel_epi64(at, sum);
      }
      return _mm_cvtepi16_epi32(sum);
    };
    const Lanes ways(w);
    __m128i v = _mm_add_epi32(sums(0), _mm_setr_epi32(start[0], kTagNever, kTagNever, start[3]));
    for (uint32_t j = 1; j < n;) {
      uint32_t stop = std::min(n, j + 1024);
      if (j > 1) Interrupt::look(1024);
      for (; j < stop; ++j) {
        __m128i e = sums(j);
        e = _mm_add_epi32(e,
                          _mm_load_si128(reinterpret_cast<const __m128i*>(kPenalty[marks[j] & 3])));
        const __m128i a = ways.first(v, e), b = ways.second(v, e);
        back[j] = uint8_t(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(b, a))));
        v = _mm_max_epi32(a, b);
      }
      v = level(v);
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(last_), v);
  }
#endif

  template <int T>
  void emission(uint32_t s, uint32_t j, int32_t* e) const {
    uint8_t mark = j ? marks_store_[s + j] & 3 : 0;
    for (int t = 0; t < T; ++t) {
      bool opens = Tags<T>::begins(t);
      bool barred = mark & kMarkCut ? !opens : mark & kMarkJoin ? opens : false;
      int32_t sum =
          T == 4 ? em_[4 * size_t(j) + size_t(t)] : wide_[(size_t(j) + 1) * T + size_t(t)];
      e[t] = sum + (barred ? kTagNever : 0);
    }
  }

  // Without vector instructions, for any scheme: writes the scores of the last position's tags into
  // `last`.
  template <int T>
  SEGMENTER_NOINLINE void viterbi_plain(uint32_t s, uint32_t n, const int32_t* start,
                                        int32_t* last) {
    if (T != 4 && wide_back_.size() < size_t(n) * T) wide_back_.resize((size_t(n) + n / 2) * T);
    int32_t v[T], e[T], q[T];
    uint8_t before[T];
    emission<T>(s, 0, e);
    for (int t = 0; t < T; ++t) v[t] = e[t] + (Tags<T>::begins(t) ? start[t] : kTagNever);
    for (uint32_t j = 1; j < n;) {
      const uint32_t stop = std::min(n, j + 1024);
      if (j > 1) Interrupt::look(1024);
      for (; j < stop; ++j) {
        emission<T>(s, j, e);
        best_step<T>(m_->trans, v, e, q, before);
        std::memcpy(v, q, sizeof v);
        if constexpr (T == 4) {  // each tag has two predecessors: B or M, or E or S
          back_[j] = uint8_t((before[0] & 1) | (before[1] & 1) << 1 | (before[2] & 1) << 2 |
                             (before[3] & 1) << 3);
        } else {
          std::memcpy(wide_back_.data() + size_t(j) * T, before, T);
        }
      }
      const int32_t base = v[T - 2];
      for (int32_t& x : v) x = std::max(x - base, kTagNever);  // prevents overflow
    }
    std::memcpy(last, v, sizeof v);
  }

  void viterbi_six(uint32_t s, uint32_t n) {
    int32_t last[6];
    viterbi_plain<6>(s, n, m_->start, last);
    uint32_t t = last[5] > last[4] ? 5 : 4;
    n_ends_ = 0;
    ends_stop_ = n;
    for (uint32_t j = n; j-- > 0;) {
      if (Tags<6>::ends(int(t))) ends_[n - ++n_ends_] = Piece{s + j + 1, 0};
      if (j) t = wide_back_[size_t(j) * 6 + t];
    }
  }

  // Follows the back pointers; fills ends_ with the word ends, from its back.
  SEGMENTER_NOINLINE void trace(uint32_t s, uint32_t n, bool single) {
    // for each mask of back bits, one byte per tag: eight times the tag before it
    struct Table {
      uint32_t of[16];
      Table() {
        for (uint32_t m = 0; m < 16; ++m) {
          uint32_t b = m & 1 ? 3 : 2, c = m & 2 ? 1 : 0, d = m & 4 ? 1 : 0, a = m & 8 ? 3 : 2;
          of[m] = 8 * b | 8 * c << 8 | 8 * d << 16 | 8 * a << 24;
        }
      }
    };
    static const Table table;
    const uint8_t* __restrict back = back_.data();
    Piece* const stop = ends_.data() + n;
    Piece* __restrict to = stop;
    uint32_t t = single ? 24 : 16;
    for (uint32_t j = n; j-- > 0;) {
      to[-1] = Piece{s + j + 1, 0};
      to -= t >> 4;  // E and S end a word
      t = table.of[back[j] & 15] >> t & 0xFF;
    }
    n_ends_ = size_t(stop - to);
    ends_stop_ = n;
  }

  Piece* first_end() { return ends_.data() + (ends_stop_ - n_ends_); }

  // margin_[j]: by how much the best path decides whether a boundary follows position j.
  template <int T>
  void boundary_margins(uint32_t n) {
    margin_.assign(n, 0);
    steps_ += 2 * n;
#if SEGMENTER_SSE4
    if constexpr (T == 4)
      if (!portable_) return margins_vector(n);
#endif
    const int32_t* w = m_->trans;
    uint32_t s = last_start_;
    std::vector<int64_t> f(size_t(n) * T);
    int64_t b[T], c[T];
    int32_t e[T];
    uint8_t before[T];
    emission<T>(s, 0, e);
    for (int t = 0; t < T; ++t)
      f[size_t(t)] = e[t] + (Tags<T>::begins(t) ? m_->start[t] : kTagNever);
    for (uint32_t j = 1; j < n; ++j) {
      if (!(j & 1023)) Interrupt::look(1024);
      emission<T>(s, j, e);
      best_step<T>(w, &f[T * size_t(j - 1)], e, &f[T * size_t(j)], before);
    }
    for (int t = 0; t < T; ++t) b[t] = Tags<T>::ends(t) ? 0 : kTagNever;
    for (uint32_t j = n; j-- > 0;) {
      if (!(j & 1023) && j) Interrupt::look(1024);
      const int64_t* x = &f[T * size_t(j)];
      int64_t open = INT64_MIN, shut = INT64_MIN;
      for (int t = 0; t < T; ++t) {
        int64_t& side = Tags<T>::ends(t) ? shut : open;
        side = std::max(side, x[t] + b[t]);
      }
      int64_t gap = shut > open ? shut - open : open - shut;
      margin_[j] = int32_t(std::min<int64_t>(gap, -int64_t(kTagNever)));
      if (j == 0) break;
      emission<T>(s, j, e);
      for (int t = 0; t < T; ++t) {
        c[t] = INT64_MIN;
        for (int to = 0; to < T; ++to)
          if (Tags<T>::follows(t, to)) c[t] = std::max(c[t], w[T * t + to] + e[to] + b[to]);
      }
      std::memcpy(b, c, sizeof b);
    }
  }

#if SEGMENTER_SSE4
  // Four tags, one lane each. A path passes a forbidden tag at most twice in a row, so sums of both
  // directions fit.
  SEGMENTER_NOINLINE void margins_vector(uint32_t n) {
    const uint8_t* marks = marks_store_.data() + last_start_;
    const int32_t* w = m_->trans;
    auto score = [&](uint32_t j) {
      const __m128i sum = _mm_cvtepi16_epi32(
          _mm_loadl_epi64(reinterpret_cast<const __m128i*>(em_ + 4 * size_t(j))));
      return j ? _mm_add_epi32(
                     sum, _mm_load_si128(reinterpret_cast<const __m128i*>(kPenalty[marks[j] & 3])))
               : sum;
    };
    ahead_.resize(size_t(n) * 4);
    auto at = [&](uint32_t j) { return reinterpret_cast<__m128i*>(ahead_.data() + 4 * size_t(j)); };
    const Lanes ways(w);
    __m128i v =
        _mm_add_epi32(score(0), _mm_setr_epi32(m_->start[0], kTagNever, kTagNever, m_->start[3]));
    _mm_storeu_si128(at(0), v);
    for (uint32_t j = 1; j < n; ++j) {
      if (!(j & 1023)) v = level(v), Interrupt::look(1024);
      const __m128i e = score(j);
      _mm_storeu_si128(at(j), v = _mm_max_epi32(ways.first(v, e), ways.second(v, e)));
    }
    // successors: M or E of B and M; B or S of E and S
    const __m128i u1 = _mm_setr_epi32(w[1], w[5], w[8], w[12]);
    const __m128i u2 = _mm_setr_epi32(w[2], w[6], w[11], w[15]);
    v = _mm_setr_epi32(kTagNever, kTagNever, 0, 0);
    for (uint32_t j = n; j-- > 0;) {
      const __m128i both = _mm_add_epi32(_mm_loadu_si128(at(j)), v);
      const __m128i sides = _mm_max_epi32(both, _mm_shuffle_epi32(both, _MM_SHUFFLE(2, 3, 0, 1)));
      const int32_t gap = _mm_cvtsi128_si32(sides) - _mm_extract_epi32(sides, 2);
      margin_[j] = std::min(std::abs(gap), -kTagNever);
      if (!(j & 1023) && j) v = level(v), Interrupt::look(1024);
      const __m128i x = _mm_add_epi32(score(j), v);
      v = _mm_max_epi32(_mm_add_epi32(_mm_shuffle_epi32(x, _MM_SHUFFLE(0, 0, 1, 1)), u1),
                        _mm_add_epi32(_mm_shuffle_epi32(x, _MM_SHUFFLE(3, 3, 2, 2)), u2));
    }
  }
#endif

  uint32_t last_start_ = 0;
};

}  // namespace segmenter
