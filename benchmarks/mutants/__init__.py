"""Mutation testing: do the tests notice when a line of ours is wrong? ``make mutants``, not part of CI.

A seeded random sample of mutants of each room is made with the operators of mutmut, one at a time in a scratch copy of
the tree. mutmut itself keeps all mutants of a function in one file and switches between them while it runs, which
compiled functions cannot do; here each mutant is a file of its own, compiled anew.
"""
