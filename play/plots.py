"""Pictures of a match: profit and k, as in Figures 13.10 and 13.11, and profit of several agents."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from equiform.models.errors import FormatError
from equiform.play.match import Trace


def trace_figure(trace: Trace, *, title: str = "") -> Any:
    """Draw profit (left axis, thick) and k (right axis, thin) over the hands of one match."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    left = figure.add_subplot()
    hands = np.arange(1, len(trace.profit) + 1)
    left.plot(hands, trace.profit, color="tab:blue", linewidth=2.5, label="profit")
    left.set_xlabel("hand")
    left.set_ylabel("profit", color="tab:blue")
    if np.isfinite(trace.gifts).any():
        right = left.twinx()
        right.plot(hands, trace.gifts, color="tab:green", linewidth=1, label="k")
        right.set_ylabel("$k_t$, gifts so far", color="tab:green")
    left.set_title(title)
    return figure


def write_figure(figure: Any, path: str | Path) -> None:
    """Write a figure in one step; the ending of the name says the format."""
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=target.suffix)
        os.close(handle)
    except OSError as error:
        raise FormatError(
            f"cannot write {target}: {error.strerror}", where=str(target), fix="check the folder"
        ) from None
    try:
        figure.savefig(temporary)
        os.replace(temporary, target)
    except ValueError as error:
        raise FormatError(str(error), where=str(target), fix="use an ending such as .png, .svg or .pdf") from None
    finally:
        Path(temporary).unlink(missing_ok=True)
