"""One turn of the game: the die lattice, outcomes, values walking back and probability walking forward."""
