"""Chapter 9 of the thesis: a three-player tournament, its equilibrium and what it says about ICM."""
