"""Drawn games: trees and payoff tables as SVG or TikZ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from equiform.models.common.errors import ParameterError, StrategyError, UnsupportedGameError
from equiform.models.common.files import whole_file, write_text
from equiform.models.extensive import ExtensiveGame
from equiform.models.game import Game
from equiform.models.normal_form import NormalForm
from equiform.models.strategy import Strategy
from equiform.viewer.drawings.matrix_drawing import matrix_scene
from equiform.viewer.drawings.response_diagram import response_scene
from equiform.viewer.drawings.scene import Scene
from equiform.viewer.drawings.svg import to_svg
from equiform.viewer.drawings.tikz import to_tikz
from equiform.viewer.drawings.tree_cut import cut_tree
from equiform.viewer.drawings.tree_drawing import TreePicture

#: What a picture can be written as.
SUFFIXES = (".svg", ".pdf", ".tex")


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture of a game, which a notebook displays by itself."""

    scene: Scene

    @property
    def width(self) -> float:
        """The width in pixels."""
        return self.scene.width

    @property
    def height(self) -> float:
        """The height in pixels."""
        return self.scene.height

    @property
    def svg(self) -> str:
        """The picture as an SVG document."""
        return to_svg(self.scene)

    @property
    def tikz(self) -> str:
        """The picture as a LaTeX document."""
        return to_tikz(self.scene)

    def write(self, path: str | Path) -> Path:
        """Write the picture to an ``.svg``, ``.pdf`` or ``.tex`` file, atomically, and return its path.

        Raises
        ------
        ParameterError
            If the file has another suffix.
        """
        target = Path(path)
        kind = target.suffix.lower()
        if kind not in SUFFIXES:
            raise ParameterError(f"cannot draw into {target.name}", where=str(target), fix="use .svg, .pdf or .tex")
        if kind == ".pdf":
            from equiform.viewer.drawings.pdf import to_pdf

            with whole_file(target) as draft:
                to_pdf(self.scene, str(draft))
        else:
            write_text(target, self.svg if kind == ".svg" else self.tikz)
        return target

    def _repr_svg_(self) -> str:
        return self.svg


def draw_game(
    game: Game,
    strategies: Sequence[Strategy] | None = None,
    *,
    depth: int | None = None,
    history: str | None = None,
    limit: int | None = None,
    diagram: bool = False,
) -> Drawing:
    """Draw a tree or a table.

    Parameters
    ----------
    game
        A game tree or a two-player normal form.
    strategies
        One per player: probabilities are written at the moves, and what is played is drawn bold.
    depth, history
        Where to cut a tree: after so many moves, or along a public history.
    limit
        How many nodes or cells there may be.
    diagram
        Draw best-response diagrams below a table.

    Raises
    ------
    UnsupportedGameError
        If the game has no tree or table, or is too large; the error says how to cut it.
    StrategyError
        If there is not one strategy per player of this game.
    """
    if strategies is not None:
        _require_profile(game, strategies)
    if isinstance(game, NormalForm):
        if depth is not None or history is not None:
            raise ParameterError("a table is not cut", where=game.name, fix="leave depth and history out")
        table = matrix_scene(game, strategies, limit)
        return Drawing(response_scene(game, strategies, table) if diagram else table)
    if diagram:
        raise UnsupportedGameError(
            f"{game.name} is not a matrix game", where="diagram", fix="draw its tree, or its normal form"
        )
    if not isinstance(game, ExtensiveGame):
        raise UnsupportedGameError(
            f"{game.name} is a payoff operator without a tree",
            where=type(game).__name__,
            fix="draw a small game that has one; `equiform view` shows strategies of this one",
        )
    cut = cut_tree(game, depth=depth, history=history, limit=limit)
    return Drawing(TreePicture(game, cut, strategies).scene())


def _require_profile(game: Game, strategies: Sequence[Strategy]) -> None:
    sizes = [t.num_sequences for t in game.treeplexes]
    if [len(s.probabilities) for s in strategies] != sizes:
        raise StrategyError(
            "the strategies do not belong to this game",
            where=game.name,
            fix=f"pass {len(sizes)} strategies, one per player",
        )
