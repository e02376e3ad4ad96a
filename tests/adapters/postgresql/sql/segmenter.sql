-- make installcheck: a server that has the extension's files
\set VERBOSITY terse
CREATE EXTENSION segmenter;
SELECT extversion FROM pg_extension WHERE extname = 'segmenter';
SELECT name, fingerprint = segmenter_fingerprint() AS same FROM segmenter_configurations;

-- words
SELECT segmenter_cut('他说的确实在理');
SELECT * FROM segmenter_tag('中国有3个AT&T，😀');
SELECT segmenter_cut(''), segmenter_cut(NULL), (SELECT count(*) FROM segmenter_tag(''));

-- an index of every substring
SELECT segmenter_tsvector('共和国成立');
SELECT segmenter_tsquery('国'), segmenter_tsquery('招生，共和国的研究者们');
SELECT segmenter_tsquery('共和国招生', phrase => true), segmenter_tsquery('a b', any_word => true), segmenter_words('共和国');
SELECT segmenter_tsvector(''), segmenter_tsquery('。！'), segmenter_tsvector($$a'b\ $$);
CREATE TABLE articles (
  title text, body text,
  words tsvector GENERATED ALWAYS AS (segmenter_tsvector(body)) STORED
);
CREATE INDEX ON articles USING gin (words);
INSERT INTO articles VALUES
  ('建国', '中华人民共和国成立于1949年。'),
  ('招生', '研究生院公布了招生办法，共和国的研究者们在讨论。'),
  ('大學', '臺灣大學的圖書館，以後再來。'),
  ('大学', '北京大学图书馆');
SET enable_seqscan = off;
PREPARE find (text) AS SELECT title, ts_headline('segmenter', body, segmenter_tsquery($1)) FROM articles
  WHERE words @@ segmenter_tsquery($1) ORDER BY ts_rank(words, segmenter_words($1)) DESC, title;
EXECUTE find('大学');
EXECUTE find('图书馆');
EXECUTE find('圖書館');
EXECUTE find('国成');
EXECUTE find('共和国 招生');
EXECUTE find('以后');
EXECUTE find('生院公');
SELECT title FROM articles WHERE words @@ segmenter_tsquery('人民共和国成立', phrase => true);
SELECT title FROM articles WHERE words @@ segmenter_tsquery('共和成立', phrase => true);

-- the parser, in a configuration of one's own
SELECT alias, description, token, lexemes FROM ts_debug('segmenter', '大学有3.5%的iPhone。');
CREATE TEXT SEARCH CONFIGURATION zh (PARSER = segmenter);
ALTER TEXT SEARCH CONFIGURATION zh ADD MAPPING FOR word, unknown, number, date, latin WITH segmenter;
SELECT to_tsvector('zh', '北京大学'), websearch_to_tsquery('zh', '"大学" -北京');
SELECT title FROM articles WHERE to_tsvector('zh', body) @@ websearch_to_tsquery('zh', '大学 图书馆') ORDER BY title;
SELECT title FROM articles WHERE to_tsvector('zh', body) @@ phraseto_tsquery('zh', '国成');
SELECT ts_headline('zh', body, phraseto_tsquery('zh', '国成')) FROM articles WHERE title = '建国';
CREATE TEXT SEARCH DICTIONARY stop (TEMPLATE = simple, STOPWORDS = english, ACCEPT = false);
ALTER TEXT SEARCH CONFIGURATION zh ALTER MAPPING FOR latin WITH stop, segmenter;
SELECT to_tsvector('zh', 'the iPhone');
SELECT to_tsvector('zh', '以後') @@ to_tsquery('zh', '后'), to_tsvector('zh', '皇后') @@ to_tsquery('zh', '后');

-- headlines
SELECT ts_headline('zh', repeat('甲乙丙，', 20) || '国家图书馆' || repeat('丁戊己。', 20), segmenter_tsquery('家图'),
  'MaxWords=9, MinWords=3, StartSel=[, StopSel=]');
SELECT ts_headline('zh', repeat('大学。' || repeat('甲乙。', 9), 3), segmenter_tsquery('大学'),
  'MaxFragments=2, MaxWords=4, MinWords=1, StartSel=[, StopSel=], FragmentDelimiter="|"');
SELECT ts_headline('zh', '国家的国，成国', segmenter_tsquery('没有'), 'MaxWords=3, MinWords=2');
SELECT ts_headline('zh', '甲' || repeat('乙', 5), segmenter_tsquery('乙乙'), 'HighlightAll=on');
SELECT ts_headline('zh', '大学', segmenter_tsquery('大学'), 'Words=3');

-- what is to be filled again
SELECT * FROM segmenter_uses ORDER BY 1;

-- errors
SELECT segmenter_cut('中', '../passwd');
SELECT segmenter_cut('中', repeat('x', 99));
CREATE TEXT SEARCH DICTIONARY odd (TEMPLATE = segmenter, words = 'x');
SELECT segmenter_tsvector(string_agg('x' || n, ' ')) FROM generate_series(1, 150000) n;
CREATE ROLE somebody;
SET ROLE somebody;
SELECT segmenter_install('balanced');
SET segmenter.mismatch = 'warning';
SELECT segmenter_cut('大学');
RESET ROLE;

-- another model behind the same name
UPDATE segmenter_configurations SET fingerprint = 'older';
\c
SELECT segmenter_cut('大学');
SELECT segmenter_install('balanced');
SET segmenter.mismatch = 'warning';
SELECT segmenter_cut('大学');
RESET segmenter.mismatch;
BEGIN;
SELECT segmenter_install('balanced', rebuild => true) = segmenter_fingerprint() AS same;
UPDATE articles SET body = body;
COMMIT;
SELECT segmenter_cut('大学');

DROP ROLE somebody;
DROP EXTENSION segmenter CASCADE;
SELECT title, words FROM articles WHERE title = '大学';
