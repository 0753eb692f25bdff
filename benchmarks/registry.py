"""The registry of benchmarks. A benchmark is a function that yields :class:`Row`; ``@entry`` registers it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Row:
    """One comparison. ``ours`` and ``peer`` are in ``unit``; ``ratio`` is how many times better ours is."""

    what: str
    ours: float
    unit: str
    peer_name: str = ""
    peer: float | None = None
    goal: float | None = None
    higher_is_better: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Return how many times better ours is than the peer's; above one is good."""
        if self.peer is None or min(self.ours, self.peer) <= 0:
            return None
        return self.ours / self.peer if self.higher_is_better else self.peer / self.ours

    @property
    def verdict(self) -> str:
        """Return whether the goal (a ratio) is met."""
        if self.goal is None or self.ratio is None:
            return ""
        return "met" if self.ratio >= self.goal else "missed"


Benchmark = Callable[[], Iterable[Row]]


@dataclass(frozen=True)
class Entry:
    """A named benchmark; ``slow`` ones take minutes and run only when named or with ``--slow``."""

    name: str
    run: Benchmark
    slow: bool


ENTRIES: dict[str, Entry] = {}


def entry(name: str, *, slow: bool = False) -> Callable[[Benchmark], Benchmark]:
    """Register a benchmark under a name."""

    def register(function: Benchmark) -> Benchmark:
        ENTRIES[name] = Entry(name, function, slow)
        return function

    return register


def seconds(function: Callable[[], object], *, repeat: int = 3) -> float:
    """Return the median wall-clock seconds of a call after one warm-up, which excludes compilation and caches."""
    function()
    return median(timings(function, repeat))


def side_by_side(ours: Callable[[], object], peer: Callable[[], object], *, repeat: int = 5) -> tuple[float, float]:
    """Return the median seconds of two calls, measured in turns so that a busy machine slows both down equally."""
    ours()
    peer()
    rounds = [(next(timings(ours, 1)), next(timings(peer, 1))) for _ in range(repeat)]
    return median(r[0] for r in rounds), median(r[1] for r in rounds)


def timings(function: Callable[[], object], repeat: int) -> Iterator[float]:
    """Yield the wall-clock seconds of repeated calls."""
    for _ in range(repeat):
        started = time.perf_counter()
        function()
        yield time.perf_counter() - started


def peak_memory(code: str) -> tuple[float, float]:
    """Run Python code in a fresh process; return its wall-clock seconds and peak memory in GB (imports included)."""
    started = time.perf_counter()
    tail = "\nfrom benchmarks.registry import own_peak_memory; print(own_peak_memory())"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=True)
    return time.perf_counter() - started, float(done.stdout.split()[-1])


def own_peak_memory() -> float:
    """Return the peak memory of this process in GB (``ru_maxrss`` would count what the parent had before the fork)."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1e6
