"""One mathematical program a file, built in Pyomo from shared blocks."""
