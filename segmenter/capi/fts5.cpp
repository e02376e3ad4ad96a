// A loadable extension with a tokenizer for SQLite's full-text search (FTS5):
//
//   select load_extension('segmenter_fts5');
//   create virtual table docs using fts5(body, tokenize='segmenter');
//   select highlight(docs, 0, '[', ']') from docs where docs match segmenter_query('大学');
//   select word, kind from segmenter_cut('他说的确实在理');
//
// FTS5 stores tokens in a row, one per position. The tokens are the units of a text: its characters
// (a run of letters or digits counts as one), each with a mark that says whether it ends a word. So
// every substring is a phrase of tokens, however the text was cut, and whole words rank higher.
// segmenter/adapters/_terms.py lists the units, and those that are left out.
//
// Built on segmenter.h and the units of kernels/search. A program that links SQLite statically
// compiles it with SQLITE_CORE and calls sqlite3_auto_extension((void
// (*)(void))sqlite3_segmenterfts_init).
#include <sqlite3ext.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>

#include "fts5/cut.hpp"
#include "fts5/query.hpp"
#include "fts5/tables.hpp"
#include "fts5/tokenizer.hpp"

SQLITE_EXTENSION_INIT1

namespace segmenter::fts5 {
namespace {

template <string (*Function)(const Shared&, int, sqlite3_value**)>
void function(sqlite3_context* context, int n, sqlite3_value** values) {
  const Shared& connection = *static_cast<Shared*>(sqlite3_user_data(context));
  try {
    const string result = Function(connection, n, values);
    sqlite3_result_text64(context, result.data(), result.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } catch (const std::exception& e) {
    report(*connection, e.what());
    sqlite3_result_error(context, e.what(), -1);
  }
}

// segmenter_query(text [, options]): by default cut like the table that was opened last
string sql_query(const Shared& connection, int n, sqlite3_value** values) {
  const Options options = n > 1 ? parse(text_of(values[1]), true) : Options();
  std::shared_ptr<Cutter> cutter = connection->last_cutter;
  if (!cutter) cutter = connection->default_tokenizer->cutter;
  if (!cutter || options.key() != Options().key()) cutter = connection->preset(options);
  return query_of(connection->units, *cutter, string(text_of(values[0])), options);
}

// segmenter_config(name, value)
string sql_config(const Shared& connection, int, sqlite3_value** values) {
  const string name(text_of(values[0])), value(text_of(values[1]));
  if (name == "models" || name == "words") {
    (name == "models" ? connection->models : connection->words) = value;
    connection->presets.clear();  // open tables keep theirs
  } else if (name == "mismatch") connection->default_tokenizer->mismatch = mismatch_of(value);
  else throw Failure("segmenter_config: " + quoted(name) + " is none of models, words, mismatch");
  return value;
}

// segmenter_error(): why FTS5 said "SQL logic error"
string sql_error(const Shared& connection, int, sqlite3_value**) { return connection->error; }

// segmenter_rebuild([name])
string sql_rebuild(const Shared& connection, int, sqlite3_value**) {
  return connection->default_tokenizer->rebuild();
}

// segmenter_register(name, number, mismatch): uses the words of segmenter_fts5_offer()
string sql_register(const Shared& connection, int, sqlite3_value** values) {
  const string name(text_of(values[0])), mode(text_of(values[2]));
  std::shared_ptr<CallbackCutter> cutter;
  {
    const std::lock_guard<Mutex> lock(offered_mutex);
    const auto offer = offered.find(sqlite3_value_int64(values[1]));
    if (offer == offered.end())
      throw Failure("segmenter_register: no words were offered: call segmenter_fts5_offer() first");
    cutter = std::make_shared<CallbackCutter>(offer->second);
    offered.erase(offer);
  }
  const bool rebuild = mode == "rebuild";
  NamedTokenizer& named =
      install(connection, name, cutter, rebuild ? Mismatch::kRefuse : mismatch_of(mode));
  named.fingerprint = cutter->fingerprint;
  if (name == "segmenter") connection->default_tokenizer = &named;
  if (rebuild) return named.rebuild();
  named.forget_dropped();
  named.check_fingerprints();
  return "";
}

void install_all(sqlite3* db) {
  const Shared connection = std::make_shared<Connection>();
  connection->db = db;
  connection->default_tokenizer = &install(connection, "segmenter", nullptr, Mismatch::kRefuse);
  auto free_shared = [](void* p) { delete static_cast<Shared*>(p); };
  const struct {
    const char* name;
    int min_args, max_args, flags;
    void (*function)(sqlite3_context*, int, sqlite3_value**);
  } functions[] = {
      {"segmenter_query", 1, 2, 0, function<sql_query>},
      {"segmenter_error", 0, 0, SQLITE_DIRECTONLY, function<sql_error>},
      {"segmenter_config", 2, 2, SQLITE_DIRECTONLY, function<sql_config>},
      {"segmenter_rebuild", 0, 0, SQLITE_DIRECTONLY, function<sql_rebuild>},
      {"segmenter_register", 3, 3, SQLITE_DIRECTONLY, function<sql_register>},
  };
  int code = SQLITE_OK;
  for (const auto& entry : functions)
    for (int n = entry.min_args; n <= entry.max_args && code == SQLITE_OK; ++n)
      code = sqlite3_create_function_v2(db, entry.name, n, SQLITE_UTF8 | entry.flags,
                                        new Shared(connection), entry.function, nullptr, nullptr,
                                        free_shared);
  static sqlite3_module module = {};
  module.iVersion = 1;
  module.xConnect = cut_connect;  // no xCreate: the table is there without being created
  module.xDisconnect = cut_disconnect;
  module.xBestIndex = cut_best;
  module.xOpen = cut_open;
  module.xClose = cut_close;
  module.xFilter = cut_filter;
  module.xNext = cut_next;
  module.xEof = cut_eof;
  module.xColumn = cut_column;
  module.xRowid = cut_rowid;
  if (code == SQLITE_OK)
    code =
        sqlite3_create_module_v2(db, "segmenter_cut", &module, new Shared(connection), free_shared);
  if (code != SQLITE_OK) throw Failure(sqlite3_errmsg(db));
}

}  // namespace
}  // namespace segmenter::fts5

#ifdef _WIN32
#define SEGMENTER_FTS5_API extern "C" __declspec(dllexport)
#else
#define SEGMENTER_FTS5_API extern "C" __attribute__((visibility("default")))
#endif

// Keeps words and returns their number for segmenter_register(); 0: no memory.
SEGMENTER_FTS5_API int64_t segmenter_fts5_offer(const segmenter_fts5_words* words) {
  using namespace segmenter::fts5;
  static int64_t number = 0;
  try {
    const std::lock_guard<segmenter::Mutex> lock(offered_mutex);
    offered[number + 1] = *words;
    return ++number;
  } catch (const std::exception&) { return 0; }
}

// Sets the message for a function of segmenter_fts5_words that is about to return -1.
SEGMENTER_FTS5_API void segmenter_fts5_fail(const char* why) {
  try {
    segmenter::fts5::failure = why;
  } catch (const std::exception&) { segmenter::fts5::failure.clear(); }
}

// SQLite derives this name from that of the file.
SEGMENTER_FTS5_API int sqlite3_segmenterfts_init(sqlite3* db, char** why,
                                                 const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  (void)api;
  try {
    segmenter::fts5::install_all(db);
#ifdef SQLITE_CORE
    return SQLITE_OK;
#else
    return SQLITE_OK_LOAD_PERMANENTLY;  // connections share what was opened
#endif
  } catch (const std::exception& e) {
    if (why) *why = sqlite3_mprintf("segmenter_fts5: %s", e.what());
    return SQLITE_ERROR;
  }
}
