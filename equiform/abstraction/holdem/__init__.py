"""Hold'em as a bucketed game: from a card abstraction to deals, leaves and a solved strategy."""
