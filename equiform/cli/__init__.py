"""The command line. Each command is a file; every one has ``--json`` beside its human-readable output."""

from __future__ import annotations

from equiform.cli.app import main

__all__ = ["main"]
