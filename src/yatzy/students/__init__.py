"""Players learned from the solution, each with a parameter count and a file."""
