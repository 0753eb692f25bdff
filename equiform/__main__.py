"""``python -m equiform``: the command line."""

from equiform.cli.app import main

main()
