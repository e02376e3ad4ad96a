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

#: Whether an answer contains stop words.
STOP_WORDS = ("keep", "drop")
MAX_KEYWORDS = 1000
#: Characters of the user's words for one picture: each request compiles them to a dictionary.
MAX_WORDS_LENGTH = 10_000

_REQUIRED = object()
_ERRORS = ("400", "413", "503")


class Field(NamedTuple):
    schema: Schema
    #: The value of an absent field; without one the field is required.
    default: Any = _REQUIRED

    @property
    def is_required(self) -> bool:
        return self.default is _REQUIRED


class Operation(NamedTuple):
    method: str
    path: str
    #: What the operation does.
    summary: str
    #: Schema of the answer.
    answer: Schema
    #: Fields of the request's body; None: no body.
    fields: dict[str, Field] | None = None
    #: Status codes besides 200.
    errors: tuple[str, ...] = ()
    kind: str = "application/json"

    @property
    def name(self) -> str:
        """The id: the name of the method of :class:`segmenter.serve.service.Service`."""
        return self.path.rpartition("/")[2]


def operations(limits: Limits, *, page: bool = True) -> list[Operation]:
    """All operations of a service with these limits.

    Args:
        page: whether the service has the page and its operations.
    """
    units = Field(one_of(UNITS), UNITS[0])
    token_text = Field(text(limits.max_tokens))
    picture_fields = {
        "words": Field(text(MAX_WORDS_LENGTH), ""),
        "settings": Field(settings_schema(), {}),
    }
    declared = [
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
                "text": token_text,
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
            {"text": token_text, "stop_words": Field(one_of(STOP_WORDS), STOP_WORDS[0])},
            _ERRORS,
        ),
        Operation(
            "post", "/v1/keywords",
            "The keywords of a text, best first",
            object_of(keywords=array(ref("Keyword"))),
            {
                "text": token_text,
                "top": Field(whole(1, MAX_KEYWORDS), 20),
                "method": Field(one_of(METHODS), next(iter(METHODS))),
            },
            _ERRORS,
        ),
        Operation(
            "post", "/v1/search",
            "The terms that a search index stores for a text, and that a query looks for",
            object_of(terms=array(ref("Term")), fingerprint=STRING),
            {"text": token_text, "units": units},
            _ERRORS,
        ),
    ]  # fmt: skip
    if page:
        declared += [
            Operation(
                "post", "/v1/explain",
                "What the page draws: word graph, decoders' paths, scores of tags, subword pieces",
                {"type": "object"},
                {"text": Field(text(LONGEST_RUNNING)), **picture_fields},
                _ERRORS,
            ),
            Operation(
                "post", "/v1/steps",
                "An algorithm on a sentence, step by step",
                {"type": "object"},
                {"text": Field(text(steps.LONGEST)), "player": Field(one_of(steps.PLAYERS)),
                 **picture_fields},
                _ERRORS,
            ),
        ]  # fmt: skip
    declared += [
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
    return declared


def check(name: str, value: object, schema: Schema) -> None:
    """Check a field's value against its schema.

    Raises:
        Refused: 400, or 413 for a text that is too long.

    >>> check("mode", "words", {"type": "string", "enum": ["words", "search"]})
    >>> check("text", "他说", {"type": "string", "maxLength": 1})
    Traceback (most recent call last):
    segmenter.serve.limits.Refused: (413, 'text: 2 characters: at most 1 are taken')
    """
    if "enum" in schema:
        if value not in schema["enum"]:
            values = ", ".join(schema["enum"])
            raise Refused(400, f"{name}: {short(value)} is not one of {values}")
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
    minimum, maximum = schema.get("minimum"), schema.get("maximum")
    if minimum is not None and not minimum <= value <= maximum:
        raise Refused(400, f"{name}: {value} is not from {minimum:,} to {maximum:,}")
    max_length = schema.get("maxLength")
    if max_length is not None and len(value) > max_length:
        raise Refused(413, f"{name}: {len(value):,} characters: at most {max_length:,} are taken")


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


def text(max_length: int) -> Schema:
    return {**STRING, "maxLength": max_length}


def whole(minimum: int, maximum: int) -> Schema:
    return {**INTEGER, "minimum": minimum, "maximum": maximum}


def one_of(values: Iterable[str]) -> Schema:
    return {**STRING, "enum": list(values)}


def array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def object_of(**properties: Schema) -> Schema:
    """An object with these properties, all required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def settings_schema() -> Schema:
    """The settings of the page: all optional, no others allowed."""
    properties = {name: one_of(values) for name, values in settings.CHOICES.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


_PLACE = {"position": INTEGER, "position_length": INTEGER}
#: Schemas that several operations share.
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
