r"""How large a game may become in memory, and how large it will become, estimated from samples.

A tree's nodes are a poor measure of its size: a state or the name of an information set may take kilobytes. So a walk
counts nodes and looks at the memory of this process, too (:class:`SizeWatch`), and stops with a :class:`GameError`
before the machine does.

The number of nodes is estimated from random walks to the leaves (D. E. Knuth, *Estimating the efficiency of backtrack
programs*, Mathematics of Computation 29, 1975): if a walk chooses uniformly among :math:`d_0, d_1, \dots` children,
then :math:`1 + d_0 + d_0 d_1 + \dots` is an unbiased estimate.
"""

from __future__ import annotations

import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from equiform.models.common.arguments import require_count
from equiform.models.common.errors import GameError, ParameterError

Report: TypeAlias = Callable[[str], None]
"""Is told, about once a second, how far reading a game has come."""

SHARE = 0.6
"""Of the machine's memory, what a game may take unless somebody says otherwise."""
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"(\d+(?:\.\d+)?) *([kmgt]?)i?b?", re.IGNORECASE)
WALKS = 200
"""Random walks of an estimate."""
EVERY = 1 << 12
"""Nodes between two looks at clock and memory."""


def parse_bytes(text: str) -> int:
    """Read an amount of memory.

    >>> parse_bytes("2GB"), parse_bytes("1.5 M")
    (2000000000, 1500000)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None or float(found[1]) == 0:
        raise ParameterError(f"{text!r} is not an amount of memory", where="--max-memory", fix="e.g. 2GB or 500MB")
    return int(float(found[1]) * _UNITS[found[2].lower()])


@dataclass(frozen=True)
class Limits:
    """What a game may take. ``None`` leaves it to the caller's own limit, or to the size of the machine."""

    nodes: int | None = None
    memory: int | None = None
    """Bytes, beyond what the process has when it begins to read the game."""
    report: Report | None = None


_limits = Limits()


@contextmanager
def size_limits(
    *, nodes: int | None = None, memory: int | str | None = None, report: Report | None = None
) -> Iterator[None]:
    """Set the size of games that are read in the body of a ``with`` statement.

    Parameters
    ----------
    nodes
        How many nodes a tree may have.
    memory
        How much memory a game may take, in bytes or as text such as ``"2GB"``.
    report
        A function that is told how far reading a game has come.
    """
    global _limits
    before = _limits
    if nodes is not None:
        require_count(nodes, "max-nodes", "size of a game", most=10**12)
    amount = parse_bytes(memory) if isinstance(memory, str) else memory
    new = {"nodes": nodes, "memory": amount, "report": report}
    _limits = replace(before, **{key: value for key, value in new.items() if value is not None})  # type: ignore[arg-type]
    try:
        yield
    finally:
        _limits = before


def own_memory() -> int | None:
    """Return the bytes that this process has in memory, or ``None`` where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        pass
    try:
        import resource  # the peak instead: close enough while a game grows
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def machine_memory() -> int | None:
    """Return the bytes that this machine has, or ``None`` where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError, AttributeError):
        return None


class SizeWatch:
    """Looks at the size of a tree while it grows.

    Parameters
    ----------
    name
        The game.
    max_nodes
        The caller's own limit of nodes; :func:`size_limits` has precedence.
    estimate
        Estimates the number of nodes from samples. It is only called for games that take more than a second.
    """

    def __init__(self, name: str, max_nodes: int, estimate: Callable[[], float] | None = None) -> None:
        self.name = name
        self.max_nodes = _limits.nodes or max_nodes
        total = machine_memory()
        self.max_memory = _limits.memory or (None if total is None else int(SHARE * total))
        self.before = own_memory() or 0
        self._estimate = estimate
        self._nodes: float | None = None
        self._told = time.perf_counter()

    def look(self, nodes: int) -> None:
        """Compare the size with the limits, and report it about once a second.

        Raises
        ------
        GameError
            If the tree has too many nodes or takes too much memory.
        """
        if nodes > self.max_nodes:
            raise self._too_large(f"has more than {self.max_nodes:,} nodes", "--max-nodes", nodes)
        used = (own_memory() or self.before) - self.before
        if self.max_memory is not None and used > self.max_memory:
            raise self._too_large(
                f"takes more than {_amount(self.max_memory)} of memory after {nodes:,} nodes", "--max-memory", nodes
            )
        if time.perf_counter() - self._told >= 1.0:
            self._told = time.perf_counter()
            if _limits.report is not None:
                _limits.report(f"{nodes:,} nodes{self._of()}, {_amount(used)}")

    def out_of_memory(self) -> GameError:
        """Return the error for memory that ran out all the same."""
        return self._too_large("does not fit into memory", "--max-memory", 0)

    def _of(self) -> str:
        if self._nodes is None and self._estimate is not None:
            self._nodes = self._estimate()
        return "" if self._nodes is None else f" of about {_round(self._nodes)}"

    def _too_large(self, problem: str, option: str, nodes: int) -> GameError:
        of = self._of()
        whole = ""
        if self._nodes is not None and self._nodes > nodes:
            used = (own_memory() or self.before) - self.before
            share = f", {_amount(used * self._nodes / nodes)}" if nodes >= EVERY else ""
            whole = f"the whole tree is estimated at{of.removeprefix(' of')} nodes{share}"
        return GameError(
            f"the tree of {self.name!r} {problem}",
            where=whole,
            fix=f"choose a smaller game, or raise {option} (max_nodes, size_limits)",
        )


def _round(number: float) -> str:
    return f"{number:,.0f}" if number < 1e6 else f"{number:.2g}"


def _amount(size: float) -> str:
    """Write bytes for people.

    >>> _amount(2_500_000_000), _amount(3_000_000)
    ('2.5 GB', '3 MB')
    """
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"


def estimate_nodes(
    root: Callable[[], Any], children: Callable[[Any], Sequence[Any]], step: Callable[[Any, Any], Any], *, seed: int = 1
) -> float:
    """Estimate the number of nodes of a tree.

    Parameters
    ----------
    root
        Makes the root's state.
    children
        The moves of a state; none at a leaf.
    step
        The state after a move.
    seed
        Of the walks.

    >>> estimate_nodes(lambda: 0, lambda depth: [0, 1, 2] if depth < 4 else [], lambda depth, _: depth + 1)
    121.0
    """
    rng = random.Random(seed)
    total = 0.0
    for _ in range(WALKS):
        state, weight = root(), 1.0
        while moves := children(state):
            total += weight
            weight *= len(moves)
            state = step(state, rng.choice(moves))
        total += weight
    return total / WALKS
