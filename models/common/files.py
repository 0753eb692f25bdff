"""Atomic files: drafts are written next to their target and renamed at the end; and the way to read them back."""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.errors import EquiformError, FormatError


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yield a draft to write to; it becomes ``path`` when the block ends, and disappears if the block raises.

    Readers see the old content or the new, even after a crash: the draft is on the disk before it gets its
    name. It has the target's suffix, for writers that choose the format by it.
    """
    try:
        target = Path(path)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}.", suffix=target.suffix)
    except (OSError, ValueError, TypeError) as error:  # a path with a null byte is a ValueError, no path a TypeError
        raise _refused(path, error) from None
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        draft.chmod(0o666 & ~umask)  # temporary files are private; the result is an ordinary file
        draft.replace(target)
    except OSError as error:
        raise _refused(target, error) from None
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in one step."""
    with whole_file(path) as draft:
        draft.write_text(text, encoding="utf-8")


def make_folder(path: str | Path) -> Path:
    """Make a folder and its parents unless they exist."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(folder, error) from None
    return folder


def require_writable(path: str | Path) -> None:
    """Refuse a file that could not be written, before the work whose result it shall hold.

    Raises
    ------
    FormatError
        If the folder does not exist or cannot be written to, or a folder has the file's name.
    """
    try:
        target = Path(path)
        with suppress(FileNotFoundError):
            if stat.S_ISDIR(target.stat().st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except (OSError, ValueError, TypeError) as error:
        raise _refused(path, error) from None


def require_writable_folder(path: str | Path) -> Path:
    """Make a folder if need be, and refuse one in which no file could be written; see :func:`require_writable`."""
    try:
        folder = make_folder(path)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError, TypeError) as error:
        raise _refused(path, error) from None
    return folder


def read_text(path: str | Path, what: str, *, unreadable: type[EquiformError] = FormatError) -> str:
    """Read a UTF-8 file; ``what`` it should be goes into the error, which is ``unreadable`` if the path is at fault."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{what} is not UTF-8 text: {error.reason}", where=f"{path}, byte {error.start}", fix="save it as UTF-8"
        ) from None
    except (OSError, ValueError, TypeError) as error:  # a path with a null byte is a ValueError, no path a TypeError
        raise unreadable(f"cannot read {what}: {_reason(error)}", where=str(path), fix="check the path") from None


def read_json(path: str | Path, what: str, *, fix: str) -> Any:
    """Read a JSON file; ``what`` it should be and the ``fix`` go into the error."""
    try:
        return json.loads(read_text(path, what))
    except (
        ValueError,
        RecursionError,
    ) as error:  # bad JSON, a number with too many digits, or brackets nested too deep
        raise FormatError(f"{what} is not a JSON file: {error}", where=str(path), fix=fix) from None


def read_arrays(path: str | Path, what: str, *, fix: str) -> dict[str, NDArray[Any]]:
    """Read the arrays of an ``.npz`` file without unpickling anything; errors as in :func:`read_json`."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError as error:
        raise FormatError(f"cannot read {what}: {_reason(error)}", where=str(path), fix="check the path") from None
    except Exception as error:  # a damaged archive fails in zipfile, zlib, struct, ast or numpy, each in its own way
        raise FormatError(f"{what} is damaged or of another kind: {_reason(error)}", where=str(path), fix=fix) from None


def _refused(target: str | Path, error: Exception) -> FormatError:
    return FormatError(
        f"cannot write {target}: {_reason(error)}", where=str(target), fix="check the folder and its permissions"
    )


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
