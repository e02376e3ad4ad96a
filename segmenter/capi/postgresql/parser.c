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
  size_t count, next;
} Parse;

PG_FUNCTION_INFO_V1(segmenter_start);
Datum segmenter_start(PG_FUNCTION_ARGS) {
  const size_t size = (size_t)PG_GETARG_INT32(1);
  Configuration* const conf = configuration_of_function(fcinfo->flinfo, "segmenter_start");
  Parse* const parse = palloc0(sizeof *parse);
  const segmenter_token* tokens;
  parse->text = (const char*)PG_GETARG_POINTER(0);
  tokens = tokens_of(conf->worker, parse->text, size, SEGMENTER_WORDS, &parse->count);
  parse->tokens = MemoryContextAllocHuge(CurrentMemoryContext, Max(parse->count, 1) * sizeof *tokens);
  memcpy(parse->tokens, tokens, parse->count * sizeof *tokens);
  worker_done(conf, size);
  PG_RETURN_POINTER(parse);
}

/* Token types are the library's kinds, counted from 1. */
PG_FUNCTION_INFO_V1(segmenter_next);
Datum segmenter_next(PG_FUNCTION_ARGS) {
  Parse* const parse = (Parse*)PG_GETARG_POINTER(0);
  const char** const word = (const char**)PG_GETARG_POINTER(1);
  int* const size = (int*)PG_GETARG_POINTER(2);
  const segmenter_token* token;
  if (parse->next % 65536 == 65535) CHECK_FOR_INTERRUPTS();
  if (parse->next == parse->count) PG_RETURN_INT32(0);
  token = &parse->tokens[parse->next++];
  *word = parse->text + token->start;
  *size = (int)(token->end - token->start);
  PG_RETURN_INT32(token->kind + 1);
}

PG_FUNCTION_INFO_V1(segmenter_end);
Datum segmenter_end(PG_FUNCTION_ARGS) {
  Parse* const parse = (Parse*)PG_GETARG_POINTER(0);
  pfree(parse->tokens);
  pfree(parse);
  PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(segmenter_types);
Datum segmenter_types(PG_FUNCTION_ARGS) {
  LexDescr* types;
  int n = 0, k;
  while (segmenter_kind_name(n)) ++n;
  types = palloc(((size_t)n + 1) * sizeof *types);
  for (k = 0; k < n; ++k) {
    const char* const name = segmenter_kind_name(k);
    types[k].lexid = k + 1;
    types[k].alias = pstrdup(name);
    types[k].descr = strcmp(name, "word") == 0      ? pstrdup("word")
                   : strcmp(name, "unknown") == 0 ? pstrdup("character of no word")
                   : strcmp(name, "latin") == 0   ? pstrdup("letters and digits")
                   : strcmp(name, "script") == 0  ? pstrdup("run of another script")
                   : strcmp(name, "punct") == 0   ? pstrdup("punctuation")
                   : strcmp(name, "space") == 0   ? pstrdup("blanks")
                   : strcmp(name, "newline") == 0 ? pstrdup("line end")
                                                  : pstrdup(name);
  }
  types[n].lexid = 0;
  PG_RETURN_POINTER(types);
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
                      errmsg("segmenter dictionary: \"%s\" is not a parameter", option->defname),
                      errhint("The only parameter is configuration.")));
    name = defGetString(option);
  }
  /* opened when it is used: a dump restores dictionaries before the table of fingerprints */
  PG_RETURN_POINTER(pstrdup(name));
}

/* The lexemes of a word in the cache: one after another, each a head and its bytes. */
typedef struct Lexemes {
  StringInfoData bytes;
  size_t last_place; /* the offset of the first lexeme at the last position */
} Lexemes;

typedef uint16 Head;  /* the size, */
#define MOVES 0x8000u /* and whether the lexeme begins a new position */

static Head read_head(const char* bytes, size_t offset) {
  Head head;
  memcpy(&head, bytes + offset, sizeof head);
  return head;
}

/* Adds a lexeme, unless its position has it already. */
static void add_lexeme(Lexemes* lexemes, const char* lexeme, size_t size, bool moves) {
  const Head head = (Head)(size | (moves ? MOVES : 0));
  size_t offset;
  if (size >= LONGEST) return;
  if (moves) lexemes->last_place = lexemes->bytes.len;
  for (offset = lexemes->last_place; offset < (size_t)lexemes->bytes.len;) {
    const size_t known_size = read_head(lexemes->bytes.data, offset) & ~MOVES;
    offset += sizeof(Head);
    if (known_size == size && memcmp(lexemes->bytes.data + offset, lexeme, size) == 0) return;
    offset += known_size;
  }
  appendBinaryStringInfo(&lexemes->bytes, (const char*)&head, sizeof head);
  appendBinaryStringInfo(&lexemes->bytes, lexeme, (int)size);
}

/* Adds the joined spelling of terms, in their first or their other readings. */
static void add_terms(Lexemes* lexemes, const Terms* terms, size_t first, size_t last, bool other_readings) {
  size_t size = 0, k;
  char spelt[LONGEST];
  for (k = first; k < last; ++k) {
    const segmenter_term* const term = &terms->items[k];
    const bool second = other_readings && term->other_size;
    const size_t n = second ? term->other_size : term->spelt_size;
    if (size + n >= LONGEST) return;
    memcpy(spelt + size, terms->spellings + (second ? term->other : term->spelt), n);
    size += n;
  }
  add_lexeme(lexemes, spelt, size, last == first + 1 && !other_readings);
}

/* A cache of the lexemes of words, in two generations.  A full younger generation becomes the older one,
 * whose words are dropped unless they were used again. */
#define LONG_WORD 40
#define MOST_REMEMBERED 8192 /* in each generation */
#define SLOTS (2 * MOST_REMEMBERED)

typedef struct Record { /* followed by the word and its lexemes */
  uint32 opened;        /* of the configuration: changes when it is opened again */
  uint16 size, lexemes; /* bytes */
} Record;

typedef struct Slot {
  uint32 hash, offset; /* of the record in `bytes`, from 1 */
} Slot;

typedef struct Generation {
  Slot* slots;
  uint32 count;
  StringInfoData bytes;
} Generation;

static Generation younger, older;

/* The lexemes of a word and its record; NULL: not in this generation. */
static const char* find_record(const Generation* generation, uint32 opened, const char* word, size_t size,
                               uint32 hash, Record* record) {
  const Slot* slot;
  uint32 k = hash % SLOTS;
  if (!generation->slots) return NULL;
  for (; (slot = &generation->slots[k])->offset; k = (k + 1) % SLOTS) {
    const char* const entry = generation->bytes.data + slot->offset - 1;
    if (slot->hash != hash) continue;
    memcpy(record, entry, sizeof *record);
    if (record->size == size && record->opened == opened && memcmp(entry + sizeof *record, word, size) == 0)
      return entry + sizeof *record + size;
  }
  return NULL;
}

static void remember(uint32 opened, const char* word, size_t size, uint32 hash, const char* lexemes, size_t n) {
  const Record record = {opened, (uint16)size, (uint16)n};
  uint32 offset, k = hash % SLOTS;
  if (n > PG_UINT16_MAX) return;
  if (younger.count == MOST_REMEMBERED) {
    const Generation emptied = older;
    older = younger;
    younger = emptied;
    younger.count = 0;
    if (younger.slots) {
      memset(younger.slots, 0, SLOTS * sizeof *younger.slots);
      resetStringInfo(&younger.bytes);
    }
  }
  if (!younger.slots) {
    const MemoryContext context = MemoryContextSwitchTo(TopMemoryContext);
    if (!younger.bytes.data) initStringInfo(&younger.bytes);
    younger.slots = palloc0(SLOTS * sizeof *younger.slots);
    MemoryContextSwitchTo(context);
  }
  offset = (uint32)younger.bytes.len;
  appendBinaryStringInfo(&younger.bytes, (const char*)&record, sizeof record);
  appendBinaryStringInfo(&younger.bytes, word, (int)size);
  appendBinaryStringInfo(&younger.bytes, lexemes, (int)n);
  while (younger.slots[k].offset) k = (k + 1) % SLOTS;
  younger.slots[k].hash = hash; /* once the record is complete */
  younger.slots[k].offset = offset + 1;
  ++younger.count;
}

/* Copies lexemes for the server, which frees them one by one. */
static TSLexeme* make_lexemes(const char* bytes, size_t n) {
  size_t count = 0, offset;
  TSLexeme *lexemes, *lexeme;
  for (offset = 0; offset < n; offset += sizeof(Head) + (read_head(bytes, offset) & ~MOVES)) ++count;
  lexemes = lexeme = palloc0((count + 1) * sizeof *lexemes);
  for (offset = 0; offset < n; ++lexeme) {
    const Head head = read_head(bytes, offset);
    const size_t size = head & ~MOVES;
    offset += sizeof head;
    lexeme->lexeme = pnstrdup(bytes + offset, size);
    lexeme->nvariant = (uint16)((lexeme - lexemes) % PG_UINT16_MAX); /* another form at the same position */
    lexeme->flags = (head & MOVES) && lexeme > lexemes ? TSL_ADDPOS : 0;
    offset += size;
  }
  return lexemes;
}

/* Adds a word, the words inside it and its characters, at their positions in the word as in Lucene's token
 * graph: a query matches every text that contains its characters in a row, however either was cut. */
static void add_word(Configuration* conf, const char* word, size_t size, Lexemes* lexemes) {
  const Terms terms = terms_of(conf, conf->worker, word, size);
  const segmenter_token* tokens = NULL;
  const segmenter_term* const first = terms.items;
  /* most words: two characters, and nothing else is inside */
  const bool is_pair = terms.count == 2 && !first->start && first->end == first[1].start && first[1].end == size;
  size_t count = 0, k, next = 0;
  if (terms.count > 1 && !is_pair) tokens = tokens_of(conf->inner, word, size, SEGMENTER_INDEX, &count);
  for (k = 0; k < terms.count; ++k) {
    const segmenter_term* const term = &terms.items[k];
    add_terms(lexemes, &terms, k, k + 1, false);
    if (term->other_size) add_terms(lexemes, &terms, k, k + 1, true);
    if (is_pair && !k && first->word_end == size) {
      add_terms(lexemes, &terms, 0, 2, false);
      if (first->other_size || first[1].other_size) add_terms(lexemes, &terms, 0, 2, true);
    }
    while (next < count && tokens[next].start < term->start) ++next;
    for (; next < count && tokens[next].start == term->start; ++next) { /* sorted by start, then longest first */
      size_t last = k, other_size = 0;
      while (last < terms.count && terms.items[last].end <= tokens[next].end)
        other_size += terms.items[last++].other_size;
      if (last < k + 2) continue;
      add_terms(lexemes, &terms, k, last, false);
      if (other_size) add_terms(lexemes, &terms, k, last, true);
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
  Lexemes lexed;
  TSLexeme* result;
  if (is_short) {
    const char* lexemes;
    Record record;
    hash = hash_bytes((const unsigned char*)word, (int)size);
    if ((lexemes = find_record(&younger, conf->opened, word, size, hash, &record)) != NULL)
      PG_RETURN_POINTER(make_lexemes(lexemes, record.lexemes));
    if ((lexemes = find_record(&older, conf->opened, word, size, hash, &record)) != NULL) {
      if (younger.count < MOST_REMEMBERED) /* otherwise remember() would drop the older generation */
        remember(conf->opened, word, size, hash, lexemes, record.lexemes);
      PG_RETURN_POINTER(make_lexemes(lexemes, record.lexemes));
    }
  }
  initStringInfo(&lexed.bytes);
  lexed.last_place = 0;
  add_word(conf, word, size, &lexed);
  if (is_short) remember(conf->opened, word, size, hash, lexed.bytes.data, (size_t)lexed.bytes.len);
  result = make_lexemes(lexed.bytes.data, (size_t)lexed.bytes.len);
  pfree(lexed.bytes.data);
  worker_done(conf, size);
  PG_RETURN_POINTER(result);
}
