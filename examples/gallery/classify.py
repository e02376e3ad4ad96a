"""Which subject is a sentence about? TF-IDF over words, and logistic regression."""

from gallery import SUBJECTS, TEXTS
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import segmenter as seg
from segmenter.adapters.sklearn import Words

model = make_pipeline(
    TfidfVectorizer(tokenizer=Words(seg.load("fast")), token_pattern=None),
    LogisticRegression(C=10),
)
model.fit(TEXTS, SUBJECTS)
for text in ("球员在决赛里进球了", "厨师做了一碗牛肉面条", "手机的芯片发热"):
    print(model.predict([text])[0], text)
