"""What a port is bound to: a server that others on the network could reach is not used."""

import ipaddress
import socket
from pathlib import Path

from wasim.errors import EnvironmentFault

_LISTENING = "0A"  # as /proc/net/tcp writes the state


def check_loopback(port: int, *, server: str) -> None:
    """Raises EnvironmentFault if anything but the loopback is listening on `port`."""
    beyond = [address for address in _listening_addresses(port) if not ipaddress.ip_address(address).is_loopback]
    if beyond:
        raise EnvironmentFault(
            f"{server} listens on {', '.join(beyond)} port {port}, where others could reach it, and so it is not used."
            " Run without it: environment.catalog jdbc and environment.store local need no server."
        )


def _listening_addresses(port: int) -> list[str]:
    tables = [path for path in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")) if path.exists()]
    if not tables:  # no Linux: ask the only way that all systems know
        outward = _outward_address()
        return [outward] if outward is not None and _answers(outward, port) else []
    rows = [line.split() for table in tables for line in table.read_text().splitlines()[1:]]
    local = [row[1].split(":") for row in rows if row[3] == _LISTENING]
    return [_address(packed) for packed, number in local if int(number, 16) == port]


def _address(packed: str) -> str:
    """An address from /proc: hex digits of 32-bit words in the machine's byte order, which is little-endian."""
    words = bytes.fromhex(packed)
    found = ipaddress.ip_address(b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4)))
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


def _outward_address() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses the address that it would be sent from
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _answers(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), timeout=1):
            return True
    except OSError:
        return False
