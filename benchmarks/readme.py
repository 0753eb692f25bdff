"""The table of figures in the README, written from the stored results: ``python -m benchmarks --readme``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equiform.models.common.errors import ParameterError
from equiform.models.common.files import write_text

HOME = Path(__file__).parents[1]
README, RESULTS = HOME / "README.md", HOME / "benchmarks" / "results.json"
HEAD = "| | equiform | peer | ratio |\n| --- | --- | --- | --- |\n"


@dataclass(frozen=True)
class Line:
    """A line of the table: which stored row it shows, and in which words."""

    words: str
    benchmark: str
    what: str
    peer: str = ""
    """The peer as it is stored."""
    called: str = ""
    """The peer as the table calls it; by default as it is stored."""
    ours: bool = True
    """Whether our own figure is shown: not where it is that of the line above."""

    def text(self, stored: Mapping[str, Any]) -> str:
        """Return the line of the table, with the stored figures rounded."""
        rows = stored["benchmarks"].get(self.benchmark, ())
        row = next((r for r in rows if r["what"] == self.what and r["peer_name"] == self.peer), None)
        if row is None:
            raise ParameterError(
                f"no row {self.what!r} with the peer {self.peer!r} is stored",
                where=f"{self.benchmark} in {RESULTS.name}",
                fix=f"run `python -m benchmarks {self.benchmark} --json benchmarks/results.json`",
            )
        peer = ratio = ""
        if self.called or self.peer:
            peer = f"{self.called or self.peer}, {amount(row['peer'], row['unit'])}"
            ratio = f"{rounded(row['ratio'])} ×"
        cells = (self.words, amount(row["ours"], row["unit"]) if self.ours else "", peer, ratio)
        return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)


LP = "OpenSpiel sequence_form_lp"
CPP, EFG = "OpenSpiel C++", "LiteEFG"
LINES = (
    Line(
        "OpenSpiel's Leduc, from its game object to a proved equilibrium", "core-openspiel", "openspiel:leduc_poker",
        LP, "its sequence-form LP",
    ),
    Line(
        "… with our rules, dealt by rank: a smaller tree with the same value", "core-openspiel", "leduc",
        LP, "its sequence-form LP",
    ),
    Line(
        "OpenSpiel's goofspiel with 5 cards, in the same way", "core-openspiel", "goofspiel:cards=5",
        LP, "its sequence-form LP",
    ),
    Line("CFR+ on Leduc, iterations per second", "iterative-cfr", "cfr+ on leduc_poker", CPP),
    Line("", "iterative-cfr", "cfr+ on leduc_poker", EFG, ours=False),
    Line("CFR+ on liar's dice, iterations per second", "iterative-cfr", "cfr+ on liars_dice", CPP),
    Line("", "iterative-cfr", "cfr+ on liars_dice", EFG, ours=False),
    Line("CFR+ on Leduc to a `nash_conv` of 0.001", "iterative-gap", "cfr+ to 1e-3", CPP),
    Line(
        "external-sampling MCCFR on Leduc, iterations per second", "iterative-mccfr",
        "external sampling on leduc_poker", CPP,
    ),
    Line(
        "seven-card hands evaluated per second, in a batch", "cards-evaluator", "random seven-card hands, a batch",
        "phevaluator", "phevaluator, one call per hand",
    ),
    Line(
        "no-limit Leduc, 121,225 sequences per player, rules to proof", "core-no-limit-leduc",
        "no-limit Leduc, stack 12",
    ),
)  # fmt: skip


def rounded(number: float) -> str:
    """Round to two significant digits, with commas between the thousands.

    >>> rounded(0.02574), rounded(6.785), rounded(739.2), rounded(1183.2)
    ('0.026', '6.8', '740', '1,200')
    """
    digits = 1 - math.floor(math.log10(abs(number)))
    number = round(number, digits)
    return f"{number:,.{max(0, 1 - math.floor(math.log10(abs(number))))}f}"


def amount(number: float, unit: str) -> str:
    """Write a stored figure with its unit; the unit of a rate stands in the words of its line.

    >>> amount(0.02574, "s"), amount(1112072.3, "it/s"), amount(255.2, "M hands/s")
    ('0.026 s', '1.1 million', '260 million')
    """
    if unit in ("s", "ms"):
        return f"{rounded(number)} {unit}"
    if unit.startswith("M "):
        number *= 1e6
    return rounded(number) if number < 1e6 else f"{rounded(number / 1e6)} million"


def table() -> str:
    """Return the table as the stored results have it."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    return HEAD + "".join(line.text(stored) + "\n" for line in LINES)


def rewritten(text: str) -> str:
    """Return the text of the README with the table as the stored results have it."""
    before, head, rest = text.partition(HEAD)
    if not head:
        raise ParameterError("the README has no table of figures", where=README.name, fix=f"put back {HEAD!r}")
    lines = rest.splitlines(keepends=True)
    after = next((k for k, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return before + table() + "".join(lines[after:])


def write() -> None:
    """Write the table into the README."""
    write_text(README, rewritten(README.read_text(encoding="utf-8")))
