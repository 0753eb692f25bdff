r"""Play an abstract strategy in the full game, and measure what that costs (Ganzfried 2015, §7.8).

:class:`TranslationProblem` holds a full game, an abstraction of its bets and the side-by-side walk of one player. From
it: the real strategy under any mapping, its exploitability by a best response on the full tree, the best translation by
linear programming, and how much of the exploitability is the choice among abstract equilibria.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from equiform.abstraction.actions.action_abstraction import AbstractRules, BetFilter
from equiform.abstraction.actions.public_tree import BettingView
from equiform.abstraction.actions.translation import TranslationMapping
from equiform.abstraction.actions.translation_tree import (
    AfterZero,
    TranslationTree,
    require_after_zero,
    translation_tree,
)
from equiform.formulations.abstraction import least_exploitable, optimal_translation
from equiform.formulations.abstraction.optimal_translation import OptimalTranslation
from equiform.formulations.blocks import plan_values
from equiform.formulations.opponents import safe_response
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.result import Result
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.common.arguments import require_count, require_kind, require_player, require_seed
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import StrategyError
from equiform.models.compile import compile_rules
from equiform.models.evaluation import best_response
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import Rules
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.models.strategy import Strategy

#: A mapping (ties up), or a behavioural strategy of the translator.
Translation = TranslationMapping | FloatArray

_SLACK = 1e-10  # the value of the abstract game is known to a solver's rounding only
_GAIN = 1e-9  # a climb that gains less has arrived


@dataclass(frozen=True)
class Attainable:
    """Exploitabilities that abstract equilibria attain: all from ``low`` to ``high``."""

    low: float
    high: float

    def contains(self, value: float, *, tolerance: float = 1e-9) -> bool:
        """Return whether some abstract equilibrium attains this value."""
        return self.low - tolerance <= value <= self.high + tolerance


@dataclass(frozen=True, eq=False)
class TranslationProblem:
    """One player of a full game who thinks in an abstraction."""

    full: ExtensiveGame = field(repr=False)
    abstract: ExtensiveGame = field(repr=False)
    rules: AbstractRules = field(repr=False)
    player: int
    after_zero: AfterZero = AfterZero.CALL

    @cached_property
    def tree(self) -> TranslationTree:
        """The real and the perceived betting, side by side."""
        return translation_tree(
            self.full.treeplexes[self.player],
            self.abstract.treeplexes[self.player],
            self.rules.full_view,
            self.rules.view,
            self.player,
            after_zero=self.after_zero,
        )

    @cached_property
    def full_form(self) -> SequenceForm:
        """The full game's sequence form."""
        return sequence_form(self.full)

    @cached_property
    def abstract_form(self) -> SequenceForm:
        """The abstract game's sequence form."""
        return sequence_form(self.abstract)

    @cached_property
    def value(self) -> float:
        """The full game's value for player 1."""
        return sequence_form_lp.solve(self.full_form).require_optimal().value

    @cached_property
    def abstract_result(self) -> Result:
        """The abstract equilibrium that the default solver returns."""
        return sequence_form_lp.solve(self.abstract_form).require_optimal()

    @property
    def equilibrium(self) -> Strategy:
        """The player's own strategy in it."""
        strategy = self.abstract_result.strategies[self.player]
        if strategy is None:  # pragma: no cover - the program gives both
            raise StrategyError("the abstract game has no strategy for this player", where=f"player {self.player + 1}")
        return strategy

    @property
    def own_value(self) -> float:
        """The full game's value for the player."""
        return self.value if self.player == 0 else -self.value

    def readings(self, translation: Translation) -> FloatArray:
        """Return the translator's behavioural strategy."""
        if isinstance(translation, TranslationMapping):
            return self.tree.probabilities(translation)
        translator = self.tree.translator
        shape = (translator.num_sequences,)
        vector = require_numbers(translation, "translations", "a mapping, or one number per reading", shape=shape)
        translator.check_behavior(vector, tolerance=1e-6)
        return vector

    def strategy(self, translation: Translation, abstract: Strategy | None = None) -> Strategy:
        """Return the real strategy of an abstract one (the default equilibrium) under a translation."""
        chosen = self.equilibrium if abstract is None else require_kind(abstract, Strategy, "abstract", self.full.name)
        return Strategy(self.tree.full, self.tree.behavior(chosen.floats, self.readings(translation)))

    def exploitability(self, strategy: Strategy) -> float:
        """Return a real strategy's distance from the value against a best response, found on the full tree."""
        require_kind(strategy, Strategy, "strategy", self.full.name)
        self.full.treeplexes[self.player].check_behavior(strategy.floats, tolerance=1e-6)
        behaviors = [t.uniform() for t in self.full.treeplexes]  # the responder's own entry is not read
        behaviors[self.player] = strategy.floats
        return self.own_value + best_response(self.full, behaviors, 1 - self.player).value

    def best_translation(self, abstract: Strategy | None = None, *, algorithm: str | None = None) -> OptimalTranslation:
        """Find the translation with the lowest exploitability."""
        chosen = self.equilibrium if abstract is None else require_kind(abstract, Strategy, "abstract", self.full.name)
        matrix = self.tree.realised(chosen.floats)
        return optimal_translation.solve(
            self.full_form, matrix, self.tree.translator, player=self.player, solver=SolverOptions(algorithm=algorithm)
        )

    # -- the choice among abstract equilibria ---------------------------------------------------------------------

    def lowest(self, translation: Translation, *, algorithm: str | None = None) -> float:
        """Return the lowest exploitability over all abstract equilibria: a linear program."""
        least = least_exploitable.solve(
            self.full_form,
            self.abstract_form,
            self.image(translation),
            abstract_value=self.abstract_result.value,
            player=self.player,
            solver=SolverOptions(algorithm=algorithm),
        )
        return least.exploitability(self.value)

    def highest(self, translation: Translation, *, starts: int = 4, seed: int = 0) -> float:
        """Return the highest exploitability found over abstract equilibria.

        It is the maximum of a convex function over a polytope. Alternating between the worst equilibrium against a
        plan of the opponent and the best plan against that equilibrium climbs to a local maximum, from the default
        equilibrium and from random plans; a higher one is possible.
        """
        return self.worst_equilibrium(translation, starts=starts, seed=seed)[0]

    def worst_equilibrium(
        self, translation: Translation, *, starts: int = 4, seed: int = 0
    ) -> tuple[float, FloatArray]:
        """Return what :meth:`highest` does, and the abstract plan that attains it."""
        require_count(starts, "starts", "climb to the worst equilibrium", most=10_000)
        require_seed(seed, "climb to the worst equilibrium")
        image = self.image(translation)
        opponent = self.full_form.treeplexes[1 - self.player]
        plan = image @ self.tree.abstract.realization(self.equilibrium.floats)
        replies = [self.full_form.best_response(1 - self.player, plan).plan]
        rng = np.random.default_rng(seed)
        for _ in range(starts - 1):
            replies.append(opponent.best_response(rng.standard_normal(opponent.num_sequences)).plan)
        return max((self._climb(image, reply) for reply in replies), key=lambda end: end[0])

    def attainable(
        self, translation: Translation, *, starts: int = 4, seed: int = 0, algorithm: str | None = None
    ) -> Attainable:
        """Return a range of exploitabilities that abstract equilibria attain.

        The equilibria are a convex set and exploitability is continuous, so that *every* number between the lowest and
        the highest found is attained by one.
        """
        require_count(starts, "starts", "climb to the worst equilibrium", most=10_000)
        require_seed(seed, "climb to the worst equilibrium")
        low = self.lowest(translation, algorithm=algorithm)
        return Attainable(low, max(low, self.highest(translation, starts=starts, seed=seed)))

    def image(self, translation: Translation) -> sp.csr_array:
        """Return the matrix from abstract plans to real ones under a translation."""
        return self.tree.plan_map(self.tree.translator.realization(self.readings(translation)))

    def _climb(self, image: sp.csr_array, against: FloatArray) -> tuple[float, FloatArray]:
        value = self.abstract_result.value
        floor = (value if self.player == 0 else -value) - _SLACK
        highest, plan = -np.inf, np.empty(0)
        while True:
            gradient = image.T @ self.full_form.gradient(self.player, against)
            model = safe_response.build(self.abstract_form, -gradient, floor=floor, player=self.player)
            found = solve_model(model, symmetry=False)  # a vertex: what is convex is nowhere higher at an average
            worst = plan_values(found.require_optimal(), model.plan)
            reply = self.full_form.best_response(1 - self.player, image @ worst)
            if self.own_value + reply.value <= highest + _GAIN:
                return float(highest), plan
            highest, plan, against = self.own_value + reply.value, worst, reply.plan


def translation_problem(
    rules: Rules,
    keep: BetFilter,
    player: int,
    *,
    after_zero: AfterZero = AfterZero.CALL,
    full: ExtensiveGame | None = None,
    view: BettingView | None = None,
) -> TranslationProblem:
    """Compile a game and its abstraction for one player.

    Parameters
    ----------
    rules
        A betting game.
    keep
        The bets that the abstraction keeps.
    player
        Who thinks in the abstraction, 0 or 1.
    after_zero
        What the player does at a bet that was read as a check.
    full, view
        The compiled game and its betting, if they are known already.

    Examples
    --------
    >>> from equiform.abstraction.actions.action_abstraction import pot_fractions
    >>> from equiform.abstraction.actions.translation import by_name
    >>> from equiform.games.poker.kuhn_nl import KuhnNoLimit
    >>> problem = translation_problem(KuhnNoLimit(stack=5), pot_fractions(1), 1)
    >>> round(problem.exploitability(problem.strategy(by_name("Rand-psHar"))), 3)
    0.029
    """
    calling = require_after_zero(after_zero)
    abstract_rules = AbstractRules(rules, keep, view=view)
    require_player(player, len(rules.players), rules.name)
    game = compile_rules(rules) if full is None else require_kind(full, ExtensiveGame, "full", rules.name)
    return TranslationProblem(game, compile_rules(abstract_rules), abstract_rules, player, calling)
