/* The text search parser, whose tokens are words with their kinds, and the dictionary, which gives
 * positions to the words and characters inside a word. */
#include "extension.h"

#include "catalog/pg_collation.h"
#include "commands/defrem.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "tsearch/ts_public.h"
#include "utils/builtins.h"
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

/* The lexemes of a word as they are remembered: one after another, each as a head and its bytes. */
typedef struct Lexed {
  StringInfoData bytes;
  size_t place; /* where the first of the last place lies */
} Lexed;

typedef uint16 Head;   /* the size, */
#define MOVES 0x8000u  /* and whether it has a place of its own */

static Head head_at(const char* bytes, size_t at) {
  Head out;
  memcpy(&out, bytes + at, sizeof out);
  return out;
}

/* Adds a lexeme, unless its place has it. */
static void add(Lexed* to, const char* lexeme, size_t size, bool moves) {
  const Head made = (Head)(size | (moves ? MOVES : 0));
  size_t at;
  if (size >= LONGEST) return;
  if (moves) to->place = to->bytes.len;
  for (at = to->place; at < (size_t)to->bytes.len;) {
    const size_t known = head_at(to->bytes.data, at) & ~MOVES;
    at += sizeof(Head);
    if (known == size && memcmp(to->bytes.data + at, lexeme, size) == 0) return;
    at += known;
  }
  appendBinaryStringInfo(&to->bytes, (const char*)&made, sizeof made);
  appendBinaryStringInfo(&to->bytes, lexeme, (int)size);
}

/* Adds the spelling of the terms in a row, with their first or their other readings. */
static void add_row(Lexed* to, const Terms* terms, size_t first, size_t last, bool other) {
  size_t size = 0, k;
  char spelt[LONGEST];
  for (k = first; k < last; ++k) {
    const segmenter_term* const term = &terms->at[k];
    const bool second = other && term->other_size;
    const size_t n = second ? term->other_size : term->spelt_size;
    if (size + n >= LONGEST) return;
    memcpy(spelt + size, terms->spellings + (second ? term->other : term->spelt), n);
    size += n;
  }
  add(to, spelt, size, last == first + 1 && !other);
}

/* What was given for words.  When the younger part is full it becomes the older one, whose words that
 * do not come again are forgotten. */
#define LONG_WORD 40
#define MOST_REMEMBERED 8192 /* in each part */
#define SLOTS (2 * MOST_REMEMBERED)

typedef struct Record { /* followed by the word and its lexemes */
  uint32 opened;        /* of the configuration, which tells it from others and from itself before a change */
  uint16 size, lexemes; /* bytes */
} Record;

typedef struct Slot {
  uint32 hash, at; /* of the record in `bytes`, from 1 */
} Slot;

typedef struct Part {
  Slot* slots;
  uint32 count;
  StringInfoData bytes;
} Part;

static Part younger, older;

/* The lexemes of a word, and the rest of its record; NULL: it is not in this part. */
static const char* record_of(const Part* in, uint32 opened, const char* word, size_t size, uint32 hash, Record* out) {
  const Slot* slot;
  uint32 k = hash % SLOTS;
  if (!in->slots) return NULL;
  for (; (slot = &in->slots[k])->at; k = (k + 1) % SLOTS) {
    const char* const at = in->bytes.data + slot->at - 1;
    if (slot->hash != hash) continue;
    memcpy(out, at, sizeof *out);
    if (out->size == size && out->opened == opened && memcmp(at + sizeof *out, word, size) == 0)
      return at + sizeof *out + size;
  }
  return NULL;
}

static void remember(uint32 opened, const char* word, size_t size, uint32 hash, const char* lexemes, size_t n) {
  const Record made = {opened, (uint16)size, (uint16)n};
  uint32 at, k = hash % SLOTS;
  if (n > PG_UINT16_MAX) return;
  if (younger.count == MOST_REMEMBERED) {
    const Part emptied = older;
    older = younger;
    younger = emptied;
    younger.count = 0;
    if (younger.slots) {
      memset(younger.slots, 0, SLOTS * sizeof *younger.slots);
      resetStringInfo(&younger.bytes);
    }
  }
  if (!younger.slots) {
    const MemoryContext before = MemoryContextSwitchTo(TopMemoryContext);
    if (!younger.bytes.data) initStringInfo(&younger.bytes);
    younger.slots = palloc0(SLOTS * sizeof *younger.slots);
    MemoryContextSwitchTo(before);
  }
  at = (uint32)younger.bytes.len;
  appendBinaryStringInfo(&younger.bytes, (const char*)&made, sizeof made);
  appendBinaryStringInfo(&younger.bytes, word, (int)size);
  appendBinaryStringInfo(&younger.bytes, lexemes, (int)n);
  while (younger.slots[k].at) k = (k + 1) % SLOTS;
  younger.slots[k].hash = hash; /* when all of it is there */
  younger.slots[k].at = at + 1;
  ++younger.count;
}

/* Lexemes as the server wants them, who frees them one by one. */
static TSLexeme* given(const char* bytes, size_t n) {
  size_t count = 0, at;
  TSLexeme *out, *to;
  for (at = 0; at < n; at += sizeof(Head) + (head_at(bytes, at) & ~MOVES)) ++count;
  out = to = palloc0((count + 1) * sizeof *out);
  for (at = 0; at < n; ++to) {
    const Head head = head_at(bytes, at);
    const size_t size = head & ~MOVES;
    at += sizeof head;
    to->lexeme = pnstrdup(bytes + at, size);
    to->nvariant = (uint16)((to - out) % PG_UINT16_MAX); /* another form of the same place */
    to->flags = (head & MOVES) && to > out ? TSL_ADDPOS : 0;
    at += size;
  }
  return out;
}

/* A word, the words inside it and its characters, at their places in the word as in Lucene's token
 * graph: a query matches whatever has its characters in a row, however either was cut. */
static void lex(Configuration* conf, const char* word, size_t size, Lexed* out) {
  const Terms terms = terms_of(conf, conf->worker, word, size);
  const segmenter_token* tokens = NULL;
  const segmenter_term* const first = terms.at;
  /* most words: nothing is inside them but these */
  const bool is_pair = terms.count == 2 && !first->start && first->end == first[1].start && first[1].end == size;
  size_t count = 0, k, at = 0;
  if (terms.count > 1 && !is_pair) tokens = tokens_of(conf->inner, word, size, SEGMENTER_INDEX, &count);
  for (k = 0; k < terms.count; ++k) {
    const segmenter_term* const term = &terms.at[k];
    add_row(out, &terms, k, k + 1, false);
    if (term->other_size) add_row(out, &terms, k, k + 1, true);
    if (is_pair && !k && first->word_end == size) {
      add_row(out, &terms, 0, 2, false);
      if (first->other_size || first[1].other_size) add_row(out, &terms, 0, 2, true);
    }
    while (at < count && tokens[at].start < term->start) ++at;
    for (; at < count && tokens[at].start == term->start; ++at) { /* sorted by start, then longest first */
      size_t last = k, other = 0;
      while (last < terms.count && terms.at[last].end <= tokens[at].end) other += terms.at[last++].other_size;
      if (last < k + 2) continue;
      add_row(out, &terms, k, last, false);
      if (other) add_row(out, &terms, k, last, true);
    }
  }
}

PG_FUNCTION_INFO_V1(segmenter_lexize);
Datum segmenter_lexize(PG_FUNCTION_ARGS) {
  Configuration* const conf = configuration((const char*)PG_GETARG_POINTER(0));
  const char* const word = (const char*)PG_GETARG_POINTER(1);
  const size_t size = (size_t)PG_GETARG_INT32(2);
  const bool is_short = size <= LONG_WORD;
  uint32 hash = 0;
  Lexed lexed;
  TSLexeme* out;
  if (is_short) {
    const char* lexemes;
    Record known;
    hash = hash_bytes((const unsigned char*)word, (int)size);
    if ((lexemes = record_of(&younger, conf->opened, word, size, hash, &known)) != NULL)
      PG_RETURN_POINTER(given(lexemes, known.lexemes));
    if ((lexemes = record_of(&older, conf->opened, word, size, hash, &known)) != NULL) {
      if (younger.count < MOST_REMEMBERED) /* else the older part would be emptied, which has it */
        remember(conf->opened, word, size, hash, lexemes, known.lexemes);
      PG_RETURN_POINTER(given(lexemes, known.lexemes));
    }
  }
  initStringInfo(&lexed.bytes);
  lexed.place = 0;
  lex(conf, word, size, &lexed);
  if (is_short) remember(conf->opened, word, size, hash, lexed.bytes.data, (size_t)lexed.bytes.len);
  out = given(lexed.bytes.data, (size_t)lexed.bytes.len);
  pfree(lexed.bytes.data);
  worker_done(conf, size);
  PG_RETURN_POINTER(out);
}
