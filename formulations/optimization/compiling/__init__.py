"""From a Pyomo model to the arrays of a program."""
