#!/usr/bin/env python3
"""Words with times, from whisper's times of Chinese characters.

    whisper talk.mp3 --language zh --word_timestamps True --output_format json
    python word_times.py talk.json > talk.words.json

The "words" in whisper's files are its tokens: single characters, and parts of words.  This program
cuts the text of every segment into words; a word begins with its first character and ends with its
last one.  If a boundary is inside a timed piece, the time of the piece is divided evenly among its
characters.
Everything else in the file stays, and the form is the same, so programs that read whisper's files
(faster-whisper and WhisperX write the same fields) can read the result.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import segmenter


def words_of(pieces: list[dict[str, Any]], s: segmenter.Segmenter) -> list[dict[str, Any]]:
    """The words of a segment's pieces, with "start", "end" and the lowest "probability" of each.

    Blanks, line ends and pieces without times are left out.
    """
    text, starts, ends, probabilities = "", [], [], []
    for piece in pieces:
        if "start" not in piece or "end" not in piece:
            continue
        size = len(piece["word"])
        step = (piece["end"] - piece["start"]) / max(size, 1)
        text += piece["word"]
        starts += [piece["start"] + step * k for k in range(size)]
        ends += [piece["start"] + step * (k + 1) for k in range(size - 1)]
        ends += [piece["end"]] * bool(size)
        probabilities += [piece.get("probability")] * size
    words = []
    for token in s.tokenize(text):
        if token.kind in ("space", "newline"):
            continue
        word = {
            "word": token.text,
            "start": round(starts[token.start], 3),
            "end": round(ends[token.end - 1], 3),
        }
        timed = [p for p in probabilities[token.start : token.end] if p is not None]
        words.append({**word, "probability": min(timed)} if timed else word)
    return words


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", help="whisper's JSON; -: standard input")
    parser.add_argument("--preset", default="balanced", help="as for segmenter.load")
    parser.add_argument("--user", help="a user dictionary: names, terms")
    args = parser.parse_args()
    s = segmenter.load(args.preset, user=args.user)
    data = sys.stdin.read() if args.file == "-" else Path(args.file).read_text("utf-8")
    transcript = json.loads(data)
    for number, segment in enumerate(transcript.get("segments", ())):
        if "words" not in segment:
            parser.error(
                f"{args.file}: segment {number} has no times of words: give whisper "
                "--word_timestamps True"
            )
        segment["words"] = words_of(segment["words"], s)
    json.dump(transcript, sys.stdout, ensure_ascii=False, indent=2)
    print()


if __name__ == "__main__":
    main()
