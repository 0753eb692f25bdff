"""The core: rules to certificate against OpenSpiel's LP and a bare HiGHS call, and the cost of going through Pyomo."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator

import pyspiel
from open_spiel.python.algorithms import sequence_form_lp as their_lp

import equiform
from benchmarks.registry import Row, entry, side_by_side
from equiform.formulations.zero_sum import sequence_form_lp


def _versus_openspiel(spec: str, ours: str, goal: float) -> Row:
    mine, peer = side_by_side(
        lambda: equiform.solve(ours), lambda: their_lp.solve_zero_sum_game(pyspiel.load_game(spec)), repeat=9
    )
    solved = equiform.solve(ours)
    theirs = their_lp.solve_zero_sum_game(pyspiel.load_game(spec))[0]
    note = f"nash_conv {solved.certificate.nash_conv:.0e}; values differ by {abs(solved.value - theirs):.0e}"
    return Row(ours.partition("(")[0], mine, "s", "OpenSpiel sequence_form_lp", peer, goal, note=note)


@entry("core-openspiel")
def openspiel() -> Iterator[Row]:
    """Go from rules to certificate (OpenSpiel has none), with OpenSpiel's own game object and with our rules."""
    goofspiel = "goofspiel(num_cards=5,imp_info=True,points_order=descending,returns_type=win_loss)"
    for spec, builtin, goal in (
        ("leduc_poker", "leduc", 3),
        (f"turn_based_simultaneous_game(game={goofspiel})", "goofspiel:cards=5", 8),
    ):
        yield _versus_openspiel(spec, f"openspiel:{spec}", goal)
        yield _versus_openspiel(spec, builtin, goal)


# Each runs in a process of its own, so that peak memory is its alone. Imports and compilation come before the clock.
_OURS = """
import time, json, equiform
from benchmarks.registry import own_peak_memory
equiform.solve("kuhn")
base = own_peak_memory()
started = time.perf_counter()
solved = equiform.solve({spec!r}{extra})
print(json.dumps([time.perf_counter() - started, own_peak_memory(), solved.certificate.nash_conv,
                  dict(solved.seconds), solved.result.algorithm, [t.num_sequences for t in solved.game.treeplexes],
                  base]))
"""

_BARE = """
import time, json, numpy as np, scipy.sparse as sp, highspy
from benchmarks.registry import own_peak_memory
base = own_peak_memory()
a = np.load({path!r})
matrix = sp.csr_array((a["data"], a["indices"], a["indptr"]), shape=tuple(a["shape"]))
started = time.perf_counter()
lp = highspy.HighsLp()
lp.num_row_, lp.num_col_ = matrix.shape
lp.col_cost_, lp.col_lower_, lp.col_upper_ = a["c"], a["lower"], a["upper"]
lp.row_lower_, lp.row_upper_ = a["row_lower"], a["row_upper"]
lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
h = highspy.Highs()
h.setOptionValue("output_flag", False)
h.setOptionValue("solver", {solver!r})
h.passModel(lp)
h.run()
print(json.dumps([time.perf_counter() - started, own_peak_memory(), base]))
"""


def _run(code: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    answer: list[float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _save_program(spec: str, path: str) -> None:
    import numpy as np

    from equiform.formulations.optimization.compiling.compiler import compile_model

    program = compile_model(sequence_form_lp.build(equiform.as_sequence_form(equiform.load_game(spec))))
    np.savez(
        path,
        data=program.A.data,
        indices=program.A.indices,
        indptr=program.A.indptr,
        shape=np.array(program.A.shape),
        c=program.c,
        lower=program.col_lower,
        upper=program.col_upper,
        row_lower=program.row_lower,
        row_upper=program.row_upper,
    )


@entry("core-liars-dice")
def liars_dice() -> Iterator[Row]:
    """Solve one-die liar's dice from rules to certificate, compared with a bare HiGHS call on the finished arrays."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/lp.npz"
        _save_program("liars-dice", path)
        ours = _run(_OURS.format(spec="liars-dice", extra=""))
        solver = "simplex" if str(ours[4]).startswith("simplex") else "ipm"
        bare = _run(_BARE.format(path=path, solver=solver))
    note = f"nash_conv {ours[2]:.0e}, {ours[4]}; goal 0.5 means within twice the bare call"
    yield Row("liar's dice, rules to certificate", ours[0], "s", f"bare HiGHS {solver}", bare[0], 0.5, note=note)
    note = f"whole process: {ours[1]:.2f} GB, of which imports {ours[6]:.2f}; bare {bare[1]:.2f}, {bare[2]:.2f}"
    extra = (ours[1] - ours[6], bare[1] - bare[2])
    yield Row("liar's dice, peak memory above imports", extra[0], "GB", "bare HiGHS", extra[1], 0.5, note=note)


@entry("core-pyomo-overhead")
def pyomo_overhead() -> Iterator[Row]:
    """Pass one-card poker with 500 cards (1.25 million nonzeros) through Pyomo, compared with the solver's own time."""
    form = equiform.as_sequence_form(equiform.load_game("one-card:cards=500"))
    sequence_form_lp.solve(equiform.as_sequence_form(equiform.load_game("kuhn")))
    result = sequence_form_lp.solve(form)
    phases = result.seconds
    ours = phases["build"] + phases["compile"] + phases["load"]
    nonzeros = result.solution.program.A.nnz
    note = ", ".join(f"{k} {v:.3f} s" for k, v in phases.items())
    yield Row(f"build + compile + load, {nonzeros:,} nonzeros", ours, "s", "HiGHS", phases["solve"], 2, note=note)


@entry("core-no-limit-leduc", slow=True)
def no_limit_leduc() -> Iterator[Row]:
    """Solve no-limit Leduc with stack 12 from rules to certificate."""
    started = time.perf_counter()
    ours = _run(_OURS.format(spec="leduc-nl:stack=12", extra=""))
    note = f"peak {ours[1]:.2f} GB, sequences {ours[5]}, nash_conv {ours[2]:.0e}, {ours[4]}, {ours[3]}"
    yield Row("no-limit Leduc, stack 12", ours[0], "s", note=note)
    yield Row("… with interpreter, imports and compilation", time.perf_counter() - started, "s")
