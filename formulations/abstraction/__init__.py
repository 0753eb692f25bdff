"""Programs that design an abstraction or get the most out of one."""
