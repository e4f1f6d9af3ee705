"""A content-addressed cache of compiler and disassembler results.

One file an entry, named by the SHA-256 of everything the result depends on. The file starts with
the SHA-256 of its payload, so a truncated or damaged entry reads as missing and is rebuilt.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

CACHE_VARIABLE = "SMREPLAY_CACHE_DIR"
_DIGEST_BYTES = 32


def cache_directory() -> Path:
    """The cache directory: ``$SMREPLAY_CACHE_DIR`` or the user's cache directory."""
    override = os.environ.get(CACHE_VARIABLE)
    return Path(override) if override else _user_directory()


@cache
def _user_directory() -> Path:
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("smreplay"))


def cache_key(*parts: bytes | str) -> str:
    """SHA-256 over the parts; each is prefixed by its length so that parts cannot run together."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def read_entry(kind: str, key: str) -> bytes | None:
    """The payload stored under a key, or None when there is none that is whole."""
    try:
        data = _entry_path(kind, key).read_bytes()
    except OSError:
        return None
    payload = data[_DIGEST_BYTES:]
    return payload if data[:_DIGEST_BYTES] == hashlib.sha256(payload).digest() else None


def write_entry(kind: str, key: str, payload: bytes) -> bool:
    """Store a payload atomically; False when the directory cannot be written (no cache then)."""
    path = _entry_path(kind, key)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace_file(path, hashlib.sha256(payload).digest() + payload)
    except OSError:
        return False
    return True


def _entry_path(kind: str, key: str) -> Path:
    return cache_directory() / kind / key[:2] / key[2:]


def _replace_file(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise
