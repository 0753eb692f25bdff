"""Certificates, exact rational solutions, closed forms and the papers\' tables."""
