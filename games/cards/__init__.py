"""Cards, hands and their strength.

``card`` (decks and names), ``evaluator`` (strength of 5 to 7 cards), ``indexing`` (hand classes up to suit renaming),
``showdown`` (all hands of a river board), ``equity`` (one hand, any round), ``tables`` (whole rounds, cached),
``transitions`` (histograms over next-round buckets), ``charts`` (the 169 starting hands), ``one_card`` (Rhode Island
hold'em, Leduc, Kuhn).
"""
