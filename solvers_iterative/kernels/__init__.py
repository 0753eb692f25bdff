"""The compiled pieces that solvers share."""
