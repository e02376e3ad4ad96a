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
#include "utf8.hpp"
SQLITE_EXTENSION_INIT3

namespace segmenter::fts5 {

// Keeps an error for segmenter_error(), since FTS5 reports only "SQL logic error".
inline int report(Connection& connection, const char* why,
                  const Cutter* cutter = nullptr) noexcept {
  try {
    connection.error = why;
  } catch (const std::bad_alloc&) { return SQLITE_NOMEM; }
  sqlite3_log(SQLITE_ERROR, "segmenter: %s", why);
  if (cutter) cutter->failed(why);
  return SQLITE_ERROR;
}

using Callback = int (*)(void*, int, const char*, int, int, int);

// Passes the tokens of one position to FTS5.
class Position {
 public:
  Position(Callback callback, void* context) : callback_(callback), context_(context) {}
  void begin(int start, int end) {
    start_ = start;
    end_ = end;
    first_ = true;
  }
  void emit(const string& text) {
    if (!code)
      code = callback_(context_, first_ ? 0 : FTS5_TOKEN_COLOCATED, text.data(), int(text.size()),
                       start_, end_);
    first_ = false;
  }
  // All tokens that a unit with one of these marks may have in an index.
  void emit_forms(const string& text, string marks, bool is_common) {
    if (is_common) marks += kBoth;
    for (size_t k = 0; k < marks.size(); ++k) emit(text + marks[k]);
  }
  int code = SQLITE_OK;

 private:
  const Callback callback_;
  void* const context_;
  int start_ = 0, end_ = 0;
  bool first_ = true;
};

class Tokenizer {
 public:
  Tokenizer(NamedTokenizer& named, std::shared_ptr<Cutter> cutter)
      : named_(named), connection_(named.connection), cutter_(std::move(cutter)) {}

  int run(int flags, string_view text, void* context, Callback callback) {
    Position position(callback, context);
    if (flags & FTS5_TOKENIZE_QUERY) {
      emit_query(text, flags & FTS5_TOKENIZE_PREFIX, position);
      return position.code;
    }
    if (flags & FTS5_TOKENIZE_DOCUMENT && !named_.writable)
      throw Failure("segmenter: the tables of '" + named_.name +
                    "' were filled by another Segmenter " +
                    "and are open for reading only: rebuild them (in SQL: select "
                    "segmenter_rebuild())");
    units_.read(*cutter_, text);
    emit_document(position);
    return position.code;
  }
  const Cutter* cutter() const { return cutter_.get(); }
  Connection& connection() { return *connection_; }

 private:
  NamedTokenizer& named_;
  const Shared connection_;
  const std::shared_ptr<Cutter> cutter_;
  Units units_;
  string text_;

  // The number of a unit's reading among the common characters; 0: none.
  uint8_t common_of(const Unit& unit, bool second) const {
    if (second) return common(unit.other);
    return unit.end - unit.start == 1 ? common(units_.folded(unit.start)) : uint8_t(0);
  }
  void emit_document(Position& position) {
    uint8_t marks[128] = {};
    for (const Unit& unit : units_.units)
      for (int second = 0; second <= (unit.other != 0); ++second)
        marks[common_of(unit, second)] |= unit.ends_word ? 1 : 2;
    marks[0] = 0;
    for (const Unit& unit : units_.units) {
      position.begin(int(units_.bytes[unit.start]), int(units_.bytes[unit.end]));
      for (int second = 0; second <= (unit.other != 0); ++second) {
        text_.clear();
        units_.spell(unit, second, text_);
        text_ += marks[common_of(unit, second)] == 3 ? kBoth : unit.ends_word ? kEnds : kGoesOn;
        position.emit(text_);
      }
      if (position.code) return;
    }
  }
  void emit_query(string_view text, bool prefix, Position& position) {
    if (text.substr(0, 2) == "\1\1") text.remove_prefix(1);
    else if (is_cut(text)) return emit_cut_query(text.substr(1), position);
    units_.read(*cutter_, text);
    for (const Unit& unit : units_.units) {
      position.begin(0, 0);
      for (int second = 0; second <= (unit.other != 0); ++second) {
        text_.clear();
        units_.spell(unit, second, text_);
        if (prefix && &unit == &units_.units.back()) position.emit(text_);  // with any mark
        else position.emit_forms(text_, {kEnds, kGoesOn}, common_of(unit, second));
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
  void emit_cut_query(string_view text, Position& position) {
    for (size_t start = 0; start <= text.size();) {
      const size_t end = std::min(text.find(kNext, start), text.size());
      string_view unit = text.substr(start, end - start);
      start = end + 1;
      size_t mark_start = unit.size() - 1;  // its mark, a character
      while (mark_start && (unit[mark_start] & 0xC0) == 0x80) --mark_start;
      const string mark(unit.substr(mark_start));
      unit = unit.substr(0, mark_start);
      position.begin(0, 0);
      for (size_t reading_start = 0; reading_start <= unit.size();) {
        const size_t reading_end = std::min(unit.find(kOr, reading_start), unit.size());
        text_ = unit.substr(reading_start, reading_end - reading_start);
        reading_start = reading_end + 1;
        uint32_t cp = 0;
        const auto* bytes = reinterpret_cast<const uint8_t*>(text_.data());
        const bool is_single =
            !text_.empty() && decode_utf8(bytes, text_.size(), cp) == text_.size();
        position.emit(text_ + mark);
        if (is_single && common(cp)) position.emit(text_ + kBoth);
      }
    }
  }
};

inline int create(void* context, const char** argv, int argc, Fts5Tokenizer** tokenizer) {
  NamedTokenizer& named = *static_cast<NamedTokenizer*>(context);
  Connection& connection = *named.connection;
  try {
    std::shared_ptr<Cutter> cutter = named.cutter;
    const Options options = parse(std::vector<string>(argv, argv + argc), false);
    if (!cutter) cutter = connection.preset(options);
    named.fingerprint = cutter->fingerprint;
    bool named_by_table = !named.tables("temp").empty();
    for (const string& schema : connection.schemas())
      for (const NamedTokenizer::Table& table : named.tables(schema)) {
        named_by_table = true;
        if (connection.has_table(schema, table.name + "_data")) continue;
        // the table is being created
        if (table.definition.inside_another(named.name))
          throw Failure("tokenize: '" + named.name + "' inside " +
                        quoted(table.definition.tokenizer[0]) +
                        ", which would change its tokens: write tokenize='" + named.name + "'");
        // options of a table that the extension cuts itself are in its fingerprint
        if (named.cutter && argc)
          throw Failure("tokenize: '" + named.name + "' takes no options here: the registered " +
                        "Segmenter has its own");
      }
    if (!named_by_table)  // no table, so no fingerprint to compare with
      throw Failure("tokenize: no table's definition names '" + named.name +
                    "' in a form that can be read: write tokenize='" + named.name + "'");
    named.check_fingerprints();
    connection.last_cutter = cutter;
    *tokenizer = reinterpret_cast<Fts5Tokenizer*>(new Tokenizer(named, cutter));
    return SQLITE_OK;
  } catch (const std::exception& e) { return report(connection, e.what(), named.cutter.get()); }
}

inline void destroy(Fts5Tokenizer* tokenizer) { delete reinterpret_cast<Tokenizer*>(tokenizer); }

inline int tokenize(Fts5Tokenizer* handle, void* context, int flags, const char* text, int n,
                    Callback callback) {
  Tokenizer& tokenizer = *reinterpret_cast<Tokenizer*>(handle);
  try {
    return tokenizer.run(flags, string_view(text ? text : "", size_t(n)), context, callback);
  } catch (const std::bad_alloc&) { return SQLITE_NOMEM; } catch (const std::exception& e) {
    return report(tokenizer.connection(), e.what(), tokenizer.cutter());
  }
}

inline NamedTokenizer& install(const Shared& connection, const string& name,
                               std::shared_ptr<Cutter> cutter, Mismatch mismatch) {
  sqlite3_stmt* statement = nullptr;
  fts5_api* api = nullptr;
  if (sqlite3_prepare_v2(connection->db, "select fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  if (!api) throw Failure("this SQLite was built without FTS5");
  std::unique_ptr<NamedTokenizer> named(
      new NamedTokenizer{connection, name, std::move(cutter), mismatch, true, ""});
  fts5_tokenizer functions = {create, destroy, tokenize};
  if (api->xCreateTokenizer(api, name.c_str(), named.get(), &functions,
                            [](void* p) { delete static_cast<NamedTokenizer*>(p); }))
    throw Failure("SQLite does not take the tokenizer " + quoted(name));
  return *named.release();
}

}  // namespace segmenter::fts5
