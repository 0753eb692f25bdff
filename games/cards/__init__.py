"""Cards, hands and their strength."""
