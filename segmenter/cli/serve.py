"""``segmenter serve``: segmentation over HTTP, and the page that shows how a sentence is cut."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from segmenter.cli.exits import BAD_DATA, DONE
from segmenter.cli.options import load_arguments, segmenter_options
from segmenter.cli.parsers import options, set_up
from segmenter.cli.signals import Terminated
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from segmenter.serve.configuration import Configuration

# as in segmenter.serve, which --help does not import
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
            "any other needs a proxy in front of it)",
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
            "--limit N=512": "connections per worker; a request on a further one gets 503",
            "--heavy N=4": "long requests handled at the same time; the others wait their turn",
            "--timeout X=30": "seconds that a long request waits for its turn",
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


def run(args: argparse.Namespace) -> int:
    for name, value, minimum in (
        ("--workers", args.workers, 1),
        ("--max-bytes", args.max_bytes, 1),
        ("--max-tokens", args.max_tokens, 1),
        ("--limit", args.limit, 1),
        ("--heavy", args.heavy, 1),
        ("--timeout", args.timeout, 0.001),
        ("--grace", args.grace, 0),
    ):
        if not minimum <= value < float("inf"):
            raise ArgumentError(f"{name}: {value} is not {minimum} or more")
    # read when prometheus_client is imported
    os.environ.setdefault("PROMETHEUS_DISABLE_CREATED_SERIES", "true")
    from segmenter.serve import server

    try:
        with suppress(KeyboardInterrupt, Terminated):
            server.run(
                _configuration(args),
                host=args.host,
                port=args.port,
                path=args.unix,
                connections=args.limit,
                grace=args.grace,
                access_log=args.access_log,
            )
        code = DONE
    except SystemExit:  # uvicorn has printed the reason
        code = BAD_DATA
    if any(not t.daemon and t is not threading.main_thread() for t in threading.enumerate()):
        sys.stdout.flush()
        os._exit(code)  # Python would wait for threads that are still computing
    return code


def _configuration(args: argparse.Namespace) -> Configuration:
    from segmenter.serve.configuration import Configuration

    name, options = load_arguments(argparse.Namespace(**{**vars(args), "user": None}))
    if args.user:
        options["user"] = args.user
    if "atoms" in options:
        options["atoms"] = options["atoms"].changed
    return Configuration(
        model=name,
        load=options,
        hosts=[*args.allow_host, args.host],
        reload_local=args.reload_local,
        reload_token=args.reload_token,
        reload=args.reload,
        page=not args.no_page,
        threads=args.threads,
        workers=args.workers,
        limits={
            "max_bytes": args.max_bytes,
            "max_tokens": args.max_tokens,
            "long_requests": args.heavy,
            "seconds": args.timeout,
        },
    )
