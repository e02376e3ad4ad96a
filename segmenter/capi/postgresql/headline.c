/* ts_headline: marks exactly the matched characters, also parts of words, for queries of
 * segmenter_tsquery() and of the dictionaries of a configuration. */
#include "extension.h"

#include "commands/defrem.h"
#include "lib/stringinfo.h"
#include "tsearch/ts_public.h"
#include "tsearch/ts_utils.h"
#include "utils/builtins.h"

/* How positions are counted: as segmenter_tsvector() does, or as a text search configuration does that
 * gives signs and line ends a position, or none. */
enum { OWN, SIGNS, NONE, COUNTINGS };

/* Where a part of the query matches: terms [start, end), and the positions of its first and its last term. */
typedef struct Match {
  uint32 start, end;
  uint32 first[COUNTINGS], last[COUNTINGS];
} Match;

typedef struct Matches {
  Match* items;
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

static void add_match(Matches* matches, const Text* text, size_t start, size_t end) {
  Match* match;
  if (matches->count == matches->room) {
    matches->room = Max(16, 2 * matches->room);
    matches->items = matches->items ? repalloc(matches->items, matches->room * sizeof *matches->items)
                                    : palloc(matches->room * sizeof *matches->items);
  }
  match = &matches->items[matches->count++];
  match->start = (uint32)start;
  match->end = (uint32)end;
  match->first[OWN] = match->last[OWN] = text->terms.items[start].position;
  match->first[SIGNS] = match->last[SIGNS] = (uint32)start + text->signs[start];
  match->first[NONE] = match->last[NONE] = (uint32)start;
}

static int by_place(const void* a, const void* b) {
  const Match *x = a, *y = b;
  return x->start != y->start ? (x->start < y->start ? -1 : 1) : (x->end > y->end) - (x->end < y->end);
}

/* The number of terms from k on that spell the lexeme; 0: they do not. */
static size_t spells(const Text* text, size_t k, const char* lexeme, size_t size, bool prefix) {
  const Terms* const terms = &text->terms;
  const size_t start = k;
  for (; size && k < terms->count; ++k) {
    const segmenter_term* const term = &terms->items[k];
    size_t n = term->spelt_size;
    const char* spelt = terms->spellings + term->spelt;
    if (k > start && term->position != terms->items[k - 1].position + 1) return 0;
    if (term->other_size && term->other_size <= size &&
        memcmp(terms->spellings + term->other, lexeme, term->other_size) == 0) {
      spelt = terms->spellings + term->other;
      n = term->other_size;
    }
    if (prefix && n > size && memcmp(spelt, lexeme, size) == 0) return k + 1 - start;
    if (n > size || memcmp(spelt, lexeme, n) != 0) return 0;
    lexeme += n;
    size -= n;
  }
  return size ? 0 : k - start;
}

static void match_operand(const Text* text, QueryOperand* item, const char* lexeme, Matches* matches) {
  const Terms* const terms = &text->terms;
  const size_t size = item->length;
  const char mark = size > 1 && strchr(".<->", lexeme[size - 1]) ? lexeme[size - 1] : 0;
  size_t k;
  int32 word;
  for (k = 0; k < terms->count; ++k) {
    size_t n = spells(text, k, lexeme, size, item->prefix);
    if (!n && mark && mark_of(&terms->items[k]) == mark && spells(text, k, lexeme, size - 1, false) == 1) n = 1;
    if (n) add_match(matches, text, k, k + n);
  }
  /* words from which another dictionary made this lexeme */
  for (word = 0, k = 0; word < text->parsed->curwords; ++word) {
    const HeadlineWordEntry* const entry = &text->parsed->words[word];
    const size_t start = text->starts[word], end = start + entry->len;
    size_t last, n;
    bool spelt = false;
    if (entry->item != item) continue;
    while (k < terms->count && terms->items[k].start < start) ++k;
    for (last = k; last < terms->count && terms->items[last].start < end; ++last) {
      n = spells(text, last, lexeme, size, item->prefix);
      if (!n && mark) n = spells(text, last, lexeme, size - 1, false);
      spelt = spelt || n;
    }
    if (!spelt && last > k) add_match(matches, text, k, last);
  }
  qsort(matches->items, matches->count, sizeof *matches->items, by_place);
}

/* The index of the first match whose first position, counted in one way, is not before `position`. */
static size_t first_at(const Matches* matches, int way, uint32 position) {
  size_t low = 0, high = matches->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (matches->items[middle].first[way] < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

static Matches match(const Text* text, QueryItem* item, const char* operands) {
  Matches matches = {NULL, 0, 0}, left, right;
  QueryOperator* op;
  size_t k, j;
  int way;
  check_stack_depth();
  CHECK_FOR_INTERRUPTS();
  if (item->type == QI_VAL) {
    match_operand(text, &item->qoperand, operands + item->qoperand.distance, &matches);
    return matches;
  }
  op = &item->qoperator;
  if (op->oper == OP_NOT) return matches;
  right = match(text, item + 1, operands);
  left = match(text, item + op->left, operands);
  if (op->oper != OP_PHRASE) { /* of an AND both sides are marked, even if one is missing */
    matches.count = matches.room = left.count + right.count;
    matches.items = palloc(Max(matches.count, 1) * sizeof *matches.items);
    if (left.count) memcpy(matches.items, left.items, left.count * sizeof *matches.items);
    if (right.count) memcpy(matches.items + left.count, right.items, right.count * sizeof *matches.items);
    qsort(matches.items, matches.count, sizeof *matches.items, by_place);
    return matches;
  }
  for (k = 0; k < left.count; ++k) {
    const Match* const first = &left.items[k];
    for (way = 0; way < COUNTINGS; ++way) {
      const uint32 position = first->last[way] + (uint32)op->distance;
      for (j = first_at(&right, way, position); j < right.count && right.items[j].first[way] == position; ++j) {
        const Match* const second = &right.items[j];
        Match* added;
        int earlier = 0;
        while (earlier < way && second->first[earlier] != first->last[earlier] + (uint32)op->distance) ++earlier;
        if (earlier < way) continue; /* found already */
        add_match(&matches, text, first->start, second->end);
        added = &matches.items[matches.count - 1];
        added->end = Max(first->end, second->end);
        memcpy(added->last, second->last, sizeof added->last);
      }
    }
  }
  if (matches.count) qsort(matches.items, matches.count, sizeof *matches.items, by_place);
  return matches;
}

/* --- fragments -------------------------------------------------------------------------------------- */

typedef struct Options {
  int max_words, min_words, fragments;
  bool highlight_all;
} Options;

static int number(DefElem* option, int min) {
  const int value = pg_strtoint32(defGetString(option));
  if (value < min)
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must be at least %d", option->defname, min)));
  return value;
}

static Options read_options(HeadlineParsedText* parsed, List* list) {
  Options options = {35, 15, 0, false};
  ListCell* cell;
  foreach (cell, list) {
    DefElem* const option = (DefElem*)lfirst(cell);
    const char* const name = option->defname;
    if (pg_strcasecmp(name, "MaxWords") == 0) options.max_words = number(option, 1);
    else if (pg_strcasecmp(name, "MinWords") == 0) options.min_words = number(option, 1);
    else if (pg_strcasecmp(name, "ShortWord") == 0) number(option, 0); /* Chinese words are short */
    else if (pg_strcasecmp(name, "MaxFragments") == 0) options.fragments = number(option, 0);
    else if (pg_strcasecmp(name, "StartSel") == 0) parsed->startsel = pstrdup(defGetString(option));
    else if (pg_strcasecmp(name, "StopSel") == 0) parsed->stopsel = pstrdup(defGetString(option));
    else if (pg_strcasecmp(name, "FragmentDelimiter") == 0) parsed->fragdelim = pstrdup(defGetString(option));
    else if (pg_strcasecmp(name, "HighlightAll") == 0) {
      const char* const value = defGetString(option);
      options.highlight_all = strcmp(value, "1") == 0 || pg_strcasecmp(value, "on") == 0 ||
                              pg_strcasecmp(value, "true") == 0 || pg_strcasecmp(value, "t") == 0 ||
                              pg_strcasecmp(value, "y") == 0 || pg_strcasecmp(value, "yes") == 0;
    } else
      ereport(ERROR,
              (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized headline parameter: \"%s\"", name)));
  }
  if (!options.highlight_all && options.min_words > options.max_words)
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("MinWords must not be more than MaxWords")));
  if (!parsed->startsel) parsed->startsel = pstrdup("<b>");
  if (!parsed->stopsel) parsed->stopsel = pstrdup("</b>");
  if (!parsed->fragdelim) parsed->fragdelim = pstrdup(" ... ");
  parsed->startsellen = (int16)strlen(parsed->startsel);
  parsed->stopsellen = (int16)strlen(parsed->stopsel);
  parsed->fragdelimlen = (int16)strlen(parsed->fragdelim);
  return options;
}

/* Appends an entry to the headline; a long one in pieces. */
static void append_entry(HeadlineParsedText* parsed, const char* text, size_t size, bool shown, bool selected) {
  do {
    size_t n = Min(size, PG_UINT16_MAX);
    HeadlineWordEntry* entry;
    while (n < size && n && ((unsigned char)text[n] & 0xC0) == 0x80) --n;
    if (parsed->curwords == parsed->lenwords)
      parsed->words = repalloc_huge(parsed->words, (parsed->lenwords *= 2) * sizeof *parsed->words);
    entry = &parsed->words[parsed->curwords++];
    memset(entry, 0, sizeof *entry);
    entry->word = palloc(n + 1);
    memcpy(entry->word, text, n);
    entry->len = n;
    entry->in = shown;
    entry->selected = selected;
    text += n;
    size -= n;
  } while (size);
}

/* Appends bytes [start, end), selected where `marked`. */
static void append_fragment(HeadlineParsedText* parsed, const Text* text, const bool* marked, size_t start,
                            size_t end) {
  while (start < end) {
    size_t next = start + 1;
    while (next < end && marked[next] == marked[start]) ++next;
    append_entry(parsed, text->body + start, next - start, true, marked[start]);
    start = next;
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
  Matches matches = {NULL, 0, 0};
  Window *words, *windows;
  size_t n_words = 0, n_windows = 0, max_windows = Max(options.fragments, 1), k, j;
  bool *marked, *used;
  uint32 signs = 0;
  int* hits; /* hits[k]: how many of the first k words are marked */
  int32 entry;

  initStringInfo(&body);
  text.parsed = parsed;
  text.starts = palloc(Max(parsed->curwords, 1) * sizeof *text.starts);
  for (entry = 0; entry < parsed->curwords; ++entry) {
    const HeadlineWordEntry* const source = &parsed->words[entry];
    text.starts[entry] = source->repeated && entry ? text.starts[entry - 1] : body.len;
    if (!source->repeated) appendBinaryStringInfo(&body, source->word, source->len);
  }
  text.body = body.data;
  text.size = body.len;
  text.terms = terms_of(conf, conf->worker, text.body, text.size);
  text.signs = palloc((text.terms.count + 1) * sizeof *text.signs);
  for (entry = 0, k = 0; entry < parsed->curwords; ++entry) {
    const HeadlineWordEntry* const source = &parsed->words[entry];
    const size_t end = text.starts[entry] + source->len, lead = k;
    if (source->repeated) continue;
    for (; k < text.terms.count && text.terms.items[k].start < end; ++k) text.signs[k] = signs;
    signs += k == lead && strcmp(segmenter_kind_name(source->type - 1), "space") != 0;
  }
  for (; k < text.terms.count; ++k) text.signs[k] = signs;
  if (query->size) matches = match(&text, GETQUERY(query), GETOPERAND(query));
  marked = palloc0(text.size + 1);
  for (k = 0; k < matches.count; ++k) {
    const size_t start = text.terms.items[matches.items[k].start].start;
    memset(marked + start, true, text.terms.items[matches.items[k].end - 1].end - start);
  }

  /* words: entries that have terms */
  words = palloc(Max(parsed->curwords, 1) * sizeof *words);
  hits = palloc0((parsed->curwords + 1) * sizeof *hits);
  for (entry = 0, k = 0; entry < parsed->curwords; ++entry) {
    const HeadlineWordEntry* const source = &parsed->words[entry];
    const size_t start = text.starts[entry], end = start + source->len;
    if (source->repeated) continue;
    while (k < text.terms.count && text.terms.items[k].start < start) ++k;
    if (k == text.terms.count || text.terms.items[k].start >= end) continue;
    words[n_words].first = start;
    words[n_words].last = end;
    hits[n_words + 1] = hits[n_words] + (memchr(marked + start, true, source->len) != NULL);
    ++n_words;
  }
  parsed->curwords = 0; /* the entries are replaced by those of the headline */
  if (options.highlight_all) {
    append_fragment(parsed, &text, marked, 0, text.size);
  } else {
    const size_t max_words = (size_t)options.max_words;
    windows = palloc(max_windows * sizeof *windows);
    used = palloc0(n_words + 1);
    while (n_windows < max_windows) { /* the stretch with the most marked words, the first of them */
      size_t best = 0, start = 0, end, lead, last;
      int best_hits = 0;
      for (k = 0; k < n_words; ++k) {
        const size_t stop = Min(k + max_words, n_words);
        if (hits[k + 1] == hits[k] || used[k] || hits[stop] - hits[k] <= best_hits) continue;
        for (j = k; j < stop && !used[j];) ++j;
        if (hits[j] - hits[k] > best_hits) {
          best_hits = hits[j] - hits[k];
          best = k;
        }
      }
      if (!best_hits) break;
      for (end = best, last = best; end < Min(best + max_words, n_words) && !used[end]; ++end)
        if (hits[end + 1] > hits[end]) last = end;
      lead = (max_words - (last + 1 - best)) / 2; /* in the middle */
      for (start = best; lead && start && !used[start - 1]; --lead) --start;
      for (end = start; end < Min(start + max_words, n_words) && !used[end];) used[end++] = true;
      for (; start && !used[start - 1] && end - start < max_words; --start) used[start - 1] = true;
      windows[n_windows].first = start;
      windows[n_windows++].last = end;
    }
    if (!n_windows && n_words) {
      windows[0].first = 0;
      windows[n_windows++].last = Min((size_t)options.min_words, n_words);
    }
    qsort(windows, n_windows, sizeof *windows, by_first);
    for (k = 0; k < n_windows; ++k) {
      const size_t start = windows[k].first ? words[windows[k].first].first : 0;
      const size_t end = windows[k].last < n_words ? words[windows[k].last].first : text.size;
      if (k && windows[k].first > windows[k - 1].last) append_entry(parsed, "", 0, false, false);
      append_fragment(parsed, &text, marked, start, end);
    }
  }
  worker_done(conf, text.size);
  PG_RETURN_POINTER(parsed);
}
