"""Equilibria from qualitative models: thresholds by mixed-integer programming (Ganzfried 2015, chapter 11).

:mod:`~equiform.formulations.parametric.milfp` is the program; the others are its parts, its relatives and its pictures.
"""
