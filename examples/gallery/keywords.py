"""Keywords of each subject, by TF-IDF and by TextRank."""

from gallery import ROWS

from segmenter.keywords import extract_tags

for subject in dict.fromkeys(subject for subject, _ in ROWS):
    text = "".join(text for name, text in ROWS if name == subject)
    print(subject)
    print("  TF-IDF  ", " ".join(extract_tags(text, 4)))
    print("  TextRank", " ".join(extract_tags(text, 4, method="textrank")))
