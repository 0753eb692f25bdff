"""What a game is: extensive and normal form, treeplex, sequence form, strategies, evaluation."""

from typing import TYPE_CHECKING

from equiform.models.common.lazy import lazy

if TYPE_CHECKING:
    from equiform.models.common.errors import EquiformError
    from equiform.models.common.rational import as_fraction
    from equiform.models.compile import compile_rules
    from equiform.models.evaluation import (
        Evaluation,
        best_response,
        evaluate,
        expected_payoffs,
        reach_probabilities,
        sequence_gradient,
    )
    from equiform.models.extensive import ExtensiveGame
    from equiform.models.game import as_sequence_form
    from equiform.models.normal_form import NormalForm, reduced_normal_form, reduced_plans
    from equiform.models.payoffs.matrix import MatrixPayoff, Payoff
    from equiform.models.rules import CHANCE, TERMINAL, Rules
    from equiform.models.sequence_form import SequenceForm, sequence_form
    from equiform.models.strategy import Strategy, read_profile, write_profile
    from equiform.models.treeplex import BestResponse, Treeplex

__all__ = [
    "CHANCE",
    "TERMINAL",
    "BestResponse",
    "EquiformError",
    "Evaluation",
    "ExtensiveGame",
    "MatrixPayoff",
    "NormalForm",
    "Payoff",
    "Rules",
    "SequenceForm",
    "Strategy",
    "Treeplex",
    "as_fraction",
    "as_sequence_form",
    "best_response",
    "compile_rules",
    "evaluate",
    "expected_payoffs",
    "reach_probabilities",
    "read_profile",
    "reduced_normal_form",
    "reduced_plans",
    "sequence_form",
    "sequence_gradient",
    "write_profile",
]

__getattr__ = lazy(
    __name__,
    {
        "BestResponse": "equiform.models.treeplex",
        "CHANCE": "equiform.models.rules",
        "EquiformError": "equiform.models.common.errors",
        "Evaluation": "equiform.models.evaluation",
        "ExtensiveGame": "equiform.models.extensive",
        "MatrixPayoff": "equiform.models.payoffs.matrix",
        "NormalForm": "equiform.models.normal_form",
        "Payoff": "equiform.models.payoffs.matrix",
        "Rules": "equiform.models.rules",
        "SequenceForm": "equiform.models.sequence_form",
        "Strategy": "equiform.models.strategy",
        "TERMINAL": "equiform.models.rules",
        "Treeplex": "equiform.models.treeplex",
        "as_fraction": "equiform.models.common.rational",
        "as_sequence_form": "equiform.models.game",
        "best_response": "equiform.models.evaluation",
        "compile_rules": "equiform.models.compile",
        "evaluate": "equiform.models.evaluation",
        "expected_payoffs": "equiform.models.evaluation",
        "reach_probabilities": "equiform.models.evaluation",
        "read_profile": "equiform.models.strategy",
        "reduced_normal_form": "equiform.models.normal_form",
        "reduced_plans": "equiform.models.normal_form",
        "sequence_form": "equiform.models.sequence_form",
        "sequence_gradient": "equiform.models.evaluation",
        "write_profile": "equiform.models.strategy",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
