"""``python -m eval.rivals``: all other segmenters that can be installed, on the same lines.

Each system of ``systems.toml`` has its own environment in a work folder outside the checkout
and its own process, in which ``runner.py`` (in Node ``runner.mjs``) answers requests.

    python -m eval.rivals                     installs, then accuracy and promises
    python -m eval.rivals --speed             speed, start, memory: on a quiet machine
    python -m eval.rivals --queries           the speed on queries of shops alone
    python -m eval.rivals --draw              the tables of docs/*/comparison.md once more

``--missing`` measures only systems without figures, ``--only NAME`` one system; other figures stay.
Results: ``eval/results/rivals.md`` and ``.json``, and the tables of the pages.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from eval.rivals import accuracy, costs, promises, systems, tables
from eval.rivals.process import Failed
from eval.rivals.systems import Session, System

if TYPE_CHECKING:
    from collections.abc import Sequence

JSON = common.RESULTS / "rivals.json"
#: Lines that promises are tried on.
TRIED = 200
#: Queries, all different: more than the caches hold.
QUERIES = 30_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and writes."""
    parser = argparse.ArgumentParser(prog="python -m eval.rivals")
    parser.add_argument("--data", help="folder of the corpora (or SEGMENTER_CORPORA)")
    parser.add_argument(
        "--work",
        type=Path,
        default=Path(os.environ.get("SEGMENTER_RIVALS") or common.ROOT.parent / "rivals"),
        help="folder of the environments (default ../rivals, or SEGMENTER_RIVALS)",
    )
    parser.add_argument("--only", action="append", metavar="NAME", help="this system alone")
    parser.add_argument("--speed", action="store_true", help="speed, and nothing else")
    parser.add_argument("--queries", action="store_true", help="the speed on queries alone")
    parser.add_argument("--draw", action="store_true", help="only write the tables again")
    parser.add_argument("--missing", action="store_true", help="what has no figure yet")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin nothing after these")
    parser.add_argument("--jobs", type=int, default=1, help="systems judged at once (default 1)")
    parser.add_argument("--no-install", action="store_true", help="with what is installed")
    args = parser.parse_args(arguments)
    work: Path = args.work.resolve()
    listed, absent = systems.load()
    data: dict[str, Any] = {"systems": {}, "lines": 0}
    if JSON.exists():
        data = json.loads(JSON.read_text("utf-8"))
    data |= {"unmeasured": [], "absent": absent, "limit": promises.LONG}
    if not args.draw:
        chosen = [s for s in listed if not args.only or s.name in args.only]
        if args.only and len(chosen) < len(args.only):
            names = ", ".join(s.name for s in listed)
            raise SystemExit(f"--only: no such system; there are {names}")
        ready = [s for s in chosen if present(s, work, args.no_install)]
        corpora = common.data_dir(args.data)
        if args.queries:
            queries(ready, work, corpora, min(args.seconds, 330), data)
        elif args.speed:
            speed(ready, work, corpora, min(args.seconds, 330), data)
        else:
            Judge(work, corpora, data, args.missing, args.seconds).all(ready, args.jobs)
    data["unmeasured"] = [
        s.name for s in listed if "accuracy" not in data["systems"].get(s.name, {})
    ]
    data["systems"] = {s.name: data["systems"][s.name] for s in listed if s.name in data["systems"]}
    common.write("rivals", report(data), data)
    tables.draw(data)
    return 0


def present(system: System, work: Path, as_it_is: bool) -> bool:
    """Whether a system is installed or can be installed; failures are reported on stderr."""
    said = "" if as_it_is else systems.install(system, work)
    if said or not system.packages(work):
        print(f"not installed: {system.name}: {said}", file=sys.stderr)
        return False
    return True


def entry(system: System, work: Path, data: dict[str, Any]) -> dict[str, Any]:
    """The figures of a system so far."""
    results: dict[str, Any] = data["systems"].setdefault(system.name, {})
    results |= {
        "made_for": system.made_for,
        "versions": system.versions(work),
        "disk": system.disk(work),
    }
    return results


class Judge:
    """Accuracy and promises, several systems at a time, written after each.

    Args:
        work: folder of the environments.
        corpora: folder of the corpora.
        data: what ``rivals.json`` holds; it is filled.
        missing: leave the figures that are there.
        seconds: begin nothing after these.
    """

    def __init__(
        self, work: Path, corpora: Path, data: dict[str, Any], missing: bool, seconds: float
    ) -> None:
        self.work, self.data, self.missing = work, data, missing
        self.texts = accuracy.read_texts(corpora)
        self.lines = self.texts.lines()
        self.some = [line for line in self.lines if len(line) > 20][:TRIED]
        self.until = time.monotonic() + seconds
        self.lock = threading.Lock()
        data |= {"about": common.facts(), "texts": len(self.lines)}

    def all(self, chosen: Sequence[System], jobs: int) -> None:
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.one, chosen))

    def one(self, system: System) -> None:
        """Judges one system within the time that is left."""
        with self.lock:
            results = entry(system, self.work, self.data)
            tried: dict[str, Any] = {} if system.standard else results.setdefault("promises", {})
        names = [n for n in promises.PROMISES if not (self.missing and n in tried)]
        judged = self.missing and "accuracy" in results
        if self.late() or (judged and (system.standard or not names)):
            return
        session = Session(system, self.work)
        try:
            outputs, faults = accuracy.cut(session, self.some if judged else self.lines)
            if not judged:
                with self.lock:
                    results["accuracy"] = accuracy.score(self.texts, outputs, faults)
            for name in [] if system.standard else names:
                if not self.late():
                    some = {text: outputs[text] for text in self.some}
                    answer = promises.measure(name, session, some)
                    with self.lock:
                        tried[name] = answer
            print(f"{system.name}: {results['accuracy']['f1']}", file=sys.stderr, flush=True)
        except Failed as error:
            print(f"{system.name}: {error}", file=sys.stderr, flush=True)
        finally:
            session.close()
        with self.lock:
            common.write("rivals", report(self.data), self.data)

    def late(self) -> bool:
        return time.monotonic() > self.until


def speed(
    chosen: Sequence[System], work: Path, corpora: Path, seconds: float, data: dict[str, Any]
) -> None:
    """Speed, start and memory."""
    lines = common.bakeoff_lines(corpora)
    able = judged(chosen, data)
    data["speed_about"] = {**common.facts(), "load": os.getloadavg()[0]}
    data["lines"] = len(lines)
    common.pin(2)
    for name, figures in costs.measure(able, work, lines, seconds).items():
        system = next(s for s in able if s.name == name)
        entry(system, work, data)["speed"] = figures


def queries(
    chosen: Sequence[System], work: Path, corpora: Path, seconds: float, data: dict[str, Any]
) -> None:
    """Speed on queries of shops, all different."""
    texts = common.short_texts(corpora, QUERIES)["queries of shops"]
    data["queries_about"] = {**common.facts(), "load": os.getloadavg()[0]}
    data["queries"] = len(texts)
    common.pin(1)
    able = judged(chosen, data)
    for name, figures in costs.measure(able, work, texts, seconds, costs.queries).items():
        data["systems"][name]["queries"] = figures


def judged(chosen: Sequence[System], data: dict[str, Any]) -> list[System]:
    """The systems with a row of accuracy and without a standard of a test file."""
    return [s for s in chosen if "accuracy" in data["systems"].get(s.name, {}) and not s.standard]


def report(data: dict[str, Any]) -> str:
    """The result file."""
    english = tables.Tables(data, "en")
    return "\n".join(
        [
            common.heading("Rivals", data["about"], "python -m eval.rivals"),
            english.about(),
            "## Accuracy\n",
            english.accuracy(),
            "## Speed and cost\n",
            english.costs(),
            "## Promises\n",
            english.promises(),
            "### The lines of code\n",
            english.lines(),
            "## Not in the tables\n",
            english.absent(),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
