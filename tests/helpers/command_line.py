"""Run a command of ours in this process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from equiform.cli.app import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """Return what a command prints, and check how it ends."""
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    captured = capsys.readouterr()
    assert (stop.value.code or 0) == code, captured.out + captured.err
    return captured.out


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """Return the JSON that a command prints."""
    return json.loads(run(capsys, *arguments, "--json", code=code))
