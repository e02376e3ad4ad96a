"""A PostgreSQL server of a measurement's own: a folder, a socket, no port, gone afterwards."""

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

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def server() -> Iterator[str]:
    """How to connect; "" where no server is installed."""
    there = [str(Path(p).resolve().parent) for p in [shutil.which("initdb")] if p]
    there += sorted(glob("/usr/lib/postgresql/*/bin"), reverse=True)
    found = [f for f in there if (Path(f) / "pg_ctl").exists() and (Path(f) / "postgres").exists()]
    if not found:
        yield ""
        return
    who: dict[str, Any] = {}
    if os.geteuid() == 0:  # the server refuses root
        user = pwd.getpwnam("nobody")
        who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    home = Path(tempfile.mkdtemp(prefix="pg-"))
    if who:
        os.chown(home, who["user"], who["group"])

    def call(program: str, *arguments: str) -> None:
        with open(home / "log", "ab") as log:
            subprocess.run(
                [str(Path(found[0]) / program), "-D", str(home / "data"), *arguments],
                check=True, cwd=home, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **who,
            )  # fmt: skip

    try:
        call("initdb", "-U", "tester", "-A", "trust", "-N", "-E", "UTF8", "--no-locale")
        call("pg_ctl", "-w", "-o", f"-k {home} -c listen_addresses= -c fsync=off", "start")
        try:
            yield f"host={home} user=tester dbname=postgres"
        finally:
            call("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)
