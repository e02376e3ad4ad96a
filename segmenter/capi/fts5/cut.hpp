// segmenter_cut(text [, options]): a table of the words of a text.
#pragma once
#include <sqlite3ext.h>

#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tables.hpp"
SQLITE_EXTENSION_INIT3

namespace segmenter::fts5 {

struct Cut : sqlite3_vtab {
  Shared connection;
};
struct Cursor : sqlite3_vtab_cursor {
  string text, options;
  std::vector<uint32_t> bytes;  // where each code point begins
  std::vector<segmenter_token> tokens;
  size_t row = 0;
};

inline int cut_connect(sqlite3* db, void* connection, int, const char* const*, sqlite3_vtab** table,
                       char**) {
  const int code = sqlite3_declare_vtab(
      db, "create table x(word, start, \"end\", kind, text hidden, options hidden)");
  if (code != SQLITE_OK) return code;
  *table = new (std::nothrow) Cut{{}, *static_cast<Shared*>(connection)};
  return *table ? SQLITE_OK : SQLITE_NOMEM;
}

inline int cut_disconnect(sqlite3_vtab* table) {
  delete static_cast<Cut*>(table);
  return SQLITE_OK;
}

inline int cut_best(sqlite3_vtab*, sqlite3_index_info* info) {
  int constraints[2] = {-1, -1};
  for (int k = 0; k < info->nConstraint; ++k) {
    const auto& constraint = info->aConstraint[k];
    if (constraint.iColumn < 4 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!constraint.usable) return SQLITE_CONSTRAINT;
    constraints[constraint.iColumn - 4] = k;
  }
  if (constraints[0] < 0) return SQLITE_CONSTRAINT;  // no text
  for (int n = 0; n < 2; ++n)
    if (constraints[n] >= 0) {
      info->aConstraintUsage[constraints[n]].argvIndex = n + 1;
      info->aConstraintUsage[constraints[n]].omit = 1;
    }
  info->estimatedCost = 100;
  info->estimatedRows = 100;
  return SQLITE_OK;
}

inline int cut_open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new (std::nothrow) Cursor();
  return *out ? SQLITE_OK : SQLITE_NOMEM;
}

inline int cut_close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

inline int cut_filter(sqlite3_vtab_cursor* base, int, const char*, int n, sqlite3_value** values) {
  Cursor& cursor = *static_cast<Cursor*>(base);
  try {
    cursor.row = 0;
    cursor.tokens.clear();
    cursor.text = text_of(values[0]);
    cursor.options = n > 1 ? string(text_of(values[1])) : "";
    const Options options = n > 1 ? parse(text_of(values[1]), false) : Options();
    const std::shared_ptr<PresetCutter> cutter =
        static_cast<Cut*>(base->pVtab)->connection->preset(options);
    const segmenter_token* tokens = nullptr;
    size_t count = 0;
    cutter->tokens(cursor.text, &tokens, &count);
    cursor.tokens.assign(tokens, tokens + count);
    cursor.bytes.clear();
    for (size_t k = 0; k < cursor.text.size(); ++k)
      if ((cursor.text[k] & 0xC0) != 0x80) cursor.bytes.push_back(uint32_t(k));
    cursor.bytes.push_back(uint32_t(cursor.text.size()));
    return SQLITE_OK;
  } catch (const std::exception& e) {
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", e.what());
    return SQLITE_ERROR;
  }
}

inline int cut_next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<Cursor*>(cursor)->row;
  return SQLITE_OK;
}

inline int cut_eof(sqlite3_vtab_cursor* base) {
  const Cursor& cursor = *static_cast<Cursor*>(base);
  return cursor.row >= cursor.tokens.size();
}

inline int cut_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const Cursor& cursor = *static_cast<Cursor*>(base);
  const segmenter_token& token = cursor.tokens[cursor.row];
  const uint32_t start = cursor.bytes[token.start], end = cursor.bytes[token.end];
  auto text = [&](const char* data, size_t n) {
    sqlite3_result_text64(context, data, n, SQLITE_TRANSIENT, SQLITE_UTF8);
  };
  if (column == 0) text(cursor.text.data() + start, end - start);
  else if (column == 1) sqlite3_result_int64(context, token.start);
  else if (column == 2) sqlite3_result_int64(context, token.end);
  else if (column == 3)
    sqlite3_result_text(context, segmenter_kind_name(token.kind), -1, SQLITE_STATIC);
  else if (column == 4) text(cursor.text.data(), cursor.text.size());
  else text(cursor.options.data(), cursor.options.size());
  return SQLITE_OK;
}

inline int cut_rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
  *rowid = sqlite3_int64(static_cast<Cursor*>(cursor)->row);
  return SQLITE_OK;
}

}  // namespace segmenter::fts5
