"""Monte Carlo CFR in parts: the top of a game with a head, the rest with one member per cluster of public cards."""
