"""Units of the kernels' costs: the cost of a word is ``-log p`` as an integer."""

from __future__ import annotations

#: Units per nat: rounding decides no tie among 200 k words.
COST_SCALE = 2048
MAX_COST = 0xFFFE  # 32 nats: the cost of a word with count 0, and the upper bound
