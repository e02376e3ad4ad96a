// The sums of four tags with vector instructions: a row of weights is one vector of saturating 16-bit
// lanes, and the records of pairs are added up in a sliding window.
#pragma once
#include "compiler.hpp"
#if SEGMENTER_SSE4
#include <algorithm>
#include <cstdint>

#include "interrupt.hpp"
#include "tagging/pairs.hpp"

namespace segmenter {

struct VectorSums {
  int16_t* sums;
  void add(size_t j, const int16_t* row) const {
    __m128i* cell = reinterpret_cast<__m128i*>(sums + 4 * j);
    _mm_storel_epi64(cell, _mm_adds_epi16(_mm_loadl_epi64(cell),
                                          _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row))));
  }
};

// The sums of characters, pairs and types of a stretch.
class VectorPairs {
 public:
  // Writes the sums [n][4] and the columns of `in`; states only if kGroups. `looked_up`:
  // find_records() has been called.
  template <bool kGroups>
  static void add(Pairs& in, int16_t* sums, bool looked_up) {
    if (kGroups) in.states.reserve(in.n);
    // All records first: the cache misses of a part overlap, where the window would let only a few
    // be in flight (1.6 times faster).
    Window window;
    window.n_candidates = 0;
    window.begin(in, 0);
    for (uint32_t j = 0; j < in.n; j += kPart) {
      if (j) Interrupt::poll();
      const uint32_t stop = std::min(in.n, j + kPart);
      if (!looked_up) find_records(in, j, stop, window.n_candidates);
      slide<kGroups>(in, sums, window, j, stop, stop == in.n);
    }
    window.end(in, sums, in.n);
    in.n_candidates = window.n_candidates;
  }

  // The same for several stretches that lie less than kPart characters apart: all records are
  // looked up before any is added up. next_stretch(k, s, e) sets the k-th stretch and returns
  // false after the last one; the id after each stretch is zero.
  template <bool kGroups, class Stretch>
  static void add_each(Pairs& in, int16_t* sums, const Stretch& next_stretch) {
    if (kGroups) in.states.reserve(in.n);
    find_records(in, 0, in.n, 0);
    Window window;
    window.n_candidates = 0;
    uint32_t s, e;
    for (size_t k = 0; next_stretch(k, s, e); ++k) {
      window.begin(in, s);
      slide<kGroups>(in, sums, window, s, e, true);
      window.end(in, sums, e);
    }
    in.n_candidates = window.n_candidates;
  }

  // Prefetches the pilots of the pairs and the records of single characters.
  static void prefetch_tables(const Pairs& in) {
    const PairHash& cold = in.m.cold;
    for (size_t j = 0; j < in.n; ++j) {
      const size_t pilot = PairHash::mix(in.ids[j], in.ids[j + 1]) >> cold.shift;
      _mm_prefetch(reinterpret_cast<const char*>(cold.pilots + pilot), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(in.m.uni + size_t(in.ids[j]) * kTagRecord),
                   _MM_HINT_T0);
    }
  }

  // Writes the only record that each pair beginning in [begin, end) can have. Pairs that are not
  // in the hot table are listed (in `candidates`, from `n_listed` on), looked up in the cold one
  // and prefetched.
  static SEGMENTER_NOINLINE void find_records(const Pairs& in, uint32_t begin, uint32_t end,
                                              size_t n_listed) {
    const PairHash hot = in.m.hot, cold = in.m.cold;
    const int8_t* __restrict pair = in.m.pair;
    const uint16_t* __restrict ids = in.ids;
    const int8_t** __restrict records = in.records;
    uint32_t* __restrict candidates = in.candidates + n_listed;
    uint32_t first = ids[begin];
    for (size_t j = begin; j < end; ++j) {
      const uint32_t second = ids[j + 1];
      const int8_t* const record = pair + size_t(hot(first, second)) * kTagRecord;
      records[j] = record;
      _mm_prefetch(reinterpret_cast<const char*>(record), _MM_HINT_T0);
      first = second;
    }
    size_t n_missed = 0;
    first = ids[begin];
    for (size_t j = begin; j < end; ++j) {
      const uint32_t second = ids[j + 1];
      candidates[n_missed] = uint32_t(j);
      n_missed += ((record_key(records[j]) ^ pair_key(first, second)) & kPairKey) != 0;
      first = second;
    }
    const bool prefetching = in.prefetch.active();
    const size_t n_units = in.m.lex->trie.n_units;
    if (prefetching)
      for (size_t j = begin; j < end; ++j)
        in.prefetch.fetch_entry(n_units + in.m.place(records[j]));
    for (size_t i = 0; i < n_missed; ++i) {
      const size_t j = candidates[i];
      const size_t place = hot.n + cold(ids[j], ids[j + 1]);
      const int8_t* const record = pair + place * kTagRecord;
      records[j] = record;
      _mm_prefetch(reinterpret_cast<const char*>(record), _MM_HINT_T0);
      if (prefetching) {
        in.prefetch.fetch_entry(n_units + place);
        _mm_prefetch(reinterpret_cast<const char*>(in.m.longer + place), _MM_HINT_T0);
      }
    }
  }

 private:
  // What add() carries from one part of a long stretch to the next.
  struct Window {
    __m128i near, far;  // sums of positions j-1, j and of j+1, j+2
    __m128i ended;      // states of words of two characters that end at j
    __m128i kinds;      // what the types add to position j-1
    size_t types;       // of positions j-2, j-1 and j, three bits each
    size_t n_candidates;

    // Before the first character of a stretch.
    void begin(const Pairs& in, uint32_t s) {
      const __m128i first_pad = spread(padding(in), far_lanes());
      near = _mm_slli_si128(_mm_adds_epi16(_mm_srli_si128(first_pad, 8), first_pad), 8);
      far = _mm_srli_si128(first_pad, 8);
      ended = kinds = _mm_setzero_si128();
      types = in.m.type_of[in.ids[s]];
    }
    // After its last character, e being the sentence's end.
    void end(const Pairs& in, int16_t* sums, uint32_t e) const {
      _mm_storel_epi64(
          reinterpret_cast<__m128i*>(sums + (int64_t(e) - 1) * kTags),
          _mm_adds_epi16(_mm_adds_epi16(near, spread(padding(in), near_lanes())), kinds));
    }
    static __m128i padding(const Pairs& in) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(in.m.uni));
    }
  };

  // Characters between two checks for signals.
  static constexpr uint32_t kPart = 16 * Interrupt::kEvery;

  // Bytes into the high halves of 16-bit lanes; zero into the lanes of S.
  static __m128i near_lanes() {
    return _mm_setr_epi8(-1, 0, -1, 1, -1, 2, -1, -1, -1, 3, -1, 4, -1, 5, -1, -1);
  }

  static __m128i far_lanes() {
    return _mm_setr_epi8(-1, 6, -1, 7, -1, 8, -1, -1, -1, 9, -1, 10, -1, 11, -1, -1);
  }
  static __m128i spread(__m128i v, __m128i lanes) {
    return _mm_srai_epi16(_mm_shuffle_epi8(v, lanes), 8);
  }

  // Adds up the records of the pairs that begin in [begin, end), in a window of four positions.
  // `last`: a stretch ends at `end`.
  template <bool kGroups>
  static SEGMENTER_NOINLINE void slide(const Pairs& in, int16_t* sums, Window& window,
                                       uint32_t begin, uint32_t end, bool last) {
    const uint16_t* __restrict ids = in.ids;
    const int8_t* __restrict uni = in.m.uni;
    const uint32_t* const longer = in.m.longer;
    const int8_t** __restrict records = in.records;
    uint32_t* __restrict candidates = in.candidates;
    uint8_t* __restrict states = in.states.data();
    const auto& pattern = LexiconStates::patterns().pair_rows;
    const int16_t* __restrict type = in.m.type;
    const uint8_t* __restrict type_of = in.m.type_of;
    int16_t* __restrict completed = sums - kTags;
    const __m128i near_bytes = near_lanes(), far_bytes = far_lanes();
    __m128i near = window.near, far = window.far, ended = window.ended, kinds = window.kinds;
    size_t types = window.types, n_candidates = window.n_candidates;
    uint32_t id = ids[begin];
    auto step = [&](size_t j, uint32_t next, size_t next_type) {
      const int8_t* record = records[j];
      const uint32_t differs = (record_key(record) ^ pair_key(id, next)) & kPairKey;
      records[j] = record = without_branch(differs, uni + size_t(id) * kTagRecord, record);
      id = next;
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(record));
      near = _mm_adds_epi16(near, spread(v, near_bytes));
      far = _mm_adds_epi16(far, spread(v, far_bytes));
      // position j-1 is complete except for its types, which are added last: where sums saturate,
      // their order is part of the result
      _mm_storel_epi64(reinterpret_cast<__m128i*>(completed + kTags * j),
                       _mm_adds_epi16(near, kinds));
      types = (types * 8 + next_type) & 511;
      kinds = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(type + kTags * types));
      near = _mm_alignr_epi8(far, near, 8);
      far = _mm_srli_si128(far, 8);
      const uint32_t key = record_key(record), has_longer = key >> 31;
      // for LinearScores::add_words()
      _mm_prefetch(reinterpret_cast<const char*>(longer + (in.m.place(record) & (0 - has_longer))),
                   _MM_HINT_T0);
      candidates[n_candidates] = uint32_t(j);
      n_candidates += has_longer;
      if (kGroups) {
        const __m128i begun =
            _mm_load_si128(reinterpret_cast<const __m128i*>(pattern[key >> 28 & 7]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(states + 16 * j), _mm_or_si128(begun, ended));
        ended = _mm_slli_epi32(begun, 16);  // at the next position the word ends
      }
    };
    const size_t stop = end - uint32_t(last);
    for (size_t j = begin; j < stop; ++j) {
      const uint32_t next = ids[j + 1];
      step(j, next, type_of[next]);
    }
    if (last) step(stop, ids[stop + 1], 0);
    window.near = near;
    window.far = far;
    window.ended = ended;
    window.kinds = kinds;
    window.types = types;
    window.n_candidates = n_candidates;
  }
};

}  // namespace segmenter
#endif
