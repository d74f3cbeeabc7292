"""All that a person asks: advice, review, training on mistakes, and a profile."""
