/* Named configurations: a file that a superuser installs, opened once by each back-end, and compared
 * with the fingerprint that the database keeps. */
#include "extension.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "storage/fd.h"
#include "tsearch/ts_locale.h"
#include "tsearch/ts_public.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include <sys/stat.h>

PG_MODULE_MAGIC;

#define TABLE "segmenter_configurations"
#define WORD_MEMORY (768 << 10) /* for every back-end */
#define LONG_TEXT (1 << 20) /* after a longer one a worker's memory is given back */
#define LONG_FILE (1 << 28)

static Configuration* opened = NULL;
static uint64 changes = 1; /* of the table, as far as this back-end was told */
static uint32 openings = 0;
static Oid kept_in = InvalidOid;
static bool listens = false;

enum { REFUSE, WARN };
static const struct config_enum_entry mismatches[] = {
    {"error", REFUSE, false}, {"warning", WARN, false}, {NULL, 0, false}};
static int mismatch = REFUSE;

void _PG_init(void);
void _PG_init(void) {
  DefineCustomEnumVariable(
      "segmenter.mismatch", "What happens where a configuration is not the one that filled the indexes.",
      "\"warning\" is for restoring a dump into a server with other models: rebuild the indexes then.",
      &mismatch, REFUSE, mismatches, PGC_SUSET, 0, NULL, NULL, NULL);
}

/* --- calls of the library --------------------------------------------------------------------------- */

/* The library asks this in long calls; errors are raised after they have returned. */
int query_ended(void) { return InterruptPending && (QueryCancelPending || ProcDiePending); }

void refuse(segmenter_worker* worker, int status) {
  ereport(ERROR,
          (errcode(status == SEGMENTER_NO_MEMORY  ? ERRCODE_OUT_OF_MEMORY
                   : status == SEGMENTER_BAD_TEXT ? ERRCODE_PROGRAM_LIMIT_EXCEEDED
                                                  : ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
           errmsg("segmenter: %s", segmenter_error(worker))));
  pg_unreachable();
}

static segmenter_worker* new_worker(const segmenter_engine* engine) {
  segmenter_worker* made;
  if (segmenter_worker_new(engine, &made))
    ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("segmenter: there is not enough memory")));
  segmenter_worker_ask(made, query_ended);
  return made;
}

static void free_workers(Configuration* conf) {
  segmenter_worker_free(conf->worker);
  segmenter_worker_free(conf->inner);
  conf->worker = conf->inner = NULL;
}

static void new_workers(Configuration* conf) {
  conf->inner = new_worker(conf->engine);
  conf->worker = new_worker(conf->engine); /* the last: where there is one, there are both */
}

/* After a long text: its memory, ten times its size, is given back. */
void worker_done(Configuration* conf, size_t size) {
  if (size < LONG_TEXT) return;
  free_workers(conf);
  new_workers(conf);
}

Terms terms_of(Configuration* conf, segmenter_worker* worker, const char* utf8, size_t size) {
  Terms out;
  CALLED(worker, segmenter_terms(worker, utf8, size, conf->form, SEGMENTER_UTF8_BYTES, &out.at, &out.count,
                                 &out.spellings));
  return out;
}

const segmenter_token* tokens_of(segmenter_worker* worker, const char* utf8, size_t size, int mode,
                                 size_t* count) {
  const segmenter_token* out;
  CALLED(worker, segmenter_tokenize(worker, utf8, size, mode, SEGMENTER_UTF8_BYTES, &out, count));
  return out;
}

const char* spelling_of(Configuration* conf, const char* utf8, size_t size, size_t* n) {
  const char* out;
  CALLED(conf->inner, segmenter_spell(conf->inner, utf8, size, conf->form, &out, n));
  return out;
}

/* --- the file --------------------------------------------------------------------------------------- */

typedef struct Settings {
  char *preset, *standard, *decoder, *oov, *atoms, *user, *models;
  bool variants, script, split;
} Settings;

static bool choice(const char* value, const char* no, const char* yes, const char* where) {
  if (strcmp(value, yes) != 0 && strcmp(value, no) != 0)
    ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR),
                    errmsg("%s: \"%s\" is neither \"%s\" nor \"%s\"", where, value, no, yes)));
  return strcmp(value, yes) == 0;
}

static void set(Settings* to, const char* name, char* value, const char* where) {
  if (strcmp(name, "preset") == 0) to->preset = value;
  else if (strcmp(name, "standard") == 0) to->standard = value;
  else if (strcmp(name, "decoder") == 0) to->decoder = value;
  else if (strcmp(name, "oov") == 0) to->oov = value;
  else if (strcmp(name, "atoms") == 0) to->atoms = value;
  else if (strcmp(name, "models") == 0) to->models = value;
  else if (strcmp(name, "user") == 0)
    to->user = value[0] == '/' ? value : get_tsearch_config_filename(value, "words");
  else if (strcmp(name, "variants") == 0) to->variants = choice(value, "off", "on", where);
  else if (strcmp(name, "script") == 0) to->script = choice(value, "off", "on", where);
  else if (strcmp(name, "runs") == 0) to->split = choice(value, "whole", "split", where);
  else
    ereport(ERROR,
            (errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("%s: \"%s\" is no setting", where, name),
             errhint("There are preset, standard, decoder, oov, atoms, user, models, variants, script, runs.")));
}

static char* trimmed(char* from, char* to) {
  while (from < to && isspace((unsigned char)*from)) ++from;
  while (to > from && isspace((unsigned char)to[-1])) --to;
  return pnstrdup(from, to - from);
}

static Settings read_settings(const char* name) {
  Settings out = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false};
  char* const path = get_tsearch_config_filename(name, "segmenter");
  tsearch_readline_state lines;
  char* line;
  int number = 0;
  if (!tsearch_readline_begin(&lines, path))
    ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR),
                    errmsg("segmenter: there is no configuration \"%s\": %s: %m", name, path),
                    errhint("Write that file; it may be as short as \"preset = balanced\".")));
  while ((line = tsearch_readline(&lines)) != NULL) {
    char* const end = line + strcspn(line, "#\r\n");
    char* const equals = memchr(line, '=', end - line);
    char* const where = psprintf("%s:%d", path, ++number);
    if (equals) set(&out, trimmed(line, equals), trimmed(equals + 1, end), where);
    else if (*trimmed(line, end))
      ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("%s: a line is of the form \"name = value\"", where)));
    pfree(line);
  }
  tsearch_readline_end(&lines);
  if (!out.models) {
    char* const folder = palloc(MAXPGPATH);
    get_share_path(my_exec_path, folder);
    out.models = psprintf("%s/segmenter", folder);
  }
  return out;
}

/* A file in memory: mapped, it could be cut short under the back-end. */
static char* contents(const char* path, size_t* size) {
  FILE* const file = AllocateFile(path, "rb");
  struct stat about;
  char* out;
  if (!file || fstat(fileno(file), &about))
    ereport(ERROR, (errcode_for_file_access(), errmsg("segmenter: words of the user: %s: %m", path)));
  if (about.st_size > LONG_FILE)
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("segmenter: words of the user: %s is longer than 256 MB", path)));
  out = palloc(about.st_size + 1);
  *size = fread(out, 1, about.st_size, file);
  FreeFile(file);
  return out;
}

/* --- fingerprints ----------------------------------------------------------------------------------- */

static void table_changed(Datum arg, Oid relation) {
  if (relation == InvalidOid || relation == kept_in) ++changes;
}

/* The schema of the extension. */
static Oid schema(void) {
  const Oid extension = get_extension_oid("segmenter", true);
  Oid out = InvalidOid;
  if (OidIsValid(extension)) {
    const Relation relation = table_open(ExtensionRelationId, AccessShareLock);
    ScanKeyData key;
    SysScanDesc scan;
    HeapTuple row;
    ScanKeyInit(&key, Anum_pg_extension_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(extension));
    scan = systable_beginscan(relation, ExtensionOidIndexId, true, NULL, 1, &key);
    row = systable_getnext(scan);
    if (HeapTupleIsValid(row)) out = ((Form_pg_extension)GETSTRUCT(row))->extnamespace;
    systable_endscan(scan);
    table_close(relation, AccessShareLock);
  }
  if (!OidIsValid(out))
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("extension \"segmenter\" is not in this database"),
                    errhint("Run CREATE EXTENSION segmenter.")));
  return out;
}

/* How many fingerprints of a configuration the table has; *other is one that is not `own`, or NULL. */
static int kept(const char* name, const char* own, char** other) {
  const Oid found = get_relname_relid(TABLE, schema());
  Relation relation;
  SysScanDesc scan;
  HeapTuple row;
  int out = 0;
  *other = NULL;
  if (!OidIsValid(found))
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("segmenter: the table " TABLE " is gone"),
                    errhint("DROP EXTENSION segmenter CASCADE and create it again.")));
  kept_in = found;
  relation = table_open(found, AccessShareLock);
  scan = systable_beginscan(relation, InvalidOid, false, NULL, 0, NULL);
  while (HeapTupleIsValid(row = systable_getnext(scan))) {
    bool no_name, no_fingerprint;
    const Datum named = heap_getattr(row, 1, RelationGetDescr(relation), &no_name);
    const Datum print = heap_getattr(row, 2, RelationGetDescr(relation), &no_fingerprint);
    if (no_name || no_fingerprint || strcmp(TextDatumGetCString(named), name) != 0) continue;
    ++out;
    if (strcmp(TextDatumGetCString(print), own) != 0) *other = TextDatumGetCString(print);
  }
  systable_endscan(scan);
  table_close(relation, AccessShareLock);
  return out;
}

/* --- opened configurations -------------------------------------------------------------------------- */

static void close_one(Configuration* conf) {
  free_workers(conf);
  segmenter_free(conf->engine);
  if (conf->fingerprint) pfree(conf->fingerprint);
  conf->engine = NULL;
  conf->fingerprint = NULL;
  conf->checked = 0;
}

/* Opens the files of a configuration. What was allocated on the way is the caller's context's. */
static void open_one(Configuration* conf) {
  const Settings settings = read_settings(conf->name);
  segmenter_options options = {0};
  char why[1024] = "";
  int status;
  options.struct_size = sizeof options;
  options.folder = settings.models;
  options.preset = settings.preset;
  options.standard = settings.standard;
  options.decoder = settings.decoder;
  options.oov = settings.oov;
  options.atoms = settings.atoms;
  options.no_variants = !settings.variants;
  options.word_memory = WORD_MEMORY;
  if (settings.user) options.user = contents(settings.user, &options.user_size);
  close_one(conf);
  status = segmenter_open(&options, &conf->engine, why, sizeof why);
  if (status)
    ereport(ERROR,
            (errcode(status == SEGMENTER_NO_FILE ? ERRCODE_UNDEFINED_FILE : ERRCODE_CONFIG_FILE_ERROR),
             errmsg("segmenter: configuration \"%s\": %s", conf->name, why)));
  conf->form = (settings.script ? 0 : SEGMENTER_SCRIPTS_APART) | (settings.split ? SEGMENTER_RUNS_SPLIT : 0);
  conf->fingerprint = MemoryContextStrdup(
      TopMemoryContext, psprintf("%s%s", segmenter_fingerprint(conf->engine), segmenter_form_name(conf->form)));
  new_workers(conf);
  conf->opened = ++openings;
}

static Configuration* place(const char* name) {
  Configuration* conf;
  if (GetDatabaseEncoding() != PG_UTF8)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("segmenter works in databases whose encoding is UTF8, and that of this one is %s",
                           GetDatabaseEncodingName()),
                    errhint("CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0.")));
  if (!listens) {
    CacheRegisterRelcacheCallback(table_changed, (Datum)0);
    listens = true;
  }
  for (conf = opened; conf; conf = conf->next)
    if (strcmp(conf->name, name) == 0) return conf;
  if (strlen(name) >= NAMEDATALEN)
    ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG), errmsg("segmenter: the name of the configuration is too long")));
  conf = MemoryContextAllocZero(TopMemoryContext, sizeof *conf);
  strlcpy(conf->name, name, NAMEDATALEN);
  conf->next = opened;
  opened = conf;
  return conf;
}

Configuration* configuration(const char* name) {
  Configuration* const conf = place(name);
  char* other = NULL;
  uint64 now;
  if (conf->checked == changes && conf->worker) return conf;
  AcceptInvalidationMessages();
  now = changes;
  if (!conf->worker) open_one(conf);
  if (!kept(name, conf->fingerprint, &other))
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                    errmsg("segmenter: configuration \"%s\" is not installed in this database", name),
                    errhint("A superuser runs SELECT segmenter_install('%s').", name)));
  if (other) {  /* the files may be those of the table now, and not those that this back-end has opened */
    open_one(conf);
    kept(name, conf->fingerprint, &other);
  }
  if (other)
    ereport(mismatch == WARN ? WARNING : ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("segmenter: configuration \"%s\" is not the one that filled the indexes: models, words or "
                    "settings have changed",
                    name),
             errdetail("The database has \"%s\", the files give \"%s\".", other, conf->fingerprint),
             errhint("Put the files back; or, in a transaction, SELECT segmenter_install('%s', rebuild => true) and "
                     "fill columns and indexes again.",
                     name)));
  conf->checked = now;
  return conf;
}

Configuration* configuration_of_text(text* name) { return configuration(text_to_cstring(name)); }

/* Of a function of a parser: its name is `prefix`, or ends in the name of a configuration. */
Configuration* configuration_of_function(FmgrInfo* function, const char* prefix) {
  if (!function->fn_extra) {
    const char* const name = get_func_name(function->fn_oid);
    const size_t n = strlen(prefix);
    const bool own = name && strncmp(name, prefix, n) == 0 && name[n] == '_';
    function->fn_extra = MemoryContextStrdup(function->fn_mcxt, own ? name + n + 1 : DEFAULT_CONFIGURATION);
  }
  return configuration(function->fn_extra);
}

/* --- for superusers --------------------------------------------------------------------------------- */

static void run(const char* sql, const char* first, const char* second) {
  Oid types[] = {TEXTOID, TEXTOID};
  Datum values[2];
  values[0] = CStringGetTextDatum(first ? first : "");
  values[1] = CStringGetTextDatum(second ? second : "");
  if (SPI_execute_with_args(sql, first ? 2 : 0, types, values, NULL, false, 0) < 0)
    elog(ERROR, "segmenter: SPI refused: %s", sql);
}

/* The parser, the dictionary and the text search configuration of a name. */
static void make_objects(const char* in, const char* name) {
  const char* const parser = quote_identifier(psprintf("segmenter_%s", name));
  const char* const start = quote_identifier(psprintf("segmenter_start_%s", name));
  const char* const headline = quote_identifier(psprintf("segmenter_headline_%s", name));
  const char* const types =
      "word, unknown, number, date, latin, script, cluster, url, email, ip, time, quantity, version, hashtag, "
      "mention, code, emoji, phone, pattern, symbol, punct, newline";
  run(psprintf("create function %s.%s(internal, int4) returns internal as '$libdir/segmenter', "
               "'segmenter_start' language c strict parallel safe",
               in, start),
      NULL, NULL);
  run(psprintf("create function %s.%s(internal, internal, tsquery) returns internal as '$libdir/segmenter', "
               "'segmenter_headline' language c strict parallel safe",
               in, headline),
      NULL, NULL);
  run(psprintf("create text search parser %s.%s (start = %s.%s, gettoken = %s.segmenter_next, "
               "end = %s.segmenter_end, lextypes = %s.segmenter_types, headline = %s.%s)",
               in, parser, in, start, in, in, in, in, headline),
      NULL, NULL);
  run(psprintf("create text search dictionary %s.%s (template = %s.segmenter, configuration = %s)", in, parser, in,
               quote_literal_cstr(name)),
      NULL, NULL);
  run(psprintf("create text search configuration %s.%s (parser = %s.%s)", in, parser, in, parser), NULL, NULL);
  run(psprintf("alter text search configuration %s.%s add mapping for %s with %s.%s", in, parser, types, in, parser),
      NULL, NULL);
}

PG_FUNCTION_INFO_V1(segmenter_install);
Datum segmenter_install(PG_FUNCTION_ARGS) {
  char* const name = text_to_cstring(PG_GETARG_TEXT_PP(0));
  const bool rebuild = PG_GETARG_BOOL(1);
  Configuration* conf;
  char *other, *in;
  int found;
  if (!superuser())
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("segmenter_install: only a superuser may")));
  conf = place(name);
  open_one(conf);
  found = kept(name, conf->fingerprint, &other);
  if (other && !rebuild)
    ereport(ERROR,
            (errcode(ERRCODE_DUPLICATE_OBJECT),
             errmsg("segmenter: configuration \"%s\" is installed with another content", name),
             errdetail("The database has \"%s\", the files give \"%s\".", other, conf->fingerprint),
             errhint("Give the new one another name; or SELECT segmenter_install('%s', rebuild => true) and fill "
                     "columns and indexes again, in the same transaction.",
                     name)));
  in = pstrdup(quote_identifier(get_namespace_name(schema())));
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "segmenter: SPI_connect failed");
  if (!found || other) {
    run(psprintf("delete from %s." TABLE " where name = $1 and $2 is not null", in), name, conf->fingerprint);
    run(psprintf("insert into %s." TABLE " values ($1, $2)", in), name, conf->fingerprint);
  }
  if (!found && strcmp(name, DEFAULT_CONFIGURATION) != 0) make_objects(in, name);
  SPI_finish();
  CacheInvalidateRelcacheByRelid(kept_in); /* every back-end compares again */
  PG_RETURN_TEXT_P(cstring_to_text(conf->fingerprint));
}

PG_FUNCTION_INFO_V1(segmenter_sql_fingerprint);
Datum segmenter_sql_fingerprint(PG_FUNCTION_ARGS) {
  PG_RETURN_TEXT_P(cstring_to_text(configuration_of_text(PG_GETARG_TEXT_PP(0))->fingerprint));
}
