"""Finished parts of long work, kept beside its output until that is whole: a killed run goes on from there.

The folder's name has a digest of all that the parts are made from, so that other work never finds them. A part
counts once its line is in the manifest, with its checksum and its number of rows; it is checked when a later run
finds it, and made again if it is not what was written. When the output is there, one rename removes the folder.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path

from yatzy.context import Report, silent
from yatzy.files import append_line, remove_folder, sweep, whole_file, write_whole, writing
from yatzy.sealed import SealError, is_sealed, read_sealed, seal

MANIFEST = "manifest"
BYTES_AT_A_TIME = 1 << 20


def digest_of(*made_from: object, length: int = 16) -> str:
    """Hexadecimal digits of all that something is made from, in order: one name for it."""
    contents = [one if isinstance(one, bytes) else str(one).encode() for one in made_from]
    lengths = ",".join(str(len(content)) for content in contents)
    return hashlib.sha256(b"".join([lengths.encode(), b":", *contents])).hexdigest()[:length]


class Parts:
    """The parts of one output; `made_from` is everything that could make them different."""

    def __init__(self, out: Path, made_from: Iterable[object], report: Report = silent) -> None:
        self.folder = out.parent / f".{out.name}.{digest_of(*made_from)}.parts"
        self._report = report
        self._rows: dict[str, int] = {}
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        sweep(self.folder)
        self._manifest = self.folder / MANIFEST
        self._listed = self._read_manifest()

    def add(self, name: str, rows: int, write: Callable[[Path], object]) -> None:
        """Keep a part that has that many rows; `write` is given the file to write it to."""
        with whole_file(self.folder / name) as half:
            write(half)
            checksum = _checksum(half)
        append_line(self._manifest, _line(name, checksum, rows))
        self._rows[name] = rows

    def has(self, name: str) -> bool:
        """Is the part there and whole?"""
        return name in self._rows or self._find(name, self.folder / name)

    def rows(self, names: Iterable[str]) -> int:
        """How many rows these parts have together."""
        return sum(self._rows[name] for name in names)

    def remove(self) -> None:
        remove_folder(self.folder)

    def _find(self, name: str, file: Path) -> bool:
        if name not in self._listed:
            return False
        checksum, rows = self._listed[name]
        try:
            whole = _checksum(file) == checksum
        except OSError:
            whole = False
        if whole:
            self._rows[name] = rows
        else:
            self._report(f"{file}: is not what was written there; made again")
            del self._listed[name]
        return whole

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
                self._report(f"{self._manifest}: has a damaged line; the part it told of is made again")
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
    content = seal({file.name: _checksum(file) for file in files})
    write_whole(seal_file, json.dumps(content, indent=1).encode())


def are_as_sealed(seal_file: Path, files: Iterable[Path]) -> bool:
    """Are all the files there, as they were when they were sealed?"""
    try:
        kept = read_sealed(seal_file)
        return all(kept.get(file.name) == _checksum(file) for file in files)
    except (SealError, OSError):
        return False


def _checksum(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(BYTES_AT_A_TIME):
            digest.update(block)
    return digest.hexdigest()
