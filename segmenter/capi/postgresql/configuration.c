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
#define WORD_MEMORY (768 << 10) /* per back-end */
#define LONG_TEXT (1 << 20) /* a longer text frees the memory of its worker afterwards */
#define LONG_FILE (1 << 28)

static Configuration* configurations = NULL;
static uint64 changes = 1; /* of the table, counted by invalidation messages */
static uint32 openings = 0;
static Oid table_oid = InvalidOid;
static bool registered = false;

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

/* The library calls this during long calls; errors are raised after they have returned. */
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
  segmenter_worker* worker;
  if (segmenter_worker_new(engine, &worker))
    ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("segmenter: there is not enough memory")));
  segmenter_worker_ask(worker, query_ended);
  return worker;
}

static void free_workers(Configuration* conf) {
  segmenter_worker_free(conf->worker);
  segmenter_worker_free(conf->inner);
  conf->worker = conf->inner = NULL;
}

static void new_workers(Configuration* conf) {
  conf->inner = new_worker(conf->engine);
  conf->worker = new_worker(conf->engine); /* made last: if it exists, both exist */
}

/* Frees the memory of a long text, which is ten times its size. */
void worker_done(Configuration* conf, size_t size) {
  if (size < LONG_TEXT) return;
  free_workers(conf);
  new_workers(conf);
}

Terms terms_of(Configuration* conf, segmenter_worker* worker, const char* utf8, size_t size) {
  Terms terms;
  CALLED(worker, segmenter_terms(worker, utf8, size, conf->form, SEGMENTER_UTF8_BYTES, &terms.items, &terms.count,
                                 &terms.spellings));
  return terms;
}

const segmenter_token* tokens_of(segmenter_worker* worker, const char* utf8, size_t size, int mode,
                                 size_t* count) {
  const segmenter_token* tokens;
  CALLED(worker, segmenter_tokenize(worker, utf8, size, mode, SEGMENTER_UTF8_BYTES, &tokens, count));
  return tokens;
}

const char* spelling_of(Configuration* conf, const char* utf8, size_t size, size_t* n) {
  const char* spelling;
  CALLED(conf->inner, segmenter_spell(conf->inner, utf8, size, conf->form, &spelling, n));
  return spelling;
}

/* --- the file --------------------------------------------------------------------------------------- */

typedef struct Settings {
  char *preset, *standard, *decoder, *oov, *atoms, *user, *models;
  bool variants, script, split;
} Settings;

static bool choice(const char* value, const char* no, const char* yes, const char* location) {
  if (strcmp(value, yes) != 0 && strcmp(value, no) != 0)
    ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR),
                    errmsg("%s: \"%s\" is neither \"%s\" nor \"%s\"", location, value, no, yes)));
  return strcmp(value, yes) == 0;
}

static void set(Settings* settings, const char* name, char* value, const char* location) {
  if (strcmp(name, "preset") == 0) settings->preset = value;
  else if (strcmp(name, "standard") == 0) settings->standard = value;
  else if (strcmp(name, "decoder") == 0) settings->decoder = value;
  else if (strcmp(name, "oov") == 0) settings->oov = value;
  else if (strcmp(name, "atoms") == 0) settings->atoms = value;
  else if (strcmp(name, "models") == 0) settings->models = value;
  else if (strcmp(name, "user") == 0)
    settings->user = value[0] == '/' ? value : get_tsearch_config_filename(value, "words");
  else if (strcmp(name, "variants") == 0) settings->variants = choice(value, "off", "on", location);
  else if (strcmp(name, "script") == 0) settings->script = choice(value, "off", "on", location);
  else if (strcmp(name, "runs") == 0) settings->split = choice(value, "whole", "split", location);
  else
    ereport(ERROR,
            (errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("%s: \"%s\" is no setting", location, name),
             errhint("There are preset, standard, decoder, oov, atoms, user, models, variants, script, runs.")));
}

static char* trim(char* start, char* end) {
  while (start < end && isspace((unsigned char)*start)) ++start;
  while (end > start && isspace((unsigned char)end[-1])) --end;
  return pnstrdup(start, end - start);
}

static Settings read_settings(const char* name) {
  Settings settings = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, false};
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
    char* const location = psprintf("%s:%d", path, ++number);
    if (equals) set(&settings, trim(line, equals), trim(equals + 1, end), location);
    else if (*trim(line, end))
      ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR),
                      errmsg("%s: expected a line of the form \"name = value\"", location)));
    pfree(line);
  }
  tsearch_readline_end(&lines);
  if (!settings.models) {
    char* const folder = palloc(MAXPGPATH);
    get_share_path(my_exec_path, folder);
    settings.models = psprintf("%s/segmenter", folder);
  }
  return settings;
}

/* Reads a file: a mapping could be truncated under the back-end. */
static char* read_file(const char* path, size_t* size) {
  FILE* const file = AllocateFile(path, "rb");
  struct stat status;
  char* data;
  if (!file || fstat(fileno(file), &status))
    ereport(ERROR, (errcode_for_file_access(), errmsg("segmenter: words of the user: %s: %m", path)));
  if (status.st_size > LONG_FILE)
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("segmenter: words of the user: %s is longer than 256 MB", path)));
  data = palloc(status.st_size + 1);
  *size = fread(data, 1, status.st_size, file);
  FreeFile(file);
  return data;
}

/* --- fingerprints ----------------------------------------------------------------------------------- */

static void table_changed(Datum arg, Oid relation) {
  if (relation == InvalidOid || relation == table_oid) ++changes;
}

/* The schema of the extension. */
static Oid schema(void) {
  const Oid extension = get_extension_oid("segmenter", true);
  Oid oid = InvalidOid;
  if (OidIsValid(extension)) {
    const Relation relation = table_open(ExtensionRelationId, AccessShareLock);
    ScanKeyData key;
    SysScanDesc scan;
    HeapTuple row;
    ScanKeyInit(&key, Anum_pg_extension_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(extension));
    scan = systable_beginscan(relation, ExtensionOidIndexId, true, NULL, 1, &key);
    row = systable_getnext(scan);
    if (HeapTupleIsValid(row)) oid = ((Form_pg_extension)GETSTRUCT(row))->extnamespace;
    systable_endscan(scan);
    table_close(relation, AccessShareLock);
  }
  if (!OidIsValid(oid))
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                    errmsg("extension \"segmenter\" is not installed in this database"),
                    errhint("Run CREATE EXTENSION segmenter.")));
  return oid;
}

/* How many fingerprints of a configuration the table has; *other is a different one, or NULL. */
static int count_fingerprints(const char* name, const char* fingerprint, char** other) {
  const Oid oid = get_relname_relid(TABLE, schema());
  Relation relation;
  SysScanDesc scan;
  HeapTuple row;
  int count = 0;
  *other = NULL;
  if (!OidIsValid(oid))
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("segmenter: the table " TABLE " is gone"),
                    errhint("DROP EXTENSION segmenter CASCADE and create it again.")));
  table_oid = oid;
  relation = table_open(oid, AccessShareLock);
  scan = systable_beginscan(relation, InvalidOid, false, NULL, 0, NULL);
  while (HeapTupleIsValid(row = systable_getnext(scan))) {
    bool no_name, no_fingerprint;
    const Datum row_name = heap_getattr(row, 1, RelationGetDescr(relation), &no_name);
    const Datum row_fingerprint = heap_getattr(row, 2, RelationGetDescr(relation), &no_fingerprint);
    if (no_name || no_fingerprint || strcmp(TextDatumGetCString(row_name), name) != 0) continue;
    ++count;
    if (strcmp(TextDatumGetCString(row_fingerprint), fingerprint) != 0) *other = TextDatumGetCString(row_fingerprint);
  }
  systable_endscan(scan);
  table_close(relation, AccessShareLock);
  return count;
}

/* --- opened configurations -------------------------------------------------------------------------- */

static void close_configuration(Configuration* conf) {
  free_workers(conf);
  segmenter_free(conf->engine);
  if (conf->fingerprint) pfree(conf->fingerprint);
  conf->engine = NULL;
  conf->fingerprint = NULL;
  conf->checked = 0;
}

/* Opens the files of a configuration. Temporary memory is in the context of the caller. */
static void open_configuration(Configuration* conf) {
  const Settings settings = read_settings(conf->name);
  segmenter_options options = {0};
  char error[1024] = "";
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
  if (settings.user) options.user = read_file(settings.user, &options.user_size);
  close_configuration(conf);
  status = segmenter_open(&options, &conf->engine, error, sizeof error);
  if (status)
    ereport(ERROR,
            (errcode(status == SEGMENTER_NO_FILE ? ERRCODE_UNDEFINED_FILE : ERRCODE_CONFIG_FILE_ERROR),
             errmsg("segmenter: configuration \"%s\": %s", conf->name, error)));
  conf->form = (settings.script ? 0 : SEGMENTER_SCRIPTS_APART) | (settings.split ? SEGMENTER_RUNS_SPLIT : 0);
  conf->fingerprint = MemoryContextStrdup(
      TopMemoryContext, psprintf("%s%s", segmenter_fingerprint(conf->engine), segmenter_form_name(conf->form)));
  new_workers(conf);
  conf->opened = ++openings;
}

static Configuration* find_or_add(const char* name) {
  Configuration* conf;
  if (GetDatabaseEncoding() != PG_UTF8)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("segmenter works in databases whose encoding is UTF8, and that of this one is %s",
                           GetDatabaseEncodingName()),
                    errhint("CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0.")));
  if (!registered) {
    CacheRegisterRelcacheCallback(table_changed, (Datum)0);
    registered = true;
  }
  for (conf = configurations; conf; conf = conf->next)
    if (strcmp(conf->name, name) == 0) return conf;
  if (strlen(name) >= NAMEDATALEN)
    ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG), errmsg("segmenter: the name of the configuration is too long")));
  conf = MemoryContextAllocZero(TopMemoryContext, sizeof *conf);
  strlcpy(conf->name, name, NAMEDATALEN);
  conf->next = configurations;
  configurations = conf;
  return conf;
}

Configuration* configuration(const char* name) {
  Configuration* const conf = find_or_add(name);
  char* other = NULL;
  uint64 now;
  if (conf->checked == changes && conf->worker) return conf;
  AcceptInvalidationMessages();
  now = changes;
  if (!conf->worker) open_configuration(conf);
  if (!count_fingerprints(name, conf->fingerprint, &other))
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                    errmsg("segmenter: configuration \"%s\" is not installed in this database", name),
                    errhint("A superuser runs SELECT segmenter_install('%s').", name)));
  if (other) { /* the files may have changed since this back-end opened them */
    open_configuration(conf);
    count_fingerprints(name, conf->fingerprint, &other);
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

/* The configuration of a parser's function, whose name is `prefix`, or ends in that of a configuration. */
Configuration* configuration_of_function(FmgrInfo* function, const char* prefix) {
  if (!function->fn_extra) {
    const char* const name = get_func_name(function->fn_oid);
    const size_t n = strlen(prefix);
    const bool has_suffix = name && strncmp(name, prefix, n) == 0 && name[n] == '_';
    function->fn_extra = MemoryContextStrdup(function->fn_mcxt, has_suffix ? name + n + 1 : DEFAULT_CONFIGURATION);
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

/* Creates the parser, the dictionary and the text search configuration of a configuration. */
static void make_objects(const char* schema, const char* name) {
  const char* const parser = quote_identifier(psprintf("segmenter_%s", name));
  const char* const start = quote_identifier(psprintf("segmenter_start_%s", name));
  const char* const headline = quote_identifier(psprintf("segmenter_headline_%s", name));
  const char* const types =
      "word, unknown, number, date, latin, script, cluster, url, email, ip, time, quantity, version, hashtag, "
      "mention, code, emoji, phone, pattern, symbol, punct, newline";
  run(psprintf("create function %s.%s(internal, int4) returns internal as '$libdir/segmenter', "
               "'segmenter_start' language c strict parallel safe",
               schema, start),
      NULL, NULL);
  run(psprintf("create function %s.%s(internal, internal, tsquery) returns internal as '$libdir/segmenter', "
               "'segmenter_headline' language c strict parallel safe",
               schema, headline),
      NULL, NULL);
  run(psprintf("create text search parser %s.%s (start = %s.%s, gettoken = %s.segmenter_next, "
               "end = %s.segmenter_end, lextypes = %s.segmenter_types, headline = %s.%s)",
               schema, parser, schema, start, schema, schema, schema, schema, headline),
      NULL, NULL);
  run(psprintf("create text search dictionary %s.%s (template = %s.segmenter, configuration = %s)", schema, parser,
               schema, quote_literal_cstr(name)),
      NULL, NULL);
  run(psprintf("create text search configuration %s.%s (parser = %s.%s)", schema, parser, schema, parser), NULL, NULL);
  run(psprintf("alter text search configuration %s.%s add mapping for %s with %s.%s", schema, parser, types, schema,
               parser),
      NULL, NULL);
}

PG_FUNCTION_INFO_V1(segmenter_install);
Datum segmenter_install(PG_FUNCTION_ARGS) {
  char* const name = text_to_cstring(PG_GETARG_TEXT_PP(0));
  const bool rebuild = PG_GETARG_BOOL(1);
  Configuration* conf;
  char *other, *schema_name;
  int count;
  if (!superuser())
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("segmenter_install: only a superuser may install a configuration")));
  conf = find_or_add(name);
  open_configuration(conf);
  count = count_fingerprints(name, conf->fingerprint, &other);
  if (other && !rebuild)
    ereport(ERROR,
            (errcode(ERRCODE_DUPLICATE_OBJECT),
             errmsg("segmenter: configuration \"%s\" is installed with another content", name),
             errdetail("The database has \"%s\", the files give \"%s\".", other, conf->fingerprint),
             errhint("Give the new one another name; or SELECT segmenter_install('%s', rebuild => true) and fill "
                     "columns and indexes again, in the same transaction.",
                     name)));
  schema_name = pstrdup(quote_identifier(get_namespace_name(schema())));
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "segmenter: SPI_connect failed");
  if (!count || other) {
    run(psprintf("delete from %s." TABLE " where name = $1 and $2 is not null", schema_name), name, conf->fingerprint);
    run(psprintf("insert into %s." TABLE " values ($1, $2)", schema_name), name, conf->fingerprint);
  }
  if (!count && strcmp(name, DEFAULT_CONFIGURATION) != 0) make_objects(schema_name, name);
  SPI_finish();
  CacheInvalidateRelcacheByRelid(table_oid); /* every back-end compares again */
  PG_RETURN_TEXT_P(cstring_to_text(conf->fingerprint));
}

PG_FUNCTION_INFO_V1(segmenter_sql_fingerprint);
Datum segmenter_sql_fingerprint(PG_FUNCTION_ARGS) {
  PG_RETURN_TEXT_P(cstring_to_text(configuration_of_text(PG_GETARG_TEXT_PP(0))->fingerprint));
}
