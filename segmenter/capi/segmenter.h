/* segmenter.h: Chinese word segmentation from C, and from every language that can call C.
 *
 *   segmenter_options options = {sizeof options, "/usr/share/segmenter"};
 *   segmenter_engine* seg;
 *   segmenter_worker* worker;
 *   char error[256];
 *   if (segmenter_open(&options, &seg, error, sizeof error)) { fputs(error, stderr); exit(1); }
 *   segmenter_worker_new(seg, &worker);
 *   segmenter_cut(worker, text, strlen(text), SEGMENTER_UTF8_BYTES, &ends, &count);
 *
 * Threads.  An opened segmenter is immutable: any number of threads may share it.  A worker holds
 * the memory of one call and its result: only one thread may use it at a time.
 *
 * Errors.  Every function that can fail returns a segmenter_status, 0 for success, and leaves an
 * English message that says what is wrong and what to do: segmenter_open() in the buffer of the
 * caller, all other functions in segmenter_error() of the worker.  After an error the results
 * are NULL and 0, and the worker can be used again.  No exception leaves the library, and no input
 * makes it abort.
 *
 * Results.  Memory returned by a function of a worker belongs to the worker and is valid until the
 * next call with that worker; memory returned by a segmenter is valid as long as the segmenter.
 *
 * Stability.  Within one SONAME no function, constant or member of a struct changes its meaning
 * or its place.  Structs that the caller fills begin with their size, so that members can be added
 * at the end: members that an older caller does not know are 0.
 */
#ifndef SEGMENTER_H
#define SEGMENTER_H

#include <stddef.h>
#include <stdint.h>

#ifndef SEGMENTER_API
#if defined(_WIN32) && !defined(SEGMENTER_STATIC)
#define SEGMENTER_API __declspec(dllimport)
#elif defined(__GNUC__)
#define SEGMENTER_API __attribute__((visibility("default")))
#else
#define SEGMENTER_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct segmenter_engine segmenter_engine;
typedef struct segmenter_worker segmenter_worker;

typedef enum segmenter_status {
  SEGMENTER_OK = 0,
  SEGMENTER_BAD_ARGUMENT = 1, /* an unknown name, a missing pointer, options that exclude others */
  SEGMENTER_NO_FILE = 2,      /* a compiled file is missing or cannot be read */
  SEGMENTER_BAD_FILE = 3,     /* a compiled file is damaged, foreign, or newer than this library */
  SEGMENTER_BAD_TEXT = 4,     /* the text is not UTF-8, or too long for one call; a line of the user's
                                 words cannot be read */
  SEGMENTER_NO_MEMORY = 5,
  SEGMENTER_FAULT = 6,        /* a defect of this library: please report it */
  SEGMENTER_ENDED = 7         /* the callback of segmenter_worker_ask() ended the call */
} segmenter_status;

/* What offsets count. */
typedef enum segmenter_unit {
  SEGMENTER_CODE_POINTS = 0,
  SEGMENTER_UTF8_BYTES = 1,
  SEGMENTER_UTF16_UNITS = 2
} segmenter_unit;

/* A compiled file in memory.  `data` begins at a multiple of 8 bytes and outlives the segmenter. */
typedef struct segmenter_file {
  const char* name; /* as in the folder: general-fast.model */
  const void* data;
  size_t size;
} segmenter_file;

/* How to open a segmenter.  Strings are UTF-8 and end with 0; NULL, like any member that is 0,
 * means the default. */
typedef struct segmenter_options {
  size_t struct_size;     /* sizeof(segmenter_options) of the caller */
  const char* folder;     /* the folder of the compiled files; no default, unless `files` are given */
  const char* preset;     /* "balanced" (the default), "fast", "accurate" or "best"; or the name of a
                             compiled lexicon or model in the folder or among the files */
  const char* standard;   /* "general" (the default) or "pku"; of "accurate", "best" any of theirs */
  const char* decoder;    /* instead of the preset's: "unigram", "bigram", "shortest", ... */
  const char* oov;        /* "chars" (the default), "keep", "hmm" or "tagger"; the last three for
                             lattices only */
  const char* skip;       /* "space", "punct" or "space,punct": no tokens of these kinds */
  const char* atoms;      /* "url=split,date=model", or "none", "keep" or "split" for all rules */
  const char* user;       /* words of the user: `user_size` bytes of the text of a dictionary, a word
                             a line, or what `segmenter build user` compiled from one */
  size_t user_size;
  const segmenter_file* files; /* instead of a folder: the files that the preset needs */
  size_t n_files;
  int32_t no_variants;    /* 1: Traditional forms are not read as the forms of the lexicon */
  int32_t trust_files;    /* 1: checksums are not computed; everything else is checked all the same */
  const char* search;     /* of the tokens of an index: "min_length=3,ngrams=2,runs=split,single", the
                             members of SearchOptions of Python; the same for index and queries */
  const char* user_file;  /* instead of `user`: the file with the words */
  size_t word_memory;     /* a limit in bytes, approximate, of the word caches of the part-of-speech
                             tagger and of each worker; 0: no limit, some MB */
} segmenter_options;

/* The version of the library, such as "0.9.0". */
SEGMENTER_API const char* segmenter_version(void);

/* Opens a preset: maps its files, checks them, and sets *out, which segmenter_free() frees.
 * `error` (may be NULL) receives at most error_size bytes, including the 0 at the end. */
SEGMENTER_API int segmenter_open(const segmenter_options* options, segmenter_engine** out,
                                 char* error, size_t error_size);

/* Frees a segmenter; NULL is allowed.  It may be freed before or after its workers. */
SEGMENTER_API void segmenter_free(segmenter_engine* seg);

/* An index stores the fingerprint to know when to rebuild: two segmenters of equal fingerprint give
 * the same boundaries on every text.  Equal to Segmenter.fingerprint of Python. */
SEGMENTER_API const char* segmenter_fingerprint(const segmenter_engine* seg);

/* 1: words may begin or end inside a run of letters or digits, because of user words or atoms with
 * such options; else 0.  An index of such runs must take this into account. */
SEGMENTER_API int segmenter_cuts_runs(const segmenter_engine* seg);

/* Sets *out to a worker over a segmenter, which segmenter_worker_free() frees. */
SEGMENTER_API int segmenter_worker_new(const segmenter_engine* seg, segmenter_worker** out);

/* Frees a worker; NULL is allowed. */
SEGMENTER_API void segmenter_worker_free(segmenter_worker* worker);

/* Lets long calls of a worker end early: they call `ended` from time to time, at most every 20 ms and
 * in the thread of the call, and return SEGMENTER_ENDED if it returns other than 0.  NULL: no callback.
 * `ended` must return, and must not use the worker. */
SEGMENTER_API void segmenter_worker_ask(segmenter_worker* worker, int (*ended)(void));

/* The message of the worker's last error; "" after a success.  Never NULL. */
SEGMENTER_API const char* segmenter_error(const segmenter_worker* worker);

/* Cuts a text into words: *ends is where each ends, exclusive, in units of `unit`; the first word
 * begins at 0 and each other where the one before it ends, unless words are skipped. */
SEGMENTER_API int segmenter_cut(segmenter_worker* worker, const char* utf8, size_t size, int unit,
                                const uint32_t** ends, size_t* count);

/* Which tokens segmenter_tokenize() returns: the modes of Segmenter.tokenize of Python.  Tokens inside a
 * word come after this word; they nest, and are sorted by start, then longest first. */
typedef enum segmenter_mode {
  SEGMENTER_WORDS = 0,  /* the words */
  SEGMENTER_SEARCH = 1, /* and the words inside them */
  SEGMENTER_INDEX = 2,  /* and their characters: so an index matches a query however it is cut */
  SEGMENTER_QUERY = 3   /* the same, of a query */
} segmenter_mode;

/* A token.  This struct never changes: a new function would have a new struct. */
typedef struct segmenter_token {
  uint32_t start, end;      /* in units of `unit`, exclusive */
  uint32_t position;        /* its position in the token graph, as in Lucene */
  uint32_t position_length; /* how many positions it spans: with SEGMENTER_WORDS 1 */
  int32_t kind;             /* segmenter_kind_name() names it */
  int32_t reserved;         /* 0 */
} segmenter_token;

/* The tokens of a text.  All modes except SEGMENTER_WORDS need the lexicon, STANDARD.lex, which the
 * first call opens. */
SEGMENTER_API int segmenter_tokenize(segmenter_worker* worker, const char* utf8, size_t size,
                                     int mode, int unit, const segmenter_token** tokens,
                                     size_t* count);

/* Which word segmenter_token_at() returns. */
typedef enum segmenter_place {
  SEGMENTER_AT = 0,      /* the word that contains the character at the offset */
  SEGMENTER_NEXT = 1,    /* the first word that begins after the offset, not a blank or line end */
  SEGMENTER_PREVIOUS = 2 /* the last word that begins before the offset, not a blank or line end */
} segmenter_place;

/* The word at an offset of a text, or beside it: the token of segmenter_tokenize() there, with position
 * 0.  *count is 1, or 0 if there is none.  Only the lines around it, or the sentences around it in a long
 * line, are read and checked to be UTF-8: the time does not depend on the size of the text, unless offsets
 * count other units than bytes, which are counted from the beginning, or user words contain line ends.
 * `offset` is from 0 to the end of the text, in units of `unit`, like the offsets of the token; an offset
 * inside a character means this character. */
SEGMENTER_API int segmenter_token_at(segmenter_worker* worker, const char* utf8, size_t size,
                                     size_t offset, int place, int unit,
                                     const segmenter_token** token, size_t* count);

/* The words of a text, as in segmenter_tokenize(), and the part of speech of each in this
 * context: (*tags)[i] is the tag of (*tokens)[i], "n" or "v", and valid as long as the segmenter.  The
 * same as Segmenter.tag of Python.  Needs pos.model, which the first call opens. */
SEGMENTER_API int segmenter_tag(segmenter_worker* worker, const char* utf8, size_t size, int unit,
                                const segmenter_token** tokens, const char* const** tags,
                                size_t* count);

/* "word", "number", "date", "latin", "punct", "url", ...; NULL for a number that is not a kind. */
SEGMENTER_API const char* segmenter_kind_name(int kind);

/* The text folded as for look-ups in the lexicon: a Traditional character becomes its Simplified form;
 * of two readings (後: 後, or 后) the reading of the longer word is taken. */
SEGMENTER_API int segmenter_fold(segmenter_worker* worker, const char* utf8, size_t size,
                                 const uint32_t** points, size_t* count);

/* How an index spells its terms: a sum of these flags. */
typedef enum segmenter_form {
  SEGMENTER_SCRIPTS_APART = 1, /* Traditional, Hong Kong and Taiwan forms do not match each other */
  SEGMENTER_RUNS_SPLIT = 2     /* letters and digits are terms one by one, not runs of them */
} segmenter_form;

/* A term: a character, or a run of letters or digits, as an index of every substring stores it.  The
 * terms of a text depend on its characters alone; blanks, line ends and punctuation are not terms.  This
 * struct never changes. */
typedef struct segmenter_term {
  uint32_t start, end;           /* in units of `unit`, exclusive */
  uint32_t word_start, word_end; /* the word that it begins in */
  uint32_t position;             /* its number in the text, counting units that are left out */
  uint32_t spelt, spelt_size;    /* its spelling, with width, case and script folded: bytes of
                                    *spellings */
  uint32_t other, other_size;    /* a second reading, 后 of 後; size 0: none */
  int32_t sign;                  /* 1: its word is punctuation */
} segmenter_term;

/* The terms of a text, for an index of every substring and its queries, and the UTF-8 bytes of their
 * spellings.  `form` is a sum of segmenter_form.  The same terms as in the adapters of Python. */
SEGMENTER_API int segmenter_terms(segmenter_worker* worker, const char* utf8, size_t size, int form,
                                  int unit, const segmenter_term** terms, size_t* count,
                                  const char** spellings);

/* A text in the spelling of terms, including blanks and signs: UTF-8 of *spelling_size bytes. */
SEGMENTER_API int segmenter_spell(segmenter_worker* worker, const char* utf8, size_t size, int form,
                                  const char** spelling, size_t* spelling_size);

/* The suffix to segmenter_fingerprint() for the fingerprint of an index of such terms, which is then
 * equal to that of the adapters of Python: " terms=2-...". */
SEGMENTER_API const char* segmenter_form_name(int form);

#ifdef __cplusplus
}
#endif

#endif /* SEGMENTER_H */
