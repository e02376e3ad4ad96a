// The word lattice of a text, built once from left to right, window by window.
//
// Input is a buffer of code points (1, 2 or 4 bytes each).  Every code point becomes a dense
// character id; runs (Latin, digits, blanks, …) become class edges; the trie gives the words.
// Edges of 1 to 4 characters lie in dense tables by their END (cell 4*j + L-1 is the edge of L
// characters that ends at j), which is what the Viterbi recursion reads; longer ones and class
// edges hang in short lists by their end.  Nothing is looked at twice: `advance` appends a block,
// `commit` drops the decided front.
//
// Levels.  All look-ups of one and two characters are done first, branch-free, for the whole
// block; the few positions where a third character can follow are compacted into a list, those
// make the list for the fourth, and so on.  The loads of neighbouring positions are independent,
// so the processor overlaps their cache misses; a walk position by position could not.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__SSE2__) && !defined(SEGMENTER_PORTABLE)
#define SEGMENTER_SSE 1
#include <emmintrin.h>
#else
#define SEGMENTER_SSE 0
#endif
#if defined(__SSE4_1__) && !defined(SEGMENTER_PORTABLE)
#define SEGMENTER_SSE4 1
#include <smmintrin.h>
#else
#define SEGMENTER_SSE4 0
#endif
#if !defined(SEGMENTER_PORTABLE) && (defined(_WIN32) || \
    (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__))
#define SEGMENTER_LITTLE_ENDIAN 1
#else
#define SEGMENTER_LITTLE_ENDIAN 0
#endif

#include "lexicon/double_array.hpp"
#include "lattice/edits.hpp"
#include "interrupt.hpp"
#include "lexicon/variants.hpp"

namespace segmenter {

// Character classes, as in chars.py.
enum CharClass : uint8_t {
  kOther = 0, kDigit, kLatin, kHanNum, kBlank, kLf, kCr, kPoint, kColon, kComma, kPercent, kMinus,
  kGreek, kCyrillic, kKatakana, kHiragana, kHangul, kLetter, kExtend, kHan, kPunct,
};

// What an edge is when it is no word of the lexicon.
enum EdgeKind : uint8_t {
  kWord = 0,   // a word of the lexicon (or of the user)
  kUnknown,    // one character that no lexicon knows
  kNumber,     // 3.14  50%  三千五百  第一
  kDate,       // 1998年  12月  三十一日
  kLatinRun,   // iphone15
  kBlankRun,
  kLineEnd,    // \n  \r\n
  kScriptRun,  // кириллица, カタカナ, …
  kCluster,    // a character with its combining marks
  kEdgeKinds
};
// Kinds of pieces between these are atoms (atoms/atoms.hpp), and from kUserWord on the user's words, one kind
// a layer of the dictionary; the slot is the entry's number there.  They have neither a cost nor an
// n-gram token of their own.
constexpr uint32_t kUserWord = 32;

// Characters that the number and date rules look at, as ids (0: not in this lexicon).
struct RuleIds {
  uint32_t zero;  // the ids of 0 … 9 are adjacent, from here
  uint32_t nian, yue, fen_month, ri, shi, fen, di, dian, zhi;  // 年 月 份 日 时 分 第 点 之
  uint32_t numerals[18];  // 一二三四五六七八九十百千万亿零○〇两, in this order
};

// What the first step of a look-up asks of a character: the cost of its edge as it stands in a Row,
// and where its children stand.
struct Single {
  uint32_t cost, base;
};

// Signs that are words of their own wherever they stand: of ASCII, their full-width twins, and middle dots.
constexpr char32_t kSigns[] = U"|#`<>/=()[]{}\\｜＃｀＜＞／＝（）［］｛｝＼·•‧・･";
// What entries of Lexicon::signed_bmp have on signs, and their ids.
constexpr uint16_t kSignChar = 0x4000;
constexpr uint32_t kSignedIds = 0x3FFF;

struct Lexicon {
  CharMap map;       // what text is read by
  CharMap spelling;  // the same without variants: whose canonical characters spell the words
  const Variants* variants = nullptr;
  Trie trie;
  const uint8_t* id_class = nullptr;  // [n_ids]
  uint32_t n_runs = 0;                // ids in [1, n_runs) are of classes that form runs
  uint32_t n_special = 0;             // ids in [n_runs, n_special) join runs: . : , % - between digits
  uint32_t max_word = 1;
  uint32_t unknown_cost = kMaxCost;
  uint32_t kind_cost[kEdgeKinds] = {};
  RuleIds rules{};
  // Number and date rules, runs of Latin letters; off: as jieba has it, that is single letters and
  // digits are joined after decoding, and of equal paths the one with the longer FIRST word wins.
  bool numbers = true;
  const uint64_t* terminal = nullptr;  // bit a slot: a word ends here
  const uint32_t* rank = nullptr;      // words before slot 64*k
  uint32_t n_words = 0;
  std::vector<uint16_t> signed_bmp;    // made by mark_signs()
  // made by prepare():
  std::vector<Single> singles;  // by id
  std::vector<uint32_t> alone;  // by id: `what` of a Piece of this character alone
  uint32_t n_others = 0;        // ids in [n_others, n_runs) are Chinese numerals
  uint32_t dates = 0;           // ids in [dates, dates + 8) may make a number before them longer
  uint32_t masked = 0;          // id of a Han character that no word has

  // Fills what is made of the other members.  To be called when they are set.
  void prepare() {
    singles.resize(trie.n_ids);
    for (uint32_t id = 0; id < trie.n_ids; ++id)
      singles[id] = Single{unit_cost(trie.units[id]) << 2 | 3, unit_base(trie.units[id])};
    masked = map(0x3FFFE) & 0x7FFF;  // never assigned
    alone.resize(trie.n_ids);
    for (uint32_t id = 0; id < trie.n_ids; ++id) {
      uint8_t c = id_class[id];
      EdgeKind kind = trie.units[id] & 1 ? kUnknown : kWord;
      if (id && id < n_special)
        kind = c == kBlank || c == kCr ? kBlankRun : c == kLf ? kLineEnd : kind;
      alone[id] = id | uint32_t(kind) << 24;
    }
    n_others = n_runs;
    while (n_others > 1 && id_class[n_others - 1] == kHanNum) --n_others;
    for (uint32_t id = 1; id < n_others; ++id)
      if (id_class[id] == kHanNum) n_others = n_runs;
    dates = rules.nian;
    if (dates == 0 || rules.fen != dates + 5 || rules.di != dates + 6 || rules.dian != dates + 7)
      n_others = n_runs;  // not so ordered: every numeral is looked at
  }
  // For a tagger, whose ids leave bit 14 free: the map of the basic plane with kSignChar on the signs.
  void mark_signs() {
    if (!signed_bmp.empty() || trie.n_ids > kSignedIds + 1) return;
    signed_bmp.assign(map.bmp, map.bmp + 0x10000);
    for (const char32_t* c = kSigns; *c; ++c) signed_bmp[*c] |= kSignChar;
  }
  CharClass char_class(uint32_t id) const { return CharClass(id_class[id]); }
  bool is_word(uint32_t slot) const { return terminal[slot / 64] >> (slot % 64) & 1; }
  // Number of the word that ends at `slot`, in [0, n_words).
  uint32_t word_id(uint32_t slot) const {
    uint64_t below = terminal[slot / 64] & ((uint64_t(1) << (slot % 64)) - 1);
    return rank[slot / 64] + uint32_t(__builtin_popcountll(below));
  }
  // Settles characters of several readings by the words of the trie; see Variants::settle.
  size_t settle(const void* text, int width, size_t n, size_t from, size_t to, uint16_t* ids, const uint8_t* odd) const {
    return variants->settle(text, width, n, from, to, ids, odd, [&](const uint16_t* around, uint32_t m, uint32_t k) {
      auto usual = [&](uint32_t slot) { return is_word(slot) ? kNoCost - unit_cost(trie.units[slot]) : 0; };
      return longest_in_trie(trie, usual, around, m, k);
    });
  }
};

constexpr uint32_t kBlock = 512;         // starts handled at once: the tables stay in L1
constexpr uint32_t kInf = 1u << 30;      // the cost field of an edge that is not there
constexpr int64_t kInfPath = int64_t(1) << 60;
constexpr uint32_t kRuleLook = 4;        // how far past a run the date rules look
constexpr uint32_t kBack = 2;            // characters before the window that rules may look at

// An edge that does not fit the dense table.
struct LongEdge {
  uint32_t start, end, cost, slot;
  EdgeKind kind;
  uint32_t next;  // index + 1 of the next edge with the same end; 0: none
};

// One decided word: exclusive end in the text; what = slot | kind << 24 | flags.
struct Piece {
  uint32_t end, what;
};
constexpr uint32_t kNotCanonical = 1u << 31;  // the text differs from the lexicon's own spelling
constexpr uint32_t kDropped = 1u << 30;       // the caller asked not to see it
inline uint32_t piece_slot(uint32_t what) { return what & 0xFFFFFF; }
inline EdgeKind piece_kind(uint32_t what) { return EdgeKind(what >> 24 & 0x3F); }

// The edges of 1 to 4 characters that end at one position, by length.  Costs are shifted left by 2
// with 4 minus the length in the low bits (the longer of two equal paths is then the smaller
// number); >= kInf: no edge.  A slot tells nothing where there is no edge.
struct Row {
  uint32_t cost[4], slot[4];
};

// A node that may be there: where its edge would stand (8 * end + length - 1) and its slot.
struct Candidate {
  uint32_t cell, slot;
};

struct Match {  // a word found by another matcher
  uint32_t start, end, cost, slot;
};

// What entries of a MarkedMap have where ids leave the bits free: characters to look at, and those that
// matter between two letters or digits only.
constexpr uint16_t kMarkedChar = 0x4000, kJoiningChar = 0x2000;
constexpr uint32_t kMarkedIds = 0x1FFF;

// Character ids (the bits of `id_bits`) of positions [from, to) and, apart from them, bit 15 of their
// entries; of a map that has signs, bits 14 and 15, for part_odd().  Returns what of the other bits any of
// them has.
template <uint32_t id_bits = 0x7FFF, class Char>
uint32_t map_text(const CharMap& map, const Char* text, uint32_t from, uint32_t to, uint16_t* __restrict ids,
                  uint8_t* __restrict odd) {
  constexpr int kApart = id_bits == kSignedIds ? 14 : 15;
  auto entry = [&](size_t k) -> uint16_t {
    return sizeof(Char) < 4 ? map.bmp[text[k]] : map(uint32_t(text[k]));
  };
  size_t k = from;
#if SEGMENTER_SSE
  const __m128i low = _mm_set1_epi16(short(id_bits)), zero = _mm_setzero_si128();
  __m128i any = zero;
  auto eight = [&](size_t at) {
    auto e = [&](size_t i) { return short(entry(at + i)); };
    __m128i v = _mm_setr_epi16(e(0), e(1), e(2), e(3), e(4), e(5), e(6), e(7));
    any = _mm_or_si128(any, v);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(odd + at), _mm_packus_epi16(_mm_srli_epi16(v, kApart), zero));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(ids + at), _mm_and_si128(v, low));
  };
  if (to - from >= 8) {
    for (; k + 8 <= to; k += 8) eight(k);
    if (k < to) eight(to - 8);  // some of them once more: no short loop
    auto highest = [](__m128i v) { return (_mm_movemask_epi8(v) & 0xAAAA) != 0; };
    const uint32_t odd_one = uint32_t(highest(any)) << 15;
    if (id_bits != kMarkedIds) return odd_one;
    return odd_one | uint32_t(highest(_mm_slli_epi16(any, 1))) << 14 | uint32_t(highest(_mm_slli_epi16(any, 2))) << 13;
  }
#endif
  uint32_t all = 0;
  for (; k < to; ++k) {
    uint32_t e = entry(k);
    all |= e;
    odd[k] = uint8_t(e >> kApart);
    ids[k] = uint16_t(e & id_bits);
  }
  return all & ~id_bits;
}

// After map_text() by a map that has signs: leaves bit 15 in `odd` and calls sign(k) for the signs at k < n,
// in order.  `odd` may be written up to sixteen past the end.
template <class Sign>
void part_odd(uint8_t* odd, uint32_t n, Sign&& sign) {
  for (uint32_t k = 0; k < n; k += 16) {
#if SEGMENTER_SSE
    __m128i* const at = reinterpret_cast<__m128i*>(odd + k);
    const __m128i v = _mm_loadu_si128(at);
    uint32_t signs = uint32_t(_mm_movemask_epi8(_mm_slli_epi16(v, 7)));
    _mm_storeu_si128(at, _mm_and_si128(_mm_srli_epi16(v, 1), _mm_set1_epi8(1)));
#else
    uint32_t signs = 0;
    for (uint32_t i = 0; i < 16; ++i) {
      signs |= uint32_t(odd[k + i] & 1) << i;
      odd[k + i] = odd[k + i] >> 1 & 1;
    }
#endif
    if (__builtin_expect(signs == 0, 1)) continue;
    if (n - k < 16) signs &= (1u << (n - k)) - 1;
    for (; signs; signs &= signs - 1) sign(k + uint32_t(__builtin_ctz(signs)));
  }
}

// Looks for ids of [low, high), sixteen positions at once.
class IdRange {
 public:
#if SEGMENTER_SSE
  IdRange(uint32_t low, uint32_t high)
      : below_(_mm_set1_epi16(short(int(low) - 1))), high_(_mm_set1_epi16(short(high))) {}
  uint32_t sixteen(const uint16_t* ids) const {  // a bit a position
    auto in = [&](const uint16_t* at) {
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      return _mm_and_si128(_mm_cmpgt_epi16(v, below_), _mm_cmpgt_epi16(high_, v));
    };
    return uint32_t(_mm_movemask_epi8(_mm_packs_epi16(in(ids), in(ids + 8))));
  }

 private:
  __m128i below_, high_;
#else
  IdRange(uint32_t low, uint32_t high) : low_(low), n_(high - low) {}
  uint32_t sixteen(const uint16_t* ids) const {
    uint32_t found = 0;
    for (uint32_t i = 0; i < 16; ++i) found |= uint32_t(ids[i] - low_ < n_) << i;
    return found;
  }

 private:
  uint32_t low_, n_;
#endif
};

// Calls f(k) for the positions k < n whose id lies in [1, bound), in order; ids may be read up to
// sixteen past the end.
template <class F>
void each_id_below(const uint16_t* ids, uint32_t n, uint32_t bound, F&& f) {
  if (bound <= 1) return;
  const IdRange range(1, bound);
  for (uint32_t k = 0; k < n; k += 16) {
    uint32_t mask = range.sixteen(ids + k);
    if (n - k < 16) mask &= (1u << (n - k)) - 1;
    for (; mask; mask &= mask - 1) f(k + uint32_t(__builtin_ctz(mask)));
  }
}

// What the pieces are to tell.  Few ask for more than they need, and each step costs some looks a word.
enum class Want {
  kBare,   // ends; of the unigram lattice without pieces where none are needed, see Worker::column
  kEnds,   // ends, and the kinds of class edges; no words
  kWords,  // slots and spellings as well; a character that no lexicon has looks like a word
  kKinds,  // all kinds
};

class Lattice {
 public:
  Row* rows = nullptr;       // by end
  uint32_t* head = nullptr;  // by end: first long edge, index + 1; 0: none
  std::vector<LongEdge> longs;
  const UserEdits* edits = nullptr;  // of the user's words; set before begin()

  // Window positions 0..done() are decided starts; position k is text offset base()+k.
  uint32_t base() const { return base_; }
  uint32_t done() const { return done_; }
  bool at_end() const { return base_ + done_ == n_; }
  uint64_t steps() const { return steps_; }  // work done: look-ups, list entries, moved cells
  bool hard(uint32_t k) const { return hard_[k]; }
  bool any_alnum() const { return any_alnum_; }  // only told where the lexicon has no number rules
  uint32_t reach() const { return look_; }  // no edge that starts before done() ends past it + this
  const Lexicon& lexicon() const { return *lex_; }

  // Who wants less than words gets rows that hold costs alone.
  void begin(const Lexicon& lex, const void* text, int width, size_t n,
             const std::vector<Match>* external = nullptr, Want want = Want::kWords) {
    lex_ = &lex;
    want_ = want;
    text_ = text;
    width_ = width;
    n_ = uint32_t(n);
    base_ = done_ = mapped_ = cleared_ = 0;
    rows_ = 1;
    steps_ = 0;
    any_alnum_ = false;
    external_ = external;
    next_external_ = 0;
    look_ = std::max<uint32_t>(lex.max_word, kRuleLook) + 4;
    longs.clear();
    reserve(std::min<uint32_t>(n_, kBlock) + 2 * look_);
    if (edits) take_edits();
    for (uint32_t k = 1; k <= kBack; ++k) ids_[-int64_t(k)] = 0;
    clear_row(0);
  }

  // After begin(), of a text of one block and of no characters beyond the basic plane: whether any
  // character is marked in `map`, a copy of the lexicon's map of that plane, or joins two of a run.  The
  // text is mapped then, when advance() comes to it.
  static bool can_watch(int width, size_t n) { return width < 4 && n <= kBlock; }
  bool any_marked(const uint16_t* map) {
    CharMap marked = lex_->map;
    marked.bmp = map;
    const uint32_t any = map_to<kMarkedIds>(n_, marked);
    return any & kMarkedChar || (any & kJoiningChar && any_joined());
  }

  // After any_marked(): what the user's words do to the text.
  void edit(const UserEdits& made, Want want) {
    edits = &made;
    want_ = want;
    take_edits();
    mask_spans(0, mapped_);
  }

  // Appends a block of starts; false when the text is used up.
  bool advance() {
    if (at_end()) return false;
    Interrupt::look(std::min(n_ - base_, kBlock));
    uint32_t from = done_, left = n_ - base_;
    uint32_t to = left - from > kBlock ? from + kBlock : left;
    map_to(std::min(left, to + look_));
    // A block ends where no number, date or run can be under way, so that what the rules see
    // never depends on where a block happens to end.
    while (to < left && !clean_cut(to)) {
      ++to;
      if (mapped_ < std::min(left, to + look_)) map_to(std::min(left, to + look_ + kBlock));
    }
    clear_to(to + look_);
    done_ = to;
    size_t first_class = longs.size();
    hard_list_.clear();
    scan_classes(from, to);
    size_t end_class = longs.size();
    if (external_) take_external(from, to);
    else if (want_ >= Want::kWords) look_up<true>(from, to);
    else look_up<false>(from, to);
    if (edits) take_words_away(to);
    if (end_class > first_class || !hard_list_.empty())
      settle_classes(first_class, end_class);
    if (edits) add_user_edges(to);
    steps_ += to - from;
    return true;
  }

  // Everything before window position p (p <= done()) is decided: the window starts there now.
  void commit(uint32_t p) {
    if (p == 0) return;
    for (uint32_t k = kBack; k >= 1; --k) ids_[-int64_t(k)] = ids_[int64_t(p) - k];
    uint32_t extent = cleared_ - p;
    std::memmove(ids_, ids_ + p, (mapped_ + 8 - p) * sizeof(uint16_t));
    std::memmove(odd_, odd_ + p, mapped_ - p);
    std::memmove(hard_, hard_ + p, extent);
    std::memmove(rows, rows + p, (rows_ - p) * sizeof(Row));
    moved_.clear();
    for (const LongEdge& e : longs)
      if (e.start >= p && linked(e)) moved_.push_back(e);
    longs.clear();
    std::memset(head, 0, extent * sizeof(uint32_t));
    for (const LongEdge& e : moved_)
      add_long(e.start - p, e.end - p, e.cost, e.slot, e.kind);
    steps_ += extent / 8 + moved_.size();
    base_ += p;
    done_ -= p;
    mapped_ -= p;
    cleared_ -= p;
    rows_ -= p;
    // edges from before p would reach back out of the window
    for (uint32_t j = 0; j < 4 && j < rows_; ++j)
      for (uint32_t len = j + 1; len <= 4; ++len) rows[j].cost[len - 1] = kInf;
  }

  // The edge of length len that ends at window position j as a Piece's `what`; a character that
  // the lexicon does not have looks like a word here, see unknown().
  uint32_t what_dense(uint32_t j, uint32_t len) const {
    return rows[j].slot[len - 1] | odd_bit(j - len, j);
  }
  // kUnknown << 24 for a `what` of what_dense that is no word.
  uint32_t unknown(uint32_t what) const {
    uint32_t s = piece_slot(what);
    return uint32_t(external_ ? s == 0 : !lex_->is_word(s)) * (uint32_t(kUnknown) << 24);
  }
  // Number of the lexicon word behind a slot.
  uint32_t word_number(uint32_t slot) const { return external_ ? slot - 1 : lex_->word_id(slot); }
  uint32_t what_long(const LongEdge& e) const {
    return e.slot | uint32_t(e.kind) << 24 | odd_bit(e.start, e.end);
  }

 private:
  const Lexicon* lex_ = nullptr;
  const void* text_ = nullptr;
  const std::vector<Match>* external_ = nullptr;
  size_t next_external_ = 0, next_span_ = 0, next_edge_ = 0, next_cut_ = 0, next_external_span_ = 0;
  int width_ = 1;
  uint32_t n_ = 0, base_ = 0, done_ = 0, mapped_ = 0, cleared_ = 0, rows_ = 0, look_ = 0, capacity_ = 0;
  uint64_t steps_ = 0;
  bool any_alnum_ = false;
  Want want_ = Want::kWords;
  uint16_t* ids_ = nullptr;
  uint8_t *odd_ = nullptr, *hard_ = nullptr;
  std::vector<uint16_t> ids_store_;
  std::vector<uint8_t> odd_store_, hard_store_;
  std::vector<Row> row_store_;
  std::vector<uint32_t> head_store_;
  std::vector<uint32_t> hard_list_;
  std::vector<Candidate> candidates_;
  std::vector<LongEdge> moved_;

  void reserve(uint32_t n) {
    if (n + 16 > capacity_) grow(n + 16);
  }
  SEGMENTER_NOINLINE void grow(uint32_t n) {
    uint32_t cap = std::max(n, capacity_ + capacity_ / 2);
    ids_store_.resize(cap + kBack + 16);
    odd_store_.resize(4 + cap + 16);
    hard_store_.resize(cap + 16);
    row_store_.resize(size_t(cap) + 16);
    head_store_.resize(cap + 16);
    candidates_.resize(4 * (size_t(cap) + 16));
    capacity_ = cap;
    ids_ = ids_store_.data() + kBack;
    odd_ = odd_store_.data() + 4;
    hard_ = hard_store_.data();
    rows = row_store_.data();
    head = head_store_.data();
  }

  uint32_t odd_bit(uint32_t start, uint32_t end) const {
#if SEGMENTER_LITTLE_ENDIAN
    if (end - start <= 4) {  // without a branch: most words are this short
      uint32_t marks;
      std::memcpy(&marks, odd_ + int64_t(end) - 4, 4);
      return uint32_t((marks >> (8 * (4 - (end - start)))) != 0) << 31;
    }
#endif
    for (uint32_t k = start; k < end; ++k)
      if (odd_[k]) return kNotCanonical;
    return 0;
  }

  // Whether a joiner stands between two characters of runs, or beside another joiner; it may say so where
  // none does.
  bool any_joined() const {
    const IdRange runs(1, lex_->n_others), joiners(lex_->n_runs, lex_->n_special);
    uint32_t found = 0;
    for (uint32_t k = 0; k < n_; k += 14) {  // of sixteen positions those with both neighbours
      const uint32_t run = runs.sixteen(ids_ + k - 1), joiner = joiners.sixteen(ids_ + k - 1);
      found |= joiner & ((run << 1 & run >> 1) | joiner >> 1) & 0x7FFE;
    }
    return found != 0;
  }

  void take_edits() {
    look_ = std::max(look_, edits->reach + 4);
    next_span_ = next_edge_ = next_cut_ = next_external_span_ = 0;
    reserve(std::min<uint32_t>(n_, kBlock) + 2 * look_);
  }

  void map_to(uint32_t to) {
    if (to > mapped_) map_to<0x7FFF>(to, lex_->map);
  }
  template <uint32_t id_bits>
  uint32_t map_to(uint32_t to, const CharMap& map) {
    reserve(to + look_);
    auto of = [&](auto* text) { return map_text<id_bits>(map, text + base_, mapped_, to, ids_, odd_); };
    const uint32_t any = width_ == 1   ? of(static_cast<const uint8_t*>(text_))
                         : width_ == 2 ? of(static_cast<const uint16_t*>(text_))
                                       : of(static_cast<const uint32_t*>(text_));
    // a map that has marks has them on whatever is to be settled
    if (any & (id_bits & kMarkedChar ? 0x8000 : kMarkedChar) && lex_->variants)
      steps_ += lex_->settle(text_, width_, n_, size_t(base_) + mapped_, size_t(base_) + to, ids_ + mapped_,
                             odd_ + mapped_);
    if (edits) mask_spans(mapped_, to);
    mapped_ = to;
    for (uint32_t k = 0; k < 8; ++k) ids_[to + k] = 0;  // walks past the end find nothing
    return any;
  }

  // Ends 0..to have no long edges and are not hard, unless they were seen before.
  void clear_to(uint32_t to) {
    reserve(to + look_);
    if (cleared_ > to) return;
    std::memset(head + cleared_, 0, (to + 1 - cleared_) * sizeof(uint32_t));
    std::memset(hard_ + cleared_, 0, to + 1 - cleared_);
    cleared_ = to + 1;
  }

  void clear_row(uint32_t j) {
    for (uint32_t c = 0; c < 4; ++c) rows[j].cost[c] = kInf;
  }

  bool special(uint32_t k) const { return uint32_t(ids_[k]) - 1 < lex_->n_special - 1; }
  CharClass cls(int64_t k) const { return lex_->char_class(ids_[k]); }
  bool is_alnum(int64_t k) const { return cls(k) == kLatin || cls(k) == kDigit; }

  bool clean_cut(uint32_t k) const {
    return !special(k - 1) && !special(k - 2) && !special(k - 3) && cls(k) != kExtend &&
           ids_[k - 1] != lex_->rules.di;
  }

  void add_long(uint32_t start, uint32_t end, uint32_t cost, uint32_t slot, EdgeKind kind) {
    longs.push_back(LongEdge{start, end, cost, slot, kind, head[end]});
    head[end] = uint32_t(longs.size());
  }

  bool linked(const LongEdge& e) const {
    for (uint32_t h = head[e.end]; h; h = longs[h - 1].next)
      if (&longs[h - 1] == &e) return true;
    return false;
  }

  void add_class(uint32_t start, uint32_t end, EdgeKind kind) {
    add_long(start, end, lex_->kind_cost[kind], 0, kind);
  }

  // A run that stays whole: no boundary inside.
  void add_hard(uint32_t start, uint32_t end, EdgeKind kind) {
    for (uint32_t k = start + 1; k < end; ++k) {
      hard_[k] = 1;
      hard_list_.push_back(k);
    }
    add_class(start, end, kind);
  }

  // Number of 1..9, 十, 十一 … 三十一 written in [s, e); 0: none of those.
  uint32_t small_han_number(uint32_t s, uint32_t e) const {
    const uint32_t* num = lex_->rules.numerals;
    auto digit = [&](uint32_t k) -> uint32_t {
      for (uint32_t d = 0; d < 9; ++d)
        if (ids_[k] == num[d]) return d + 1;
      return 0;
    };
    uint32_t ten = num[9], n = e - s;
    if (n == 0 || n > 3) return 0;
    if (n == 1) return ids_[s] == ten ? 10 : digit(s);
    if (n == 2) {
      if (ids_[s] == ten) return digit(s + 1) ? 10 + digit(s + 1) : 0;
      return ids_[s + 1] == ten ? digit(s) * 10 : 0;
    }
    if (ids_[s + 1] != ten || !digit(s) || !digit(s + 2)) return 0;
    return digit(s) * 10 + digit(s + 2);
  }

  bool plain_han_digits(uint32_t s, uint32_t e) const {  // 一九九八, 二○○○
    const uint32_t* num = lex_->rules.numerals;
    for (uint32_t k = s; k < e; ++k) {
      bool ok = false;
      for (uint32_t d = 0; d < 17 && !ok; ++d)
        ok = (d < 9 || d >= 14) && ids_[k] == num[d];
      if (!ok) return false;
    }
    return true;
  }

  // Date edges for the number `value` of `digits` digits in [s, e).
  void add_dates(uint32_t s, uint32_t e, uint32_t value, bool year) {
    const RuleIds& r = lex_->rules;
    uint32_t next = ids_[e];
    if (next == 0) return;
    if (next == r.nian) {
      if (year) add_class(s, e + 1, kDate);
    } else if (next == r.yue) {
      if (value >= 1 && value <= 12) {
        add_class(s, e + 1, kDate);
        if (r.fen_month && ids_[e + 1] == r.fen_month) add_class(s, e + 2, kDate);
      }
    } else if (next == r.ri) {
      if (value >= 1 && value <= 31) add_class(s, e + 1, kDate);
    } else if (next == r.shi) {
      if (value <= 24) add_class(s, e + 1, kDate);
    } else if (next == r.fen) {
      if (value <= 59 && !(r.zhi && ids_[e + 1] == r.zhi)) add_class(s, e + 1, kDate);
    }
  }

  uint32_t alnum_end(uint32_t k) const {
    while (k < mapped_ && (is_alnum(k) || cls(k) == kExtend)) ++k;
    return k;
  }
  uint32_t class_end(uint32_t k, CharClass c) const {
    while (k < mapped_ && cls(k) == c) ++k;
    return k;
  }
  bool all_digits(uint32_t s, uint32_t e) const {
    for (; s < e; ++s)
      if (cls(s) != kDigit) return false;
    return true;
  }

  // A run of Latin letters and digits, and the number around it; returns where it ends.
  uint32_t scan_alnum(uint32_t s) {
    const RuleIds& r = lex_->rules;
    uint32_t e = alnum_end(s);
    if (!all_digits(s, e)) {
      add_hard(s, e, kLatinRun);
      return e;
    }
    uint32_t start = s, digits = e - s, value = 0;
    bool plain = true, number = true;
    for (uint32_t k = s; k < e && k < s + 4; ++k) value = value * 10 + (ids_[k] - r.zero);
    if (s > 0 && cls(int64_t(s) - 1) == kMinus) {
      CharClass before = cls(int64_t(s) - 2);  // a sign, unless it joins: 5-3, A-1, 五月-6月
      if (before == kOther || before == kPunct || before == kBlank || before == kLf || before == kColon) {
        start = s - 1;
        plain = false;
      }
    }
    for (;;) {
      CharClass c = cls(e);
      if ((c == kPoint || c == kColon) && cls(e + 1) == kDigit) {
        uint32_t f = alnum_end(e + 1);
        number = all_digits(e + 1, f);
        e = f;
      } else if (c == kComma && cls(e + 1) == kDigit && alnum_end(e + 1) == e + 4 &&
                 all_digits(e + 1, e + 4)) {
        e += 4;
      } else {
        break;
      }
      plain = false;
      if (!number) break;
    }
    if (number && cls(e) == kPercent) {
      ++e;
      plain = number = false;
      add_hard(start, e, kNumber);
    } else {
      add_hard(start, e, number ? kNumber : kLatinRun);
    }
    if (r.di && start > 0 && ids_[start - 1] == r.di) add_class(start - 1, e, kNumber);
    if (number && cls(e) == kHanNum) {  // 3万, 1.5亿
      uint32_t f = e;
      while (f < mapped_ && is_multiplier(ids_[f])) ++f;
      if (f > e) add_class(start, f, kNumber);
    }
    if (plain) add_dates(start, e, digits <= 4 ? value : 9999, digits == 4 || digits == 2);
    return e;
  }

  bool is_multiplier(uint32_t id) const {
    for (int d = 9; d < 14; ++d)
      if (id == lex_->rules.numerals[d]) return true;
    return false;
  }

  uint32_t scan_han_number(uint32_t s) {
    const RuleIds& r = lex_->rules;
    uint32_t e = class_end(s, kHanNum), run = e;
    // 百分之三十, 六点二, 百分之九十九点九: each joint once, so that 一点一点 is no number
    if (r.fen && r.zhi && ids_[e] == r.fen && ids_[e + 1] == r.zhi && cls(e + 2) == kHanNum)
      e = class_end(e + 2, kHanNum);
    if (r.dian && ids_[e] == r.dian && cls(e + 1) == kHanNum) e = class_end(e + 1, kHanNum);
    if (!lex_->numbers) return e;
    if (run - s >= 2) add_class(s, run, kNumber);
    if (e > run) add_class(s, e, kNumber);
    if (r.di && s > 0 && ids_[s - 1] == r.di) add_class(s - 1, run, kNumber);
    uint32_t value = small_han_number(s, run);
    if (value || run - s >= 2)
      add_dates(s, run, value ? value : 9999, (run - s == 2 || run - s == 4) && plain_han_digits(s, run));
    return e;
  }

  // Where runs may begin among the up to 64 positions from k on: a bit a position.  Most Chinese
  // numerals stand alone (一个, 统一) and make no number: those are left out.
  static uint64_t runs_at(const Lexicon& lex, const uint16_t* ids, uint32_t k, uint32_t to) {
    const uint32_t n = std::min<uint32_t>(to - k, 64);
    uint64_t others = 0, numerals = 0, around = 0;
    const IdRange other(1, lex.n_others), numeral(lex.n_others, lex.n_runs), near(lex.dates, lex.dates + 8);
    for (uint32_t i = 0; i < n; i += 16) {
      const uint16_t* const at = ids + k + i;
      others |= uint64_t(other.sixteen(at)) << i;
      numerals |= uint64_t(numeral.sixteen(at)) << i;
      around |= uint64_t(near.sixteen(at)) << i;
    }
    // 第 stands among the characters that follow, and counts before a numeral as well as after it;
    // at the rims of the 64 nobody knows the neighbour
    around |= numerals;
    uint64_t wanted = others | (numerals & (around >> 1 | around << 1 | 1 | uint64_t(1) << 63));
    return n < 64 ? wanted & ((uint64_t(1) << n) - 1) : wanted;
  }

  void scan_classes(uint32_t from, uint32_t to) {
    if (lex_->n_runs <= 1) return;
    uint32_t e = from;  // what lies before is dealt with
    for (uint32_t k = from; k < to; k += 64) {
      uint64_t mask = runs_at(*lex_, ids_, k, to);
      while (mask) {
        uint32_t s = k + uint32_t(__builtin_ctzll(mask));
        mask &= mask - 1;
        if (s < e) continue;
        e = scan_run(s);
        if (e - k < 64) mask &= ~uint64_t(0) << (e - k);
        else mask = 0;
        ++steps_;
      }
    }
  }

  // Edges of the run that begins at s; returns where it ends.
  uint32_t scan_run(uint32_t s) {
    CharClass c = cls(s);
    uint32_t e = s + 1;
    switch (c) {
      case kDigit:
      case kLatin:
        if (lex_->numbers) return scan_alnum(s);
        any_alnum_ = true;  // joined after decoding, as jieba does it
        break;
      case kHanNum: return scan_han_number(s);
      case kBlank:
        e = class_end(s, kBlank);
        add_hard(s, e, kBlankRun);
        break;
      case kCr:  // alone it ends no line
        if (s + 1 < mapped_ && cls(s + 1) == kLf) e = s + 2;
        add_hard(s, e, e == s + 2 ? kLineEnd : kBlankRun);
        break;
      case kLf: add_hard(s, e, kLineEnd); break;
      case kGreek:
      case kCyrillic:
      case kKatakana:
      case kHiragana:
      case kHangul:
      case kLetter:
        while (e < mapped_ && (cls(e) == c || cls(e) == kExtend)) ++e;
        add_hard(s, e, kScriptRun);
        break;
      case kExtend: return scan_extend(s);
      default: break;
    }
    return e;
  }

  // Combining marks that no run took in: they stay with the character before them.
  uint32_t scan_extend(uint32_t s) {
    uint32_t e = class_end(s, kExtend);
    CharClass before = cls(int64_t(s) - 1);
    if (s == 0 || before == kLf || before == kCr || (edits && edits->covers(base_ + s - 1))) {
      add_hard(s, e, kCluster);
      return e;
    }
    bool alone = !hard_[s - 1];  // the character before begins no run that grows
    uint32_t list = head[s];     // a run that ended here grows
    head[s] = 0;
    while (list) {
      LongEdge& edge = longs[list - 1];
      uint32_t next = edge.next;
      if (edge.kind != kWord) {
        if (edge.start == s - 1) alone = false;
        edge.end = e;
        edge.next = head[e];
        head[e] = list;
      }
      list = next;
    }
    for (uint32_t k = s; k < e; ++k) {
      hard_[k] = 1;
      hard_list_.push_back(k);
    }
    // also beside a date that grew (3月): whoever comes to the last character must get on
    if (alone) add_class(s - 1, e, kCluster);
    return e;
  }

  // Whether class edges of this kind may lie in the rows: where kinds are asked for without slots, the
  // list alone tells them.  The user's words would take such an edge's place in a row, or be taken for it.
  bool in_rows(EdgeKind kind) const {
    if (edits) return false;
    return want_ != Want::kEnds || (kind != kBlankRun && kind != kLineEnd);
  }

  // After the look-ups: hard positions lose their edges, and a class edge yields to a word of the
  // lexicon that spans the same characters.  Those of up to four characters move into the rows.
  void settle_classes(size_t first, size_t end) {
    for (uint32_t p : hard_list_) {
      for (uint32_t len = 1; len <= 4; ++len) {
        rows[p].cost[len - 1] = kInf;
        rows[p + len].cost[len - 1] = kInf;
      }
      head[p] = 0;
    }
    for (size_t i = first; i < end; ++i) {
      const LongEdge& edge = longs[i];
      uint32_t len = edge.end - edge.start;
      Row& row = rows[edge.end];
      bool shadowed = len > 1 && len <= 4 && row.cost[len - 1] < kInf;
      if (len == 1) row.cost[0] = kInf;
      if (len > 4)
        for (uint32_t h = head[edge.end]; h && !shadowed; h = longs[h - 1].next)
          shadowed = longs[h - 1].kind == kWord && longs[h - 1].start == edge.start;
      const bool moves = len <= 4 && in_rows(edge.kind);
      if (!shadowed && !moves) continue;
      uint32_t* link = &head[edge.end];
      while (*link && *link != i + 1) link = &longs[*link - 1].next;
      if (!*link) continue;  // it ends inside what stays whole
      *link = edge.next;
      if (shadowed || hard_[edge.start]) continue;
      row.cost[len - 1] = edge.cost << 2 | (4 - len);
      row.slot[len - 1] = uint32_t(edge.kind) << 24;
    }
    steps_ += hard_list_.size() + (end - first);
  }

  // Opens a row: the edge of one character, no others.
  static void open_row(uint32_t* row, uint32_t single) {
#if SEGMENTER_SSE
    const __m128i none = _mm_set_epi32(int(kInf), int(kInf), int(kInf), 0);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(row), _mm_or_si128(_mm_cvtsi32_si128(int(single)), none));
#else
    row[0] = single;
    row[1] = row[2] = row[3] = kInf;
#endif
  }

  template <bool slots>
  void look_up(uint32_t from, uint32_t to) {
    const Single* __restrict singles = lex_->singles.data();
    const uint64_t* __restrict units = lex_->trie.units;
    const PairFilter pairs = lex_->trie.pairs;
    const uint16_t* __restrict ids = ids_;
    uint32_t* __restrict cells = rows[0].cost;
    Candidate* __restrict list = candidates_.data();
    size_t n = 0, k = from, first = ids[from];
    const size_t seen = std::min(to, rows_ - 1);
    // one character, and whether two can be anything
    auto look = [&](auto open) {
      size_t second = ids[k + 1];
      const Single& single = singles[first];
      uint32_t* row = cells + 8 * (k + 1);
      open(row, single.cost);
      if (slots) row[4] = uint32_t(first);
      uint32_t s = single.base + uint32_t(second), on = pairs.may_begin_word(pair_at(ids + k));
      // into every cache: a unit asked for with the hint "used once" (locality 0) never stays in the
      // L2 of an Intel server, and waits for the L3 each time: 1.21 times the kernel's time
      __builtin_prefetch(units + (s & (0 - on)));
      list[n] = Candidate{uint32_t(8 * k + 17), s};
      n += on;
      first = second;
    };
    for (; k < seen; ++k) look([](uint32_t* row, uint32_t one) { row[0] = one; });  // opened before
    for (; k < to; ++k) look(open_row);
    for (uint32_t j = std::max(rows_, to + 1); j < to + 5; ++j) clear_row(j);
    rows_ = to + 5;
    go_on<slots>(n);
  }

  // Two neighbouring ids as the filter of pairs takes them.
  static uint32_t pair_at(const uint16_t* ids) {
#if SEGMENTER_LITTLE_ENDIAN
    uint32_t pair;
    std::memcpy(&pair, ids, 4);
    return pair;
#else
    return PairFilter::pair(ids[0], ids[1]);
#endif
  }

  // Cost of an edge as it stands in a row, kInf where `found` is no cost.  Left to itself the
  // compiler makes this a branch, which is a coin toss and costs more than the whole look-up.
  static uint32_t edge_cost(uint32_t found, uint32_t edge) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SEGMENTER_PORTABLE)
    uint32_t none = kInf;
    __asm__("cmpl $0xFFFF, %1\n\tcmovae %2, %0" : "+r"(edge) : "r"(found), "r"(none) : "cc");
    return edge;
#else
    const uint32_t none = 0u - uint32_t(found >= kNoCost);
    return (edge & ~none) | (kInf & none);
#endif
  }

  // Works off the list of candidates.  Nodes that can go on join its end, so that their units have
  // time to arrive: short loops and loads that wait for each other are what a look-up costs.
  // Everything here is arithmetic on purpose.
  template <bool slots>
  void go_on(size_t n) {
    const uint64_t* __restrict units = lex_->trie.units;
    const uint16_t* __restrict ids = ids_;
    uint32_t* __restrict cells = rows[0].cost;
    Candidate* const list = candidates_.data();
    for (size_t i = 0; i < n; ++i) {
      size_t q = list[i].cell, s = list[i].slot, end = q >> 3;
      if (__builtin_expect(q & 4, 0)) {  // five characters
        walk_on(uint32_t(end - 5), uint32_t(s));
        continue;
      }
      uint32_t id = ids[end - 1], next = ids[end];
      uint64_t u = units[s];
      // the cost if the label is right, else at least 2**16
      uint32_t found = uint32_t(u) ^ id;
      found = found << 16 | found >> 16;
      cells[q] = edge_cost(found, (found << 2 | 3) ^ uint32_t(q & 3));
      if (slots) cells[q + 4] = uint32_t(s);
      size_t child = unit_base(u) + next, on = uint32_t(found < 0x10000) & unit_guard(u, next);
      __builtin_prefetch(units + (child & (0 - on)));
      list[n] = Candidate{uint32_t(q + 9), uint32_t(child)};
      n += on;
    }
    steps_ += n;
  }

  // Words of five characters and more from p on; s: where the node of the first five would be.
  SEGMENTER_NOINLINE void walk_on(uint32_t p, uint32_t s) {
    const Trie& trie = lex_->trie;
    // no edge may be longer than the window looks ahead, whatever the file says of its words
    const uint32_t stop = std::min(mapped_, p + lex_->max_word);
    for (uint32_t end = p + 5; end <= stop; ++end) {
      uint64_t u = trie.units[s];
      if (unit_label(u) != ids_[end - 1]) return;
      ++steps_;
      if (unit_cost(u) != kNoCost && !hard_[p] && !hard_[end])
        add_long(p, end, unit_cost(u), s, kWord);
      if (!unit_base(u)) return;
      s = unit_base(u) + ids_[end];
    }
  }

  // Whether a span of the user's takes characters of the match; matches come by start.
  bool masks(const Match& m) {
    if (!edits) return false;
    const std::vector<UserMatch>& spans = edits->spans;
    while (next_external_span_ < spans.size() && spans[next_external_span_].end <= m.start) ++next_external_span_;
    return next_external_span_ < spans.size() && spans[next_external_span_].start < m.end;
  }

  void take_external(uint32_t from, uint32_t to) {
    for (; rows_ < to + 5; ++rows_) clear_row(rows_);
    for (uint32_t k = from; k < to; ++k) {
      rows[k + 1].cost[0] = lex_->unknown_cost << 2 | 3;
      rows[k + 1].slot[0] = 0;
    }
    const std::vector<Match>& all = *external_;
    while (next_external_ < all.size() && all[next_external_].start < base_ + to) {
      const Match& m = all[next_external_++];
      uint32_t k = m.start - base_, len = m.end - m.start;
      if (masks(m)) continue;
      if (len <= 4) {
        rows[k + len].cost[len - 1] = m.cost << 2 | (4 - len);
        rows[k + len].slot[len - 1] = m.slot;
      } else if (!hard_[k] && !hard_[k + len]) {
        add_long(k, k + len, m.cost, m.slot, kWord);
      }
      ++steps_;
    }
  }

  // --- the user's words ------------------------------------------------------------------------

  // Characters of a span become Han characters that no word holds: nothing crosses or enters it, and
  // every path takes it one by one.
  void mask_spans(uint32_t from, uint32_t to) {
    const std::vector<UserMatch>& spans = edits->spans;
    for (; next_span_ < spans.size() && spans[next_span_].start < base_ + to; ++next_span_) {
      const UserMatch& m = spans[next_span_];
      uint32_t a = std::max(m.start, base_ + from), b = std::min(m.end, base_ + to);
      for (uint32_t k = a; k < b; ++k) ids_[k - base_] = uint16_t(lex_->masked);
      if (m.end > base_ + to) return;
    }
  }

  // Before class edges yield to words: those that a deleted word had shadowed come back.
  void take_words_away(uint32_t to) {
    const std::vector<UserEdge>& cuts = edits->cuts;
    for (; next_cut_ < cuts.size() && cuts[next_cut_].start < base_ + to; ++next_cut_) {
      uint32_t k = cuts[next_cut_].start - base_, j = cuts[next_cut_].end - base_, len = j - k;
      ++steps_;
      if (len <= 4) {
        // at this time the rows hold words of the lexicon alone
        rows[j].cost[len - 1] = len == 1 ? lex_->unknown_cost << 2 | 3 : kInf;
        if (len == 1) rows[j].slot[0] = kNotCanonical | (external_ ? 0 : lex_->masked);
        continue;
      }
      if (j > cleared_) continue;
      uint32_t* link = &head[j];
      while (*link && !(longs[*link - 1].start == k && longs[*link - 1].kind == kWord))
        link = &longs[*link - 1].next;
      if (*link) *link = longs[*link - 1].next;
    }
  }

  void add_user_edges(uint32_t to) {
    const std::vector<UserEdge>& edges = edits->edges;
    for (; next_edge_ < edges.size() && edges[next_edge_].start < base_ + to; ++next_edge_) {
      const UserEdge& e = edges[next_edge_];
      uint32_t k = e.start - base_, j = e.end - base_, len = j - k;
      ++steps_;
      if (hard_[k] || hard_[j]) continue;
      if (len <= 4) {
        rows[j].cost[len - 1] = e.cost << 2 | (4 - len);
        rows[j].slot[len - 1] = e.what;
      } else {
        add_long(k, j, e.cost, piece_slot(e.what), piece_kind(e.what));
      }
    }
  }
};

}  // namespace segmenter
