"""What a game is: extensive and normal form, treeplex, sequence form, strategies, evaluation."""

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
