// The tables of a connection, and the fingerprint of the Segmenter that filled each.
#pragma once
#include <sqlite3ext.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cutter.hpp"
#include "definition.hpp"
#if !defined(_WIN32) && !defined(__wasm__)
#include <dlfcn.h>
#endif
SQLITE_EXTENSION_INIT3

namespace segmenter::fts5 {

enum class Mismatch { kRefuse, kReadOnly, kRebuild };

inline Mismatch mismatch_of(const string& name) {
  if (name == "refuse") return Mismatch::kRefuse;
  if (name == "read-only") return Mismatch::kReadOnly;
  throw Failure("mismatch: " + quoted(name) + " is not one of refuse, read-only");
}

using Row = std::vector<string>;

inline string_view text_of(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text ? string_view(text, size_t(sqlite3_value_bytes(value))) : string_view();
}

// A quoted identifier of SQL.
inline string identifier(const string& name) {
  string quoted_name = "\"";
  for (char c : name) quoted_name.append(c == '"' ? 2 : 1, c);
  return quoted_name + '"';
}

struct Connection {
  sqlite3* db;
  string error, models, words;  // the last error; folders of models and of user words
  Units units;
  std::map<string, std::shared_ptr<PresetCutter>> presets;
  struct NamedTokenizer* default_tokenizer = nullptr;  // the tokenizer 'segmenter'
  std::shared_ptr<Cutter> last_cutter;                 // of the table that was opened last

  // Runs a statement and returns its rows. `writes`: a database that is read-only or busy is no
  // error.
  std::vector<Row> run(const string& sql, const Row& values = {}, bool writes = false) {
    sqlite3_stmt* statement_handle = nullptr;
    int code = sqlite3_prepare_v2(db, sql.c_str(), -1, &statement_handle, nullptr);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(statement_handle,
                                                                          sqlite3_finalize);
    for (size_t k = 0; k < values.size() && code == SQLITE_OK; ++k)
      code =
          sqlite3_bind_text(statement_handle, int(k + 1), values[k].c_str(), -1, SQLITE_TRANSIENT);
    std::vector<Row> rows;
    if (code == SQLITE_OK)
      while ((code = sqlite3_step(statement_handle)) == SQLITE_ROW) {
        Row row;
        for (int k = 0; k < sqlite3_column_count(statement_handle); ++k) {
          const auto* text =
              reinterpret_cast<const char*>(sqlite3_column_text(statement_handle, k));
          row.emplace_back(text ? text : "");
        }
        rows.push_back(std::move(row));
      }
    code &= 0xFF;
    const bool busy = code == SQLITE_READONLY || code == SQLITE_BUSY || code == SQLITE_LOCKED;
    if (code != SQLITE_DONE && !(writes && busy)) throw Failure(sqlite3_errmsg(db));
    return rows;
  }
  Row schemas() {
    Row names;
    for (Row& row : run("select name from pragma_database_list where name <> 'temp'"))
      names.push_back(row[0]);
    return names;
  }
  bool has_table(const string& schema, const string& table) {
    return !run("select 1 from " + identifier(schema) + ".sqlite_master where name = ?", {table})
                .empty();
  }
  std::shared_ptr<PresetCutter> preset(const Options& options) {
    const string key = options.key();
    const auto entry = presets.find(key);
    if (entry != presets.end()) return entry->second;
    Options resolved = options;
    if (!options.user.empty()) resolved.user = file_of_words(options.user);
    return presets.emplace(key, std::make_shared<PresetCutter>(resolved, folder())).first->second;
  }
  string folder() const;
  // The file of words that a table definition names, in a folder that the program names, since the
  // definition is not trusted.
  string file_of_words(const string& name) const {
    const char* variable = std::getenv("SEGMENTER_WORDS");
    const string folder = !words.empty() ? words : variable ? variable : "";
    if (folder.empty())
      throw Failure("user: no folder of words: set SEGMENTER_WORDS to the one that holds " +
                    quoted(name) + ", or: select segmenter_config('words', FOLDER)");
    if (name == "." || name == ".." || name.find_first_of("/\\:") != string::npos)
      throw Failure("user: " + quoted(name) +
                    " is not a file name: name a file in the folder of words, " + folder);
    return folder + "/" + name;
  }
};

using Shared = std::shared_ptr<Connection>;

inline bool is_folder(const string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IFDIR);
}

// The folder of the models: as configured, from the environment, in the wheel, in the source tree,
// or beside this library.
inline string Connection::folder() const {
  if (!models.empty()) return models;
  const char* variable = std::getenv("SEGMENTER_DATA");
  if (variable && *variable) return variable;
  string searched;
#if !defined(_WIN32) && !defined(__wasm__)
  Dl_info library;
  if (dladdr(reinterpret_cast<const void*>(&is_folder), &library) && library.dli_fname) {
    string folder = library.dli_fname;
    folder.resize(folder.find_last_of('/') == string::npos ? 0 : folder.find_last_of('/') + 1);
    for (const char* place : {"models", "../models", "../../models", "../share/segmenter"}) {
      if (is_folder(folder + place)) return folder + place;
      searched += "; " + folder + place;
    }
  }
#endif
  throw Failure("no folder of compiled models; looked at: $SEGMENTER_DATA" + searched +
                ". Set SEGMENTER_DATA to it, or: select segmenter_config('models', FOLDER)");
}

// A tokenizer under its name in `tokenize=`.
struct NamedTokenizer {
  Shared connection;
  string name;
  std::shared_ptr<Cutter> cutter;  // null: a preset by the options of each table
  Mismatch mismatch = Mismatch::kRefuse;
  bool writable = true;
  string fingerprint;  // of the last cutter

  struct Table {
    string schema, name;
    Definition definition;
  };
  // The FTS5 tables of a database that use this tokenizer.
  std::vector<Table> tables(const string& schema) const;
  string stored_fingerprint(const string& schema) const;
  void store_fingerprint(const string& schema) const;
  void forget_dropped() const;
  void check_fingerprints();
  string rebuild();
};

inline std::vector<NamedTokenizer::Table> NamedTokenizer::tables(const string& schema) const {
  std::vector<Table> tables;
  for (Row& row : connection->run("select name, sql from " + identifier(schema) +
                                  ".sqlite_master where type = 'table' and sql is not null"))
    if (Definition definition(row[1]); definition.names(name))
      tables.push_back({schema, row[0], std::move(definition)});
  return tables;
}

inline string NamedTokenizer::stored_fingerprint(const string& schema) const {
  if (!connection->has_table(schema, kFingerprintTable)) return "";
  const auto rows = connection->run(
      "select fingerprint from " + identifier(schema) + "." + kFingerprintTable + " where name = ?",
      {name});
  return rows.empty() ? "" : rows[0][0];
}

inline void NamedTokenizer::store_fingerprint(const string& schema) const {
  const string table = identifier(schema) + "." + kFingerprintTable;
  connection->run(
      "create table if not exists " + table + " (name text primary key, fingerprint text not null)",
      {}, true);
  if (connection->has_table(schema, kFingerprintTable))
    connection->run("insert or replace into " + table + " values (?, ?)", {name, fingerprint},
                    true);
}

// Removes the fingerprint from databases without such tables.
inline void NamedTokenizer::forget_dropped() const {
  for (const string& schema : connection->schemas())
    if (tables(schema).empty() && !stored_fingerprint(schema).empty())
      connection->run(
          "delete from " + identifier(schema) + "." + kFingerprintTable + " where name = ?", {name},
          true);
}

// Compares the fingerprint with those of all databases, and stores it where there is none.
inline void NamedTokenizer::check_fingerprints() {
  bool all_match = true;
  for (const string& schema : connection->schemas()) {
    const std::vector<Table> users = tables(schema);
    const string stored = stored_fingerprint(schema);
    if (users.empty() || stored == fingerprint || mismatch == Mismatch::kRebuild) continue;
    bool created = false, filled = false;  // numbers up to 10 in `_data` are FTS5's own records
    for (const Table& table : users) {
      const string data = table.name + "_data";
      if (!connection->has_table(schema, data)) continue;  // it is being created
      created = true;
      filled |= !connection
                     ->run("select 1 from " + identifier(schema) + "." + identifier(data) +
                           " where id > 10 limit 1")
                     .empty();
    }
    const size_t end = stored.size() - std::min(stored.size(), std::strlen(kForm));
    if (stored.empty() ? !filled : !created) store_fingerprint(schema);
    else if (!stored.empty() && stored.substr(end) != kForm)
      throw Failure("segmenter: table " + shortened(users[0].name) +
                    " of the database has tokens of another "
                    "form (it was filled by another version of this package: '" +
                    stored + "'): rebuild it: select segmenter_rebuild()");
    else if (mismatch == Mismatch::kRefuse)
      throw Failure("segmenter: table " + shortened(users[0].name) +
                    " of the database was filled by another "
                    "Segmenter, or with other options (the index has '" +
                    (stored.empty() ? "no record" : stored) + "', the Segmenter '" + fingerprint +
                    "'): rebuild it (in SQL: select segmenter_rebuild()), or search it as it is "
                    "with mismatch 'read-only'");
    else all_match = false;
  }
  writable = all_match;
}

// Cuts the texts of all tables again; returns the tables' names, one per line.
inline string NamedTokenizer::rebuild() {
  std::vector<Table> users;
  for (const string& schema : connection->schemas())
    for (Table& table : tables(schema)) users.push_back(std::move(table));
  string names;
  for (const Table& table : users) {
    if (table.definition.contentless)
      throw Failure("table " + shortened(table.name) +
                    " is contentless, so SQLite has no texts to segment "
                    "again: drop it, create it and fill it from its source");
    names += (names.empty() ? "" : "\n") + table.name;
  }
  const struct Checks {  // switches the checks off until the end of this function
    Mismatch& current;
    const Mismatch original;
    ~Checks() { current = original; }
  } checks{mismatch, mismatch};
  mismatch = Mismatch::kRebuild;
  connection->error.clear();
  connection->run("savepoint segmenter_rebuild");
  try {
    for (const Table& table : users)
      connection->run("insert into " + identifier(table.schema) + "." + identifier(table.name) +
                      "(" + identifier(table.name) + ") values ('rebuild')");
    for (const Table& table : users) {
      store_fingerprint(table.schema);
      // changing the schema makes other connections reopen their tables, and compare
      const string view = identifier(table.schema) + "." + kFingerprintTable + "_changed";
      connection->run("create view " + view + " as select 1");
      connection->run("drop view " + view);
    }
    connection->run("release segmenter_rebuild");
  } catch (const std::exception& failure) {
    // after some errors, such as a full disk, SQLite has rolled back, and the savepoint is gone
    sqlite3_exec(connection->db, "rollback to segmenter_rebuild", nullptr, nullptr, nullptr);
    sqlite3_exec(connection->db, "release segmenter_rebuild", nullptr, nullptr, nullptr);
    if (!dynamic_cast<const Failure*>(&failure)) throw;
    throw Failure(connection->error.empty() ? failure.what() : connection->error);
  }
  writable = true;
  return names;
}

}  // namespace segmenter::fts5
