"""Files that carry their own checksum: one that was changed since it was written is refused, never used.

A *sealed* JSON object has a field `checksum`, the SHA-256 of the object without it, written with sorted keys and
no spaces. A sealed safetensors file has it in its metadata, over the rest of the header and the data. Headers are
sorted, so equal content gives equal bytes.
"""

import hashlib
import json
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.errors import YatzyError
from yatzy.files import ReadError, open_outside, read_outside, whole_file, write_whole

CHECKSUM = "checksum"
BYTES_AT_A_TIME = 1 << 22
# Larger tensors are mapped, not read.
MOST_TENSOR_BYTES = 1 << 31
Tensors = dict[str, NDArray[Any]]


class SealError(YatzyError):
    """A file that cannot be read, or that was changed since it was written."""


NOT_SEALED, CHANGED = "has no checksum", "was damaged or edited (its checksum does not fit)"
NOT_TENSORS = "is not a safetensors file, or not all of it"


def seal(content: dict[str, Any]) -> dict[str, Any]:
    """The object with its checksum."""
    return {**content, CHECKSUM: checksum_of(content)}


def checksum_of(content: dict[str, Any]) -> str:
    """The checksum of an object, whether it carries one or not."""
    bare = {key: value for key, value in content.items() if key != CHECKSUM}
    # Through JSON and back: what is read is checked, and keys are sorted as the texts they become.
    return hashlib.sha256(_canonical(json.loads(_canonical(bare, sort=False)))).hexdigest()


def is_sealed(content: Any) -> bool:
    """Does the object carry its own checksum?"""
    try:
        return isinstance(content, dict) and content.get(CHECKSUM) == checksum_of(content)
    except ValueError:
        return False


def read_sealed(path: str | Path, field: str | None = None) -> dict[str, Any]:
    """The object of a sealed JSON file; `field` is what an error says the file was given for."""
    path = Path(path)
    try:
        content = json.loads(read_outside(path, field))
    except ReadError as error:
        raise SealError(*error.args) from None
    except (ValueError, RecursionError):
        raise SealError(field, path, why="is not JSON") from None
    if not isinstance(content, dict) or CHECKSUM not in content:
        raise SealError(field, path, why=NOT_SEALED)
    if not is_sealed(content):
        raise SealError(field, path, why=CHANGED)
    return content


def write_tensors(path: str | Path, tensors: Tensors, metadata: dict[str, str]) -> Path:
    """Write a sealed safetensors file, whole or not at all."""
    from safetensors.numpy import save

    header, data = _split(save({name: np.ascontiguousarray(array) for name, array in tensors.items()}))
    header["__metadata__"] = {**metadata, CHECKSUM: _checksum(header, metadata, data)}
    text = _canonical(header)
    text += b" " * (-len(text) % 8)
    return write_whole(path, struct.pack("<Q", len(text)) + text + data)


def write_tensor_blocks(
    path: str | Path,
    name: str,
    shape: tuple[int, ...],
    dtype: str,
    blocks: Iterable[NDArray[Any]],
    metadata: dict[str, str],
) -> Path:
    """`write_tensors` for one tensor that comes in blocks of rows, for more than memory should hold."""
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    kind = {"float64": "F64", "float32": "F32"}[dtype]
    header: dict[str, Any] = {name: {"dtype": kind, "shape": list(shape), "data_offsets": [0, n_bytes]}}
    digest = hashlib.sha256(_canonical([header, metadata]))

    def head(checksum: str) -> bytes:
        text = _canonical({**header, "__metadata__": {**metadata, CHECKSUM: checksum}})
        text += b" " * (-len(text) % 8)
        return struct.pack("<Q", len(text)) + text

    with whole_file(path) as half, half.open("wb") as file:
        file.write(head("0" * digest.digest_size * 2))
        for block in blocks:
            for rows in np.array_split(block, max(1, block.nbytes // BYTES_AT_A_TIME)):
                content = np.ascontiguousarray(rows, dtype).data
                digest.update(content)
                file.write(content)
        file.seek(0)
        file.write(head(digest.hexdigest()))
    return Path(path)


def map_tensors(path: str | Path) -> tuple[Tensors, dict[str, str]]:
    """`read_tensors` for more than memory should hold: the file is checked once, then mapped."""
    path = Path(path)
    try:
        with open_outside(path, None) as file:
            (length,) = struct.unpack("<Q", file.read(8))
            header = _header(file.read(length))
            metadata = header.pop("__metadata__", {})
            claimed = metadata.pop(CHECKSUM, None)
            digest = hashlib.sha256(_canonical([header, metadata]))
            while block := file.read(BYTES_AT_A_TIME):
                digest.update(block)
            n_bytes = file.tell() - 8 - length
            if claimed is None:
                raise SealError(None, path, why=NOT_SEALED)
            if claimed != digest.hexdigest():
                raise SealError(None, path, why=CHANGED)
            tensors = {}
            for name, told in header.items():
                dtype, (begin, end) = {"F64": np.float64, "F32": np.float32}[told["dtype"]], told["data_offsets"]
                shape = tuple(told["shape"])
                if not 0 <= begin <= end <= n_bytes or end - begin != np.prod(shape) * np.dtype(dtype).itemsize:
                    raise ValueError("offsets")
                # The file that was checked, whatever has its name by now.
                tensors[name] = np.memmap(file, dtype, "r", 8 + length + begin, shape)
    except SealError:
        raise
    except ReadError as error:
        raise SealError(*error.args) from None
    except (ValueError, KeyError, TypeError, struct.error, RecursionError, MemoryError):
        raise SealError(None, path, why=NOT_TENSORS) from None
    return dict(tensors), metadata


def tensor_bytes(tensors: Tensors) -> bytes:
    """All of the tensors as one piece, the same for equal ones."""
    from safetensors.numpy import save

    header, data = _split(save({name: np.ascontiguousarray(array) for name, array in tensors.items()}))
    return _canonical(header) + data


def read_tensors(path: str | Path, field: str | None = None) -> tuple[Tensors, dict[str, str]]:
    """Tensors and metadata of a sealed safetensors file, in memory: later changes to the file have no effect."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    path = Path(path)
    try:
        content = read_outside(path, field, MOST_TENSOR_BYTES)
        header, data = _split(content)
        tensors = load(content)
    except ReadError as error:
        raise SealError(*error.args) from None
    except (SafetensorError, ValueError, KeyError, TypeError, struct.error, RecursionError):
        raise SealError(field, path, why=NOT_TENSORS) from None
    metadata = header.pop("__metadata__", {})
    if CHECKSUM not in metadata:
        raise SealError(field, path, why=NOT_SEALED)
    if metadata.pop(CHECKSUM) != _checksum(header, metadata, data):
        raise SealError(field, path, why=CHANGED)
    return tensors, metadata


def _split(content: bytes) -> tuple[dict[str, Any], bytes]:
    (length,) = struct.unpack_from("<Q", content)
    return _header(content[8 : 8 + length]), content[8 + length :]


def _header(text: bytes) -> dict[str, Any]:
    header = json.loads(text)
    if not isinstance(header, dict) or not isinstance(header.get("__metadata__", {}), dict):
        raise ValueError("header")
    return header


def _checksum(header: dict[str, Any], metadata: dict[str, str], data: bytes) -> str:
    digest = hashlib.sha256(_canonical([header, metadata]))
    digest.update(data)
    return digest.hexdigest()


def _canonical(content: Any, sort: bool = True) -> bytes:
    """The same bytes for equal content."""
    text = json.dumps(content, sort_keys=sort, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "surrogatepass")
