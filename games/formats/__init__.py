"""Readers and writers of foreign formats: Gambit's files and OpenSpiel."""
