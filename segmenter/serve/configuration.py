"""The configuration of ``segmenter.serve:app``: options of ``segmenter serve`` as a JSON object.

Every process of a server reads it from the environment variable :data:`VARIABLE`.
"""

from __future__ import annotations

import gc
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from segmenter.errors import ArgumentError
from segmenter.lexicon.user import UserDictionary
from segmenter.loading import load_by_name
from segmenter.serve.access import Access
from segmenter.serve.gallery import Galleries
from segmenter.serve.limits import Limits
from segmenter.serve.service import Service, application

if TYPE_CHECKING:
    from starlette.types import ASGIApp

#: The environment variable: a JSON object with fields of :class:`Configuration`.
VARIABLE = "SEGMENTER_SERVE"


class Configuration(NamedTuple):
    """The options of a service, as values of JSON.

    >>> Configuration.parse('{"model": "fast", "page": false}').page
    False
    """

    #: The first argument of :func:`segmenter.load`, a preset or a file.
    model: str = "balanced"
    #: The other arguments; ``user`` is a list of files.
    load: dict[str, Any] = {}  # noqa: RUF012 - never changed
    #: Names of the service besides ``localhost`` and IP addresses.
    hosts: list[str] = []  # noqa: RUF012 - never changed
    #: Whether programs on this machine may reload.
    reload_local: bool = False
    #: A file whose first line is the token for reloading.
    reload_token: str | None = None
    #: Seconds between checks whether the files of ``user`` have changed.
    reload: float | None = None
    page: bool = True
    #: Native threads of a batch.
    threads: int = 1
    #: Processes of the server.
    workers: int = 1
    #: Fields of :class:`segmenter.serve.limits.Limits`.
    limits: dict[str, Any] = {}  # noqa: RUF012 - never changed

    @classmethod
    def parse(cls, text: str) -> Configuration:
        """The configuration in a JSON object.

        Raises:
            ArgumentError: not a JSON object, or an unknown field; the message lists the fields.
        """
        try:
            values = json.loads(text)
        except ValueError as e:
            raise ArgumentError(f"{VARIABLE}: not JSON: {e}") from None
        if not isinstance(values, dict):
            raise ArgumentError(f"{VARIABLE}: expected a JSON object, such as {{}}")
        for name, names in (
            *((name, cls._fields) for name in values),
            *((f"limits.{name}", Limits._fields) for name in values.get("limits", {})),
        ):
            if name.rpartition(".")[2] not in names:
                raise ArgumentError(f"{VARIABLE}: {name!r} is not one of {', '.join(names)}")
        return cls(**values)

    def service(self) -> Service:
        """The service, with its Segmenter opened.

        Raises:
            ArgumentError: a wrong option, or options that exclude each other.
            SegmenterError, OSError: a file that cannot be used.
        """
        options = dict(self.load)
        if files := options.pop("user", None):
            options["user"] = UserDictionary.load(files)
        segmenter = load_by_name(self.model, **options)
        segmenter.cut_batch([], self.threads)  # raises now, not at the first request
        if self.reload is not None and not 0 < self.reload < float("inf"):
            raise ArgumentError(f"--reload: {self.reload} is not a number of seconds above 0")
        try:
            access = Access(self.hosts, self._token(), self.reload_local)
        except ArgumentError as e:
            raise ArgumentError(f"--reload-token: the first line of the file: {e}") from None
        if access.reloads or self.reload is not None:
            if not files:
                raise ArgumentError(
                    "there are no words to reload: --reload, --reload-local and --reload-token"
                    " need --user FILE"
                )
            segmenter.reload_if_changed()  # raises now if the files cannot be read
        if access.reloads and self.workers > 1:
            raise ArgumentError(
                "--reload-local, --reload-token: a request reaches one of the processes: with"
                " --workers use --reload SECONDS, or SIGHUP"
            )
        return Service(
            segmenter,
            Galleries(self.model, **options) if self.page else None,
            limits=Limits(**self.limits),
            access=access,
            threads=self.threads,
            workers=self.workers,
        )

    def application(self, service: Service | None = None) -> ASGIApp:
        """The ASGI application of the service, which watches the files of the user's words."""
        service = service or self.service()
        return application(service, watches=bool(self.load.get("user")), every=self.reload)

    def _token(self) -> str | None:
        if self.reload_token is None:
            return None
        with open(self.reload_token, encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip()


def from_environment() -> ASGIApp:
    """The application that :data:`VARIABLE` describes, or the default one."""
    app = Configuration.parse(os.environ.get(VARIABLE, "{}")).application()
    freeze()
    return app


def freeze() -> None:
    """Exclude loaded objects from garbage collection, which would delay requests by 20 ms."""
    gc.collect()
    gc.freeze()
