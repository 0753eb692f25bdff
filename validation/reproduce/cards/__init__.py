"""Thesis chapters 4 to 6: card abstraction."""
