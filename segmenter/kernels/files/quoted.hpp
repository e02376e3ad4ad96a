// What a caller or a file gave, as messages repeat it: at most 200 characters, and how many there are.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "files/lines.hpp"

namespace segmenter {

constexpr size_t kMostShown = 200;

// The first characters of a text in UTF-8.
inline std::string_view first_characters(std::string_view text, size_t most) {
  size_t k = 0;
  for (; most && k < text.size(); --most)
    for (++k; k < text.size() && (text[k] & 0xC0) == 0x80; ++k) {}
  return text.substr(0, k);
}

// What comes after a text of which only `start` is shown: " (1,000,000 characters)".
inline std::string length_shown(std::string_view text, std::string_view start) {
  if (start.size() == text.size()) return "";
  size_t count = 0;
  for (const char c : text) count += (c & 0xC0) != 0x80;
  std::string digits = std::to_string(count);
  for (size_t k = digits.size(); k > 3;) digits.insert(k -= 3, ",");
  return " (" + digits + " characters)";
}

// A name, such as that of a file.
inline std::string shown(std::string_view text) {
  const std::string_view start = first_characters(text, kMostShown);
  return std::string(start) + (start.size() < text.size() ? "…" : "") + length_shown(text, start);
}

// A text between quotation marks, as Python shows it: characters that cannot be seen by number.
inline std::string quoted(std::string_view text) {
  const std::string_view start = first_characters(text, kMostShown);
  const bool twice = start.find('\'') != start.npos && start.find('"') == start.npos;
  const char mark = twice ? '"' : '\'';
  std::string out(1, mark);
  for (size_t k = 0; k < start.size();) {
    const auto* const p = reinterpret_cast<const uint8_t*>(start.data()) + k;
    uint32_t cp = *p;
    const uint32_t n = std::max(decode_utf8(p, start.size() - k, cp), 1u);
    k += n;
    char number[16];
    if (cp == '\n') out += "\\n";
    else if (cp == '\r') out += "\\r";
    else if (cp == '\t') out += "\\t";
    else if (cp < 0x20 || (cp >= 0x7F && cp <= 0xA0)) {
      std::snprintf(number, sizeof number, "\\x%02x", unsigned(cp));
      out += number;
    } else if ((cp > 0x20 && is_white(cp)) || cp == 0xFEFF || (cp >= 0x200B && cp <= 0x200F) ||
               (cp >= 0x202A && cp <= 0x202E) || (cp >= 0x2060 && cp <= 0x206F)) {
      std::snprintf(number, sizeof number, "\\u%04x", unsigned(cp));
      out += number;
    } else {
      if (cp == uint32_t(mark) || cp == '\\') out += '\\';
      out.append(start, k - n, n);
    }
  }
  if (start.size() < text.size()) out += "…";
  return out + mark + length_shown(text, start);
}

}  // namespace segmenter
