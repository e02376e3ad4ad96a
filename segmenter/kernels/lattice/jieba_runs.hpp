// What the package jieba makes of characters that its dictionary leaves single (HMM=True): the
// rules of its __cut_DAG and of finalseg.cut, for lexicons of profile="jieba".
//
// Adjacent words of one character are a run; a character outside jieba's blocks ends it. A run that
// is itself a word stays single characters. In any other run the stretches of Han characters go to
// the tagger; between them a run of ASCII letters and digits (with a decimal fraction and a percent
// sign) is one token, and so is whatever is left between two of these.
#pragma once

#include <cstdint>

namespace segmenter {
namespace jieba {

inline bool is_han(uint32_t c) { return c >= 0x4E00 && c <= 0x9FD5; }
inline bool is_digit(uint32_t c) { return c - '0' < 10; }
inline bool is_alnum(uint32_t c) { return is_digit(c) || (c | 32) - 'a' < 26; }
// Whether a character belongs to a block, [\u4E00-\u9FD5a-zA-Z0-9+#&\._%\-].
inline bool in_block(uint32_t c) {
  return is_han(c) || is_alnum(c) || c == '+' || c == '#' || c == '&' || c == '.' || c == '_' ||
         c == '%' || c == '-';
}

// The end of the token that begins at k with a character that is not Han, in a run that ends at
// `end`: [a-zA-Z0-9]+(?:\.\d+)?%? or everything before the next such token. `at`: the character at
// a position.
template <class At>
uint32_t end_of_token(At&& at, uint32_t k, uint32_t end) {
  if (!is_alnum(at(k))) {
    while (k < end && !is_alnum(at(k)) && !is_han(at(k))) ++k;
    return k;
  }
  while (k < end && is_alnum(at(k))) ++k;
  if (k + 1 < end && at(k) == '.' && is_digit(at(k + 1)))
    for (++k; k < end && is_digit(at(k));) ++k;
  return k + uint32_t(k < end && at(k) == '%');
}

}  // namespace jieba
}  // namespace segmenter
