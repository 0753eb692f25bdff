"""Ranges, bet sizes, betting trees and spots: what players write, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiform.games.cards.card import CardError, DuplicateCardError
from equiform.games.poker.holdem.bet_sizes import BetSizeError, BetSizes
from equiform.games.poker.holdem.betting import Betting
from equiform.games.poker.holdem.ranges import Range, RangeError, all_hands
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.errors import EquiformError, GameError, ParameterError, UnsupportedGameError
from equiform.models.rules import TERMINAL

#: The ranges of the spots that another solver was measured on; it counts 167 and 246 hands on Td9d6hQc2s.
OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"


@pytest.mark.parametrize(
    ("text", "hands"),
    [
        ("QQ", 6), ("QQ+", 18), ("QQ-99", 24), ("99-QQ", 24), ("AK", 16), ("AKs", 4), ("KAo", 12), ("A9s+", 20),
        ("A9s-A6s", 16), ("JTs-76s", 20), ("AsAh", 1), ("random", 1326), ("AA,KK", 12), ("98s+", 4), ("", 0),
        ("AA, KK\nQQ", 18),
    ],
)  # fmt: skip
def test_ranges_are_read(text: str, hands: int) -> None:
    assert Range(text).total == hands


def test_weights_and_the_order_of_pieces() -> None:
    found = dict(Range("KQo:0.5,KsQh").items())
    assert found["KsQh"] == 1.0 and found["KhQs"] == 0.5 and len(found) == 12
    assert Range("random,AA:0").total == 1320


def test_blockers_and_arithmetic() -> None:
    assert Range(OOP).without("Td9d6hQc2s").total == 167
    assert Range(IP).without("Td9d6hQc2s").total == 246
    pairs, high = Range("22+"), Range("AA,AKs:0.5")
    assert (pairs | high).total == 80 and (pairs & high).total == 6
    assert (pairs - high).total == 72 and (pairs * 0.5).total == 39


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=169, max_size=169))
def test_charts_and_texts_round_trip(weights: list[float]) -> None:
    grid = np.array(weights).reshape(13, 13)
    found = Range.from_grid(grid)
    assert np.allclose(found.grid(), grid, atol=1e-15)
    assert Range(found.text()) == found


def test_single_hands_round_trip(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    found = Range(np.round(rng.random(1326), 3) * (rng.random(1326) < 0.3))
    found.write(tmp_path / "range.txt")
    assert Range.read(tmp_path / "range.txt") == found


@pytest.mark.parametrize(
    ("text", "place"),
    [("AA,XX", "'XX'"), ("AA,KQz", "'KQz'"), ("QQ+,AKs:2", "'AKs:2'"), ("AAs", "'AAs'"), ("A9s-K6s", "'A9s-K6s'"),
     ("KK:x", "'KK:x'"), ("TT-A9s", "'TT-A9s'")],
)  # fmt: skip
def test_bad_pieces_are_pointed_at(text: str, place: str) -> None:
    with pytest.raises(RangeError) as caught:
        Range(text)
    assert place in caught.value.where and f"characters {text.index(place[1:-1]) + 1} " in caught.value.where


def test_a_card_twice_is_refused() -> None:
    with pytest.raises(DuplicateCardError):
        Range("AsAs")


def line(betting: Betting, history: str) -> tuple[str, ...]:
    return betting.tree.actions(betting.tree.find(history))


def test_percentages_multiples_and_chips() -> None:
    betting = Betting(100, 1000, sizes=BetSizes("50%,120c", "100%,3x,40c"))
    assert line(betting, "") == ("check", "bet 50", "bet 120")
    # after a bet of 50 the pot is 200 with the call: 100% goes to 250, three times to 150, 40 more is less than the bet
    assert line(betting, "bet 50") == ("fold", "call", "raise 100", "raise 150", "raise 250")


def test_geometric_bets_end_all_in() -> None:
    sizes = BetSizes("e", "a", cap=1)
    betting = Betting(100, 1200, "flop", sizes, chip=0)
    first = line(betting, "")[1]
    chips = float(first.split()[1])
    assert (1 + 2 * chips / 100) ** 3 == pytest.approx(25)  # three such bets make the pot 25 times as large
    second = line(betting, f"{first}–call/")[1]
    assert float(second.split()[1]) / (100 + 2 * chips) == pytest.approx(chips / 100)
    assert line(betting, f"{first}–call/{second}–call/")[1].startswith("all-in")


def test_thresholds_as_documented() -> None:
    assert line(Betting(100, 140, sizes=BetSizes("50%", "a", add_all_in=1.5)), "") == ("check", "bet 50", "all-in 140")
    assert line(Betting(100, 160, sizes=BetSizes("50%", "a", add_all_in=1.5)), "") == ("check", "bet 50")
    # a bet of 90 leaves 10, less than 15% of a pot of 280
    assert line(Betting(100, 100, sizes=BetSizes("90%", "a", force_all_in=0.15)), "") == ("check", "all-in 100")
    # (100 + 75)/(100 + 70) < 1.1
    assert line(Betting(100, 900, sizes=BetSizes("30%,70%,75%", "a", merge=0.1)), "") == ("check", "bet 30", "bet 75")


def test_streets_positions_donks_and_caps() -> None:
    sizes = BetSizes("50%; river=100%; turn.ip=25%", "2x", donk="30%", cap=2)
    betting = Betting(100, 5000, "turn", sizes)
    assert line(betting, "") == ("check", "bet 50")
    assert line(betting, "check") == ("check", "bet 25")
    assert line(betting, "check–check/") == ("check", "bet 100")
    assert line(betting, "check–bet 25–call/") == ("check", "bet 45")  # a donk bet: 30% of 150
    assert line(betting, "bet 50–call/") == ("check", "bet 200")
    assert line(betting, "bet 50–raise 100") == ("fold", "call")


def test_limit_betting() -> None:
    betting = Betting(20, 1000, sizes=BetSizes("10c", "10c", cap=3))
    assert line(betting, "bet 10–raise 20") == ("fold", "call", "raise 30")
    assert line(betting, "bet 10–raise 20–raise 30") == ("fold", "call")


def test_stakes_and_what_was_paid() -> None:
    betting = Betting(200, 900, sizes=BetSizes("50%", "100%"))
    tree = betting.tree
    fold = tree.find("bet 100–raise 500–fold")
    assert tree.turn[fold] == TERMINAL and tree.winner[fold] == 1 and tree.stake[fold] == 200
    assert betting.paid[tree.find("bet 100–raise 500")].tolist() == [200, 600]
    assert tree.stake[tree.find("bet 100–call")] == 200


def test_a_tree_is_edited_printed_and_saved() -> None:
    betting = Betting(100, 400, sizes=BetSizes("50%,a", "a"))
    fewer = betting.without("check–all-in 400").with_bet("", 75)
    assert line(fewer, "check") == ("check", "bet 50")
    assert line(fewer, "") == ("check", "bet 50", "bet 75", "all-in 400")
    assert Betting.from_dict(fewer.to_dict()) == fewer
    assert "bet 75  [player 2 to move]" in fewer.text()
    with pytest.raises(GameError, match="no node"):
        betting.without("bet 3")
    with pytest.raises(ParameterError, match="cannot put in"):
        betting.with_bet("", 500)
    with pytest.raises(ParameterError, match="no move is left"):
        betting.without("check–check").without("check–bet 50").without("check–all-in 400")


def test_all_in_before_the_river_deals_the_rest() -> None:
    betting = Betting(100, 50, "flop", BetSizes("a", "a"))
    assert "all-in 50–call//" in {betting.tree.history(n) for n in range(len(betting.tree))}
    ip = Betting(100, 50, sizes=BetSizes("a", "a"), first="ip")
    assert ip.tree.turn[0] == 1 and len(ip.tree) == 5


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"board": "Td9d6hQcQc"}, DuplicateCardError), ({"board": "Td9d"}, CardError), ({"board": "zz"}, CardError),
        ({"pot": -1}, ParameterError), ({"pot": 0}, ParameterError), ({"stack": -5}, ParameterError),
        ({"oop": "QcQd"}, ParameterError), ({"oop": ""}, ParameterError), ({"ip": "77,foo"}, RangeError),
        ({"sizes": "x"}, EquiformError), ({"first": "sb"}, ParameterError), ({"rake": 0.05}, UnsupportedGameError),
        ({"oop": "AsAh", "ip": "AsKs"}, ParameterError),
    ],
)  # fmt: skip
def test_bad_spots_are_refused(changes: dict[str, object], error: type[Exception]) -> None:
    arguments: dict[str, object] = {"board": "Td9d6hQc2s", "pot": 100, "stack": 100, "oop": "AA", "ip": "KK", **changes}
    board = arguments.pop("board")
    if arguments.get("sizes") == "x":
        with pytest.raises(BetSizeError):
            BetSizes(bets="50%,7y")
        return
    with pytest.raises(error):
        Spot.of(board, **arguments).game()  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["50", "-5%", "0%", "2x", "1.5e", "3a", "flp=50%", "river.btn=a"])
def test_bad_sizes_are_refused(text: str) -> None:
    with pytest.raises(BetSizeError):
        BetSizes(bets=text)


def test_large_trees_are_refused() -> None:
    with pytest.raises(ParameterError, match="more than 1,000 nodes"):
        assert Betting(1, 10_000, "flop", BetSizes("10%,20%,30%", "2x,3x"), max_nodes=1000).tree


def test_betting_may_be_deeper_than_calls_of_python() -> None:
    """Raises by one chip: each amount is faced once in either order, folded to and called."""
    for stack in (3, 1500):
        assert len(Betting(2, stack, "river", BetSizes("1c", "1c", cap=0)).tree) == 6 * stack + 3
    with pytest.raises(ParameterError, match="more than 1,000 nodes"):
        assert Betting(2, 1e6, "river", BetSizes("1c,2c", "1c", cap=0), max_nodes=1000).tree


def test_known_sizes_of_measured_spots() -> None:
    """Decision nodes of the spots that another solver was measured on."""
    near = BetSizes("60%,e,a", "2.5x", add_all_in=1.5, force_all_in=0.15, merge=0.1)
    for stack, sizes, nodes in ((900, BetSizes(), 20), (900, near, 10), (200, BetSizes("a", "a"), 4)):
        assert int((Betting(200, stack, sizes=sizes).tree.turn >= 0).sum()) == nodes


def test_spots_round_trip_and_suits_merge() -> None:
    spot = Spot.of("2c2d2h3c", pot=10, stack=20, oop="AA,KQs", ip="random", sizes=BetSizes("a", "a"))
    again = Spot.from_dict(spot.to_dict())
    assert again.to_dict() == spot.to_dict() and again.oop == spot.oop
    merged, plain = spot.game(), spot.game(isomorphism=False)
    assert len(merged.boards) < len(plain.boards) == 1 + 48
    weights = merged.boards.factor[1:].sum() / merged.boards.factor[0]
    assert weights == pytest.approx(48 / 44)
    assert len(all_hands()) == 1326
