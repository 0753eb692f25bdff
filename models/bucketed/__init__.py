"""Bucketed games: a betting tree times buckets of hands, what card abstraction makes of poker.

:class:`~equiform.models.bucketed.deals.BucketDeals` says how often chance deals each pair of buckets,
:class:`~equiform.models.bucketed.game.BucketedGame` joins that to a
:class:`~equiform.models.public.betting.BettingTree` and to the payoffs of its leaves.
"""

from equiform.models.bucketed.deals import BucketDeals, deals_from_paths
from equiform.models.bucketed.expansion import expand_buckets
from equiform.models.bucketed.game import BucketedGame
from equiform.models.bucketed.leaves import LeafPayoffs, showdown_leaves
from equiform.models.bucketed.strategy import BucketStrategy
from equiform.models.bucketed.truncation import continued, strategy_leaves, truncated_deals

__all__ = [
    "BucketDeals",
    "BucketStrategy",
    "BucketedGame",
    "LeafPayoffs",
    "continued",
    "deals_from_paths",
    "expand_buckets",
    "showdown_leaves",
    "strategy_leaves",
    "truncated_deals",
]
