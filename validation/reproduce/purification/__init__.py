"""Thesis chapter 8: purification and thresholding."""
