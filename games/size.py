"""A check that refuses trees too large for memory before they are walked."""

from __future__ import annotations

from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import short_text

MOST_NODES = 20_000_000


def require_size(nodes: int, where: str) -> None:
    """Refuse a game whose tree would have too many nodes."""
    if nodes > MOST_NODES:
        raise ParameterError(
            f"the tree would have about {short_text(nodes)} nodes",
            where=where,
            fix=f"choose parameters that give at most {MOST_NODES:,}",
        )
