"""Numbers in pictures and small tables."""

from __future__ import annotations

from fractions import Fraction

from equiform.models.common.rational import exact_text


def probability_text(p: float | Fraction) -> str:
    """Write a probability short: a fraction as it is, a float with three digits.

    >>> probability_text(Fraction(1, 3)), probability_text(0.25), probability_text(1.0), probability_text(1e-17)
    ('1/3', '0.25', '1', '0')
    """
    if isinstance(p, Fraction) and len(text := exact_text(p)) <= 9:
        return text
    value = float(p)
    if abs(value) < 5e-10:
        return "0"
    return f"{value:.3f}".rstrip("0").rstrip(".") if value >= 5e-4 else f"{value:.0e}"
