"""The server of ``segmenter serve``: the socket it listens on, and uvicorn in each process."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import stat
import sys
from functools import partial
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError, MissingExtraError

try:  # before all of ours that import them too
    import httptools  # noqa: F401
    import starlette  # noqa: F401
    import uvicorn
except ImportError as e:
    raise MissingExtraError("serve", e.name or "uvicorn", "segmenter serve") from e

from segmenter.serve.connections import Connections, Protocol
from segmenter.serve.processes import Supervisor
from segmenter.serve.service import Service, application, reload_when_asked

if TYPE_CHECKING:
    from typing import TextIO

#: Connections that the system holds until a worker takes them.
BACKLOG = 1024
#: Connections that are taken at once.  A worker that took all that wait would leave the others
#: idle, and could not tell silent ones from those whose request it has not read yet.
AT_ONCE = 4


class Listener(socket.socket):
    """A socket whose queue is :data:`BACKLOG` long, whatever the server asks for: asyncio has one
    number for the queue and for how many connections it takes at once."""

    def listen(self, backlog: int = BACKLOG, /) -> None:
        super().listen(BACKLOG)


def tcp(host: str, port: int) -> Listener:
    """Listens on an address; port 0: any that is free.

    Raises:
        ArgumentError: the port is not from 0 to 65535.
        OSError: the address cannot be listened on; names it.
    """
    if not 0 <= port <= 65535:
        raise ArgumentError(f"--port: {port} is not from 0 to 65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        made = socket.create_server((host, port), family=family)
    except OSError as e:
        why = os.strerror(e.errno or 0) if (e.errno or 0) > 0 else e.strerror  # below 0: names
        raise OSError(e.errno, why, f"{host}:{port}") from None
    listener = Listener(fileno=made.detach())
    listener.listen()
    return listener


def unix(path: str) -> Listener:
    """Listens on a Unix socket, readable and writable by its owner and group.

    A socket that an ended service left behind is replaced; anything else at the path is not.

    Raises:
        ArgumentError: this system has no Unix sockets.
        OSError: the path is taken, by a running service or another file, or cannot be made.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise ArgumentError("--unix: this system has no Unix sockets: use --host and --port")
    if os.path.exists(path) and stat.S_ISSOCK(os.stat(path).st_mode):
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(path) == errno.ECONNREFUSED:
                os.unlink(path)
    listener = Listener(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o117)
    try:
        listener.bind(path)
        listener.listen()
    except OSError as e:
        listener.close()
        raise OSError(e.errno, e.strerror or str(e), path) from None
    finally:
        os.umask(before)
    return listener


def run(
    service: Service,
    listener: Listener,
    *,
    workers: int = 1,
    grace: int = 30,
    reloads: bool = False,
    every: float | None = None,
    access_log: bool = False,
) -> int:
    """Answers on ``listener`` until SIGTERM or SIGINT; the exit code.

    Args:
        workers: processes that share the socket.
        grace: seconds for requests under way to finish.
        reloads: whether there are files of a user dictionary, which SIGHUP reloads.
        every: seconds between two looks at whether they have changed; None: only when asked.
        access_log: whether each request gets a line on standard output.
    """

    def serve(supervisor: int | None = None, reload_now: bool = False) -> int:
        """Answers until a signal, or until the supervisor is gone: then its descriptor is ready."""

        async def background() -> None:
            if supervisor is not None:
                stop = partial(signal.raise_signal, signal.SIGTERM)
                asyncio.get_running_loop().add_reader(supervisor, stop)
            if reloads:
                await reload_when_asked(service, every, reload_now)

        # what uvicorn warns of, Connections says
        _log("uvicorn", "ERROR", sys.stderr, "segmenter serve: %(message)s")
        _log("uvicorn.access", "INFO", sys.stdout, "%(asctime)s %(message)s")
        connections = Connections(service.limits, service.metrics, service.say)
        config = uvicorn.Config(
            application(service, background),
            http=partial(Protocol, connections),
            loop="asyncio",  # what it takes at once is bounded, see AT_ONCE
            ws="none",
            log_config=None,
            access_log=access_log,
            lifespan="on",
            proxy_headers=False,  # a client is known by its own address, not by what it says
            timeout_graceful_shutdown=grace,
            server_header=False,
            backlog=AT_ONCE,
        )
        uvicorn.Server(config).run(sockets=[listener])  # ends by raising the signal once more
        return 0

    # what is loaded stays: to go through all of it now and then would hold requests up for 20 ms,
    # and give each process a copy of the pages that they share
    gc.collect()
    gc.freeze()
    if workers == 1:
        return serve()
    service.tell_others = partial(os.kill, os.getpid(), signal.SIGHUP)
    return Supervisor(workers, serve, service.metrics.ended, service.say).run()


def _log(name: str, level: str, stream: TextIO, form: str) -> None:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter(form, "%Y-%m-%dT%H:%M:%S%z"))
    handler.addFilter(_tell)
    logger = logging.getLogger(name)
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(level)


def _tell(record: logging.LogRecord) -> bool:
    """Requests that --grace cut off are counted by uvicorn, and named here by the option."""
    if str(record.msg).startswith("Cancel %s running task"):
        record.msg = "requests cut off when --grace ended: %s"
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))
