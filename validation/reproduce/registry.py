"""The experiments by id, in the order of the thesis."""

from __future__ import annotations

from equiform.models.common.arguments import near_names
from equiform.models.common.errors import ParameterError
from equiform.validation.reproduce.cards import chapter_5, rhode_island
from equiform.validation.reproduce.endgames import bucket_cost, example, improvement, resolving
from equiform.validation.reproduce.equilibria import one_card_poker
from equiform.validation.reproduce.experiment import Experiment
from equiform.validation.reproduce.exploitation import experiment_13_1 as table_13_1
from equiform.validation.reproduce.holdem import gs2, leaf_payoffs
from equiform.validation.reproduce.parametric import figures_11
from equiform.validation.reproduce.purification import card_readings, observation_1, proposition_5, table_8_1, table_8_2
from equiform.validation.reproduce.tournaments import tables as tournament_tables
from equiform.validation.reproduce.translation import (
    kuhn_translation,
    optimal_mapping,
    section_7_7,
    table_7_1,
    table_7_2,
    table_7_5,
    table_7_6,
)

EXPERIMENTS: dict[str, Experiment] = {
    e.id: e
    for e in (
        chapter_5.EXPERIMENT,
        table_7_1.EXPERIMENT,
        table_7_2.EXPERIMENT,
        kuhn_translation.TABLE_7_3_EXPERIMENT,
        kuhn_translation.TABLE_7_4_EXPERIMENT,
        table_7_5.EXPERIMENT,
        table_7_6.EXPERIMENT,
        section_7_7.EXPERIMENT,
        optimal_mapping.EXPERIMENT,
        proposition_5.EXPERIMENT,
        table_8_1.EXPERIMENT,
        observation_1.EXPERIMENT,
        table_8_2.EXPERIMENT,
        card_readings.EXPERIMENT,
        resolving.EXPERIMENT,
        improvement.EXPERIMENT,
        example.EXPERIMENT,
        bucket_cost.EXPERIMENT,
        *tournament_tables.EXPERIMENTS,
        one_card_poker.TABLE_10_2_EXPERIMENT,
        one_card_poker.TABLE_10_3_EXPERIMENT,
        rhode_island.SIZES,
        rhode_island.ABSTRACTIONS,
        figures_11.FIGURE_11_1,
        figures_11.FIGURE_11_2,
        table_13_1.EXPERIMENT,
        gs2.EXPERIMENT,
        leaf_payoffs.EXPERIMENT,
    )
}


def select(names: str) -> list[Experiment]:
    """Return the experiments of ``all``, or of ids separated by commas."""
    if names == "all":
        return list(EXPERIMENTS.values())
    chosen = []
    for name in filter(None, (n.strip() for n in names.split(","))):
        if name not in EXPERIMENTS:
            fix = f"{near_names(name, EXPERIMENTS)}all, or one of {', '.join(EXPERIMENTS)}"
            raise ParameterError(f"there is no experiment {name!r}", where="reproduce", fix=fix)
        chosen.append(EXPERIMENTS[name])
    if not chosen:
        raise ParameterError("no experiment is named", where="reproduce", fix="name `all`, or an id such as 7.2")
    return chosen
