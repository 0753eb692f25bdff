"""Programs for equilibria of general-sum games and of games with more players."""
