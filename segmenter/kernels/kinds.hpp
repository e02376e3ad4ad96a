// Kinds of tokens. A kind depends on the characters of a token, not on the lexicon or the model;
// segmenter/text/kinds.py gives the reason.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "atoms/rules.hpp"
#include "lexicon/lexicon.hpp"
#include "text.hpp"

namespace segmenter {

// By EdgeKind and AtomKind; the last two depend on characters alone.
constexpr const char* kKindNames[] = {
    "word",    "unknown", "number", "date",  "latin",   "space",    "newline", "script",
    "cluster", "url",     "email",  "ip",    "time",    "quantity", "version", "hashtag",
    "mention", "code",    "emoji",  "phone", "pattern", "punct",    "symbol"};
constexpr int kEdgeNames = kKindPattern + 1;  // kinds that edges have
enum TokenKind : int { kPunctKind = kEdgeNames, kSymbolKind, kTokenKinds };

namespace kinds {

constexpr std::u32string_view kNumerals = U"一二三四五六七八九十百千万亿零○〇两",
                              kOnes = U"一二三四五六七八九零○〇两",
                              kOneToNine = U"一二三四五六七八九";
using View = std::u32string_view;

inline bool in(View set, char32_t c) { return set.find(c) != set.npos; }
inline bool all_in(View set, View text) { return text.find_first_not_of(set) == text.npos; }
// Removes the numerals at the front of a text and returns them.
inline View take_numerals(View& text) {
  const size_t end = text.find_first_not_of(kNumerals);
  const View run = text.substr(0, end);
  text.remove_prefix(run.size());
  return run;
}
// Removes a prefix; false if the text does not begin with it.
inline bool take_prefix(View& text, View prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// 三百五, 三点一四, 百分之三十, 第一
inline bool is_number(View text) {
  if (take_prefix(text, U"第")) return !text.empty() && all_in(kNumerals, text);
  const View first = take_numerals(text);
  if (first.empty()) return false;
  if (text.empty()) return first.size() > 1 && (in(kOnes, first[0]) || first[0] == U'十');
  if (!take_prefix(text, U"分之") && !take_prefix(text, U"点")) return false;
  if (take_numerals(text).empty()) return false;
  return text.empty() || (take_prefix(text, U"点") && !text.empty() && all_in(kNumerals, text));
}

// Whether a text is a numeral from 1 to `limit`, which is 12 or 31.
inline bool counts_to(int limit, View text) {
  if (text.size() == 1) return in(kOneToNine, text[0]) || text[0] == U'十';
  if (limit == 12) return text == U"十一" || text == U"十二";
  if (text == U"三十" || text == U"三十一") return true;
  take_prefix(text, U"二");
  return take_prefix(text, U"十") &&
         (text.empty() || (text.size() == 1 && in(kOneToNine, text[0])));
}

// 一九九八年, 十二月, 十二月份, 三十一日, 八时
inline bool is_date(View text) {
  const char32_t last = text.back();
  const View rest = text.substr(0, text.size() - 1);
  if (last == U'年') return (rest.size() == 2 || rest.size() == 4) && all_in(kOnes, rest);
  if (last == U'月') return counts_to(12, rest);
  if (last == U'份')
    return rest.size() > 1 && rest.back() == U'月' &&
           counts_to(12, rest.substr(0, rest.size() - 1));
  return (last == U'日' || last == U'时') && counts_to(31, rest);
}

// Words, although edges of dates and numbers make them: 十分, 一时; 万一, 百万.
inline bool is_never_date(View text) {
  return text == U"一时" || (text.size() > 1 && text.back() == U'分' &&
                             all_in(kNumerals, text.substr(0, text.size() - 1)));
}
inline bool is_never_number(View text) {
  return text.size() > 1 && in(U"百千万亿", text[0]) && all_in(kNumerals, text);
}

}  // namespace kinds

// The kind of a token: that of the edge that made it, or by its characters. `classes`: the
// CharClass of each character.
inline int kind_of(std::u32string_view text, const uint8_t* classes, int edge) {
  if (edge == kNumber || edge == kDate)
    return kinds::is_never_number(text) || kinds::is_never_date(text) ? int(kWord) : edge;
  if (edge != kWord && edge != kUnknown) return edge;
  enum : uint32_t { kD = 1, kA = 2, kH = 4, kE = 8, kS = 16, kP = 32, kO = 64 };
  uint32_t present = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const uint8_t char_class = classes[i];
    present |= char_class == kDigit                                                     ? kD
               : char_class == kLatin                                                   ? kA
               : char_class == kHan || char_class == kHanNum                            ? kH
               : char_class == kExtend                                                  ? kE
               : char_class >= kGreek && char_class <= kLetter                          ? kS
               : char_class == kPunct || (char_class >= kPoint && char_class <= kMinus) ? kP
                                                                                        : kO;
  }
  if (present == kP) return kPunctKind;
  if (present & kH) {
    if (present & ~uint32_t(kH | kE) || text.size() < 2 || kinds::is_never_date(text)) return kWord;
    return kinds::is_number(text) ? int(kNumber) : kinds::is_date(text) ? int(kDate) : int(kWord);
  }
  present &= ~uint32_t(kE);
  if (present == kD) return kNumber;
  if (present && !(present & ~uint32_t(kD | kA))) return kLatinRun;
  if (present == kS) return kScriptRun;
  return present & (kD | kA | kS) ? int(kWord) : int(kSymbolKind);
}

// The characters of a token, or of a word with others inside it, and their classes.
struct TokenCharacters {
  std::u32string text;
  std::string codes;  // a CharClass each; a std::string allocates nothing for short words

  const uint8_t* classes() const { return reinterpret_cast<const uint8_t*>(codes.data()); }

  void read(const Lexicon& lex, const Text& source, uint32_t start, uint32_t end) {
    text.clear();
    codes.clear();
    for (uint32_t k = start; k < end; ++k) {
      text.push_back(char32_t(source[k]));
      codes.push_back(char(lex.char_class(lex.spelling.id(source[k]))));
    }
  }
  // The kind of the token [start, end), which an edge of kind `edge` made.
  int32_t kind(uint32_t start, uint32_t end, uint32_t edge) const {
    return kind_of(std::u32string_view(text).substr(start, end - start), classes() + start,
                   edge < kUserWord ? int(edge) : kWord);
  }
};

}  // namespace segmenter
