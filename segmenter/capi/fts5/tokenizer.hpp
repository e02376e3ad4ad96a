// The FTS5 tokenizer: tokens of texts and of queries.
#pragma once
#include <sqlite3ext.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "tables.hpp"
SQLITE_EXTENSION_INIT3

namespace segmenter::fts5 {

// Keeps an error for segmenter_error(): FTS5 itself says no more than "SQL logic error".
inline int said(Connection& connection, const char* why, const Cutter* cutter = nullptr) noexcept {
  try {
    connection.error = why;
  } catch (const std::bad_alloc&) { return SQLITE_NOMEM; }
  sqlite3_log(SQLITE_ERROR, "segmenter: %s", why);
  if (cutter) cutter->failed(why);
  return SQLITE_ERROR;
}

using Give = int (*)(void*, int, const char*, int, int, int);

// Gives FTS5 the tokens of one position.
class Position {
 public:
  Position(Give give, void* to) : give_(give), to_(to) {}
  void begin(int start, int end) {
    start_ = start;
    end_ = end;
    first_ = true;
  }
  void token(const string& text) {
    if (!code)
      code = give_(to_, first_ ? 0 : FTS5_TOKEN_COLOCATED, text.data(), int(text.size()), start_,
                   end_);
    first_ = false;
  }
  // All tokens that a unit with one of these marks may have in an index.
  void forms(const string& text, string marks, bool is_common) {
    if (is_common) marks += kBoth;
    for (size_t k = 0; k < marks.size(); ++k) token(text + marks[k]);
  }
  int code = SQLITE_OK;

 private:
  const Give give_;
  void* const to_;
  int start_ = 0, end_ = 0;
  bool first_ = true;
};

class Tokenizer {
 public:
  Tokenizer(Named& named, std::shared_ptr<Cutter> cutter)
      : named_(named), connection_(named.connection), cutter_(std::move(cutter)) {}

  int run(int flags, string_view text, void* to, Give give) {
    Position out(give, to);
    if (flags & FTS5_TOKENIZE_QUERY) {
      query(text, flags & FTS5_TOKENIZE_PREFIX, out);
      return out.code;
    }
    if (flags & FTS5_TOKENIZE_DOCUMENT && !named_.writable)
      throw Failure("segmenter: the tables of '" + named_.name + "' were filled by another one " +
                    "and are open for reading only: rebuild them (in SQL: select "
                    "segmenter_rebuild())");
    units_.read(*cutter_, text);
    document(out);
    return out.code;
  }
  const Cutter* cutter() const { return cutter_.get(); }
  Connection& connection() { return *connection_; }

 private:
  Named& named_;
  const Shared connection_;
  const std::shared_ptr<Cutter> cutter_;
  Units units_;
  string text_;

  // The number of the common character that a reading of a unit is; 0: none.
  uint8_t common_of(const Unit& unit, bool second) const {
    if (second) return common(unit.other);
    return unit.end - unit.start == 1 ? common(units_.folded(unit.start)) : uint8_t(0);
  }
  void document(Position& out) {
    uint8_t seen[128] = {};
    for (const Unit& unit : units_.units)
      for (int second = 0; second <= (unit.other != 0); ++second)
        seen[common_of(unit, second)] |= unit.ends_word ? 1 : 2;
    seen[0] = 0;
    for (const Unit& unit : units_.units) {
      out.begin(int(units_.bytes[unit.start]), int(units_.bytes[unit.end]));
      for (int second = 0; second <= (unit.other != 0); ++second) {
        text_.clear();
        units_.spell(unit, second, text_);
        text_ += seen[common_of(unit, second)] == 3 ? kBoth : unit.ends_word ? kEnds : kGoesOn;
        out.token(text_);
      }
      if (out.code) return;
    }
  }
  void query(string_view text, bool prefix, Position& out) {
    if (text.substr(0, 2) == "\1\1") text.remove_prefix(1);
    else if (is_cut(text)) return spelt(text.substr(1), out);
    units_.read(*cutter_, text);
    for (const Unit& unit : units_.units) {
      out.begin(0, 0);
      for (int second = 0; second <= (unit.other != 0); ++second) {
        text_.clear();
        units_.spell(unit, second, text_);
        if (prefix && &unit == &units_.units.back()) out.token(text_);  // whatever mark comes after
        else out.forms(text_, {kEnds, kGoesOn}, common_of(unit, second));
      }
    }
  }
  // Whether a phrase is one of segmenter_query(): a mark, then units, none of them empty.
  static bool is_cut(string_view text) {
    if (text.size() < 2 || text[0] != kMarked) return false;
    bool empty = true;
    for (char c : text.substr(1)) {
      if (c == kMarked || (empty && (c == kNext || c == kOr))) return false;
      empty = c == kNext || c == kOr;
    }
    return !empty;
  }
  void spelt(string_view text, Position& out) {
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find(kNext, at), text.size());
      string_view unit = text.substr(at, end - at);
      at = end + 1;
      size_t last = unit.size() - 1;  // its mark, a character
      while (last && (unit[last] & 0xC0) == 0x80) --last;
      const string mark(unit.substr(last));
      unit = unit.substr(0, last);
      out.begin(0, 0);
      for (size_t from = 0; from <= unit.size();) {
        const size_t to = std::min(unit.find(kOr, from), unit.size());
        text_ = unit.substr(from, to - from);
        from = to + 1;
        uint32_t cp = 0;
        const auto* p = reinterpret_cast<const uint8_t*>(text_.data());
        const bool one = !text_.empty() && decode_utf8(p, text_.size(), cp) == text_.size();
        out.token(text_ + mark);
        if (one && common(cp)) out.token(text_ + kBoth);
      }
    }
  }
};

inline int create(void* of, const char** argv, int argc, Fts5Tokenizer** out) {
  Named& named = *static_cast<Named*>(of);
  Connection& connection = *named.connection;
  try {
    std::shared_ptr<Cutter> cutter = named.given;
    const Options asked = parse(std::vector<string>(argv, argv + argc), false);
    if (!cutter) cutter = connection.preset(asked);
    named.fingerprint = cutter->fingerprint;
    bool any = !named.tables("temp").empty();
    for (const string& schema : connection.schemas())
      for (const Named::Table& table : named.tables(schema)) {
        any = true;
        if (connection.has(schema, table.name + "_data")) continue;
        // it is being created
        if (table.of.inside_another(named.name))
          throw Failure("tokenize: '" + named.name + "' inside " + quoted(table.of.tokenizer[0]) +
                        ", which would change its tokens: write tokenize='" + named.name + "'");
        if (named.given && argc)  // those of a table that the extension made are in its fingerprint
          throw Failure("tokenize: '" + named.name + "' takes no options here: they are those " +
                        "of the Segmenter that was registered");
      }
    if (!any)  // whose fingerprint would be compared with nothing
      throw Failure("tokenize: no table's definition names '" + named.name +
                    "' in a form that can be read: write tokenize='" + named.name + "'");
    named.check();
    connection.last = cutter;
    *out = reinterpret_cast<Fts5Tokenizer*>(new Tokenizer(named, cutter));
    return SQLITE_OK;
  } catch (const std::exception& e) { return said(connection, e.what(), named.given.get()); }
}

inline void destroy(Fts5Tokenizer* tokenizer) { delete reinterpret_cast<Tokenizer*>(tokenizer); }

inline int tokenize(Fts5Tokenizer* of, void* to, int flags, const char* text, int n, Give give) {
  Tokenizer& tokenizer = *reinterpret_cast<Tokenizer*>(of);
  try {
    return tokenizer.run(flags, string_view(text ? text : "", size_t(n)), to, give);
  } catch (const std::bad_alloc&) { return SQLITE_NOMEM; } catch (const std::exception& e) {
    return said(tokenizer.connection(), e.what(), tokenizer.cutter());
  }
}

inline Named& install(const Shared& connection, const string& name, std::shared_ptr<Cutter> given,
                      Mismatch mismatch) {
  sqlite3_stmt* statement = nullptr;
  fts5_api* api = nullptr;
  if (sqlite3_prepare_v2(connection->db, "select fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  if (!api) throw Failure("this SQLite was built without FTS5");
  std::unique_ptr<Named> named(new Named{connection, name, std::move(given), mismatch, true, ""});
  fts5_tokenizer functions = {create, destroy, tokenize};
  if (api->xCreateTokenizer(api, name.c_str(), named.get(), &functions,
                            [](void* p) { delete static_cast<Named*>(p); }))
    throw Failure("SQLite does not take the tokenizer " + quoted(name));
  return *named.release();
}

}  // namespace segmenter::fts5
