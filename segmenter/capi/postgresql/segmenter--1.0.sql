\echo Use "CREATE EXTENSION segmenter" to load this file. \quit

-- What filled the indexes of this database: a row for each configuration that is installed.
CREATE TABLE segmenter_configurations (name text NOT NULL, fingerprint text NOT NULL);
GRANT SELECT ON segmenter_configurations TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('segmenter_configurations', '');

CREATE FUNCTION segmenter_install(name text, rebuild boolean DEFAULT false) RETURNS text
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT;
REVOKE ALL ON FUNCTION segmenter_install(text, boolean) FROM PUBLIC;
COMMENT ON FUNCTION segmenter_install(text, boolean) IS
  'keeps the fingerprint of a configuration and makes its parser, dictionary and text search configuration';

CREATE FUNCTION segmenter_fingerprint(configuration text DEFAULT 'balanced') RETURNS text
  AS 'MODULE_PATHNAME', 'segmenter_sql_fingerprint' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION segmenter_fingerprint(text) IS 'that of the adapters of Python';

CREATE FUNCTION segmenter_tsvector(body text, configuration text DEFAULT 'balanced') RETURNS tsvector
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION segmenter_tsvector(text, text) IS 'the characters of a text with their places in words';

CREATE FUNCTION segmenter_tsquery(asked text, configuration text DEFAULT 'balanced',
                                  phrase boolean DEFAULT false, any_word boolean DEFAULT false) RETURNS tsquery
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION segmenter_tsquery(text, text, boolean, boolean) IS
  'what a person typed: texts that have every word of it, or it as a phrase';

CREATE FUNCTION segmenter_words(asked text, configuration text DEFAULT 'balanced') RETURNS tsquery
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION segmenter_words(text, text) IS 'whole words, any of them, for ts_rank';

CREATE FUNCTION segmenter_cut(body text, configuration text DEFAULT 'balanced') RETURNS text[]
  AS 'MODULE_PATHNAME', 'segmenter_sql_cut' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

CREATE FUNCTION segmenter_tag(body text, configuration text DEFAULT 'balanced',
                              OUT word text, OUT tag text, OUT kind text) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'segmenter_sql_tag' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

-- The text search objects of the configuration 'balanced'; segmenter_install() makes those of others.
CREATE FUNCTION segmenter_start(internal, int4) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT PARALLEL SAFE;
CREATE FUNCTION segmenter_next(internal, internal, internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT PARALLEL SAFE;
CREATE FUNCTION segmenter_end(internal) RETURNS void
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT PARALLEL SAFE;
CREATE FUNCTION segmenter_types(internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT PARALLEL SAFE;
CREATE FUNCTION segmenter_headline(internal, internal, tsquery) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT PARALLEL SAFE;
CREATE FUNCTION segmenter_dictionary(internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT PARALLEL SAFE;
CREATE FUNCTION segmenter_lexize(internal, internal, internal, internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT PARALLEL SAFE;

SELECT segmenter_install('balanced');  -- refuses a database that is not UTF-8, and missing models

CREATE TEXT SEARCH PARSER segmenter (
  START = segmenter_start, GETTOKEN = segmenter_next, END = segmenter_end,
  LEXTYPES = segmenter_types, HEADLINE = segmenter_headline);
CREATE TEXT SEARCH TEMPLATE segmenter (INIT = segmenter_dictionary, LEXIZE = segmenter_lexize);
CREATE TEXT SEARCH DICTIONARY segmenter (TEMPLATE = segmenter);
CREATE TEXT SEARCH CONFIGURATION segmenter (PARSER = segmenter);
ALTER TEXT SEARCH CONFIGURATION segmenter ADD MAPPING FOR
  word, unknown, number, date, latin, script, cluster, url, email, ip, time, quantity, version, hashtag, mention,
  code, emoji, phone, pattern, symbol, punct, newline WITH segmenter;  -- the last two keep a place, and are no lexemes

-- What is to be filled again after a configuration has changed: generated columns and indexes whose
-- expressions segment texts.
CREATE VIEW segmenter_uses AS
WITH ours AS (
  SELECT 'pg_catalog.pg_proc'::regclass AS class, p.oid AS object FROM pg_catalog.pg_proc p
  WHERE p.probin LIKE '%segmenter'
  UNION ALL
  SELECT 'pg_catalog.pg_ts_config'::regclass, c.oid FROM pg_catalog.pg_ts_config c
  JOIN pg_catalog.pg_ts_parser r ON r.oid = c.cfgparser
  JOIN pg_catalog.pg_proc p ON p.oid = r.prsstart AND p.prosrc = 'segmenter_start'
)
SELECT DISTINCT c.oid::regclass AS relation, a.attname AS "column",
  CASE WHEN c.relkind IN ('i', 'I') THEN pg_catalog.pg_get_indexdef(c.oid)
       ELSE pg_catalog.pg_get_expr(e.adbin, e.adrelid) END AS definition
FROM ours
JOIN pg_catalog.pg_depend d ON d.refclassid = ours.class AND d.refobjid = ours.object
LEFT JOIN pg_catalog.pg_attrdef f ON d.classid = 'pg_catalog.pg_attrdef'::regclass AND f.oid = d.objid
JOIN pg_catalog.pg_class c ON c.oid = COALESCE(f.adrelid, d.objid)
  AND (d.classid = 'pg_catalog.pg_class'::regclass OR f.oid IS NOT NULL)
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = COALESCE(f.adnum, NULLIF(d.objsubid, 0))
LEFT JOIN pg_catalog.pg_attrdef e ON e.adrelid = c.oid AND e.adnum = a.attnum
WHERE c.relkind IN ('i', 'I') OR a.attgenerated <> '';
GRANT SELECT ON segmenter_uses TO PUBLIC;
