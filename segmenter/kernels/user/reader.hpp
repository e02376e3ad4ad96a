// Reads user dictionaries as text, with tabs between the fields or in jieba's format.
// segmenter/lexicon/user/files.py describes both.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/lines.hpp"
#include "user/columns.hpp"

namespace segmenter {

// Reads a number of at least 0, which may have blanks around it; false if there is none.
bool read_count(std::string_view text, double& value);

// The fields of a line in jieba's format: word, weight and tag between blanks, the last two
// optional.
struct JiebaRow {
  std::string_view word, weight, tag;

  explicit JiebaRow(std::string_view line);
  // Whether there is a weight and a tag, or one of them after a word that cannot include it: not
  // iPhone 15.
  bool unambiguous() const {
    return (!weight.empty() && !tag.empty()) ||
           ((!weight.empty() || !tag.empty()) && word.back() & 0x80);
  }

 private:
  static bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  // The field after the last blank, "" if there is none; `rest`: the text before it without its
  // blanks.
  std::string_view split_last(std::string_view& rest) const;
};

class UserReader {
 public:
  enum class Format { kAuto, kTsv, kJieba };
  Format format = Format::kAuto;  // after read() the one that was read
  int level = -1;      // replaces the level of all rows except splits and deletions; -1: none
  uint8_t marks = 0;   // flags of rows without options: fold, inside, script
  bool strict = true;  // read() stops at the first fault
  std::string source;  // the name of the file
  size_t rows = 0, lines = 0, crlf = 0;
  bool mark = false;
  std::vector<LineFault> faults;

  explicit UserReader(UserBuilder& builder) : builder_(builder) {}

  // Throws std::invalid_argument for UTF-16.
  void read(std::string_view data);

 private:
  UserBuilder& builder_;
  std::vector<uint32_t> word_, cuts_;
  std::string tag_, payload_;
  UserMore details_;
  uint8_t flags_ = 0;

  static Format guess_format(std::string_view data);
  void add_entry(int row_level);
  void set_word(std::string_view text);
  void set_weight(std::string_view text);
  void read_tsv(std::string_view line);
  void set_options(std::string_view text);
  void set_parts(std::string_view text);
  void set_payload(std::string_view text);
  void read_jieba(std::string_view line);
};

}  // namespace segmenter
