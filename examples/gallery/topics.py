"""Three topics found without labels: non-negative matrix factorisation over TF-IDF."""

from gallery import SUBJECTS, TEXTS
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import TfidfVectorizer

import segmenter as seg

s = seg.load("fast")


def nouns(text: str) -> list[str]:
    return [word for word, tag in s.tag(text) if tag.startswith("n") and len(word) > 1]


vectorizer = TfidfVectorizer(tokenizer=nouns, token_pattern=None, min_df=2)
model = NMF(3, init="nndsvda", random_state=0, max_iter=2000)
weights = model.fit_transform(vectorizer.fit_transform(TEXTS))
names = vectorizer.get_feature_names_out()
for topic, row in enumerate(model.components_):
    # rounded, since words of equal weight differ in the last bits from one processor to another
    best = " ".join(names[i] for i in (-row.round(6)).argsort(kind="stable")[:3])
    texts = [
        name for name, w in zip(SUBJECTS, weights, strict=True) if w.any() and w.argmax() == topic
    ]
    subject = max(set(texts), key=texts.count)
    print(f"topic {topic + 1}: {best}; {subject} in {len(texts)} sentences")
