"""Action abstraction: which bets are considered, and how to read the others."""
