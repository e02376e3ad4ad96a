"""Access control: host names, requests from pages of other sites, and the permission to reload.

Any web page can reach a service on loopback through a browser.  A page of another site can send
requests (the header Origin names the site), and with DNS rebinding a host name of another site
resolves to 127.0.0.1 (the header Host still has that name).
"""

from __future__ import annotations

import hmac
import re
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.serve.answers import short
from segmenter.serve.limits import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.datastructures import Headers

#: Least number of characters of a token.
SHORTEST_TOKEN = 16

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/?#@\[\]]+)(?::[0-9]*)?")
_FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


class Access:
    """Which requests are accepted.

    Args:
        hosts: names of this service besides ``localhost`` and IP addresses; requests from pages of
            these names are accepted too; ``"*"``: any name, but only pages of the same name.
        token: the token of ``Authorization: Bearer`` for reloading; None: no token is accepted.
        local_reload: whether programs on this machine may reload without a token.

    Raises:
        ArgumentError: the token is shorter than :data:`SHORTEST_TOKEN` characters or not ASCII.
    """

    def __init__(
        self, hosts: Iterable[str] = (), token: str | None = None, local_reload: bool = False
    ) -> None:
        self._hosts = frozenset(name.lower() for name in hosts)
        if token is not None and not (
            len(token) >= SHORTEST_TOKEN and token.isascii() and token.isprintable()
        ):
            raise ArgumentError(
                f"token: {SHORTEST_TOKEN} printable ASCII characters or more are required"
            )
        self._token = token
        self._local_reload = local_reload

    @property
    def reloads(self) -> bool:
        """Whether any request may reload."""
        return self._local_reload or self._token is not None

    def check(self, headers: Headers) -> None:
        """Check the headers Host and Origin of a request.

        Raises:
            Refused: 421 for a name that is not this service's, 403 for a page of another site.
        """
        hosts = headers.getlist("host")
        if len(hosts) > 1 or not all(map(self._is_mine, hosts)):
            raise Refused(
                421,
                f"Host: {short(', '.join(hosts))} is not a name of this service: "
                "--allow-host NAME adds one",
            )
        for origin in headers.getlist("origin"):
            scheme, mark, site = origin.lower().partition("://")
            same_site = mark and scheme in ("http", "https") and site in [h.lower() for h in hosts]
            if not same_site and not (mark and self._is_named(site)):
                raise Refused(403, f"Origin: {short(origin)} is another site")

    def check_reload(self, headers: Mapping[str, str], client: str | None) -> None:
        """Check that a request may reload.

        Args:
            client: the address of the client.

        Raises:
            Refused: 403, or 401 if a token would allow it.
        """
        if self._token is not None:
            authorization = headers.get("authorization", "").encode("utf-8", "replace")
            if hmac.compare_digest(authorization, f"Bearer {self._token}".encode()):
                return
        if self._local_reload and is_loopback(client):
            if not any(name in headers for name in _FORWARDED):
                return
            reason = (
                "this request came through a proxy: only programs on the service's own machine "
                "may reload"
            )
        elif self._local_reload:
            reason = "only programs on the service's own machine may reload"
        else:
            reason = "reloading by request is off: --reload-token or --reload-local allows it"
        if self._token is not None:
            raise Refused(401, "reloading needs the token", WWW_Authenticate="Bearer")
        raise Refused(403, reason)

    def _is_mine(self, host: str) -> bool:
        if "*" in self._hosts:
            return True
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match[1].lower()
        return name == "localhost" or self._is_named(host) or _is_address(name.strip("[]"))

    def _is_named(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        return match is not None and match[1].lower().strip("[]") in self._hosts


def is_loopback(address: str | None) -> bool:
    """Whether an address is a loopback address of this machine.

    >>> is_loopback("::ffff:127.0.0.1"), is_loopback("10.0.0.1"), is_loopback(None)
    (True, False, False)
    """
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped.is_loopback
    return parsed.is_loopback


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
