"""Files that are whole or absent: written beside their target and given its name at the end."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from equiform.models.errors import FormatError


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Give a draft to write to; it becomes ``path`` when the block ends, and vanishes if the block raises.

    Readers see the old content or the new, and so does whoever looks after a crash: the draft is on the disk before it
    gets its name. It has the target's suffix, for writers that choose the format by it.
    """
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}.", suffix=target.suffix)
    except OSError as error:
        raise _refused(target, error) from None
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


def _refused(target: Path, error: OSError) -> FormatError:
    return FormatError(
        f"cannot write {target}: {error.strerror}", where=str(target), fix="check the folder and its permissions"
    )
