"""Run a solver's executable: a fixed argument list (never a shell), a private folder, a hard stop."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from equiform.formulations.optimization.backends.stopping import GRACE, Stop


@dataclass(frozen=True)
class Finished:
    """How an executable ended: its exit code (``None`` if we killed it) and what it wrote."""

    code: int | None
    output: str

    def last_lines(self, count: int = 3) -> str:
        """Return the end of the output on one line."""
        return " | ".join(line.strip() for line in self.output.splitlines()[-count:] if line.strip())


def run_executable(
    arguments: Sequence[str], folder: Path, time_limit: float | None, stop: Stop | None = None
) -> Finished:
    """Run an executable to its end, or kill it some time after the limit, or when ``stop`` says so."""
    try:
        process = subprocess.Popen(
            list(arguments),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except OSError as error:
        return Finished(-1, str(error))
    if stop is not None:
        stop.on_request(process.kill)
    with process:
        try:
            output, _ = process.communicate(timeout=None if time_limit is None else time_limit + GRACE)
            code: int | None = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            output, code = process.communicate()[0], None
        except BaseException:  # an interrupt
            process.kill()
            raise
    return Finished(None if stop else code, output.decode(errors="replace"))
