"""LLVM assembly compiled to machine code in memory, and cached on disk.

Numba compiles kernels, which are loops written in Python. The folds of the die lattice are a few thousand vector
instructions without a loop, on which Numba's optimiser would waste seconds. They are written as LLVM assembly
instead (`folds`) and compiled here, without Numba.

*Draft and final.* LLVM takes a tenth of a second for a fold at level 0 and half a second at level 1; level-0 code
runs a fifth slower. Both do the same operations in the same order, so results agree to the bit. Commands whose
user is waiting for a first answer use a draft; final code is cached on disk.
"""

import hashlib
import os
import threading
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from yatzy.context import compiling
from yatzy.storage import WriteError, code_cache, write_atomically

# NUMBA_DISABLE_JIT=1 runs everything as plain Python, kernels and folds alike.
COMPILES = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

# LLVM's optimisation levels.
DRAFT, FINAL = 0, 1

_lock = threading.Lock()
_engines: list[Any] = []
_loaded: dict[tuple[str, bool], dict[str, int]] = {}


def load_code(text: str, functions: tuple[str, ...], draft: bool = False) -> dict[str, int]:
    """Addresses of the functions of an LLVM module: from memory, from disk, or compiled now.

    A draft is not cached on disk, and not made if there is final code.
    """
    digest = hashlib.sha256(f"{_machine_name()}\n{text}".encode()).hexdigest()[:24]
    with _lock:
        for known in ((digest, False), (digest, True)) if draft else ((digest, False),):
            if known in _loaded:
                return _loaded[known]
        file = _cache_file(digest)
        code = read_code(file)
        is_draft = draft and code is None
        if code is None:
            with compiling:
                code = _compile(text, DRAFT if draft else FINAL)
            if file and not draft:
                write_code(file, code)
        _loaded[digest, is_draft] = _place(code, functions)
        return _loaded[digest, is_draft]


def _cache_file(digest: str) -> Path | None:
    folder = code_cache()
    return folder / f"turn-{digest}.code" if folder else None


def read_code(file: Path | None) -> bytes | None:
    """Compiled code from its file, if that exists and is intact."""
    try:
        content = file.read_bytes() if file else b""
    except OSError:
        return None
    checksum, code = content[:32], content[32:]
    return code if code and hashlib.sha256(code).digest() == checksum else None


def write_code(file: Path, code: bytes) -> None:
    """Write compiled code with its checksum, if possible."""
    with suppress(WriteError):
        write_atomically(file, hashlib.sha256(code).digest() + code)


@lru_cache(maxsize=1)
def _target() -> Any:
    import llvmlite.binding as llvm

    # Older versions of llvmlite need this call; newer ones initialise themselves and complain about it.
    with suppress(RuntimeError):
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple()


@lru_cache(maxsize=1)
def _machine_name() -> str:
    """What compiled code depends on besides the assembly."""
    import llvmlite.binding as llvm

    host = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return repr((llvm.llvm_version_info, llvm.get_default_triple(), *host))


def _machine(level: int) -> Any:
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    return _target().create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=level, jit=True)


def _compile(text: str, level: int) -> bytes:
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(text)
    module.verify()
    code: bytes = _machine(level).emit_object(module)
    return code


def _place(code: bytes, functions: tuple[str, ...]) -> dict[str, int]:
    """Load machine code into memory, for the life of the process."""
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(FINAL))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    return {name: int(engine.get_function_address(name)) for name in functions}
