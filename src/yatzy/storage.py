"""Files and folders: where things are kept, atomic writes, bounded reads.

*Writing.* A file is written under a temporary name beside its target, flushed, renamed, and its folder flushed:
after a crash the target is the old file or the new one. The temporary file is locked while its writer lives; what
a dead process left behind is deleted by the next one that writes to the folder. `writer_lock` admits one writer
at a time.

*Reading.* A file that a user named may be anything: a folder, an endless device, a pipe to which nobody writes.
`read_user_file` reads regular files up to a limit and refuses everything else.

*Package data.* The built site and the published results are in `yatzy/built` in a wheel (`hatch_build.py`); in a
clone there is no site until one is built, and the results are in `results/`.
"""

import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from yatzy.context import Report, silent
from yatzy.errors import YatzyError

PACKAGE = Path(__file__).parent
BYTES_TO_TRY = 1 << 16


def home(folder: str | Path | None = None) -> Path:
    """The home folder: the given one, else `YATZY_HOME`, else the user's data folder."""
    if folder or os.environ.get("YATZY_HOME"):
        return Path(folder or os.environ["YATZY_HOME"]).expanduser()
    from platformdirs import user_data_path

    return user_data_path("yatzy", appauthor=False)


@lru_cache(maxsize=1)
def code_cache() -> Path | None:
    """Where compiled code is kept: `NUMBA_CACHE_DIR`, else beside the sources, else the user's cache folder.

    If none of these is writable, a private temporary folder, with a notice on stderr, or else None.
    """
    from platformdirs import user_cache_path

    given = os.environ.get("NUMBA_CACHE_DIR")
    folders = (
        [Path(given)] if given else [PACKAGE / "turn" / "__pycache__", user_cache_path("yatzy", appauthor=False)]
    )
    for folder in folders:
        if _is_writable(folder):
            return folder
    temporary = Path(tempfile.gettempdir()) / f"yatzy-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"
    if not _is_writable(temporary) or not _is_private(temporary):
        return None
    tried = " and ".join(map(str, folders))
    print(f"yatzy: {tried} cannot be written to; compiled code goes to {temporary}", file=sys.stderr)
    return temporary


def _is_writable(folder: Path) -> bool:
    """Try it, making the folder if need be: an access check says nothing about a full or read-only disk."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            return file.write(bytes(BYTES_TO_TRY)) == BYTES_TO_TRY
    except OSError:
        return False


def _is_private(folder: Path) -> bool:
    """Whether nobody else can write to the folder: code is run from there."""
    found = folder.stat(follow_symlinks=False)
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)


HALF, GONE = ".half", ".gone"
# A temporary file that is not locked yet looks like that of a dead process.
SECONDS_BEFORE_SWEEPING = 60.0
SECONDS_BETWEEN_TRIES = 0.1
# Of a file that a user named, unless its reader allows less.
MAX_BYTES = 100_000_000
WINDOWS = os.name == "nt"
_OS_ERROR = re.compile(r"os error (\d+)")


class WriteError(YatzyError):
    """A file that cannot be written."""


class ReadError(YatzyError):
    """A file that cannot be read."""


@contextmanager
def open_user_file(path: str | Path, field: str | None) -> Iterator[BinaryIO]:
    """A regular file, open for reading; anything else is refused. Errors inside are reported as the file's."""
    path = Path(path)
    try:
        # Check before opening: opening a device can have effects, and opening a pipe can block forever.
        _check_regular(path.stat(), path, field)
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            _check_regular(os.fstat(handle), path, field)
            yield file
    except FileNotFoundError:
        raise ReadError(field, path, why="there is no file {given}") from None
    except OSError as error:
        raise ReadError(field, path, why=f"{{given}} cannot be read ({error.strerror or error})") from None


def read_user_file(path: str | Path, field: str | None, at_most: int = MAX_BYTES) -> bytes:
    """The content of a file that a user named."""
    with open_user_file(path, field) as file:
        size = os.fstat(file.fileno()).st_size
        if size > at_most:
            raise ReadError(field, Path(path), f"at most {at_most:,} bytes", "is too large")
        return file.read(size)


def read_user_text(path: str | Path, field: str | None, at_most: int = MAX_BYTES) -> str:
    """The content of a text file that a user named."""
    content = read_user_file(path, field, at_most)
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ReadError(field, Path(path), why="is not text in UTF-8") from None


def _check_regular(found: os.stat_result, path: Path, field: str | None) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ReadError(field, path, "a file", _what_it_is(found))


def _what_it_is(found: os.stat_result) -> str:
    return f"is {'a folder' if stat.S_ISDIR(found.st_mode) else 'a device or a pipe'}"


def check_outputs(read: Iterable[str | Path | None] = (), **written: Path | None) -> None:
    """Refuse, before anything is computed, outputs that cannot be written or would overwrite another file.

    `written` are the outputs of a command by option; `read` are its inputs, some of which may not be files.
    """
    taken = {os.path.realpath(path): "is read by this command" for path in read if path and Path(path).is_file()}
    for field, path in written.items():
        if path is None:
            continue
        place = os.path.realpath(path)
        if place in taken:
            raise YatzyError(field, path, "a file of its own", taken[place])
        taken[place] = f"is also written by {field}"
        try:
            check_writable(path)
        except WriteError as error:
            raise error.within(field) from None


def check_folder(field: str, path: Path) -> None:
    """Refuse, before anything is computed, a folder that is a file or would lie inside one."""
    there = next((place for place in (path, *path.parents) if place.exists()), path)
    if there.exists() and not there.is_dir():
        raise YatzyError(field, there, "a folder", "is a file")


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """A temporary file to write to: it replaces `path` when the block ends, and is deleted if the block fails.

    A library that writes on its own threads must get the open file, not the path: after a failure it could
    recreate the deleted file.
    """
    path = Path(path)
    _check_replaceable(path)
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        sweep(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=HALF)
        half = Path(name)
        try:
            if not _lock(handle):
                # Windows does not rename open files.
                os.close(handle)
                handle = -1
            yield half
            half.chmod(0o644)
            _flush(half)
            rename(half, path)
        except BaseException:
            half.unlink(missing_ok=True)
            raise
        finally:
            if handle >= 0:
                os.close(handle)


def write_atomically(path: str | Path, content: bytes) -> Path:
    """Write a file completely or not at all."""
    with atomic_file(path) as half:
        half.write_bytes(content)
    return Path(path)


def check_writable(path: Path) -> None:
    """Refuse, before anything is computed, a file that cannot be written."""
    _check_replaceable(path)
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass


def _check_replaceable(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise WriteError(None, path, "a file", _what_it_is(path.stat()))


def rename(old: Path, new: Path) -> None:
    """Rename durably: the folder is flushed too."""
    os.replace(old, new)
    _flush(new.parent)


def append_line(path: Path, line: bytes) -> None:
    """Append a line and flush it; after a crash the last line may be incomplete."""
    with write_errors(path), path.open("ab") as file:
        file.write(line + b"\n")
        file.flush()
        os.fsync(file.fileno())


def remove_folder(folder: Path) -> None:
    """Delete a folder atomically: rename it, then delete its files. If that fails, it stays."""
    gone = folder.with_name(f"{folder.name}-{os.getpid()}{GONE}")
    with suppress(OSError):
        rename(folder, gone)
        shutil.rmtree(gone, ignore_errors=True)


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn any library's error about writing `path` into a `WriteError`."""
    try:
        yield
    except YatzyError:
        raise
    except OSError as error:
        raise WriteError(None, path, why=f"cannot be written ({error.strerror or error})") from None
    except Exception as error:
        found = _OS_ERROR.search(str(error))
        if not found:
            raise
        raise WriteError(None, path, why=f"cannot be written ({os.strerror(int(found[1]))})") from None


@contextmanager
def writer_lock(path: str | Path, notice: Report = silent) -> Iterator[None]:
    """Hold the lock for writing `path`; a second process waits for the first, with a notice."""
    from filelock import FileLock, Timeout

    path = Path(path)
    file = path.with_name(f".{path.name}.lock")
    lock = FileLock(file, poll_interval=SECONDS_BETWEEN_TRIES, thread_local=False)
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            notice(f"{path}: another process is writing it; waiting until it is done")
            lock.acquire()
    try:
        yield
    finally:
        # Unlink before releasing: a process that has opened it meanwhile notices, and starts again.
        with suppress(OSError):
            file.unlink()
        lock.release()


def sweep(folder: Path) -> None:
    """Delete temporary files and folders of dead processes."""
    if WINDOWS:  # writers hold no locks there
        return
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.name.startswith(".") and entry.name.endswith((HALF, GONE)):
                _sweep_one(Path(entry.path))


def _sweep_one(path: Path) -> None:
    with suppress(OSError):
        if path.suffix == GONE:
            shutil.rmtree(path, ignore_errors=True)
        elif time.time() - path.stat().st_mtime > SECONDS_BEFORE_SWEEPING:
            handle = os.open(path, os.O_RDWR)
            try:
                if _lock(handle):
                    path.unlink()
            finally:
                os.close(handle)


def _lock(handle: int) -> bool:
    """Try to lock an open file until the process ends; false if it is locked or cannot be."""
    from filelock import lock_descriptor

    with suppress(OSError):
        return not WINDOWS and lock_descriptor(handle, blocking=False)
    return False


def _flush(path: Path) -> None:
    """Flush a file or folder to the disk; Windows cannot flush folders."""
    if path.is_dir() and WINDOWS:
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


BUILT = PACKAGE / "built"
RESULTS = BUILT / "results" if BUILT.is_dir() else PACKAGE.parents[1] / "results"


def shipped_site() -> Path | None:
    """The folder of the packaged site; None in a clone."""
    site = BUILT / "site"
    return site if (site / "index.html").is_file() else None


def natural_key(name: str) -> list[int | str]:
    """A sort key that puts `chart-9` before `chart-10`."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
