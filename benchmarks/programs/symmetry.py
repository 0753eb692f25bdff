"""Programs with equivalent rows merged: every concept with and without merging, and games that have no symmetry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import equiform
from benchmarks.registry import Row, entry, side_by_side
from equiform.formulations.opponents import gifts, safe_response
from equiform.formulations.optimization.backends import solve_program
from equiform.formulations.optimization.backends.symmetry import quotient
from equiform.formulations.optimization.compiling.compiler import compile_model
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.zero_sum import dominance, quasi_perfect, sequence_form_lp, undominated
from equiform.models.common.array_types import FloatArray
from equiform.models.sequence_form import SequenceForm

_ALIKE = {
    "Leduc by card": "openspiel:leduc_poker",
    "Battleship 2×2": "openspiel:battleship(board_height=2,board_width=2,ship_sizes=[1],ship_values=[1],num_shots=2)",
    "Blotto, 10 on 4 fields": "openspiel:blotto(coins=10,fields=4)",
}
_NOTHING_ALIKE = {
    "Leduc by rank": "leduc",
    "goofspiel, 5 cards": "goofspiel:cards=5",
    "5-sided liar's dice": "liars-dice:sides=5",
}


def _uniform(form: SequenceForm, player: int) -> FloatArray:
    treeplex = form.treeplexes[player]
    return treeplex.realization(treeplex.uniform())


def _perturbed(form: SequenceForm, algorithm: str | None) -> object:
    largest = min(quasi_perfect.largest_epsilon(t) for t in form.treeplexes)
    return quasi_perfect.solve(form, largest / 5, solver=SolverOptions(algorithm=algorithm))


# An algorithm of that name solves the program as it is; None merges first, and is simplex too at these sizes.
_Concept = Callable[[SequenceForm, str | None], object]
_CONCEPTS: dict[str, _Concept] = {
    "nash": lambda form, algorithm: sequence_form_lp.solve(form, solver=SolverOptions(algorithm=algorithm)),
    "une": lambda form, algorithm: undominated.solve(form, solver=SolverOptions(algorithm=algorithm)),
    "qpe": _perturbed,
    "dominance": lambda form, algorithm: dominance.solve(
        form, _uniform(form, 0), solver=SolverOptions(algorithm=algorithm)
    ),
    "safe response": lambda form, algorithm: safe_response.solve(
        form, _uniform(form, 1), epsilon=0.05, solver=SolverOptions(algorithm=algorithm)
    ),
    "gifts exist": lambda form, algorithm: gifts.exist(form, solver=SolverOptions(algorithm=algorithm)),
}


@entry("symmetry")
def merged() -> Iterator[Row]:
    """Go from the sequence form to strategies, and measure the cost of a search that finds nothing."""
    for title, spec in _ALIKE.items():
        form = equiform.as_sequence_form(equiform.load_game(spec))
        program = compile_model(sequence_form_lp.build(form))
        small = quotient(program)
        note = f"{program.shape[0]:,} rows" + ("" if small is None else f", {small.program.shape[0]:,} merged")
        for name, solve in _CONCEPTS.items():
            ours, peer = side_by_side(partial(solve, form, None), partial(solve, form, "simplex"), repeat=9)
            yield Row(f"{title}, {name}", 1000 * ours, "ms", "simplex, nothing merged", 1000 * peer, 2.0, note=note)
    for title, spec in _NOTHING_ALIKE.items():
        program = compile_model(sequence_form_lp.build(equiform.as_sequence_form(equiform.load_game(spec))))
        search, solved = side_by_side(
            partial(quotient, program), partial(solve_program, program, symmetry=False), repeat=9
        )
        note = f"{program.shape[0]:,} rows, none merged"
        yield Row(
            f"{title}, search for nothing", 1000 * search, "ms", "HiGHS solves it", 1000 * solved, 10.0, note=note
        )
