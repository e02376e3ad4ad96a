"""Full-text search in SQLite: every string is found, whole words come first, hits are marked."""

import apsw
from gallery import ROWS

import segmenter as seg
from segmenter.adapters import sqlite

s = seg.load("fast")
db = apsw.Connection(":memory:")
sqlite.register(db, s)
db.execute("create virtual table news using fts5(subject, body, tokenize='segmenter')")
db.executemany("insert into news values (?, ?)", ROWS)

SQL = "select subject, highlight(news, 1, '[', ']') from news(?) order by rank limit 2"
for query in ("语言模型", "番茄 牛肉", "球员"):
    print(query)
    for subject, body in db.execute(SQL, (sqlite.match(query, s),)):
        print(" ", subject, body)
