r"""Kuhn poker: all equilibria of player 1 as a family in α, and the value −1/18 (Kuhn 1950; Ganzfried 2015, §13.7).

Never calling with a Jack and never folding a King are dominant, and so are betting a King after a check and checking a
Queen there. Six probabilities remain. A player who mixes is indifferent, and the five equations leave one parameter,
the probability α with which player 1 bets a Jack.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
import sympy

from equiform.formulations.zero_sum import selection
from equiform.games.poker.kuhn import Kuhn
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.validation.closed_forms.base import Claim, ClosedForm, Comparison, Derivation, Parameters, Scope, truth
from equiform.validation.closed_forms.proofs import Domain, equilibrium_claims, gradient, plan
from equiform.validation.closed_forms.strategies import evaluate_behaviors, symbolic_behavior
from equiform.validation.exact.equilibrium import exact_equilibrium

ALPHA = sympy.Symbol("alpha", nonnegative=True)
_J, _Q, _K = 0, 1, 2
_ROUNDING = 1e-6


class KuhnFamily(ClosedForm):
    """Kuhn's family of equilibria."""

    name = "kuhn"
    title = "Kuhn poker: every equilibrium"
    source = "H. Kuhn 1950; thesis §13.7"
    scope = Scope("0 ≤ alpha ≤ 1/3", lambda alpha: 0 <= alpha <= Fraction(1, 3))

    @cached_property
    def game(self) -> ExtensiveGame:
        """The game."""
        return compile_rules(Kuhn())

    @cached_property
    def form(self) -> SequenceForm:
        """Its sequence form."""
        return sequence_form(self.game)

    @cached_property
    def _exact(self) -> Fraction:
        return exact_equilibrium(self.game).value

    def behaviors(self, d: dict[str, sympy.Expr]) -> tuple[list[sympy.Expr], list[sympy.Expr]]:
        """Return both players' behavioural strategies from the formulas."""
        bets = {_J: d["bet J"], _Q: 0, _K: d["bet K"]}
        calls = {_J: 0, _Q: d["call Q"], _K: 1}
        answer_bets = {_J: d["bluff J"], _Q: 0, _K: 1}
        answer_calls = {_J: 0, _Q: d["call bet Q"], _K: 1}
        table = {"": bets, "cb": calls, "c": answer_bets, "b": answer_calls}
        first, second = self.form.treeplexes
        return (
            symbolic_behavior(first, lambda key: (1 - table[key[1]][key[0]], table[key[1]][key[0]])),
            symbolic_behavior(second, lambda key: (1 - table[key[1]][key[0]], table[key[1]][key[0]])),
        )

    def _derive(self) -> Derivation:
        names = ("bet J", "bet K", "call Q", "bluff J", "call bet Q")
        unknown = dict(zip(names, sympy.symbols("b_J b_K c_Q d_J k_Q"), strict=True))
        behaviors = self.behaviors(unknown)
        equations = []
        for player, infosets in ((0, ((_J, ""), (_K, ""), (_Q, "cb"))), (1, ((_J, "c"), (_Q, "b")))):
            treeplex = self.form.treeplexes[player]
            other = plan(self.form.treeplexes[1 - player], behaviors[1 - player])
            worth = gradient(self.form, player, other)
            # what follows a check of player 1 is decided by dominance, or at the information set itself
            for h in range(treeplex.num_infosets - 1, -1, -1):
                own = range(int(treeplex.start[h]), int(treeplex.start[h + 1]))
                worth[int(treeplex.parent[h])] += sum(behaviors[player][s] * worth[s] for s in own)
                if treeplex.infosets[h] in infosets:
                    equations.append(sympy.Eq(sympy.expand(worth[own[0]] - worth[own[1]]), 0))
        solutions = sympy.solve([*equations, unknown["bet J"] - ALPHA], list(unknown.values()), dict=True)
        formulas = {name: sympy.simplify(solutions[0][symbol]) for name, symbol in unknown.items()}
        plans = [plan(t, b) for t, b in zip(self.form.treeplexes, self.behaviors(formulas), strict=True)]
        earned = gradient(self.form, 0, plans[1])
        formulas["value"] = sympy.simplify(sum(e * x for e, x in zip(earned, plans[0], strict=True)))
        # α ranges as far as every formula stays a probability
        formulas["largest alpha"] = min(sympy.solve(f - 1, ALPHA)[0] for f in formulas.values() if f.has(ALPHA))
        return Derivation(tuple(equations), formulas)

    def _prove(self, d: Derivation) -> Sequence[Claim]:
        domain = Domain.interval(ALPHA, 0, d["largest alpha"])
        return list(equilibrium_claims(self.form, self.behaviors(dict(d.formulas)), d["value"], domain))

    def grid(self) -> Sequence[Parameters]:
        """Take α from 0 to 1/3."""
        return [{"alpha": Fraction(k, 63)} for k in range(22)]

    def _compare(self, d: Derivation, **parameters: Fraction) -> Sequence[Comparison]:
        at = {name: sympy.Rational(d.at(name, **parameters)) for name in d.formulas}
        evaluation = evaluate_behaviors(self.game, self.behaviors(at))
        comparisons = [
            Comparison("the value", d.at("value", **parameters), self._exact),
            Comparison("nash_conv of the formulas' profile", Fraction(0), evaluation.nash_conv),
        ]
        complete = [Comparison(what, truth(True), truth(holds)) for what, holds in self._completeness(d)]
        return [*comparisons, *complete]

    def _completeness(self, d: Derivation) -> list[tuple[str, bool]]:
        """Compare the family with *all* equilibria of player 1: linear functionals that it fixes or bounds.

        Each is minimised and maximised over the equilibrium plans by linear programs in floats.
        """
        treeplex = self.form.treeplexes[0]
        x = {key: int(treeplex.start[h]) + 1 for h, key in enumerate(treeplex.infosets)}
        slope = {name: sympy.diff(d[name], ALPHA) for name in ("bet K", "call Q")}
        start = {name: d[name].subs(ALPHA, 0) for name in slope}
        functionals = {  # weights of sequences, and the ends that the family says
            "α": ({(_J, ""): 1}, (0, d["largest alpha"])),
            "bet Q": ({(_Q, ""): 1}, (0, 0)),
            "bet K by α": ({(_K, ""): 1, (_J, ""): -slope["bet K"]}, (start["bet K"],) * 2),
            "call Q by α": ({(_Q, "cb"): 1, (_J, ""): -slope["call Q"]}, (start["call Q"],) * 2),
        }
        found = []
        for name, (weights, ends) in functionals.items():
            vector = np.zeros(treeplex.num_sequences)
            for key, weight in weights.items():
                vector[x[key]] = float(weight)
            interval = selection.solve_functional(self.form, vector, value=float(self._exact)).interval
            same = all(abs(float(e) - i) < _ROUNDING for e, i in zip(ends, interval, strict=True))
            found.append((f"all equilibria agree with the family on {name}", same))
        return found
