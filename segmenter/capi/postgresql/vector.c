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
  uint64 key;    /* its first bytes, so that few lexemes are compared byte by byte */
  uint32 offset; /* of its bytes in the buffer */
  uint32 number; /* in the order of the text */
  uint16 size;
  uint16 position;
} Lexeme;

typedef struct Lexemes {
  Lexeme* items;
  size_t count, room;
  StringInfoData bytes;
} Lexemes;

static void push_lexeme(Lexemes* lexemes, const char* bytes, size_t size, const char* mark, uint32 position) {
  Lexeme* lexeme;
  size_t k;
  if (size >= LONGEST) return;
  if (lexemes->count == lexemes->room)
    lexemes->items = repalloc_huge(lexemes->items, (lexemes->room *= 2) * sizeof *lexemes->items);
  lexeme = &lexemes->items[lexemes->count];
  lexeme->offset = lexemes->bytes.len;
  lexeme->size = (uint16)(size + (mark ? 1 : 0));
  lexeme->position = (uint16)Min(position + 1, LAST);
  lexeme->number = (uint32)lexemes->count++;
  appendBinaryStringInfo(&lexemes->bytes, bytes, (int)size);
  if (mark) appendStringInfoCharMacro(&lexemes->bytes, *mark);
  lexeme->key = 0;
  for (k = 0; k < Min(lexeme->size, 8); ++k)
    lexeme->key |= (uint64)(unsigned char)lexemes->bytes.data[lexeme->offset + k] << (56 - 8 * k);
}

static inline bool is_same(const char* bytes, const Lexeme* a, const Lexeme* b) {
  return a->key == b->key && a->size == b->size &&
         (a->size <= 8 || memcmp(bytes + a->offset, bytes + b->offset, a->size) == 0);
}

/* By bytes, as tsvectors are sorted, then in the order of the text. */
static inline int by_text(const Lexeme* x, const Lexeme* y, const char* bytes) {
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  if (x->size > 8 && y->size > 8) {
    const int order = memcmp(bytes + x->offset, bytes + y->offset, Min(x->size, y->size));
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
static TSVector tsvector_of(Lexemes* lexemes) {
  const char* const spelt = lexemes->bytes.data;
  size_t words = 0, bytes = 0, k;
  TSVector vector;
  WordEntry* entry;
  char *text, *end;
  sort_lexemes(lexemes->items, lexemes->count, spelt);
  for (k = 0; k < lexemes->count;) { /* the exact size: cheaper than an upper bound */
    size_t next = k + 1;
    uint16 n = 1;
    while (next < lexemes->count && is_same(spelt, &lexemes->items[k], &lexemes->items[next])) {
      n += next - k < MANY && lexemes->items[next].position != lexemes->items[next - 1].position;
      ++next;
    }
    ++words;
    bytes = SHORTALIGN(bytes + lexemes->items[k].size) + sizeof(uint16) + n * sizeof(WordEntryPos);
    k = next;
  }
  if (bytes > MAXSTRPOS)
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("string is too long for tsvector (%zu bytes, max %d bytes)", bytes, MAXSTRPOS),
                    errhint("Split long texts into rows.")));
  vector = palloc0(CALCDATASIZE(words, bytes));
  SET_VARSIZE(vector, CALCDATASIZE(words, bytes));
  vector->size = (int32)words;
  entry = ARRPTR(vector);
  text = end = STRPTR(vector);
  for (k = 0; k < lexemes->count; ++entry) {
    const Lexeme* const first = &lexemes->items[k];
    uint16* n;
    WordEntryPos* places;
    size_t next = k;
    entry->haspos = 1;
    entry->len = first->size;
    entry->pos = (uint32)(end - text);
    memcpy(end, spelt + first->offset, first->size);
    end = text + SHORTALIGN(end - text + first->size);
    n = (uint16*)end;
    places = (WordEntryPos*)(end + sizeof(uint16));
    *n = 0;
    while (next < lexemes->count && is_same(spelt, first, &lexemes->items[next])) {
      if (next - k < MANY && (!*n || lexemes->items[next].position != WEP_GETPOS(places[*n - 1])))
        places[(*n)++] = lexemes->items[next].position;
      ++next;
    }
    end = (char*)(places + *n);
    k = next;
  }
  return vector;
}

static void push_term(Lexemes* lexemes, const Terms* terms, const segmenter_term* term) {
  const char mark = mark_of(term);
  push_lexeme(lexemes, terms->spellings + term->spelt, term->spelt_size, &mark, term->position);
  if (term->other_size) push_lexeme(lexemes, terms->spellings + term->other, term->other_size, &mark, term->position);
}

/* Adds a word and the words inside it at the last position, when PostgreSQL keeps no more positions of its
 * characters. */
static void push_inner_words(Configuration* conf, Lexemes* lexemes, const char* word, size_t size) {
  size_t count, k;
  const segmenter_token* const inner = tokens_of(conf->inner, word, size, SEGMENTER_SEARCH, &count);
  segmenter_token* const tokens = palloc(Max(count, 1) * sizeof *tokens);
  memcpy(tokens, inner, count * sizeof *tokens);
  for (k = 0; k < count; ++k) {
    size_t n;
    const char* const spelt = spelling_of(conf, word + tokens[k].start, tokens[k].end - tokens[k].start, &n);
    push_lexeme(lexemes, spelt, n, NULL, LAST);
  }
  pfree(tokens);
}

PG_FUNCTION_INFO_V1(segmenter_tsvector);
Datum segmenter_tsvector(PG_FUNCTION_ARGS) {
  text* const source = PG_GETARG_TEXT_PP(0);
  Configuration* const conf = configuration_of_text(PG_GETARG_TEXT_PP(1));
  const char* const body = VARDATA_ANY(source);
  const size_t size = VARSIZE_ANY_EXHDR(source);
  const Terms terms = terms_of(conf, conf->worker, body, size);
  Lexemes lexemes = {NULL, 0, Max(terms.count, 16), {0}};
  TSVector vector;
  size_t k;
  lexemes.items = MemoryContextAllocHuge(CurrentMemoryContext, lexemes.room * sizeof *lexemes.items);
  initStringInfo(&lexemes.bytes);
  for (k = 0; k < terms.count; ++k) {
    if (k % 65536 == 65535) CHECK_FOR_INTERRUPTS();
    push_term(&lexemes, &terms, &terms.items[k]);
  }
  /* beyond the limits of positions, add whole words, which are found all the same */
  if (lexemes.count > MANY) {
    const size_t n_own = lexemes.count;
    bool* const overfull = palloc0(n_own);
    uint32 last_word = PG_UINT32_MAX;
    size_t n = 0;
    CHECK_FOR_INTERRUPTS();
    sort_lexemes(lexemes.items, n_own, lexemes.bytes.data);
    for (k = 0; k < n_own; ++k) {
      n = k && is_same(lexemes.bytes.data, &lexemes.items[k - 1], &lexemes.items[k]) ? n + 1 : 0;
      overfull[lexemes.items[k].number] = n >= MANY;
    }
    for (k = 0, n = 0; k < terms.count; ++k) {
      const segmenter_term* const term = &terms.items[k];
      bool is_overfull = false;
      if (term->spelt_size < LONGEST) is_overfull |= overfull[n++];
      if (term->other_size) is_overfull |= overfull[n++];
      if ((is_overfull || (term->position >= LAST && term->spelt_size < LONGEST)) && term->word_start != last_word) {
        CHECK_FOR_INTERRUPTS();
        last_word = term->word_start;
        push_inner_words(conf, &lexemes, body + term->word_start, term->word_end - term->word_start);
      }
    }
    pfree(overfull);
  }
  CHECK_FOR_INTERRUPTS();
  vector = tsvector_of(&lexemes);
  pfree(lexemes.items);
  pfree(lexemes.bytes.data);
  worker_done(conf, size);
  PG_RETURN_TSVECTOR(vector);
}

/* --- queries ---------------------------------------------------------------------------------------- */

/* A tsquery as PostgreSQL stores it: operators before their right and then their left sides.  tsqueryin()
 * would take quadratic time. */
typedef struct QueryTree {
  QueryItem* items;
  size_t count, room;
  StringInfoData operands;
} QueryTree;

static size_t push_item(QueryTree* tree) {
  if (tree->count == tree->room) tree->items = repalloc_huge(tree->items, (tree->room *= 2) * sizeof *tree->items);
  memset(&tree->items[tree->count], 0, sizeof *tree->items);
  return tree->count++;
}

static size_t push_operator(QueryTree* tree, int oper, int distance) {
  const size_t index = push_item(tree);
  tree->items[index].qoperator.type = QI_OPR;
  tree->items[index].qoperator.oper = oper;
  tree->items[index].qoperator.distance = distance;
  return index;
}

/* The left side of an operator begins here. */
static void set_left(QueryTree* tree, size_t index) {
  tree->items[index].qoperator.left = (uint32)(tree->count - index);
}

static void push_value(QueryTree* tree, const char* bytes, size_t size, const char* mark) {
  const size_t index = push_item(tree);
  QueryOperand* const value = &tree->items[index].qoperand;
  pg_crc32 crc;
  value->type = QI_VAL;
  value->length = (uint32)(size + (mark ? 1 : 0));
  if (tree->operands.len > MAXSTRPOS)
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("segmenter: the query is too long for a tsquery")));
  value->distance = (uint32)tree->operands.len;
  appendBinaryStringInfo(&tree->operands, bytes, (int)size);
  if (mark) appendStringInfoCharMacro(&tree->operands, *mark);
  appendStringInfoCharMacro(&tree->operands, 0);
  INIT_LEGACY_CRC32(crc);
  COMP_LEGACY_CRC32(crc, tree->operands.data + value->distance, value->length);
  FIN_LEGACY_CRC32(crc);
  value->valcrc = (int32)crc;
}

/* A term with any mark, or with its own mark, in both readings. */
static void push_forms(QueryTree* tree, const Terms* terms, const segmenter_term* term, bool marked) {
  const char own_mark[] = {mark_of(term), 0};
  const char* const marks = marked ? own_mark : MARKS;
  const int n = (int)strlen(marks);
  int k;
  for (k = (term->other_size ? 2 : 1) * n; k-- > 0;) {
    const bool is_other = k >= n;
    if (k) push_operator(tree, OP_OR, 0);
    push_value(tree, terms->spellings + (is_other ? term->other : term->spelt),
               is_other ? term->other_size : term->spelt_size, &marks[k % n]);
    if (k) set_left(tree, tree->count - 2);
  }
}

/* The terms of a part as a phrase. */
static void push_phrase(QueryTree* tree, const Terms* terms, const uint32* part, size_t n, bool marked) {
  size_t k;
  for (k = n; k-- > 1;) {
    const uint32 distance = terms->items[part[k]].position - terms->items[part[k - 1]].position;
    const size_t index = push_operator(tree, OP_PHRASE, (int)distance);
    push_forms(tree, terms, &terms->items[part[k]], marked);
    set_left(tree, index);
  }
  push_forms(tree, terms, &terms->items[part[0]], marked);
}

typedef struct Part {
  size_t first, last; /* terms */
} Part;

/* The parts of a query, as Terms.parts of _terms.py: words, short stretches of words, or the whole query. */
static size_t parts_of(const Terms* terms, bool phrase, Part* parts) {
  size_t n = 0, k = 0;
  if (phrase) {
    parts[0].first = 0;
    parts[0].last = terms->count;
    return terms->count ? 1 : 0;
  }
  while (k < terms->count) {
    const size_t row = n;
    uint32 end = 0;
    while (k < terms->count) { /* the words of a stretch between blanks and punctuation */
      const size_t first = k;
      const segmenter_term* const term = &terms->items[k];
      while (k < terms->count && terms->items[k].word_start == term->word_start) ++k;
      if (term->sign) continue;
      if (n > row && term->position != end) {
        k = first;
        break;
      }
      parts[n].first = first;
      parts[n++].last = k;
      end = terms->items[k - 1].position + 1;
    }
    if (n > row) {
      size_t terms_in_row = 0, j;
      for (j = row; j < n; ++j) terms_in_row += parts[j].last - parts[j].first;
      if (terms_in_row <= ONE_WORD) {
        parts[row].last = parts[n - 1].last;
        n = row + 1;
      }
    }
  }
  return n;
}

/* A query in parts, whose terms fit into a lexeme. */
typedef struct SearchQuery {
  Configuration* conf;
  const char* text;
  Terms terms;
  Part* parts;
  uint32* fits; /* the terms that fit; parts are ranges of this array */
  bool marked, phrase;
} SearchQuery;

static void push_part(QueryTree* tree, const SearchQuery* query, const Part* part) {
  const uint32* const fits = query->fits + part->first;
  const size_t n = part->last - part->first;
  const segmenter_term *const first = &query->terms.items[fits[0]], *const last = &query->terms.items[fits[n - 1]];
  /* a word as one lexeme is found beyond the last position too */
  if (!query->marked && !query->phrase && n > 1 && first->word_start == last->word_start &&
      first->start == first->word_start && last->end == last->word_end) {
    const size_t index = push_operator(tree, OP_OR, 0);
    size_t size;
    const char* const spelt = spelling_of(query->conf, query->text + first->start, last->end - first->start, &size);
    if (size >= LONGEST) { /* no text contains it */
      tree->count = index;
    } else {
      push_value(tree, spelt, size, NULL);
      set_left(tree, index);
    }
  }
  push_phrase(tree, &query->terms, fits, n, query->marked);
}

/* Adds parts [first, last) as a balanced tree. */
static void push_parts(QueryTree* tree, const SearchQuery* query, size_t first, size_t last, int oper) {
  const size_t middle = (first + last + 1) / 2;
  size_t index;
  CHECK_FOR_INTERRUPTS();
  if (last - first == 1) {
    push_part(tree, query, &query->parts[first]);
    return;
  }
  index = push_operator(tree, oper, 0);
  push_parts(tree, query, middle, last, oper);
  set_left(tree, index);
  push_parts(tree, query, first, middle, oper);
}

static Datum build_query(FunctionCallInfo fcinfo, bool marked) {
  text* const source = PG_GETARG_TEXT_PP(0);
  SearchQuery query = {0};
  const size_t size = VARSIZE_ANY_EXHDR(source);
  const bool any = marked || PG_GETARG_BOOL(3);
  QueryTree tree = {NULL, 0, 64, {0}};
  TSQuery result;
  size_t n, n_parts = 0, count = 0, k, j;
  query.conf = configuration_of_text(PG_GETARG_TEXT_PP(1));
  query.text = VARDATA_ANY(source);
  query.marked = marked;
  query.phrase = !marked && PG_GETARG_BOOL(2);
  query.terms = terms_of(query.conf, query.conf->worker, query.text, size);
  query.parts = MemoryContextAllocHuge(CurrentMemoryContext, (query.terms.count + 1) * sizeof *query.parts);
  query.fits = MemoryContextAllocHuge(CurrentMemoryContext, (query.terms.count + 1) * sizeof *query.fits);
  n = parts_of(&query.terms, query.phrase, query.parts);
  for (k = 0; k < n; ++k) {
    const size_t first = count;
    for (j = query.parts[k].first; j < query.parts[k].last; ++j)
      if (query.terms.items[j].spelt_size < LONGEST && (query.phrase || !query.terms.items[j].sign))
        query.fits[count++] = (uint32)j;
    if (count == first) continue;
    query.parts[n_parts].first = first;
    query.parts[n_parts++].last = count;
  }
  tree.items = palloc(tree.room * sizeof *tree.items);
  initStringInfo(&tree.operands);
  if (n_parts) push_parts(&tree, &query, 0, n_parts, any ? OP_OR : OP_AND);
  worker_done(query.conf, size);
  if (TSQUERY_TOO_BIG(tree.count, (size_t)tree.operands.len))
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("segmenter: the query is too long for a tsquery")));
  result = palloc0(COMPUTESIZE(tree.count, tree.operands.len));
  SET_VARSIZE(result, COMPUTESIZE(tree.count, tree.operands.len));
  result->size = (int32)tree.count;
  memcpy(GETQUERY(result), tree.items, tree.count * sizeof *tree.items);
  memcpy(GETOPERAND(result), tree.operands.data, tree.operands.len);
  PG_RETURN_TSQUERY(result);
}

PG_FUNCTION_INFO_V1(segmenter_tsquery);
Datum segmenter_tsquery(PG_FUNCTION_ARGS) { return build_query(fcinfo, false); }

PG_FUNCTION_INFO_V1(segmenter_words);
Datum segmenter_words(PG_FUNCTION_ARGS) { return build_query(fcinfo, true); }

/* --- words ------------------------------------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(segmenter_sql_cut);
Datum segmenter_sql_cut(PG_FUNCTION_ARGS) {
  text* const source = PG_GETARG_TEXT_PP(0);
  Configuration* const conf = configuration_of_text(PG_GETARG_TEXT_PP(1));
  const char* const body = VARDATA_ANY(source);
  const size_t size = VARSIZE_ANY_EXHDR(source);
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
    MemoryContext context;
    text* source;
    Configuration* conf;
    const segmenter_token* tokens;
    const char* const* tags;
    size_t count, k;
    Tagged* tagged;
    TupleDesc row;
    rows = SRF_FIRSTCALL_INIT();
    context = MemoryContextSwitchTo(rows->multi_call_memory_ctx);
    source = PG_GETARG_TEXT_P_COPY(0);
    conf = configuration_of_text(PG_GETARG_TEXT_PP(1));
    tagged = palloc(sizeof *tagged);
    tagged->body = VARDATA(source);
    CALLED(conf->worker, segmenter_tag(conf->worker, tagged->body, VARSIZE(source) - VARHDRSZ, SEGMENTER_UTF8_BYTES,
                                       &tokens, &tags, &count));
    tagged->tokens = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof *tagged->tokens);
    memcpy(tagged->tokens, tokens, count * sizeof *tokens);
    tagged->tags = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof *tagged->tags);
    /* copies, as the segmenter may be closed before the last row */
    for (k = 0; k < count; ++k) tagged->tags[k] = pstrdup(tags[k]);
    worker_done(conf, VARSIZE(source));
    if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE) elog(ERROR, "segmenter_tag: no row type");
    rows->tuple_desc = BlessTupleDesc(row);
    rows->max_calls = count;
    rows->user_fctx = tagged;
    MemoryContextSwitchTo(context);
  }
  rows = SRF_PERCALL_SETUP();
  if (rows->call_cntr < rows->max_calls) {
    const Tagged* const tagged = rows->user_fctx;
    const segmenter_token* const token = &tagged->tokens[rows->call_cntr];
    Datum values[3];
    bool nulls[3] = {false, false, false};
    values[0] = PointerGetDatum(
        cstring_to_text_with_len(tagged->body + token->start, (int)(token->end - token->start)));
    values[1] = CStringGetTextDatum(tagged->tags[rows->call_cntr]);
    values[2] = CStringGetTextDatum(segmenter_kind_name(token->kind));
    SRF_RETURN_NEXT(rows, HeapTupleGetDatum(heap_form_tuple(rows->tuple_desc, values, nulls)));
  }
  SRF_RETURN_DONE(rows);
}
