"""Files are whole or not there: everything is written beside its target and renamed when complete."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """A temporary file to write to: it replaces `path` when the block ends, and is deleted if the block fails."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".half")
    os.close(handle)
    half = Path(name)
    try:
        yield half
        half.chmod(0o644)
        half.replace(path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise


def write_whole(path: str | Path, content: bytes) -> Path:
    """Write a file so that it is either all there or not there at all."""
    with whole_file(path) as half:
        half.write_bytes(content)
    return Path(path)


def write_tensors(path: str | Path, tensors: dict[str, NDArray[Any]], metadata: dict[str, str]) -> Path:
    """Write a safetensors file, whole or not there."""
    import numpy as np
    from safetensors.numpy import save_file

    with whole_file(path) as half:
        save_file({name: np.ascontiguousarray(array) for name, array in tensors.items()}, half, metadata=metadata)
    return Path(path)
