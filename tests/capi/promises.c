/* What segmenter.h promises, asked from C99: promises FOLDER [THREADS]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segmenter.h"

static int failures = 0;

static void expect(int right, const char* what, const char* said) {
  if (right) return;
  ++failures;
  fprintf(stderr, "FAILED: %s (%s)\n", what, said);
}

static const char* const TEXT =
    "\xe4\xbb\x96\xe8\xaf\xb4\xe7\x9a\x84\xe7\xa1\xae\xe5\xae\x9e"
    "\xe5\x9c\xa8\xe7\x90\x86\xf0\x9f\x98\x80"; /* 他说的确实在理😀 */

static void refuses(const segmenter_options* options, int status, const char* hint) {
  char why[512] = "unset", tiny[8];
  segmenter_engine* seg = (segmenter_engine*)&failures;
  const int got = segmenter_open(options, &seg, why, sizeof why);
  expect(got == status, hint, why);
  expect(seg == NULL, "an engine that was not opened is NULL", hint);
  expect(strstr(why, hint) != NULL, hint, why);
  expect(segmenter_open(options, &seg, tiny, sizeof tiny) == status && strlen(tiny) < sizeof tiny,
         "a small buffer for the error", hint);
  expect(segmenter_open(options, &seg, NULL, 0) == status, "no buffer for the error", hint);
}

static void opening(const char* folder) {
  segmenter_options o;
  char why[64];
  segmenter_engine* seg;
  memset(&o, 0, sizeof o);
  refuses(&o, SEGMENTER_BAD_ARGUMENT, "struct_size");
  o.struct_size = sizeof o - 1 + (1 << 20);
  refuses(&o, SEGMENTER_BAD_ARGUMENT, "struct_size");
  o.struct_size = 3;
  refuses(&o, SEGMENTER_BAD_ARGUMENT, "struct_size");
  o.struct_size = sizeof o;
  refuses(&o, SEGMENTER_BAD_ARGUMENT, "folder");
  refuses(NULL, SEGMENTER_BAD_ARGUMENT, "options");
  o.folder = "/no/such/folder";
  refuses(&o, SEGMENTER_NO_FILE, "no such file");
  o.folder = folder;
  expect(segmenter_open(&o, NULL, why, sizeof why) == SEGMENTER_BAD_ARGUMENT, "out is NULL", why);
#define WRONG(member, value, hint)           \
  o.member = value;                          \
  refuses(&o, SEGMENTER_BAD_ARGUMENT, hint); \
  o.member = NULL
  WRONG(preset, "quick", "preset: 'quick' is neither a preset (fast, balanced, accurate, best) nor a file");
  WRONG(standard, "", "standard: '' is not one of general, pku");
  WRONG(decoder, "viterbi", "decoder: 'viterbi' is not one of unigram");
  WRONG(oov, "hmm", "oov: 'hmm' is for lattices");
  WRONG(oov, "words", "oov: 'words' is not one of");
  WRONG(skip, "space,words", "skip: 'words' is not one of space, punct");
  WRONG(atoms, "url", "atoms: 'url' is not of the form rule=setting");
  WRONG(search, "min_length=0", "search: min_length='0' is not a number from 2");
  WRONG(search, "double", "search: 'double' is none of min_length=N");
  WRONG(atoms, "emoji=split", "only forced user words split grapheme clusters");
  o.user = "\xe5\xa5\xbd\n\xe5\xa5\xbd\toften";
  o.user_size = strlen(o.user);
  refuses(&o, SEGMENTER_BAD_TEXT, "user, line 2: 'often' is neither a level");
  o.user = NULL;
  refuses(&o, SEGMENTER_BAD_ARGUMENT, "user: a null pointer");
  o.user_size = 0;
  o.user_file = "/no/such/words.tsv";
  refuses(&o, SEGMENTER_NO_FILE, "/no/such/words.tsv: there is no such file");
  o.user_file = NULL;
  {
    /* a member that this library does not know, as a later header would have it */
    struct {
      segmenter_options known;
      const char* later;
    } longer;
    memset(&longer, 0, sizeof longer);
    longer.known.struct_size = sizeof longer;
    longer.known.folder = folder;
    longer.known.preset = "fast";
    longer.later = "x";
    refuses(&longer.known, SEGMENTER_BAD_ARGUMENT, "later version");
    longer.later = NULL;
    expect(segmenter_open(&longer.known, &seg, why, sizeof why) == 0, "unknown members of 0", why);
    segmenter_free(seg);
  }
}

static void files_in_memory(const char* folder) {
  /* a file of the caller's: wrong ones are named, the right one opens */
  char path[4096], why[512];
  segmenter_options o;
  segmenter_file file;
  segmenter_engine* seg;
  FILE* from;
  long size;
  char* data;
  snprintf(path, sizeof path, "%s/general-fast.model", folder);
  from = fopen(path, "rb");
  fseek(from, 0, SEEK_END);
  size = ftell(from);
  rewind(from);
  data = malloc((size_t)size);
  expect(fread(data, 1, (size_t)size, from) == (size_t)size, "reading the model", path);
  fclose(from);
  memset(&o, 0, sizeof o);
  o.struct_size = sizeof o;
  o.preset = "fast";
  o.files = &file;
  o.n_files = 1;
  file.name = "general-fast.model";
  file.data = data;
  file.size = (size_t)size;
  expect(segmenter_open(&o, &seg, why, sizeof why) == 0, "a file in memory", why);
  segmenter_free(seg);
  o.preset = NULL;
  refuses(&o, SEGMENTER_NO_FILE, "general-balanced.model is needed");
  o.preset = "fast";
  file.size = (size_t)size - 64;
  refuses(&o, SEGMENTER_BAD_FILE, "is truncated");
  file.size = 0;
  refuses(&o, SEGMENTER_BAD_FILE, "the file is empty");
  file.size = (size_t)size;
  file.data = data + 4;
  refuses(&o, SEGMENTER_BAD_ARGUMENT, "multiple of 8 bytes");
  file.data = NULL;
  refuses(&o, SEGMENTER_BAD_ARGUMENT, "multiple of 8 bytes");
  file.data = data;
  data[size / 2] ^= 1;
  refuses(&o, SEGMENTER_BAD_FILE, "is damaged");
  data[size / 2] ^= 1;
  data[0] ^= 1;
  refuses(&o, SEGMENTER_BAD_FILE, "first bytes are damaged");
  data[0] ^= 1;
  o.decoder = "unigram";
  file.name = "general.lex"; /* the wrong kind of file under the right name */
  refuses(&o, SEGMENTER_BAD_FILE, "is of kind 'tagger', where 'lexicon' is expected");
  free(data);
}

static void tokens_and_tags(segmenter_worker* one) {
  static const uint32_t positions[] = {0, 1, 2, 3, 3, 4, 5, 5, 6, 7};
  const segmenter_token* tokens;
  const char* const* tags;
  size_t count, i;
  expect(segmenter_tag(one, TEXT, strlen(TEXT), 0, &tokens, &tags, &count) == 0 && count == 6,
         "tag", segmenter_error(one));
  for (i = 0; i < count; ++i) expect(tags[i][0] && tokens[i].position == i, "a tag", tags[i]);
  expect(strcmp(tags[0], "r") == 0 && strcmp(tags[2], "u") == 0, "the tags of 他 and 的", tags[0]);
  expect(segmenter_tag(one, "", 0, 0, &tokens, &tags, &count) == 0 && count == 0, "no words", "");
  expect(segmenter_tag(one, TEXT, 3, 0, &tokens, NULL, &count) == SEGMENTER_BAD_ARGUMENT &&
             tokens == NULL && strstr(segmenter_error(one), "tags: a null pointer"),
         "no place for tags", segmenter_error(one));
  expect(segmenter_tokenize(one, TEXT, strlen(TEXT), SEGMENTER_INDEX, 0, &tokens, &count) == 0 &&
             count == 10,
         "tokens of an index", segmenter_error(one));
  for (i = 0; i < count; ++i)
    expect(tokens[i].position == positions[i] && tokens[i].position_length > 0, "a place", TEXT);
  expect(segmenter_tokenize(one, TEXT, 3, 4, 0, &tokens, &count) == SEGMENTER_BAD_ARGUMENT &&
             !tokens && strstr(segmenter_error(one), "mode: 4 is not a segmenter_mode"),
         "an unknown mode", segmenter_error(one));
}

/* 大学 is found in 臺灣大學的圖書館: both folded, each by a worker of its own. */
static void searching(segmenter_worker* one, segmenter_worker* two) {
  static const char* const text =
      "\xe8\x87\xba\xe7\x81\xa3\xe5\xa4\xa7\xe5\xad\xb8\xe7\x9a\x84"
      "\xe5\x9c\x96\xe6\x9b\xb8\xe9\xa4\xa8";
  const uint32_t *in, *wanted;
  size_t n, m, at;
  expect(segmenter_fold(one, text, strlen(text), &in, &n) == 0 && n == 8, "fold",
         segmenter_error(one));
  expect(segmenter_fold(two, "\xe5\xa4\xa7\xe5\xad\xa6", 6, &wanted, &m) == 0 && m == 2, "fold",
         segmenter_error(two));
  for (at = 0; at + m <= n && memcmp(in + at, wanted, m * sizeof *in) != 0;) ++at;
  expect(at == 2, "the place of the query", text);
  expect(segmenter_fold(one, text, 4, &in, &n) == SEGMENTER_BAD_TEXT && !in && !n, "no UTF-8",
         segmenter_error(one));
}

static void cutting(const char* folder) {
  static const uint32_t points[] = {1, 2, 3, 5, 7, 8}, bytes[] = {3, 6, 9, 15, 21, 25},
                        units[] = {1, 2, 3, 5, 7, 9};
  const uint32_t* const right[] = {points, bytes, units};
  segmenter_options o;
  segmenter_engine* seg;
  segmenter_worker *one, *two;
  const uint32_t* ends;
  size_t count, i;
  char why[512];
  int unit;
  memset(&o, 0, sizeof o);
  o.struct_size = sizeof o;
  o.folder = folder;
  o.preset = "fast";
  if (segmenter_open(&o, &seg, why, sizeof why)) {
    expect(0, "opening fast", why);
    return;
  }
  expect(why[0] == 0, "no error after a success", why);
  expect(strncmp(segmenter_fingerprint(seg), "segmenter-zh/rules-", 19) == 0, "fingerprint",
         segmenter_fingerprint(seg));
  expect(segmenter_worker_new(NULL, &one) == SEGMENTER_BAD_ARGUMENT && !one, "no engine", "");
  expect(segmenter_worker_new(seg, NULL) == SEGMENTER_BAD_ARGUMENT, "no place for a worker", "");
  expect(segmenter_worker_new(seg, &one) == 0 && segmenter_worker_new(seg, &two) == 0, "workers",
         "");
  segmenter_free(seg); /* workers keep what they need */
  for (unit = 0; unit < 3; ++unit) {
    expect(segmenter_cut(one, TEXT, strlen(TEXT), unit, &ends, &count) == 0 && count == 6, "cut",
           segmenter_error(one));
    for (i = 0; i < count; ++i) expect(ends[i] == right[unit][i], "an end", TEXT);
  }
  expect(segmenter_cut(one, NULL, 0, 0, &ends, &count) == 0 && count == 0, "no text", "");
  expect(segmenter_cut(one, "", 0, 0, &ends, &count) == 0 && count == 0, "an empty text", "");
  expect(segmenter_cut(one, "a\0b", 3, 0, &ends, &count) == 0 && ends[count - 1] == 3,
         "a text with a zero", segmenter_error(one));
  tokens_and_tags(one);
  searching(one, two);
#define CUT_FAILS(call, status, hint)                     \
  expect((call) == (status), hint, segmenter_error(one)); \
  expect(strstr(segmenter_error(one), hint) != NULL, hint, segmenter_error(one))
  CUT_FAILS(segmenter_cut(one, NULL, 3, 0, &ends, &count), SEGMENTER_BAD_ARGUMENT, "null pointer");
  expect(ends == NULL && count == 0, "nothing after an error", "");
  CUT_FAILS(segmenter_cut(one, TEXT, 3, 7, &ends, &count), SEGMENTER_BAD_ARGUMENT, "unit: 7");
  CUT_FAILS(segmenter_cut(one, TEXT, 3, 0, NULL, &count), SEGMENTER_BAD_ARGUMENT, "ends");
  CUT_FAILS(segmenter_fold(one, TEXT, 3, NULL, &count), SEGMENTER_BAD_ARGUMENT, "points");
  CUT_FAILS(segmenter_tokenize(one, TEXT, 3, 4, 0, NULL, &count), SEGMENTER_BAD_ARGUMENT, "tokens");
  CUT_FAILS(segmenter_token_at(one, TEXT, 3, 0, 0, 0, NULL, &count), SEGMENTER_BAD_ARGUMENT, "token");
  CUT_FAILS(segmenter_cut(one, TEXT, 3, 0, &ends, NULL), SEGMENTER_BAD_ARGUMENT, "count");
  CUT_FAILS(segmenter_cut(one, TEXT, 4, 0, &ends, &count), SEGMENTER_BAD_TEXT, "UTF-8 at byte 3");
  CUT_FAILS(segmenter_cut(one, "\xed\xa0\x80", 3, 0, &ends, &count), SEGMENTER_BAD_TEXT, "byte 0");
  CUT_FAILS(segmenter_cut(one, TEXT, SIZE_MAX, 0, &ends, &count), SEGMENTER_BAD_TEXT, "longer");
  expect(segmenter_cut(NULL, TEXT, 3, 0, &ends, &count) == SEGMENTER_BAD_ARGUMENT, "no worker", "");
  expect(strlen(segmenter_error(NULL)) > 0, "the error of no worker", "");
  expect(segmenter_cut(one, TEXT, 3, 0, &ends, &count) == 0 && !*segmenter_error(one),
         "a worker after an error", segmenter_error(one));
  segmenter_worker_free(one);
  expect(segmenter_cut(two, TEXT, 9, 0, &ends, &count) == 0 && count == 3, "the other worker", "");
  segmenter_worker_free(two);
  segmenter_worker_free(NULL);
  segmenter_free(NULL);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  expect(strlen(segmenter_version()) >= 5, "version", segmenter_version());
  opening(argv[1]);
  files_in_memory(argv[1]);
  cutting(argv[1]);
  if (!failures) puts("promises kept");
  return failures != 0;
}
