/* Bigrams of characters as a tokenizer of FTS5, for eval.retrieval: what a build costs where no
 * Python runs. Letters and digits of ASCII in lower case; pairs with punctuation or a blank are left
 * out, as in systems.grams(). */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

static int create(void* self, const char** argv, int argc, Fts5Tokenizer** out) {
  (void)argv, (void)argc;
  *out = (Fts5Tokenizer*)self;
  return SQLITE_OK;
}
static void destroy(Fts5Tokenizer* self) { (void)self; }

static unsigned point(const unsigned char* p, int n) {
  unsigned c = p[0] & (n > 1 ? 0x7F >> n : 0x7F);
  for (int k = 1; k < n; ++k) c = c << 6 | (p[k] & 0x3F);
  return c;
}

static int joins(unsigned c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return c > 0xBF && c != 0xD7 && (c < 0x2000 || c > 0x206F) && (c < 0x2190 || c > 0x2BFF) &&
         (c < 0x3000 || c > 0x303F || c == 0x3007) && (c < 0xFF01 || c > 0xFF0F) &&
         (c < 0xFF1A || c > 0xFF20) && (c < 0xFF3B || c > 0xFF40) && (c < 0xFF5B || c > 0xFF65);
}

static int tokenize(Fts5Tokenizer* self, void* context, int flags, const char* text, int size,
                    int (*emit)(void*, int, const char*, int, int, int)) {
  const unsigned char* const p = (const unsigned char*)text;
  int previous = -1, code = SQLITE_OK;
  (void)self, (void)flags;
  for (int begin = 0; begin < size && !code;) {
    int n = p[begin] < 0x80 ? 1 : p[begin] < 0xE0 ? 2 : p[begin] < 0xF0 ? 3 : 4;
    if (n > size - begin) n = size - begin;
    const int joined = joins(point(p + begin, n));
    if (joined && previous >= 0) {
      char pair[8];
      const int end = begin + n;
      for (int k = previous; k < end; ++k)
        pair[k - previous] = (char)(p[k] >= 'A' && p[k] <= 'Z' ? p[k] + 32 : p[k]);
      code = emit(context, 0, pair, end - previous, previous, end);
    }
    previous = joined ? begin : -1;
    begin += n;
  }
  return code;
}

int sqlite3_bigrams_init(sqlite3* db, char** error, const sqlite3_api_routines* api) {
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
  return fts5 ? fts5->xCreateTokenizer(fts5, "bigrams", fts5, &functions, 0) : SQLITE_ERROR;
}
