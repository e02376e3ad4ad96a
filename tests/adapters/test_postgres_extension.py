"""The extension of PostgreSQL: compiled, put into a copy of the installed server, and used.

The server's own folders are left alone: a copy of its programs finds files beside itself.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from collection import TEXTS, holding
from pages import run_page
from places import ROOT
from server import postgres
from test_postgres import connect_by_environment

sys.path.append(str(ROOT))  # the program `pytest` does not add this folder, as `python -m` does

from eval.digests import odd_lines
from eval.retrieval.postgres_server import with_extension
from segmenter import capi, load
from segmenter.adapters import postgres as client
from segmenter.adapters._terms import Terms
from segmenter.errors import ResourceError
from segmenter.lexicon.user import UserDictionary
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Rounds of 3,000 rows in the test of memory; 333 for a million rows of each function.
ROUNDS = int(os.environ.get("SEGMENTER_POSTGRESQL_ROUNDS", "3"))


class Installation(NamedTuple):
    """A copy of the server with the extension."""

    source: Path  # where it was compiled
    programs: Path
    share: Path  # of tsearch_data, and the compiled files in segmenter

    def make(self, *arguments: str) -> str:
        result = subprocess.run(
            ["make", "-s", "with_llvm=no", f"PYTHON={sys.executable}", *arguments],
            cwd=self.source, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def configure(self, name: str, lines: str, words: str | None = None) -> None:
        """Write a configuration, and a file of words of the same name."""
        folder = self.share / "tsearch_data"
        for suffix, text in (("segmenter", lines), ("words", words)):
            if text is not None:
                new = folder / "new"
                new.write_text(text, "utf-8")
                new.rename(folder / f"{name}.{suffix}")


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    try:
        capi.library()
    except ResourceError as error:
        pytest.skip(str(error))
    root = Path(tempfile.mkdtemp(prefix="pg-extension-"))
    try:
        root.chmod(0o755)
        programs = with_extension(root)
        share = next(root.glob("usr/**/tsearch_data"))
        yield Installation(root / "source", programs, share.parent)
    except ImportError as error:
        pytest.skip(str(error))
    finally:
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="module")
def address(installation: Installation) -> Iterator[str]:
    pytest.importorskip("psycopg", reason="psycopg is not installed: extra [postgres]")
    with postgres(folder=installation.programs) as server:
        with connected(server) as db:
            db.execute("create extension segmenter")
        yield server


@contextmanager
def connected(address: str, **options: Any) -> Iterator[Any]:
    import psycopg

    with psycopg.connect(address, autocommit=True, **options) as db:
        yield db


def host(address: str) -> str:
    return address.split()[0].partition("=")[2]


def test_the_extension_passes_its_regression_tests(installation: Installation) -> None:
    with postgres(folder=installation.programs) as address:
        tests = ROOT / "tests" / "adapters" / "postgresql"
        options = f"--inputdir={tests} --host={host(address)} --user=tester"
        installation.make("installcheck", "REGRESS=segmenter", f"REGRESS_OPTS={options}")


# --- the same as the adapter ---------------------------------------------------------------------


def texts() -> list[str]:
    """Odd texts that PostgreSQL can hold, and long ones."""
    lines = odd_lines(150, 47)
    lines += [
        line for line in (ROOT / "docs/zh/start.md").read_text("utf-8").splitlines()[:80] if line
    ]
    lines += [
        *TEXTS,
        "AT&T 3.14 I/O 50% C# 1,000，5，6",
        "a'b\\c <-> & | ! :*",
        "以後在後臺乾淨的乾坤",
    ]
    long = [
        "a" * 3000 + " 共和国" + "，的" * 17_000 + "成立国家",
        "国" * 400 + "家",
        "b" * 2045 + "c " * 300,
    ]
    return [line.replace("\ud800", "").replace("\0", "") for line in lines] + long


SETTINGS = {
    "balanced": ("preset = balanced", None),
    "lattice": ("decoder = unigram\nscript = off\nruns = split  # letters", None),
    "words": ("preset = fast\nuser = words\nvariants = off", "云端计算\nAB c\n的|确实\tsplit\n"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_same_as_from_the_client(name: str, installation: Installation, address: str) -> None:
    lines, words = SETTINGS[name]
    installation.configure(name, lines, words)
    arguments: dict[str, Any] = (
        {} if words is None else {"user": UserDictionary.load(words.encode())}
    )
    seg = {
        "balanced": lambda: load(),
        "lattice": lambda: load(decoder="unigram"),
        "words": lambda: load("fast", variants=False, **arguments),
    }[name]()
    options: dict[str, Any] = {}
    if name == "lattice":
        from segmenter.search import SearchOptions

        options = {"script": False, "options": SearchOptions(runs="split")}
    with connected(address) as db:
        db.execute("set client_min_messages = warning")
        print_of = db.execute("select segmenter_install(%s)", (name,)).fetchone()[0]
        terms = Terms(seg, options.get("options"), options.get("script", True))
        assert print_of == terms.fingerprint
        client.check(db, f"{name}.words", seg, **options)
        for text in texts():
            query = text[:400]
            row = db.execute(
                "select segmenter_tsvector(%(t)s, %(n)s) = %(v)s::tsvector, "
                "segmenter_tsquery(%(a)s, %(n)s)::text = %(q)s::tsquery::text, "
                "segmenter_tsquery(%(a)s, %(n)s, phrase => true)::text = %(p)s::tsquery::text, "
                "segmenter_tsquery(%(a)s, %(n)s, any_word => true)::text = %(o)s::tsquery::text, "
                "segmenter_words(%(a)s, %(n)s)::text = %(w)s::tsquery::text, "
                "segmenter_cut(%(t)s, %(n)s)",
                {
                    "t": text, "a": query, "n": name,
                    "v": client.tsvector(text, seg, **options),
                    "q": client.tsquery(query, seg, **options),
                    "p": client.tsquery(query, seg, phrase=True, **options),
                    "o": client.tsquery(query, seg, any_word=True, **options),
                    "w": client.ts_words(query, seg, **options),
                },
            ).fetchone()  # fmt: skip
            assert row[:5] == (True,) * 5, (text[:100], row[:5])
            assert row[5] == seg.cut(text)
        tags = db.execute(
            "select word, tag from segmenter_tag(%s, %s)", (TEXTS[0], name)
        ).fetchall()
        assert tags == seg.tag(TEXTS[0])


def test_remembered_words_stay_what_they_were_at_first(address: str) -> None:
    """What the dictionary remembers, forgets and learns again is what it gave at first."""
    with connected(address) as db:
        db.execute("""
            create temp table seen as select b, to_tsvector('segmenter', b) v from (
                select chr(19968 + n % 173) || chr(20000 + n) b from generate_series(1, 12000) n
            ) x
        """)
        lists = """
            select count(*) from (
                select b, v from seen, generate_series(1, 4) t order by hashtext(b || t)
            ) x where v is distinct from to_tsvector('segmenter', b)
        """
        assert db.execute(lists).fetchone() == (0,)


def test_every_string_is_found_and_marked(address: str) -> None:
    with connected(address) as db:
        db.execute(
            "create table strings (n int, body text, words tsvector generated always as "
            "(segmenter_tsvector(body)) stored, plain tsvector generated always as "
            "(to_tsvector('segmenter', body)) stored)"
        )
        for n, text in enumerate(TEXTS):
            db.execute("insert into strings values (%s, %s)", (n, text))
        db.execute("create index on strings using gin (words)")
        db.execute("create index on strings using gin (plain)")
        db.execute("set enable_seqscan = off")
        for text in TEXTS:
            for a in range(len(text)):
                for b in (a + 1, a + 2, a + 4):
                    part = text[a:b]
                    if not part.isalnum() or any(chars.fold_str(c).isascii() for c in part):
                        continue
                    for column, query in (
                        ("words", "segmenter_tsquery(%s, phrase => true)"),
                        ("plain", "phraseto_tsquery('segmenter', %s)"),
                    ):
                        rows = db.execute(
                            f"select n, ts_headline('segmenter', body, q, 'HighlightAll=on') "
                            f"from strings, {query} q where {column} @@ q",
                            (part,),
                        ).fetchall()
                        assert {n for n, _ in rows} == holding(part), (part, column)
                        for n, marked in rows:
                            assert marked.replace("<b>", "").replace("</b>", "") == TEXTS[n]
                            marks = marked.split("<b>")[1:]
                            assert all(part[0] == piece[0] for piece in marks), marked


# --- configurations ------------------------------------------------------------------------------


def test_changed_words_are_refused_until_the_indexes_are_rebuilt(
    installation: Installation, address: str
) -> None:
    import psycopg

    installation.configure("medical", "user = medical", "阿司匹林肠溶片\n")
    text = "他吃阿司匹林肠溶片"
    with connected(address) as db, connected(address) as other_db:
        with pytest.raises(psycopg.Error, match='configuration "medical" is not installed'):
            db.execute("select segmenter_cut('中', 'medical')")
        before = db.execute("select segmenter_install('medical')").fetchone()
        assert db.execute("select segmenter_install('medical')").fetchone() == before
        assert (
            "阿司匹林肠溶片"
            in db.execute("select segmenter_cut(%s, 'medical')", (text,)).fetchone()[0]
        )
        db.execute(
            "create table drugs (body text, words tsvector generated always as "
            "(segmenter_tsvector(body, 'medical')) stored);"
            "create index on drugs using gin (to_tsvector('segmenter_medical', body))"
        )
        db.execute("insert into drugs values (%s)", (text,))
        uses = db.execute('select relation::text, "column" from segmenter_uses').fetchall()
        assert {("drugs", "words"), ("drugs_to_tsvector_idx", None)} <= set(uses)
        installation.configure("medical", "user = medical", "肠溶片\n")
        # who has opened it goes on, with the words of the index
        assert (
            "阿司匹林肠溶片"
            in db.execute("select segmenter_cut(%s, 'medical')", (text,)).fetchone()[0]
        )
        for sql in (
            "select segmenter_tsvector('中', 'medical')",
            "select to_tsvector('segmenter_medical', '中')",
            "insert into drugs values ('中')",
        ):
            with pytest.raises(
                psycopg.Error, match="is not the one that filled the indexes"
            ) as refused:
                other_db.execute(sql)
            assert "rebuild => true" in refused.value.diag.message_hint
        with pytest.raises(psycopg.Error, match="installed with another content"):
            other_db.execute("select segmenter_install('medical')")
        with other_db.transaction():
            other_db.execute("select segmenter_install('medical', rebuild => true)")
            other_db.execute("update drugs set body = body")
        for each in (db, other_db):
            words = each.execute("select segmenter_cut(%s, 'medical')", (text,)).fetchone()[0]
            assert "肠溶片" in words
            rows = each.execute(
                "select count(*) from drugs where words @@ segmenter_words('肠溶片', 'medical')"
            )
            assert rows.fetchone() == (1,)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("presett = fast", 'bad.segmenter:1: "presett" is no setting'),
        ("\n# x\nfast", 'bad.segmenter:3: expected a line of the form "name = value"'),
        ("preset = quick", "preset: 'quick' is neither a preset"),
        ("script = yes", 'bad.segmenter:1: "yes" is neither "off" nor "on"'),
        ("user = nothing", "nothing.words: No such file or directory"),
        ("user = ../../passwd", "invalid text search configuration file name"),
        ("user = bad", "bad.words|line 1|:1"),
        ("models = /no/such/folder", "no such file"),
    ],
)
def test_files_that_are_refused(
    lines: str, message: str, installation: Installation, address: str
) -> None:
    import psycopg

    installation.configure("bad", lines, "中\t\t\tx\ty\n")
    with connected(address) as db, pytest.raises(psycopg.Error, match=message):
        db.execute("select segmenter_install('bad')")


def test_databases_of_other_encodings_are_refused(address: str) -> None:
    import psycopg

    with connected(address) as db:
        db.execute(
            "create database latin encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'"
        )
    with (
        connected(address, dbname="latin") as db,
        pytest.raises(psycopg.Error, match="encoding is UTF8, and that of this one is LATIN1"),
    ):
        db.execute("create extension segmenter")


# --- attacks -------------------------------------------------------------------------------------


def alive(address: str) -> None:
    with connected(address) as db:
        assert db.execute("select segmenter_cut('他说的确实在理')").fetchone() == (
            ["他", "说", "的", "确实", "在理"],
        )


def test_a_missing_model_and_a_killed_back_end(installation: Installation, address: str) -> None:
    import psycopg

    model = installation.share / "segmenter" / "general-balanced.model"
    with connected(address) as db:
        db.execute("create table many as select n, repeat('中华人民共和国成立', 40) || n as body "
                   "from generate_series(1, 3000) n")  # fmt: skip
        db.execute("create function slow(text) returns tsvector language plpgsql immutable as "
                   "'begin perform pg_sleep(.01); return segmenter_tsvector($1); end'")  # fmt: skip
        model.rename(model.with_suffix(".away"))
        with connected(address) as late, pytest.raises(psycopg.Error, match="no such file"):
            late.execute("select segmenter_cut('中')")
        assert db.execute("select count(*) from many").fetchone() == (3000,)
        model.with_suffix(".away").rename(model)
    alive(address)
    script = (
        "import psycopg, sys\n"
        "db = psycopg.connect(sys.argv[1], autocommit=True)\n"
        "print(db.info.backend_pid, flush=True)\n"
        "db.execute('create index half on many using gin (slow(body))')\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as building:
        assert building.stdout is not None
        killed = int(building.stdout.readline())
        with connected(address) as db:
            working = "select 1 from pg_stat_progress_create_index where pid = %s"
            while building.poll() is None and not db.execute(working, (killed,)).fetchone():
                pass
            if building.poll() is None:
                os.kill(killed, signal.SIGKILL)
        assert building.wait(60) != 0
    for _ in range(200):  # the server starts its back-ends again
        try:
            alive(address)
            break
        except psycopg.OperationalError:
            time.sleep(0.1)
    with connected(address) as db:
        assert db.execute("select to_regclass('half')").fetchone() == (None,)
        db.execute("create index half on many using gin (segmenter_tsvector(body))")
        db.execute("set enable_seqscan = off")
        sql = (
            "select count(*) from many where segmenter_tsvector(body) @@ segmenter_tsquery('国成')"
        )
        assert db.execute(sql).fetchone() == (3000,)


def test_words_swapped_during_queries(installation: Installation, address: str) -> None:
    import psycopg

    kinds = ("云端\n", "云端计算\n", "云端\tdelete\n\x00", "中" * 200_000, "")
    installation.configure("swapped", "user = swapped", kinds[0])
    pick = random.Random(47)
    with connected(address) as first:
        first.execute("select segmenter_install('swapped')")
        expected = first.execute("select segmenter_tsvector('云端计算', 'swapped')").fetchone()
        for _ in range(25):
            installation.configure("swapped", "user = swapped", pick.choice(kinds))
            assert (
                first.execute("select segmenter_tsvector('云端计算', 'swapped')").fetchone()
                == expected
            )
            with connected(address) as late:
                try:
                    row = late.execute(
                        "select segmenter_tsvector('云端计算', 'swapped')"
                    ).fetchone()
                    assert row == expected
                except psycopg.Error as error:
                    assert "swapped" in str(error)  # noqa: PT017
    alive(address)


def test_hostile_texts_leave_the_server_alive(address: str) -> None:
    import psycopg

    pick = random.Random(48)
    pool = [
        *"中国大学的，。 \n\t\\'\":*&|!()<>-a1Ａ",
        "\u0301",
        "\u200d",
        "\U0001f468",
        "\U0010ffff",
        "\ufeff",
        "後",
        "𠮷",
    ]
    with connected(address) as db:
        db.execute("set client_min_messages = error")
        for _ in range(150):
            text = "".join(pick.choices(pool, k=pick.choice((1, 5, 60, 900))))
            query = text[:40]
            row = db.execute(
                "select ts_headline('segmenter', %(t)s, segmenter_tsquery(%(a)s), "
                '\'StartSel="", StopSel="", HighlightAll=on\'), '
                "ts_headline('segmenter', %(t)s, websearch_to_tsquery('segmenter', %(a)s), "
                "'MaxFragments=3'), "
                "array_to_string(segmenter_cut(%(t)s), ''), "
                "(select string_agg(word, '') from segmenter_tag(%(t)s)), "
                "segmenter_tsvector(%(t)s) @@ segmenter_tsquery(%(a)s, phrase => true), "
                "length(segmenter_tsquery(%(a)s, phrase => true)::text) > 0",
                {"t": text, "a": query},
            ).fetchone()
            assert row[0] == row[2] == row[3] == text
            assert row[4] or not row[5] or len(text) > 40, text
        for expression, message in (
            ("segmenter_tsquery(repeat('中 ', 200000))", "too|stack depth|memory"),
            (
                "segmenter_tsvector(string_agg('x' || n, ' ')) from generate_series(1, 200000) n",
                "too long",
            ),
        ):
            with pytest.raises(psycopg.Error, match=message):
                db.execute(f"select {expression}")
    alive(address)


@pytest.mark.parametrize(
    "expression",
    [
        "segmenter_tsvector(t)", "cardinality(segmenter_cut(t))", "to_tsvector('segmenter', t)",
        "(select count(*) from segmenter_tag(t))", "ts_headline('segmenter', t, 'x')",
    ],
)  # fmt: skip
def test_a_long_call_is_cancelled(expression: str, address: str) -> None:
    import psycopg

    with connected(address) as db:
        db.execute("select segmenter_tag('中')")
        db.execute("set statement_timeout = 100")
        with pytest.raises(psycopg.errors.QueryCanceled):
            db.execute(f"select {expression} from repeat('他说的确实在理', 700000) t")
        db.execute("reset statement_timeout")
        assert db.execute("select segmenter_cut('在理')").fetchone() == (["在理"],)


def own_memory(pid: int) -> int:
    """Kilobytes of a process that are no file's: those of the models are everyone's."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError as error:
        pytest.skip(f"the memory of processes cannot be read: {error}")
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))


@pytest.mark.parametrize(
    "expression",
    [
        "segmenter_tsvector(b)", "to_tsvector('segmenter', b)", "segmenter_tsquery(left(b, 9))",
        "ts_headline('segmenter', b, segmenter_tsquery('国'))",
        "(select count(*) from segmenter_tag(b))",
    ],
)  # fmt: skip
def test_memory_of_a_back_end(expression: str, address: str) -> None:
    with connected(address) as db:
        pid = db.info.backend_pid
        work = (
            "select count({}) from (select '中华人民共和国成立了，' || chr(19968 + n % 20000) || "
            "chr(20000 + n % 17000) || n as b from generate_series(1, 3000) n) x"
        )
        db.execute(work.format("to_tsvector('simple', b)"))
        before = own_memory(pid)
        db.execute(f"select {expression} from (select '他说的确实在理'::text as b) x")
        assert own_memory(pid) - before < 5000
        for _ in range(3):  # what is remembered of words is full then
            db.execute(work.format(expression))
        early = own_memory(pid)
        for _ in range(ROUNDS):
            db.execute(work.format(expression))
        assert own_memory(pid) - early < 600
        assert own_memory(pid) - before < 5000


def test_many_words_take_no_more_memory(address: str) -> None:
    with open(ROOT / "dicts/general/words-text.tsv", encoding="utf-8") as file:
        words = [line.partition("\t")[0] for line in file][:40_000]
    rows = ["，".join(words[k::1000]) for k in range(1000)]
    with connected(address) as db:
        pid = db.info.backend_pid
        db.execute("set jit = off")  # the compiler takes 10 MB
        db.execute("select to_tsvector('simple', 'x')")
        before = own_memory(pid)
        db.execute("create temp table many (b text)")
        with db.cursor().copy("copy many from stdin") as copy:
            for row in rows:
                copy.write_row((row,))
        db.execute("select count((select count(*) from segmenter_tag(b))) from many")
        assert own_memory(pid) - before < 5000


# --- dumps and upgrades --------------------------------------------------------------------------


def test_dump_and_restore(installation: Installation, address: str) -> None:
    import psycopg

    installation.configure("dumped", "user = dumped", "云端计算\n")
    with connected(address) as db:
        db.execute("create database one")
        db.execute("create database two")
        db.execute("create database three")
    with connected(address, dbname="one") as db:
        db.execute(
            "create schema s; create extension segmenter schema s; set search_path = s, public"
        )
        db.execute("select segmenter_install('dumped')")
        db.execute(
            "create table t (body text, words tsvector generated always as "
            "(segmenter_tsvector(body, 'dumped')) stored);"
            "create text search configuration zh (copy = segmenter_dumped);"
            "create index on t using gin (to_tsvector('zh', body));"
            "insert into t (body) values ('云端计算在大学')"
        )

    def tool(name: str, *arguments: str) -> str:
        result = subprocess.run(
            [str(installation.programs / name), "-h", host(address), "-U", "tester", *arguments],
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        return result.stdout

    dump = tool("pg_dump", "one")
    path = installation.source / "dump.sql"
    path.write_text(dump, "utf-8")
    queries = (
        "select segmenter_cut(body, 'dumped'), words @@ segmenter_tsquery('端计', 'dumped'), "
        "to_tsvector('zh', body) @@ to_tsquery('zh', '大学') from t"
    )
    tool("psql", "-d", "two", "-v", "ON_ERROR_STOP=1", "-f", str(path))
    with connected(address, dbname="two") as db:
        db.execute("set search_path = s, public")
        assert db.execute(queries).fetchone() == (["云端计算", "在", "大学"], True, True)
        assert db.execute(
            "select count(*) from segmenter_configurations where name = 'dumped'"
        ).fetchone() == (1,)
    # into a server whose words are others: said, not silent
    installation.configure("dumped", "user = dumped", "云端\n")
    lax = dict(os.environ, PGOPTIONS="-c segmenter.mismatch=warning")
    subprocess.run(
        [str(installation.programs / "psql"), "-h", host(address), "-U", "tester", "-d", "three",
         "-q", "-v", "ON_ERROR_STOP=1", "-f", str(path)],
        check=True, env=lax, capture_output=True, timeout=60,
    )  # fmt: skip
    with connected(address, dbname="three") as db:
        db.execute("set search_path = s, public")
        with pytest.raises(psycopg.Error, match="is not the one that filled the indexes"):
            db.execute(queries)


def test_an_upgraded_cluster_finds_the_same(installation: Installation) -> None:
    """To a new cluster of the same version, whose files are moved as they are."""
    if not os.environ.get("SEGMENTER_PG_UPGRADE"):
        pytest.skip("it takes ten seconds: .ci/run --full, or SEGMENTER_PG_UPGRADE=yes")
    pytest.importorskip("psycopg", reason="psycopg is not installed: extra [postgres]")
    with upgraded(installation.programs) as address, connected(address) as db:
        row = db.execute(
            "select words @@ segmenter_tsquery('国成'), segmenter_tsvector(body) = words, "
            "ts_headline('zh', body, segmenter_tsquery('国成')) from t"
        ).fetchone()
        assert row == (True, True, "共和<b>国成</b>立")
        assert db.execute(
            "select extversion from pg_extension where extname = 'segmenter'"
        ).fetchone() == ("1.0",)


@contextmanager
def upgraded(folder: Path) -> Iterator[str]:
    """A server that pg_upgrade moved from another cluster."""
    import pwd

    home = Path(tempfile.mkdtemp(prefix="pg-"))
    server: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = pwd.getpwnam("nobody")
        server = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        os.chown(home, user.pw_uid, user.pw_gid)

    def call(program: str, *arguments: str) -> None:
        with open(home / "log", "ab") as log:
            result = subprocess.run(
                [str(folder / program), *arguments], cwd=home, timeout=120, check=False,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, **server,
            )  # fmt: skip
        logs = [home / "log", *home.rglob("pg_upgrade_dump_*.log")]
        assert result.returncode == 0, "".join(x.read_text("utf-8", "replace") for x in logs)

    options = f"-k {home} -c listen_addresses= -c fsync=off -c shared_buffers=8MB"
    address = f"host={home} user=tester dbname=postgres"
    try:
        for name in ("old", "new"):
            call(
                "initdb",
                "-D",
                str(home / name),
                "-U",
                "tester",
                "-A",
                "trust",
                "-N",
                "-E",
                "UTF8",
                "--no-locale",
            )
        call("pg_ctl", "-D", str(home / "old"), "-w", "-o", options, "start")
        with connected(address) as db:
            db.execute("create extension segmenter")
            db.execute(
                "create table t (body text, words tsvector generated always as "
                "(segmenter_tsvector(body)) stored);"
                "create index on t using gin (words); insert into t values ('共和国成立');"
                "create text search configuration zh (copy = segmenter)"
            )
        call("pg_ctl", "-D", str(home / "old"), "-w", "stop")
        call(
            "pg_upgrade", "-b", str(folder), "-B", str(folder), "-d", str(home / "old"), "-D",
            str(home / "new"), "-U", "tester", "-s", str(home),
        )  # fmt: skip
        call("pg_ctl", "-D", str(home / "new"), "-w", "-o", options, "start")
        try:
            yield address
        finally:
            call("pg_ctl", "-D", str(home / "new"), "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def test_the_page(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with connected(address) as db:
        db.execute("create database page")
    connect_by_environment(address.replace("dbname=postgres", "dbname=page"), monkeypatch)
    names = run_page("postgresql.md", asserts=8, heading="The extension")
    names["db"].close()  # type: ignore[attr-defined]
