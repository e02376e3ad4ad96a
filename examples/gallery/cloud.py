"""A word cloud, drawn without any package: the more often a word, the larger.

python cloud.py FILE.svg writes the picture.
"""

import math
import sys
from collections import Counter

from gallery import TEXTS

import segmenter as seg

COLOURS = ("#00695c", "#283593", "#6a1b9a", "#ad1457", "#ef6c00", "#37474f")
Box = tuple[float, float, float, float]


def frequent_words(texts: list[str], limit: int) -> list[tuple[str, int]]:
    """The most frequent nouns, verbs and adjectives of two or more characters."""
    s = seg.load("fast")
    counts = Counter(
        word for text in texts for word, tag in s.tag(text) if len(word) > 1 and tag[0] in "nva"
    )
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


def overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def place(size: float, length: int, boxes: list[Box]) -> Box:
    """Add a box at the first free place on a spiral from the middle."""
    width, height = size * length, size * 1.2
    for step in range(5000):
        angle, radius = step * 0.35, step * 0.45
        x = 300 + radius * math.cos(angle) * 1.6 - width / 2
        y = 160 + radius * math.sin(angle) - height / 2
        box = (x, y, x + width, y + height)
        if not any(overlap(box, other) for other in boxes):
            boxes.append(box)
            return box
    raise ValueError("no room for all words: take fewer")


words = frequent_words(TEXTS, 30)
boxes: list[Box] = []
parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 320" font-family="sans-serif">']
for i, (word, count) in enumerate(words):
    size = 14 + 9 * math.sqrt(count)
    x, _, _, bottom = place(size, len(word), boxes)
    parts.append(
        f'<text x="{x:.0f}" y="{bottom - size * 0.2:.0f}" font-size="{size:.0f}" '
        f'fill="{COLOURS[i % len(COLOURS)]}">{word}</text>'
    )
if len(sys.argv) > 1:
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join([*parts, "</svg>\n"]))
print(f"{len(words)} words; the largest: {' '.join(word for word, _ in words[:3])}")
