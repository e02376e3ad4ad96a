/* The text search parser, whose tokens are words by their kinds; and the dictionary that gives what is
 * inside a word its place. */
#include "extension.h"

#include "catalog/pg_collation.h"
#include "commands/defrem.h"
#include "tsearch/ts_public.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

typedef struct Parse {
  const char* text;
  segmenter_token* tokens;
  size_t count, at;
} Parse;

PG_FUNCTION_INFO_V1(segmenter_start);
Datum segmenter_start(PG_FUNCTION_ARGS) {
  const size_t size = (size_t)PG_GETARG_INT32(1);
  Configuration* const conf = configuration_of_function(fcinfo->flinfo, "segmenter_start");
  Parse* const out = palloc0(sizeof *out);
  const segmenter_token* tokens;
  out->text = (const char*)PG_GETARG_POINTER(0);
  tokens = tokens_of(conf->worker, out->text, size, SEGMENTER_WORDS, &out->count);
  out->tokens = MemoryContextAllocHuge(CurrentMemoryContext, Max(out->count, 1) * sizeof *tokens);
  memcpy(out->tokens, tokens, out->count * sizeof *tokens);
  worker_done(conf, size);
  PG_RETURN_POINTER(out);
}

/* The number of a kind's token type: of the library's kinds, counted from 1. */
PG_FUNCTION_INFO_V1(segmenter_next);
Datum segmenter_next(PG_FUNCTION_ARGS) {
  Parse* const from = (Parse*)PG_GETARG_POINTER(0);
  const char** const word = (const char**)PG_GETARG_POINTER(1);
  int* const size = (int*)PG_GETARG_POINTER(2);
  const segmenter_token* token;
  if (from->at % 65536 == 65535) CHECK_FOR_INTERRUPTS();
  if (from->at == from->count) PG_RETURN_INT32(0);
  token = &from->tokens[from->at++];
  *word = from->text + token->start;
  *size = (int)(token->end - token->start);
  PG_RETURN_INT32(token->kind + 1);
}

PG_FUNCTION_INFO_V1(segmenter_end);
Datum segmenter_end(PG_FUNCTION_ARGS) {
  Parse* const from = (Parse*)PG_GETARG_POINTER(0);
  pfree(from->tokens);
  pfree(from);
  PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(segmenter_types);
Datum segmenter_types(PG_FUNCTION_ARGS) {
  LexDescr* out;
  int n = 0, k;
  while (segmenter_kind_name(n)) ++n;
  out = palloc(((size_t)n + 1) * sizeof *out);
  for (k = 0; k < n; ++k) {
    const char* const name = segmenter_kind_name(k);
    out[k].lexid = k + 1;
    out[k].alias = pstrdup(name);
    out[k].descr = strcmp(name, "word") == 0      ? pstrdup("word")
                   : strcmp(name, "unknown") == 0 ? pstrdup("character of no word")
                   : strcmp(name, "latin") == 0   ? pstrdup("letters and digits")
                   : strcmp(name, "script") == 0  ? pstrdup("run of another script")
                   : strcmp(name, "punct") == 0   ? pstrdup("punctuation")
                   : strcmp(name, "space") == 0   ? pstrdup("blanks")
                   : strcmp(name, "newline") == 0 ? pstrdup("line end")
                                                  : pstrdup(name);
  }
  out[n].lexid = 0;
  PG_RETURN_POINTER(out);
}

/* --- the dictionary --------------------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(segmenter_dictionary);
Datum segmenter_dictionary(PG_FUNCTION_ARGS) {
  List* const options = (List*)PG_GETARG_POINTER(0);
  char* name = DEFAULT_CONFIGURATION;
  ListCell* cell;
  foreach (cell, options) {
    DefElem* const option = (DefElem*)lfirst(cell);
    if (strcmp(option->defname, "configuration") != 0)
      ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                      errmsg("segmenter dictionary: \"%s\" is no parameter", option->defname),
                      errhint("There is one, configuration.")));
    name = defGetString(option);
  }
  /* opened when it is used: a dump restores dictionaries before the table of fingerprints */
  PG_RETURN_POINTER(pstrdup(name));
}

typedef struct Lexed {
  TSLexeme* at;
  size_t count, room, position; /* the first of the last position */
} Lexed;

/* Adds a lexeme, unless its position has it. */
static void add(Lexed* to, char* lexeme, bool moves) {
  size_t k;
  if (strlen(lexeme) >= LONGEST) return;
  if (moves) to->position = to->count;
  for (k = to->position; k < to->count; ++k)
    if (strcmp(to->at[k].lexeme, lexeme) == 0) return;
  if (to->count + 1 == to->room) to->at = repalloc(to->at, (to->room *= 2) * sizeof *to->at);
  to->at[to->count].lexeme = lexeme;
  to->at[to->count].nvariant = (uint16)(to->count % PG_UINT16_MAX); /* another form of the same place */
  to->at[to->count].flags = moves && to->count ? TSL_ADDPOS : 0;
  to->at[++to->count].lexeme = NULL;
}

/* The spelling of the terms in a row, with their first or their other readings. */
static char* joined(const Terms* terms, size_t first, size_t last, bool other) {
  size_t size = 0, k;
  char *out, *to;
  for (k = first; k < last; ++k) size += Max(terms->at[k].spelt_size, terms->at[k].other_size);
  out = to = palloc(size + 1);
  for (k = first; k < last; ++k) {
    const segmenter_term* const term = &terms->at[k];
    const bool second = other && term->other_size;
    const size_t n = second ? term->other_size : term->spelt_size;
    memcpy(to, terms->spellings + (second ? term->other : term->spelt), n);
    to += n;
  }
  *to = 0;
  return out;
}

/* What was given for a word: the lexemes' bytes one after another. */
typedef struct Remembered {
  struct {
    uint64 opened; /* of the configuration, which tells it from others and from itself before a change */
    char word[40];
  } word;
  uint32 count;
  TSLexeme* at;
} Remembered;

static HTAB* remembered = NULL;
static MemoryContext memory = NULL;
#define MOST_REMEMBERED 4096

static Remembered* remember(const Remembered* asked, bool* found) {
  HASHCTL about = {0};
  if (memory && hash_get_num_entries(remembered) >= MOST_REMEMBERED) {
    MemoryContextDelete(memory);
    memory = NULL;
  }
  if (!memory) {
    memory = AllocSetContextCreate(TopMemoryContext, "segmenter words", ALLOCSET_DEFAULT_SIZES);
    about.keysize = sizeof asked->word;
    about.entrysize = sizeof *asked;
    about.hcxt = memory;
    remembered = hash_create("segmenter words", MOST_REMEMBERED, &about, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
  }
  return hash_search(remembered, &asked->word, HASH_ENTER, found);
}

/* Lexemes of the caller's own, who frees them. */
static TSLexeme* copy(const TSLexeme* from, size_t count) {
  TSLexeme* const out = palloc((count + 1) * sizeof *out);
  size_t k;
  for (k = 0; k < count; ++k) {
    out[k] = from[k];
    out[k].lexeme = pstrdup(from[k].lexeme);
  }
  memset(&out[count], 0, sizeof *out);
  return out;
}

/* A word, the words inside it and its characters, at their places in the word as in Lucene's token
 * graph: a query matches whatever has its characters in a row, however either was cut. */
PG_FUNCTION_INFO_V1(segmenter_lexize);
Datum segmenter_lexize(PG_FUNCTION_ARGS) {
  Configuration* const conf = configuration((const char*)PG_GETARG_POINTER(0));
  const char* const word = (const char*)PG_GETARG_POINTER(1);
  const size_t size = (size_t)PG_GETARG_INT32(2);
  Remembered asked = {0}, *known = NULL;
  Terms terms;
  Lexed out = {palloc0(16 * sizeof(TSLexeme)), 0, 16, 0};
  size_t count, k, at = 0;
  const segmenter_token* tokens;
  if (size <= sizeof asked.word.word) {
    bool found;
    asked.word.opened = conf->opened;
    memcpy(asked.word.word, word, size);
    known = remember(&asked, &found);
    if (found && known->at) PG_RETURN_POINTER(copy(known->at, known->count));
    known->at = NULL; /* until all of it is there */
  }
  terms = terms_of(conf, conf->worker, word, size);
  tokens = tokens_of(inner_worker(conf), word, size, SEGMENTER_INDEX, &count);
  for (k = 0; k < terms.count; ++k) {
    const segmenter_term* const term = &terms.at[k];
    add(&out, joined(&terms, k, k + 1, false), true);
    if (term->other_size) add(&out, joined(&terms, k, k + 1, true), false);
    while (at < count && tokens[at].start < term->start) ++at;
    for (; at < count && tokens[at].start == term->start; ++at) { /* sorted by start, then longest first */
      size_t last = k, other = 0;
      while (last < terms.count && terms.at[last].end <= tokens[at].end) other += terms.at[last++].other_size;
      if (last < k + 2) continue;
      add(&out, joined(&terms, k, last, false), false);
      if (other) add(&out, joined(&terms, k, last, true), false);
    }
  }
  if (known) {
    const MemoryContext before = MemoryContextSwitchTo(memory);
    known->count = (uint32)out.count;
    known->at = copy(out.at, out.count);
    MemoryContextSwitchTo(before);
  }
  PG_RETURN_POINTER(out.at);
}
