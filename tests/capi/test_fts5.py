"""The FTS5 extension alone, in every program that loads it, and beside the adapter."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from segmenter import capi, load
from segmenter.errors import ResourceError

try:
    EXTENSION = capi.extension()
except ResourceError as e:
    pytest.skip(str(e), allow_module_level=True)
apsw = pytest.importorskip("apsw", reason="apsw is not installed: extra [sqlite]")
from segmenter.adapters import sqlite  # noqa: E402

DEBIAN = "/usr/bin/python3"
TEXTS = [
    "臺灣大學的圖書館", "中华人民共和国成立于1949年。",
    "研究生院公布了招生办法，共和国的研究者在讨论。", "", "a\0b中国\0人民", "👍🏽 以後再說，計畫書",
    "他说的确实在理", "ＡＢＣ abc 3.14 AT&T 50%", "\ufeff大学\r\n大學",
]  # fmt: skip
SEARCH = """
create virtual table docs using fts5(body, tokenize='segmenter');
insert into docs(rowid, body) values (1, '臺灣大學的圖書館'), (2, '他说的确实在理，中国的大学');
select rowid, highlight(docs, 0, '[', ']') from docs where docs match segmenter_query('大学')
  order by rowid;
select snippet(docs, 0, '<', '>', '…', 4) from docs(segmenter_query('图书馆'));
select group_concat(word, '/') from segmenter_cut('他说的确实在理');
"""
FOUND = [
    [1, "臺灣[大學]的圖書館"], [2, "他说的确实在理，中国的[大学]"], ["…的<圖書館>"],
    ["他/说/的/确实/在理"],
]  # fmt: skip


def loaded(path: str = "") -> Any:
    db = apsw.Connection(path)
    db.enable_load_extension(True)
    db.load_extension(EXTENSION)
    return db


def filled(db: Any, texts: list[str], options: str = "") -> Any:
    db.execute(f"create virtual table docs using fts5(body, tokenize='segmenter {options}')")
    with db:
        db.executemany("insert into docs(rowid, body) values (?, ?)", enumerate(texts))
    return db


def shadow(db: Any) -> dict[str, list[Any]]:
    """Every byte that FTS5 keeps, and who is said to have cut it."""
    names = ("docs_data", "docs_idx", "docs_docsize", "docs_config", sqlite_table())
    return {name: list(db.execute(f"select * from {name}")) for name in names}


def sqlite_table() -> str:
    return "segmenter_tokenizers"


def lines(output: str) -> list[list[Any]]:
    return [json.loads(line) for line in output.splitlines() if line.strip()]


# --- programs that load it -----------------------------------------------------------------------


def test_apsw_loads_the_extension() -> None:
    db = loaded()
    assert [list(row) for row in db.execute(SEARCH)] == FOUND


def test_the_shell_loads_the_extension(tmp_path: Path) -> None:
    shell = shutil.which("sqlite3")
    if shell is None:
        pytest.skip("sqlite3, the shell, is not installed")
    # as a user does: the library's name, without its folder and ending
    result = subprocess.run(
        [shell, ":memory:"],
        input=f"select load_extension('segmenter_fts5');\n.mode list\n{SEARCH}",
        env={**os.environ, "LD_LIBRARY_PATH": str(Path(EXTENSION).parent)},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert result.stderr == ""
    assert result.stdout.split("\n")[1:-1] == ["|".join(map(str, row)) for row in FOUND]


PYTHON = """
import json, sqlite3, sys
db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension(sys.argv[1])
for statement in sys.argv[2].split(";"):
    for row in db.execute(statement):
        print(json.dumps(row))
"""


def debian() -> str:
    asks = "import sqlite3; sqlite3.connect(':memory:').enable_load_extension(True)"
    if not Path(DEBIAN).exists() or subprocess.run([DEBIAN, "-c", asks], check=False).returncode:
        pytest.skip(f"no {DEBIAN} whose sqlite3 loads extensions")
    return DEBIAN


def test_the_sqlite3_of_debians_python() -> None:
    run = [debian(), "-c", PYTHON, EXTENSION, SEARCH]
    result = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True)
    assert lines(result.stdout) == FOUND


def node(code: str, *arguments: str) -> str:
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not installed")
    result = subprocess.run(
        [program, "-e", code, "--", *arguments], capture_output=True, text=True, timeout=60
    )
    for missing in ("better-sqlite3", "node:sqlite"):
        if f"'{missing}'" in result.stderr or f"module: {missing}" in result.stderr:
            pytest.skip(f"node has no module {missing}")
    assert result.returncode == 0, result.stderr
    return result.stdout


BETTER = """
const db = new (require('better-sqlite3'))(':memory:');
db.loadExtension(process.argv[1]);
"""
OWN = """
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(':memory:', { allowExtension: true });
db.loadExtension(process.argv[1]);
"""
ROWS = """
for (const sql of process.argv[2].split(';').map((s) => s.trim()).filter((s) => s))
  if (sql.startsWith('select'))
    for (const row of db.prepare(sql).all()) console.log(JSON.stringify(Object.values(row)));
  else db.exec(sql);
"""


@pytest.mark.parametrize("opens", [BETTER, OWN], ids=["better-sqlite3", "node:sqlite"])
def test_node_loads_the_extension(opens: str) -> None:
    assert lines(node(opens + ROWS, EXTENSION, SEARCH)) == FOUND


STATIC = """
#include <sqlite3.h>
#include <stdio.h>
extern int sqlite3_segmenterfts_init(sqlite3*, char**, const void*);
static int row(void* to, int n, char** values, char** names) {
  (void)to, (void)names;
  for (int k = 0; k < n; ++k) printf(k ? "|%s" : "%s", values[k]);
  return printf("\\n") < 0;
}
int main(int argc, char** argv) {
  sqlite3* db;
  char* why = 0;
  (void)argc;
  sqlite3_auto_extension((void (*)(void))sqlite3_segmenterfts_init);
  if (sqlite3_open(":memory:", &db) || sqlite3_exec(db, argv[1], row, 0, &why)) puts(why);
  return sqlite3_close(db);
}
"""


#: Units of the kernels that the library has and does not export: docs/en/integrations/sqlite.md.
SHARED = ("files/lines.cpp", "search/terms.cpp")


def test_a_program_that_links_sqlite_statically(tmp_path: Path) -> None:
    """Compiled with SQLITE_CORE, as where extensions cannot be loaded."""
    archives = sorted(Path("/usr/lib").glob("*/libsqlite3.a"))
    tools = [shutil.which(name) for name in ("gcc", "g++")]
    if not archives or not all(tools):
        pytest.skip("gcc, g++ or libsqlite3.a (Debian: libsqlite3-dev) is not installed")
    source = ROOT / "segmenter" / "capi"
    (tmp_path / "main.c").write_text(STATIC)
    program, tables = tmp_path / "program", tmp_path / "tables.cpp"
    for command in (
        [sys.executable, source.parent / "text" / "tables.py", tables],
        ["gcc", "-c", tmp_path / "main.c", "-o", tmp_path / "main.o"],
        ["g++", "-std=c++17", "-DSQLITE_CORE", f"-I{source.parent}",
         f"-I{source.parent / 'kernels'}",
         source / "fts5.cpp", *(source.parent / "kernels" / unit for unit in SHARED), tables,
         tmp_path / "main.o", archives[0], capi.library(),
         f"-Wl,-rpath,{source}", "-lpthread", "-ldl", "-lm", "-lz", "-o", program],
    ):  # fmt: skip
        subprocess.run(list(map(str, command)), check=True, timeout=300)
    data = {**os.environ, "SEGMENTER_DATA": str(ROOT / "models")}
    run = subprocess.run([program, SEARCH], env=data, capture_output=True, text=True, timeout=60)
    assert run.stdout.splitlines() == ["|".join(map(str, row)) for row in FOUND]


# --- the adapter and the extension ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ("", {}),
        ("preset fast", {"name": "fast"}),
        ("preset fast standard pku", {"name": "fast", "standard": "pku"}),
        ("decoder unigram", {"decoder": "unigram"}),
        ("decoder unigram oov keep", {"decoder": "unigram", "oov": "keep"}),
        ("variants off", {"variants": False}),
        ("preset accurate", {"name": "accurate"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("rules", ["", "script off", "runs split"])
def test_the_same_bytes(options: str, given: dict[str, Any], rules: str) -> None:
    """What one writes the other searches and extends, byte for byte."""
    from segmenter.search import SearchOptions

    s = load(**given)
    search_options = SearchOptions(runs="split") if rules == "runs split" else None
    named = {"options": search_options, "script": rules != "script off"}
    texts = TEXTS * 8
    alone = filled(loaded(), texts, f"{options} {rules}")
    ours = apsw.Connection("")
    sqlite.register(ours, s, **named)
    filled(ours, texts)
    assert shadow(alone) == shadow(ours)
    for query in ("大学", "共和国 研究", "3.14", "计划书", "人民共和国成立", "\x01国", '"', ""):
        for kind in ("", "any", "phrase"):
            mine = sqlite.match(query, s, any_word=kind == "any", phrase=kind == "phrase", **named)
            assert alone.execute("select segmenter_query(?, ?)", (query, kind)).get == mine


@pytest.mark.parametrize(
    "words",
    [
        "云端\tforce\n大学的\n在理\tdelete\n",
        "T&T\t\t\t\tinside\n",
        "A|B|C\tsplit\n",
        "的|确\tsplit\n",
    ],
)
def test_words_of_the_user(words: str, tmp_path: Path) -> None:
    path = tmp_path / "my words.tsv"
    path.write_text(words, "utf-8")
    s = load(user=path)
    texts = [*TEXTS * 4, "云端的大學的图书馆在理"]
    alone = loaded(str(tmp_path / "alone.db"))
    alone.execute("select segmenter_config('words', ?)", (str(tmp_path),))
    filled(alone, texts, f"user ''{path.name}''")
    ours = apsw.Connection("")
    sqlite.register(ours, s)
    filled(ours, texts)
    assert shadow(alone) == shadow(ours)
    for query in ("云端", "T&T", "abc", "的确", "大学的图书馆"):
        assert alone.execute("select segmenter_query(?)", (query,)).get == sqlite.match(query, s)
    cut = "select word from segmenter_cut('大学的图书馆在理', ?)"
    cut_words = [word for (word,) in alone.execute(cut, (f"user '{path.name}'",))]
    assert cut_words == s.cut("大学的图书馆在理")


def test_a_file_of_words_that_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, words = str(tmp_path / "my.db"), tmp_path / "words.tsv"
    words.write_text("云端\n", "utf-8")
    monkeypatch.setenv("SEGMENTER_WORDS", str(tmp_path))
    db = filled(loaded(path), TEXTS, "user ''words.tsv''")
    words.write_text("云端\n大学的\n", "utf-8")
    db.execute("insert into docs values ('大学的')")  # with the words it was opened with
    two = loaded(path)
    assert "segmenter_rebuild()" in why(two, "select * from docs('大学')")
    db.close()
    assert two.execute("select segmenter_rebuild()").get == "docs"
    assert len(list(two.execute("select * from docs(segmenter_query('大学'))"))) == 3
    words.write_text("云端\tloud\n", "utf-8")
    said = why(loaded(path), "select * from docs('x')")
    assert f"{words}, line 1: 'loud' is neither a level" in said
    words.unlink()
    assert f"{words}: there is no such file" in why(loaded(path), "select * from docs('x')")


def test_a_table_opens_no_file_that_the_program_did_not_name(tmp_path: Path) -> None:
    """Its definition, a view or a query may be someone else's."""
    (tmp_path / "words").mkdir()
    (tmp_path / "words.tsv").write_text("云端\n", "utf-8")
    db = loaded()
    table = "create virtual table docs using fts5(body, tokenize=\"segmenter user '{}'\")"
    assert "no folder of words: set SEGMENTER_WORDS" in why(db, table.format("words.tsv"))
    db.execute("select segmenter_config('words', ?)", (str(tmp_path / "words"),))
    for name in ("../words.tsv", "..", str(tmp_path / "words.tsv"), "a:b", "..\\words.tsv"):
        assert "is not a file name" in why(db, table.format(name))
        with pytest.raises(apsw.Error, match="is not a file name"):
            list(db.execute("select word from segmenter_cut('x', ?)", (f"user {name}",)))
        assert "is not a file name" in why(db, f"select segmenter_query('x', 'user {name}')")
    assert "words.tsv: there is no such file" in why(db, table.format("words.tsv"))


@pytest.mark.parametrize(
    "call",
    ["segmenter_config('models', '/none')", "segmenter_rebuild()", "segmenter_error()",
     "segmenter_register('segmenter', 1, 'refuse')"],
)  # fmt: skip
def test_settings_are_changed_by_statements_of_the_program_alone(call: str) -> None:
    db = filled(loaded(), TEXTS)
    db.execute("create table t (x)")
    db.execute(f"create view v as select {call}")
    db.execute(f"create trigger r after insert on t begin select {call}; end")
    for sql in ("select * from v", "insert into t values (1)"):
        with pytest.raises(apsw.SQLError, match="unsafe use"):
            db.execute(sql)


def test_a_database_goes_from_one_to_the_other(tmp_path: Path) -> None:
    s, path = load(), str(tmp_path / "my.db")
    filled(loaded(path), TEXTS).close()
    db = apsw.Connection(path)
    sqlite.register(db, s)
    sql = "select rowid from docs(?) order by rowid"
    assert list(db.execute(sql, (sqlite.match("大学", s),))) == [(0,), (8,)]
    db.execute("insert into docs(rowid, body) values (100, '大学')")
    db.close()
    db = loaded(path)
    rows = list(db.execute("select rowid from docs(segmenter_query('大学')) order by rowid"))
    assert rows == [(0,), (8,), (100,)]
    db.execute("insert into docs(docs) values ('integrity-check')")


def test_debians_python_has_the_adapter_too(tmp_path: Path) -> None:
    """Its sqlite3 loads extensions, where that of this Python may not."""
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        with pytest.raises(ValueError, match="without loadable extensions: use an apsw"):
            sqlite.register(sqlite3.connect(":memory:"), load())
    program, path = debian(), str(tmp_path / "my.db")
    code = (
        "import sqlite3, sys\nfrom segmenter.adapters import sqlite\n"
        "db = sqlite3.connect(sys.argv[1])\nsqlite.register(db)\n"
        "db.execute(\"create virtual table docs using fts5(body, tokenize='segmenter')\")\n"
        "db.execute(\"insert into docs values ('臺灣大學的圖書館')\")\ndb.commit()\n"
        "print(*db.execute('select * from docs(?)', (sqlite.match('大学'),)))\n"
    )
    packages = next(p for p in map(Path, sys.path) if (p / "numpy").is_dir())
    result = subprocess.run(
        [program, "-c", code, path], capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{packages}"},
    )  # fmt: skip
    if "Error importing numpy" in result.stderr or "_engine" in result.stderr:
        pytest.skip(f"{program} is of another version than the compiled packages here")
    assert result.stdout == "('臺灣大學的圖書館',)\n", result.stderr
    rows = list(loaded(path).execute("select * from docs(segmenter_query('图书馆'))"))
    assert rows == [("臺灣大學的圖書館",)]


def test_words_of_a_text() -> None:
    db, text = loaded(), "👍🏽 他在2024年1月\n说了3.14 ok"
    tokens = load().tokenize(text)
    rows = list(db.execute('select word, start, "end", kind from segmenter_cut(?)', (text,)))
    assert rows == [(t.text, t.start, t.end, t.kind) for t in tokens]
    words = load("fast").cut(text)
    fast = db.execute("select word from segmenter_cut(?, 'preset fast')", (text,))
    assert [word for (word,) in fast] == words
    texts = "(values ('中国人民'), (''), ('大学')) t"
    joined = list(db.execute(f"select t.column1, word from {texts}, segmenter_cut(t.column1)"))
    assert joined == [("中国人民", "中国"), ("中国人民", "人民"), ("大学", "大学")]
    for bad, why in (
        ("segmenter_cut('a', 'preset quick')", "quick"),
        ("segmenter_cut('a', 'loud')", "'loud' has no value"),
        ("segmenter_cut('a', 'at 3')", "'at' is not an option; there are preset"),
        ("segmenter_cut(cast(x'61ff' as text))", "UTF-8"),
    ):
        with pytest.raises(apsw.SQLError, match=why):
            list(db.execute(f"select * from {bad}"))


# --- who cut a table -----------------------------------------------------------------------------


def test_tables_of_another_segmenter(tmp_path: Path) -> None:
    path = str(tmp_path / "my.db")
    ours = apsw.Connection(path)
    sqlite.register(ours, load().with_words(["云端共和国"]))
    filled(ours, ["云端共和国"]).close()
    db = loaded(path)
    with pytest.raises(apsw.SQLError):
        list(db.execute("select * from docs(segmenter_query('共和国'))"))
    assert "segmenter_rebuild()" in db.execute("select segmenter_error()").get
    db.execute("select segmenter_config('mismatch', 'read-only')")
    assert list(db.execute("select * from docs(segmenter_query('端共'))")) == [("云端共和国",)]
    with pytest.raises(apsw.SQLError):
        db.execute("insert into docs values ('x')")
    assert "open for reading only" in db.execute("select segmenter_error()").get
    db.close()
    db, other_db = loaded(path), apsw.Connection(path)
    other_db.execute("select * from segmenter_tokenizers").get  # noqa: B018
    assert db.execute("select segmenter_rebuild()").get == "docs"
    db.execute("insert into docs values ('云端')")
    db.execute("insert into docs(docs) values ('integrity-check')")
    fresh = filled(loaded(), ["云端共和国", "云端"])
    said = "select fingerprint from segmenter_tokenizers"
    assert db.execute(said).get == fresh.execute(said).get
    for bad in ("('mismatch', 'no')", "('speed', 'high')"):
        with pytest.raises(apsw.SQLError, match=r"is not one of|is none of"):
            db.execute(f"select segmenter_config{bad}")
    long = "a" * 1_000_000
    for call in (
        f"segmenter_config('mismatch', '{long}')", f"segmenter_config('{long}', 'high')",
        f"segmenter_query('x', '{long}')", f"segmenter_query('x', '{long} off')",
        f"segmenter_query('x', 'script {long}')", f"segmenter_query('x', 'preset {long}')",
        f"segmenter_query('x', 'user {long}')",
    ):  # fmt: skip
        with pytest.raises(apsw.SQLError, match=r"'a{200}…' \(1,000,000 characters\)") as e:
            db.execute(f"select {call}")
        assert len(str(e.value)) < 500


def test_a_contentless_table_is_not_rebuilt() -> None:
    db = loaded()
    db.execute("create virtual table docs using fts5(b, content='', tokenize='segmenter')")
    with pytest.raises(apsw.SQLError, match="docs is contentless"):
        db.execute("select segmenter_rebuild()")


def test_a_table_may_be_dropped_and_made_with_other_options() -> None:
    db = filled(loaded(), TEXTS, "preset fast")
    with pytest.raises(apsw.SQLError):
        db.execute("create virtual table more using fts5(body, tokenize='segmenter')")
    db.execute("drop table docs")
    filled(db, TEXTS, "decoder unigram")


def test_names_that_are_odd() -> None:
    db = loaded()
    for name in ('a "b"', "国 表", "x'y", "order"):
        quoted = '"' + name.replace('"', '""') + '"'
        db.execute(
            f'create virtual table {quoted} using fts5(body, tokenize = "segmenter preset fast")'
        )
        db.execute(f"insert into {quoted} values ('大学')")
    assert sorted(db.execute("select segmenter_rebuild()").get.split("\n")) == sorted(
        ['a "b"', "国 表", "x'y", "order"]
    )


# --- faults --------------------------------------------------------------------------------------


def models(folder: Path) -> Path:
    """A copy of the models of `fast`."""
    for name in ("general.lex", "general-fast.model"):
        shutil.copy(ROOT / "models" / name, folder / name)
    return folder


def why(db: Any, sql: str) -> str:
    with pytest.raises(apsw.Error):
        list(db.execute(sql))
    return str(db.execute("select segmenter_error()").get)


MADE = "create virtual table docs using fts5(body, tokenize='segmenter preset fast')"


def test_missing_and_damaged_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "none"
    empty.mkdir()
    db = loaded()
    db.execute("select segmenter_config('models', ?)", (str(empty),))
    assert str(empty / "general-fast.model") in why(db, MADE)
    assert str(empty / "general-fast.model") in why(
        db, "select segmenter_query('a', 'preset fast')"
    )
    monkeypatch.setenv("SEGMENTER_DATA", str(tmp_path / "away"))
    assert "away" in why(loaded(), MADE)
    folder = models(tmp_path)
    monkeypatch.setenv("SEGMENTER_DATA", str(folder))
    filled(loaded(), TEXTS, "preset fast")
    data = (folder / "general-fast.model").read_bytes()
    pick = random.Random(5)
    for _ in range(20):
        damaged = bytearray(data)
        offset = pick.randrange(len(damaged))
        damaged[offset] ^= 1 << pick.randrange(8)
        (folder / "new").write_bytes(damaged)
        (folder / "new").replace(folder / "general-fast.model")
        assert "general-fast.model" in why(loaded(), MADE), offset
    (folder / "general-fast.model").write_bytes(data[: len(data) // 2])
    assert "general-fast.model" in why(loaded(), MADE)


def test_rows_of_any_size_and_type_are_indexed() -> None:
    db = filled(loaded(), TEXTS)
    big = "中华人民共和国" * (10 * 1024 * 1024 // 21)
    db.execute("insert into docs(rowid, body) values (99, ?)", (big,))
    db.execute("insert into docs(rowid, body) values (100, NULL), (101, 7), (102, 2.5)")
    rows = list(db.execute("select rowid from docs(segmenter_query('国中华')) order by rowid"))
    assert rows == [(99,)]
    assert list(db.execute("select rowid from docs(segmenter_query('人民')) order by rowid")) == [
        (1,), (4,), (99,),
    ]  # fmt: skip
    assert "UTF-8 at byte 3" in why(
        db, "insert into docs(body) values ('国' || cast(x'e4bb' as text))"
    )
    assert "UTF-8 at byte 0" in why(db, "insert into docs(body) values (cast(x'eda080' as text))")
    db.execute("delete from docs where rowid in (4, 99)")
    db.execute("insert into docs(docs) values ('integrity-check')")
    assert list(db.execute("select rowid from docs(segmenter_query('人民'))")) == [(1,)]


def test_a_database_that_is_only_read(tmp_path: Path) -> None:
    path = str(tmp_path / "my.db")
    filled(loaded(path), TEXTS).close()
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    db.enable_load_extension(True)
    db.load_extension(EXTENSION)
    assert len(list(db.execute("select * from docs(segmenter_query('大学'))"))) == 2
    with pytest.raises(apsw.ReadOnlyError):
        db.execute("insert into docs values ('x')")


def test_two_connections_see_each_other_s_rows(tmp_path: Path) -> None:
    path = str(tmp_path / "my.db")
    first, second = loaded(path), loaded(path)
    filled(first, TEXTS)
    count = "select count(*) from docs(segmenter_query('大学'))"
    with first:
        first.execute("insert into docs values ('大学')")
        assert (first.execute(count).get, second.execute(count).get) == (3, 2)
        with pytest.raises(apsw.BusyError):
            second.execute("insert into docs values ('大学')")
    assert second.execute(count).get == 3


def test_threads_share_a_preset(tmp_path: Path) -> None:
    """Connections of their own, over one preset that is opened once."""
    got: list[Any] = [None] * 4

    def work(n: int) -> None:
        db = filled(loaded(str(tmp_path / f"{n}.db")), TEXTS * 40)
        rows = [list(db.execute("select rowid from docs(segmenter_query('大学'))")) for _ in "ab"]
        got[n] = rows, shadow(db)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(got))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got[0] is not None
    assert all(other == got[0] for other in got)


KILLED = """
import sys, apsw
db = apsw.Connection(sys.argv[1])
db.enable_load_extension(True)
db.load_extension(sys.argv[2])
db.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
text = "研究生院公布了招生办法，共和国的研究者在讨论。" * 20
while True:
    with db:
        for _ in range(50):
            db.execute("insert into docs values (?)", (text,))
    print(db.execute("select count(*) from docs").get, flush=True)
"""


def test_a_crash_while_a_table_is_filled(tmp_path: Path) -> None:
    path = str(tmp_path / "my.db")
    pick = random.Random(3)
    for _ in range(3):
        Path(path).unlink(missing_ok=True)
        run = subprocess.Popen(
            [sys.executable, "-c", KILLED, path, EXTENSION], stdout=subprocess.PIPE, text=True
        )
        assert run.stdout is not None
        committed = [int(run.stdout.readline()) for _ in range(pick.randint(1, 6))][-1]
        time.sleep(pick.random() / 50)
        run.send_signal(signal.SIGKILL)
        committed = int((run.stdout.read().split() or [committed])[-1])
        run.wait()
        db = loaded(path)
        count = db.execute("select count(*) from docs").get
        assert count >= committed
        assert count % 50 == 0
        assert db.execute("select count(*) from docs(segmenter_query('共和国'))").get == count
        db.execute("insert into docs(docs) values ('integrity-check')")
        db.execute("insert into docs values ('大学')")
        db.close()


FORMS = [
    "tok='segmenter preset fast'", "T = `segmenter preset fast`",
    "tokenize=[segmenter preset fast]", 'TOKENIZE="segmenter preset fast"',
    "tokenize='''segmenter'' preset fast'",
    "/* a ) */ tokenize = 'segmenter preset fast' -- b",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_definition_is_compared_and_rebuilt(form: str, tmp_path: Path) -> None:
    path = str(tmp_path / "my.db")
    db = loaded(path)
    db.execute(f'create virtual table "using tok" using "fts5"(a, [b,c)], {form}\n)')
    db.execute('insert into "using tok" values (?, ?)', ("大学", ""))
    assert db.execute("select count(*) from segmenter_tokenizers").get == 1
    assert db.execute("select segmenter_rebuild()").get == "using tok"
    db.execute("update segmenter_tokenizers set fingerprint = 'another fts5=3'")
    db.close()
    assert "was filled by another" in why(loaded(path), "select * from \"using tok\"('大学')")


@pytest.mark.parametrize("tokenizer", ["porter segmenter", "PORTER ''segmenter'' preset fast"])
def test_no_other_tokenizer_may_change_the_tokens(tokenizer: str) -> None:
    db = loaded()
    said = why(db, f"create virtual table docs using fts5(body, tokenize='{tokenizer}')")
    assert "inside 'porter'" in said.lower()
    filled(db, TEXTS)


def test_options_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a file of words is named like another one after an option."""
    (tmp_path / "x.tsv").write_text("学的图", "utf-8")
    (tmp_path / "sx.tsv").write_text("的图书", "utf-8")
    monkeypatch.setenv("SEGMENTER_WORDS", str(tmp_path))

    def words(db: Any, options: str) -> str:
        cut = "select group_concat(word, '/') from segmenter_cut('大学的图书馆', ?)"
        return str(db.execute(cut, (options,)).get)

    db = loaded()
    options = ["user x.tsv", "user sx.tsv script off"]
    right = [words(loaded(), options) for options in options]
    assert right[0] != right[1]
    assert [words(db, options) for options in options] == right


def test_refused_options_are_not_kept() -> None:
    resource = pytest.importorskip("resource")
    db = loaded()

    def refuse(count: int) -> int:
        for number in range(count):
            options = f"preset '{number}{'x' * 100_000}'"
            with pytest.raises(apsw.SQLError, match="preset: '"):
                list(db.execute("select * from segmenter_cut('x', ?)", (options,)))
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    before = refuse(20)
    assert refuse(400) - before < 20_000  # KiB; their names alone are 40,000, and were kept twice


def test_a_rebuild_that_fails_says_why_and_checks_again() -> None:
    db = loaded()
    db.execute("create table texts(body)")
    db.executemany("insert into texts values (?)", [(f"大学的图书馆{k}" * 20,) for k in range(200)])
    options = "content='texts', tokenize='segmenter preset fast'"
    db.execute(f"create virtual table docs using fts5(body, {options})")
    with pytest.raises(apsw.SQLError):  # what segmenter_error() remembers is another reason
        db.execute("create virtual table more using fts5(body, tokenize='segmenter speed 1')")
    db.execute(f"pragma max_page_count = {db.execute('pragma page_count').get}")
    with pytest.raises(apsw.Error, match="full"):  # SQLite rolls back by itself
        list(db.execute("select segmenter_rebuild()"))
    db.execute("pragma max_page_count = 1000000")
    db.execute("update segmenter_tokenizers set fingerprint = 'another fts5=3'")
    assert "was filled by another" in why(db, MADE.replace("docs", "more"))
    assert db.execute("select segmenter_rebuild()").get == "docs"
