"""Run a solver's executable: a fixed argument list (never a shell), a private folder, a hard stop."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

GRACE = 10.0
"""Seconds that an executable may take beyond its own time limit before it is killed."""


@dataclass(frozen=True)
class Finished:
    """How an executable ended: its exit code (``None`` if it had to be killed) and what it wrote."""

    code: int | None
    output: str

    def last_lines(self, count: int = 3) -> str:
        """Return the end of the output on one line."""
        return " | ".join(line.strip() for line in self.output.splitlines()[-count:] if line.strip())


def run_executable(arguments: Sequence[str], folder: Path, time_limit: float | None) -> Finished:
    """Run an executable to its end, or kill it some time after the limit."""
    try:
        done = subprocess.run(
            list(arguments),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=None if time_limit is None else time_limit + GRACE,
            check=False,
        )
    except subprocess.TimeoutExpired as stopped:
        return Finished(None, (stopped.stdout or b"").decode(errors="replace"))
    except OSError as error:
        return Finished(-1, str(error))
    return Finished(done.returncode, done.stdout.decode(errors="replace"))
