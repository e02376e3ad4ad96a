/* For eval.retrieval.forms: a tokenizer of FTS5 whose texts are tokens already, with a blank between
 * places and '|' between the tokens of one; and a rank without the second run of the query that
 * bm25 makes to count rows: every phrase weighs the same. */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

static int create(void* self, const char** argv, int argc, Fts5Tokenizer** out) {
  (void)argv, (void)argc;
  *out = (Fts5Tokenizer*)self;
  return SQLITE_OK;
}
static void destroy(Fts5Tokenizer* self) { (void)self; }

static int tokenize(Fts5Tokenizer* self, void* context, int flags, const char* text, int size,
                    int (*emit)(void*, int, const char*, int, int, int)) {
  int code = SQLITE_OK, joined = 0;
  (void)self, (void)flags;
  for (int begin = 0; begin < size && !code;) {
    int end = begin;
    while (end < size && text[end] != ' ' && text[end] != '|') ++end;
    code = emit(context, joined ? FTS5_TOKEN_COLOCATED : 0, text + begin, end - begin, begin, end);
    joined = end < size && text[end] == '|';
    begin = end + 1;
  }
  return code;
}

enum { kPhrases = 16 };

static void once(const Fts5ExtensionApi* api, Fts5Context* fts, sqlite3_context* out, int n,
                 sqlite3_value** values) {
  double count[kPhrases] = {0}, sum = 0;
  int hits = 0, size = 0;
  sqlite3_int64 rows = 1, total = 1;
  (void)n, (void)values;
  api->xInstCount(fts, &hits);
  for (int k = 0; k < hits; ++k) {
    int phrase, column, place;
    api->xInst(fts, k, &phrase, &column, &place);
    if (phrase < kPhrases) count[phrase] += 1;
  }
  api->xRowCount(fts, &rows);
  api->xColumnTotalSize(fts, -1, &total);
  api->xColumnSize(fts, -1, &size);
  for (int k = 0; k < kPhrases; ++k)
    sum += count[k] * 2.2 / (count[k] + 1.2 * (.25 + .75 * size * (double)rows / (double)total));
  sqlite3_result_double(out, -sum);
}

int sqlite3_spelt_init(sqlite3* db, char** error, const sqlite3_api_routines* api) {
  static fts5_tokenizer functions = {create, destroy, tokenize};
  fts5_api* fts5 = 0;
  sqlite3_stmt* statement = 0;
  SQLITE_EXTENSION_INIT2(api);
  (void)error;
  if (sqlite3_prepare_v2(db, "select fts5(?1)", -1, &statement, 0) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, &fts5, "fts5_api_ptr", 0);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  if (!fts5 || fts5->xCreateFunction(fts5, "once", 0, once, 0)) return SQLITE_ERROR;
  return fts5->xCreateTokenizer(fts5, "spelt", fts5, &functions, 0);
}
