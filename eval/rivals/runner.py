"""One segmenter as a process: requests on stdin, answers on stdout, each a line of JSON.

It runs inside a rival's environment: Python 3.7 and later, the standard library alone.  The first
line is the system's entry of ``systems.toml``; the answer to it says how long the start took.
``runner.mjs`` speaks the same protocol in Node.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
from typing import Any

SENTENCE = "他说的确实在理"


def peak() -> int:
    """The peak memory of the process in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


class Runner:
    """Answers requests, a method each."""

    def __init__(self, system: dict[str, Any]) -> None:
        self.names: dict[str, Any] = {"file": system.get("file")}
        self.lines: list[str] = []
        before = time.process_time()
        exec(system["start"], self.names)
        words = list(self.names["cut"](SENTENCE))
        self.ready = {"seconds": time.process_time() - before, "words": words, "peak": peak()}

    def take(self, lines: list[str]) -> dict[str, Any]:
        """Stores the lines for `cut`, `time` and `threads`."""
        self.lines = lines
        return {}

    def cut(self) -> dict[str, Any]:
        """The words of every line."""
        cut = self.names["cut"]
        return {"words": [list(cut(line)) for line in self.lines]}

    def time(self, passes: int = 1) -> dict[str, Any]:
        """Seconds of processor for a pass over the lines, words dropped: the least of `passes`."""
        cut, lines = self.names["cut"], self.lines
        least = float("inf")
        for _ in range(passes):
            before = time.process_time()
            for line in lines:
                cut(line)
            least = min(least, time.process_time() - before)
        return {"seconds": least}

    def split(self, passes: int = 1) -> dict[str, Any]:
        """As `time`, of ``line.split(" ")`` on lines cut before: the cost of the lists alone."""
        lines = [" ".join(self.names["cut"](line)) for line in self.lines]
        least = float("inf")
        for _ in range(passes):
            before = time.process_time()
            for line in lines:
                line.split(" ")
            least = min(least, time.process_time() - before)
        return {"seconds": least}

    def batch(self, code: str) -> dict[str, Any]:
        """Seconds for the system's own call for many lines on two threads or processes."""
        self.names["lines"] = self.lines
        call = eval("lambda: " + code, self.names)
        call()
        before = time.perf_counter()
        call()
        return {"seconds": time.perf_counter() - before}

    def threads(self, count: int, keep: bool) -> dict[str, Any]:
        """Cuts the lines on several threads: each all of them (`keep`), or each its share."""
        cut, lines = self.names["cut"], self.lines
        results: list[list[Any]] = [[] for _ in range(count)]
        faults: list[str] = []

        def work(number: int) -> None:
            try:
                if keep:
                    results[number] = [list(cut(line)) for line in lines]
                else:
                    for line in lines[number::count]:
                        cut(line)
            except BaseException as error:
                faults.append(said(error))

        workers = [threading.Thread(target=work, args=(i,)) for i in range(count)]
        before = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        seconds = time.perf_counter() - before
        return {"seconds": seconds, "words": results, "faults": faults}

    def spans(self, code: str, text: str) -> dict[str, Any]:
        """The offsets that the system itself gives for a text."""
        self.names["text"] = text
        return {"spans": [[int(a), int(b)] for a, b in eval(code, self.names)]}

    def own(self, code: str, text: str) -> dict[str, Any]:
        """The words of a text after a line of code that adds a word of the user."""
        exec(code, self.names)
        return {"words": list(self.names["cut"](text))}

    def whole(self, repeat: int) -> dict[str, Any]:
        """Cuts the lines as one string, repeated; counts words and compares what they join to."""
        text = "".join(self.lines) * repeat
        before = time.process_time()
        words = self.names["cut"](text)
        seconds = time.process_time() - before
        return {"seconds": seconds, "count": len(words), "same": "".join(words) == text}

    def peak(self) -> dict[str, Any]:
        """The peak memory so far."""
        return {"peak": peak()}


def said(error: BaseException) -> str:
    """An error message on one line."""
    return traceback.format_exception_only(type(error), error)[-1].strip()


def main() -> None:
    """Answers until stdin ends; what the segmenter prints goes to stderr."""
    sys.path.pop(0)  # the folder of this file has names that a rival may import
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    runner: Runner | None = None
    for request in sys.stdin:
        request_fields = json.loads(request)
        try:
            if runner is None:
                runner = Runner(request_fields)
                answer = runner.ready
            else:
                answer = getattr(runner, request_fields.pop("do"))(**request_fields)
        except BaseException as error:
            answer = {"error": said(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
