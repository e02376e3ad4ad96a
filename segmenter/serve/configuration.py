"""The configuration of ``segmenter.serve:app``: options of ``segmenter serve`` as a JSON object.

The environment variable :data:`VARIABLE` has it, so that every process of a server reads the same.
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

#: Its value is a JSON object with fields of :class:`Configuration`.
VARIABLE = "SEGMENTER_SERVE"


class Configuration(NamedTuple):
    """A service before it is opened; every field is what JSON can hold.

    >>> Configuration.parse('{"model": "fast", "page": false}').page
    False
    """

    #: A preset or a file, the first argument of :func:`segmenter.load`.
    model: str = "balanced"
    #: Its other arguments; ``user``: a list of files.
    load: dict[str, Any] = {}  # noqa: RUF012 - never changed
    #: Names of the service besides ``localhost`` and IP addresses.
    hosts: list[str] = []  # noqa: RUF012 - never changed
    #: Whether programs on this machine may reload.
    reload_local: bool = False
    #: A file whose first line is the token for reloading.
    reload_token: str | None = None
    #: Seconds between two looks at whether the files of ``user`` have changed.
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
        """The configuration of a JSON object.

        Raises:
            ArgumentError: it is not one, or has a field that is unknown; says which there are.
        """
        try:
            given = json.loads(text)
        except ValueError as e:
            raise ArgumentError(f"{VARIABLE}: not JSON: {e}") from None
        if not isinstance(given, dict):
            raise ArgumentError(f"{VARIABLE}: expected a JSON object, such as {{}}")
        for name, known in (
            *((name, cls._fields) for name in given),
            *((f"limits.{name}", Limits._fields) for name in given.get("limits", {})),
        ):
            if name.rpartition(".")[2] not in known:
                raise ArgumentError(f"{VARIABLE}: {name!r} is not one of {', '.join(known)}")
        return cls(**given)

    def service(self) -> Service:
        """The service, with its Segmenter opened.

        Raises:
            ArgumentError: options that cannot be, or that do not go together.
            SegmenterError, OSError: a file that cannot be used.
        """
        options = dict(self.load)
        if files := options.pop("user", None):
            options["user"] = UserDictionary.load(files)
        segmenter = load_by_name(self.model, **options)
        segmenter.cut_batch([], self.threads)  # an ArgumentError now, not at the first request
        if self.reload is not None and not 0 < self.reload < float("inf"):
            raise ArgumentError(f"--reload: {self.reload} is not a time in seconds")
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
            segmenter.reload_if_changed()  # an error now where its files cannot be read again
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
        """The ASGI application over its service, which watches the files of the user's words."""
        service = service or self.service()
        return application(service, watches=bool(self.load.get("user")), every=self.reload)

    def _token(self) -> str | None:
        if self.reload_token is None:
            return None
        with open(self.reload_token, encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip()


def from_environment() -> ASGIApp:
    """The application that :data:`VARIABLE` describes; with the defaults where it is not set."""
    app = Configuration.parse(os.environ.get(VARIABLE, "{}")).application()
    freeze()
    return app


def freeze() -> None:
    """Leaves what is loaded out of Python's collections: going through all of it now and then
    would hold requests up for 20 ms."""
    gc.collect()
    gc.freeze()
