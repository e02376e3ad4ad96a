/* ts_headline: marks exactly the matched characters, also parts of words, for queries of
 * segmenter_tsquery() and of the dictionaries of a configuration. */
#include "extension.h"

#include "commands/defrem.h"
#include "lib/stringinfo.h"
#include "tsearch/ts_public.h"
#include "tsearch/ts_utils.h"
#include "utils/builtins.h"

/* How positions are counted: as segmenter_tsvector() does, or as a configuration that gives signs and
 * line ends a place, or none. */
enum { OWN, SIGNS, NONE, WAYS };

/* Where a part of the query matches: terms [from, to), and the positions of its first and its last term. */
typedef struct Match {
  uint32 from, to;
  uint32 first[WAYS], last[WAYS];
} Match;

typedef struct Matches {
  Match* at;
  size_t count, room;
} Matches;

typedef struct Text {
  const char* body;
  size_t size;
  Terms terms;
  HeadlineParsedText* parsed;
  size_t* starts; /* of the entries of `parsed` */
  uint32* signs;  /* before each term */
} Text;

static void push(Matches* to, const Text* text, size_t from, size_t end) {
  Match* made;
  if (to->count == to->room) {
    to->room = Max(16, 2 * to->room);
    to->at = to->at ? repalloc(to->at, to->room * sizeof *to->at) : palloc(to->room * sizeof *to->at);
  }
  made = &to->at[to->count++];
  made->from = (uint32)from;
  made->to = (uint32)end;
  made->first[OWN] = made->last[OWN] = text->terms.at[from].position;
  made->first[SIGNS] = made->last[SIGNS] = (uint32)from + text->signs[from];
  made->first[NONE] = made->last[NONE] = (uint32)from;
}

static int by_place(const void* a, const void* b) {
  const Match *x = a, *y = b;
  return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

/* How many terms from k on spell the lexeme; 0: they do not. */
static size_t spells(const Text* text, size_t k, const char* lexeme, size_t size, bool prefix) {
  const Terms* const terms = &text->terms;
  const size_t from = k;
  for (; size && k < terms->count; ++k) {
    const segmenter_term* const term = &terms->at[k];
    size_t n = term->spelt_size;
    const char* spelt = terms->spellings + term->spelt;
    if (k > from && term->position != terms->at[k - 1].position + 1) return 0;
    if (term->other_size && term->other_size <= size &&
        memcmp(terms->spellings + term->other, lexeme, term->other_size) == 0) {
      spelt = terms->spellings + term->other;
      n = term->other_size;
    }
    if (prefix && n > size && memcmp(spelt, lexeme, size) == 0) return k + 1 - from;
    if (n > size || memcmp(spelt, lexeme, n) != 0) return 0;
    lexeme += n;
    size -= n;
  }
  return size ? 0 : k - from;
}

static void match_operand(const Text* text, QueryOperand* item, const char* lexeme, Matches* out) {
  const Terms* const terms = &text->terms;
  const size_t size = item->length;
  const char mark = size > 1 && strchr(".<->", lexeme[size - 1]) ? lexeme[size - 1] : 0;
  size_t k;
  int32 word;
  for (k = 0; k < terms->count; ++k) {
    size_t n = spells(text, k, lexeme, size, item->prefix);
    if (!n && mark && mark_of(&terms->at[k]) == mark && spells(text, k, lexeme, size - 1, false) == 1) n = 1;
    if (n) push(out, text, k, k + n);
  }
  /* words that another dictionary made this lexeme of */
  for (word = 0, k = 0; word < text->parsed->curwords; ++word) {
    const HeadlineWordEntry* const entry = &text->parsed->words[word];
    const size_t start = text->starts[word], end = start + entry->len;
    size_t last, n;
    bool spelt = false;
    if (entry->item != item) continue;
    while (k < terms->count && terms->at[k].start < start) ++k;
    for (last = k; last < terms->count && terms->at[last].start < end; ++last) {
      n = spells(text, last, lexeme, size, item->prefix);
      if (!n && mark) n = spells(text, last, lexeme, size - 1, false);
      spelt = spelt || n;
    }
    if (!spelt && last > k) push(out, text, k, last);
  }
  qsort(out->at, out->count, sizeof *out->at, by_place);
}

/* The first of `in` whose first position, counted in one way, is not before `position`. */
static size_t first_at(const Matches* in, int way, uint32 position) {
  size_t low = 0, high = in->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (in->at[middle].first[way] < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

static Matches match(const Text* text, QueryItem* item, const char* operands) {
  Matches out = {NULL, 0, 0}, left, right;
  QueryOperator* op;
  size_t k, j;
  int way;
  check_stack_depth();
  CHECK_FOR_INTERRUPTS();
  if (item->type == QI_VAL) {
    match_operand(text, &item->qoperand, operands + item->qoperand.distance, &out);
    return out;
  }
  op = &item->qoperator;
  if (op->oper == OP_NOT) return out;
  right = match(text, item + 1, operands);
  left = match(text, item + op->left, operands);
  if (op->oper != OP_PHRASE) { /* both of an AND are marked, also where one is missing */
    out.count = out.room = left.count + right.count;
    out.at = palloc(Max(out.count, 1) * sizeof *out.at);
    if (left.count) memcpy(out.at, left.at, left.count * sizeof *out.at);
    if (right.count) memcpy(out.at + left.count, right.at, right.count * sizeof *out.at);
    qsort(out.at, out.count, sizeof *out.at, by_place);
    return out;
  }
  for (k = 0; k < left.count; ++k) {
    const Match* const a = &left.at[k];
    for (way = 0; way < WAYS; ++way) {
      const uint32 position = a->last[way] + (uint32)op->distance;
      for (j = first_at(&right, way, position); j < right.count && right.at[j].first[way] == position; ++j) {
        const Match* const b = &right.at[j];
        Match* made;
        int before = 0;
        while (before < way && b->first[before] != a->last[before] + (uint32)op->distance) ++before;
        if (before < way) continue; /* found already */
        push(&out, text, a->from, b->to);
        made = &out.at[out.count - 1];
        made->to = Max(a->to, b->to);
        memcpy(made->last, b->last, sizeof made->last);
      }
    }
  }
  if (out.count) qsort(out.at, out.count, sizeof *out.at, by_place);
  return out;
}

/* --- fragments -------------------------------------------------------------------------------------- */

typedef struct Options {
  int most, least, fragments;
  bool all;
} Options;

static int number(DefElem* option, int least) {
  const int value = pg_strtoint32(defGetString(option));
  if (value < least)
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must be at least %d", option->defname, least)));
  return value;
}

static Options read_options(HeadlineParsedText* parsed, List* given) {
  Options out = {35, 15, 0, false};
  ListCell* cell;
  foreach (cell, given) {
    DefElem* const option = (DefElem*)lfirst(cell);
    const char* const name = option->defname;
    if (pg_strcasecmp(name, "MaxWords") == 0) out.most = number(option, 1);
    else if (pg_strcasecmp(name, "MinWords") == 0) out.least = number(option, 1);
    else if (pg_strcasecmp(name, "ShortWord") == 0) number(option, 0); /* Chinese words are short */
    else if (pg_strcasecmp(name, "MaxFragments") == 0) out.fragments = number(option, 0);
    else if (pg_strcasecmp(name, "StartSel") == 0) parsed->startsel = pstrdup(defGetString(option));
    else if (pg_strcasecmp(name, "StopSel") == 0) parsed->stopsel = pstrdup(defGetString(option));
    else if (pg_strcasecmp(name, "FragmentDelimiter") == 0) parsed->fragdelim = pstrdup(defGetString(option));
    else if (pg_strcasecmp(name, "HighlightAll") == 0) {
      const char* const value = defGetString(option);
      out.all = strcmp(value, "1") == 0 || pg_strcasecmp(value, "on") == 0 || pg_strcasecmp(value, "true") == 0 ||
                pg_strcasecmp(value, "t") == 0 || pg_strcasecmp(value, "y") == 0 || pg_strcasecmp(value, "yes") == 0;
    } else
      ereport(ERROR,
              (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized headline parameter: \"%s\"", name)));
  }
  if (!out.all && out.least > out.most)
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("MinWords must not be more than MaxWords")));
  if (!parsed->startsel) parsed->startsel = pstrdup("<b>");
  if (!parsed->stopsel) parsed->stopsel = pstrdup("</b>");
  if (!parsed->fragdelim) parsed->fragdelim = pstrdup(" ... ");
  parsed->startsellen = (int16)strlen(parsed->startsel);
  parsed->stopsellen = (int16)strlen(parsed->stopsel);
  parsed->fragdelimlen = (int16)strlen(parsed->fragdelim);
  return out;
}

/* Appends an entry to what is shown; a long one in pieces. */
static void show(HeadlineParsedText* to, const char* text, size_t size, bool in, bool selected) {
  do {
    size_t n = Min(size, PG_UINT16_MAX);
    HeadlineWordEntry* made;
    while (n < size && n && ((unsigned char)text[n] & 0xC0) == 0x80) --n;
    if (to->curwords == to->lenwords)
      to->words = repalloc_huge(to->words, (to->lenwords *= 2) * sizeof *to->words);
    made = &to->words[to->curwords++];
    memset(made, 0, sizeof *made);
    made->word = palloc(n + 1);
    memcpy(made->word, text, n);
    made->len = n;
    made->in = in;
    made->selected = selected;
    text += n;
    size -= n;
  } while (size);
}

/* Shows bytes [from, to) with marks where `marked` says so. */
static void show_fragment(HeadlineParsedText* to, const Text* text, const bool* marked, size_t from, size_t end) {
  while (from < end) {
    size_t next = from + 1;
    while (next < end && marked[next] == marked[from]) ++next;
    show(to, text->body + from, next - from, true, marked[from]);
    from = next;
  }
}

typedef struct Window {
  size_t first, last; /* words */
} Window;

static int by_first(const void* a, const void* b) {
  const Window *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

PG_FUNCTION_INFO_V1(segmenter_headline);
Datum segmenter_headline(PG_FUNCTION_ARGS) {
  HeadlineParsedText* const parsed = (HeadlineParsedText*)PG_GETARG_POINTER(0);
  const TSQuery query = PG_GETARG_TSQUERY(2);
  Configuration* const conf = configuration_of_function(fcinfo->flinfo, "segmenter_headline");
  const Options options = read_options(parsed, (List*)PG_GETARG_POINTER(1));
  StringInfoData body;
  Text text = {0};
  Matches found = {NULL, 0, 0};
  Window *words, *windows;
  size_t n_words = 0, n_windows = 0, wanted = Max(options.fragments, 1), k, j;
  bool *marked, *taken;
  uint32 signs = 0;
  int* hits; /* of the first words, in words that have some */
  int32 entry;

  initStringInfo(&body);
  text.parsed = parsed;
  text.starts = palloc(Max(parsed->curwords, 1) * sizeof *text.starts);
  for (entry = 0; entry < parsed->curwords; ++entry) {
    const HeadlineWordEntry* const in = &parsed->words[entry];
    text.starts[entry] = in->repeated && entry ? text.starts[entry - 1] : body.len;
    if (!in->repeated) appendBinaryStringInfo(&body, in->word, in->len);
  }
  text.body = body.data;
  text.size = body.len;
  text.terms = terms_of(conf, conf->worker, text.body, text.size);
  text.signs = palloc((text.terms.count + 1) * sizeof *text.signs);
  for (entry = 0, k = 0; entry < parsed->curwords; ++entry) {
    const HeadlineWordEntry* const in = &parsed->words[entry];
    const size_t end = text.starts[entry] + in->len, before = k;
    if (in->repeated) continue;
    for (; k < text.terms.count && text.terms.at[k].start < end; ++k) text.signs[k] = signs;
    signs += k == before && strcmp(segmenter_kind_name(in->type - 1), "space") != 0;
  }
  for (; k < text.terms.count; ++k) text.signs[k] = signs;
  if (query->size) found = match(&text, GETQUERY(query), GETOPERAND(query));
  marked = palloc0(text.size + 1);
  for (k = 0; k < found.count; ++k) {
    const size_t start = text.terms.at[found.at[k].from].start;
    memset(marked + start, true, text.terms.at[found.at[k].to - 1].end - start);
  }

  /* words: entries that have terms */
  words = palloc(Max(parsed->curwords, 1) * sizeof *words);
  hits = palloc0((parsed->curwords + 1) * sizeof *hits);
  for (entry = 0, k = 0; entry < parsed->curwords; ++entry) {
    const HeadlineWordEntry* const in = &parsed->words[entry];
    const size_t start = text.starts[entry], end = start + in->len;
    if (in->repeated) continue;
    while (k < text.terms.count && text.terms.at[k].start < start) ++k;
    if (k == text.terms.count || text.terms.at[k].start >= end) continue;
    words[n_words].first = start;
    words[n_words].last = end;
    hits[n_words + 1] = hits[n_words] + (memchr(marked + start, true, in->len) != NULL);
    ++n_words;
  }
  parsed->curwords = 0; /* the entries become those that are shown */
  if (options.all) {
    show_fragment(parsed, &text, marked, 0, text.size);
  } else {
    const size_t most = (size_t)options.most;
    windows = palloc(wanted * sizeof *windows);
    taken = palloc0(n_words + 1);
    while (n_windows < wanted) { /* the stretch with the most marked words, the first of them */
      size_t best = 0, from = 0, end, before, last;
      int most_hits = 0;
      for (k = 0; k < n_words; ++k) {
        const size_t stop = Min(k + most, n_words);
        if (hits[k + 1] == hits[k] || taken[k] || hits[stop] - hits[k] <= most_hits) continue;
        for (j = k; j < stop && !taken[j];) ++j;
        if (hits[j] - hits[k] > most_hits) {
          most_hits = hits[j] - hits[k];
          best = k;
        }
      }
      if (!most_hits) break;
      for (end = best, last = best; end < Min(best + most, n_words) && !taken[end]; ++end)
        if (hits[end + 1] > hits[end]) last = end;
      before = (most - (last + 1 - best)) / 2; /* in the middle */
      for (from = best; before && from && !taken[from - 1]; --before) --from;
      for (end = from; end < Min(from + most, n_words) && !taken[end];) taken[end++] = true;
      for (; from && !taken[from - 1] && end - from < most; --from) taken[from - 1] = true;
      windows[n_windows].first = from;
      windows[n_windows++].last = end;
    }
    if (!n_windows && n_words) {
      windows[0].first = 0;
      windows[n_windows++].last = Min((size_t)options.least, n_words);
    }
    qsort(windows, n_windows, sizeof *windows, by_first);
    for (k = 0; k < n_windows; ++k) {
      const size_t from = windows[k].first ? words[windows[k].first].first : 0;
      const size_t end = windows[k].last < n_words ? words[windows[k].last].first : text.size;
      if (k && windows[k].first > windows[k - 1].last) show(parsed, "", 0, false, false);
      show_fragment(parsed, &text, marked, from, end);
    }
  }
  worker_done(conf, text.size);
  PG_RETURN_POINTER(parsed);
}
