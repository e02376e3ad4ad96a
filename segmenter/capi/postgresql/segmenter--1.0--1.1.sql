\echo Use "ALTER EXTENSION segmenter UPDATE" to load this file. \quit

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
