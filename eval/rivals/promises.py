"""The promises of each system: text, offsets, threads, user words, damaged files, long text."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

from eval.rivals.process import Failed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from eval.rivals.systems import Session, System

    Made = Mapping[str, list[str]]

#: What is lost easily, by what it is called in the tables.
TEXTS = {
    "blank": "我 爱  北京",
    "tab": "一\t二",
    "new line": "第一行\n第二行\r\n第三行\n",
    "ideographic blank": "他\u3000说",
    "full width": "ＡＢＣ１２３％",
    "case": "iPhone和WiFi",
    "control": "零\x00一\x07",
    "zero width": "零\u200b宽\ufeff",
    "emoji": "好👨‍👩‍👧‍👦好",
    "rare character": "𠮷野家𪚥",
    "empty": "",
    "lone surrogate": "坏\ud800字",
}
#: Without a surrogate: what any program may be given.
SPANS = [text for name, text in TEXTS.items() if name not in ("lone surrogate", "empty")]
SENTENCE, OWN = "买iPhone 15学C++", "iPhone 15"
THREADS = 4
#: Seconds of processor for one string.
LONG = 30
DAMAGED = 4096


def lossless(session: Session, outputs: Made) -> dict[str, Any]:
    """The texts that the joined words do not give back."""
    lost: dict[str, str] = {}
    for name, text in TEXTS.items():
        try:
            session.ask("take", lines=[text])
            words = session.ask("cut", limit=60)["words"][0]
            if "".join(words) != text:
                lost[name] = "lost"
        except Failed as error:
            lost[name] = str(error)
    return {"lost": lost, "texts": len(TEXTS)}


def offsets(session: Session, outputs: Made) -> dict[str, Any]:
    """Whether the system's offsets are those of its words in the given text."""
    system = session.system
    if not system.spans:
        return {"none": True}
    wrong: list[str] = []
    for text in [*SPANS, *outputs]:
        try:
            session.ask("take", lines=[text])
            words = session.ask("cut")["words"][0]
            spans = session.ask("spans", code=system.spans, text=text)["spans"]
        except Failed as error:
            wrong.append(f"{text[:12]}: {error}")
            continue
        if [part(text, a, b, system.units) for a, b in spans] != words:
            wrong.append(text)
    return {"code": system.spans, "wrong": wrong, "texts": len(SPANS) + len(outputs)}


def part(text: str, begin: int, end: int, units: str) -> str:
    """A part of a text by its offsets.

    >>> part("好👨好", 3, 4, "utf16"), part("好👨好", 2, 3, "")
    ('好', '好')
    """
    if units != "utf16":
        return text[begin:end]
    return text.encode("utf-16-le")[2 * begin : 2 * end].decode("utf-16-le", "replace")


def threads(session: Session, outputs: Made) -> dict[str, Any]:
    """Whether threads that share a segmenter get the same words as one thread."""
    if session.system.node:
        return {"none": True}
    session.ask("take", lines=list(outputs))
    answer = session.ask("threads", count=THREADS, keep=True)
    unequal = sum(
        any(words[i] != wanted for words in answer["words"] if words)
        for i, wanted in enumerate(outputs.values())
    )
    return {"other": unequal, "faults": answer["faults"], "texts": len(outputs)}


def own_words(session: Session, outputs: Made) -> dict[str, Any]:
    """Whether a word of the user with a blank in it comes out whole."""
    code = session.system.own
    if not code:
        return {"none": True}
    try:
        words = session.ask("own", code=code, text=SENTENCE)["words"]
    except Failed as error:
        return {"code": code, "failed": str(error)}
    return {"code": code, "words": words, "whole": OWN in words}


def long(session: Session, outputs: Made) -> dict[str, Any]:
    """1, 10 and 100 MB of text without a line end as one string.

    It goes on while the next, at the rate of the last, would be done in :data:`LONG` seconds.
    """
    repeat = max(1, round(1e6 / len("".join(outputs).encode())))
    results: dict[str, Any] = {}
    session.ask("take", lines=list(outputs))
    for size in (1, 10, 100):
        try:
            answer = session.ask("whole", limit=LONG, repeat=repeat * size)
        except Failed as error:
            return {**results, "failed": str(error), "at": size}
        results |= {"reached": size, "seconds": answer["seconds"], "same": answer["same"]}
        if 10 * answer["seconds"] > LONG:
            break
    return results


def flip(data: bytes) -> bytes:
    """A file whose middle page has inverted bits."""
    middle = len(data) // 2
    page = bytes(b ^ 0x55 for b in data[middle : middle + DAMAGED])
    return data[:middle] + page + data[middle + len(page) :]


def halve(data: bytes) -> bytes:
    """The first half of a file, to a line end if there is one, so that a list stays valid."""
    half = data[: len(data) // 2]
    return half[: half.rfind(b"\n") + 1] or half


HARMS: dict[str, Callable[[bytes], bytes]] = {"half": halve, "flipped": flip}


def damaged(session: Session, outputs: Made) -> dict[str, Any]:
    """The system's reaction to a dictionary or model without its half, or a page in the middle."""
    system, work = session.system, session.work
    if not system.files:
        return {"none": True}
    file = next(iter(sorted(system.inside(work).glob(system.files))), None)
    if file is None:
        return {"failed": f"{system.files}: no such file"}
    session.close()
    data = file.read_bytes()
    kept_file = work / "kept" / re.sub(r"\W+", "-", system.name) / file.name
    kept_file.parent.mkdir(parents=True, exist_ok=True)
    kept_file.write_bytes(data)  # for hands, should this be stopped before it puts the file back
    copy = kept_file.with_name("damaged-" + file.name) if system.open else file
    answers: dict[str, Any] = {"file": system.files}
    try:
        for name, harm in HARMS.items():
            copy.write_bytes(harm(data))
            answers[name] = noticed(system, work, outputs, str(copy) if system.open else "")
    finally:
        if not system.open:
            file.write_bytes(data)
        shutil.rmtree(kept_file.parent)
    return answers


def noticed(system: System, work: Path, outputs: Made, file: str) -> dict[str, Any]:
    """The effect of a damaged file: an error, a crash, or words."""
    try:
        with system.process(work, clean=True, file=file) as process:
            process.ask("take", lines=list(outputs))
            words = process.ask("cut", limit=120)["words"]
    except Failed as error:
        return {"said": str(error)}
    return {
        "other": sum(a != b for a, b in zip(words, outputs.values(), strict=True)),
        "of": len(outputs),
    }


#: In this order: what changes the process comes late.
PROMISES: dict[str, Callable[[Session, Made], dict[str, Any]]] = {
    "lossless": lossless,
    "offsets": offsets,
    "threads": threads,
    "own": own_words,
    "damaged": damaged,
    "long": long,
}


def measure(name: str, session: Session, outputs: Made) -> dict[str, Any]:
    """Tries one promise of one system; `outputs` has the words of some texts."""
    try:
        return PROMISES[name](session, outputs)
    except Failed as error:
        return {"failed": str(error)}
