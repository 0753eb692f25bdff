r"""Which bet should the abstraction contain? The size with the lowest exploitability under a mapping.

Ganzfried (2015), §7.8.2 and Table 7.5: with one bet size beyond all-in, the size that makes player 2 of no-limit Kuhn
poker least exploitable is rarely the 0.4 pots that player 1 bets in equilibrium. Which size that is depends on the
abstract equilibrium too. :meth:`BetSizes.best` judges every size by its *least exploitable* abstract equilibrium, which
no solver's vertex decides; :meth:`BetSizes.can_be_best` says whether *some* choice of equilibria makes a size the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from equiform.abstraction.actions.action_abstraction import pot_fractions
from equiform.abstraction.actions.public_tree import BettingView, betting_view
from equiform.abstraction.actions.translated_strategy import TranslationProblem, translation_problem
from equiform.abstraction.actions.translation import MAPPINGS, Ties, TranslationMapping, require_ties
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.poker.single_bet import SingleBet
from equiform.models.common.arguments import require_all, require_count, require_kind, require_player, require_sequence
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import as_fraction
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.models.sequence_form import SequenceForm, sequence_form

#: How a deterministic mapping reads the bet at its median.
TIES = (Ties.UPPER, Ties.LOWER)
_TIE = 1e-9  # sizes that are equally good up to rounding; the smallest is reported, as in the thesis


@dataclass(frozen=True, eq=False)
class BetSizes:
    """One player of a game under each of the abstractions {fold, check, call, one size, all-in}."""

    rules: SingleBet
    player: int
    sizes: tuple[Fraction, ...]
    mappings: tuple[TranslationMapping, ...]
    lowest: FloatArray = field(repr=False)
    """By size, mapping and tie rule (:data:`TIES`): the lowest exploitability over the abstract equilibria."""
    worst_tie: FloatArray = field(repr=False)
    """By size and mapping, with the solver's abstract equilibrium and ties broken for the worse."""
    full: ExtensiveGame = field(repr=False)
    form: SequenceForm = field(repr=False)
    value: float

    @cached_property
    def _view(self) -> BettingView:
        return betting_view(self.rules)

    def best(self, mapping: TranslationMapping, *, ties: Ties = Ties.UPPER) -> Fraction:
        """Return the size with the lowest exploitability, the smallest of equally good ones."""
        column = self.lowest[:, self._place(mapping), TIES.index(require_ties(ties))]
        return self.sizes[int(np.flatnonzero(column <= column.min() + _TIE)[0])]

    def _place(self, mapping: TranslationMapping) -> int:
        """Return where a mapping's column is."""
        require_kind(mapping, TranslationMapping, "mapping", self.rules.name)
        if mapping not in self.mappings:
            raise ParameterError(
                f"{mapping.name} is not among the mappings", where=self.rules.name, fix="use one of `mappings`"
            )
        return self.mappings.index(mapping)

    def problem(self, size: Fraction) -> TranslationProblem:
        """Return the player's problem under the abstraction with this size."""
        return _problem(self.rules, self.player, size, self.full, self.form, self.value, self._view)

    def can_be_best(self, mapping: TranslationMapping, size: Fraction, *, starts: int = 3) -> bool:
        """Say whether some choice of abstract equilibria, and of ties, makes a size the best one.

        The size must reach its lowest exploitability, and every other size can be made at least as bad. The bad ends
        are found by a local search, so that ``True`` is certain and ``False`` is not.
        """
        if as_fraction(size) not in self.sizes:
            raise ParameterError(f"{size} is not among the sizes", where=self.rules.name, fix="use one of `sizes`")
        place = self._place(mapping)
        require_count(starts, "starts", self.rules.name, most=10_000)
        chosen = self.problem(size)
        lowest = min(chosen.lowest(v) for v in chosen.tree.tie_variants(mapping))
        # a smaller size must be strictly worse, a larger one at least as bad
        level = np.array([lowest + _TIE if other < size else lowest - _TIE for other in self.sizes])
        better = self.worst_tie[:, place] < level
        for k in np.flatnonzero(better).tolist():
            if self.sizes[k] != size:
                problem = self.problem(self.sizes[k])
                if all(problem.highest(v, starts=starts) < level[k] for v in problem.tree.tie_variants(mapping)):
                    return False
        return True


def bet_sizes(
    rules: SingleBet,
    player: int = 1,
    *,
    mappings: tuple[TranslationMapping, ...] = MAPPINGS,
    sizes: Sequence[Fraction] | None = None,
) -> BetSizes:
    """Measure every abstraction with one bet under the mappings.

    Parameters
    ----------
    rules
        A game of one bet and one answer.
    player
        Who thinks in the abstraction, 0 or 1.
    mappings
        How bets outside the abstraction are read; all seven by default.
    sizes
        The bets to try, in pots; all of the game's own by default.

    Examples
    --------
    >>> from equiform.abstraction.actions.translation import by_name
    >>> from equiform.games.poker.kuhn_nl import KuhnNoLimit
    >>> print(bet_sizes(KuhnNoLimit(stack=3)).best(by_name("Rand-psHar")))
    2/5
    """
    require_kind(rules, SingleBet, "rules", "bet sizes")
    require_player(player, len(rules.players), rules.name)
    if not require_all(mappings, TranslationMapping, "mappings", rules.name):
        raise ParameterError("there is no mapping", where=rules.name, fix="pass at least one")
    given = rules.bets.values() if sizes is None else require_sequence(sizes, "sizes", rules.name)
    candidates = tuple(as_fraction(size) for size in given)
    for size in candidates:
        pot_fractions(size)  # refuses anything that is not a bet
    if not candidates:
        raise ParameterError("there is no bet to choose", where=rules.name, fix="use a stack of at least one step")
    full = compile_rules(rules)
    form = sequence_form(full)
    value = sequence_form_lp.solve(form).require_optimal().value
    view = betting_view(rules)
    lowest = np.empty((len(candidates), len(mappings), len(TIES)))
    worst = np.empty(lowest.shape[:2])
    for k, size in enumerate(candidates):
        problem = _problem(rules, player, size, full, form, value, view)
        matrix = problem.tree.realised(problem.equilibrium.floats)
        for j, mapping in enumerate(mappings):
            plans = [matrix @ problem.tree.translator.realization(v) for v in problem.tree.tie_variants(mapping)]
            worst[k, j] = max(problem.own_value + form.best_response(1 - player, plan).value for plan in plans)
            readings = [problem.tree.probabilities(mapping, ties=ties) for ties in TIES]
            lowest[k, j] = problem.lowest(readings[0])
            if (readings[0] != readings[1]).any():
                lowest[k, j, 1] = problem.lowest(readings[1])
    return BetSizes(rules, player, candidates, tuple(mappings), lowest, worst, full, form, value)


def _problem(
    rules: SingleBet,
    player: int,
    size: Fraction,
    full: ExtensiveGame,
    form: SequenceForm,
    value: float,
    view: BettingView,
) -> TranslationProblem:
    """Build one abstraction's problem; the full game, its form and its value are one and the same for all."""
    problem = translation_problem(rules, pot_fractions(size), player, full=full, view=view)
    problem.__dict__.update(full_form=form, value=value)  # fills cached properties
    return problem
