// The implementation of lines.hpp and quoted.hpp.
#include "files/lines.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "files/quoted.hpp"
#include "utf8.hpp"

namespace segmenter {

namespace {

constexpr size_t kShownCharacters = 200;

// The length of a text that is cut to `start`: " (1,000,000 characters)"; "" if it is not cut.
std::string length_note(std::string_view text, std::string_view start) {
  if (start.size() == text.size()) return "";
  size_t count = 0;
  for (const char c : text) count += (c & 0xC0) != 0x80;
  std::string digits = std::to_string(count);
  for (size_t k = digits.size(); k > 3;) digits.insert(k -= 3, ",");
  return " (" + digits + " characters)";
}

}  // namespace

std::string_view first_characters(std::string_view text, size_t count) {
  size_t k = 0;
  for (; count && k < text.size(); --count)
    for (++k; k < text.size() && (text[k] & 0xC0) == 0x80; ++k) {}
  return text.substr(0, k);
}

std::string shortened(std::string_view text) {
  const std::string_view start = first_characters(text, kShownCharacters);
  return std::string(start) + (start.size() < text.size() ? "…" : "") + length_note(text, start);
}

std::string quoted(std::string_view text) {
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

std::string_view without_blanks(std::string_view text) {
  auto decode = [&](size_t start, uint32_t& cp) {
    return decode_utf8(reinterpret_cast<const uint8_t*>(text.data()) + start, text.size() - start,
                       cp);
  };
  uint32_t cp;
  while (!text.empty()) {
    const uint32_t length = decode(0, cp);
    if (!length || !is_white(cp)) break;
    text.remove_prefix(length);
  }
  while (!text.empty()) {
    size_t start = text.size() - 1;
    while (start && (text[start] & 0xC0) == 0x80) --start;
    if (!decode(start, cp) || !is_white(cp)) break;
    text = text.substr(0, start);
  }
  return text;
}

Lines::Lines(std::string_view data) : rest_(data) {
  if (data.substr(0, 2) == "\xFF\xFE" || data.substr(0, 2) == "\xFE\xFF")
    throw std::invalid_argument("the file is UTF-16: save it as UTF-8 (iconv -f utf-16 -t utf-8)");
  mark = data.substr(0, 3) == "\xEF\xBB\xBF";
  if (mark) rest_.remove_prefix(3);
}

bool Lines::next(std::vector<LineFault>& faults) {
  while (!rest_.empty()) {
    const size_t end = rest_.find('\n');
    text = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++number;
    if (!text.empty() && text.back() == '\r') {
      text.remove_suffix(1);
      ++crlf;
    }
    bool blank = true;
    for (size_t offset = 0; offset < text.size();) {
      uint32_t cp;
      const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data()) + offset;
      const uint32_t length = decode_utf8(bytes, text.size() - offset, cp);
      if (!length) {
        char hex[8];
        std::snprintf(hex, sizeof hex, "0x%02x", unsigned(*bytes));
        faults.push_back({number, "encoding",
                          "byte " + std::string(hex) + " (byte " + std::to_string(offset + 1) +
                              " of the line) is not UTF-8",
                          text});
        blank = true;
        break;
      }
      blank = blank && is_white(cp);
      offset += length;
    }
    if (!blank) return true;
  }
  return false;
}

}  // namespace segmenter
