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

// A number of at least 0 in a field, between blanks; false: it is none.
inline bool read_count(std::string_view text, double& value) {
  text = without_blanks(text);
  return read_decimal(text, value) && value >= 0 && std::isfinite(value);
}

// The fields of a line of jieba's: word, weight and tag between blanks, the last two optional.
struct JiebaRow {
  std::string_view word, weight, tag;

  explicit JiebaRow(std::string_view line) : word(without_blanks(line)) {
    std::string_view before;
    std::string_view last = last_field(before);
    if (!last.empty() && is_letter(last[0])) {
      for (const char c : last)
        if (!is_letter(c) && !is_digit(c) && c != '_') return;
      tag = last;
      word = before;
      last = last_field(before);
    }
    if (last.empty() || !is_digit(last[0])) return;
    for (const char c : last)
      if (!is_digit(c) && c != '.') return;
    weight = last;
    word = before;
  }
  // Whether there is a weight and a tag, or one of them after a word that they cannot belong to: not
  // iPhone 15.
  bool unambiguous() const {
    return (!weight.empty() && !tag.empty()) ||
           ((!weight.empty() || !tag.empty()) && word.back() & 0x80);
  }

 private:
  static bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  // The field after the last blank, and what stands before its blanks; "" if there is no such.
  std::string_view last_field(std::string_view& before) const {
    const size_t blank = word.find_last_of(" \t");
    if (blank == word.npos) return "";
    const size_t end = word.find_last_not_of(" \t", blank);
    if (end == word.npos) return "";
    before = word.substr(0, end + 1);
    return word.substr(blank + 1);
  }
};

class UserReader {
 public:
  enum class Format { kAuto, kTsv, kJieba };
  Format format = Format::kAuto;  // after read() the one that was found
  int level = -1;                 // of all rows instead of their own, but for splits and deletions
  uint8_t marks = 0;              // flags of rows without options: fold, inside, script
  bool strict = true;             // the first fault ends it
  std::string source;             // the name of the text
  size_t rows = 0, lines = 0, crlf = 0;
  bool mark = false;
  std::vector<LineFault> faults;

  explicit UserReader(UserBuilder& to) : to_(to) {}

  // Throws std::invalid_argument for UTF-16.
  void read(std::string_view data);

 private:
  struct BadLine {
    const char* kind;
    std::string reason;
  };

  UserBuilder& to_;
  std::vector<uint32_t> word_, cuts_;
  std::string tag_, payload_;
  UserMore more_;
  uint8_t flags_ = 0;

  // Most of the first thousand lines decide.
  static Format guessed(std::string_view data) {
    Lines lines_of(data);
    std::vector<LineFault> ignored;
    size_t all = 0, jieba = 0;
    for (; all < 1000 && lines_of.next(ignored); ++all) {
      const std::string_view line = lines_of.text;
      jieba += line.find('\t') == line.npos && JiebaRow(line).unambiguous();
    }
    return 2 * jieba > all ? Format::kJieba : Format::kTsv;
  }

  void put(int own) {
    if (level >= 0 && own != kDelete && cuts_.empty()) own = level;
    if (own == kDelete) flags_ |= kUserFold;
    more_.cuts = cuts_.data();
    more_.n_cuts = cuts_.size();
    to_.add(word_.data(), word_.size(), uint8_t(flags_ | own), more_);
  }
  void plain(std::string_view text) {
    for (size_t k = 0; k < text.size();) {
      uint32_t cp = 0;
      k += decode_utf8(reinterpret_cast<const uint8_t*>(text.data()) + k, text.size() - k, cp);
      word_.push_back(cp);
    }
  }

  // Calls each(character, whether it was escaped) for those of an escaped text.
  template <class Each>
  static void unescape(std::string_view text, Each&& each) {
    auto hex = [&](size_t from, size_t n, uint32_t& out) {
      if (text.size() - from < n) return false;
      uint32_t value = 0;
      for (size_t k = from; k < from + n; ++k) {
        const char c = text[k], low = char(c | 0x20);
        if (c >= '0' && c <= '9') value = value << 4 | uint32_t(c - '0');
        else if (low >= 'a' && low <= 'f') value = value << 4 | uint32_t(low - 'a' + 10);
        else return false;
      }
      out = value;
      return true;
    };
    for (size_t k = 0; k < text.size();) {
      uint32_t cp = 0;
      auto next = [&] {
        const auto* const p = reinterpret_cast<const uint8_t*>(text.data()) + k;
        return decode_utf8(p, text.size() - k, cp);
      };
      k += next();
      if (cp != '\\') {
        each(cp, false);
        continue;
      }
      const size_t from = k - 1;
      cp = 0;
      if (k < text.size()) k += next();
      const uint32_t kind = cp;
      const bool four = kind == 'u' && hex(k, 4, cp), eight = kind == 'U' && hex(k, 8, cp);
      if (four || eight) k += four ? 4 : 8;
      else if (kind == 't') cp = '\t';
      else if (kind == 'n') cp = '\n';
      else if (kind == 'r') cp = '\r';
      else if (kind != '\\' && kind != '|')
        throw BadLine{"escape", quoted(text.substr(from, k - from)) +
                                    " is not an escape: write a backslash as \\\\ (others: \\t \\n "
                                    "\\r \\uXXXX)"};
      if (cp > 0x10FFFF)
        throw BadLine{"escape", std::string(text.substr(from, k - from)) +
                                    " is beyond Unicode's last character"};
      each(cp, true);
    }
  }
  static std::string unescaped(std::string_view text) {
    std::string out;
    unescape(text, [&](uint32_t cp, bool) { append_utf8(cp, out); });
    return out;
  }

  void weigh(std::string_view text) {
    if (read_count(text, more_.weight)) return;
    throw BadLine{"level", quoted(text) +
                               " is neither a level (force, prefer, weight, delete, split) nor a "
                               "weight of at least 0"};
  }
  static int level_of(std::string_view name) {
    for (int k = 0; k < 4; ++k)
      if (name == kUserLevels[k]) return k;
    return -1;
  }

  void tsv(std::string_view line) {
    std::string_view fields[5];  // word, level or weight, tag, payload, options
    if (line.find_first_of("\t\\") == line.npos) {
      plain(line);
      return put(kPrefer);
    }
    std::string_view rest = line;
    bool more = true;
    for (size_t n = 0; n < 5 && more; ++n) {
      const size_t tab = rest.find('\t');
      fields[n] = rest.substr(0, tab);
      more = tab != rest.npos;
      rest.remove_prefix(more ? tab + 1 : rest.size());
    }
    if (rest.find_first_not_of('\t') != rest.npos)
      throw BadLine{"fields",
                    quoted(first_characters(line, 40)) +
                        " has more fields than word, level or weight, tag, payload, options"};
    if (fields[0].empty()) throw BadLine{"word", "the line has no word in its first field"};
    options(fields[4]);
    std::string_view said = fields[1];
    while (!said.empty() && said.front() == ' ') said.remove_prefix(1);
    while (!said.empty() && said.back() == ' ') said.remove_suffix(1);
    int own = said.empty() ? kPrefer : level_of(said);
    if (said.substr(0, 5) == "split" && (said.size() == 5 || said[5] == ':')) {
      own = said.size() <= 6 ? kForce : level_of(said.substr(6));
      parts(fields[0]);
      if (own != kForce && own != kPrefer)
        throw BadLine{"level", quoted(said) + " is not split, split:force or split:prefer"};
    } else {
      unescape(fields[0], [&](uint32_t cp, bool) { word_.push_back(cp); });
      more_.weight = 1;
      if (own < 0) {
        weigh(said);
        own = kWeighted;
      }
    }
    tag_ = unescaped(fields[2]);
    more_.tag = tag_;
    payload(fields[3]);
    put(own);
  }
  void options(std::string_view text) {
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
  void parts(std::string_view text) {
    bool empty = true, some = true;
    unescape(text, [&](uint32_t cp, bool escaped) {
      if (cp == '|' && !escaped) {
        some = some && !empty;
        empty = true;
        cuts_.push_back(uint32_t(word_.size()));
      } else {
        word_.push_back(cp);
        empty = false;
      }
    });
    if (cuts_.empty() || empty || !some)
      throw BadLine{"split",
                    quoted(text) + " marks no parts: write a bar between two of them, as 提|出"};
  }
  void payload(std::string_view text) {
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
    more_.payload = payload_;
  }

  void jieba(std::string_view line) {
    const JiebaRow row(line);
    plain(row.word);
    tag_ = row.tag;
    more_.tag = tag_;
    if (row.weight.empty()) return put(kPrefer);
    weigh(row.weight);
    put(kWeighted);
  }
};

}  // namespace segmenter
