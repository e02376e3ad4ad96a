"""The types of engines; documentation is in ``_engine.pyx``."""

from collections.abc import Callable, Iterable
from typing import Any

from _typeshed import ReadableBuffer
from numpy import int32
from numpy.typing import NDArray

from segmenter.kernels._lexicon import Column
from segmenter.kernels._models import PosTagger, TaggerWeights
from segmenter.kernels._opening import Opened

class Engine:
    opened: Opened
    def __init__(
        self,
        source: Opened | TaggerWeights,
        matcher: Callable[[str], Column] | None = None,
        like: Engine | None = None,
    ) -> None: ...
    def cut(self, text: str) -> list[str]: ...
    def ends(self, text: str) -> NDArray[int32]: ...
    def tag(self, text: str, tagger: PosTagger) -> list[tuple[str, str]]: ...
    def steps(self, text: str) -> int: ...

def cut_bytes(
    engine: Engine, data: ReadableBuffer, sep: bytes, threads: int = 1
) -> tuple[bytes | None, int]: ...
def cut_column(
    engine: Engine,
    data: ReadableBuffer,
    offsets: NDArray[Any],
    validity: ReadableBuffer | None,
    validity_from: int,
    threads: int = 1,
) -> tuple[Any, Any, Any]: ...
def cut_batch(engine: Engine, texts: Iterable[str], threads: int = 1) -> list[list[str]]: ...
def characters_checked() -> int: ...
def turns() -> int: ...

class Cutter:
    _engine: Engine
    def cut(self, text: str) -> list[str]: ...
    def ends(self, text: str) -> NDArray[int32]: ...
