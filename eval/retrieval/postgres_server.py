"""A temporary PostgreSQL server for a measurement: a folder, a socket, no port."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segmenter import capi

if TYPE_CHECKING:
    from collections.abc import Iterator


def with_extension(root: Path) -> Path:
    """Compiles our extension into a copy of the installed server, whose folders stay as they are.

    Args:
        root: an empty folder that the server's user may read.

    Returns:
        the folder of the copy's programs; they find files beside themselves.

    Raises:
        ImportError: what it takes is not installed.
    """
    programs = _programs()
    if not programs or not (programs / "pg_config").exists():
        raise ImportError("no PostgreSQL server is installed (Debian: postgresql)")

    def option_of(option: str) -> Path:
        command = [str(programs / "pg_config"), option]
        return Path(
            subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        )

    header = option_of("--includedir-server") / "postgres.h"
    if not header.exists() or not shutil.which("make") or not shutil.which("gcc"):
        raise ImportError("no headers of the server (Debian: postgresql-server-dev-15, make, gcc)")
    for option in ("--bindir", "--sharedir", "--pkglibdir"):
        left_out = shutil.ignore_patterns("bitcode", "pgxs", "locale")
        shutil.copytree(
            option_of(option), root / option_of(option).relative_to("/"), ignore=left_out
        )
    shutil.copytree(capi.postgresql(), root / "source")
    for arguments in ((), ("install", f"DESTDIR={root}")):
        result = subprocess.run(
            ["make", "-s", "with_llvm=no", f"PYTHON={sys.executable}", *arguments],
            cwd=root / "source", capture_output=True, text=True, check=False,
        )  # fmt: skip
        if result.returncode:
            raise RuntimeError(result.stdout + result.stderr)
    return root / option_of("--bindir").relative_to("/")


def _programs() -> Path | None:
    folders = [str(Path(p).resolve().parent) for p in [shutil.which("initdb")] if p]
    folders += sorted(glob("/usr/lib/postgresql/*/bin"), reverse=True)
    paths = (Path(f) for f in folders if (Path(f) / "pg_ctl").exists())
    return next((f for f in paths if (f / "postgres").exists()), None)


@contextmanager
def server(programs: Path | None = None) -> Iterator[str]:
    """The address of a running server; "" where no server is installed.

    Args:
        programs: a copy's; None: those that are installed.
    """
    programs = programs or _programs()
    if programs is None:
        yield ""
        return
    account: dict[str, Any] = {}
    if os.geteuid() == 0:  # the server refuses root
        user = pwd.getpwnam("nobody")
        account = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    home = Path(tempfile.mkdtemp(prefix="pg-"))
    if account:
        os.chown(home, account["user"], account["group"])

    def call(program: str, *arguments: str) -> None:
        with open(home / "log", "ab") as log:
            subprocess.run(
                [str(programs / program), "-D", str(home / "data"), *arguments],
                check=True, cwd=home, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **account,
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
