"""The server of ``segmenter serve``: uvicorn, with its own limits."""

from __future__ import annotations

import errno
import json
import logging.config
import os
import socket
import stat
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from segmenter.errors import ArgumentError, MissingExtraError

try:  # before modules of this package that import them
    import httptools  # noqa: F401
    import starlette  # noqa: F401
    import uvicorn
except ImportError as e:
    raise MissingExtraError("serve", e.name or "uvicorn", "segmenter serve") from e

from segmenter.serve.access import is_loopback
from segmenter.serve.configuration import VARIABLE, freeze

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from segmenter.serve.configuration import Configuration

#: The application in uvicorn's notation.
APPLICATION = "segmenter.serve:app"
#: Warning for an address that other machines can reach.
WITHOUT_PROXY = (
    "other machines may reach {}: there are no accounts, no TLS and no limits on slow clients"
    " here; put a proxy in front of it (deploy/nginx.conf)"
)
#: Messages of uvicorn and the service go to standard error, requests to standard output.
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "said": {"format": "segmenter serve: %(message)s"},
        "request": {"format": "%(asctime)s %(message)s", "datefmt": "%Y-%m-%dT%H:%M:%S%z"},
    },
    "handlers": {
        "said": {"class": "logging.StreamHandler", "formatter": "said"},
        "request": {
            "class": "logging.StreamHandler",
            "formatter": "request",
            "stream": "ext://sys.stdout",
        },
    },
    "loggers": {
        "uvicorn": {"handlers": ["said"], "level": "INFO", "propagate": False},
        "uvicorn.access": {"handlers": ["request"], "level": "INFO", "propagate": False},
        "segmenter.serve": {"handlers": ["said"], "level": "INFO", "propagate": False},
    },
}


def unix(path: str) -> socket.socket:
    """A Unix socket, readable and writable by its owner and group.

    A stale socket of an ended service is replaced, any other file is not.

    Raises:
        ArgumentError: this system has no Unix sockets.
        OSError: the path is used by a running service or another file, or cannot be created.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise ArgumentError("--unix: this system has no Unix sockets: use --host and --port")
    if os.path.exists(path) and stat.S_ISSOCK(os.stat(path).st_mode):
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(path) == errno.ECONNREFUSED:
                os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    umask = os.umask(0o117)
    try:
        listener.bind(path)
    except OSError as e:
        listener.close()
        raise OSError(e.errno, e.strerror or str(e), path) from None
    finally:
        os.umask(umask)
    return listener


def run(
    configuration: Configuration,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    path: str | None = None,
    connections: int = 512,
    grace: int = 30,
    access_log: bool = False,
) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        configuration: the service, opened here and in each worker.
        path: a Unix socket to listen on instead of ``host`` and ``port``.
        connections: largest number per process; further requests get 503.
        grace: seconds for requests under way to finish.
        access_log: print a line per request on standard output.

    Raises:
        SegmenterError, OSError: the service cannot be opened, or ``path`` cannot be listened on.
        SystemExit: uvicorn cannot listen or go on, and has logged the reason.
    """
    if not 0 <= port <= 65535:
        raise ArgumentError(f"--port: {port} is not from 0 to 65535")
    service = configuration.service()
    with ExitStack() as stack:
        listener = None
        if path is not None:
            listener = stack.enter_context(unix(path))
            stack.callback(_remove, path)
        logging.config.dictConfig(LOGGING)
        service.say(f"answers with {service.segmenter!r}")
        if listener is None and not is_loopback(host) and host != "localhost":
            service.say(WITHOUT_PROXY.format(host))
        app: ASGIApp | str = configuration.application(service)
        freeze()
        if configuration.workers > 1:
            os.environ[VARIABLE] = json.dumps(configuration._asdict())
            app = APPLICATION
            del service
        uvicorn.run(
            app,
            host=host,
            port=port,
            fd=None if listener is None else listener.fileno(),
            workers=configuration.workers,
            limit_concurrency=connections,
            timeout_graceful_shutdown=grace,
            timeout_worker_healthcheck=60,  # on a busy machine workers start slowly
            access_log=access_log,
            log_config=LOGGING,
            lifespan="on",
            ws="none",
            proxy_headers=False,  # the client's address, not the header's, decides
            server_header=False,
        )


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
