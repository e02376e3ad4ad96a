"""``segmenter serve``: segmentation over HTTP, and the page that draws a sentence."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import say
from segmenter.cli.options import load_arguments, segmenter_options
from segmenter.cli.parsers import set_examples
from segmenter.cli.signals import Terminated
from segmenter.engine import load
from segmenter.errors import ArgumentError, MissingExtraError

if TYPE_CHECKING:
    import argparse

MAX_BYTES = 1 << 20  # the service's own, which is not imported for --help


def configure(parser: argparse.ArgumentParser) -> None:
    set_examples(
        parser,
        "segmenter serve                                 (the page: http://127.0.0.1:8000/)",
        "segmenter serve --port 9000 --user words.tsv --reload 10",
        'curl -d \'{"text": "他说的确实在理"}\' http://127.0.0.1:8000/v1/cut',
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="HOST",
        help="address to listen on (default 127.0.0.1: this machine only; 0.0.0.0: all)",
    )
    parser.add_argument(
        "--port", type=int, default=8000, metavar="N", help="0: any that is free (default 8000)"
    )
    parser.add_argument(
        "--max-bytes",
        type=int,
        default=MAX_BYTES,
        metavar="N",
        help=f"of a request; longer ones get 413 (default {MAX_BYTES:,})",
    )
    parser.add_argument(
        "--limit",
        type=int,
        default=512,
        metavar="N",
        help="connections at once; further ones get 503 (default 512)",
    )
    parser.add_argument(
        "-j", "--threads", type=int, default=1, metavar="N", help="native threads of a batch"
    )
    parser.add_argument(
        "--reload",
        type=float,
        metavar="X",
        help="look every X seconds whether the files of --user changed (else: POST /v1/reload)",
    )
    parser.add_argument(
        "--grace",
        type=int,
        default=30,
        metavar="N",
        help="seconds that requests under way have to finish after SIGTERM or Ctrl-C (default 30)",
    )
    parser.add_argument("--no-page", action="store_true", help="answer requests only, no page")
    parser.add_argument("--access-log", action="store_true", help="a line a request on stdout")
    segmenter_options(parser)


def run(given: argparse.Namespace) -> int:
    try:
        import uvicorn
    except ImportError:
        raise MissingExtraError("serve", "uvicorn", "segmenter serve") from None
    from segmenter.view.graph import Gallery
    from segmenter.view.service import Service, application, watch

    for option, value in (("--max-bytes", given.max_bytes), ("--limit", given.limit)):
        if value < 1:
            raise ArgumentError(f"{option}: {value} is not 1 or more")
    name, options = load_arguments(given)
    segmenter = load(name, **options)
    segmenter.cut_batch([], given.threads)  # an ArgumentError now, not at the first request
    service = Service(
        segmenter,
        None if given.no_page else partial(Gallery.of, name, **options),
        max_bytes=given.max_bytes,
        threads=given.threads,
    )
    background = None
    if given.reload is not None:
        if given.reload <= 0:
            raise ArgumentError(f"--reload: {given.reload} is no time in seconds")
        segmenter.reload_if_changed()  # an ArgumentError now where there are no files of --user
        background = partial(watch, service, given.reload, partial(say, "serve"))
    with _listen(given.host, given.port) as listener:
        config = uvicorn.Config(
            application(service, background),
            log_level="info" if given.access_log else "warning",
            access_log=given.access_log,
            lifespan="on",
            limit_concurrency=given.limit,
            timeout_graceful_shutdown=given.grace,
            server_header=False,
        )
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        say("serve", f"http://{shown}:{port}/ answers with {segmenter!r}; Ctrl-C stops it")
        # uvicorn raises the signal once more when all that was under way is answered
        with suppress(KeyboardInterrupt, Terminated):
            uvicorn.Server(config).run(sockets=[listener])
    say("serve", "stopped")
    return DONE


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise ArgumentError(f"--port: {port} is not from 0 to 65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # the protocol by name: asyncio turns Nagle's algorithm off (which would hold every answer back
    # for 40 ms) only for connections of sockets that say it
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # a restart need not wait for old connections
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as e:
        listener.close()
        raise OSError(e.errno, e.strerror, f"{host}:{port}") from None
    return listener
