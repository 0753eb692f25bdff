"""Public games: a public tree times private hands, as in poker.

:class:`~equiform.models.public.game.PublicGame` joins a :class:`~equiform.models.public.betting.BettingTree` and the
:class:`~equiform.models.public.boards.Boards` that chance may deal.
"""

from equiform.models.public.betting import BettingTree
from equiform.models.public.boards import Boards, HandTable
from equiform.models.public.dealing import CardRules, deal_boards
from equiform.models.public.game import PublicGame
from equiform.models.public.strategy import PublicStrategy

__all__ = ["BettingTree", "Boards", "CardRules", "HandTable", "PublicGame", "PublicStrategy", "deal_boards"]
