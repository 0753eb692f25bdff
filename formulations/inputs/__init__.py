"""From a game and parameters in words to what each program takes: the registry's build and solve functions."""
