"""Profiles of one-card poker in blocks of cards: what is no profile is not claimed to be one."""

from __future__ import annotations

import pytest
import sympy

from equiform.validation.closed_forms.card_blocks import Block, CardBlocks

N = sympy.Symbol("n")
DECISIONS = ("bet", "call", "answer_bet", "answer_call")


@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize(
    ("value", "holds"),
    [("0", True), ("1", True), ("1/2", True), ("1/n", True), ("3/2", False), ("-1/2", False), ("1 + 1/n", False)],
)
def test_probabilities_lie_between_zero_and_one(decision: str, value: str, holds: bool) -> None:
    played = dict.fromkeys(DECISIONS, sympy.Integer(0)) | {decision: sympy.sympify(value, locals={"n": N})}
    claims = CardBlocks([Block(length=N, **played)]).claims(N, 2)
    where = f"block 0, {decision.replace('_', ' ')}: a probability"
    assert [claim.proved for claim in claims if claim.text == where] == [holds]
