"""Multisets of dice: rolls, keeps, the die lattice between them, and probabilities."""

from yatzy.dice.lattice import Lattice, lattice

__all__ = ["Lattice", "lattice"]
