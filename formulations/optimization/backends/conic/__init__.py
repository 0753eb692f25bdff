"""Interior-point solvers whose constraints are cones."""
