"""Units of the kernels' costs: a word's cost is ``-log p`` in integers."""

from __future__ import annotations

#: Units per nat: fine enough that rounding decides no tie on 200 k words.
COST_SCALE = 2048
MAX_COST = 0xFFFE  # 32 nats, of a word that never occurred; the builder clips there
