"""Programs of endgames: a strategy of the trunk is given, and one player's play below it is to be found."""
