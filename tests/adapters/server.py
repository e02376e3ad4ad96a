"""A PostgreSQL server of the tests' own: a folder, a socket, no port, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


def programs() -> Path | None:
    """The folder of initdb and pg_ctl."""
    folders = [str(Path(p).resolve().parent) for p in [shutil.which("initdb")] if p]
    folders += sorted(glob("/usr/lib/postgresql/*/bin"), reverse=True)
    for folder in folders:
        if all((Path(folder) / name).exists() for name in ("initdb", "pg_ctl", "postgres")):
            return Path(folder)
    return None


@contextmanager
def postgres(
    environment: dict[str, str] | None = None, folder: Path | None = None
) -> Iterator[str]:
    """How to connect to a running server; skips the test where there is none to start.

    Args:
        environment: variables of the server's beside those of this process.
        folder: of its programs; None: those that are installed.
    """
    folder = folder or programs()
    if folder is None:
        pytest.skip("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    server: dict[str, Any] = {}
    if os.geteuid() == 0:  # the server refuses root
        try:
            user = pwd.getpwnam("nobody")
        except KeyError:
            pytest.skip("PostgreSQL refuses to run as root, and there is no user nobody")
        server = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    home = Path(tempfile.mkdtemp(prefix="pg-"))
    data = home / "data"
    try:
        if server:
            os.chown(home, server["user"], server["group"])

        def call(program: str, *arguments: str) -> None:
            # no pipe: the server would inherit it and keep it open
            with open(home / "log", "ab") as log:
                subprocess.run(
                    [str(folder / program), *arguments], check=True, cwd=home, timeout=120,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    env={**os.environ, **(environment or {})}, **server,
                )  # fmt: skip

        try:
            call(
                "initdb",
                "-D",
                str(data),
                "-U",
                "tester",
                "-A",
                "trust",
                "-N",
                "-E",
                "UTF8",
                "--no-locale",
            )
            options = f"-k {home} -c listen_addresses= -c fsync=off -c shared_buffers=8MB"
            call("pg_ctl", "-D", str(data), "-w", "-o", options, "start")
        except subprocess.CalledProcessError as e:
            said = (home / "log").read_text("utf-8", "replace")
            raise AssertionError(f"{e}:\n{said}") from e
        try:
            yield f"host={home} user=tester dbname=postgres"
        finally:
            call("pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)
