"""What holds for every command: outputs tested first, terminals with few characters, ends other than success."""

from __future__ import annotations

import ctypes
import inspect
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import pytest
import typer

from equiform.cli import app as command_line
from equiform.cli.guard import INTERRUPTED, UNFINISHED
from equiform.cli.output import print_json
from equiform.cli.paths import kind_of
from equiform.cli.terminal import NAME, plain
from equiform.models.common.errors import EquiformError
from equiform.models.strategy import write_profile


def commands() -> Iterator[tuple[str, Callable[..., None]]]:
    """Every command, those of groups as ``group-command``, as it is registered."""
    for info in command_line.app.registered_commands:
        assert info.callback is not None
        yield str(info.name), info.callback
    for group, inner in command_line.COMMANDS:
        for info in inner.registered_commands if isinstance(inner, typer.Typer) else ():
            assert info.callback is not None
            yield f"{group}-{info.name}", info.callback


PATHS = [
    (command, name)
    for command, function in commands()
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items()
    if parameter.annotation is Path
]
OUTPUTS = [(command, name) for command, name in PATHS if kind_of(command, name) != "input"]


def test_every_path_of_every_command_is_known_as_input_or_output() -> None:
    assert len(OUTPUTS) >= 20
    assert [path for path in PATHS if not kind_of(*path)] == []


@pytest.mark.parametrize(("command", "name"), OUTPUTS, ids=[f"{command}-{name}" for command, name in OUTPUTS])
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, name: str
) -> None:
    """The path lies below a file, where not even root can write; the command's other arguments are not looked at."""
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("equiform.games.registry.load_game", lambda *_: pytest.fail("the work has begun"))
    with pytest.raises(EquiformError, match=r"cannot (write|draw)"):
        dict(commands())[command](**{name: tmp_path / "file" / "inside" / "out.png"})


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "equiform", *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, "COLUMNS": "100", **environment},
    )


def test_python_m_on_a_terminal_without_box_characters() -> None:
    done = run("solve", "kuhn", PYTHONIOENCODING="cp1252")
    assert done.returncode == 0, done.stderr
    assert b"holding Q, to open" in done.stdout


@pytest.mark.parametrize(("arguments", "code"), [(["solve", "rps"], 0), (["solve", "rsp"], 2), (["--version"], 0)])
def test_a_command_ends_without_taking_the_interpreter_apart(arguments: list[str], code: int) -> None:
    """What is registered for the end is done and all output is there; only the destructors are not run."""
    script = f"""
import atexit, sys
class Slow:
    def __del__(self):
        sys.__stderr__.write("taken apart")
sys.kept = Slow()
atexit.register(lambda: print("said at the end"))
from equiform.cli import main
sys.argv = ["equiform", *{arguments!r}]
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, text=True)
    assert done.returncode == code and done.stdout.endswith("said at the end\n")
    assert "taken apart" not in done.stderr and ("did you" in done.stderr) == (code == 2)


def test_completion_of_commands_and_games() -> None:
    asked = {"_EQUIFORM_COMPLETE": "complete_bash", "COMP_WORDS": "equiform solve kuhn-", "COMP_CWORD": "2"}
    assert run(**asked).stdout.decode().split() == ["kuhn-nl", "kuhn-multiplayer"]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "koi8-r"])
def test_every_text_of_ours_can_be_shown_anywhere(encoding: str) -> None:
    """All strings of the command line, help texts and messages among them."""
    for source in Path(command_line.__file__).parents[1].rglob("*.py"):
        text = source.read_text(encoding="utf-8")
        assert len(text.encode(encoding, NAME)) >= text.count("\n")


def test_what_plain_text_becomes() -> None:
    assert plain("ε ≈ ½ · 10⁹ … │ é") == "eps ~ 1/2 * 109 ... | e"


def test_json_is_escaped_where_the_stream_is_not_unicode(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    print_json({"ε": "—♠"})
    stream.flush()
    assert b"\\u03b5" in stream.buffer.getvalue()


def test_no_zero_has_a_sign(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import equiform

    solved = equiform.solve("rps")
    write_profile(tmp_path / "rps.json", "rps", solved.strategies)
    for arguments in (["solve", "rps"], ["verify", str(tmp_path / "rps.json"), "rps"]):
        with pytest.raises(SystemExit):
            command_line.main(arguments)
        assert "-0.0000" not in capsys.readouterr().out


def test_an_interrupt_ends_a_command_with_what_was_reached(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt("17 iterations")

    monkeypatch.setattr("equiform.api.solve", interrupted)
    with pytest.raises(SystemExit) as ended:
        command_line.main(["solve", "kuhn"])
    assert ended.value.code == INTERRUPTED and "17 iterations" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command_line.main(["solve", "kuhn", "--json"])
    assert '"Interrupted"' in capsys.readouterr().out


def test_an_interrupt_that_a_library_swallows_comes_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in the callback that numba is called by for every piece of machine code that it loads."""

    def swallows(*_: object, **__: object) -> None:
        ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))()
        for _step in range(3000):
            time.sleep(0.01)
        pytest.fail("the interrupt is lost")

    monkeypatch.setattr("equiform.api.solve", swallows)
    with pytest.raises(SystemExit) as ended:
        command_line.main(["solve", "kuhn"])
    said = capsys.readouterr().err
    assert ended.value.code == INTERRUPTED and "Interrupted" in said and "ignored" not in said


def test_memory_that_runs_out_is_a_typed_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr("equiform.api.solve", greedy)
    with pytest.raises(SystemExit) as ended:
        command_line.main(["solve", "kuhn"])
    assert ended.value.code == 2 and "OutOfMemoryError" in capsys.readouterr().err


def test_a_limit_of_time_has_its_own_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--algorithm", "simplex", "--option", "simplex_iteration_limit=5", "--option", "presolve=off"]
    with pytest.raises(SystemExit) as ended:
        command_line.main(["solve", "leduc", *options])
    said = " ".join(capsys.readouterr().out.split())
    assert ended.value.code == UNFINISHED and "Iteration limit reached: these are the best strategies so far" in said


def test_limits_of_size_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    for limit in (["--max-nodes", "50"], ["--max-memory", "nonsense"]):
        with pytest.raises(SystemExit) as ended:
            command_line.main([*limit, "solve", "kuhn"])
        assert ended.value.code == 2
        error = " ".join(capsys.readouterr().err.split())
        assert "more than 50 nodes" in error or "'nonsense' is not an amount of memory" in error


@pytest.mark.parametrize("probability", ["1e400", "-1e400", "nan", "1e-400"])
def test_verify_refuses_what_is_no_probability(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, probability: str
) -> None:
    import equiform

    write_profile(tmp_path / "p.json", "rps", equiform.solve("rps").strategies)
    text = (tmp_path / "p.json").read_text()
    first = text.index("0.33") if "0.33" in text else text.index("1/3")
    end = min(k for k in (text.find(c, first) for c in ',\n}"') if k > 0)
    (tmp_path / "p.json").write_text(text[:first] + probability + text[end:])
    with pytest.raises(SystemExit) as ended:
        command_line.main(["verify", str(tmp_path / "p.json"), "rps"])
    assert ended.value.code == 2 and "Error" in capsys.readouterr().err


def test_rational_numbers_decide_at_tolerance_zero(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import equiform

    exact = equiform.solve("leduc:ranks=2", exact=True)
    assert exact.exact is not None and exact.exact.exploitability == Fraction(0)
    write_profile(tmp_path / "exact.json", "leduc:ranks=2", exact.strategies)
    with pytest.raises(SystemExit) as ended:
        command_line.main(["verify", str(tmp_path / "exact.json"), "leduc:ranks=2", "--tolerance", "0"])
    assert ended.value.code == 0 and ": an equilibrium at tolerance 0" in capsys.readouterr().out
