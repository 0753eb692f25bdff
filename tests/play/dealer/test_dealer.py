"""The dealer: rules, logs of hands that the competition published, and PokerKit as referee."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equiform.models.common.errors import FormatError, ParameterError
from equiform.play.dealer import (
    LIMIT,
    NO_LIMIT,
    BettingState,
    HoldemRules,
    IllegalActionError,
    play_duplicate,
    read_log,
)
from equiform.play.dealer.betting import Action
from equiform.play.dealer.hand import shuffled
from equiform.play.dealer.hand_log import read_state_line, state_line, write_log
from equiform.play.dealer.rules import rules_named
from equiform.play.holdem.simple import always_call, always_raise, simple_player, uniform_player
from tests.helpers.referee import referee_chips

# Hands from the tests of the competition's Ruby library, played by its own server.
PUBLISHED = {
    "limit": """\
STATE:0:crrrc/rrc/rf:3s5d|Td2s/4d5c4s/Kd:60|-60:p1|p2
STATE:1:rc/crrrrc/rrc/rc:7d5s|Kh9c/As3hTs/Jh/Js:-120|120:p2|p1
STATE:2:cc/cc/rc/rc:Kh6h|As2h/Qd2c2d/7d/3d:-50|50:p1|p2
STATE:4:rf:6s9d|4dQd:-10|10:p1|p2
STATE:6:rrrc/rc/cc/rc:9h7h|3d8s/JcAc5c/Ah/Ks:70|-70:p1|p2""",
    "no-limit": """\
STATE:0:r5924c/r17356c/cc/r19718c:3s5d|Td2s/4d5c4s/Kd/2c:19718|-19718:p1|p2
STATE:1:cc/r7485r16652c/r17998r19429r20000c/:7d5s|Kh9c/As3hTs/Jh/Js:-20000|20000:p2|p1
STATE:2:r18810c/r19264r19774c/cr19995r20000c/:Kh6h|As2h/Qd2c2d/7d/3d:-20000|20000:p1|p2
STATE:3:cr281c/r18446r20000c//:8c7d|QcKc/Ac6hTd/9h/3d:20000|-20000:p2|p1
STATE:6:r15542r20000c///:9h7h|3d8s/JcAc5c/Ah/Ks:20000|-20000:p1|p2
STATE:9:f:Jc8d|TdQd:50|-50:p2|p1""",
}


@pytest.mark.parametrize("game", PUBLISHED)
def test_published_hands_are_read_and_written_unchanged(game: str) -> None:
    rules = rules_named(game)
    records = [read_state_line(rules, line) for line in PUBLISHED[game].splitlines()]
    assert [state_line(r) for r in records] == PUBLISHED[game].splitlines()
    assert referee_chips(rules, records) == [r.chips for r in records]


@pytest.mark.parametrize("rules", [LIMIT, NO_LIMIT], ids=lambda r: r.name)
def test_the_referee_agrees_with_every_hand(rules: HoldemRules, tmp_path: Path) -> None:
    played = play_duplicate(rules, (uniform_player(), simple_player("always-raise", 4)), hands=60, seed=11)
    records = [r for half in played.halves for r in half]
    assert referee_chips(rules, records) == [r.chips for r in records]
    write_log(tmp_path / "match.log", rules, records, played.names, seed=11)
    assert read_log(tmp_path / "match.log", rules) == records


def random_walk(rules: HoldemRules, rng: np.random.Generator) -> BettingState:
    """Make random legal moves, of no-limit raises any size."""
    state = BettingState.start(rules)
    while not state.over:
        kind = rng.choice(["f", "c", "c", "r"])
        allowed = state.raise_range()
        action = Action(str(kind))
        if kind == "r" and not rules.limit and allowed is not None:
            low, high = allowed
            sizes = [low, high, int(rng.integers(low, high + 1)), min(high, low + 50)]
            action = Action("r", sizes[int(rng.integers(4))])
        if state.is_legal(action):
            state = state.after(action)
    return state


def test_any_legal_hand_is_legal_to_the_referee() -> None:
    """Raises of every legal size, also the smallest: the referee knows the least raise by itself."""
    from equiform.play.dealer.hand import finished

    rng = np.random.default_rng(5)
    records = [finished(random_walk(NO_LIMIT, rng), shuffled(3, k), k, ("a", "b")) for k in range(150)]
    assert referee_chips(NO_LIMIT, records) == [r.chips for r in records]
    for record in records:
        assert BettingState.read(NO_LIMIT, record.line).line == record.line


@pytest.mark.parametrize(
    ("rules", "line", "action"),
    [
        (LIMIT, "rrr", "r"),  # the fourth raise before the flop
        (LIMIT, "cc/", "f"),  # nothing to fold to
        (LIMIT, "r", "r30"),  # sizes are fixed
        (NO_LIMIT, "r300", "r499"),  # less than the raise before it
        (NO_LIMIT, "", "r199"),  # less than a big blind more
        (NO_LIMIT, "", "r20001"),  # more than the stack
        (NO_LIMIT, "r20000", "r20000"),  # against an all-in
        (NO_LIMIT, "cc/cc/cc/cc", "c"),  # the hand is over
    ],
)
def test_illegal_moves_are_refused(rules: HoldemRules, line: str, action: str) -> None:
    from equiform.play.dealer.betting import read_action

    with pytest.raises(IllegalActionError, match="is not legal"):
        BettingState.read(rules, line).after(read_action(action))


def test_an_all_in_may_be_a_short_raise() -> None:
    state = BettingState.read(NO_LIMIT, "r19990")
    assert state.raise_range() == (20000, 20000)
    assert state.after(Action("r", 20000)).after(Action("c")).line == "r19990r20000c///"


@pytest.mark.parametrize("line", ["cc", "cccc/", "x", "r100", "cr300c/r", "cc/cc/cc/ccc"])
def test_lines_that_cannot_be_played_are_refused(line: str) -> None:
    with pytest.raises(IllegalActionError):
        BettingState.read(NO_LIMIT, line)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("60|-60:p1", "50|-50:p1"),  # wrong chips
        ("3s5d|", "3s4d|"),  # a card twice
        ("/Kd:", ":"),  # a card is missing
        ("rf:", "r:"),  # not over
        ("p1|p2", "p1"),
        ("STATE:0", "STATE:x"),
    ],
)
def test_a_log_that_contradicts_itself_is_refused(old: str, new: str, tmp_path: Path) -> None:
    line = PUBLISHED["limit"].splitlines()[0]
    assert old in line
    path = tmp_path / "bad.log"
    path.write_text(line.replace(old, new, 1) + "\n")
    with pytest.raises(FormatError, match="line 1"):
        read_log(path, LIMIT)


def test_a_score_must_be_the_sum(tmp_path: Path) -> None:
    path = tmp_path / "score.log"
    path.write_text(PUBLISHED["limit"].splitlines()[0] + "\nSCORE:50|-50:p1|p2\n")
    with pytest.raises(FormatError, match="sum"):
        read_log(path, LIMIT)


def test_duplicate_deals_cancel_the_luck_of_equal_players() -> None:
    """Whoever calls and whoever raises win by the cards alone: in duplicate nothing is left."""
    played = play_duplicate(LIMIT, (always_call(), always_raise()), hands=40, seed=2)
    assert played.total == 0 and np.abs(played.won).max() == 0.0
    assert any(r.chips != (0, 0) for r in played.halves[0])


def test_pieces_of_a_match_are_the_match() -> None:
    players = uniform_player(1), always_raise(2)
    whole = play_duplicate(LIMIT, players, hands=30, seed=6)
    parts = [play_duplicate(LIMIT, players, hands=15, seed=6, first=k) for k in (0, 15)]
    assert whole.won.tolist() == [w for p in parts for w in p.won.tolist()]


def test_players_need_two_names() -> None:
    with pytest.raises(ParameterError, match="names"):
        play_duplicate(LIMIT, (always_call(), always_call()), hands=1, seed=1)
