"""Signal games: private signals on a common scale, parametric models and threshold strategies."""
