// Text line by line, as people save it: UTF-8 with or without a byte order mark, LF or CR LF.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "utf8.hpp"

namespace segmenter {

// A line that cannot be used, the kind of fault and the reason. `raw`: its bytes if they are not
// UTF-8.
struct LineFault {
  size_t line;
  const char* kind;
  std::string reason;
  std::string_view raw;
};

// Every blank of Unicode, line ends included.
inline bool is_white(uint32_t cp) {
  return cp == 0x20 || (cp >= 9 && cp <= 13) || (cp >= 0x1C && cp <= 0x1F) || cp == 0x85 ||
         cp == 0xA0 || cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200A) || cp == 0x2028 ||
         cp == 0x2029 || cp == 0x202F || cp == 0x205F || cp == 0x3000;
}

// A text without the blanks at its ends.
inline std::string_view without_blanks(std::string_view text) {
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

class Lines {
 public:
  size_t number = 0;      // of the line, from 1; at the end the number of lines
  std::string_view text;  // without its end
  size_t crlf = 0;        // lines so far that end with CR LF
  bool mark = false;      // the text begins with a byte order mark

  // Throws std::invalid_argument for UTF-16.
  explicit Lines(std::string_view data) : rest_(data) {
    if (data.substr(0, 2) == "\xFF\xFE" || data.substr(0, 2) == "\xFE\xFF")
      throw std::invalid_argument(
          "the file is UTF-16: save it as UTF-8 (iconv -f utf-16 -t utf-8)");
    mark = data.substr(0, 3) == "\xEF\xBB\xBF";
    if (mark) rest_.remove_prefix(3);
  }

  // Moves to the next line that is not blank; false at the end. Lines that are not UTF-8 become
  // faults.
  bool next(std::vector<LineFault>& faults) {
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

 private:
  std::string_view rest_;
};

}  // namespace segmenter
