// Parses the definition of a table in the same way as SQLite and FTS5.
#pragma once
#include <cctype>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace segmenter::fts5 {

using std::string;
using std::string_view;

inline string lower(string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = char(c + 32);
  return text;
}

// Reads words, quoted strings and single characters from left to right.
class DefinitionReader {
 public:
  explicit DefinitionReader(string_view text) : text_(text) {}

  size_t begin = 0, end = 0;  // of the token in the text
  string token;               // without its quotation marks
  bool quoted = false;

  bool next() {
    skip();
    begin = end;
    token.clear();
    quoted = end < text_.size() && std::strchr("'\"`[", text_[end]) && text_[end];
    if (end == text_.size()) return false;
    if (quoted) {
      const char close = text_[end] == '[' ? ']' : text_[end];
      for (++end; end < text_.size(); token += text_[end++])
        if (text_[end] == close && !(++end < text_.size() && text_[end] == close)) break;
    } else if (in_word(text_[end])) {
      while (end < text_.size() && in_word(text_[end])) token += text_[end++];
    } else {
      token = text_[end++];
    }
    return true;
  }
  bool is(const char* word) const { return !quoted && lower(token) == word; }

 private:
  const string_view text_;

  static bool in_word(char c) { return std::isalnum(uint8_t(c)) || c == '_' || c == '$' || c < 0; }
  // Skips blanks and comments.
  void skip() {
    for (;;) {
      const size_t start = end;
      while (end < text_.size() && std::isspace(uint8_t(text_[end]))) ++end;
      const string_view pair = text_.substr(end, 2);
      if (pair == "--") end = std::min(text_.find('\n', end), text_.size());
      else if (pair == "/*") end = std::min(text_.find("*/", end + 2), text_.size() - 2) + 2;
      if (end == start) return;
    }
  }
};

struct Definition {
  std::vector<string> tokenizer;  // its name and arguments; empty: none, or not an FTS5 table
  bool contentless = false;

  explicit Definition(const string& sql) {
    DefinitionReader in(sql);
    while (in.next() && !in.is("using")) {}
    if (!in.next() || lower(in.token) != "fts5" || !in.next() || !in.is("(")) return;
    size_t first = string::npos, last = 0;
    for (int depth = 1; depth && in.next();) {
      depth += in.is("(") - in.is(")");
      if (!depth || (depth == 1 && in.is(","))) {
        if (first != string::npos) option(string_view(sql).substr(first, last - first));
        first = string::npos;
        continue;
      }
      if (first == string::npos) first = in.begin;
      last = in.end;
    }
  }
  // Whether the table uses the tokenizer of this name, also inside another one.
  bool names(const string& name) const {
    for (const string& word : tokenizer)
      if (lower(word) == lower(name)) return true;
    return false;
  }
  bool inside_another(const string& name) const {
    return names(name) && lower(tokenizer[0]) != lower(name);
  }

 private:
  // FTS5 accepts any prefix of an option's name.
  void option(string_view argument) {
    DefinitionReader in(argument);
    if (!in.next() || in.quoted) return;  // a column
    const string name = lower(in.token);
    if (!in.next() || !in.is("=")) return;
    const bool has_value = in.next();
    const auto begins = [&](string_view option) { return option.substr(0, name.size()) == name; };
    if (begins("prefix")) return;
    if (begins("tokenize")) {
      tokenizer.clear();
      const string value = in.token;
      for (size_t offset = 0; offset < value.size();) {
        if (value[offset] == ' ') {
          ++offset;
          continue;
        }
        string word;
        if (value[offset] == '\'') {
          for (++offset; offset < value.size(); word += value[offset++])
            if (value[offset] == '\'' && !(++offset < value.size() && value[offset] == '\'')) break;
        } else {
          while (offset < value.size() && value[offset] != ' ') word += value[offset++];
        }
        tokenizer.push_back(word);
      }
    } else if (begins("content")) {
      contentless = !has_value || in.token.empty();
    }
  }
};

}  // namespace segmenter::fts5
