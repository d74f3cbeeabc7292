"""Sealed files carry their own checksum: a file that was changed since it was written is refused, never used.

* A sealed JSON object has a field `checksum`, the SHA-256 of the object without it, as canonical JSON.
* A sealed safetensors file has it in its metadata, over the rest of the header and the data. Headers are sorted,
  so equal content gives equal bytes.
* `seal_files` keeps the checksums of other files in a sealed JSON file beside them.
* `Parts` are the finished parts of long work, kept until the output is complete: a run that was killed resumes.
"""

import hashlib
import json
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.context import Report, silent
from yatzy.errors import YatzyError
from yatzy.storage import (
    ReadError,
    append_line,
    atomic_file,
    open_user_file,
    read_user_file,
    remove_folder,
    sweep,
    write_atomically,
    write_errors,
)

CHECKSUM = "checksum"
MANIFEST = "manifest"
BYTES_AT_A_TIME = 1 << 22
# Larger tensors are mapped, not read.
MAX_TENSOR_BYTES = 1 << 31
Tensors = dict[str, NDArray[Any]]


class SealError(YatzyError):
    """A file that cannot be read, or that was changed since it was written."""


NOT_SEALED, CHANGED = "has no checksum", "was damaged or edited (its checksum does not match)"
NOT_TENSORS = "is not a safetensors file, or not all of it"


def seal(content: dict[str, Any]) -> dict[str, Any]:
    """The object with its checksum."""
    return {**content, CHECKSUM: checksum_of(content)}


def checksum_of(content: dict[str, Any]) -> str:
    """The checksum of an object, ignoring one that it carries."""
    bare = {key: value for key, value in content.items() if key != CHECKSUM}
    # Through JSON and back, because keys are sorted as the strings that a reader will see.
    return hashlib.sha256(_canonical(json.loads(_canonical(bare, sort=False)))).hexdigest()


def is_sealed(content: Any) -> bool:
    """Whether the object carries its own checksum."""
    try:
        return isinstance(content, dict) and content.get(CHECKSUM) == checksum_of(content)
    except ValueError:
        return False


def read_sealed(path: str | Path, field: str | None = None) -> dict[str, Any]:
    """The object of a sealed JSON file; errors name `field`."""
    path = Path(path)
    try:
        content = json.loads(read_user_file(path, field))
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
    return write_atomically(path, _head(header, metadata, _checksum(header, metadata, data)) + data)


def write_tensor_blocks(
    path: str | Path,
    name: str,
    shape: tuple[int, ...],
    dtype: str,
    blocks: Iterable[NDArray[Any]],
    metadata: dict[str, str],
) -> Path:
    """`write_tensors` for one tensor that is larger than memory and comes in blocks of rows."""
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    kind = {"float64": "F64", "float32": "F32"}[dtype]
    header: dict[str, Any] = {name: {"dtype": kind, "shape": list(shape), "data_offsets": [0, n_bytes]}}
    digest = hashlib.sha256(_canonical([header, metadata]))
    with atomic_file(path) as half, half.open("wb") as file:
        file.write(_head(header, metadata, "0" * digest.digest_size * 2))
        for block in blocks:
            for rows in np.array_split(block, max(1, block.nbytes // BYTES_AT_A_TIME)):
                content = np.ascontiguousarray(rows, dtype).data
                digest.update(content)
                file.write(content)
        file.seek(0)
        file.write(_head(header, metadata, digest.hexdigest()))
    return Path(path)


def map_tensors(path: str | Path) -> tuple[Tensors, dict[str, str]]:
    """`read_tensors` for files larger than memory: checked once, then mapped."""
    path = Path(path)
    try:
        with open_user_file(path, None) as file:
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
            for name, about in header.items():
                dtype, (begin, end) = {"F64": np.float64, "F32": np.float32}[about["dtype"]], about["data_offsets"]
                shape = tuple(about["shape"])
                if not 0 <= begin <= end <= n_bytes or end - begin != np.prod(shape) * np.dtype(dtype).itemsize:
                    raise ValueError("offsets")
                # Map the open file that was checked, which may not be the one at this path by now.
                tensors[name] = np.memmap(file, dtype, "r", 8 + length + begin, shape)
    except SealError:
        raise
    except ReadError as error:
        raise SealError(*error.args) from None
    except (ValueError, KeyError, TypeError, struct.error, RecursionError, MemoryError):
        raise SealError(None, path, why=NOT_TENSORS) from None
    return dict(tensors), metadata


def tensor_bytes(tensors: Tensors) -> bytes:
    """The tensors in canonical form: equal tensors give equal bytes."""
    from safetensors.numpy import save

    header, data = _split(save({name: np.ascontiguousarray(array) for name, array in tensors.items()}))
    return _canonical(header) + data


def read_tensors(path: str | Path, field: str | None = None) -> tuple[Tensors, dict[str, str]]:
    """Tensors and metadata of a sealed safetensors file, read into memory."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    path = Path(path)
    try:
        content = read_user_file(path, field, MAX_TENSOR_BYTES)
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


def _head(header: dict[str, Any], metadata: dict[str, str], checksum: str) -> bytes:
    text = _canonical({**header, "__metadata__": {**metadata, CHECKSUM: checksum}})
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


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


def digest_of(*made_from: object, length: int = 16) -> str:
    """A short name for everything that something is made from, in order, as hexadecimal digits."""
    contents = [one if isinstance(one, bytes) else str(one).encode() for one in made_from]
    lengths = ",".join(str(len(content)) for content in contents)
    return hashlib.sha256(b"".join([lengths.encode(), b":", *contents])).hexdigest()[:length]


class Parts:
    """The finished parts of one output, in a folder beside it named after what they are `made_from`.

    A part counts once the manifest has its checksum and number of rows. A later run checks it, and makes it again
    if it was changed. When the output is complete, one rename removes the folder.
    """

    def __init__(self, out: Path, made_from: Iterable[object], report: Report = silent) -> None:
        self.folder = out.parent / f".{out.name}.{digest_of(*made_from)}.parts"
        self._report = report
        self._rows: dict[str, int] = {}
        with write_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        sweep(self.folder)
        self._manifest = self.folder / MANIFEST
        self._listed = self._read_manifest()

    def add(self, name: str, rows: int, write: Callable[[Path], object]) -> None:
        """Keep a part of that many rows; `write` gets the path to write it to."""
        with atomic_file(self.folder / name) as half:
            write(half)
            checksum = _digest_of_file(half)
        append_line(self._manifest, _line(name, checksum, rows))
        self._rows[name] = rows

    def has(self, name: str) -> bool:
        """Whether the part exists and is intact."""
        return name in self._rows or self._find(name, self.folder / name)

    def rows(self, names: Iterable[str]) -> int:
        """The total number of rows of these parts."""
        return sum(self._rows[name] for name in names)

    def remove(self) -> None:
        remove_folder(self.folder)

    def _find(self, name: str, file: Path) -> bool:
        if name not in self._listed:
            return False
        checksum, rows = self._listed[name]
        try:
            is_intact = _digest_of_file(file) == checksum
        except OSError:
            is_intact = False
        if is_intact:
            self._rows[name] = rows
        else:
            self._report(f"{file}: was changed after it was written; making it again")
            del self._listed[name]
        return is_intact

    def _read_manifest(self) -> dict[str, tuple[str, int]]:
        found = {}
        try:
            lines = self._manifest.read_bytes().split(b"\n")
        except OSError:
            return {}
        for line in lines[:-1]:
            try:
                part = json.loads(line)
            except ValueError:
                part = None
            if not is_sealed(part):
                self._report(f"{self._manifest}: has a damaged line; making the part it describes again")
                continue
            found[part["part"]] = (part["sha256"], part["rows"])
        if lines[-1]:
            # Cut off by a crash: the next line must not be glued to it.
            append_line(self._manifest, b"")
        return found


def _line(name: str, checksum: str, rows: int) -> bytes:
    return json.dumps(seal({"part": name, "sha256": checksum, "rows": rows})).encode()


def seal_files(seal_file: Path, files: Iterable[Path]) -> None:
    """Keep the checksums of files that were just written."""
    content = seal({file.name: _digest_of_file(file) for file in files})
    write_atomically(seal_file, json.dumps(content, indent=1).encode())


def match_seal(seal_file: Path, files: Iterable[Path]) -> bool:
    """Whether all the files are as they were when they were sealed."""
    try:
        kept = read_sealed(seal_file)
        return all(kept.get(file.name) == _digest_of_file(file) for file in files)
    except (SealError, OSError):
        return False


def _digest_of_file(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
