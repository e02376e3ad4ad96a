/* tsvector and tsquery of the terms of a text, equal to those of segmenter/adapters/postgres.py: every
 * substring is found, and client and server can share an index. */
#include "extension.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "tsearch/ts_utils.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/pg_crc.h"

#define MARKS ".<->"

typedef struct Lexeme {
  uint64 key;  /* its first bytes, so that few lexemes are compared byte by byte */
  uint32 at;   /* of its bytes in the buffer */
  uint32 number; /* in the order of the text */
  uint16 size;
  uint16 position;
} Lexeme;

typedef struct Lexemes {
  Lexeme* at;
  size_t count, room;
  StringInfoData bytes;
} Lexemes;

static void push(Lexemes* to, const char* bytes, size_t size, const char* mark, uint32 position) {
  Lexeme* made;
  size_t k;
  if (size >= LONGEST) return;
  if (to->count == to->room)
    to->at = repalloc_huge(to->at, (to->room *= 2) * sizeof *to->at);
  made = &to->at[to->count];
  made->at = to->bytes.len;
  made->size = (uint16)(size + (mark ? 1 : 0));
  made->position = (uint16)Min(position + 1, LAST);
  made->number = (uint32)to->count++;
  appendBinaryStringInfo(&to->bytes, bytes, (int)size);
  if (mark) appendStringInfoCharMacro(&to->bytes, *mark);
  made->key = 0;
  for (k = 0; k < Min(made->size, 8); ++k)
    made->key |= (uint64)(unsigned char)to->bytes.data[made->at + k] << (56 - 8 * k);
}

static inline bool same(const char* bytes, const Lexeme* a, const Lexeme* b) {
  return a->key == b->key && a->size == b->size &&
         (a->size <= 8 || memcmp(bytes + a->at, bytes + b->at, a->size) == 0);
}

/* By bytes, as tsvectors are sorted, then in the order of the text. */
static inline int by_text(const Lexeme* x, const Lexeme* y, const char* bytes) {
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  if (x->size > 8 && y->size > 8) {
    const int order = memcmp(bytes + x->at, bytes + y->at, Min(x->size, y->size));
    if (order) return order;
  }
  if (x->size != y->size) return x->size < y->size ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

#define ST_SORT sort_lexemes
#define ST_ELEMENT_TYPE Lexeme
#define ST_COMPARE(a, b, bytes) by_text(a, b, bytes)
#define ST_COMPARE_ARG_TYPE const char
#define ST_SCOPE static
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

/* Sorted, unique, with as many positions as PostgreSQL keeps. */
static TSVector made_of(Lexemes* from) {
  const char* const spelt = from->bytes.data;
  size_t words = 0, bytes = 0, k;
  TSVector out;
  WordEntry* entry;
  char *text, *to;
  sort_lexemes(from->at, from->count, spelt);
  for (k = 0; k < from->count;) { /* sizes, which is cheaper than to allocate for the worst */
    size_t next = k + 1;
    uint16 n = 1;
    while (next < from->count && same(spelt, &from->at[k], &from->at[next])) {
      n += next - k < MANY && from->at[next].position != from->at[next - 1].position;
      ++next;
    }
    ++words;
    bytes = SHORTALIGN(bytes + from->at[k].size) + sizeof(uint16) + n * sizeof(WordEntryPos);
    k = next;
  }
  if (bytes > MAXSTRPOS)
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("string is too long for tsvector (%zu bytes, max %d bytes)", bytes, MAXSTRPOS),
                    errhint("Split long texts into rows.")));
  out = palloc0(CALCDATASIZE(words, bytes));
  SET_VARSIZE(out, CALCDATASIZE(words, bytes));
  out->size = (int32)words;
  entry = ARRPTR(out);
  text = to = STRPTR(out);
  for (k = 0; k < from->count; ++entry) {
    const Lexeme* const first = &from->at[k];
    uint16* n;
    WordEntryPos* places;
    size_t next = k;
    entry->haspos = 1;
    entry->len = first->size;
    entry->pos = (uint32)(to - text);
    memcpy(to, spelt + first->at, first->size);
    to = text + SHORTALIGN(to - text + first->size);
    n = (uint16*)to;
    places = (WordEntryPos*)(to + sizeof(uint16));
    *n = 0;
    while (next < from->count && same(spelt, first, &from->at[next])) {
      if (next - k < MANY && (!*n || from->at[next].position != WEP_GETPOS(places[*n - 1])))
        places[(*n)++] = from->at[next].position;
      ++next;
    }
    to = (char*)(places + *n);
    k = next;
  }
  return out;
}

static void push_term(Lexemes* to, const Terms* terms, const segmenter_term* term) {
  const char mark = mark_of(term);
  push(to, terms->spellings + term->spelt, term->spelt_size, &mark, term->position);
  if (term->other_size) push(to, terms->spellings + term->other, term->other_size, &mark, term->position);
}

/* A word and the words inside it at the last position: PostgreSQL keeps no more places of its characters. */
static void push_inside(Configuration* conf, Lexemes* to, const char* word, size_t size) {
  size_t count, k;
  const segmenter_token* const found = tokens_of(conf->inner, word, size, SEGMENTER_SEARCH, &count);
  segmenter_token* const tokens = palloc(Max(count, 1) * sizeof *tokens);
  memcpy(tokens, found, count * sizeof *tokens);
  for (k = 0; k < count; ++k) {
    size_t n;
    const char* const spelt = spelling_of(conf, word + tokens[k].start, tokens[k].end - tokens[k].start, &n);
    push(to, spelt, n, NULL, LAST);
  }
  pfree(tokens);
}

PG_FUNCTION_INFO_V1(segmenter_tsvector);
Datum segmenter_tsvector(PG_FUNCTION_ARGS) {
  text* const in = PG_GETARG_TEXT_PP(0);
  Configuration* const conf = configuration_of_text(PG_GETARG_TEXT_PP(1));
  const char* const body = VARDATA_ANY(in);
  const size_t size = VARSIZE_ANY_EXHDR(in);
  const Terms terms = terms_of(conf, conf->worker, body, size);
  Lexemes lexemes = {NULL, 0, Max(terms.count, 16), {0}};
  TSVector out;
  size_t k;
  lexemes.at = MemoryContextAllocHuge(CurrentMemoryContext, lexemes.room * sizeof *lexemes.at);
  initStringInfo(&lexemes.bytes);
  for (k = 0; k < terms.count; ++k) {
    if (k % 65536 == 65535) CHECK_FOR_INTERRUPTS();
    push_term(&lexemes, &terms, &terms.at[k]);
  }
  /* where positions end, or those of a lexeme: words are found all the same */
  if (lexemes.count > MANY) {
    const size_t own = lexemes.count;
    bool* const over = palloc0(own);
    uint32 done = PG_UINT32_MAX;
    size_t n = 0;
    CHECK_FOR_INTERRUPTS();
    sort_lexemes(lexemes.at, own, lexemes.bytes.data);
    for (k = 0; k < own; ++k) {
      n = k && same(lexemes.bytes.data, &lexemes.at[k - 1], &lexemes.at[k]) ? n + 1 : 0;
      over[lexemes.at[k].number] = n >= MANY;
    }
    for (k = 0, n = 0; k < terms.count; ++k) {
      const segmenter_term* const term = &terms.at[k];
      bool here = false;
      if (term->spelt_size < LONGEST) here |= over[n++];
      if (term->other_size) here |= over[n++];
      if ((here || (term->position >= LAST && term->spelt_size < LONGEST)) && term->word_start != done) {
        CHECK_FOR_INTERRUPTS();
        done = term->word_start;
        push_inside(conf, &lexemes, body + term->word_start, term->word_end - term->word_start);
      }
    }
    pfree(over);
  }
  CHECK_FOR_INTERRUPTS();
  out = made_of(&lexemes);
  pfree(lexemes.at);
  pfree(lexemes.bytes.data);
  worker_done(conf, size);
  PG_RETURN_TSVECTOR(out);
}

/* --- queries ---------------------------------------------------------------------------------------- */

/* A tsquery as PostgreSQL stores it: operators before their right and then their left sides.  tsqueryin()
 * would take time by the square of the operands. */
typedef struct QueryTree {
  QueryItem* items;
  size_t count, room;
  StringInfoData operands;
} QueryTree;

static size_t push_item(QueryTree* to) {
  if (to->count == to->room) to->items = repalloc_huge(to->items, (to->room *= 2) * sizeof *to->items);
  memset(&to->items[to->count], 0, sizeof *to->items);
  return to->count++;
}

static size_t push_operator(QueryTree* to, int oper, int distance) {
  const size_t at = push_item(to);
  to->items[at].qoperator.type = QI_OPR;
  to->items[at].qoperator.oper = oper;
  to->items[at].qoperator.distance = distance;
  return at;
}

/* The left side of an operator begins here. */
static void left_of(QueryTree* to, size_t at) { to->items[at].qoperator.left = (uint32)(to->count - at); }

static void push_value(QueryTree* to, const char* bytes, size_t size, const char* mark) {
  const size_t at = push_item(to);
  QueryOperand* const value = &to->items[at].qoperand;
  pg_crc32 crc;
  value->type = QI_VAL;
  value->length = (uint32)(size + (mark ? 1 : 0));
  if (to->operands.len > MAXSTRPOS)
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("segmenter: the query is too long for a tsquery")));
  value->distance = (uint32)to->operands.len;
  appendBinaryStringInfo(&to->operands, bytes, (int)size);
  if (mark) appendStringInfoCharMacro(&to->operands, *mark);
  appendStringInfoCharMacro(&to->operands, 0);
  INIT_LEGACY_CRC32(crc);
  COMP_LEGACY_CRC32(crc, to->operands.data + value->distance, value->length);
  FIN_LEGACY_CRC32(crc);
  value->valcrc = (int32)crc;
}

/* A term with any mark, or with its own: both readings. */
static void push_forms(QueryTree* to, const Terms* terms, const segmenter_term* term, bool marked) {
  const char own[] = {mark_of(term), 0};
  const char* const marks = marked ? own : MARKS;
  const int n = (int)strlen(marks);
  int k;
  for (k = (term->other_size ? 2 : 1) * n; k-- > 0;) {
    const bool other = k >= n;
    if (k) push_operator(to, OP_OR, 0);
    push_value(to, terms->spellings + (other ? term->other : term->spelt), other ? term->other_size : term->spelt_size,
               &marks[k % n]);
    if (k) left_of(to, to->count - 2);
  }
}

/* The terms of a part in a row. */
static void push_phrase(QueryTree* to, const Terms* terms, const uint32* part, size_t n, bool marked) {
  size_t k;
  for (k = n; k-- > 1;) {
    const uint32 distance = terms->at[part[k]].position - terms->at[part[k - 1]].position;
    const size_t at = push_operator(to, OP_PHRASE, (int)distance);
    push_forms(to, terms, &terms->at[part[k]], marked);
    left_of(to, at);
  }
  push_forms(to, terms, &terms->at[part[0]], marked);
}

typedef struct Part {
  size_t first, last; /* terms */
} Part;

/* The parts of a query, as Terms.parts of _terms.py: its words, whole stretches of a few terms, or all. */
static size_t parts_of(const Terms* terms, bool whole, Part* out) {
  size_t n = 0, k = 0;
  if (whole) {
    out[0].first = 0;
    out[0].last = terms->count;
    return terms->count ? 1 : 0;
  }
  while (k < terms->count) {
    const size_t row = n;
    uint32 end = 0;
    while (k < terms->count) { /* the words of a stretch between blanks and punctuation */
      const size_t first = k;
      const segmenter_term* const term = &terms->at[k];
      while (k < terms->count && terms->at[k].word_start == term->word_start) ++k;
      if (term->sign) continue;
      if (n > row && term->position != end) {
        k = first;
        break;
      }
      out[n].first = first;
      out[n++].last = k;
      end = terms->at[k - 1].position + 1;
    }
    if (n > row) {
      size_t terms_in_row = 0, j;
      for (j = row; j < n; ++j) terms_in_row += out[j].last - out[j].first;
      if (terms_in_row <= ONE_WORD) {
        out[row].last = out[n - 1].last;
        n = row + 1;
      }
    }
  }
  return n;
}

/* What the parts of a query are made of: terms that fit into a lexeme. */
typedef struct Asked {
  Configuration* conf;
  const char* text;
  Terms terms;
  Part* parts;
  uint32* fits; /* terms of the parts; parts have their places here */
  bool marked, whole;
} Asked;

static void push_part(QueryTree* to, const Asked* from, const Part* part) {
  const uint32* const fits = from->fits + part->first;
  const size_t n = part->last - part->first;
  const segmenter_term *const first = &from->terms.at[fits[0]], *const last = &from->terms.at[fits[n - 1]];
  if (!from->marked && !from->whole && n > 1 && first->word_start == last->word_start &&
      first->start == first->word_start && last->end == last->word_end) { /* a word: also where positions end */
    const size_t at = push_operator(to, OP_OR, 0);
    size_t size;
    const char* const spelt = spelling_of(from->conf, from->text + first->start, last->end - first->start, &size);
    if (size >= LONGEST) { /* no text has it */
      to->count = at;
    } else {
      push_value(to, spelt, size, NULL);
      left_of(to, at);
    }
  }
  push_phrase(to, &from->terms, fits, n, from->marked);
}

/* Parts from `first` on, so that the tree is not deep. */
static void push_parts(QueryTree* to, const Asked* from, size_t first, size_t last, int oper) {
  const size_t middle = (first + last + 1) / 2;
  size_t at;
  CHECK_FOR_INTERRUPTS();
  if (last - first == 1) {
    push_part(to, from, &from->parts[first]);
    return;
  }
  at = push_operator(to, oper, 0);
  push_parts(to, from, middle, last, oper);
  left_of(to, at);
  push_parts(to, from, first, middle, oper);
}

static Datum query(FunctionCallInfo fcinfo, bool marked) {
  text* const in = PG_GETARG_TEXT_PP(0);
  Asked asked = {0};
  const size_t size = VARSIZE_ANY_EXHDR(in);
  const bool any = marked || PG_GETARG_BOOL(3);
  QueryTree made = {NULL, 0, 64, {0}};
  TSQuery out;
  size_t n, kept = 0, count = 0, k, j;
  asked.conf = configuration_of_text(PG_GETARG_TEXT_PP(1));
  asked.text = VARDATA_ANY(in);
  asked.marked = marked;
  asked.whole = !marked && PG_GETARG_BOOL(2);
  asked.terms = terms_of(asked.conf, asked.conf->worker, asked.text, size);
  asked.parts = MemoryContextAllocHuge(CurrentMemoryContext, (asked.terms.count + 1) * sizeof *asked.parts);
  asked.fits = MemoryContextAllocHuge(CurrentMemoryContext, (asked.terms.count + 1) * sizeof *asked.fits);
  n = parts_of(&asked.terms, asked.whole, asked.parts);
  for (k = 0; k < n; ++k) {
    const size_t first = count;
    for (j = asked.parts[k].first; j < asked.parts[k].last; ++j)
      if (asked.terms.at[j].spelt_size < LONGEST && (asked.whole || !asked.terms.at[j].sign))
        asked.fits[count++] = (uint32)j;
    if (count == first) continue;
    asked.parts[kept].first = first;
    asked.parts[kept++].last = count;
  }
  made.items = palloc(made.room * sizeof *made.items);
  initStringInfo(&made.operands);
  if (kept) push_parts(&made, &asked, 0, kept, any ? OP_OR : OP_AND);
  worker_done(asked.conf, size);
  if (TSQUERY_TOO_BIG(made.count, (size_t)made.operands.len))
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("segmenter: the query is too long for a tsquery")));
  out = palloc0(COMPUTESIZE(made.count, made.operands.len));
  SET_VARSIZE(out, COMPUTESIZE(made.count, made.operands.len));
  out->size = (int32)made.count;
  memcpy(GETQUERY(out), made.items, made.count * sizeof *made.items);
  memcpy(GETOPERAND(out), made.operands.data, made.operands.len);
  PG_RETURN_TSQUERY(out);
}

PG_FUNCTION_INFO_V1(segmenter_tsquery);
Datum segmenter_tsquery(PG_FUNCTION_ARGS) { return query(fcinfo, false); }

PG_FUNCTION_INFO_V1(segmenter_words);
Datum segmenter_words(PG_FUNCTION_ARGS) { return query(fcinfo, true); }

/* --- words ------------------------------------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(segmenter_sql_cut);
Datum segmenter_sql_cut(PG_FUNCTION_ARGS) {
  text* const in = PG_GETARG_TEXT_PP(0);
  Configuration* const conf = configuration_of_text(PG_GETARG_TEXT_PP(1));
  const char* const body = VARDATA_ANY(in);
  const size_t size = VARSIZE_ANY_EXHDR(in);
  const uint32_t* ends;
  size_t count, k;
  Datum* words;
  CALLED(conf->worker, segmenter_cut(conf->worker, body, size, SEGMENTER_UTF8_BYTES, &ends, &count));
  words = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof *words);
  for (k = 0; k < count; ++k) {
    const uint32_t start = k ? ends[k - 1] : 0;
    if (k % 65536 == 65535) CHECK_FOR_INTERRUPTS();
    words[k] = PointerGetDatum(cstring_to_text_with_len(body + start, (int)(ends[k] - start)));
  }
  worker_done(conf, size);
  PG_RETURN_ARRAYTYPE_P(construct_array(words, (int)count, TEXTOID, -1, false, TYPALIGN_INT));
}

typedef struct Tagged {
  const char* body;
  segmenter_token* tokens;
  char** tags;
} Tagged;

PG_FUNCTION_INFO_V1(segmenter_sql_tag);
Datum segmenter_sql_tag(PG_FUNCTION_ARGS) {
  FuncCallContext* rows;
  if (SRF_IS_FIRSTCALL()) {
    MemoryContext before;
    text* in;
    Configuration* conf;
    const segmenter_token* tokens;
    const char* const* tags;
    size_t count, k;
    Tagged* out;
    TupleDesc row;
    rows = SRF_FIRSTCALL_INIT();
    before = MemoryContextSwitchTo(rows->multi_call_memory_ctx);
    in = PG_GETARG_TEXT_P_COPY(0);
    conf = configuration_of_text(PG_GETARG_TEXT_PP(1));
    out = palloc(sizeof *out);
    out->body = VARDATA(in);
    CALLED(conf->worker, segmenter_tag(conf->worker, out->body, VARSIZE(in) - VARHDRSZ, SEGMENTER_UTF8_BYTES, &tokens,
                                       &tags, &count));
    out->tokens = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof *out->tokens);
    memcpy(out->tokens, tokens, count * sizeof *tokens);
    out->tags = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof *out->tags);
    for (k = 0; k < count; ++k) out->tags[k] = pstrdup(tags[k]); /* the segmenter's may be closed before the end */
    worker_done(conf, VARSIZE(in));
    if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE) elog(ERROR, "segmenter_tag: no row type");
    rows->tuple_desc = BlessTupleDesc(row);
    rows->max_calls = count;
    rows->user_fctx = out;
    MemoryContextSwitchTo(before);
  }
  rows = SRF_PERCALL_SETUP();
  if (rows->call_cntr < rows->max_calls) {
    const Tagged* const from = rows->user_fctx;
    const segmenter_token* const token = &from->tokens[rows->call_cntr];
    Datum values[3];
    bool nulls[3] = {false, false, false};
    values[0] = PointerGetDatum(cstring_to_text_with_len(from->body + token->start, (int)(token->end - token->start)));
    values[1] = CStringGetTextDatum(from->tags[rows->call_cntr]);
    values[2] = CStringGetTextDatum(segmenter_kind_name(token->kind));
    SRF_RETURN_NEXT(rows, HeapTupleGetDatum(heap_form_tuple(rows->tuple_desc, values, nulls)));
  }
  SRF_RETURN_DONE(rows);
}
