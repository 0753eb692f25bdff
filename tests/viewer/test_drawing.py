"""Drawn trees and tables: valid, complete, and no text on another."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equiform
from equiform.api.inputs import as_game
from equiform.games import parse_efg
from equiform.models.common.errors import EquiformError, UnsupportedGameError
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm
from equiform.models.rules import TERMINAL
from equiform.viewer.drawings.response_diagram import best_part, envelope
from equiform.viewer.drawings.scene import PAPER, Arc, Box, Disc, Line, Scene, Text
from equiform.viewer.drawings.text_width import text_width
from equiform.viewer.drawings.tikz import tex_text
from equiform.viewer.drawings.tree_cut import cut_tree

SVG = "{http://www.w3.org/2000/svg}"
SMALL = ["kuhn", "kuhn-multiplayer", "rps-sequential", "fig-8.2", "fig-13.5", "random:seed=3"]


def boxes(scene: Scene) -> Iterator[tuple[float, float, float, float, str]]:
    for shape in scene.shapes:
        if isinstance(shape, Text):
            width = text_width(shape.text, shape.size) * (1.15 if shape.bold else 1.0)
            left = shape.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor] * width
            yield left, shape.y - 0.76 * shape.size, left + width, shape.y + 0.24 * shape.size, shape.text


def overlaps(scene: Scene) -> list[tuple[str, str]]:
    found = list(boxes(scene))
    return [
        (a[4], b[4])
        for k, a in enumerate(found)
        for b in found[k + 1 :]
        if a[0] < b[2] - 1e-9 and b[0] < a[2] - 1e-9 and a[1] < b[3] and b[1] < a[3]
    ]


def drawn(name: str) -> Any:
    try:
        return equiform.draw(name)
    except UnsupportedGameError:
        return equiform.draw(name, depth=4, limit=400)


@pytest.mark.parametrize("name", SMALL)
def test_no_text_lies_on_another(name: str) -> None:
    scene = drawn(name).scene
    assert overlaps(scene) == []
    for left, top, right, bottom, text in boxes(scene):
        assert left >= 0 and top >= 0 and right <= scene.width and bottom <= scene.height, text


@pytest.mark.parametrize("name", SMALL)
def test_the_svg_is_valid_and_complete(name: str) -> None:
    picture = drawn(name)
    root = ET.fromstring(picture.svg)
    texts = [t.text or "" for t in root.iter(f"{SVG}text")]
    game: Any = equiform.load_game(name)
    for player in game.players:
        assert player in texts
    assert len(list(root.iter(f"{SVG}path"))) == sum(isinstance(s, Arc) for s in picture.scene.shapes)


def test_kuhn_has_its_nodes_sets_and_probabilities() -> None:
    solved = equiform.solve("kuhn", exact=True)
    scene = equiform.draw(solved).scene
    game: Any = solved.game
    texts = [s.text for s in scene.shapes if isinstance(s, Text)]
    assert sum(isinstance(s, Disc) for s in scene.shapes) == game.num_nodes - 1 + 2  # less chance, plus the legend
    arcs = sum(len(np.flatnonzero(game.infoset == h)) - 1 for h in range(game.num_infosets))
    assert sum(isinstance(s, Arc) for s in scene.shapes) == arcs == 12
    assert texts.count("JQ (1/6)") == 1 and texts.count("call 1/3") == 4
    played = [s for s in scene.shapes if isinstance(s, Line) and s.width > 1]
    reach = 0
    for node in range(1, game.num_nodes):
        weights = [1.0]
        at = node
        while at > 0:
            above = int(game.parent[at])
            if game.turn[above] >= 0:
                weights.append(solved.strategies[game.turn[above]].floats[game.move[at]])
            at = above
        reach += min(weights) > 0
    assert len(played) == reach


def test_arcs_keep_clear_of_text() -> None:
    for name in ("kuhn", "kuhn-multiplayer"):
        scene = drawn(name).scene
        words = list(boxes(scene))
        for arc in (s for s in scene.shapes if isinstance(s, Arc)):
            for t in np.linspace(0.02, 0.98, 49):
                p, q, r = (np.array(v) for v in (arc.start, arc.bend, arc.end))
                x, y = (1 - t) ** 2 * p + 2 * t * (1 - t) * q + t**2 * r
                inside = [w[4] for w in words if w[0] < x < w[2] and w[1] < y < w[3]]
                # the number of a player stands on its node
                assert not [w for w in inside if len(w) > 1], (name, inside)


def test_an_arc_between_columns_is_interrupted_at_labels() -> None:
    """In Selten's horse (1975, figure 1) player 3 does not know whether one or two moves came before."""
    horse = """EFG 2 R "horse" { "1" "2" "3" }
p "" 1 1 "" { "across" "down" } 0
p "" 2 1 "" { "across" "down" } 0
t "" 1 "" { 1, 1, 1 }
p "" 3 1 "" { "left" "right" } 0
t "" 2 "" { 4, 4, 0 }
t "" 3 "" { 0, 0, 1 }
p "" 3 1 "" { "left" "right" } 0
t "" 4 "" { 3, 2, 2 }
t "" 5 "" { 0, 0, 0 }
"""
    shapes = equiform.draw(parse_efg(horse)).scene.shapes
    arcs = [k for k, shape in enumerate(shapes) if isinstance(shape, Arc)]
    labels = {
        k: shape for k, shape in enumerate(shapes) if isinstance(shape, Text) and shape.text in ("across", "down")
    }
    assert len(arcs) == 1 and len(labels) == 4
    for k, label in labels.items():
        ground = shapes[k - 1]
        assert k > arcs[0] and isinstance(ground, Box) and ground.fill == PAPER
        assert ground.x < label.x and label.x + text_width(label.text, label.size) < ground.x + ground.width


def test_a_cut_along_a_history_leads_there_and_ends_where_the_game_does() -> None:
    """No queen can come after two queens were dealt: that deal is left out, as it leads nowhere."""
    history = "check–bet–raise–call–Q"
    scene = equiform.draw("leduc", history=history).scene
    deals = {t.text.split()[0] for t in scene.shapes if isinstance(t, Text) and "/15)" in t.text}
    assert deals == {"JJ", "JQ", "JK", "QJ", "QK", "KJ", "KQ", "KK"}
    game = as_game("leduc")
    assert isinstance(game, ExtensiveGame)
    cut = cut_tree(game, history=history)
    assert all(game.turn[n] == TERMINAL for n in cut.nodes.tolist() if n not in cut.children)


def test_a_large_tree_says_how_to_cut_it() -> None:
    with pytest.raises(UnsupportedGameError, match="depth=4") as refused:
        equiform.draw("leduc")
    assert "history='" in refused.value.fix
    history = refused.value.fix.split("history='")[1].split("'")[0]
    leaves = int(refused.value.fix.split("(--history) leaves ")[1].split(";")[0])
    cut = equiform.draw("leduc", history=history)
    assert overlaps(cut.scene) == [] and sum(isinstance(s, Line) for s in cut.scene.shapes) == leaves - 1
    assert overlaps(equiform.draw("leduc", depth=4).scene) == []


def test_a_cut_counts_what_it_hides() -> None:
    texts = [s.text for s in equiform.draw("kuhn", depth=1).scene.shapes if isinstance(s, Text)]
    assert texts.count("… 8 nodes") == 6 and "kuhn (cut after 1 move)" in texts


@pytest.mark.parametrize("bad", [{"depth": 0}, {"history": "nonsense"}, {"strategy": "missing.json"}])
def test_bad_arguments_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(EquiformError):
        equiform.draw("kuhn", **bad)


def test_best_responses_of_a_table_are_underlined() -> None:
    dilemma = NormalForm.from_matrix("dilemma", "CD", "CD", [[3, 0], [5, 1]], [[3, 5], [0, 1]])
    scene = equiform.draw(dilemma).scene
    assert sum(isinstance(s, Line) for s in scene.shapes) == 4  # D is best against C and D, for both
    assert overlaps(scene) == []
    with pytest.raises(UnsupportedGameError, match="readable"):
        equiform.draw(np.zeros((30, 30)).tolist())


def table(rows: int, columns: int, seed: int) -> NormalForm:
    payoffs = np.random.default_rng(seed).integers(-5, 6, (2, rows, columns))
    names = [f"move {k}" for k in range(8)]
    return NormalForm("random", ("row", "column"), (tuple(names[:rows]), tuple(names[:columns])), payoffs)


@pytest.mark.parametrize(("rows", "columns", "panels"), [(2, 2, 2), (2, 5, 1), (6, 2, 1), (3, 3, 2), (3, 2, 2)])
def test_best_response_diagrams(rows: int, columns: int, panels: int) -> None:
    picture = equiform.draw(table(rows, columns, rows), diagram=True)
    assert sum("best replies" in s.text for s in picture.scene.shapes if isinstance(s, Text)) == panels
    assert overlaps(picture.scene) == []
    for left, top, right, bottom, text in boxes(picture.scene):
        assert left >= 0 and top >= 0 and right <= picture.width and bottom <= picture.height, text
    root = ET.fromstring(picture.svg)
    assert (len(list(root.iter(f"{SVG}polygon"))) >= 1) == (3 in (rows, columns))
    assert picture.tikz.count("-- cycle") == len(list(root.iter(f"{SVG}polygon")))


def test_a_diagram_says_what_is_best() -> None:
    rng = np.random.default_rng(1)
    for seed in range(5):
        payoffs = np.random.default_rng(seed).normal(size=(4, 3))
        parts = [best_part(payoffs, k) for k in range(4)]
        sizes = [abs(np.linalg.det([p[0], p[i], p[i + 1]])) for p in parts for i in range(1, len(p) - 1)]
        assert sum(sizes) == pytest.approx(1)  # the parts fill the triangle
        for k, part in enumerate(parts):
            if len(part) >= 3:
                mix = rng.dirichlet(np.ones(len(part))) @ part
                assert (payoffs @ mix).argmax() == k
        shares, values = np.array(envelope(payoffs[:, :2])).T
        for share in rng.random(20):
            best = (payoffs[:, 0] * (1 - share) + payoffs[:, 1] * share).max()
            assert np.interp(share, shares, values) == pytest.approx(best)


def test_games_without_a_diagram() -> None:
    with pytest.raises(UnsupportedGameError, match="4 × 4"):
        equiform.draw(table(4, 4, 0), diagram=True)
    with pytest.raises(UnsupportedGameError, match="matrix"):
        equiform.draw("kuhn", diagram=True)


def test_nasty_names_are_text() -> None:
    names = ("<script>x</script>", "a & b \\input{x} % $ # _ ^ ~")
    game = NormalForm.from_matrix("]]><g onload='x'>\x00", names, ("\"'", "日本"), [[1, 0], [0, 1]])
    picture = equiform.draw(game, diagram=True)
    root = ET.fromstring(picture.svg)
    assert names[0] in [t.text for t in root.iter(f"{SVG}text")] and not list(root.iter(f"{SVG}script"))
    assert r"\input{x}" not in picture.tikz and tex_text(names[1]) in picture.tikz


def hostile() -> Any:
    names = (r"\end{document}", "50% & #1_{a}^b ~ $x$", "日本 ε π ♠ é \u2028", "<script>")
    return NormalForm(names[1], names[:2], (names[:2], names[2:]), np.array([[[1, -1], [0, 2]], [[3, 5], [7, 9]]]))


@pytest.mark.parametrize("name", ["kuhn", "leduc", "kuhn-multiplayer", "random:seed=3", "hostile"])
def test_tikz_compiles_where_there_is_latex(name: str, tmp_path: Path) -> None:
    picture = equiform.draw(hostile()) if name == "hostile" else drawn(name)
    file = picture.write(tmp_path / "picture.tex")
    source = file.read_text()
    unescaped = source.replace(r"\{", "").replace(r"\}", "")
    assert unescaped.count("{") == unescaped.count("}")
    assert source.count(r"\node") == sum(isinstance(s, Text) for s in picture.scene.shapes)
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex on the path; the source was checked, not compiled")
    if subprocess.run(["kpsewhich", "tikz.sty"], capture_output=True).returncode:
        pytest.skip("this LaTeX lacks TikZ; the source was checked, not compiled")
    command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", file.name]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    log = (tmp_path / "picture.log").read_text(errors="replace")
    assert "(1 page," in log and "Missing character" not in log


@pytest.mark.parametrize("name", ["kuhn", "rps", "hostile"])
def test_pdf_is_a_page_of_the_size_of_the_picture(name: str, tmp_path: Path) -> None:
    picture = equiform.draw(hostile()) if name == "hostile" else equiform.draw(equiform.solve(name))
    data = picture.write(tmp_path / "a.pdf").read_bytes()
    assert data == picture.write(tmp_path / "b.pdf").read_bytes()
    assert data.startswith(b"%PDF-") and data.count(b"/Type /Page ") == 1
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", data)
    assert box is not None
    assert [float(side) for side in box.groups()] == pytest.approx(
        [0.75 * picture.width, 0.75 * picture.height], abs=0.01
    )
