"""The files of the site over HTTP: content types, caching, compression.

Any static host can serve the site; this is how it should. Names in `assets/` contain a digest of the content, so
browsers may keep these files for ever. All others keep their names when they change, so browsers ask each time,
and get a 304 if nothing has changed.
"""

import gzip
import mimetypes
import os
from collections.abc import MutableMapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import HTTPException
from fastapi.datastructures import Headers
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles

IMMUTABLE_FOLDER = "assets"
IMMUTABLE, REVALIDATE = "public, max-age=31536000, immutable", "no-cache"
# Some systems register scripts as plain text, which browsers refuse under nosniff.
TYPES = {
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
# Pictures and fonts are compressed already. Compressed files are cached, so they must not be too large.
COMPRESSED = (".bin", ".css", ".html", ".js", ".json", ".svg", ".wasm", ".webmanifest")
MIN_COMPRESSED, MAX_COMPRESSED, FILES_KEPT = 500, 1_000_000, 256

for _suffix, _type in TYPES.items():
    mimetypes.add_type(_type, _suffix)


class SiteFiles(StaticFiles):
    """The files of the site, except hidden and unreadable ones."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        if any(part.startswith(".") for part in Path(path).parts if part != "."):
            return "", None
        try:
            return super().lookup_path(path)
        except (OSError, ValueError):
            return "", None

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: MutableMapping[str, Any],
        status_code: int = 200,
    ) -> Response:
        answer = super().file_response(full_path, stat_result, scope, status_code)
        path, request = Path(full_path), Headers(scope=scope)
        if path.suffix in COMPRESSED and MIN_COMPRESSED <= stat_result.st_size <= MAX_COMPRESSED:
            if isinstance(answer, FileResponse) and "gzip" in request.get("accept-encoding", ""):
                answer = _compressed(path, stat_result, answer.headers)
            answer.headers["vary"] = "accept-encoding"
        answer.headers["cache-control"] = IMMUTABLE if path.parent.name == IMMUTABLE_FOLDER else REVALIDATE
        return answer


def _compressed(path: Path, found: os.stat_result, headers: Headers) -> Response:
    try:
        content = _compress(path, found.st_mtime_ns, found.st_size)
    except OSError:
        raise HTTPException(404) from None
    kept = {name: headers[name] for name in ("content-type", "last-modified")}
    # A weak tag: the same content in other bytes.
    return Response(content, headers={**kept, "content-encoding": "gzip", "etag": f"W/{headers['etag']}"})


@lru_cache(maxsize=FILES_KEPT)
def _compress(path: Path, modified: int, size: int) -> bytes:
    """The cache key includes time and size: the site may be rebuilt while it is served."""
    return gzip.compress(path.read_bytes(), mtime=0)
