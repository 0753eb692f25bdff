"""Names of card ranks for decks of any size."""

from __future__ import annotations

_STANDARD = ("2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A")


def rank_names(count: int) -> tuple[str, ...]:
    """Name the ranks of a deck, lowest first: J Q K for three, 2 … A for thirteen, numbers beyond.

    >>> rank_names(3), rank_names(13)[-2:], rank_names(20)[-1]
    (('J', 'Q', 'K'), ('K', 'A'), '20')
    """
    if count <= 3:
        return ("J", "Q", "K")[3 - count :] if count < 3 else ("J", "Q", "K")
    if count <= 13:
        return _STANDARD[13 - count :]
    return tuple(str(k) for k in range(1, count + 1))
