"""The sockets that the service listens on: an address and port, or a path."""

from __future__ import annotations

import errno
import os
import socket
import stat
import sys

from segmenter.errors import ArgumentError

#: Connections that the system holds until a worker takes them.
BACKLOG = 1024
#: Connections that a worker takes at once where several share the socket: a worker that took all
#: that wait would leave the others idle.
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
    # the protocol by name: asyncio turns Nagle's algorithm off (which would hold every answer back
    # for 40 ms) only for connections of sockets that say it
    listener = Listener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # a restart need not wait for old connections
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as e:
        listener.close()
        raise OSError(e.errno, e.strerror, f"{host}:{port}") from None
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
    _remove_left_over(path)
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


def _remove_left_over(path: str) -> None:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    in_use = OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE), path)
    if not stat.S_ISSOCK(mode):
        raise in_use
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
    raise in_use
