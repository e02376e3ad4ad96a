// Input quoted in messages: its first 200 characters, and its length.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "files/lines.hpp"

namespace segmenter {

constexpr size_t kShownCharacters = 200;

// The first characters of a text in UTF-8.
inline std::string_view first_characters(std::string_view text, size_t count) {
  size_t k = 0;
  for (; count && k < text.size(); --count)
    for (++k; k < text.size() && (text[k] & 0xC0) == 0x80; ++k) {}
  return text.substr(0, k);
}

// The length of a text that is cut to `start`: " (1,000,000 characters)"; "" if it is not cut.
inline std::string length_note(std::string_view text, std::string_view start) {
  if (start.size() == text.size()) return "";
  size_t count = 0;
  for (const char c : text) count += (c & 0xC0) != 0x80;
  std::string digits = std::to_string(count);
  for (size_t k = digits.size(); k > 3;) digits.insert(k -= 3, ",");
  return " (" + digits + " characters)";
}

// A name, for instance of a file, cut if it is long.
inline std::string shortened(std::string_view text) {
  const std::string_view start = first_characters(text, kShownCharacters);
  return std::string(start) + (start.size() < text.size() ? "…" : "") + length_note(text, start);
}

// A text in quotation marks, as repr() of Python: invisible characters as escapes.
inline std::string quoted(std::string_view text) {
  const std::string_view start = first_characters(text, kShownCharacters);
  const bool double_quotes = start.find('\'') != start.npos && start.find('"') == start.npos;
  const char mark = double_quotes ? '"' : '\'';
  std::string result(1, mark);
  for (size_t offset = 0; offset < start.size();) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(start.data()) + offset;
    uint32_t cp = *bytes;
    const uint32_t length = std::max(decode_utf8(bytes, start.size() - offset, cp), 1u);
    offset += length;
    char escape[16];
    if (cp == '\n') result += "\\n";
    else if (cp == '\r') result += "\\r";
    else if (cp == '\t') result += "\\t";
    else if (cp < 0x20 || (cp >= 0x7F && cp <= 0xA0)) {
      std::snprintf(escape, sizeof escape, "\\x%02x", unsigned(cp));
      result += escape;
    } else if ((cp > 0x20 && is_white(cp)) || cp == 0xFEFF || (cp >= 0x200B && cp <= 0x200F) ||
               (cp >= 0x202A && cp <= 0x202E) || (cp >= 0x2060 && cp <= 0x206F)) {
      std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(cp));
      result += escape;
    } else {
      if (cp == uint32_t(mark) || cp == '\\') result += '\\';
      result.append(start, offset - length, length);
    }
  }
  if (start.size() < text.size()) result += "…";
  return result + mark + length_note(text, start);
}

}  // namespace segmenter
