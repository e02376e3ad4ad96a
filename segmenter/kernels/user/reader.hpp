// Reads user dictionaries as text, with tabs between the fields or in jieba's format.
// segmenter/lexicon/user/files.py describes both.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/decimal.hpp"
#include "files/json.hpp"
#include "files/lines.hpp"
#include "files/quoted.hpp"
#include "user/columns.hpp"
#include "utf8.hpp"

namespace segmenter {

// Reads a number of at least 0, which may have blanks around it; false if there is none.
inline bool read_count(std::string_view text, double& value) {
  text = without_blanks(text);
  return read_decimal(text, value) && value >= 0 && std::isfinite(value);
}

// The fields of a line in jieba's format: word, weight and tag between blanks, the last two
// optional.
struct JiebaRow {
  std::string_view word, weight, tag;

  explicit JiebaRow(std::string_view line) : word(without_blanks(line)) {
    std::string_view rest;
    std::string_view field = split_last(rest);
    if (!field.empty() && is_letter(field[0])) {
      for (const char c : field)
        if (!is_letter(c) && !is_digit(c) && c != '_') return;
      tag = field;
      word = rest;
      field = split_last(rest);
    }
    if (field.empty() || !is_digit(field[0])) return;
    for (const char c : field)
      if (!is_digit(c) && c != '.') return;
    weight = field;
    word = rest;
  }
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
  std::string_view split_last(std::string_view& rest) const {
    const size_t blank = word.find_last_of(" \t");
    if (blank == word.npos) return "";
    const size_t end = word.find_last_not_of(" \t", blank);
    if (end == word.npos) return "";
    rest = word.substr(0, end + 1);
    return word.substr(blank + 1);
  }
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
  struct BadLine {
    const char* kind;
    std::string reason;
  };

  UserBuilder& builder_;
  std::vector<uint32_t> word_, cuts_;
  std::string tag_, payload_;
  UserMore details_;
  uint8_t flags_ = 0;

  // The majority of the first thousand lines decides.
  static Format guess_format(std::string_view data) {
    Lines reader(data);
    std::vector<LineFault> ignored;
    size_t n_lines = 0, n_jieba = 0;
    for (; n_lines < 1000 && reader.next(ignored); ++n_lines) {
      const std::string_view line = reader.text;
      n_jieba += line.find('\t') == line.npos && JiebaRow(line).unambiguous();
    }
    return 2 * n_jieba > n_lines ? Format::kJieba : Format::kTsv;
  }

  void add_entry(int row_level) {
    if (level >= 0 && row_level != kDelete && cuts_.empty()) row_level = level;
    if (row_level == kDelete) flags_ |= kUserFold;
    details_.cuts = cuts_.data();
    details_.n_cuts = cuts_.size();
    builder_.add(word_.data(), word_.size(), uint8_t(flags_ | row_level), details_);
  }
  void set_word(std::string_view text) {
    for (size_t k = 0; k < text.size();) {
      uint32_t cp = 0;
      k += decode_utf8(reinterpret_cast<const uint8_t*>(text.data()) + k, text.size() - k, cp);
      word_.push_back(cp);
    }
  }

  // Calls each(character, whether it was escaped) for the characters of a text with escapes.
  template <class Each>
  static void unescape(std::string_view text, Each&& each) {
    auto read_hex = [&](size_t begin, size_t n, uint32_t& result) {
      if (text.size() - begin < n) return false;
      uint32_t value = 0;
      for (size_t k = begin; k < begin + n; ++k) {
        const char c = text[k], low = char(c | 0x20);
        if (c >= '0' && c <= '9') value = value << 4 | uint32_t(c - '0');
        else if (low >= 'a' && low <= 'f') value = value << 4 | uint32_t(low - 'a' + 10);
        else return false;
      }
      result = value;
      return true;
    };
    for (size_t k = 0; k < text.size();) {
      uint32_t cp = 0;
      auto decode = [&] {
        const auto* const p = reinterpret_cast<const uint8_t*>(text.data()) + k;
        return decode_utf8(p, text.size() - k, cp);
      };
      k += decode();
      if (cp != '\\') {
        each(cp, false);
        continue;
      }
      const size_t begin = k - 1;
      cp = 0;
      if (k < text.size()) k += decode();
      const uint32_t kind = cp;
      const bool four = kind == 'u' && read_hex(k, 4, cp),
                 eight = kind == 'U' && read_hex(k, 8, cp);
      if (four || eight) k += four ? 4 : 8;
      else if (kind == 't') cp = '\t';
      else if (kind == 'n') cp = '\n';
      else if (kind == 'r') cp = '\r';
      else if (kind != '\\' && kind != '|')
        throw BadLine{"escape", quoted(text.substr(begin, k - begin)) +
                                    " is not an escape: write a backslash as \\\\ (others: \\t \\n "
                                    "\\r \\uXXXX)"};
      if (cp > 0x10FFFF)
        throw BadLine{"escape", std::string(text.substr(begin, k - begin)) +
                                    " is beyond Unicode's last character"};
      each(cp, true);
    }
  }
  static std::string unescaped(std::string_view text) {
    std::string result;
    unescape(text, [&](uint32_t cp, bool) { append_utf8(cp, result); });
    return result;
  }

  void set_weight(std::string_view text) {
    if (read_count(text, details_.weight)) return;
    throw BadLine{"level", quoted(text) +
                               " is neither a level (force, prefer, weight, delete, split) nor a "
                               "weight of at least 0"};
  }
  static int level_of(std::string_view name) {
    for (int k = 0; k < 4; ++k)
      if (name == kUserLevels[k]) return k;
    return -1;
  }

  void read_tsv(std::string_view line) {
    std::string_view fields[5];  // word, level or weight, tag, payload, options
    if (line.find_first_of("\t\\") == line.npos) {
      set_word(line);
      return add_entry(kPrefer);
    }
    std::string_view rest = line;
    bool has_more = true;
    for (size_t n = 0; n < 5 && has_more; ++n) {
      const size_t tab = rest.find('\t');
      fields[n] = rest.substr(0, tab);
      has_more = tab != rest.npos;
      rest.remove_prefix(has_more ? tab + 1 : rest.size());
    }
    if (rest.find_first_not_of('\t') != rest.npos)
      throw BadLine{"fields",
                    quoted(first_characters(line, 40)) +
                        " has more fields than word, level or weight, tag, payload, options"};
    if (fields[0].empty()) throw BadLine{"word", "the line has no word in its first field"};
    set_options(fields[4]);
    std::string_view level_text = fields[1];
    while (!level_text.empty() && level_text.front() == ' ') level_text.remove_prefix(1);
    while (!level_text.empty() && level_text.back() == ' ') level_text.remove_suffix(1);
    int row_level = level_text.empty() ? kPrefer : level_of(level_text);
    if (level_text.substr(0, 5) == "split" && (level_text.size() == 5 || level_text[5] == ':')) {
      row_level = level_text.size() <= 6 ? kForce : level_of(level_text.substr(6));
      set_parts(fields[0]);
      if (row_level != kForce && row_level != kPrefer)
        throw BadLine{"level", quoted(level_text) + " is not split, split:force or split:prefer"};
    } else {
      unescape(fields[0], [&](uint32_t cp, bool) { word_.push_back(cp); });
      details_.weight = 1;
      if (row_level < 0) {
        set_weight(level_text);
        row_level = kWeighted;
      }
    }
    tag_ = unescaped(fields[2]);
    details_.tag = tag_;
    set_payload(fields[3]);
    add_entry(row_level);
  }
  void set_options(std::string_view text) {
    while (!text.empty()) {
      const size_t comma = std::min(text.find(','), text.size());
      const std::string_view option = without_blanks(text.substr(0, comma));
      text.remove_prefix(std::min(comma + 1, text.size()));
      if (option.empty()) continue;
      const bool off = option.substr(0, 3) == "no-";
      const std::string_view name = option.substr(off ? 3 : 0);
      const uint8_t flag = name == "fold"     ? kUserFold
                           : name == "inside" ? kUserInside
                           : name == "script" ? kUserScript
                                              : uint8_t(0);
      if (!flag)
        throw BadLine{"option",
                      quoted(option) + " is not an option of an entry: fold, inside, script"};
      flags_ = uint8_t(off ? flags_ & ~flag : flags_ | flag);
    }
  }
  void set_parts(std::string_view text) {
    bool empty = true, all_filled = true;
    unescape(text, [&](uint32_t cp, bool escaped) {
      if (cp == '|' && !escaped) {
        all_filled = all_filled && !empty;
        empty = true;
        cuts_.push_back(uint32_t(word_.size()));
      } else {
        word_.push_back(cp);
        empty = false;
      }
    });
    if (cuts_.empty() || empty || !all_filled)
      throw BadLine{"split",
                    quoted(text) + " marks no parts: write a bar between two of them, as 提|出"};
  }
  void set_payload(std::string_view text) {
    if (text.substr(0, 2) == "\\j") {
      payload_ = unescaped(text.substr(2));
      if (!Json::is_json(payload_)) throw BadLine{"payload", "what follows \\j is not JSON"};
      if (without_blanks(payload_) == "null") return;
    } else if (text.empty()) {
      return;
    } else {
      payload_ = "\"";
      unescape(text, [&](uint32_t cp, bool) {
        char number[8];
        if (cp == '"' || cp == '\\') payload_ += '\\';
        if (cp < 0x20) {
          std::snprintf(number, sizeof number, "\\u%04x", unsigned(cp));
          payload_ += number;
        } else {
          append_utf8(cp, payload_);
        }
      });
      payload_ += '"';
    }
    details_.payload = payload_;
  }

  void read_jieba(std::string_view line) {
    const JiebaRow row(line);
    set_word(row.word);
    tag_ = row.tag;
    details_.tag = tag_;
    if (row.weight.empty()) return add_entry(kPrefer);
    set_weight(row.weight);
    add_entry(kWeighted);
  }
};

}  // namespace segmenter
