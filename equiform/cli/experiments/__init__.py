"""Commands that run for a while: iterations, matches, reproductions."""
