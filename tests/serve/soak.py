"""The service under mixed and hostile load for as long as one likes.

    python tests/serve/soak.py --minutes 60

Several workers answer a fixed set of requests of every kind again and again, and each answer must
be that of the first time.  Beside them come bodies that are cut off, bytes that are no HTTP,
connections that say nothing or never end, answers that nobody takes, and random requests.
Meanwhile the user dictionary changes, well and badly, and workers are killed, never the oldest.
A line every half minute gives the memory and the open files of each process.  The exit code is 1
where an answer differs, a 500 comes, the oldest worker dies, or its memory has grown by more than
--most MB since a quarter of the time.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from served import Served

PIECES = (
    "他说的确实在理，", "研究生命起源。\n", "結婚的和尚未結婚的", "2026年11月27日21:05",
    "https://a.cn/b?c=1 ", "微信支付宝iPhone15", "ＡＢＣ", "👍🏽😀", "\ud800", "\0", "é", " \r\n",
    "人民人民人民", "кириллица", "一二三四",
)  # fmt: skip
PATHS = (
    "cut", "cut", "cut_batch", "tokenize", "tokenize", "tag", "keywords", "search", "explain",
    "steps",
)  # fmt: skip
LENGTHS = (0, 1, 4, 20, 300, 4000)
PLAYERS = ("unigram", "crf", "n-shortest", "bpe", "wordpiece")


class Ask(NamedTuple):
    path: str
    body: bytes


def text(r: random.Random, limit: int = 100_000) -> str:
    return "".join(r.choices(PIECES, k=r.choice(LENGTHS)))[:limit]


def ask(r: random.Random) -> Ask:
    """A request of any kind, most of them good ones."""
    path = r.choice(PATHS)
    fields: dict[str, Any] = {"text": text(r)}
    if path == "cut_batch":
        fields = {"texts": [text(r, 500) for _ in range(r.choice([0, 1, 300]))]}
    elif path == "tokenize":
        fields |= {
            "mode": r.choice(["words", "index", "query", "search"]),
            "units": r.choice(["utf8", "utf16", "codepoints"]),
            "pos": r.random() < 0.3,
        }
    elif path == "tag":
        fields["stop_words"] = r.choice(["keep", "drop"])
    elif path == "keywords":
        fields |= {"method": r.choice(["tfidf", "textrank"]), "top": r.choice([1, 20, 1000, 0])}
    elif path == "explain":
        nested = "\n".join("人" * k for k in range(1, r.randint(2, 80)))
        fields = {
            "text": text(r, r.choice([10, 200, 20_000])),
            "words": r.choice(["", nested, "a" + " " * 3000 + "=x", "他说的 = 他/说的\n[" * 300]),
            "settings": {"mode": r.choice(["words", "index"])},
        }
    elif path == "steps":
        fields = {"text": text(r, 30), "player": r.choice(PLAYERS)}
    if r.random() < 0.05:
        wrong = [3, None, [[]] * 1000, "人" * 200_000]
        fields[r.choice(["text", "mode", "x" * 5000])] = r.choice(wrong)
    return Ask(f"/v1/{path}", json.dumps(fields).encode())


class Soak:
    def __init__(self, minutes: float, workers: int, threads: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.words = Path(self.folder.name) / "words.tsv"
        self.words.write_text("云计算\n", encoding="utf-8")
        self.service = Served(
            "--workers", str(workers), "--user", str(self.words), "--reload", "5",
            "--limit", "64", "--timeout", "20", "--heavy", "2",
        )  # fmt: skip
        said = self.service.process.stderr or ()
        threading.Thread(target=lambda: collections.deque(said, 0), daemon=True).start()
        self.workers = workers
        self.end = time.monotonic() + minutes * 60
        self.known: dict[Ask, tuple[int, str]] = {}
        self.codes: collections.Counter[int] = collections.Counter()
        self.broken: collections.Counter[str] = collections.Counter()
        self.differ: list[Ask] = []
        fixed = random.Random(42)
        self.fixed = [ask(fixed) for _ in range(300)]
        self.threads = [threading.Thread(target=self.load, args=(i,)) for i in range(threads)]

    # --- load ------------------------------------------------------------------------------------

    def load(self, seed: int) -> None:
        r = random.Random(seed)
        while time.monotonic() < self.end:
            try:
                k = r.random()
                if k < 0.65:
                    self.known_answer(r.choice(self.fixed))
                elif k < 0.8:
                    self.request(ask(r))
                else:
                    self.hostile(r)
            except (OSError, http.client.HTTPException) as e:
                self.broken[type(e).__name__] += 1
            time.sleep(0.02)

    def request(self, query: Ask) -> tuple[int, bytes]:
        answer = self.service.ask("POST", query.path, query.body)
        self.codes[answer.code] += 1
        return answer.code, answer.body

    def known_answer(self, query: Ask) -> None:
        code, body = self.request(query)
        if code == 503:
            return
        # the user's words change, which are in none of the texts
        body = re.sub(rb'"fingerprint":"[^"]*"', b"", body)
        answer = code, hashlib.sha256(body).hexdigest()
        if self.known.setdefault(query, answer) != answer:
            self.differ.append(query)

    def hostile(self, r: random.Random) -> None:
        with self.service.socket() as s:
            s.settimeout(1)
            kind = r.randrange(7)
            head = b"POST /v1/cut HTTP/1.1\r\nHost: localhost\r\n"
            if kind == 0:
                s.sendall(os.urandom(r.choice([1, 100, 70_000])))
            elif kind == 1:
                s.sendall(head + b"Content-Length: 1000000\r\n\r\n" + b"a" * 10)
                time.sleep(r.random())
            elif kind == 2:
                s.sendall(b"GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n" * 3)
            elif kind == 3:
                time.sleep(r.random() * 3)
            elif kind == 4:
                s.sendall(head + b"Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n")
            elif kind == 5:  # a long answer that is not taken
                body = ask(r).body
                s.sendall(head + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                return
            else:
                s.sendall(head + b"X: " + b"y" * 100_000 + b"\r\n\r\n")
            s.recv(100)

    # --- the processes ---------------------------------------------------------------------------

    def children(self) -> list[int]:
        """Its workers, the oldest first."""
        parent = self.service.process.pid
        result = subprocess.run(
            ["ps", "--ppid", str(parent), "-o", "pid=,args=", "--sort", "start_time"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        # beside them Python has a process that tracks resources
        return [int(row.split()[0]) for row in result.stdout.splitlines() if "spawn_main" in row]

    def run(self, seconds: float) -> int:
        while len(self.children()) < self.workers:
            time.sleep(0.1)
        oldest = self.children()[0]
        for thread in self.threads:
            thread.start()
        r, start, memory = random.Random(99), time.monotonic(), 0.0
        base: float | None = None
        for n in range(1, 1 << 30):
            time.sleep(max(0.0, min(30.0, self.end - time.monotonic())))
            running = self.children()
            if oldest not in running:
                print(f"the oldest worker, {oldest}, is gone")
                return 1
            memory = anonymous(oldest)
            if base is None and time.monotonic() > start + (self.end - start) / 4:
                base = memory
            processes = [self.service.process.pid, oldest, *(p for p in running if p != oldest)]
            print(
                time.strftime("%H:%M:%S"), "MB", [round(anonymous(p)) for p in processes],
                "files", [files(p) for p in processes], dict(self.codes), dict(self.broken),
                "differ", len(self.differ), flush=True,
            )  # fmt: skip
            if time.monotonic() >= self.end:
                break
            some = "".join(f"詞語龘{i}\n" for i in range(r.randint(1, 3000)))
            new = "云计算\n" + some if n % 7 else "bad\tnolevel\n"
            self.words.write_text(new, encoding="utf-8")
            if n % 8 == 0 and len(running) > 1:
                os.kill(r.choice([p for p in running if p != oldest]), signal.SIGKILL)
        for thread in self.threads:
            thread.join()
        self.service.process.terminate()
        code = self.service.process.wait(60)
        grown = memory - (base or memory)
        print(f"exit code {code}; the oldest worker grew by {grown:.1f} MB from {base:.1f} MB")
        for query in self.differ[:5]:
            print("differs:", query.path, query.body[:200])
        return int(bool(code or self.differ or self.codes[500] or grown > seconds))


def anonymous(process: int) -> float:
    """Megabytes that are the process's own."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    match = re.search(r"RssAnon:\s+(\d+)", status)
    return int(match[1]) / 1024 if match else 0.0


def files(process: int) -> int:
    try:
        return len(os.listdir(f"/proc/{process}/fd"))
    except OSError:
        return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--threads", type=int, default=6, help="clients at once")
    parser.add_argument("--most", type=float, default=30, metavar="MB")
    args = parser.parse_args()
    sys.exit(Soak(args.minutes, args.workers, args.threads).run(args.most))


if __name__ == "__main__":
    main()
