"""One turn: the die lattice, outcomes, values computed backward and probabilities forward."""
