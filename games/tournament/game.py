"""A tournament as a stochastic game: states are stacks, stages are jam-or-fold hands, seats move after each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from equiform.games.tournament.deals import Deals, holdem_deals
from equiform.games.tournament.histories import JAM, OUTCOMES, JamOutcome
from equiform.games.tournament.jam_fold import JamFoldStages
from equiform.games.tournament.settlement import settle
from equiform.games.tournament.structure import NEXT_SEAT, Tournament
from equiform.models.common.array_types import BoolArray
from equiform.models.common.errors import ParameterError
from equiform.models.stochastic import Outcomes, StochasticGame


def jam_fold_tournament(tournament: Tournament, deals: Deals | None = None) -> StochasticGame:
    """Build the jam-or-fold game of a tournament; without ``deals``, with the cards of Texas hold'em."""
    cards = holdem_deals(tournament.players) if deals is None else deals
    if cards.players != tournament.players:
        raise ParameterError(
            f"deals for {cards.players} players", where=f"tournament of {tournament.players}", fix="deal to all players"
        )
    states = tournament.states()
    return StochasticGame(
        name=f"{tournament.players}-player tournament, {tournament.chips:,} chips, "
        f"{tournament.small_blind:,}/{tournament.big_blind:,}",
        seats=tournament.seats,
        states=tuple(",".join(str(int(u) * tournament.unit) for u in row) for row in states),
        stages=JamFoldStages(cards, forced_all_in(tournament)),
        outcomes=tournament_outcomes(tournament),
    )


def cash_hand(tournament: Tournament, stacks: Sequence[int], deals: Deals) -> StochasticGame:
    """Build one jam-or-fold hand that is played for chips: a stochastic game of a single state that ends at once."""
    units = tournament.states()[tournament.state_index(stacks)].tolist()
    posted = tournament.posted(units)
    chips = []
    for line in OUTCOMES[tournament.players]:
        bets = _bets(units, posted, line)
        settled = settle(units, bets, line.places, odd_chip=tournament.odd_chip)
        mean = sum(float(chance) * np.array(after) for chance, after in settled)
        chips.append((mean - np.array(units)) * tournament.unit)
    first = np.array([0, len(chips)])
    nowhere = sp.csr_array((len(chips) * tournament.players, tournament.players))
    stages = JamFoldStages(deals, np.array([[p >= s for p, s in zip(posted, units, strict=True)]]))
    name = ",".join(map(str, stacks))
    return StochasticGame(
        f"hand at {name}", tournament.seats, (name,), stages, Outcomes(first, np.array(chips), nowhere)
    )


def _bets(stacks: Sequence[int], posted: Sequence[int], line: JamOutcome) -> list[int]:
    return [stack if a == JAM else put for stack, put, a in zip(stacks, posted, line.actions, strict=True)]


def forced_all_in(tournament: Tournament) -> BoolArray:
    """Mark the seats whose blinds and antes take the whole stack, ``[state, seat]``."""
    states = tournament.states()
    return np.array([tournament.posted(s) for s in states.tolist()]) >= states


def tournament_outcomes(tournament: Tournament) -> Outcomes:
    """Settle every outcome in every state: prizes where the tournament ends, else the next stacks."""
    states, seats, moves = tournament.states(), tournament.players, NEXT_SEAT[tournament.players]
    lines = OUTCOMES[seats]
    rewards = np.zeros((len(states) * len(lines), seats))
    rows: list[int] = []
    columns: list[int] = []
    chances: list[float] = []
    for s, stacks in enumerate(states.tolist()):
        posted = tournament.posted(stacks)
        for k, line in enumerate(lines):
            outcome = s * len(lines) + k
            bets = _bets(stacks, posted, line)
            for chance, after in settle(stacks, bets, line.places, odd_chip=tournament.odd_chip):
                prizes = tournament.prizes_at_the_end(stacks, after, line.places)
                if prizes is not None:
                    rewards[outcome] += float(chance) * np.array(prizes)
                    continue
                moved = np.empty(seats, dtype=np.int64)
                moved[list(moves)] = after
                successor = int(tournament.index_of_units(moved))
                rows.extend(outcome * seats + i for i in range(seats))
                columns.extend(successor * seats + moves[i] for i in range(seats))
                chances.extend([float(chance)] * seats)
    shape = (len(rewards) * seats, len(states) * seats)
    return Outcomes(
        first=np.arange(len(states) + 1) * len(lines),
        rewards=rewards,
        successors=sp.csr_array((chances, (rows, columns)), shape=shape),
    )
