"""Programs of stochastic games: a stage, and the best response in the whole game."""
