// Finds the user's words in a text and decides which of them apply; see user/tables.hpp.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "atoms/rules.hpp"
#include "capacity.hpp"
#include "compiler.hpp"
#include "numbers.hpp"
#include "spans/edits.hpp"
#include "user/tables.hpp"

namespace segmenter {

// --- finding -------------------------------------------------------------------------------------

class UserFinder {
 public:
  UserEdits edits;
  uint64_t steps = 0;

  // Fills `edits`; false if no entry stands in the text. `by_lines`: words contain no line end.
  // `tagged`: weighted entries with blanks, which a tagger cannot score, are preferred instead.
  // `numbers`: whether anybody asks which entries the spans are; otherwise they have number 0.
  // `spans`: whether anybody reads the spans; otherwise their marks suffice, if there is nothing else.
  // `atoms`: of the same text, or null: preferred words do not cut their grapheme clusters.
  bool find(const UserDictionary& dict, const Lexicon& lex, const Text& text, bool by_lines,
            bool tagged, bool numbers, bool spans, const std::vector<AtomFound>* atoms) {
    dict_ = &dict;
    lex_ = &lex;
    text_ = text;
    n_ = uint32_t(text.n);
    atoms_ = atoms;
    by_lines_ = by_lines;
    tagged_ = tagged;
    numbers_ = numbers;
    lists_ = spans;
    any_ = any_forced_ = false;
    folded_as_ = 0;
    in_order_ = true;
    forget();
    const bool markless = has_no_marks();
    for (const UserLayer& layer : dict.layers)
      for (uint32_t f = 0; f < kUserFields; ++f)
        if (layer.field[f].there) {
          layer_ = &layer;
          field_ = &layer.field[f];
          fold_ = &dict.fold[f];
          source_ = (uint32_t(&layer - dict.layers.data()) * kUserFields + f) << kSourceShift;
          lists_ |= layer.n_parts != 0;
          spans_ = markless && !layer.n_dead ? user::kPreferred | user::kForced : 0;
          if (f == 0) {
            text.cells([&](const auto* cells) { scan(cells); });
          } else {
            fold_text(f);
            scan(static_cast<const uint32_t*>(folded_.data()));
          }
        }
    if (found_.empty() && !any_ && !any_singles_) return false;
    if (!in_order_) order();
    lists_ |= !edits.edges.empty() || !edits.cuts.empty();
    choose_spans();
    return true;
  }

  // Writes the spans after all, if find() only wrote their marks.
  void list_spans() {
    if (lists_) return;
    lists_ = true;
    edits.marks = nullptr;
    choose_spans();
  }

  // Every live entry of force and prefer that stands in the text and may apply, by start.
  std::vector<UserMatch> fixed() const {
    std::vector<UserMatch> all;
    each_single([&](uint32_t k) { put({k, k + 1, kNoPlace | singles_of_}, all); });
    for (const Found& x : found_) put(x, all);
    sort(all);
    return all;
  }

  // For a text in which no words of the user stand.
  void forget() {
    edits.clear();
    found_.clear();
    singles_of_ = kNoField;
    any_singles_ = other_singles_ = false;
  }

  // Writes the weighted words by start and end: one per span of characters, none that a span rules
  // out.
  void prune_edges() {
    std::vector<UserEdge>& edges = edits.edges;
    if (edges.empty()) return;
    sort(edges);
    size_t m = 0, at = 0;
    for (const UserEdge& e : edges) {
      while (at < edits.spans.size() && edits.spans[at].end <= e.start) ++at;
      if (at < edits.spans.size() && edits.spans[at].start < e.end) continue;
      if (m && edges[m - 1].start == e.start && edges[m - 1].end == e.end) continue;
      edges[m++] = e;
      edits.reach = std::max(edits.reach, e.end - e.start);
    }
    edges.resize(m);
  }

 private:
  static constexpr size_t kBlockOfText = 512;  // whose positions are looked up together
  static constexpr size_t kSteps = 2 * kBlockOfText;
  // An entry that was found: its place in the nodes of a field, which field of which layer, and
  // whether it is forced.
  static constexpr uint32_t kSourceShift = 26, kPlaceBits = (1u << kSourceShift) - 1;
  static constexpr uint32_t kNoPlace = kPlaceBits;  // of a single character, looked up if it wins
  static constexpr uint32_t kIsForced = 1u << 31, kNoField = ~uint32_t(0);
  struct Found {
    uint32_t k, end, where;
  };
  struct Step {  // a prefix of `depth` characters to look up, by its key
    uint64_t key;
    uint32_t k, home, depth;
    bool skipped_to;
  };

  const UserDictionary* dict_ = nullptr;
  const UserLayer* layer_ = nullptr;  // these four: where it looks
  const UserField* field_ = nullptr;
  const FoldTable* fold_ = nullptr;
  uint32_t source_ = 0;
  uint64_t spans_ = 0;  // entries that need no further look
  const Lexicon* lex_ = nullptr;
  Text text_;
  const std::vector<AtomFound>* atoms_ = nullptr;
  uint32_t n_ = 0, folded_as_ = 0;
  bool by_lines_ = false, tagged_ = false, numbers_ = true, lists_ = true;
  bool any_ = false, any_forced_ = false;
  std::vector<uint32_t> folded_;
  std::vector<uint64_t> singles_;   // a bit for each character that is an entry and needs no look,
  uint32_t singles_of_ = kNoField;  // of this field
  bool any_singles_ = false, other_singles_ = false;
  std::vector<Found> found_;    // the others, by length and start
  std::vector<Found> ordered_;  // memory to order them in
  bool in_order_ = true;        // whether those of a field are in this order
  uint32_t list_[kBlockOfText + 1];
  Step steps_[kSteps];  // a ring
  Found new_[kBlockOfText];
  std::vector<uint64_t> taken_, starts_;  // a bit for each character
  std::vector<uint8_t> marks_;            // of the spans
  Capacity capacity_;                     // of winners_
  std::vector<Found> winners_;            // by start; at n_ one that lost

  uint32_t cp(uint32_t k) const { return text_[k]; }
  CharClass cls(uint32_t k) const { return lex_->char_class(lex_->map.id(cp(k))); }

  void fold_text(uint32_t f) {
    if (folded_as_ == f) return;
    folded_as_ = f;
    if (folded_.size() < n_) folded_.resize(n_);
    for (uint32_t k = 0; k < n_; ++k) folded_[k] = (*fold_)(cp(k));
    steps += n_;
  }

  // Whether all characters are Han, kana, of ASCII, or such signs as 。“…！: no marks, no joiners. An
  // entry of Han characters then parts no cluster.
  bool has_no_marks() const {
    if (text_.width != 2) return false;
    const uint16_t* const t = static_cast<const uint16_t*>(text_.data);
    auto among = [](uint16_t c, uint16_t from, uint16_t to) {
      return uint16_t(uint16_t(c - from) < uint16_t(to - from));
    };
    constexpr uint32_t kLanes = 8;  // a number that the compiler knows, so that it uses vectors
    uint16_t all[kLanes] = {1, 1, 1, 1, 1, 1, 1, 1};
    auto look = [&](const uint16_t* from) {
      for (uint32_t i = 0; i < kLanes; ++i) {
        const uint16_t c = from[i];
        all[i] &= uint16_t(among(c, 0x4E00, 0xA000) | among(c, 0, 0x300) |
                           among(c, 0x2010, 0x2030) | among(c, 0x3000, 0x302A) |
                           among(c, 0x3040, 0x3099) | among(c, 0xFF00, 0xFF60));
      }
    };
    if (n_ < kLanes) {
      uint16_t few[kLanes] = {};
      std::copy(t, t + n_, few);
      look(few);
    } else {
      for (uint32_t k = 0; k + kLanes < n_; k += kLanes) look(t + k);
      look(t + n_ - kLanes);
    }
    return std::all_of(all, all + kLanes, [](uint16_t x) { return x != 0; });
  }

  // --- finding -----------------------------------------------------------------------------------

  template <class Char>
  SEGMENTER_NOINLINE void scan(const Char* t) {
    for (uint32_t from = 0; from < n_; from += kBlockOfText) {
      in_order_ &= found_.empty();
      const uint32_t to = std::min<uint32_t>(n_, from + kBlockOfText);
      const size_t n = sift(t, from, std::min(to, n_ - 1));
      for (size_t i = 0; i < n; ++i) {
        const uint32_t k = list_[i];
        const uint64_t key = user::pair(t[k], t[k + 1]);
        const auto home = uint32_t(field_->home(key));
        __builtin_prefetch(field_->nodes + home);
        steps_[i] = Step{key, k, home, 2, false};
      }
      if (n) walk(t, n);
      if (field_->singles) singles(t, from, to);
      steps += n;
    }
    steps += n_;
  }

  // Lists the positions of [from, to) whose pair of characters may begin an entry.
  template <class Char>
  size_t sift(const Char* t, uint32_t from, uint32_t to) {
    const uint32_t* __restrict filter = field_->filter;
    const uint32_t shift = field_->filter_shift;
    uint32_t* __restrict list = list_;
    size_t n = 0;
#if defined(__GNUC__)
#pragma GCC unroll 8
#endif
    for (uint32_t k = from; k < to; ++k) {
      const uint32_t h = user::filter_hash(two_at(t + k)) >> shift;
      list[n] = k;
      n += filter[h >> 5] >> (h & 31) & 1;
    }
    return n;
  }

  // Looks up the n prefixes in steps_, all of two characters, and what follows them. A step to a longer
  // prefix waits behind all others, so that their misses overlap.
  template <class Char>
  SEGMENTER_NOINLINE void walk(const Char* t, size_t n) {
    const UserField& in = *field_;
    const uint64_t* const nodes = in.nodes;
    const size_t n_nodes = in.n_nodes;
    const uint32_t last = n_ - 1, longest = layer_->longest, source = source_;
    const uint64_t odd = user::kSkips | (user::kEnds & ~spans_);
    size_t words = 0, i = 0;
    uint64_t forced = 0;
    for (; i < n; ++i) {
      const Step& step = steps_[i % kSteps];
      const uint32_t k = step.k, end = k + step.depth;
      const auto place = uint32_t(in.place(step.key, step.home));
      const uint64_t node = nodes[place];  // no flags if it is not there
      uint64_t ends = node & user::kEnds;
      new_[words] = Found{k, end, place | source | uint32_t(ends & user::kForced) << 30};
      if (__builtin_expect((node & odd) != 0, 0)) {
        if (node & user::kSkips && !step.skipped_to) {
          n += skip(t, k, end, place, steps_[n % kSteps]);
          continue;
        }
        if (ends & odd) ends = take(place, k, end, new_[words]);
      }
      forced |= ends;
      words += ends != 0;
      if (__builtin_expect(words == kBlockOfText, 0)) keep(words);
      // a prefix that was skipped to had its guard before
      if (end > last || end - k >= longest) continue;
      const uint32_t c = t[end];
      if (!(node & (user::guard(c) | user::kSkips))) continue;
      const uint64_t key = user::key(place, c);
      const auto home = uint32_t(UserField::home(key, n_nodes));
      __builtin_prefetch(nodes + home);
      steps_[n++ % kSteps] = Step{key, k, home, end - k + 1, false};
    }
    any_forced_ |= (forced & user::kForced) != 0;
    keep(words);
    steps += n;
  }

  // The step to the end of the characters that follow a prefix, which ends at `end`, in all entries; false
  // if the text has others.
  template <class Char>
  SEGMENTER_NOINLINE bool skip(const Char* t, uint32_t k, uint32_t end, uint32_t place,
                               Step& step) {
    const uint64_t node = field_->nodes[place];
    if (end >= n_ || !(node & user::guard(t[end]))) return false;
    const UserSkip& to = field_->skips[field_->entries[place]];
    const uint32_t depth = end - k;
    if (to.end > n_ - k || to.end <= depth) return false;
    auto at = [&](uint32_t i) { return uint32_t(t[k + i]); };
    steps += to.end - depth;
    if (!layer_->is(to.id, *fold_, depth, to.end, at)) return false;
    in_order_ = false;
    step = Step{node >> 16, k, place, to.end, true};
    return true;
  }

  // Keeps the n entries in new_.
  void keep(size_t& n) {
    found_.insert(found_.end(), new_, new_ + n);
    n = 0;
  }

  // The characters of [from, to) that are entries, `from` being a multiple of 64.
  template <class Char>
  void singles(const Char* t, uint32_t from, uint32_t to) {
    const SingleWords& all = *field_->singles;
    if (spans_ && !from && singles_of_ == kNoField && !other_singles_) {
      singles_.assign(n_ / 64 + 1, 0);
      singles_of_ = source_;
    }
    const bool as_bits = singles_of_ == source_;
    size_t m = 0;
    for (uint32_t k = from; k < to; k += 64) {
      uint64_t plain = 0, others = 0;
      const uint32_t n = std::min(to - k, 64u);
      for (uint32_t i = 0; i < n; ++i) {
        const uint64_t kind = all.kind(t[k + i]);
        plain |= (kind & 1) << i;
        others |= kind >> 1 << i;
      }
      if (as_bits) singles_[k / 64] = plain, any_singles_ |= plain != 0;
      else others |= plain;
      for (; others; others &= others - 1) {
        const uint32_t at = k + uint32_t(__builtin_ctzll(others)), place = single(*field_, t[at]);
        if (place != kNoPlace) m += take(place, at, at + 1, new_[m]);
      }
    }
    other_singles_ |= m != 0;
    in_order_ &= !m;
    keep(m);
  }
  template <class Each>
  void each_single(Each&& each) const {
    if (!any_singles_) return;
    for (uint32_t w = 0; w <= n_ / 64; ++w)
      for (uint64_t bits = singles_[w]; bits; bits &= bits - 1)
        each(64 * w + uint32_t(__builtin_ctzll(bits)));
  }

  // The place of a character that is an entry; kNoPlace if it is none.
  static uint32_t single(const UserField& field, uint32_t c) {
    const uint64_t key = user::pair(c, kNoChar);
    const size_t place = field.place(key, field.home(key));
    return field.is(place, key) ? uint32_t(place) : kNoPlace;
  }

  // Takes the entry at [s, e), if it applies; true if it may become a span, which is then written.
  SEGMENTER_NOINLINE bool take(uint32_t place, uint32_t s, uint32_t e, Found& found) {
    const uint32_t id = field_->entry(place);
    const uint8_t flags = layer_->flags[id];
    UserLevel level = user_level(flags);
    if (layer_->is_dead(id)) return false;
    if (by_lines_ && layer_->line_ends && takes_line_end(s, e)) return false;
    any_ = true;
    if (level == kDelete) {
      edits.cuts.push_back(UserEdge{s, e, 0, 0});
      return false;
    }
    const bool plain = among_han(s, e);
    if (!plain && !(flags & kUserInside) && inside_run(s, e)) return false;
    if (level == kWeighted && tagged_ && !(plain && e - s < 3) && has_blank(s, e)) level = kPrefer;
    if (level == kWeighted) {
      const uint32_t layer = (source_ >> kSourceShift) / kUserFields;
      edits.edges.push_back(UserEdge{s, e, tagged_ ? gain(id) : cost(id), what(layer, id)});
      return false;
    }
    if (level == kPrefer && !(plain && !atoms_) && breaks_cluster(s, e)) return false;
    if (level > kPrefer) return false;  // of a hostile file
    any_forced_ |= level == kForce;
    found = Found{s, e, place | source_ | (level == kForce ? kIsForced : 0)};
    return true;
  }
  static uint32_t what(uint32_t layer, uint32_t id) {
    return kNotCanonical | kind_bits(kUserWord + layer) | id;
  }

  uint32_t cost(uint32_t id) const {
    int64_t c = int64_t(dict_->log_mass) + layer_->logs[id];
    return uint32_t(std::min<int64_t>(std::max<int64_t>(c, 0), kMaxCost));
  }
  uint32_t gain(uint32_t id) const {
    double nats = 1.0 - double(layer_->logs[id]) / 2048.0;  // 1 + ln weight
    double units = nats * dict_->gain;
    return uint32_t(std::lround(std::min(std::max(units, 0.0), 1e6)));
  }

  bool takes_line_end(uint32_t s, uint32_t e) const {
    for (uint32_t k = s; k < e; ++k)
      if (cp(k) == '\n') return true;
    return cp(e - 1) == '\r' && e < n_ && cp(e) == '\n';
  }
  // Whether the characters at both ends are Han and those beside them no marks: for most words, which are
  // then in no run and part no cluster.
  bool among_han(uint32_t s, uint32_t e) const {
    if (text_.width != 2) return false;
    const uint16_t* const t = static_cast<const uint16_t*>(text_.data);
    if (!user::is_han(t[s]) || !user::is_han(t[e - 1]) || (s > 0 && t[s - 1] == 0x200D))
      return false;
    if (e == n_ || user::is_han(t[e])) return true;
    // ASCII, and signs as in 。，
    return t[e] < 0x80 || t[e] - 0x3001u < 0x11 || t[e] - 0xFF01u < 0x5E;
  }
  bool has_blank(uint32_t s, uint32_t e) const {
    for (uint32_t k = s; k < e; ++k)
      if (!user::is_han(cp(k)) && is_blank(cls(k))) return true;
    return false;
  }

  // Whether one of its ends lies inside a run of letters and digits, or inside a number.
  bool inside_run(uint32_t s, uint32_t e) const {
    // at an end: the entry's character, the one beside it, the one beyond
    auto goes_on = [&](uint32_t k, uint32_t beside, uint32_t beyond) {
      if (beside >= n_ || user::is_han(cp(k))) return false;
      const CharClass c = cls(k);
      if (c != kGreek && c != kCyrillic && !is_alnum(c)) return false;
      const CharClass next = cls(beside);
      const bool joins = next == kPoint || next == kColon || next == kComma;
      return one_run(c, next) || (c == kDigit && joins && beyond < n_ && cls(beyond) == kDigit);
    };
    return goes_on(s, s - 1, s - 2) || goes_on(e - 1, e, e + 1);
  }
  bool breaks_cluster(uint32_t s, uint32_t e) const {
    // a boundary before k would separate a character from its marks
    auto parted = [&](uint32_t k) {
      if (!user::is_han(cp(k)) && cls(k) == kExtend) return cls(k - 1) != kLf && cls(k - 1) != kCr;
      return cp(k - 1) == 0x200D && cls(k) != kBlank;
    };
    return (s > 0 && parted(s)) || (e < n_ && parted(e)) || parts_atom(s) || parts_atom(e);
  }

  // Whether a boundary before k would cut one of the atoms' clusters.
  bool parts_atom(uint32_t k) const {
    if (!atoms_) return false;
    auto after = std::upper_bound(atoms_->begin(), atoms_->end(), k,
                                  [](uint32_t at, const AtomFound& a) { return at < a.end; });
    return after != atoms_->end() && after->name == kAtomEmoji && after->start < k;
  }

  // --- which of them win -------------------------------------------------------------------------

  // Of overlapping entries force takes precedence over prefer, then the longest wins, then the
  // leftmost: so they are tried in this order.
  void choose_spans() {
    const size_t words = n_ / 64 + 2;
    taken_.assign(words, 0);
    starts_.assign(words, 0);
    if (lists_)
      capacity_.grow(n_ + 1, n_ + n_ / 2 + 1, [&](size_t size) { winners_.resize(size); });
    if (any_forced_) choose(kIsForced);
    choose(0);
    if (!lists_) return mark();
    size_t won = 0;
    for (uint64_t starts : starts_) won += size_t(__builtin_popcountll(starts));
    edits.spans.reserve(won);
    for (size_t w = 0; w < words; ++w)
      for (uint64_t starts = starts_[w]; starts; starts &= starts - 1) {
        put(winners_[64 * w + size_t(__builtin_ctzll(starts))], edits.spans);
      }
    prune_edges();
    sort(edits.cuts);
  }

  // Writes the marks of the spans: boundaries where they begin and end, none within.
  void mark() {
    const size_t words = n_ / 64 + 1;
    if (marks_.size() < 64 * words) marks_.resize(64 * words + 32 * words);
    uint64_t before = 0;  // whether a span has the last character
    // eight bits as eight bytes
    auto bytes = [](uint64_t bits) {
      return ((bits & 0x7F) * 0x2040810204081u & 0x101010101010101u) | bits >> 7 << 56;
    };
    for (size_t w = 0; w < words; ++w) {
      const uint64_t taken = taken_[w], starts = starts_[w],
                     cuts = starts | ((taken << 1 | before) & ~taken), joins = taken & ~starts;
      before = taken >> 63;
      for (size_t i = 0; i < 8; ++i) {
        const uint64_t eight =
            bytes(cuts >> 8 * i & 0xFF) * kMarkCut | bytes(joins >> 8 * i & 0xFF) * kMarkJoin;
        uint8_t* const to = marks_.data() + 64 * w + 8 * i;
#if SEGMENTER_LITTLE_ENDIAN
        std::memcpy(to, &eight, 8);
#else
        for (size_t j = 0; j < 8; ++j) to[j] = uint8_t(eight >> 8 * j);
#endif
      }
    }
    edits.marks = marks_.data();
  }

  // Brings the entries that were found into the order of their lengths and starts.
  void order() {
    static constexpr uint32_t kLengths = 64;
    auto length = [](const Found& x) { return std::min(x.end - x.k, kLengths); };
    size_t at[kLengths + 2] = {};
    for (const Found& x : found_) ++at[length(x) + 1];
    for (uint32_t i = 1; i < kLengths + 2; ++i) at[i] += at[i - 1];
    ordered_.resize(found_.size());
    for (const Found& x : found_) ordered_[at[length(x)]++] = x;  // then the end of its length
    found_.swap(ordered_);
    auto before = [](const Found& a, const Found& b) {
      return a.end - a.k != b.end - b.k ? a.end - a.k < b.end - b.k : a.k < b.k;
    };
    for (uint32_t i = 1; i <= kLengths; ++i) {
      const auto from = found_.begin() + std::ptrdiff_t(at[i - 1]),
                 to = found_.begin() + std::ptrdiff_t(at[i]);
      if (!std::is_sorted(from, to, before)) std::stable_sort(from, to, before);
    }
  }

  // Chooses among the forced entries, or the others.
  void choose(uint32_t forced) {
    uint64_t* const all_taken = taken_.data();
    uint64_t* const all_starts = starts_.data();
    const Found* const first = found_.data();
    const Found* stop = first + found_.size();
    steps += found_.size();
    while (stop != first) {
      const uint32_t length = stop[-1].end - stop[-1].k;
      const Found* from = stop;
      do --from;
      while (from != first && from[-1].end - from[-1].k == length);
      if (length == 1 && !forced) choose_singles();
      const uint64_t covers = ~uint64_t(0) >> (64 - std::min(length, 64u));
      for (const Found* x = from; x != stop;
           ++x) {  // whether it wins is hard to predict: no branch
        if ((x->where & kIsForced) != forced) continue;
        if (length > 64) {
          choose_one(*x);
          continue;
        }
        uint64_t* const taken = all_taken + x->k / 64;
        const uint32_t bit = x->k % 64;
        const uint64_t low = covers << bit, high = covers >> 1 >> (63 - bit);
        const bool free = !((taken[0] & low) | (taken[1] & high));
        const uint64_t won = 0 - uint64_t(free);
        taken[0] |= low & won;
        taken[1] |= high & won;
        all_starts[x->k / 64] |= (won & 1) << bit;
        if (lists_) winners_[free ? x->k : n_] = *x;
      }
      stop = from;
    }
    if (!forced && !other_singles_) choose_singles();
  }
  void choose_singles() {
    if (!any_singles_) return;
    if (lists_)
      each_single([&](uint32_t k) {
        if (!(taken_[k / 64] >> (k % 64) & 1))
          winners_[k] = Found{k, k + 1, kNoPlace | singles_of_};
      });
    for (uint32_t w = 0; w <= n_ / 64; ++w) {
      starts_[w] |= singles_[w] & ~taken_[w];
      taken_[w] |= singles_[w];
    }
  }
  void choose_one(const Found& x) {
    bool free = true;
    auto taken = [&](uint32_t k) -> uint64_t& { return taken_[k / 64]; };
    for (uint32_t k = x.k; k < x.end; ++k) free &= !(taken(k) >> (k % 64) & 1);
    if (!free) return;
    for (uint32_t k = x.k; k < x.end; ++k) taken(k) |= uint64_t(1) << (k % 64);
    starts_[x.k / 64] |= uint64_t(1) << (x.k % 64);
    if (lists_) winners_[x.k] = x;
  }

  // Appends an entry that was found.
  void put(const Found& x, std::vector<UserMatch>& to) const {
    const uint32_t k = x.k, end = x.end, where = x.where;
    const uint32_t source = (where & ~kIsForced) >> kSourceShift;
    const UserLayer& layer = dict_->layers[source / kUserFields];
    uint32_t id = 0;
    if (numbers_ || layer.n_parts) {  // each is likely to be a miss
      const UserField& field = layer.field[source % kUserFields];
      uint32_t place = where & kPlaceBits;
      if (place == kNoPlace) place = single(field, dict_->fold[source % kUserFields](cp(k)));
      // a hostile file may have other entries than it says
      if (place == kNoPlace) return;
      id = field.entry(place);
      if (layer.n_parts && layer.length(id) != end - k) return;
    }
    to.push_back(
        {k, end, what(source / kUserFields, id), uint8_t(where & kIsForced ? kForce : kPrefer)});
  }

  // By start and end; mostly they are in order already.
  template <class Span>
  static void sort(std::vector<Span>& all) {
    auto before = [](const Span& a, const Span& b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    };
    if (!std::is_sorted(all.begin(), all.end(), before))
      std::stable_sort(all.begin(), all.end(), before);
  }
};

}  // namespace segmenter
