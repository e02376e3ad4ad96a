// The word at an offset, and the places at which a linear tagger starts anew.
#include "places.hpp"

#include <algorithm>

#include "atoms/rules.hpp"
#include "batch.hpp"
#include "lexicon/lexicon.hpp"
#include "parts.hpp"
#include "tagging/tags.hpp"

namespace segmenter {

namespace {

// Whether a character has the tag S on every best path, whatever is further away: a path with
// another tag there scores less than the same path with S there and with neighbours that end and
// begin a word, for all tags of the two characters on either side. Both paths keep what marks force
// or forbid elsewhere. `scores`: of the tags of the character before, the character, and the
// character after.
bool surely_single(const int32_t* trans, const int32_t* scores) {
  constexpr int kB = 0, kM = 1, kE = 2, kS = 3;
  // whether accept() is true of every tag that may follow
  auto for_each_next = [](int tag, auto&& accept) {
    for (int next = 0; next < 4; ++next)
      if (Tags::follows(tag, next) && !accept(next)) return false;
    return true;
  };
  auto loses = [&](int first, int before, int tag, int after, int last) {
    if (tag == kS) return true;
    const int closed = before == kB ? kS : before == kM ? kE : before;  // the tag that ends a word
    const int opened = after == kM ? kB : after == kE ? kS : after;  // the tag that begins a word
    auto sum = [&](int p, int q, int r) {
      return int64_t(trans[4 * first + p]) + scores[p] + trans[4 * p + q] + scores[4 + q] +
             trans[4 * q + r] + scores[8 + r] + trans[4 * r + last];
    };
    return sum(before, tag, after) < sum(closed, kS, opened);
  };
  for (int first = 0; first < 4; ++first) {
    const bool none_wins = for_each_next(first, [&](int before) {
      return for_each_next(before, [&](int tag) {
        return for_each_next(tag, [&](int after) {
          return for_each_next(after,
                               [&](int last) { return loses(first, before, tag, after, last); });
        });
      });
    });
    if (!none_wins) return false;
  }
  return true;
}

// Marks that end a sentence. No atom contains one, and none of them is part of a run.
bool ends_sentence(uint32_t c) { return c == U'。' || c == U'！' || c == U'？' || c == U'；'; }
bool is_han(uint32_t c) { return c >= 0x4E00 && c <= 0x9FFF; }

}  // namespace

uint32_t anew_reach(const Plan& plan) {
  const bool linear = plan.tagger && !plan.tagger->has_network();
  const bool marks =
      linear && !plan.user && !plan.subwords && !(plan.atoms && plan.atoms->patterns.any());
  // a word with the mark in it changes the scores of its neighbours; variants read 32 characters to
  // either side
  return marks ? plan.tagger->lex->max_word + 40 : 0;
}

void anew_places(Worker& worker, const Plan& plan, const Text& text,
                 std::vector<uint32_t>& places) {
  places.clear();
  const uint32_t reach = anew_reach(plan);
  if (!reach || text.n < 2 * reach) return;
  std::vector<int32_t> scores;
  for (uint32_t mark = reach; mark + reach < text.n; ++mark) {
    if (!ends_sentence(text[mark])) continue;
    // between Han characters no mark of clauses or runs joins the sign to its neighbours
    bool has_plain_neighbours = true;
    for (const int distance : {-2, -1, 1, 2})
      has_plain_neighbours = has_plain_neighbours && is_han(text[size_t(int64_t(mark) + distance)]);
    if (!has_plain_neighbours) continue;
    if (scores.empty()) {
      worker.parts().tagger.scores(*plan.tagger, text, Request(), scores);
      // a tag that marks forbid here may be allowed in another text
      for (int32_t& score : scores)
        if (score < kTagNever / 2) score -= kTagNever;
    }
    if (surely_single(plan.tagger->trans, scores.data() + 4 * (size_t(mark) - 1)))
      places.push_back(mark + 1);
  }
}

// --- the word at an offset -----------------------------------------------------------------------

namespace {

constexpr size_t kNone = ~size_t(0);
// How many characters on either side of a cell are searched: kNear for the ends of its line, then
// each of kWindows for ends of sentences.
constexpr size_t kNear = 1000, kWindows[] = {250, kNear, 4 * kNear};

bool is_blank(const Token& token) {
  const EdgeKind kind = token_kind(token.label);
  return kind == kBlankRun || kind == kLineEnd;
}

// Calls use(width), where width(k) is the number of units of the character that begins at cell k,
// or 0 if none begins there.
template <class F>
auto with_widths(const Text& text, bool utf8, OffsetUnit unit, F&& use) {
  if (utf8) {
    const uint8_t* const bytes = static_cast<const uint8_t*>(text.data);
    const auto begins = [=](size_t k) { return uint32_t((bytes[k] & 0xC0) != 0x80); };
    if (unit != OffsetUnit::kUtf16) return use(begins);
    return use([=](size_t k) { return begins(k) + (bytes[k] >= 0xF0); });
  }
  return text.cells([&](auto* cells) {
    if (unit == OffsetUnit::kUtf8)
      return use([=](size_t k) { return units_of_character(cells[k], OffsetUnit::kUtf8); });
    return use([=](size_t k) { return units_of_character(cells[k], OffsetUnit::kUtf16); });
  });
}

}  // namespace

std::string WordFinder::start(const Plan& plan, const Text& text, bool utf8, size_t offset,
                              OffsetUnit unit, WordPlace place) {
  text_ = text;
  utf8_ = utf8;
  unit_ = unit;
  place_ = place;
  cut_whole_ = user_takes_line_ends(plan);
  const uint64_t end = set_origin(offset);
  cursor_ = origin_;
  if (offset <= end) return "";
  const char* const unit_name = unit == OffsetUnit::kUtf8    ? " bytes of UTF-8"
                                : unit == OffsetUnit::kUtf16 ? " units of UTF-16"
                                                             : " code points";
  return "offset: " + std::to_string(offset) + " is beyond the text's end, " + std::to_string(end) +
         unit_name;
}

bool WordFinder::next(Worker& worker, const Plan& plan) {
  if (cursor_ == (place_ == WordPlace::kPrevious ? 0 : text_.n)) return false;
  choose(worker, plan, place_ == WordPlace::kPrevious ? cursor_ - 1 : cursor_);
  cursor_ = place_ == WordPlace::kPrevious ? certain_begin_
            : place_ == WordPlace::kNext   ? certain_end_
                                           : text_.n;
  return true;
}

bool WordFinder::find(const Decision& decision) {
  size_t token_end = first, count = 0, word_begin = 0, word_end = 0;
  uint32_t character = 0;
  bool found = false;
  for (const Token& token : decision.tokens) {
    const size_t token_begin = token_end;
    token_end = advance(token_end, token.end - character);
    character = token.end;
    if (token.label & kDropped) continue;
    const size_t number = count++;
    if (token_begin < certain_begin_ || token_end > certain_end_) continue;
    if (place_ == WordPlace::kAt) {
      if (token_end <= origin_) continue;
      if (token_begin > origin_) break;  // the token at the offset was dropped
    } else {
      if (place_ == WordPlace::kPrevious && token_begin >= origin_) break;
      if (is_blank(token) || (place_ == WordPlace::kNext && token_begin <= origin_)) continue;
    }
    found = true;
    row = number;
    word_begin = token_begin;
    word_end = token_end;
    if (place_ != WordPlace::kPrevious) break;
  }
  if (!found) return false;
  start_offset = word_begin <= origin_ ? origin_offset_ - units(word_begin, origin_)
                                       : origin_offset_ + units(origin_, word_begin);
  end_offset = start_offset + units(word_begin, word_end);
  return true;
}

// Chooses what to cut for the character in a cell.
void WordFinder::choose(Worker& worker, const Plan& plan, size_t cell) {
  const size_t n = text_.n;
  size_t line_begin = 0, line_end = n;
  if (!cut_whole_) {
    const size_t lower_bound = step_back(cell, kNear), upper_bound = step_ahead(cell, kNear);
    line_begin = find_line_begin(cell, lower_bound);
    line_end = find_line_end(cell, upper_bound);
    if (line_begin == kNone && !lower_bound) line_begin = 0;
    if (line_end == kNone && upper_bound == n) line_end = n;
    if (line_begin == kNone || line_end == kNone) {
      if (choose_sentences(worker, plan, cell, line_begin, line_end)) return;
      line_begin = find_line_begin(cell, 0);
      line_end = find_line_end(cell, n);
      if (line_begin == kNone) line_begin = 0;
      if (line_end == kNone) line_end = n;
    }
  }
  first = certain_begin_ = line_begin;
  last = certain_end_ = line_end;
}

// Chooses the text between two places at which the engine starts anew, if they are near; the ends
// of the line count as such places, where they are known. The text is cut from one place further on
// either side, because the scores of tokens at a place depend on the boundaries beyond it.
bool WordFinder::choose_sentences(Worker& worker, const Plan& plan, size_t cell, size_t line_begin,
                                  size_t line_end) {
  const uint32_t reach = anew_reach(plan);
  if (!reach) return false;
  for (const size_t characters : kWindows) {
    const size_t begin =
                     std::max(line_begin == kNone ? 0 : line_begin, step_back(cell, characters)),
                 end =
                     std::min(line_end == kNone ? text_.n : line_end, step_ahead(cell, characters));
    Text window = text_.part(begin, end);
    size_t character = cell - begin;
    if (utf8_) {
      decoded_.start(static_cast<const uint8_t*>(text_.data), begin, text_.n, end - begin);
      if (decoded_.append(begin, end) >= 0) return false;  // cutting the line will report it
      window = decoded_.text();
      const uint32_t* const offsets = decoded_.offsets();
      character = size_t(std::upper_bound(offsets, offsets + window.n, character) - offsets) - 1;
    }
    anew_places(worker, plan, window, places_);
    if (begin == line_begin) places_.insert(places_.begin(), 2, 0);
    if (end == line_end) places_.insert(places_.end(), 2, uint32_t(window.n));
    const auto next = std::upper_bound(places_.begin(), places_.end(), uint32_t(character));
    if (next - places_.begin() < 2 || places_.end() - next < 2) continue;
    const auto cell_of = [&](size_t k) { return begin + (utf8_ ? decoded_.offsets()[k] : k); };
    first = cell_of(next[-2] - std::min(next[-2], reach));
    last = cell_of(std::min(window.n, size_t(next[1]) + reach));
    certain_begin_ = cell_of(next[-1]);
    certain_end_ = cell_of(next[0]);
    return true;
  }
  return false;
}

// The cell after the last line feed in cells [lower_bound, cell); kNone: there is none.
size_t WordFinder::find_line_begin(size_t cell, size_t lower_bound) const {
  return text_.cells([&](auto* cells) {
    for (size_t k = cell; k > lower_bound; --k)
      if (cells[k - 1] == '\n') return k;
    return kNone;
  });
}

// The cell after the first line feed in cells [cell, upper_bound); kNone: there is none.
size_t WordFinder::find_line_end(size_t cell, size_t upper_bound) const {
  return text_.cells([&](auto* cells) {
    for (size_t k = cell; k < upper_bound; ++k)
      if (cells[k] == '\n') return k + 1;
    return kNone;
  });
}

bool WordFinder::inside_character(size_t cell) const {
  return utf8_ && cell < text_.n && (text_[cell] & 0xC0) == 0x80;
}

// The cell about so many characters before or after a cell: in UTF-8 a Chinese character takes
// three bytes.
size_t WordFinder::step_back(size_t cell, size_t characters) const {
  size_t target = cell - std::min(cell, characters * (utf8_ ? 3 : 1));
  for (int k = 0; k < 3 && target && inside_character(target); ++k) --target;
  return target;
}
size_t WordFinder::step_ahead(size_t cell, size_t characters) const {
  size_t target = cell + std::min(text_.n - cell, characters * (utf8_ ? 3 : 1));
  for (int k = 0; k < 3 && inside_character(target); ++k) ++target;
  return target;
}

// The cell so many characters after a cell.
size_t WordFinder::advance(size_t cell, size_t characters) const {
  if (!utf8_) return cell + characters;
  while (characters) {
    ++cell;
    if (!inside_character(cell)) --characters;
  }
  return cell;
}

// The number of units of the characters that begin in cells [begin, end).
uint64_t WordFinder::units(size_t begin, size_t end) const {
  if (units_are_cells()) return end - begin;
  return with_widths(text_, utf8_, unit_, [&](auto width) {
    uint64_t sum = 0;
    for (size_t k = begin; k < end; ++k) sum += width(k);
    return sum;
  });
}

// Finds the character at an offset. Returns the offset, or the end of the text if that is smaller.
uint64_t WordFinder::set_origin(size_t offset) {
  const size_t n = text_.n;
  if (units_are_cells()) {
    origin_ = std::min(offset, n);
    while (origin_ && inside_character(origin_)) --origin_;
    origin_offset_ = origin_;
    return std::min(offset, n);
  }
  // in blocks, so that the compiler vectorises the sums
  constexpr size_t kBlock = 1024;
  const uint64_t offset_of_origin = with_widths(text_, utf8_, unit_, [&](auto width) {
    size_t k = 0;
    uint64_t sum = 0;
    for (; k + kBlock <= n; k += kBlock) {
      uint32_t block = 0;
      for (size_t j = k; j < k + kBlock; ++j) block += width(j);
      if (sum + block > offset) break;
      sum += block;
    }
    for (; k < n && sum + width(k) <= offset; ++k) sum += width(k);
    origin_ = k;
    return sum;
  });
  origin_offset_ = offset_of_origin;
  return origin_ == n ? std::min<uint64_t>(offset, offset_of_origin) : offset;
}

}  // namespace segmenter
