"""Card abstraction: which hands are treated alike."""
