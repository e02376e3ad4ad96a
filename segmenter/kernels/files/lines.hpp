// Text line by line, as people save it: UTF-8 with or without a byte order mark, LF or CR LF.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
std::string_view without_blanks(std::string_view text);

class Lines {
 public:
  size_t number = 0;      // of the line, from 1; at the end the number of lines
  std::string_view text;  // without its end
  size_t crlf = 0;        // lines so far that end with CR LF
  bool mark = false;      // the text begins with a byte order mark

  // Throws std::invalid_argument for UTF-16.
  explicit Lines(std::string_view data);

  // Moves to the next line that is not blank; false at the end. Lines that are not UTF-8 become
  // faults.
  bool next(std::vector<LineFault>& faults);

 private:
  std::string_view rest_;
};

}  // namespace segmenter
