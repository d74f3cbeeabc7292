"""Players made of small neural networks."""
