"""One mathematical program per file, built in Pyomo from shared blocks."""
