"""Training data: situations as columns of numbers, and what perfect play does in them."""
