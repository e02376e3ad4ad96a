"""``segmenter serve``: segmentation over HTTP, and the page that draws a sentence."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import say
from segmenter.cli.options import load_arguments, segmenter_options
from segmenter.cli.parsers import options, set_up
from segmenter.cli.signals import Terminated
from segmenter.errors import ArgumentError
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    import argparse

# the service's own, which is not imported for --help
MAX_BYTES = 1 << 20
MAX_TOKENS = 100_000


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter serve                                 (the page: http://127.0.0.1:8000/)",
        "segmenter serve --port 9000 --user words.tsv --reload 10",
        "segmenter serve --unix /run/segmenter/http.sock --workers 4",
        'curl -d \'{"text": "他说的确实在理"}\' http://127.0.0.1:8000/v1/cut',
        run=run,
    )
    options(
        parser,
        {
            "--host HOST=127.0.0.1": "address to listen on (default 127.0.0.1: this machine only; "
            "0.0.0.0: all)",
            "--port N=8000": "port; 0: any free one",
            "--unix PATH": "listen on a Unix socket instead, for a proxy on this machine; its "
            "group may use it",
            "--workers N=1": "processes that share the address; about one per core",
        },
    )
    options(
        parser,
        {
            f"--max-bytes N={MAX_BYTES}": "size of a request's body; longer ones get 413 (default "
            f"{MAX_BYTES:,})",
            f"--max-tokens N={MAX_TOKENS}": "characters of a text for /v1/tokenize, each of which "
            f"may be a token; longer ones get 413 (default {MAX_TOKENS:,})",
            "--limit N=512": "connections per worker; a new one replaces the one that is idle for "
            "longest, or gets 503 if all are being answered",
            "--heavy N=4": "long requests handled at the same time; the others wait their turn",
            "--timeout X=30": "seconds allowed for the headers, for the body, for waiting to be "
            "handled, and for the client to take the answer, each",
            "--grace N=30": "seconds for requests under way to finish after SIGTERM or Ctrl-C",
        },
        title="limits",
    )
    options(
        parser,
        {
            "--allow-host NAME...": "a name of this service besides localhost and IP "
            "addresses; *: any; may be repeated",
            "--reload-local": "programs on this machine may POST /v1/reload (do not use it behind "
            "a local proxy)",
            "--reload-token FILE": "clients that send Authorization: Bearer with the first line "
            "of FILE may POST /v1/reload",
        },
        title="access",
    )
    parser.add_argument(
        "-j", "--threads", type=int, default=1, metavar="N", help="native threads per batch"
    )
    options(
        parser,
        {
            "--reload X": "check every X seconds whether the files of --user have changed",
            "--no-page": "answer requests only, no page",
            "--access-log": "one line per request on stdout",
        },
    )
    segmenter_options(parser)


def run(given: argparse.Namespace) -> int:
    from tempfile import TemporaryDirectory

    for name, value, least in (
        ("--workers", given.workers, 1),
        ("--max-bytes", given.max_bytes, 1),
        ("--max-tokens", given.max_tokens, 1),
        ("--limit", given.limit, 1),
        ("--heavy", given.heavy, 1),
        ("--timeout", given.timeout, 0.001),
        ("--grace", given.grace, 0),
    ):
        if not least <= value < float("inf"):
            raise ArgumentError(f"{name}: {value} is not {least} or more")
    with ExitStack() as stack:
        # read when prometheus_client is imported, see segmenter.serve.metrics
        os.environ.setdefault("PROMETHEUS_DISABLE_CREATED_SERIES", "true")
        if given.workers > 1:
            folder = stack.enter_context(TemporaryDirectory(prefix="segmenter-metrics-"))
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        code = _serve(given)
    if any(not t.daemon and t is not threading.main_thread() for t in threading.enumerate()):
        sys.stdout.flush()
        os._exit(code)  # Python would wait for threads that still compute
    return code


def _serve(given: argparse.Namespace) -> int:
    from segmenter.serve import server
    from segmenter.serve.access import Access
    from segmenter.serve.gallery import Galleries
    from segmenter.serve.limits import Limits
    from segmenter.serve.service import Service

    name, options = load_arguments(given)
    segmenter = load_by_name(name, **options)
    segmenter.cut_batch([], given.threads)  # an ArgumentError now, not at the first request
    if given.reload is not None and not 0 < given.reload < float("inf"):
        raise ArgumentError(f"--reload: {given.reload} is not a time in seconds")
    hosts, token = [*given.allow_host, given.host], _token(given)
    try:
        access = Access(hosts, token, given.reload_local)
    except ArgumentError as e:
        raise ArgumentError(f"--reload-token: the first line of the file: {e}") from None
    if access.reloads or given.reload is not None:
        if not given.user:
            raise ArgumentError(
                "there are no words to reload: --reload, --reload-local and --reload-token"
                " need --user FILE"
            )
        segmenter.reload_if_changed()  # an error now where its files cannot be read again
    said = partial(say, "serve")
    service = Service(
        segmenter,
        None if given.no_page else Galleries(name, **options),
        limits=Limits(given.max_bytes, given.max_tokens, given.limit, given.heavy, given.timeout),
        access=access,
        threads=given.threads,
        say=said,
    )
    unix = given.unix is not None
    with server.unix(given.unix) if unix else server.tcp(given.host, given.port) as listener:
        if unix:
            where = f"unix:{given.unix}"
        else:
            host, port = listener.getsockname()[:2]
            where = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
        several = f" in {given.workers} processes" if given.workers > 1 else ""
        said(f"{where} answers with {segmenter!r}{several}; Ctrl-C stops it")
        code = DONE
        try:
            with suppress(KeyboardInterrupt, Terminated):
                code = server.run(
                    service,
                    listener,
                    workers=given.workers,
                    grace=given.grace,
                    reloads=options.get("user") is not None,
                    every=given.reload,
                    access_log=given.access_log,
                )
        finally:
            if unix:
                with suppress(OSError):
                    os.unlink(given.unix)
    said("stopped")
    return code


def _token(given: argparse.Namespace) -> str | None:
    if given.reload_token is None:
        return None
    with open(given.reload_token, encoding="utf-8", errors="replace") as file:
        return file.readline(4096).strip()
