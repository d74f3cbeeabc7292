"""One turn of the game, compiled: values walk back through it, probability walks forward."""
