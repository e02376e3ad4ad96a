/* Shared by the parts of the extension: a named configuration, opened and checked. */
#ifndef SEGMENTER_EXTENSION_H
#define SEGMENTER_EXTENSION_H

#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "tsearch/ts_type.h"

#include "segmenter.h"

#define DEFAULT_CONFIGURATION "balanced"
/* As in adapters/postgres.py: the limit of the bytes of a lexeme without its mark, the last position, the
 * limit of the positions of a lexeme, the terms of a query part that is searched for as one word. */
#define LONGEST 2046
#define LAST (MAXENTRYPOS - 1)
#define MANY (MAXNUMPOS - 1)
#define ONE_WORD 3

/* A configuration opened by this back-end. */
typedef struct Configuration {
  struct Configuration* next;
  char name[NAMEDATALEN];
  segmenter_engine* engine;
  segmenter_worker* worker; /* of texts */
  segmenter_worker* inner;  /* of words */
  int form;                 /* of segmenter_terms() */
  char* fingerprint;
  uint64 checked; /* the value of `changes` at the last comparison of fingerprints */
  uint32 opened;  /* a serial number, over all configurations */
} Configuration;

/* The result of terms_of(), valid until the next call with the same worker. */
typedef struct Terms {
  const segmenter_term* items;
  size_t count;
  const char* spellings;
} Terms;

extern Configuration* configuration(const char* name);
extern Configuration* configuration_of_text(text* name);
extern Configuration* configuration_of_function(FmgrInfo* function, const char* prefix);

/* Calls of the library, whose errors become errors of the server. */
extern Terms terms_of(Configuration* conf, segmenter_worker* worker, const char* utf8, size_t size);
extern const segmenter_token* tokens_of(segmenter_worker* worker, const char* utf8, size_t size, int mode,
                                        size_t* count);
extern const char* spelling_of(Configuration* conf, const char* utf8, size_t size, size_t* n);
extern void refuse(segmenter_worker* worker, int status) pg_attribute_noreturn();
/* Runs `call`, whose value is a status; a cancelled query ends it. */
#define CALLED(worker, call)                                      \
  do {                                                            \
    int status_ = (call);                                         \
    if (status_ == SEGMENTER_ENDED) {                             \
      CHECK_FOR_INTERRUPTS();                                     \
      segmenter_worker_ask(worker, NULL); /* interrupts are held off */ \
      status_ = (call);                                           \
      segmenter_worker_ask(worker, query_ended);                  \
    }                                                             \
    if (status_) refuse(worker, status_);                         \
  } while (0)
extern int query_ended(void);
extern void worker_done(Configuration* conf, size_t size);

/* The mark of a term: the first of its word, the last, both or neither. */
static inline char mark_of(const segmenter_term* term) {
  return "-><."[2 * (term->start == term->word_start) + (term->end >= term->word_end)];
}

#endif
