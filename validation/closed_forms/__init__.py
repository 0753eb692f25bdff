"""Closed forms: derived and proved by sympy, compared with exact linear programs."""

from equiform.models.common.arguments import require_name
from equiform.validation.closed_forms.base import Claim, ClosedForm, Comparison, Derivation, Verification
from equiform.validation.closed_forms.clairvoyance import ClairvoyanceGame
from equiform.validation.closed_forms.kuhn import KuhnFamily
from equiform.validation.closed_forms.matrix_games import Figure135, Figure136, Figure137, Rpst
from equiform.validation.closed_forms.one_card import OneCardPoker
from equiform.validation.closed_forms.pseudo_harmonic import PseudoHarmonic
from equiform.validation.closed_forms.purification import Proposition5
from equiform.validation.closed_forms.signal_games import InfiniteKuhn, Section113

#: Every closed form, by name.
CLOSED_FORMS: dict[str, ClosedForm] = {
    form.name: form
    for form in (
        KuhnFamily(),
        OneCardPoker(),
        ClairvoyanceGame(),
        PseudoHarmonic(),
        Proposition5(),
        Rpst(),
        Figure135(),
        Figure136(),
        Figure137(),
        Section113(),
        InfiniteKuhn(),
    )
}


def closed_form(name: str) -> ClosedForm:
    """Find a closed form by name.

    >>> print(closed_form("kuhn").derive()["value"])
    -1/18
    """
    return CLOSED_FORMS[require_name(name, CLOSED_FORMS, "closed form")]


__all__ = ["CLOSED_FORMS", "Claim", "ClosedForm", "Comparison", "Derivation", "Verification", "closed_form"]
