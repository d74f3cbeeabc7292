"""The files of the site over HTTP: what they are, how long a browser may keep them, and packed where that helps.

Any static host can serve the site; this is how it should. Names in `assets/` have a digest of their content, so a
browser need never ask for one again. Everything else keeps its name when it changes: it is asked for each time,
and the answer is 304 if it is the same.
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

UNCHANGING = "assets"
FOR_EVER, ASK_EACH_TIME = "public, max-age=31536000, immutable", "no-cache"
# Some systems call scripts plain text, and a browser told not to guess then refuses them.
TYPES = {
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
# Pictures and fonts are packed already. Each file is packed once and kept, so it must not be too large.
PACKED = (".bin", ".css", ".html", ".js", ".json", ".svg", ".wasm", ".webmanifest")
LEAST_PACKED, MOST_PACKED, FILES_KEPT = 500, 1_000_000, 256

for _suffix, _type in TYPES.items():
    mimetypes.add_type(_type, _suffix)


class SiteFiles(StaticFiles):
    """The files of the site; hidden ones are nobody's business, and what cannot be read is not there."""

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
        path, asked = Path(full_path), Headers(scope=scope)
        if path.suffix in PACKED and LEAST_PACKED <= stat_result.st_size <= MOST_PACKED:
            if isinstance(answer, FileResponse) and "gzip" in asked.get("accept-encoding", ""):
                answer = _packed(path, stat_result, answer.headers)
            answer.headers["vary"] = "accept-encoding"
        answer.headers["cache-control"] = FOR_EVER if path.parent.name == UNCHANGING else ASK_EACH_TIME
        return answer


def _packed(path: Path, found: os.stat_result, headers: Headers) -> Response:
    try:
        content = _pack(path, found.st_mtime_ns, found.st_size)
    except OSError:
        raise HTTPException(404) from None
    kept = {name: headers[name] for name in ("content-type", "last-modified")}
    # Weak: the same content in other bytes.
    return Response(content, headers={**kept, "content-encoding": "gzip", "etag": f"W/{headers['etag']}"})


@lru_cache(maxsize=FILES_KEPT)
def _pack(path: Path, modified: int, size: int) -> bytes:
    """By time and size too: a site may be built again while it is served."""
    return gzip.compress(path.read_bytes(), mtime=0)
