"""Linear systems and linear programs in rational numbers."""
