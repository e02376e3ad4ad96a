"""Retrieval for a language model: chunks that end with sentences, BM25, and the prompt."""

import bm25s
from gallery import TEXTS

import segmenter as seg
from segmenter.adapters.bm25 import Bag
from segmenter.sentence import chunks

chunked = list(chunks("".join(TEXTS), 60))
bag = Bag(seg.load("fast", decoder="unigram"))
index = bm25s.BM25()
index.index([bag(chunk.text) for chunk in chunked], show_progress=False)

question = "怎样炒青菜？"
results, _ = index.retrieve([bag(question)], k=1, show_progress=False)
best = chunked[results[0, 0]]
print(f"{len(chunked)} chunks, the longest has {max(len(c.text) for c in chunked)} characters")
print(f"根据下面的材料回答问题。\n材料：{best.text}\n问题：{question}")
