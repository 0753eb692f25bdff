"""Stored abstractions, and the commands equity, abstract and buckets."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from equiform.abstraction.cards.build import build_abstraction
from equiform.abstraction.cards.card_abstraction import BucketRound, CardAbstraction, read_card_abstraction
from equiform.cli.poker import abstract as abstract_commands
from equiform.cli.poker.equity import equity
from equiform.models.common.errors import FormatError, ParameterError

app = typer.Typer()
app.command("equity")(equity)
app.command("abstract")(abstract_commands.abstract)
app.command("buckets")(abstract_commands.buckets)
run = CliRunner()


def test_equity_of_the_thesis_hands() -> None:
    result = run.invoke(app, ["equity", "TcQd", "7h9hQh", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert round(found["equity"], 3) == 0.683
    assert sum(found["histogram"]) == pytest.approx(1.0)
    text = run.invoke(app, ["equity", "5c9d", "3d5d7d", "--bins", "10"]).stdout
    assert "0.679" in text and "█" in text


def test_hands_against_hands() -> None:
    result = run.invoke(app, ["equity", "AcAd", "vs", "KcKd", "--json"])
    aces, kings = json.loads(result.stdout)["hands"]
    assert aces["deals"] == 1712304 and round(aces["equity"] + kings["equity"], 12) == 1.0
    ranges = json.loads(run.invoke(app, ["equity", "AA", "vs", "QQ+,AKs", "--board", "7dQh4h", "--json"]).stdout)
    assert ranges["win"] + ranges["lose"] + ranges["tie"] == pytest.approx(1) and 0.4 < ranges["equity"] < 0.8
    on_flop = run.invoke(app, ["equity", "AcAd", "KcKd", "--board", "KhKs2d"]).stdout
    assert "990 boards" in on_flop and "KcKd" in on_flop


def test_bad_cards_are_an_error() -> None:
    result = run.invoke(app, ["equity", "KcKc"])
    assert isinstance(result.exception, ParameterError)


@pytest.mark.parametrize(
    ("arguments", "sizes"),
    [
        (["rhode-island", "--method", "expectation", "--buckets", "5,25,60"], [5, 25, 60]),
        (["rhode-island", "--method", "expectation", "--rounds", "2", "--buckets", "5,25"], [5, 25]),
        (["leduc", "--method", "potential", "--buckets", "2,3"], [2, 3]),
        (["rhode-island", "--method", "hierarchical", "--public", "3", "--buckets", "5,4,6"], [5, 12, 18]),
        (["leduc", "--method", "gameshrink"], [3, 7]),
        (["leduc", "--method", "lossless"], [3, 9]),
    ],
)
def test_abstract_writes_what_buckets_shows(arguments: list[str], sizes: list[int], tmp_path: Path) -> None:
    file = tmp_path / "cards.npz"
    made = run.invoke(app, ["abstract", *arguments, "--out", str(file), "--json"])
    assert made.exit_code == 0, made.output
    assert [r["buckets"] for r in json.loads(made.stdout)["rounds"]] == sizes
    shown = run.invoke(app, ["buckets", str(file), "--show"])
    assert shown.exit_code == 0, shown.output
    assert "bucket 0" in shown.stdout
    stored = read_card_abstraction(file)
    for r, size in zip(stored.rounds, sizes, strict=True):
        assert r.n_buckets == size
        assert r.weights.sum() == pytest.approx(1.0)
        assert r.weights @ r.means == pytest.approx(0.5)  # all hands together win half of the time
        assert set(np.unique(r.labels)) <= set(range(size))
    assert list(tmp_path.iterdir()) == [file]  # nothing half-written is left


def test_starting_hands_are_drawn(tmp_path: Path) -> None:
    labels = (np.arange(169) % 15).astype(np.int32)
    weights = np.bincount(labels) / 169
    file, picture = tmp_path / "texas.npz", tmp_path / "chart.png"
    CardAbstraction("texas", "by hand", (BucketRound("preflop", (2,), weights, labels),)).write(file)
    shown = run.invoke(app, ["buckets", str(file), "--show", "--plot", str(picture)])
    assert shown.exit_code == 0, shown.output
    assert picture.read_bytes()[:4] == b"\x89PNG"
    found = json.loads(run.invoke(app, ["buckets", str(file), "--json"]).stdout)
    assert len(found["rounds"][0]["starting_hands"]) == 169
    assert isinstance(run.invoke(app, ["buckets", str(file), "--round", "river"]).exception, ParameterError)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="No such file"):
        read_card_abstraction(tmp_path / "missing.npz")
    junk = tmp_path / "junk.npz"
    junk.write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(FormatError, match="the file of buckets is damaged"):
        read_card_abstraction(junk)
    np.savez(tmp_path / "other.npz", meta=np.array([{"a": 1}], dtype=object))  # a pickle inside: never loaded
    with pytest.raises(FormatError):
        read_card_abstraction(tmp_path / "other.npz")


def test_another_version_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "old.npz"
    build_abstraction("leduc", "lossless").write(file)
    with np.load(file) as stored:
        arrays = dict(stored)
    meta = json.loads(arrays["meta"].tobytes())
    arrays["meta"] = np.frombuffer(json.dumps({**meta, "format": "equiform buckets 0"}).encode(), dtype=np.uint8)
    np.savez(file, **arrays)
    with pytest.raises(FormatError, match="equiform buckets 0"):
        read_card_abstraction(file)


def test_what_cannot_be_written_is_said_first(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere" / "cards.npz"
    refused = run.invoke(app, ["abstract", "leduc", "--buckets", "2,3", "--out", str(missing)])
    assert isinstance(refused.exception, FormatError)
    labels = np.zeros(169, dtype=np.int32)
    file = tmp_path / "texas.npz"
    CardAbstraction("texas", "by hand", (BucketRound("preflop", (2,), np.ones(1), labels),)).write(file)
    for picture in (tmp_path / "nowhere" / "p.png", tmp_path / "p.strange"):
        refused = run.invoke(app, ["buckets", str(file), "--plot", str(picture)])
        assert isinstance(refused.exception, FormatError | ParameterError)
    assert list(tmp_path.iterdir()) == [file]


def test_impossible_requests_are_explained() -> None:
    for game, method, buckets in (
        ("bridge", "expectation", (5,)),
        ("leduc", "magic", (5,)),
        ("leduc", "expectation", (5, 5, 5)),
        ("leduc", "expectation", ()),
        ("leduc", "expectation", (5, 0)),
        ("leduc", "potential", (3,)),
        ("leduc", "hierarchical", (3,)),
        ("texas", "hierarchical", (5, 5, 5)),
        ("texas", "potential", (5, 5)),
        ("leduc", "lossless", (5, 5)),
        ("texas", "gameshrink", ()),
        ("leduc", "distribution", (2, 3)),
    ):
        with pytest.raises(ParameterError):
            build_abstraction(game, method, buckets)
    for options in (["--buckets", "two"], ["--buckets", "2,3", "--threads=-1"], ["--buckets", "2,3", "--sample=-1"]):
        result = run.invoke(app, ["abstract", "leduc", *options])
        assert isinstance(result.exception, ParameterError)
