"""The operations of the service with their fields and answers, declared once.

Routes (``service``), the validation of request bodies (``bodies``), the description (``openapi``)
and the names in the metrics are all derived from here.  Fields are described by JSON Schema;
:func:`check` implements the part of it that is used here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from segmenter.choices import MODES
from segmenter.keywords import METHODS
from segmenter.serve import settings, steps
from segmenter.serve.answers import short
from segmenter.serve.limits import Refused
from segmenter.serve.running import LONGEST as LONGEST_RUNNING
from segmenter.types import UNITS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segmenter.serve.limits import Limits

Schema = dict[str, Any]

#: Whether stop words are among the words of an answer.
STOP_WORDS = ("keep", "drop")
MOST_KEYWORDS = 1000
#: Characters of the user's words for one picture: a dictionary is compiled of them every time.
LONGEST_WORDS = 10_000

_REQUIRED = object()
_ERRORS = ("400", "413", "503")


class Field(NamedTuple):
    schema: Schema
    #: What it is where it is not given; left out: it must be given.
    default: Any = _REQUIRED

    @property
    def is_required(self) -> bool:
        return self.default is _REQUIRED


class Operation(NamedTuple):
    method: str
    path: str
    #: What it does.
    summary: str
    #: Of the answer.
    answer: Schema
    #: Of the request's body; None: it has none.
    fields: dict[str, Field] | None = None
    #: Codes that it may answer besides 200.
    errors: tuple[str, ...] = ()
    kind: str = "application/json"

    @property
    def name(self) -> str:
        """Its id; the method of :class:`segmenter.serve.service.Service` that answers it."""
        return self.path.rpartition("/")[2]


def operations(limits: Limits, *, page: bool = True) -> list[Operation]:
    """All operations of a service with these limits.

    Args:
        page: whether it serves the page, and what the page asks for.
    """
    units = Field(one_of(UNITS), UNITS[0])
    tokens = Field(text(limits.max_tokens))
    shown = {
        "words": Field(text(LONGEST_WORDS), ""),
        "settings": Field(settings_schema(), {}),
    }
    found = [
        Operation(
            "post", "/v1/cut",
            "The words of a text",
            object_of(words=array(STRING)),
            {"text": Field(STRING)},
            _ERRORS,
        ),
        Operation(
            "post", "/v1/cut_batch",
            "The words of many texts, in their order",
            object_of(words=array(array(STRING))),
            {"texts": Field(array(STRING))},
            _ERRORS,
        ),
        Operation(
            "post", "/v1/tokenize",
            "Tokens with offsets, kinds, tags and scores",
            object_of(tokens=array(ref("Token"))),
            {
                "text": tokens,
                "mode": Field(one_of(MODES), MODES[0]),
                "units": units,
                "pos": Field(BOOLEAN, False),
            },
            _ERRORS,
        ),
        Operation(
            "post", "/v1/tag",
            "The words of a text and their parts of speech",
            object_of(words=array(STRING), tags=array(STRING)),
            {"text": tokens, "stop_words": Field(one_of(STOP_WORDS), STOP_WORDS[0])},
            _ERRORS,
        ),
        Operation(
            "post", "/v1/keywords",
            "The keywords of a text, best first",
            object_of(keywords=array(ref("Keyword"))),
            {
                "text": tokens,
                "top": Field(whole(1, MOST_KEYWORDS), 20),
                "method": Field(one_of(METHODS), next(iter(METHODS))),
            },
            _ERRORS,
        ),
        Operation(
            "post", "/v1/search",
            "The terms that a search index stores for a text, and that a query looks for",
            object_of(terms=array(ref("Term")), fingerprint=STRING),
            {"text": tokens, "units": units},
            _ERRORS,
        ),
    ]  # fmt: skip
    if page:
        found += [
            Operation(
                "post", "/v1/explain",
                "What the page draws: word graph, decoders' paths, scores of tags, subword pieces",
                {"type": "object"},
                {"text": Field(text(LONGEST_RUNNING)), **shown},
                _ERRORS,
            ),
            Operation(
                "post", "/v1/steps",
                "An algorithm on a sentence, step by step",
                {"type": "object"},
                {"text": Field(text(steps.LONGEST)), "player": Field(one_of(steps.PLAYERS)),
                 **shown},
                _ERRORS,
            ),
        ]  # fmt: skip
    found += [
        Operation(
            "post", "/v1/reload",
            "Reads the user dictionary again if it has changed",
            object_of(reloaded=BOOLEAN, fingerprint=STRING),
            errors=("401", "403", "500", "503"),
        ),
        Operation(
            "get", "/health",
            "Whether the service answers, and with what",
            object_of(status=STRING, version=STRING, fingerprint=STRING),
        ),
        Operation(
            "get", "/metrics",
            "Counters in the text format of Prometheus",
            STRING,
            errors=("501",),
            kind="text/plain",
        ),
    ]  # fmt: skip
    return found


def check(name: str, value: object, schema: Schema) -> None:
    """That a field's value is what its schema says.

    Raises:
        Refused: 400, or 413 where it is too long; says what is wrong.

    >>> check("mode", "words", {"type": "string", "enum": ["words", "search"]})
    >>> check("text", "他说", {"type": "string", "maxLength": 1})
    Traceback (most recent call last):
    segmenter.serve.limits.Refused: (413, 'text: 2 characters: at most 1 are taken')
    """
    if "enum" in schema:
        if value not in schema["enum"]:
            known = ", ".join(schema["enum"])
            raise Refused(400, f"{name}: {short(value)} is not one of {known}")
        return
    python, expected = _TYPES[schema["type"]]
    items = schema.get("items")
    if items is not None:
        expected += f" of {items['type']}s"
    if (
        not isinstance(value, python)
        or (isinstance(value, bool) and python is int)
        or (items is not None and not all(isinstance(x, _TYPES[items["type"]][0]) for x in value))
    ):
        raise Refused(400, f"{name}: expected {expected}")
    least, largest = schema.get("minimum"), schema.get("maximum")
    if least is not None and not least <= value <= largest:
        raise Refused(400, f"{name}: {value} is not from {least:,} to {largest:,}")
    most = schema.get("maxLength")
    if most is not None and len(value) > most:
        raise Refused(413, f"{name}: {len(value):,} characters: at most {most:,} are taken")


_TYPES: dict[str, tuple[Any, str]] = {
    "string": (str, "a string"),
    "boolean": (bool, "true or false"),
    "integer": (int, "a whole number"),
    "array": (list, "an array"),
    "object": (dict, "an object"),
}


# --- schemas -------------------------------------------------------------------------------------

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}


def text(most: int) -> Schema:
    return {**STRING, "maxLength": most}


def whole(least: int, most: int) -> Schema:
    return {**INTEGER, "minimum": least, "maximum": most}


def one_of(values: Iterable[str]) -> Schema:
    return {**STRING, "enum": list(values)}


def array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def object_of(**properties: Schema) -> Schema:
    """An object that has all of these."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def settings_schema() -> Schema:
    """The settings of the page: none of them is required, and there are no others."""
    properties = {name: one_of(values) for name, values in settings.CHOICES.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


_PLACE = {"position": INTEGER, "position_length": INTEGER}
#: What several operations answer.
SCHEMAS: dict[str, Schema] = {
    "Token": object_of(
        text=STRING,
        start=INTEGER,
        end=INTEGER,
        kind=STRING,
        source=STRING,
        tag=STRING,
        score={"type": ["number", "null"]},
        **_PLACE,
        payload={},
    ),
    "Keyword": object_of(word=STRING, weight={"type": "number"}),
    "Term": object_of(term=STRING, start=INTEGER, end=INTEGER, **_PLACE),
    "Error": object_of(error=object_of(code=INTEGER, message=STRING)),
}
