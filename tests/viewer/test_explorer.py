"""The explorer's data and page, and the page's own tests in node."""

from __future__ import annotations

import base64
import json
import os
import posixpath
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equiform
from equiform.models.common.errors import EquiformError, ParameterError, StrategyError
from equiform.models.evaluation import reach_probabilities, sequence_gradient
from equiform.models.normal_form import NormalForm
from equiform.models.strategy import Strategy, write_profile
from equiform.viewer.action_values import action_values
from equiform.viewer.document import packed
from equiform.viewer.page import MODULES, asset, inline_json, script

NASTY = ("<script>alert(1)</script>", "</script><!--", "\"'&\u2028", "日本\u202e", "@@script@@")


def unpack(field: dict[str, str]) -> Any:
    kind = np.dtype(field["type"].lower()).newbyteorder("<")
    return np.frombuffer(base64.b64decode(field["data"]), kind)


class Elements(HTMLParser):
    """The elements of a page, and the text of those that hold data or code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts[len(self.found) - 1] = self.texts.get(len(self.found) - 1, "") + data


def nasty_game() -> NormalForm:
    payoffs = np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])
    return NormalForm(NASTY[0], (NASTY[1], NASTY[4]), ((NASTY[0], NASTY[1]), (NASTY[2], NASTY[3])), payoffs)


@pytest.mark.parametrize("values", [[0, 127], [0, -200], [70_000, -1], [], [0.5, np.nan]])
def test_arrays_travel_whole(values: list[float]) -> None:
    given = np.array(values) if values else np.zeros(0, dtype=np.int64)
    assert np.array_equal(unpack(packed(given)), given, equal_nan=given.dtype.kind == "f")


def test_no_name_leaves_the_data() -> None:
    page = equiform.solve(nasty_game()).view().html
    elements = Elements(page)
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == 2 and "img" not in tags and "b" not in tags
    where = next(k for k, (_, attributes) in enumerate(elements.found) if attributes.get("id") == "data")
    document = json.loads(elements.texts[where])
    assert document["game"] == NASTY[0] and document["moves"] == [list(NASTY[:2]), list(NASTY[2:4])]
    assert not re.search("[<>&\u2028]", elements.texts[where])


def test_the_policy_allows_our_script_and_nothing_else() -> None:
    page = equiform.solve("rps").view().html
    policy = next(a["content"] for _, a in Elements(page).found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None and policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy and "http" not in policy
    assert not re.search(r"""(?:src|href)=["']""", page)
    assert f'<script type="module">{script()}</script>' in page  # the digest is of exactly this text


def test_the_script_is_all_of_the_modules() -> None:
    folder = Path(str(asset.__wrapped__.__globals__["resources"].files("equiform.viewer"))) / "assets"
    assert {str(f.relative_to(folder).with_suffix("")) for f in folder.rglob("*.js")} == set(MODULES)
    assert not re.search(r"^(?:import|export)\b", script(), re.MULTILINE)
    for number, name in enumerate(MODULES):
        needed = re.findall(r'from "(\.[\w./]+)\.js"', asset(f"{name}.js"))
        assert {posixpath.normpath(posixpath.join(posixpath.dirname(name), n)) for n in needed} <= set(MODULES[:number])
    assert "innerHTML" not in script() and "eval(" not in script()


@pytest.mark.parametrize("text", NASTY)
def test_inline_json_reads_back(text: str) -> None:
    assert json.loads(inline_json([text])) == [text]
    assert "<" not in inline_json([text])


def test_action_values_agree_with_the_tree() -> None:
    solved = equiform.solve("leduc")
    game: Any = solved.game
    behaviors = [s.floats for s in solved.strategies]
    reach = reach_probabilities(game, behaviors).prod(axis=0)
    for player, strategy in enumerate(solved.strategies):
        found = action_values(game, solved.strategies, player)
        nodes = np.flatnonzero(game.turn == player)
        total = np.bincount(game.infoset[nodes], weights=reach[nodes], minlength=game.num_infosets)
        assert found.own_reach * found.others_reach == pytest.approx(total[game.infosets_of[player]])
        first = strategy.treeplex
        gradient = sequence_gradient(game, behaviors, player)
        assert found.values[0] == pytest.approx(solved.certificate.payoffs[player])
        arrives = found.others_reach[first.infoset_of[1:]]
        final = ~np.isin(np.arange(1, first.num_sequences), first.parent) & (arrives > 0)  # no decision follows
        assert final.sum() > 50
        assert found.values[1:][final] * arrives[final] == pytest.approx(gradient[1:][final])
        played = strategy.floats > 1e-9
        value = np.add.reduceat(np.where(played, strategy.floats * found.values, 0.0)[1:], first.start[:-1] - 1)
        gain = found.values[1:] - value[first.infoset_of[1:]]
        likely = (found.own_reach * found.others_reach)[first.infoset_of[1:]] > 1e-6
        assert np.nanmax(gain[likely]) < 1e-6  # no regret where an equilibrium arrives


def test_a_table_is_a_tree_of_hidden_moves() -> None:
    game = NormalForm(
        "three", ("a", "b", "c"), (("l", "r"), ("x", "y", "z"), ("0", "1")), np.arange(36).reshape(3, 2, 3, 2)
    )
    profile = [Strategy(t, t.uniform()) for t in game.treeplexes]
    document = equiform.view(equiform.verify(profile, game)).document
    tree = {k: unpack(v) for k, v in document["tree"].items() if isinstance(v, dict)}
    assert len(tree["parent"]) == 1 + 2 + 6 + 12
    assert tree["turn"].tolist() == [0] + [1] * 2 + [2] * 6 + [-2] * 12
    for leaf in range(9, 21):
        k = leaf
        moves: list[int] = []
        while k > 0:
            above = int(tree["parent"][k])
            moves.insert(0, k - int(np.flatnonzero(tree["parent"] == above)[0]))
            k = above
        shown = tree["payoffFloats"].reshape(-1, 3)[tree["outcome"][leaf]]
        assert shown.tolist() == [float(game.payoffs[p][tuple(moves)]) for p in range(3)]


def test_sizes() -> None:
    assert len(equiform.solve("leduc").view().html.encode()) < 300_000


def test_files_are_evaluated_afresh(tmp_path: Path) -> None:
    solved = equiform.solve("kuhn", exact=True)
    file = tmp_path / "kuhn.json"
    write_profile(file, "kuhn", solved.strategies)
    page = equiform.view(file, against=solved)
    assert page.titles == ["kuhn.json", "nash by highs, exact"]
    assert page.document["profiles"][0]["proof"]["exact"]["exploitability"] == "0"
    printed = tmp_path / "printed.json"
    printed.write_text(json.dumps({**solved.to_dict(), "exploitability": -7}))
    assert equiform.view(printed).document["profiles"][0]["proof"]["exploitability"] == pytest.approx(0, abs=1e-12)


def test_a_file_does_not_choose_a_program(tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text("raise SystemExit('run')")
    file = tmp_path / "evil.json"
    write_profile(file, f"{tmp_path}/evil.py:Game", equiform.solve("kuhn").strategies)
    with pytest.raises(ParameterError, match="--game"):
        equiform.view(file)
    assert equiform.view(file, game="kuhn").title == "kuhn"


def test_refusals(tmp_path: Path) -> None:
    solved = equiform.solve("kuhn")
    with pytest.raises(StrategyError, match="another game"):
        equiform.view(solved, against=equiform.solve("rps"))
    with pytest.raises(EquiformError):
        equiform.view("kuhn", game="leduc")
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    with pytest.raises(EquiformError, match="JSON"):
        equiform.view(broken)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on the path, and it runs the page's own tests")
def test_the_page_in_node(tmp_path: Path) -> None:
    solved = equiform.solve("kuhn")
    game: Any = solved.game
    behaviors = [s.floats for s in solved.strategies]
    expected = {
        "paths": [game.path(n) for n in range(game.num_nodes)],
        "reach": reach_probabilities(game, behaviors).tolist(),
        "payoffs": solved.certificate.payoffs,
    }
    data = tmp_path / "data.json"
    data.write_text(json.dumps({"document": solved.view().document, "expected": expected}))
    whole = tmp_path / "whole.mjs"
    whole.write_text(script())
    for command in (
        ["node", "--check", str(whole)],
        ["node", "--test", str(Path(__file__).with_name("explorer.test.mjs"))],
    ):
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "EXPLORER_DATA": str(data)})
        assert done.returncode == 0, done.stdout + done.stderr


def test_small_tables_in_notebooks() -> None:
    solved = equiform.solve("kuhn", exact=True)
    shown = solved._repr_html_()
    assert "-1/18" in shown and "call 1/3" in shown and shown.count("<table>") == 3
    assert "exploitability" in solved.certificate._repr_html_()
    nasty = equiform.solve(nasty_game())
    assert "<script" not in nasty._repr_html_() + nasty.certificate._repr_html_()
    leduc = equiform.solve("leduc").strategies[0]
    assert leduc._repr_html_().count("<tr") == 21 and "124 more" in leduc._repr_html_()
