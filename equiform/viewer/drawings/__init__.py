"""Drawn trees and payoff tables: a scene of shapes, written as SVG or TikZ."""
